"""Blocks that fit into a core, and the sentences where none does."""

from dataclasses import replace

import pytest

from tests.machine.device.test_setup import one, refused
from tests.machine.programs import machine
from warploom.gpu import GPU
from warploom.machine.accounting.status import LaunchError


def test_a_block_that_does_not_fit_names_what_it_lacks():
    assert refused(one(threads=20, block=20)) == (
        "<program>: a block of 20 threads needs 5 warps, a core has 4; use smaller blocks, or set core.warps"
    )
    assert refused(one(shared_bytes=2000)) == (
        "<program>: a block with 2 000 bytes of shared memory needs 2 000, a core has 1 024; use less shared memory, or set shared.bytes"
    )
    assert refused(one(threads=20, block=20), gpu__dispatch="split") == (
        "a block has 5 warps, the device has warp slots for 4; add --set core.warps=5, or use smaller blocks"
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


def test_a_carveout_that_is_too_small_is_named():
    with pytest.raises(LaunchError, match=r"needs 16 384, a core has 8 192; use less shared memory, or set shared\.carveout$"):
        GPU("sm", set={"shared.carveout": 8192}).run(one(threads=32, block=32, shared_bytes=16384))
    with pytest.raises(LaunchError, match=r"a core has 98 304; use less shared memory, or set shared\.bytes$"):
        GPU("sm", set={"shared.carveout": 98304}).run(one(threads=32, block=32, shared_bytes=100_000))


def test_a_program_that_starts_its_threads_itself_says_how_many_warps_fit():
    program = one()
    program = replace(program, launch=replace(program.launch, whole_device=True))
    assert refused(program, core__block_threads=10) == (
        "<program>: a program of test starts its threads itself, so it is given a core's 4 warps of 4 lanes as one block, and on this "
        "machine a block of 16 threads is too large, a block has at most 10; use the preset of its instruction set, or add "
        "--set core.warps=2"
    )
    named = replace(program, isa="vortex-2024")
    assert "has at most 10; use --gpu vortex-2024, or add --set core.warps=2" in refused(named, core__block_threads=10)


def test_it_may_have_room_for_so_many_cores_and_lanes():
    program = one()
    limited = replace(program, launch=replace(program.launch, whole_device=True, most_cores=2, most_lanes=4))
    machine(limited, gpu__cores=2)
    said = "<program>: it starts its threads itself, {}; use --set {} or less"
    assert refused(limited, gpu__cores=3) == said.format("on at most 2 cores, and the machine has 3", "gpu.cores=2")
    assert refused(limited, core__lanes=5) == said.format("in warps of at most 4 lanes, and the machine has 5", "core.lanes=4")


def test_a_group_that_it_wants_on_one_core_has_to_fit_there():
    program = one()
    fits, wide = (replace(program, launch=replace(program.launch, whole_device=True, group_threads=threads)) for threads in (16, 17))
    machine(fits)
    assert refused(wide) == (
        "<program>: a block has 17 threads, and a core 4 warps of 4 lanes; add --set core.warps=5, or use smaller blocks"
    )
    most, more = (replace(program, launch=replace(program.launch, whole_device=True, group_threads=threads)) for threads in (256, 257))
    assert refused(most).endswith("; add --set core.warps=64, or use smaller blocks")
    assert refused(more).endswith("a block has 257 threads, and a core 4 warps of 4 lanes; use smaller blocks, or more core.lanes")
