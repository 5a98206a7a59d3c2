"""The mutation tester itself, on single faults: one that a test finds, and one that it does not; and its list of the harmless."""

from __future__ import annotations

import ast
import subprocess
import sys

import pytest

from tests.mutation.equivalent import known
from tests.mutation.faults import MACHINE, faults_of, faulty, files
from tests.mutation.importing import place_of
from tests.places import ROOT

TEST = "tests/machine/engine/test_bits.py::test_they_are_what_integers_say"
TRIAL = """
import sys
sys.path.insert(0, {root!r})
from tests.mutation.faults import faults_of
from tests.mutation.reach import Reached
from tests.mutation.trial import tried
fault = next(fault for fault in faults_of("engine/bits.py") if fault.function == {function!r} and fault.after == {after!r})
print(tried(fault, {{{test!r}: Reached(0.1, frozenset())}}, 60.0).test)
"""


@pytest.mark.parametrize(
    ("function", "after", "found_by"),
    [
        ("rest", "return mask & mask + ONE", TEST),
        ("highest", "return number.bit_length() - 2", ""),  # which that test does not call
    ],
)
def test_a_fault_is_noticed_by_a_test_that_reaches_it_and_by_no_other(function, after, found_by):
    code = TRIAL.format(root=str(ROOT), function=function, after=after, test=TEST)
    ended = subprocess.run([sys.executable, "-c", code], check=False, cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert (ended.stdout.strip(), ended.returncode) == (found_by, 0), ended.stderr


def test_a_fault_is_one_operator_and_the_file_stays_as_it_is():
    before = (MACHINE / "engine/bits.py").read_text()
    found = faults_of("engine/bits.py")
    assert len({(fault.function, fault.before, fault.after, fault.number) for fault in found}) == len(found) > 20
    right = ast.unparse(ast.parse(before)).splitlines()
    for fault in found:
        wrong = ast.unparse(faulty(fault)).splitlines()
        assert sum(one != other for one, other in zip(right, wrong, strict=True)) == 1, fault
    assert (MACHINE / "engine/bits.py").read_text() == before


def test_what_only_runs_natively_has_no_faults():
    assert not any(file.startswith("engine/native/") for file in files())
    assert not any("native" in fault.function for fault in faults_of("memory/replacement.py"))


def test_every_harmless_fault_in_the_list_can_still_be_made():
    for file, function, before, after in known():
        assert any((f.function, f.before, f.after) == (function, before, after) for f in faults_of(file)), (file, function, after)
    assert all(len(reason) > 20 for reason in known().values())


def test_a_line_belongs_to_the_innermost_body_around_it():
    lines = (MACHINE / "engine/bits.py").read_text().splitlines()
    first = next(number for number, line in enumerate(lines, 1) if line.startswith("def popcount"))
    assert place_of("engine/bits.py", first + 1) == f"engine/bits.py:{first + 1}"
