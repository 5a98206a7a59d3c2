"""What an access keeps the first-level cache busy with: groups and passes against sets of lines and words, and the cycles that follow."""

import random
from collections import Counter
from types import SimpleNamespace

import numpy as np
import pytest

from tests.machine.core.load_store.test_lsu import at, trial
from tests.machine.programs import FREE, LANE, Assembly, issues
from warploom.machine.core.load_store.cache_banks import note_lookups, note_scattered
from warploom.machine.core.load_store.coalescer import coalesce
from warploom.machine.core.load_store.lsu import Lsu
from warploom.machine.engine.unit import mirror, zeros

LINE, SLOT = 128, 0
X, A = FREE, FREE + 1


def unit(group=8, banks=32, lanes=32):
    (lsu,) = mirror(zeros(1, Lsu))
    lsu.line_shift, lsu.sector_shift, lsu.merge, lsu.in_banks = 7, 5, 1, 1
    lsu.group_shift, lsu.banks, lsu.row_bytes = (group or 64).bit_length() - 1, banks, (banks or 64) * 4
    lsu.all_groups = (1 << -(-lanes // (group or 64))) - 1
    lsu.groups[SLOT], lsu.passes[SLOT], lsu.wanted[SLOT] = 0xDEAD, 77, 77  # of an earlier access
    return lsu


def noted(lsu, addresses, active, size):
    lanes = len(addresses)
    found = int(coalesce(lsu, addresses, active, size, lanes, lsu.line[SLOT], lsu.sectors[SLOT]))
    run = int(active.all() and all(int(address) == int(addresses[0]) + size * lane for lane, address in enumerate(addresses)))
    note_lookups(lsu, SimpleNamespace(run=run), addresses, active, size, lanes, 0, found)
    return {int(lsu.line[SLOT, index]): int(lsu.groups[SLOT, index]) for index in range(found)}


def groups_of(addresses, active, size, group):
    wanted = {}
    for lane, address in enumerate(addresses):
        for byte in range(int(address), int(address) + size if active[lane] else int(address)):
            wanted[byte // LINE] = wanted.get(byte // LINE, 0) | 1 << lane // (group or 64)
    return wanted


def passes_of(addresses, active, size, banks):
    parts = max(size // 4, 1)
    lanes = len(addresses)
    passes = 0
    for first in range(0, lanes, lanes // parts):
        here = range(first, first + lanes // parts)
        words = {
            word for lane in here if active[lane] for word in range(int(addresses[lane]) // 4, (int(addresses[lane]) + size - 1) // 4 + 1)
        }
        passes += max(Counter(word % banks for word in words).values(), default=0)
    return passes


@pytest.mark.parametrize("size", [1, 4, 8])
@pytest.mark.parametrize("group, banks", [(8, 32), (16, 32), (0, 32), (8, 16), (8, 0)])
def test_each_group_looks_its_lines_up_and_words_that_share_a_bank_take_turns(group, banks, size):
    chosen = random.Random(group * banks + size)
    for _ in range(25):
        lsu = unit(group, banks)
        step = chosen.choice([0, size, size, 2 * size, 3 * size, 68, 128, 132])
        addresses = (
            [1024 + lane * step for lane in range(32)] if chosen.random() < 0.7 else [chosen.randrange(1 << 10) * size for _ in range(32)]
        )
        active = [chosen.random() < 0.8 or step == size for _ in range(32)]
        addresses, active = np.array(addresses, np.uint32), np.array(active, np.uint32)
        assert noted(lsu, addresses, active, size) == groups_of(addresses, active, size, group)
        if banks:
            assert lsu.passes[SLOT] == passes_of(addresses, active, size, banks)


def test_words_that_follow_one_another_in_an_instruction_lie_in_different_banks():
    """A row of four words per lane is four passes, not four for each of its micro-ops; lines are looked up once for each group."""
    lsu, active = unit(), np.ones(32, np.uint32)
    found = 0
    for number in range(4):
        addresses = np.array([16 * lane + 4 * number for lane in range(32)], np.uint32)
        found = found or int(coalesce(lsu, addresses, active, 4, 32, lsu.line[SLOT], lsu.sectors[SLOT]))
        note_lookups(lsu, SimpleNamespace(run=0), addresses, active, 4, 32, 0 if number == 0 else found, found)
    assert found == 4
    assert lsu.passes[SLOT] == 4
    assert lsu.groups[SLOT, :4].tolist() == [1, 2, 4, 8]


@pytest.mark.parametrize("size", [1, 2, 4, 8])
@pytest.mark.parametrize("lanes, line, banks", [(32, 128, 32), (16, 128, 32), (64, 256, 32), (64, 128, 64), (16, 64, 4), (8, 64, 0)])
def test_lanes_side_by_side_are_noted_like_those_that_lie_anyhow(lanes, line, banks, size):
    """A whole warp in one line, wherever it begins there, as the short way and the long way note it."""
    active = np.ones(lanes, np.uint32)
    for first in range(1024, 1024 + line - lanes * size + 1, size):
        addresses = np.arange(first, first + lanes * size, size, dtype=np.uint32)
        found = []
        for note in (note_lookups, lambda lsu, access, *rest: note_scattered(lsu, *rest)):
            lsu = unit(8, banks, lanes)
            lsu.line_shift = line.bit_length() - 1
            assert coalesce(lsu, addresses, active, size, lanes, lsu.line[SLOT], lsu.sectors[SLOT]) == 1
            note(lsu, SimpleNamespace(run=1), addresses, active, size, lanes, 0, 1)
            found.append((lsu.groups[SLOT, 0], *((lsu.passes[SLOT], lsu.wanted[SLOT]) if banks else ())))
        assert found[0] == found[1], first


@pytest.mark.parametrize("size, count", [(1, 4), (1, 8), (2, 2), (2, 8), (4, 2), (4, 4)])
@pytest.mark.parametrize("of_a_lane", [True, False])
def test_parts_of_a_word_that_a_bundle_takes_one_after_the_other_are_one_word(size, count, of_a_lane):
    """Each lane reads so many items; those of a lane lie side by side, or those of a micro-op. As many passes as their words fill rows."""
    lsu, active, found = unit(), np.ones(32, np.uint32), 0
    words = set()
    for number in range(count):
        first = [lane * size * count + number * size if of_a_lane else lane * size + number * 32 * size for lane in range(32)]
        words |= {byte // 4 for start in first for byte in range(start, start + size)}
        addresses = np.array(first, np.uint32)
        before = found
        found = before or int(coalesce(lsu, addresses, active, size, 32, lsu.line[SLOT], lsu.sectors[SLOT]))
        if before and not of_a_lane:  # the lines of the later ones, too
            lines = sorted({*lsu.line[SLOT, :before].tolist(), *(start // LINE for start in first)})
            lsu.line[SLOT, : len(lines)], found = lines, len(lines)
        run = int(number == 0 and (not of_a_lane or count == 1))
        note_lookups(lsu, SimpleNamespace(run=run), addresses, active, size, 32, before, found)
    assert lsu.passes[SLOT] == -(-len(words) // 32)


def strided(stride, count):
    """Loads of words so far apart, all of which hit but for the first; then one that needs the last."""
    code = Assembly()
    code.op("mul", X, LANE, imm=4 * stride)
    for number in range(count + 1):
        code.load(A + number, X)
        if number == 0:
            code.op("add", A, A, imm=0)
    code.op("add", A, A + count, imm=0)
    code("exit")
    return code


SHAPE = {"core__lanes": 32, "threads": 32, "l1__bytes": 65536, "l1__line": 128, "lsu__sector": 32, "lsu__ports": 4, "lsu__queue": 16,
         "memory__bytes": 65536, "l2__bytes": 0}  # fmt: skip


@pytest.mark.parametrize("engine", ["python", "native"])
@pytest.mark.parametrize(
    "stride, cycles",
    [(1, 1), (2, 2), (3, 1.5), (4, 4), (5, 2), (7, 2.5), (8, 8), (9, 2.75), (16, 16), (17, 4.5), (31, 7.75), (32, 32), (33, 8)],
)
def test_a_stride_costs_its_lookups_or_its_bank_conflicts(stride, cycles, engine):
    """The costs that gpu-benches measures on an A100, within an eighth."""

    def end(count):
        result = trial(strided(stride, count), engine=engine, lsu__group=8, l1__banks=32, **SHAPE)
        return at(result, len(list(strided(stride, count).program(threads=32).code)) - 1)

    assert end(24) - end(8) == pytest.approx(16 * cycles, abs=1)


def test_without_groups_and_banks_a_line_is_looked_up_once_and_its_data_take_no_time():
    ends = {}
    for stride in (1, 2, 32):
        result = trial(strided(stride, 1), **SHAPE)
        ends[stride] = max(time for time, *_ in issues(result))
    assert ends[2] == ends[1]
    assert ends[32] > ends[1]


def test_the_data_are_there_after_the_last_pass():
    """Eight lanes' words in one bank: the load that needs them waits seven cycles longer."""
    ends = [at(trial(strided(8, 1), lsu__group=8, l1__banks=banks, **SHAPE), 5) for banks in (0, 32)]
    assert ends[1] - ends[0] == 8 - 2  # without banks the lines of eight, two lookups each group, take two cycles
