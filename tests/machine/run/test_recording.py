"""The book of changes: replayed, it gives the machine's own last state, and it does not disturb the run."""

from dataclasses import replace

import numpy as np
import pytest

import warploom
from tests.machine.programs import BLOCK, FREE, Assembly, config
from tests.places import EXAMPLES
from warploom.isa.uop import IMMEDIATE, MEMORY, SHARED, SHARED_SPACE, WIDE, scalar
from warploom.machine.accounting import events as e
from warploom.machine.core.core import Core
from warploom.machine.core.divergence.path_table import AT_BARRIER, AT_RECONVERGENCE, AT_SYNC, READY, RECONVERGENCE, STACKED
from warploom.machine.core.warps.barrier import CORE_BARRIERS, GRID_BARRIER, MAX_BARRIERS, WHOLE_WARP
from warploom.machine.engine.unit import zeros
from warploom.machine.run import recording as r
from warploom.machine.run.driver import drive
from warploom.machine.run.recording import Recorder

CASES = [
    ("tiny/matadd.asm", "tiny-simt", {}),
    ("tiny/diverge.asm", "tiny-simt", {"core.divergence": "stack"}),
    ("tiny/diverge.asm", "tiny-simt", {"core.divergence": "its"}),
    ("tiny/reduction_shared.asm", "tiny-simt", {"core.divergence": "stack"}),
    ("tiny/histogram.asm", "tiny-simt", {"core.divergence": "stack"}),
    ("guppy/if_else.guppy", "guppy", {}),
]


@pytest.mark.parametrize(("file", "preset", "changes"), CASES)
def test_the_changes_lead_from_the_first_state_to_the_last(file, preset, changes):
    program = warploom.load(EXAMPLES / file)
    gpu = warploom.GPU(preset, set=changes, engine="python")
    plain, result = gpu.run(program), gpu.run(program, recording=True)
    assert (result.cycles, result.counters) == (plain.cycles, plain.counters)
    assert np.array_equal(result.memory, plain.memory)
    book = result.detail.recording
    assert book.until == result.cycles
    registers = np.zeros_like(result.detail.registers)
    for (_, core, warp, register), values in zip(book.registers, book.values, strict=True):
        registers[core, warp, register] = values
    assert np.array_equal(registers, result.detail.registers)
    memory = result.initial_memory.view("<u4").copy()
    for row in book.memory:
        assert memory[row[r.WORD]] == row[r.OLD] != row[r.NEW]
        memory[row[r.WORD]] = row[r.NEW]
    assert np.array_equal(memory, result.memory.view("<u4"))
    for table in (book.registers, book.memory, book.shared, book.paths):
        assert np.all(np.diff(table[:, r.TIME]) >= 0)


def test_a_divergent_branch_puts_paths_aside_and_takes_them_up_again():
    program = warploom.load(EXAMPLES / "tiny/diverge.asm")
    result = warploom.GPU("tiny-simt", set={"core.divergence": "stack"}, engine="python").run(program, recording=True)
    paths = result.detail.recording.paths
    assert len(paths)
    assert set(paths[:, r.KIND][paths[:, r.LEVEL] != r.EMPTY]) == {r.ON_STACK}
    for core, warp in {(row[r.CORE], row[r.WARP]) for row in paths}:
        mine = paths[(paths[:, r.CORE] == core) & (paths[:, r.WARP] == warp)]
        assert mine[-1, r.LEVEL] == r.EMPTY
    everything = (1 << result.config.core.lanes) - 1
    assert all(0 < row[r.MASK] <= everything for row in paths if row[r.LEVEL] != r.EMPTY)


