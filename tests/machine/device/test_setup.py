"""What a device and its cores hold before the first cycle."""

import numpy as np
import pytest

from tests.machine.programs import FREE, GLOBAL, Assembly, machine, run, words
from warploom.gpu import GPU
from warploom.isa import uop as u
from warploom.machine.accounting.status import LaunchError
from warploom.machine.config.presets import load_config
from warploom.machine.device.machine import PipelineMachine


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
    assert refused(one(threads=20, block=20)) == (
        "<program>: a block of 20 threads needs 5 warps, a core has 4; use smaller blocks, or set core.warps"
    )
    assert refused(one(shared_bytes=2000)) == (
        "<program>: a block with 2 000 bytes of shared memory needs 2 000, a core has 1 024; use less shared memory, or set shared.bytes"
    )
    assert refused(one(threads=20, block=20), gpu__dispatch="split") == (
        "a block has 5 warps, the device has warp slots for 4; add --set core.warps=5 or use smaller blocks"
    )


@pytest.mark.parametrize(
    ("launch", "sentence"),
    [
        ({"threads": 1056, "block": 1056},
         "a block of 1 056 threads is too large, a block has at most 1 024; use smaller blocks, or set core.block_threads"),
        ({"threads": 32, "block": 32, "registers": 300},
         "a thread with 300 registers is too large, a thread has at most 255; use fewer registers, or set core.thread_registers"),
        ({"threads": 1024, "block": 1024, "registers": 80},
         "a block of 1 024 threads with 80 registers per thread needs 81 920 registers, a core has 65 536; use smaller blocks or fewer "
         "registers, or set core.registers"),
        ({"threads": 32, "block": 32, "shared_bytes": 98305},
         "a block with 98 305 bytes of shared memory needs 98 560 in the units in which they are handed out (98 305 of its own), a core "
         "has 98 304; use less shared memory, or set shared.bytes"),
    ],
)  # fmt: skip
def test_a_multiprocessor_refuses_what_its_compute_capability_does_not_have(launch, sentence):
    with pytest.raises(LaunchError) as error:
        GPU("sm").run(one(**launch))
    assert str(error.value) == f"<program>: {sentence}"


def test_a_multiprocessor_holds_the_blocks_that_its_register_files_have_room_for():
    made = PipelineMachine(load_config("sm"), one(threads=320, block=32, registers=200))
    assert int(made.cores["blocks"]["slots"][0]) == 8


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


@pytest.mark.parametrize("waits", [False, True])
def test_whether_a_fetch_waits_reaches_the_fetch_unit(waits):
    made = machine(one(), fetch__waits=waits)
    assert made.cores["fetch"]["waits"].tolist() == [int(waits)] * len(made.cores)


def test_every_core_knows_how_many_threads_a_block_has():
    code = Assembly()
    code("special", dst=FREE, imm=u.SPECIAL_NUMBER["block_threads"])
    code.op("shl", FREE + 1, GLOBAL, imm=2)
    code.store(FREE + 1, FREE)
    code("exit")
    found = run(code.program(threads=12, block=6))
    assert words(found)[:12].tolist() == [6] * 12
