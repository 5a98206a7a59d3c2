import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.machine.tiny_kernels import assemble, run
from warploom import GPU


def computed(operation, a, b, **changes):
    """What `operation R3, R1, R2` leaves in R3."""
    return int(run(f"CONST R1, #{a}\nCONST R2, #{b}\n{operation} R3, R1, R2\nSTR R0, R3\nRET", threads=1, **changes).memory[0])


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 255), st.integers(0, 255))
def test_arithmetic_is_eight_bits_wide_and_wraps(a, b):
    assert computed("ADD", a, b) == (a + b) % 256
    assert computed("SUB", a, b) == (a - b) % 256
    assert computed("MUL", a, b) == a * b % 256
    assert computed("DIV", a, b) == (a // b if b else 255)


def flags(a, b, **changes):
    """The condition bits after CMP a, b: the branches taken of BRn, BRz and BRp."""
    found = 0
    for bit, name in ((4, "n"), (2, "z"), (1, "p")):
        text = f"CONST R1, #{a}\nCONST R2, #{b}\nCONST R3, #1\nCMP R1, R2\nBR{name} TAKEN\nRET\nTAKEN: STR R0, R3\nRET"
        found |= bit * int(run(text, **changes).memory[0])
    return found


@pytest.mark.parametrize(("a", "b", "documented", "published"), [(1, 2, 4, 4), (2, 2, 2, 2), (2, 1, 1, 4), (0, 255, 4, 4), (255, 0, 1, 4)])
def test_comparison(a, b, documented, published):
    assert flags(a, b) == documented
    assert flags(a, b, preset="tiny-original") == published
    assert flags(a, b, quirks__compare_flags=True) == published


def test_division_by_zero_gives_255_and_is_counted_and_reported():
    result = run("NOP\nDIV R1, R2, R0\nSTR %threadIdx, R1\nRET", threads=6)
    assert result.memory[:4].tolist() == [255] * 4
    assert result.counters["divisions_by_zero"] == 6
    assert result.remarks == ("kernel.asm:3 (DIV R1, R2, R0): 6 divisions by zero in all, which gave 255; this is where the first one was",)
    assert result.status == "done"
    assert run("CONST R1, #1\nDIV R1, R1, R1\nRET").remarks == ()


def test_of_divisions_by_zero_in_several_blocks_the_first_of_the_program_is_named():
    """Two cores divide in the same cycle, block 1 in line 4, block 0 in line 6."""
    result = run("CMP %blockIdx, R0\nBRz ZERO\nDIV R1, R2, R0\nRET\nZERO: DIV R1, R2, R0\nRET", threads=8)
    assert result.remarks == ("kernel.asm:4 (DIV R1, R2, R0): 8 divisions by zero in all, which gave 255; this is where the first one was",)


def test_division_by_zero_gives_0_as_in_a_simulator_of_the_published_hardware():
    assert computed("DIV", 7, 0, quirks__divide_zero=True) == 0
    assert computed("DIV", 7, 2, quirks__divide_zero=True) == 3


def test_every_instruction_loads_the_output_register_with_a_sum_at_least():
    text = "CONST R1, #0x21\nCONST R2, #9\nRET"
    outs = []
    for machine in GPU("tiny", engine="python").steps(assemble(text, threads=1)):
        thread = machine.trace_line()["cores"][0]["threads"][0]
        outs.append((thread["rs"], thread["rt"], thread["alu_out"]))
    # CONST R2, #9 has the bits 0 and 9 where others have rs and rt: R0 + R9; #0x21 names R2 + R1
    assert all(out == (rs + rt) % 256 for rs, rt, out in outs[18:20])
