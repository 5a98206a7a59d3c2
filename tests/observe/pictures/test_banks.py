from math import gcd

import pytest

import warploom
from tests.observe.pictures.runs import run
from warploom.isa import tiny
from warploom.observe.pictures import DrawingError, picture

KERNEL = """
.threads 4
        CONST R1, #{stride}
        MUL   R1, %threadIdx, R1
        STS   R1, %threadIdx
        LDS   R2, %threadIdx
        STR   %threadIdx, R2
        RET
"""


@pytest.mark.parametrize("stride", [1, 2, 3, 4, 6, 8])
def test_a_stride_takes_as_many_passes_as_it_has_in_common_with_the_banks(stride):
    """NVIDIA's guide: n-way conflicts, n = gcd(stride, banks); tiny-simt has 4 banks of a byte for 4 lanes."""
    result = warploom.GPU("tiny-simt", engine="python").run(tiny.assemble(KERNEL.format(stride=stride), "stride.asm"), tracing=True)
    strided, plain = picture(result, "banks").data.instructions
    assert (strided.line, strided.text, strided.accesses, strided.each) == (5, "STS R1, %threadIdx", 1, gcd(stride, 4))
    assert (plain.line, plain.each) == (6, 1)
    assert result.counters["shared_passes"] == gcd(stride, 4) + 1


def test_it_says_where_there_are_no_banks():
    with pytest.raises(DrawingError, match="the kernel has no access to shared memory"):
        _ = picture(run("guppy/if.guppy", "guppy"), "banks").data
    with pytest.raises(DrawingError, match="the cores of 'tiny' have no shared memory"):
        _ = picture(run("tiny/matadd.asm", "tiny"), "banks").data


def test_it_has_no_part():
    with pytest.raises(DrawingError, match="banks is of a whole run"):
        picture(run("tiny/shared_reduction.asm", "tiny-simt"), "banks", cycles=(0, 5))


def test_it_can_be_drawn():
    pytest.importorskip("matplotlib")
    assert "LDS R5, R5" in picture(run("tiny/shared_reduction.asm", "tiny-simt"), "banks").svg()
