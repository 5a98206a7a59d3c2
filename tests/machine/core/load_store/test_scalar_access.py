"""Accesses of scalar registers: once for a warp, at lane 0's address, whatever the mask."""

from types import SimpleNamespace

import numpy as np
import pytest

from tests.machine.programs import FREE, Assembly, run, words
from warploom.isa import uop as u
from warploom.isa.table_check import ProgramError
from warploom.isa.uop import IMMEDIATE, NONE, scalar
from warploom.machine.accounting import reasons as r
from warploom.machine.core.load_store.scalar_access import move_scalar

ENGINES = pytest.mark.parametrize("engine", ["python", "native"])
DATA = np.array([0x11223344, 0x80FF7F01, 5, 6], np.uint32)


def program(code, threads=4, **fields):
    made = code.program(threads=threads, scalars=32, **fields)
    return made.with_data(DATA.view(np.uint8)).with_launch(scalars=(0, 0, 8, 0))


@ENGINES
def test_words_and_parts_of_words_go_both_ways(engine):
    code = Assembly()
    code("load_scalar", dst=scalar(4), a=NONE)
    code("load_scalar", dst=scalar(5), a=scalar(2), imm=-4)
    code("load_scalar", dst=scalar(6), a=NONE, imm=6, size=1)
    code("load_scalar", dst=scalar(7), a=NONE, imm=6, size=1, flags=u.SIGNED)
    code("load_scalar", dst=scalar(8), a=NONE, imm=6, size=2, flags=u.SIGNED)
    for number in range(5):
        code("store_scalar", a=NONE, b=scalar(4 + number), imm=32 + 4 * number)
    code("store_scalar", a=NONE, b=scalar(4), imm=65, size=1)
    code("store_scalar", a=scalar(2), b=scalar(4), imm=58, size=2)
    code("exit")
    found = run(program(code), engine=engine)
    assert found.fault == ""
    assert words(found)[8:13].tolist() == [0x11223344, 0x80FF7F01, 0xFF, 0xFFFFFFFF, 0xFFFF80FF]
    assert words(found)[16] == 0x33444400


@ENGINES
@pytest.mark.parametrize("byte", range(4))
def test_a_part_of_a_word_leaves_the_rest_of_it(byte, engine):
    code = Assembly()
    code("load_scalar", dst=scalar(4), a=NONE)
    code("store_scalar", a=NONE, b=scalar(4), imm=4 + byte, size=1)
    code("exit")
    after = int(words(run(program(code), engine=engine))[1])
    assert after == int(DATA[1]) & ~(0xFF << 8 * byte) | 0x44 << 8 * byte


@ENGINES
def test_they_are_made_under_an_empty_mask_too_and_one_lane_is_counted(engine):
    code = Assembly()
    code("write_mask", a=scalar(0))
    code("load_scalar", dst=scalar(4), a=NONE, imm=8)
    code("store_scalar", a=NONE, b=scalar(4), imm=64)
    code("exit_warp")
    found = run(program(code), engine=engine, core__divergence="masks")
    assert found.status == "done" and words(found)[16] == 5
    assert found.detail.profile[1:3, r.LANES].tolist() == [1, 1]


def test_what_waits_for_a_loaded_scalar_waits_for_memory():
    code = Assembly()
    code("load_scalar", dst=scalar(4), a=NONE, imm=8)
    code("mov", dst=FREE, a=scalar(4))
    code("exit")
    assert run(program(code)).counters["long_scoreboard_warp_cycles"] > 10


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"name": "load_scalar", "dst": 3, "a": NONE}, "destination 3: load_scalar writes a scalar register"),
        ({"name": "load_scalar", "dst": scalar(3), "a": NONE, "size": 8}, "size 8: it is 1, 2 or 4 bytes"),
        ({"name": "store_scalar", "a": NONE, "b": scalar(3), "predicate": scalar(0)}, "store_scalar does not ask it"),
        ({"name": "branch_scalar", "a": 3, "target": 0}, "source A is v3: branch_scalar asks a scalar register"),
        ({"name": "call", "dst": scalar(u.SCALARS), "target": 0}, "destination is scalar register 160"),
    ],
)
def test_what_they_do_not_take_is_refused(fields, said):
    code = Assembly()
    code(**fields)
    with pytest.raises(ProgramError, match=said):
        run(program(code))


def test_an_address_that_is_not_there_or_not_aligned_is_a_fault():
    for imm, said in ((2, "not a multiple of 4"), (1 << 20, "accesses address 0x100000")):
        code = Assembly()
        code("load_scalar", dst=scalar(4), a=NONE, imm=imm)
        code("exit")
        assert said in run(program(code)).fault


@ENGINES
def test_a_branch_on_a_scalar_leaves_a_loop_under_an_empty_mask(engine):
    code = Assembly()
    code("mov", dst=scalar(6), a=IMMEDIATE, imm=3)
    code("write_mask", a=scalar(0))
    code.label("loop")
    code("add", dst=scalar(5), a=scalar(5), b=IMMEDIATE, imm=10)
    code("sub", dst=scalar(6), a=scalar(6), b=IMMEDIATE, imm=1)
    code("branch_scalar", a=scalar(6), imm=0xFFFFFFFF, target="loop")
    code("branch_scalar", a=scalar(5), imm=1, flags=u.NEGATE, target="end")
    code("mov", dst=scalar(5), a=IMMEDIATE)
    code.label("end")
    code("store_scalar", a=NONE, b=scalar(5), imm=64)
    code("exit_warp")
    found = run(program(code), engine=engine, core__divergence="masks")
    assert found.status == "done" and words(found)[16] == 30


@ENGINES
@pytest.mark.parametrize("divergence", ["uniform", "stack", "minpc", "its", "masks"])
def test_calls_through_scalar_registers_come_back(engine, divergence):
    if engine == "native" and divergence != "masks":
        pytest.skip("one mechanism is enough for the compiler")
    code = Assembly()
    code("call", dst=scalar(4), target="function")
    code("mov", dst=scalar(7), a=IMMEDIATE, imm=4 * 4)
    code("jump_register", dst=scalar(4), a=scalar(7))
    code("store_scalar", a=NONE, b=scalar(5), imm=64)
    code("exit")
    code.label("function")
    code("add", dst=scalar(5), a=scalar(5), b=IMMEDIATE, imm=1)
    code("jump_register", a=scalar(4))
    made = program(code)
    made.code[:, u.ADDRESS] = 4 * np.arange(len(made))
    made.uops[2, u.IMM] = 0
    made.uops[1, u.IMM] = 4 * 5
    found = run(made, engine=engine, core__divergence=divergence)
    assert found.status == "done", found.fault
    assert words(found)[16] == 2


@pytest.mark.parametrize(
    ("size", "byte", "value", "changes"), [(4, 4, 0x80FF7F01, 0), (4, 4, 0x80FF7F00, 1), (1, 5, 0x1237F, 0), (1, 5, 1, 1)]
)
def test_a_store_says_whether_it_has_changed_a_word(size, byte, value, changes):
    tables = SimpleNamespace(uops=np.array([u.Uop("store_scalar", a=NONE, b=2, size=size).row()]))
    registers = SimpleNamespace(lane=np.full((4, 4), value, np.uint32))
    core = SimpleNamespace(access=SimpleNamespace(changed=0))
    move_scalar(core, byte, registers, tables, 0, DATA.copy())
    assert core.access.changed == changes
