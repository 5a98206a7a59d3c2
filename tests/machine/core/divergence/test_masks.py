"""Program-managed masks against what each lane would do alone.

A lane that runs alone has a stack too, of places only: it takes part in a push when it is active, and a pop brings it back to the
place of the newest entry that it is in. The machine has one stack a warp, of (mask, place).
"""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.machine.two_engines import both
from warploom.isa.uop import NUMBER
from warploom.machine.core.divergence.masks import OK, OVERFLOW, UNDERFLOW, branch_push, mask_nonzero, pop_mask, push_mask
from warploom.machine.core.divergence.path_table import MAX_PATHS, PathTable
from warploom.machine.core.divergence.split_join import join, split
from warploom.machine.core.warps.warp_table import Warps
from warploom.machine.engine.bits import bit
from warploom.machine.engine.unit import unit

PUSH, POP, NONZERO, BRANCH, SPLIT, JOIN = (NUMBER[n] for n in ("push_mask", "pop_mask", "mask_nonzero", "branch_push", "split", "join"))
JUMP, BRANCH_ZERO, DROP, ADD, END = (NUMBER[name] for name in ("jump", "branch", "sub", "add", "exit"))
LANES, WARP, ALL = 6, 2, (1 << 6) - 1


@unit
def walk(stacks, tables, code, values, trace):
    """Run a warp. Rows of `code`: operation, bits of the value that decide, target, second target. Rows of `trace`: pc, mask, entries."""
    stack = stacks[0]
    warps = tables[0]
    issues = 0
    while issues < trace.shape[0]:
        pc = np.int64(warps.pc[WARP])
        mask = warps.mask[WARP]
        op = code[pc, 0]
        trace[issues, 0] = pc
        trace[issues, 1] = np.int64(mask)
        trace[issues, 2] = stack.count[WARP]
        issues += 1
        chosen = np.uint64(0)
        for lane in range(LANES):
            if mask & bit(lane) != np.uint64(0):
                if op == ADD:
                    values[lane] = (values[lane] * 33 + pc + 1) & 0xFFFFFF
                elif op == DROP:
                    values[lane] >>= 1
                elif values[lane] & code[pc, 1] != 0:
                    chosen = chosen | bit(lane)
        outcome = OK
        if op == PUSH:
            outcome = push_mask(stack, warps, WARP, code[pc, 2])
        elif op == POP:
            outcome = pop_mask(stack, warps, WARP)
        elif op == NONZERO:
            outcome = mask_nonzero(stack, warps, WARP, chosen)
        elif op == BRANCH:
            outcome = branch_push(stack, warps, WARP, chosen, code[pc, 2], code[pc, 3])
        elif op == SPLIT:
            outcome = split(stack, warps, WARP, chosen)
        elif op == JOIN:
            outcome = join(stack, warps, WARP)
        elif op == JUMP:
            warps.pc[WARP] = code[pc, 2]
        elif op == BRANCH_ZERO:  # for whole warps: behind a split all active lanes agree
            if chosen != np.uint64(0):
                warps.pc[WARP] += 1
            else:
                warps.pc[WARP] = code[pc, 2]
        elif op == END:
            return issues
        else:
            warps.pc[WARP] += 1
        if outcome != OK:
            return -outcome
    return issues


def run(code, values, limit=MAX_PATHS, mask=ALL):
    stacks, tables = np.zeros(1, PathTable), np.zeros(1, Warps)
    stacks["limit"] = limit
    tables["mask"][0, WARP] = tables["threads"][0, WARP] = mask
    rows = np.array([(*row, 0, 0, 0)[:4] for row in code], np.int64)
    issues, after = both(walk, stacks, tables, rows, np.array(values, np.int64), np.zeros((20000, 3), np.int64))
    return issues, after[3].tolist(), [tuple(row) for row in after[4][: max(issues, 0)].tolist()], after[0][0]


# A structured program is a list of statements: ("add",), ("if", bits, body), ("both", bits, body, other), ("while", bits, body),
# ("call", body). Every loop shifts the value right, so it ends.

