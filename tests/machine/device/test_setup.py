"""What a device and its cores hold before the first cycle."""

import numpy as np
import pytest

from tests.machine.programs import Assembly, machine
from warploom.machine.accounting.status import LaunchError


def one(**fields):
    """A program of one instruction and an end."""
    code = Assembly()
    code("nop")
    code("exit")
    return code.program(**fields)


def refused(program, **changes):
    with pytest.raises(LaunchError) as error:
        machine(program, **changes)
    return str(error.value)


def test_a_block_that_does_not_fit_names_what_it_lacks():
    assert refused(one(threads=20, block=20)) == "a block of 20 threads needs 5 warps, a core has 4"
    assert "a block with 2000 bytes of shared memory needs 2000, a core has 1024" in refused(one(shared_bytes=2000))
    assert refused(one(threads=20, block=20), gpu__dispatch="split") == (
        "a block has 5 warps, the device has warp slots for 4; add --set core.warps=5 or use smaller blocks"
    )


def test_the_schedulers_of_a_core_share_its_warps_without_overlap():
    core = machine(one(), core__warps=7, core__schedulers=3).cores[0]
    owned = [int(scheduler["owned"]) for scheduler in core["schedulers"][:3]]
    assert owned == [0b1001001, 0b0010010, 0b0100100]
    assert core["warps"]["scheduler"][:7].tolist() == [0, 1, 2, 0, 1, 2, 0]


def test_the_grid_is_that_of_the_launch():
    grid = machine(one(threads=21, block=8), core__lanes=4).gpu["grid"]
    assert [int(grid[name]) for name in ("threads", "block_threads", "blocks", "warps")] == [21, 8, 3, 2]


def test_what_a_warp_instruction_takes_follows_from_the_width_of_the_units():
    made = machine(one(), core__lanes=8, alu__width=2, alu__special_width=0)
    assert made.cores["alus"]["passes"].tolist() == [4]
    assert made.cores["specials"]["passes"].tolist() == [1]


def test_shifts_are_those_of_the_configured_bytes():
    core = machine(one(), lsu__sector=16).cores["lsu"]
    assert (core["sector_shift"].tolist(), core["line_shift"].tolist()) == ([4], [6])


def test_all_cores_are_alike_but_for_their_number():
    cores = machine(one(), gpu__cores=3).cores
    assert cores["number"].tolist() == [0, 1, 2]
    cores["number"] = 0
    assert np.array_equal(cores[0].tobytes(), cores[2].tobytes())
