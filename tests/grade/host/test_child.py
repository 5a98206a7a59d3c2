"""Whose time it is: what a process takes to send and to receive is its own, what the judge takes to answer is not."""

import os
import socket
from types import SimpleNamespace

import pytest

from warploom.grade.guard import STARTING
from warploom.grade.host import child as module
from warploom.grade.host.child import Child, Limits
from warploom.grade.host.wire import Ended
from warploom.grade.runs import Stopped


@pytest.fixture
def clock(monkeypatch):
    found = SimpleNamespace(now=0.0, monotonic=lambda: found.now)
    monkeypatch.setattr(module, "time", found)
    return found


@pytest.fixture
def served():
    """A child of nothing, which has always a message on its wire; and what ends its two streams."""
    made = Child.__new__(Child)
    made.limits, made.printed, made.told = Limits(5, 1, 1), b"", b""
    made.wire, theirs = socket.socketpair()
    theirs.sendall(b"x")
    (out, one), (told, other) = os.pipe(), os.pipe()
    with theirs, made.wire, os.fdopen(out, "rb") as first, os.fdopen(told, "rb") as second, os.fdopen(one) as a, os.fdopen(other) as b:
        made.process = SimpleNamespace(stdout=first, stderr=second, wait=lambda seconds: 0)
        yield made, lambda: (a.close(), b.close())


@pytest.mark.parametrize("slow", ["take", "give"])
def test_time_of_sending_and_receiving_is_the_processs(served, clock, slow):
    child, _ = served

    def takes(*given):
        clock.now += 1
        return 1

    with pytest.raises(Stopped, match="it was still running after 5 seconds"):
        child.serve(takes if slow == "take" else lambda: 1, lambda body: 1, takes if slow == "give" else lambda reply: None)
    assert clock.now == 5 + STARTING


def test_time_of_an_answer_is_not(served, clock):
    child, end = served
    answered = []

    def take():
        if len(answered) == 9:
            end()
            raise Ended
        return 1

    def answer(body):
        clock.now += 100
        answered.append(body)

    child.serve(take, answer, lambda reply: None)
    assert len(answered) == 9
