"""Accesses of 8 bytes in every space: values, faults, what they cost, and addresses without a register."""

import numpy as np
import pytest

from tests.machine.core.unit_bench import bench
from tests.machine.programs import BLOCK, FREE, GLOBAL, THREAD, Assembly, machine, run, words
from warploom.isa import uop as u
from warploom.isa.table_check import ProgramError
from warploom.isa.uop import IMMEDIATE, NONE, scalar
from warploom.machine.accounting import reasons as r
from warploom.machine.core.load_store.wide_access import IN_TABLES, access_wide
from warploom.machine.run.driver import drive

A, B, C, D = FREE, FREE + 1, FREE + 2, FREE + 3
SPACES = {"global": (u.GLOBAL_SPACE, 1024), "shared": (u.SHARED_SPACE, 0), "local": (u.LOCAL_SPACE, 0)}


def through(space, threads=8, block=4):
    """Every thread writes 8 bytes somewhere and reads them back into memory, halves exchanged."""
    code = Assembly()
    where, base = SPACES[space]
    code.op("shl", A, {u.LOCAL_SPACE: u.NONE, u.SHARED_SPACE: THREAD}.get(where, GLOBAL), imm=3)
    if where == u.LOCAL_SPACE:
        code.mov(A, 8)
    code.op("add", B, GLOBAL, imm=100)
    code.op("add", C, BLOCK, imm=7)
    code.store(A, B, base, size=8, space=where)
    code.load(D, A, base, size=8, space=where)
    code.op("shl", A, GLOBAL, imm=3)
    code.store(A, D, 4)
    code.store(A, D + 1, 0)
    code("exit")
    return code.program(threads=threads, block=block, shared_bytes=64, local_bytes=16)


@pytest.mark.parametrize("engine", ["python", "native"])
@pytest.mark.parametrize("space", SPACES)
@pytest.mark.parametrize("write", ["through", "back"])
def test_a_pair_comes_back_from_where_it_went(space, engine, write):
    result = run(through(space), engine=engine, l1__write=write)
    assert result.fault == ""
    assert words(result)[:16].reshape(8, 2).tolist() == [[7 + number // 4, 100 + number] for number in range(8)]


def test_lanes_side_by_side_take_the_lines_that_their_bytes_lie_in():
    code = Assembly()
    code.op("shl", A, GLOBAL, imm=3)
    code.load(B, A, size=8)
    code("exit")
    program = code.program(threads=16)
    counted = run(program, core__lanes=16, core__threads_per_block=16).counters
    assert (counted["transactions"], counted["sectors"]) == (2, 8)  # 128 bytes: lines of 64, sectors of 16


def test_the_halves_of_a_local_value_lie_in_two_rows_of_the_warp():
    wide, narrow, mixed = Assembly(), Assembly(), Assembly()
    for code, sizes in ((wide, [8]), (narrow, [4]), (mixed, [8, 4, 4])):
        for size in sizes:
            code.store(NONE, GLOBAL, 0, size=size, space=u.LOCAL_SPACE)
    found = []
    for code in (wide, narrow, mixed):
        code("exit")
        program = code.program(threads=16, local_bytes=8)
        found.append(run(program, core__lanes=16, core__threads_per_block=16).counters["local_transactions"])
    assert found == [2, 1, 4]


@pytest.mark.parametrize(("stride", "passes"), [(3, 2), (4, 2), (7, 16)])
def test_shared_memory_serves_half_of_a_warp_at_a_time(stride, passes):
    code = Assembly()
    code.op("shl", A, THREAD, imm=stride)
    code.load(B, A, size=8, space=u.SHARED_SPACE)
    code("exit")
    made = machine(code.program(threads=16, block=16, shared_bytes=2048), core__lanes=16, shared__bytes=4096, shared__banks=32)
    drive(made, engine="python")
    assert made.profile[1, r.PASSES] == passes


def test_scalar_pairs_are_stored_and_added():
    code = Assembly()
    code.store(NONE, scalar(0), 64, size=8)
    code("atomic_add", dst=NONE, a=NONE, b=scalar(0), imm=64, size=8)
    code("atomic_cas", dst=A, a=NONE, b=scalar(2), c=scalar(0), imm=72, size=8)
    code("exit")
    program = code.program(threads=1, scalars=4)
    found = run(program.with_launch(scalars=(0xFFFFFFFF, 1, 0, 0)))
    assert words(found)[16:20].tolist() == [0xFFFFFFFE, 3, 0xFFFFFFFF, 1]


@pytest.mark.parametrize(
    ("offset", "said"),
    [(4, "lane 0 accesses address 0x4, which is not a multiple of 8"), (4092, "lane 0 accesses address 0xffc, but memory has 0x1000")],
)
def test_what_does_not_lie_there_is_a_fault(offset, said):
    code = Assembly()
    code.load(A, NONE, offset, size=8)
    code("exit")
    assert said in run(code.program(threads=1)).fault


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"name": "load", "dst": 31, "a": 0}, "destination 31: it is a pair of registers, this one and the next"),
        ({"name": "store", "a": 0, "b": IMMEDIATE}, "source B -2: it is a pair of registers, this one and the next"),
        ({"name": "atomic_cas", "a": 0, "b": 2, "c": scalar(u.SCALARS - 1)}, "it is a pair of registers, this one and the next"),
        ({"name": "add", "dst": 1, "a": 0, "b": 0}, "size 8: it is 1, 2 or 4 bytes"),
    ],
)
def test_pairs_that_are_not_there_are_refused(fields, said):
    code = Assembly()
    code(**{"size": 8, **fields})
    with pytest.raises(ProgramError, match=said):
        run(code.program(threads=1))


