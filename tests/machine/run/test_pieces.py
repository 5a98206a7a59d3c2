"""A run in pieces against the same run written down at once."""

import itertools
import tracemalloc

import numpy as np
import pytest

import warploom
from tests.places import EXAMPLES
from warploom.machine.accounting import events as e
from warploom.machine.accounting.status import LIMIT
from warploom.machine.run import pieces as module
from warploom.machine.run import recording as r
from warploom.machine.run.compile import entry_call
from warploom.machine.run.pieces import pieces
from warploom.machine.run.recording import Recorder, Selection

LEAD = 64  # a power of two as the real one, but for a short run
# Every thread counts to 90 and stores each number, in a loop that half of the lanes leave early; some thousand cycles.
LONG = """
.threads 8
CONST R1, #0
CONST R2, #1
CONST R3, #50
CONST R5, #90
CONST R6, #2
DIV R7, %threadIdx, R6
MUL R7, R7, R6
SUB R7, %threadIdx, R7
MUL R7, R7, R3
SUB R5, R5, R7
LOOP:
ADD R1, R1, R2
ADD R8, %threadIdx, R3
STR R8, R1
CMP R1, R5
BRn LOOP
RET
"""


def long_run(tmp_path, **how):
    file = tmp_path / "long.asm"
    file.write_text(LONG)
    return warploom.GPU("tiny-simt", set={"gpu.cores": 1}, engine="python").run(warploom.load(file), **how)


def within(rows, first, stop):
    return rows[(rows[:, e.TIME] >= first) & (rows[:, e.TIME] < stop)]


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    return long_run(tmp_path_factory.mktemp("long"), recording=True)


@pytest.fixture(scope="module", autouse=True)
def short_pieces():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "LEAD", LEAD)
        yield


@pytest.fixture(scope="module")
def found(short_pieces, tmp_path_factory):
    return list(pieces(long_run(tmp_path_factory.mktemp("long")), piece_bytes=1))


def test_the_pieces_are_the_whole_run(whole, found):
    assert len(found) > 3
    assert found[0].first == 0
    assert found[-1].stop == whole.cycles
    assert all(one.stop == other.first for one, other in itertools.pairwise(found))
    for piece in found:
        assert piece.begins == max(piece.first - LEAD, 0)
        assert piece.ends == min(piece.stop + LEAD, whole.cycles)
        assert piece.stop % LEAD == 0 or piece is found[-1]


def test_the_events_are_those_of_the_whole_run(whole, found):
    """But the launches and the ends of spans that stand for what goes on at a piece's first and last cycle."""
    for piece in found:
        rows = within(piece.result.detail.events, piece.first, piece.stop)
        assert np.array_equal(rows, within(whole.detail.events, piece.first, piece.stop))
        launched = piece.result.detail.events[piece.result.detail.events[:, e.KIND] == e.LAUNCH].tolist()
        assert launched and len(launched) == len(set(map(tuple, launched)))


def test_what_is_recorded_leads_to_the_same_state(whole, found):
    """Registers and memory as they are after a cycle in the middle of each piece."""
    for piece in found:
        cycle = (piece.first + piece.stop) // 2
        assert piece.result.detail.recording.until > cycle
        expected, told = (state_after(result, cycle) for result in (whole, piece.result))
        for one, other in zip(expected, told, strict=True):
            assert np.array_equal(one, other)


def state_after(result, cycle):
    book = result.detail.recording
    registers = np.zeros_like(result.detail.registers)
    for row, values in zip(book.registers, book.values, strict=True):
        if row[r.TIME] <= cycle:
            registers[row[r.CORE], row[r.WARP], row[r.REGISTER]] = values
    memory = result.initial_memory.view("<u4").copy()
    for row in book.memory[book.memory[:, r.TIME] <= cycle]:
        memory[row[r.WORD]] = row[r.NEW]
    return registers, memory


def test_a_stretch_with_more_events_than_the_buffer_holds(whole, tmp_path, monkeypatch):
    result = long_run(tmp_path)
    monkeypatch.setattr("warploom.machine.device.machine.EVENT_ROWS", 5)
    (piece,) = pieces(result, 500, 600)
    assert np.array_equal(within(piece.result.detail.events, 500, 600), within(whole.detail.events, 500, 600))
    for one, other in zip(state_after(whole, 560), state_after(piece.result, 560), strict=True):
        assert np.array_equal(one, other)


def test_a_stretch_in_the_middle(whole, tmp_path):
    (piece,) = pieces(long_run(tmp_path), 500, 600)
    assert (piece.first, piece.stop, piece.begins, piece.ends) == (500, 600, 500 - LEAD, 600 + LEAD)
    assert np.array_equal(within(piece.result.detail.events, 500, 600), within(whole.detail.events, 500, 600))


def test_progress_is_told_on_the_way_to_a_stretch_too(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "FORWARD", 200)
    told = []
    next(pieces(long_run(tmp_path), 700, 750, progress=told.append))
    assert told[:4] == [200, 400, 600, 700 - LEAD]


def test_what_a_piece_finds_when_it_begins_has_the_cycle_before_it(monkeypatch):
    """Registers and shared memory, which have been written by then."""
    monkeypatch.setattr(module, "LEAD", 8)
    result = warploom.GPU("tiny-simt", engine="python").run(warploom.load(EXAMPLES / "tiny" / "reduction_shared.asm"))
    begins = result.cycles // 2
    (piece,) = pieces(result, begins + 8, begins + 9)
    book = piece.result.detail.recording
    for table in (book.registers, book.shared):
        found = table[table[:, r.TIME] < begins]
        assert len(found) > 1 and set(found[:, r.TIME].tolist()) == {begins - 1}


def test_only_some_warps(tmp_path):
    (piece,) = pieces(long_run(tmp_path), 0, 300, selection=Selection(None, frozenset([1])))
    rows = piece.result.detail.events
    assert set(rows[rows[:, e.KIND] == e.ISSUE, e.WARP]) == {1}
    assert set(piece.result.detail.recording.registers[:, r.WARP]) == {1}
    with_all = next(pieces(long_run(tmp_path), 0, 300)).result.detail.recording
    assert np.array_equal(piece.result.detail.recording.memory, with_all.memory)  # memory is everybody's


def record(recorder: Recorder, call) -> None:
    """Cycle by cycle, until the recorder's bound is reached."""
    machine = recorder.machine
    machine.recorder = recorder
    code = LIMIT
    with np.errstate(all="ignore"):
        while recorder.open and code == LIMIT:
            code = call(machine.cycle + 1)
            recorder.record_cycle()


def test_a_recording_takes_the_memory_that_it_says(tmp_path):
    """Measured: the tables while they grow, and the bound at which it stops. Grown tables have an eighth of room to spare."""
    file = tmp_path / "long.asm"
    file.write_text(LONG.replace("#90", "#200"))
    machine = warploom.GPU("tiny-simt", set={"gpu.cores": 1}, engine="python").machine(warploom.load(file), recording=True)
    bound = 16_000
    call = entry_call(machine, "python")
    record(Recorder(machine, most_bytes=bound // 2), call)  # makes what is made once: views of the machine's records, caches
    recorder = Recorder(machine, most_bytes=bound)
    tracemalloc.start(10)
    record(recorder, call)
    ours = tracemalloc.Filter(inclusive=True, filename_pattern=r.__file__, all_frames=True)
    taken = sum(trace.size for trace in tracemalloc.take_snapshot().filter_traces([ours]).traces)  # not of other threads
    tracemalloc.stop()
    assert bound < recorder.bytes < 1.1 * bound
    assert bound < taken < 2.5 * bound
