"""Transactions of several micro-ops of one instruction: a line that is asked for already is not asked for again."""

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.machine.programs import FREE, LANE, Assembly, run
from tests.machine.two_engines import both
from warploom.machine.core.load_store import bundle_transactions
from warploom.machine.core.load_store.bundle_transactions import append, collect_halves, note_written_bytes
from warploom.machine.engine.unit import record, unit
from warploom.machine.memory.transactions import LOAD, STORE

ADDRESS = FREE
LANES = 8
ROOM = 64
Unit = record(
    settings=dict(merge="i8", line_shift="i8", sector_shift="i8", used="u8", line=("i8", (2, ROOM)), sectors=("u8", (2, ROOM))),
)


@unit
def drive(lsu, first, second, active, size):
    count = append(lsu[0], first, active, size, np.int64(8), np.int64(0))
    return append(lsu[0], second, active, size, np.int64(8), count)


def transactions(first, second, merge=1):
    """Of two micro-ops of four bytes a lane, with lines of 128 bytes and sectors of 32: [(line, sectors), ...]."""
    lsu = np.zeros(1, Unit)
    lsu["merge"], lsu["line_shift"], lsu["sector_shift"] = merge, 7, 5
    count, after = both(drive, lsu, np.uint32(first), np.uint32(second), np.full(LANES, 0xFFFFFFFF, np.uint32), 4)
    slot = after[0][0]
    return [(int(line), int(sectors)) for line, sectors in zip(slot["line"][0][:count], slot["sectors"][0][:count], strict=True)]


def test_a_line_of_the_first_micro_op_gains_the_sectors_of_the_second():
    low, high = np.arange(LANES) * 4, np.arange(LANES) * 4 + 64
    assert transactions(low, high) == [(0, 0b0101)]


def test_new_lines_follow_those_that_are_there():
    low = np.arange(LANES) * 4
    assert transactions(low, np.where(np.arange(LANES) < 4, low, low + 256)) == [(0, 1), (2, 1)]


def test_without_merging_every_lane_has_its_own():
    low = np.arange(LANES) * 4
    assert transactions(low, low, merge=0) == [(0, 1)] * (2 * LANES)


@settings(max_examples=40, deadline=None)
@given(*[st.lists(st.integers(0, 255), min_size=LANES, max_size=LANES)] * 2)
def test_all_sectors_of_both_and_each_line_once(first, second):
    found = transactions(np.array(first) * 4, np.array(second) * 4)
    wanted: dict[int, int] = {}
    for word in first + second:
        wanted[word // 32] = wanted.get(word // 32, 0) | 1 << word % 32 // 8
    assert dict(found) == wanted and len(found) == len(wanted)
    lines = list(dict.fromkeys(word // 32 for word in first + second))
    assert [line for line, _ in found] == lines


@pytest.mark.parametrize(("lanes", "hits"), [(8, 1), (6, 0)])
def test_a_sector_of_which_a_warp_writes_a_part_is_not_there_for_those_who_read_it(lanes, hits):
    """Lanes write words side by side from a sector's begin on: two sectors of 16 bytes, or one and a half."""
    code = Assembly()
    code.op("shl", ADDRESS, LANE, imm=2)
    code.store(ADDRESS, LANE)
    code("fence")
    code.mov(ADDRESS, 28)
    code.load(ADDRESS + 1, ADDRESS)
    code("exit")
    machine = {"core__lanes": lanes, "core__threads_per_block": lanes, "l1__bytes": 0, "l2__write": "back", "l2__allocate": True}
    result = run(code.program(threads=lanes, block=lanes), **machine)
    assert result.status == "done" and result.counters["l2_hits"] == hits


@pytest.mark.parametrize(
    ("before", "run_", "first", "size", "whole"),
    [
        (0, 1, 64, 4, True),
        (1, 1, 64, 4, False),  # an earlier store of the bundle may have written parts
        (0, 0, 64, 4, False),
        (0, 1, 68, 4, False),
        (0, 1, 65, 4, False),
        (0, 1, 64, 2, False),
        (0, 1, 64, 8, True),
    ],
)
def test_a_run_of_whole_sectors_needs_no_bytes_and_all_else_is_marked_byte_by_byte(monkeypatch, before, run_, first, size, whole):
    """Eight lanes, sectors of 32 bytes; the unit's slot is 3."""
    marked = []
    monkeypatch.setattr(bundle_transactions, "free_slot", lambda lsu: 3)
    monkeypatch.setattr(bundle_transactions, "mark_written", lambda *given: marked.append(given))
    lsu = SimpleNamespace(sector_shift=5, whole=np.zeros((4, 4), np.uint64), sectors=np.full((4, 4), 6, np.uint64))
    core = SimpleNamespace(lsu=lsu, access=SimpleNamespace(run=run_, address=np.array([first] * LANES, np.uint32)))
    registers = SimpleNamespace(active=np.ones(LANES, np.uint32))
    note_written_bytes(core, registers, np.int64(size), LANES, before, 2)
    assert lsu.whole.tolist() == [[0] * 4] * 3 + [[6, 6, 0, 0] if whole else [0] * 4]
    assert [given[:2] + given[4:] for given in marked] == ([] if whole else [(lsu, 3, size, LANES, before, 2)])


@pytest.mark.parametrize("kind", [LOAD, STORE])
@pytest.mark.parametrize("tracks", [0, 1])
@pytest.mark.parametrize("absent", [None, 3])
def test_the_high_halves_lie_a_row_of_the_warp_further_on_and_only_a_store_marks_bytes(kind, tracks, absent):
    """Eight lanes whose low halves fill the second sector of a line of 64 bytes: their high halves fill the first of the next line."""
    lsu = SimpleNamespace(
        merge=1, line_shift=6, sector_shift=5, used=np.uint64(1), tracks_bytes=tracks, in_banks=0,
        line=np.zeros((2, 4), np.int64), **{name: np.zeros((2, 4), np.uint64) for name in ("sectors", "whole")},
        written=np.zeros((2, 4, 4), np.uint64),
    )  # fmt: skip
    row = np.arange(32, 64, 4, dtype=np.uint32)
    active = np.array([lane != absent for lane in range(LANES)], np.uint32) * np.uint32(0xFFFFFFFF)
    assert collect_halves(SimpleNamespace(lsu=lsu, access=SimpleNamespace(address=row)), active, LANES, kind, 0) == 2
    assert row.tolist() == list(range(64, 96, 4))
    assert (lsu.line[1, :2].tolist(), lsu.sectors[1, :2].tolist()) == ([0, 1], [0b10, 0b01])
    marks = kind == STORE and tracks == 1
    assert lsu.whole[1, :2].tolist() == ([0b10, 0b01] if marks and absent is None else [0, 0])
    low = 0xFFFF_FFFF if absent is None else 0xFFFF_0FFF
    assert [int(words[0]) for words in lsu.written[1, :2]] == ([low << 32, low] if marks else [0, 0])
