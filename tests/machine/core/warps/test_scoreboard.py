"""The scoreboard against bits that are set at issue and cleared by the write-back."""

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.machine.two_engines import both
from warploom.isa.uop import CODE_COLUMNS, REGISTERS, SCALAR_GROUP, SCALARS, USE, USES, WRITES
from warploom.machine.accounting.reasons import LONG_SCOREBOARD, WAIT
from warploom.machine.core.warps.scoreboard import Scoreboard, blocking_group, clear, mark_busy, ready_at
from warploom.machine.engine.unit import FOREVER, mirror, unit, zeros

LANES, WARPS = 4, 2
ISSUE, LAND, START = range(3)


@unit
def drive(boards, code, steps, answers):
    """Rows of `steps`: kind, cycle, warp, pc, mask, until. An ISSUE locks when it can; `answers`: the group in its way, until when, why."""
    board = boards[0]
    for k in range(steps.shape[0]):
        kind, now, warp, pc = steps[k, 0], steps[k, 1], steps[k, 2], steps[k, 3]
        mask, until = np.uint64(steps[k, 4]), steps[k, 5]
        if kind == START:
            clear(board, warp, now)
        elif kind == LAND:
            mark_busy(board, code, warp, pc, mask, LANES, until, LONG_SCOREBOARD)
        else:
            group, time = blocking_group(board, code, warp, pc, mask, LANES, now)
            answers[k, 0] = group
            if group >= 0:
                answers[k, 1] = time
                answers[k, 2] = board.reason[warp, group]
            else:
                mark_busy(board, code, warp, pc, mask, LANES, until, LONG_SCOREBOARD if until == FOREVER else WAIT)


def code_of(instructions):
    """Instruction rows from (groups written, groups read)."""
    code = np.zeros((len(instructions), CODE_COLUMNS), np.int32)
    for row, (written, read) in zip(code, instructions, strict=True):
        groups = [*written, *(group for group in read if group not in written)]
        row[USES], row[WRITES] = len(groups), len(written)
        row[USE : USE + len(groups)] = groups
    return code


class Bits:
    """Which (warp, group, lane) is locked until when; without lanes, a lock holds for all of them."""

    def __init__(self, by_lane):
        self.by_lane, self.until = by_lane, {}

    def lanes(self, group, mask):
        return [lane for lane in range(LANES) if mask >> lane & 1] if self.by_lane and group < 128 else [0]

    def latest(self, warp, group, mask):
        return max((self.until.get((warp, group, lane), 0) for lane in self.lanes(group, mask)), default=0)

    def mark_busy(self, warp, groups, mask, until):
        self.until.update({(warp, group, lane): until for group in groups for lane in self.lanes(group, mask)})

    def clear(self, warp):
        self.until = {key: value for key, value in self.until.items() if key[0] != warp}


groups = st.lists(st.sampled_from([0, 1, 2, 127, 128, SCALAR_GROUP]), max_size=3, unique=True)
masks = st.integers(1, (1 << LANES) - 1)


@st.composite
def scenarios(draw):
    """(by_lane, instructions, steps, expected answers): the steps are what a machine could do, as decided by the bits."""
    by_lane = draw(st.booleans())
    instructions = draw(st.lists(st.tuples(groups, groups), min_size=1, max_size=4))
    bits, steps, expected, now, flying = Bits(by_lane), [], [], 0, []
    for _ in range(draw(st.integers(0, 30))):
        now += draw(st.integers(0, 4))
        kind = draw(st.sampled_from([ISSUE, ISSUE, ISSUE, LAND, START]))
        if kind == ISSUE:
            warp, pc, mask = draw(st.integers(0, WARPS - 1)), draw(st.integers(0, len(instructions) - 1)), draw(masks)
            until = draw(st.sampled_from([FOREVER, now + 1, now + 3, now + 9]))
            written, read = instructions[pc]
            worst = max((bits.latest(warp, group, mask) for group in {*written, *read}), default=0)
            if worst <= now:
                bits.mark_busy(warp, written, mask, until)
                if until == FOREVER and written:
                    flying.append((warp, pc, mask))
            steps.append((ISSUE, now, warp, pc, mask, until))
            expected.append(worst if worst > now else None)
        elif kind == LAND and flying:
            warp, pc, mask = flying.pop(draw(st.integers(0, len(flying) - 1)))
            until = now + draw(st.integers(0, 3))
            bits.mark_busy(warp, instructions[pc][0], mask, until)
            steps.append((LAND, now, warp, pc, mask, until))
            expected.append(None)
        elif kind == START:
            warp = draw(st.integers(0, WARPS - 1))
            bits.clear(warp)
            flying = [one for one in flying if one[0] != warp]
            steps.append((START, now, warp, 0, 0, 0))
            expected.append(None)
    return by_lane, instructions, steps, expected


def run(by_lane, instructions, steps):
    boards = zeros(1, Scoreboard)
    boards["by_lane"], boards["groups"], boards["scalars"] = by_lane, REGISTERS, SCALARS
    rows = np.array(steps, np.int64).reshape(-1, 6)
    _, after = both(drive, boards, code_of(instructions), rows, np.zeros((len(rows), 3), np.int64))
    return after[3].tolist(), after[0][0]


@settings(max_examples=150, deadline=None)
@given(scenarios())
def test_agrees_with_bits(scenario):
    by_lane, instructions, steps, expected = scenario
    answers, _ = run(by_lane, instructions, steps)
    for step, answer, until in zip(steps, answers, expected, strict=True):
        if step[0] == ISSUE:
            assert (answer[1] if answer[0] >= 0 else None) == until
            if until is not None:
                assert answer[0] in {*instructions[step[3]][0], *instructions[step[3]][1]}


