"""A policy of a user's that never picks a warp is a fault that says so; one that is only slow is none."""

import numpy as np
import pytest

from tests.places import EXAMPLES
from warploom import GPU, load
from warploom.machine.run import policy_watch
from warploom.machine.run.livelock import LivelockDetector


@pytest.fixture(autouse=True)
def soon(monkeypatch):
    """So that a test is short."""
    monkeypatch.setattr(policy_watch, "SPAN", 100)


def never(s, now):
    return -1


def ended(s, now):
    """Always the first slot, also when its warp has ended."""
    return 0


def late(s, now):
    return 0 if now > 150 else -1


PROGRAM = load(EXAMPLES / "tiny" / "matadd.asm")


def run(policy, **options):
    return GPU("sm", scheduler=policy, engine="python", set={"gpu.cores": 1, "core.schedulers": 1}).run(PROGRAM, max_cycles=5000, **options)


def test_a_policy_that_never_picks_is_named():
    result = run(never)
    assert (result.status, result.cycles) == ("error", 200)
    assert (
        "test_policy_watch.py:never has picked no warp that can issue for 100 cycles, though there was one in all of them" in result.fault
    )
    assert result.fault.startswith(f"{EXAMPLES / 'tiny' / 'matadd.asm'}:14 (MUL R0, %blockIdx, %blockDim): ")


def test_so_is_one_that_names_warps_that_have_ended():
    """Two blocks of a warp each: the second is in slot 1."""
    result = run(ended, threads=64)
    assert result.status == "error" and "test_policy_watch.py:ended has picked no warp that can issue" in result.fault
    assert "(block 1, " in result.fault


def test_a_policy_that_is_slow_comes_to_its_end():
    assert run(late).status == "done"


def test_policies_of_ours_are_not_watched():
    made = GPU("sm", scheduler="oldest", engine="python").machine(PROGRAM)
    assert type(made.detector) is LivelockDetector
    assert made.detector.next_check > 100


def test_what_it_has_seen_can_be_put_back():
    made = GPU("sm", scheduler=never, engine="python").machine(PROGRAM)
    detector = made.detector
    assert isinstance(detector, policy_watch.PolicyWatch)
    before = detector.snapshot()
    detector._of_policy, detector._issued, detector._could = 500, 7, np.ones((1, 1), np.uint64)
    detector.next_check = 900
    assert detector.next_check == 500
    detector.restore(before)
    assert (detector.next_check, detector._issued, detector._could.size) == (100, -1, 0)
