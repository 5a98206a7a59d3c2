"""How large a machine's state is: as its configuration and its launch say."""

import numpy as np
import pytest

from warploom.isa.program import Launch, Program
from warploom.isa.program_builder import ProgramBuilder
from warploom.isa.uop import HIDDEN, REGISTERS, Uop, scalar
from warploom.machine.config.presets import load_config
from warploom.machine.device.machine import PipelineMachine
from warploom.machine.device.rooms import groups_of, lane_registers
from warploom.machine.memory.block import COMPARED
from warploom.machine.run.driver import drive


def program(*uops, registers=4, threads=32, **launch):
    builder = ProgramBuilder()
    for uop in (*uops, Uop("exit")):
        builder.add([uop], text=str(uop))
    rows, code, text = builder.arrays()
    names = tuple(f"r{number}" for number in range(registers))
    return Program("test", "test", rows, code, text, registers, names, launch=Launch(threads=threads, block=threads, **launch))


def machine(kernel, **settings):
    return PipelineMachine(load_config("sm", {name.replace("__", "."): value for name, value in settings.items()}), kernel)


def size(made):
    return sum(array.nbytes for array in made.arrays())


STORES = program(Uop("mov", 1, -2, imm=4096), Uop("store", a=1, b=1))


def test_one_multiprocessor_takes_less_than_48_megabytes_its_memory_too():
    made = machine(STORES)
    drive(made, engine="python")
    assert size(made) < 48e6


def test_memory_counts_as_far_as_something_has_been_stored():
    made = machine(STORES)
    before = made.arrays()[2].nbytes
    drive(made, engine="python")
    after = made.arrays()[2]
    assert before == 0 and 4096 < after.nbytes <= 16384 and after[1024] == 4096 and made.whole()[2].nbytes == 1 << 26


def test_rooms_follow_the_configuration():
    settings = {"l1__bytes": 4096, "l1__line": 64, "l1__mshrs": 3, "l1__merges": 5, "lsu__queue": 6}
    lsu = machine(STORES, **settings).cores["lsu"]
    assert lsu["cache"]["tag"].shape[1] == 64 + COMPARED and lsu["cache"]["replacement"]["used"].shape[1] >= 64
    assert lsu["misses"]["sectors"].shape == (1, 3) and lsu["misses"]["waiter"].shape == (1, 15)
    assert lsu["line"].shape[1] == 6
    assert machine(STORES, l2__bytes=0).gpu["l2"]["line"].shape == (0,)


def test_a_program_without_textures_has_no_place_for_their_accesses():
    assert machine(STORES).cores["texture"]["line"].shape[1] == 0


@pytest.mark.parametrize(
    ("uop", "registers", "rows"),
    [
        (Uop("add", 3, 1, 2), 4, 7),
        (Uop("add", 3, 1, 2), 40, 40),
        (Uop("mov", HIDDEN + 2, 1), 4, HIDDEN + 6),
        (Uop("get_register", 1, 2), 4, REGISTERS),
    ],
)
def test_a_warp_has_rows_for_the_registers_that_its_program_names(uop, registers, rows):
    assert lane_registers(program(uop, registers=registers)) == rows


def test_groups_are_those_that_instructions_wait_for():
    assert groups_of(program(Uop("add", 3, 1, 2))) == (4, 0)
    assert groups_of(program(Uop("mov", scalar(5), 1)))[1] == 6


def test_a_warp_that_starts_waits_for_nothing_that_the_one_before_it_wrote():
    """Groups beyond those of the program are left as they are."""
    made = machine(program(Uop("mov", 3, -2, imm=1)))
    drive(made, engine="python")
    assert made.cores["scoreboard"]["groups"].tolist() == [4] and not made.cores["scoreboard"]["ready"][0, :, 4:].any()
    assert np.count_nonzero(made.cores["registers"]["lane"][0, :, 3])