@pytest.mark.parametrize(
    ("state", "kind", "pc", "number"),
    [
        (READY, r.IS_READY, 9, -1),
        (AT_RECONVERGENCE, r.IS_AT_RECONVERGENCE, 9, -1),
        (AT_SYNC, r.IS_AT_RECONVERGENCE, 9, -1),
        (STACKED, r.ON_STACK, 9, 20),
        (RECONVERGENCE, r.ON_STACK, 9, 20),
        (AT_BARRIER, r.IS_AT_BARRIER, 9, 0),
        (AT_BARRIER + MAX_BARRIERS - 1, r.IS_AT_BARRIER, 9, MAX_BARRIERS - 1),
        (AT_BARRIER + CORE_BARRIERS, r.IS_AT_CORE_BARRIER, 9, 0),
        (AT_BARRIER + CORE_BARRIERS + 3, r.IS_AT_CORE_BARRIER, 9, 3),
        (AT_BARRIER + GRID_BARRIER, r.IS_AT_GRID_BARRIER, 9, -1),
        (AT_BARRIER + WHOLE_WARP, r.IS_OF_WHOLE_WARP, 8, -1),  # the instruction itself: they have not executed it
    ],
)
def test_what_a_path_waits_for_is_told(state, kind, pc, number):
    core = zeros((), Core)
    table = core["path_table"]
    table["count"][1], table["mask"][1, 0], table["pc"][1, 0], table["state"][1, 0], table["reconvergence_pc"][1, 0] = 1, 6, 9, state, 20
    assert r._kinds(core, 1) == [(kind, 6, pc, number)]
    core["mask_stack"][...] = table
    assert r._kinds(core, 1)[1][0] == r.ON_MASK_STACK
    assert r._kinds(core, 0) == []


def test_each_word_names_the_warp_that_wrote_it():
    text = ".threads 8\nADD R0, R13, R13\nADD R0, R0, R0\nADD R0, R0, R15\nCONST R1, #7\nADD R1, R1, R13\nSTR R0, R1\nRET\n"
    program = warploom.tiny.assemble(text)
    result = warploom.GPU("tiny-simt", set={"gpu.cores": 1}, engine="python").run(program, recording=True)
    book = result.detail.recording
    written = {int(row[r.WORD]): (int(row[r.CORE]), int(row[r.WARP])) for row in book.memory}
    launched = book.registers[book.registers[:, 3] == 13]  # blockIdx, written at the launch of block 1 only: block 0's is 0
    assert set(launched[:, r.WARP]) <= {1}
    assert written == {0: (0, 0), 1: (0, 1)}


def test_a_full_book_is_closed_and_the_run_goes_on():
    program = warploom.load(EXAMPLES / "tiny/matmul.asm")
    machine = warploom.GPU("tiny-simt", engine="python").machine(program, recording=True)
    machine.recorder = Recorder(machine, most_bytes=500)
    result = machine.finish(drive(machine, engine="python"))
    book = result.detail.recording
    assert result.status == "done"
    assert 0 < book.until < result.cycles
    assert np.array_equal(result.memory, warploom.GPU("tiny").run(program).memory)


ADDRESS, VALUE = FREE, FREE + 1


def writers(size, apart):
    """By word of memory the warp that wrote it, of two warps that store in one cycle, from two cores, so many bytes apart."""
    code = Assembly()
    code.op("mul", ADDRESS, BLOCK, imm=apart)
    code.op("add", VALUE, BLOCK, imm=5)
    code.op("add", VALUE + 1, BLOCK, imm=9)
    code.store(ADDRESS, VALUE, size=size)
    code("exit")
    gpu = warploom.GPU(config(gpu__cores=2, core__lanes=1, core__threads_per_block=1), engine="python")
    result = gpu.run(code.program(threads=2, block=1), recording=True)
    book = result.detail.recording
    assert len(set(book.memory[:, r.TIME].tolist())) == 1
    return {int(row[r.WORD]): int(row[r.CORE]) for row in book.memory}


def test_words_that_two_cores_write_in_one_cycle_each_name_their_own():
    assert writers(size=4, apart=4) == {0: 0, 1: 1}
    assert writers(size=WIDE, apart=8) == {0: 0, 1: 0, 2: 1, 3: 1}


@pytest.mark.parametrize("size, words", [(4, 1), (5, 2), (6, 2), (7, 2), (8, 2), (9, 3), (24, 6)])
def test_all_words_of_memory_are_watched_and_none_of_the_threads_own_after_it(size, words):
    code = Assembly()
    code("exit")
    machine = warploom.GPU(config(), engine="python").machine(code.program(), recording=True)
    machine.memory_bytes = size
    machine.memory[:8] = 7
    machine.recorder._note_memory(5, [(0, 2, 0)])
    assert machine.recorder.recording().memory[:, r.WORD].tolist() == list(range(words))


def written(program=None, **changes):
    """A machine that records, before its first cycle, and its recorder."""
    code = Assembly()
    code("exit")
    machine = warploom.GPU(config(core__lanes=4, core__warps=3, **changes), engine="python").machine(
        program or code.program(), recording=True
    )
    return machine, machine.recorder


