"""Loops that wait for somebody: locks and flags, and loops that look like them and are none."""

import pytest

from tests.machine.programs import Assembly
from warploom.isa import uop as u
from warploom.isa.analysis.control_flow import Flow
from warploom.isa.analysis.spins import waits, with_yields
from warploom.isa.uop import IMMEDIATE

A, B, C, ZERO, ONE = 5, 6, 7, 8, 9


def loop(*body, condition=A):
    """A loop of these micro-ops, and a branch back while the condition's register is not zero."""
    code = Assembly()
    code.mov(ONE, 1)
    code.label("again")
    for uop in body:
        code(**uop)
    code.branch(condition, "again")
    code("exit")
    return code.program()


def waiting(program):
    flow = Flow(program)
    return [waits(program, flow, loop) for loop in flow.loops]


CAS = {"name": "atomic_cas", "dst": A, "a": ZERO, "b": ZERO, "c": ONE}
EXCHANGE = {"name": "atomic_exchange", "dst": A, "a": ZERO, "b": ONE}
COUNT = {"name": "add", "dst": B, "a": B, "b": IMMEDIATE, "imm": 1}
LOAD = {"name": "load", "dst": A, "a": ZERO}


@pytest.mark.parametrize(
    "body",
    [
        [CAS],
        [EXCHANGE],
        [CAS, COUNT],  # it counts its tries, or waits longer after each
        [{"name": "mov", "dst": ONE, "a": IMMEDIATE, "imm": 1}, EXCHANGE],
        [LOAD],  # a flag
        [LOAD, {"name": "seq", "dst": A, "a": A, "b": ONE}],
        [{"name": "load", "dst": A, "a": ZERO, "space": u.SHARED_SPACE}],
    ],
    ids=["cas", "exchange", "cas and a count", "constant made inside", "flag", "flag compared", "flag in shared memory"],
)
def test_a_loop_that_only_somebody_else_can_end_waits(body):
    program = loop(*body)
    assert waiting(program) == [True]
    flags = with_yields(program).uops[:, u.FLAGS]
    assert (flags & u.YIELDS != 0).tolist() == [False] * (1 + len(body)) + [True, False]


@pytest.mark.parametrize(
    "body",
    [
        [{"name": "sub", "dst": A, "a": A, "b": IMMEDIATE, "imm": 1}],
        [LOAD | {"dst": C}, {"name": "sub", "dst": A, "a": A, "b": C}],  # carries A
        [{"name": "load", "dst": ZERO, "a": ZERO}, {"name": "mov", "dst": A, "a": ZERO}],  # follows a list
        [
            {"name": "atomic_cas", "dst": B, "a": ZERO, "b": C, "c": B},
            {"name": "sne", "dst": A, "a": B, "b": C},
            {"name": "mov", "dst": C, "a": B},
        ],
        [LOAD | {"predicate": u.scalar(0)}],  # what it read last stays
        [LOAD, {"name": "call", "dst": C, "target": 0}],
    ],
    ids=["countdown", "sum", "list", "cas that computes", "predicate", "call"],
)
def test_a_loop_that_computes_does_not(body):
    program = loop(*body)
    assert True not in waiting(program)
    assert not (with_yields(program).uops[:, u.FLAGS] & u.YIELDS).any()


def test_a_value_that_one_way_through_the_loop_leaves_as_it_was_is_carried():
    code = Assembly()
    code.label("again")
    code.load(A, ZERO)
    code.branch(A, "skip")
    code.load(B, ONE)
    code.label("skip")
    code.branch(B, "again")
    code("exit")
    assert waiting(code.program()) == [False]