def test_raw_and_waw_wait_and_war_does_not():
    produce, consume, rewrite, unrelated = ([1], [2]), ([3], [1]), ([1], []), ([2], [4])
    steps = [(ISSUE, 0, 0, 0, 15, 10), *((ISSUE, 1, 0, pc, 15, 2) for pc in (1, 2, 3))]
    answers, _ = run(0, [produce, consume, rewrite, unrelated], steps)
    assert [answer[:2] for answer in answers] == [[-1, 0], [1, 10], [1, 10], [-1, 0]]


def test_a_lock_of_single_lanes_lets_the_others_pass():
    produce, consume = ([1], []), ([], [1])
    steps = [(ISSUE, 0, 0, 0, 0b0011, FOREVER), (ISSUE, 1, 0, 1, 0b1100, 2), (ISSUE, 1, 0, 1, 0b0110, 2)]
    assert [answer[0] for answer in run(1, [produce, consume], steps)[0]] == [-1, -1, 1]
    assert [answer[0] for answer in run(0, [produce, consume], steps)[0]] == [-1, 1, 1]


def test_the_reason_is_that_of_the_lock_that_lasts_longest():
    """One path waits for a load into a register while another path computes into its own lanes of it."""
    write, read = ([1], []), ([], [1])
    steps = [(ISSUE, 0, 0, 0, 0b0011, FOREVER), (ISSUE, 1, 0, 0, 0b1100, 5), (ISSUE, 2, 0, 1, 0b1111, 3)]
    answers, _ = run(1, [write, read], steps)
    assert answers[2] == [1, FOREVER, LONG_SCOREBOARD]


def test_a_warp_that_starts_finds_nothing_locked():
    write, read = ([1, SCALAR_GROUP + 3], []), ([], [1, SCALAR_GROUP + 3])
    lock_both = [(ISSUE, 0, 0, 0, 15, FOREVER), (ISSUE, 0, 1, 0, 15, FOREVER)]
    try_both = [(ISSUE, 4, 0, 1, 15, 5), (ISSUE, 4, 1, 1, 15, 5)]
    answers, left = run(1, [write, read], [*lock_both, (START, 4, 0, 0, 0, 0), *try_both])
    assert [answers[3][0], answers[4][0]] == [-1, 1]
    assert left["last"][0] == 5


@pytest.mark.parametrize("by_lane", [0, 1])
@pytest.mark.parametrize("seed", range(6))
def test_each_lane_of_each_register_is_busy_until_its_own_cycle(seed, by_lane):
    """Against a table of cycles: registers 1 to 3 by lane, a scalar one as a whole."""
    source = random.Random(seed)
    (board,) = mirror(zeros(1, Scoreboard))
    board.by_lane = by_lane
    groups = [1, 2, 3, SCALAR_GROUP]
    code = code_of([([group], []) for group in groups] + [([], [group]) for group in groups] + [([1, 3], []), ([], [1, 2, 3])])
    busy = {group: [0] * LANES for group in groups}
    until_last = 0
    for now in range(80):
        pc, mask = source.choice((0, 1, 2, 3, 8)), source.randrange(1, 1 << LANES)
        until, reason = now + source.choice((1, 2, 9, 20)), 10 + now
        mark_busy(board, code, 1, pc, np.uint64(mask), LANES, until, reason)
        until_last = max(until_last, until)
        for group in (1, 3) if pc == 8 else (groups[pc],):
            whole = not by_lane or group == SCALAR_GROUP
            busy[group] = [until if whole or mask >> lane & 1 else own for lane, own in enumerate(busy[group])]
            assert board.ready[1, group] == max(busy[group])
            if until >= max(busy[group]):
                assert board.reason[1, group] == reason
        for reads, read in ((4, (1,)), (5, (2,)), (6, (3,)), (7, (SCALAR_GROUP,)), (9, (1, 2, 3))):
            for lanes in (1, 1 << LANES - 1, source.randrange(1, 1 << LANES), (1 << LANES) - 1):
                until_of = {}
                for group in read:
                    until_of[group] = max(
                        at for lane, at in enumerate(busy[group]) if not by_lane or group == SCALAR_GROUP or lanes >> lane & 1
                    )
                    assert ready_at(board, code, 1, reads, group, np.uint64(lanes), LANES) == until_of[group]
                latest = max(until_of.values())
                found = blocking_group(board, code, 1, reads, np.uint64(lanes), LANES, now)
                assert found == ((next(group for group in read if until_of[group] == latest), latest) if latest > now else (-1, now))
        assert board.last[1] == until_last
    assert not board.ready[0].any() and not board.last[0]


@pytest.mark.parametrize("by_lane", [0, 1])
def test_for_a_warp_that_starts_no_group_of_no_lane_is_busy_and_others_wait_as_before(by_lane):
    board = zeros((), Scoreboard)
    board["by_lane"], board["ready"], board["lane_ready"], board["last"] = by_lane, FOREVER, FOREVER, 70
    board["groups"], board["scalars"] = 9, 2  # those of the program: nothing asks for the others
    clear(mirror(board), 1, 80)
    used = [*range(9), SCALAR_GROUP, SCALAR_GROUP + 1]
    assert not board["ready"][1, used].any() and (board["ready"][[0, 2]] == FOREVER).all()
    assert not (by_lane and board["lane_ready"][1].any()) and (board["lane_ready"][[0, 2]] == FOREVER).all()
    assert board["last"][:3].tolist() == [70, 80, 70]