def test_an_address_is_a_number_a_scalar_register_or_both():
    code = Assembly()
    for base, offset in ((NONE, 100), (scalar(1), 8), (NONE, 4088)):
        code.load(A, base, offset)
        code.op("add", B, B, A)
    code.store(NONE, B, 0)
    code("exit")
    program = code.program(threads=3, scalars=2, registers=16).with_launch(scalars=(0, 200))
    data = np.zeros(1024, np.uint32)
    data[[25, 52, 1022]] = 1, 10, 100
    found = run(program.with_data(data.view(np.uint8)))
    assert found.fault == "" and words(found)[0] == 111
    assert found.counters["transactions"] == 4  # all lanes want the same word


def test_a_change_of_either_half_is_recorded():
    from tests.machine.programs import config
    from warploom.gpu import GPU

    found = GPU(config(), engine="python").run(through("global", threads=4), recording=True).detail.recording
    written = [row for row in found.memory.tolist() if 256 <= row[3] < 264]
    assert [(row[3] - 256, row[5]) for row in written] == [
        (2 * lane + half, (100 + lane, 7)[half]) for lane in range(4) for half in range(2)
    ]


@pytest.mark.parametrize("lane, word, changes", [(0, 0, 1), (0, 1, 1), (2, 0, 1), (2, 1, 1), (1, 0, 0), (None, 0, 0)])
def test_a_store_of_what_is_there_already_is_no_progress(lane, word, changes):
    """lane: of which one word in memory is different before; the second takes no part."""
    code = Assembly()
    code.store(A, B, size=8)
    _, cores, tables = bench(code, core__lanes=4)
    core = cores[0]
    registers = core.registers[0]
    registers.active[:3], core.warps.lanes = (1, 0, 1), 3
    registers.lane[B, :3], registers.lane[B + 1, :3] = (10, 11, 12), (20, 21, 22)
    core.access.address[:3] = 8, 16, 24
    tables.memory = np.array([0, 0, 10, 20, 11, 21, 12, 22], np.uint32)
    if lane is not None:
        tables.memory[2 + 2 * lane + word] = 99
    access_wide(core, 0, tables, 0, IN_TABLES)
    assert core.access.changed == changes
    assert tables.memory.tolist() == [0, 0, 10, 20, 99 if lane == 1 else 11, 21, 12, 22]