def test_a_state_in_mid_run_is_that_of_every_warp_slot_with_the_cycle_before():
    """Two cores of three slots; what is 0 is not written down, whatever was seen before."""
    code = Assembly()
    code("mov", dst=scalar(0), a=scalar(1))
    code("exit")
    machine, recorder = written(replace(code.program(), scalars=2), gpu__cores=2)
    registers = machine.cores["registers"]
    recorder._lane_before[...], recorder._scalar_before[...], recorder._shared_before[...] = 9, 9, 9
    for core in range(2):
        for warp in range(3):
            registers["lane"][core, warp, FREE] = 100 * core + warp + 1
            registers["scalar"][core, warp, 1] = 10 * core + warp + 1
    machine.cores["shared"][1, 2] = 5
    machine.gpu["now"], machine.gpu["log"]["rows"] = 40, 7
    recorder.record_state()
    book = recorder.recording()
    assert book.registers.tolist() == [[39, core, warp, FREE] for core in range(2) for warp in range(3)]
    assert book.values[:, 0].tolist() == [1, 2, 3, 101, 102, 103]
    assert book.scalars.tolist() == [[39, core, warp, 1, 10 * core + warp + 1] for core in range(2) for warp in range(3)]
    assert book.shared.tolist() == [[39, 1, 0, 2, 0, 5]]
    assert recorder._seen == 7
    recorder.drained()
    assert recorder._seen == 0
    recorder.record_state()
    assert recorder.bytes > 0


def test_registers_beyond_those_of_the_program_are_not_written_down():
    machine, recorder = written()
    machine.cores["registers"]["lane"][0, 0, machine.program.registers :] = 7
    machine.cores["registers"]["lane"][0, 0, machine.program.registers - 1] = 6
    recorder.record_state()
    assert recorder.recording().registers[:, 3].tolist() == [machine.program.registers - 1]


def test_what_may_write_to_a_memory_is_what_is_of_its_unit_and_no_load():
    code = Assembly()
    code.op("add", FREE, FREE, imm=1)
    code.load(FREE, FREE)
    code.store(FREE, FREE)
    code("atomic_add", dst=FREE, a=FREE, b=FREE)
    code("load_scalar", dst=scalar(0), a=IMMEDIATE, imm=0)
    code.load(FREE, FREE, space=SHARED_SPACE)
    code.store(FREE, FREE, space=SHARED_SPACE)
    code.bundle({"name": "load", "dst": FREE, "a": FREE}, {"name": "store", "a": FREE, "b": FREE})
    code("exit")
    program = code.program()
    assert r.writers(program.uops, program.code, MEMORY).tolist() == [False, False, True, True, False, False, False, True, False]
    assert r.writers(program.uops, program.code, SHARED).tolist() == [False] * 6 + [True, False, False]


@pytest.mark.parametrize(("cores", "warps"), [(None, None), ({1}, None), (None, {0, 2}), ({1}, {0})])
def test_a_selection_keeps_its_warps_what_is_of_their_cores_and_what_cores_share(cores, warps):
    """Every kind of event, of every warp: events of a fill and of a block are of a core, those of the second level and of memory of all."""
    chosen = r.Selection(cores and frozenset(cores), warps and frozenset(warps))
    kinds = sorted({value for name, value in vars(e).items() if name in ("ISSUE", "LAUNCH", "FILL", "BLOCK", "L2", "MEMORY", "BARRIER")})
    rows = np.zeros((len(kinds) * 6, e.EVENT_COLUMNS), np.int64)
    rows[:, [e.KIND, e.CORE, e.WARP]] = [(kind, core, warp) for kind in kinds for core in range(2) for warp in range(3)]
    expected = []
    for row in rows.tolist():
        kind, of_core = row[e.KIND], cores is None or row[e.CORE] in cores
        of_warp = warps is None or row[e.WARP] in warps or kind in (e.FILL, e.BLOCK)
        if kind in (e.L2, e.MEMORY) or (of_core and of_warp):
            expected.append(row)
    assert chosen.of_events(rows).tolist() == expected
    for core in range(2):
        for warp in range(3):
            assert chosen.has(core, warp) == ((cores is None or core in cores) and (warps is None or warp in warps))
