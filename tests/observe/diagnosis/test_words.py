"""What a wait is called on a machine that issues by control words."""

from types import SimpleNamespace

import numpy as np
import pytest

from warploom import load_config
from warploom.isa.schedule import NO_COUNTER, READ, ROLE_NUMBER, RUNS_ON, WAIT, WRITE, Schedule
from warploom.observe.diagnosis.words import by_word, setter


def word(stall=1, write=NO_COUNTER, read=NO_COUNTER, waits=()):
    return stall | RUNS_ON | write << WRITE | read << READ | sum(1 << WAIT + counter for counter in waits)


WORDS = (word(2, write=2), word(4, read=0), word(13), word(5, waits=(0, 2)), word(1, waits=(5,)))
KINDS = ("load", "store", "compare", "branch", "integer")


def found(preset="h100-sxm", schedule=True):
    none = np.full((len(WORDS), 3), -1, np.int32)
    made = Schedule(np.array(WORDS, np.int32), np.array([ROLE_NUMBER[name] for name in KINDS], np.int32), none, none[:, 0])
    program = SimpleNamespace(schedule=made if schedule else None)
    return SimpleNamespace(program=program, config=load_config(preset), line_of=lambda number: f"line {number + 10}")


@pytest.mark.parametrize(
    "number, reason, told",
    [
        (3, "wait", "for the stall count of 13 after the compare at line 12"),
        (
            3,
            "long_scoreboard",
            "for B0, which the store at line 11 sets for its operands and B2, which the load at line 10 sets for its result",
        ),
        (4, "short_scoreboard", ""),  # nobody sets B5
        (0, "wait", ""),
    ],
)
def test_a_wait_names_the_word_that_made_it(number, reason, told):
    assert by_word(found(), number, reason) == told


@pytest.mark.parametrize("preset, schedule", [("h100", True), ("h100-sxm", False)])
def test_other_machines_and_other_code_have_none(preset, schedule):
    assert by_word(found(preset, schedule), 3, "wait") == ""


def test_in_a_loop_the_one_behind_may_set_it():
    schedule = found().program.schedule
    assert schedule.waited_for(3) == [0, 2]
    assert setter(schedule, 0, 0) == (1, "for its operands") and setter(schedule, 0, 4) is None
