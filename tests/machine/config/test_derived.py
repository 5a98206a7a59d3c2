"""What follows from several settings together, at its boundaries."""

import pytest

from tests.machine.programs import config
from warploom.machine.config.derived import carveout, dram_bytes_a_cycle, l1_bytes
from warploom.machine.engine.sizes import CARVEOUTS

KIB = 1 << 10


@pytest.mark.parametrize("kind", [name for name in CARVEOUTS if name != "any"])
def test_shared_memory_is_the_smallest_size_that_holds_what_blocks_need(kind):
    made = config(shared__unified=256 * KIB, shared__carveouts=kind, shared__unit=256, l1__bytes=256 * KIB, shared__bytes=0)
    sizes = sorted(size * KIB for size in CARVEOUTS[kind])
    for smaller, size in zip([-1, *sizes], sizes, strict=False):
        assert [carveout(made, needed) for needed in (smaller + 1, size)] == [size, size]
        assert l1_bytes(made, size) == 256 * KIB - size
    assert carveout(made, sizes[-1] + 1) == sizes[-1] + 256


def test_any_size_is_in_whole_units_unless_one_is_given():
    made = config(shared__unified=64 * KIB, shared__carveouts="any", shared__unit=256, shared__bytes=0, l1__bytes=64 * KIB)
    assert [carveout(made, needed) for needed in (0, 1, 256, 257)] == [0, 256, 256, 512]
    given = config(shared__unified=64 * KIB, shared__carveout=8 * KIB, shared__unit=256, shared__bytes=0, l1__bytes=64 * KIB)
    assert carveout(given, 300) == 8 * KIB and l1_bytes(given, 300) == 56 * KIB


def test_the_first_level_cache_has_whole_sets_of_what_is_left_and_no_more_than_its_own():
    made = config(shared__unified=4096, shared__carveouts="any", shared__unit=4, shared__bytes=0, l1__bytes=2048, l1__line=64, l1__ways=2)
    assert [l1_bytes(made, needed) for needed in (0, 2048, 2052, 2176, 2180, 4096, 5000)] == [2048, 2048, 1920, 1920, 1792, 0, 0]
    assert l1_bytes(config(l1__bytes=512), 100) == 512


@pytest.mark.parametrize(("clocks", "bytes_each"), [({}, 24), ({"gpu__clock": 1000, "dram__clock": 500}, 12), ({"gpu__clock": 1000}, 24)])
def test_memory_has_its_own_clock_where_both_are_given(clocks, bytes_each):
    assert dram_bytes_a_cycle(config(dram__channels=2, dram__bandwidth=12, **clocks)) == bytes_each