statements = st.recursive(
    st.just(("add",)),
    lambda inner: st.one_of(
        st.tuples(st.just("if"), st.integers(1, 255), st.lists(inner, min_size=1, max_size=2)),
        st.tuples(st.just("both"), st.integers(1, 255), st.lists(inner, min_size=1, max_size=2), st.lists(inner, min_size=1, max_size=2)),
        st.tuples(st.just("while"), st.integers(1, 255), st.just([("add",)])),
        st.tuples(st.just("call"), st.lists(inner, min_size=1, max_size=2)),
    ),
    max_leaves=8,
)
programs = st.lists(statements, min_size=1, max_size=4)


class Writer:
    """Writes a structured program with guppy's operations."""

    def __init__(self):
        self.code, self.functions = [], []

    def program(self, body):
        self.block(body)
        self.code.append((ADD,))
        self.code.append((END,))
        for place, body_of in self.functions:  # grows as they are written
            self.code[place] = (JUMP, 0, len(self.code))
            self.block(body_of)
            self.code.append((POP,))
        return self.code

    def block(self, body):
        for statement in body:
            getattr(self, statement[0].replace("if", "if_"))(*statement[1:])

    def hole(self):
        self.code.append(None)
        return len(self.code) - 1

    def add(self):
        self.code.append((ADD,))

    def if_(self, bits, body):
        push = self.hole()
        self.code.append((NONZERO, bits))
        self.block(body)
        self.code.append((POP,))
        self.code[push] = (PUSH, 0, len(self.code))

    def both(self, bits, body, other):
        fork = self.hole()
        self.block(body)
        self.code.append((POP,))
        second = len(self.code)
        self.block(other)
        self.code.append((POP,))
        self.code[fork] = (BRANCH, bits, second, len(self.code))

    def loop(self, bits, body):
        push = self.hole()
        top = len(self.code)
        self.code.append((NONZERO, bits))
        self.block(body)
        self.code.extend([(DROP,)] * 8)
        self.code.append((JUMP, 0, top))
        self.code[push] = (PUSH, 0, len(self.code))

    def call(self, body):
        self.code.append((PUSH, 0, len(self.code) + 2))
        self.functions.append((self.hole(), body))


setattr(Writer, "while", Writer.loop)


class SplitWriter(Writer):
    """The same with Vortex's split and join; both sides of a split run the code behind it, and branch as a whole."""

    def if_(self, bits, body):
        self.both(bits, body, [])

    def both(self, bits, body, other):
        self.code.append((SPLIT, bits))
        skip = self.hole()
        self.block(body)
        out = self.hole()
        self.code[skip] = (BRANCH_ZERO, bits, len(self.code))
        self.block(other)
        self.code[out] = (JUMP, 0, len(self.code))
        self.code.append((JOIN,))


def lane(code, value):
    """One lane with a stack of places of its own; returns its last value."""
    pc, places = 0, []
    while True:
        op, bits, target, second = (*code[pc], 0, 0, 0)[:4]
        decides = value & bits != 0
        if op == END:
            return value
        if op == ADD:
            value, pc = (value * 33 + pc + 1) & 0xFFFFFF, pc + 1
        elif op == DROP:
            value, pc = value >> 1, pc + 1
        elif op == PUSH:
            places.append(target)
            pc += 1
        elif op == BRANCH:
            places.append(second)
            pc = pc + 1 if decides else target
        elif op == SPLIT:
            places.append(None)
            pc += 1
        elif op == JOIN:
            places.pop()
            pc += 1
        elif op == JUMP or (op == BRANCH_ZERO and not decides):
            pc = target
        elif op == BRANCH_ZERO or (op == NONZERO and decides):
            pc += 1
        else:
            pc = places.pop()


values = st.lists(st.integers(0, 255), min_size=LANES, max_size=LANES)
some_lanes = st.integers(1, ALL)


