"""Faults: the first is the cause, and it is told in a sentence whose verb agrees with its lanes."""

import numpy as np
import pytest

from warploom.machine.accounting.faults import FAULT_NUMBER, Fault, lanes_of, lanes_text, raise_fault, sentence
from warploom.machine.engine.unit import mirror, zeros


def test_only_the_first_fault_of_a_run_is_kept():
    (fault,) = mirror(zeros(1, Fault))
    names = ("kind", "core", "warp", "pc", "lanes", "value", "limit", "cycle")
    raise_fault(fault, 3, 1, 2, 40, np.uint64(6), 7, 8, 90)
    raise_fault(fault, 4, 5, 6, 70, np.uint64(1), 2, 3, 91)
    assert [int(getattr(fault, name)) for name in names] == [3, 1, 2, 40, 6, 7, 8, 90]


@pytest.mark.parametrize(
    ("lanes", "text"),
    [
        ([], "threads none"),
        ([0], "thread 0"),
        ([63], "thread 63"),
        ([0, 1, 2, 5], "threads 0-2, 5"),
        ([3, 5, 7], "threads 3, 5, 7"),
        ([1, 2, 40, 41, 42], "threads 1-2, 40-42"),
        (range(64), "threads 0-63"),
    ],
)
def test_lanes_are_told_as_runs(lanes, text):
    mask = sum(1 << lane for lane in lanes)
    assert lanes_of(mask) == list(lanes)
    assert lanes_text(mask) == text
    assert lanes_text(mask, "lane") == text.replace("thread", "lane")


@pytest.mark.parametrize(("lanes", "others", "said"), [
    (0b1, 0b10, "lane 0 to one, lane 1 does not"), (0b101, 0b1010, "lanes 0, 2 to one, lanes 1, 3 do not"),
])  # fmt: skip
def test_a_sentence_says_which_lanes_do_what(lanes, others, said):
    fault = zeros(1, Fault)[0:1].reshape(())
    fault["kind"], fault["lanes"], fault["others"] = FAULT_NUMBER["different_targets"], lanes, others
    assert said.replace(" to one", f" {'goes' if lanes == 1 else 'go'} to one") in sentence(fault, "lane")
    assert said.replace("lane", "thread").replace(" to one", f" {'goes' if lanes == 1 else 'go'} to one") in sentence(fault, "thread")
    fault["kind"], fault["value"] = FAULT_NUMBER["trap"], -7
    assert sentence(fault, "lane") == "the program stopped itself with number -7"
