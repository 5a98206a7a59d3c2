"""A short part of the fuzzing, the same inputs each time; the long one is `python -m tests.fuzz`."""

from itertools import islice
from pathlib import Path

import pytest

from tests.fuzz import machines
from tests.fuzz.run import failure_of, fuzzed, replayed
from tests.fuzz.targets import CORPUS, TARGETS, Target
from warploom.isa.frontend import BYTES
from warploom.isa.frontends import known

FEW = 25  # inputs of a target
QUICK = [target for target in TARGETS.values() if not target.slow]


@pytest.mark.parametrize("target", QUICK, ids=lambda target: target.name)
def test_what_cannot_be_read_ends_in_a_sentence(target, tmp_path):
    made = 0 if target.grown else len(target.seeds())
    failures = [failure for failure in islice(fuzzed(target, 1, tmp_path), made + FEW) if failure is not None]
    assert not failures, failures[0].said


def test_random_machines_give_the_same_natively(tmp_path):
    machines.take(b"12345678", tmp_path)  # compiles what no test before this one has: that takes longer than an input may
    assert failure_of(TARGETS["machines"], b"12345678", tmp_path) is None


@pytest.mark.parametrize("place", sorted(CORPUS.glob("*/*")), ids=lambda place: f"{place.parent.name}/{place.name}")
def test_what_was_found_once_is_mended(place, tmp_path):
    failure = replayed(place, tmp_path)
    assert failure is None, failure.said


def test_every_front_end_and_every_kind_of_file_is_fuzzed():
    assert {row.name for row in known() if BYTES in row.takes} <= set(TARGETS)
    assert {f"{row.name} words" for row in known() if row.has_words or row.has_code} <= set(TARGETS)
    endings = {target.ending for target in TARGETS.values()}
    assert endings >= {".toml", ".txt", ".csv", ".json", ".bin", ".npy", ".png", ".py"}


def test_an_exception_that_is_no_mistake_and_a_wait_are_found(tmp_path, monkeypatch):
    monkeypatch.setattr("tests.fuzz.run.SECONDS", 1)

    def fails(_data: bytes, _path: Path) -> None:
        raise KeyError("no mistake of a user's")

    def waits(_data: bytes, _path: Path) -> None:
        while True:
            pass

    assert "KeyError" in failure_of(Target("x", fails, list), b"", tmp_path).said
    assert "TooLongError" in failure_of(Target("x", waits, list), b"", tmp_path).said


def test_the_machines_are_compared(tmp_path, monkeypatch):
    monkeypatch.setattr("tests.machine.random_programs.expected", lambda *_: 0)
    with pytest.raises(AssertionError):
        machines.take(b"1", tmp_path, engine="python")