@settings(max_examples=150, deadline=None)
@given(programs, values, some_lanes)
def test_push_pop_and_branch_push_agree_with_single_lanes(body, values, mask):
    code = Writer().program(body)
    issues, got, trace, left = run(code, values, mask=mask)
    assert 0 < issues < 20000
    assert got == [lane(code, value) if mask >> number & 1 else value for number, value in enumerate(values)]
    assert trace[-1] == (trace[-1][0], mask, 0)  # all lanes together, nothing left on the stack
    assert left["count"][WARP] == 0


@settings(max_examples=100, deadline=None)
@given(st.recursive(st.just(("add",)), lambda inner: st.one_of(
    st.tuples(st.just("if"), st.integers(1, 255), st.lists(inner, min_size=1, max_size=2)),
    st.tuples(st.just("both"), st.integers(1, 255), st.lists(inner, min_size=1, max_size=2), st.lists(inner, max_size=2)),
), max_leaves=8), values, some_lanes)  # fmt: skip
def test_split_and_join_agree_with_single_lanes(statement, values, mask):
    code = SplitWriter().program([statement])
    issues, got, trace, left = run(code, values, mask=mask)
    assert 0 < issues < 20000
    assert got == [lane(code, value) if mask >> number & 1 else value for number, value in enumerate(values)]
    assert trace[-1] == (trace[-1][0], mask, 0)
    assert left["count"][WARP] == 0


def steps(code, values, mask=ALL):
    return [(pc, mask) for pc, mask, _ in run(code, values, mask=mask)[2]]


def test_the_true_side_of_br_push_runs_first_and_an_empty_side_costs_nothing():
    code = [(BRANCH, 1, 3, 5), (ADD,), (POP,), (ADD,), (POP,), (END,)]
    assert steps(code, [1, 0, 1, 0, 0, 0]) == [(0, ALL), (1, 0b000101), (2, 0b000101), (3, 0b111010), (4, 0b111010), (5, ALL)]
    assert steps(code, [1] * 6) == [(0, ALL), (1, ALL), (2, ALL), (5, ALL)]
    assert steps(code, [0] * 6) == [(0, ALL), (3, ALL), (4, ALL), (5, ALL)]


def test_mask_nonzero_pops_when_no_lane_is_left():
    code = [(PUSH, 0, 3), (NONZERO, 1), (ADD,), (END,)]
    assert steps(code, [0] * 6) == [(0, ALL), (1, ALL), (3, ALL)]
    assert steps(code, [0, 1, 0, 0, 0, 0])[2] == (2, 0b10)


def test_both_sides_of_a_split_run_from_behind_it_and_a_side_without_lanes_does_not():
    code = SplitWriter().program([("both", 1, [("add",)], [("add",)])])
    places = [pc for pc, _ in steps(code, [1, 0, 0, 0, 0, 0])]
    assert places == [0, 1, 2, 3, 5, 1, 4, 5, 6, 7]
    assert [pc for pc, _ in steps(code, [1] * 6)] == [0, 1, 2, 3, 5, 6, 7]


@pytest.mark.parametrize("operation", [POP, NONZERO, JOIN])
def test_a_pop_of_an_empty_stack_is_reported(operation):
    assert run([(operation, 1)], [0] * 6)[0] == -UNDERFLOW


@pytest.mark.parametrize(("operation", "needed"), [(PUSH, 1), (BRANCH, 2), (SPLIT, 2)])
def test_a_full_stack_is_reported(operation, needed):
    code = [(operation, 1, 1, 1), (END,)]
    values = [1, 0, 0, 0, 0, 0]
    assert run(code, values, limit=needed - 1)[0] == -OVERFLOW
    assert run(code, values, limit=needed)[0] > 0


def test_lanes_that_have_ended_do_not_come_back():
    stacks, tables = np.zeros(1, PathTable), np.zeros(1, Warps)
    stacks["limit"] = 4
    tables["mask"][0, WARP], tables["threads"][0, WARP] = ALL, 0b000111
    rows = np.array([(PUSH, 0, 2, 0), (POP, 0, 0, 0), (END, 0, 0, 0)], np.int64)
    _, after = both(walk, stacks, tables, rows, np.zeros(6, np.int64), np.zeros((9, 3), np.int64))
    assert after[1][0]["mask"][WARP] == 0b000111
