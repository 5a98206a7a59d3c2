"""The mutation tester itself, on single faults: one that a test finds, and one that it does not; and its list of the harmless."""

from __future__ import annotations

import ast
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest
from click.testing import CliRunner

import tests.mutation.__main__ as command
from tests.mutation.equivalent import known
from tests.mutation.faults import MACHINE, faults_of, faulty, files
from tests.mutation.importing import place_of
from tests.mutation.near import GROUP, groups, mirroring
from tests.mutation.trial import Verdict
from tests.places import ROOT

TEST = "tests/machine/engine/test_bits.py::test_they_are_what_integers_say"
BLIND = "tests/machine/engine/test_bits.py::test_the_highest_one"  # passes with any fault of `rest`
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


AGAIN = """
import sys
sys.path.insert(0, {root!r})
from tests.mutation.faults import faults_of
from tests.mutation.reach import Reached
from tests.mutation.trial import tried
fault = next(fault for fault in faults_of("engine/bits.py") if fault.after == "return mask & mask + ONE")
known = {{{blind!r}: Reached(1.0, frozenset()), {test!r}: Reached(2.0, frozenset())}}
print(*tried(fault, known, 1.0)[1:], *tried(fault, known, 3.0, 1.0)[1:], sep=",")
"""


def test_a_second_try_runs_the_tests_that_the_first_has_left():
    code = AGAIN.format(root=str(ROOT), test=TEST, blind=BLIND)
    ended = subprocess.run([sys.executable, "-c", code], check=False, cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert (ended.stdout.strip(), ended.returncode) == (f",1,{TEST},2", 0), ended.stderr


NEAR = """
import sys
sys.path.insert(0, {root!r})
from tests.mutation.faults import faults_of
from tests.mutation.near import tried_near
lines = ("return mask & mask + ONE", "return (number | -number).bit_length() - 1 if number else 64", "return number.bit_length() - 2")
for fault, test, count in tried_near([fault for fault in faults_of("engine/bits.py") if fault.after in lines]):
    print(fault.function, test.partition("::")[0], count > 0, sep=",")
"""


def test_a_planted_fault_is_noticed_by_the_tests_near_it_and_the_next_trial_knows_nothing_of_it():
    ended = subprocess.run(
        [sys.executable, "-c", NEAR.format(root=str(ROOT))], check=False, cwd=ROOT, capture_output=True, text=True, timeout=300
    )
    mirror = "tests/machine/engine/test_bits.py"
    found = {f"lowest,,{True}", f"highest,{mirror},{True}", f"rest,{mirror},{True}"}  # the first changes nothing
    assert (set(ended.stdout.split()), ended.returncode) == (found, 0), ended.stderr


BROKEN = """
import sys
from pathlib import Path
sys.path.insert(0, {root!r})
import tests.mutation.near as near
from tests.mutation.faults import faults_of
folder = {folder!r}
near.mirroring = lambda file: (folder + "/test_bits.py", folder + "/test_broken.py")
print(near.tried_near(faults_of("engine/bits.py")[:1]))
"""


def test_a_file_of_tests_that_cannot_be_collected_is_named_with_its_error(tmp_path):
    (tmp_path / "test_bits.py").write_text("def test_nothing():\n    pass\n")
    (tmp_path / "test_broken.py").write_text("import nothing_of_that_name\n")
    code = BROKEN.format(root=str(ROOT), folder=str(tmp_path))
    ended = subprocess.run([sys.executable, "-c", code], check=False, cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert "test_broken.py cannot be collected: ModuleNotFoundError: No module named 'nothing_of_that_name'" in ended.stderr, ended.stdout


def test_what_no_test_near_it_runs_has_not_been_tried(monkeypatch):
    """As a fault of a function that holds what its maker was given: it may still be noticed by what imports it."""
    monkeypatch.setattr(command, "tried_near", lambda faults, known: [Verdict(fault, "", 0) for fault in faults])
    monkeypatch.setattr(command, "equivalent", lambda fault: "")  # whichever two are drawn: some are known to change nothing
    monkeypatch.setattr(command, "ProcessPoolExecutor", lambda processes, mp_context: ThreadPoolExecutor(1))
    done = CliRunner().invoke(command.main, ["--near", "--only", "engine/bits.py", "--faults", "2", "--processes", "1"])
    assert done.output.count("not tried: ") == 2 and "no test of 0" not in done.output


def test_the_tests_near_a_file_are_those_that_mirror_it_and_else_those_that_import_it():
    assert mirroring("engine/bits.py") == ("tests/machine/engine/test_bits.py",)
    assert mirroring("device/memory_system.py") == (
        "tests/machine/device/test_memory_system.py",
        "tests/machine/device/test_memory_system_events.py",
    )
    importing = mirroring("config/schema.py")
    assert importing
    assert all("warploom.machine.config.schema import" in (ROOT / name).read_text() for name in importing)


def test_the_rooms_beside_the_machine_have_faults_and_tests_near_them():
    assert {"compiler/fold.py", "compiler/uniform.py"} <= set(files("compiler"))
    assert all(files(room) for room in ("checks", "isa", "kernel"))
    assert not any(file.startswith(("checks/", "compiler/", "isa/", "kernel/")) for file in files())
    assert mirroring("compiler/halves.py") == ("tests/compiler/test_halves.py",)
    (fault, *_) = faults_of("compiler/halves.py")
    assert str(fault).startswith("warploom/compiler/halves.py:")
    done = CliRunner().invoke(command.main, ["--only", "warploom/compiler/halves.py"])
    assert done.exit_code == 2
    assert "in compiler/halves.py give --near too" in " ".join(done.output.split())


def test_a_fault_of_a_room_beside_the_machine_is_noticed_by_the_tests_that_mirror_its_file():
    words = ["--near", "--only", "isa/launch.py", "--with", "given = tuple(value) if not", "--processes", "1", "--verbose"]
    code = [sys.executable, "-m", "tests.mutation", *words]
    ended = subprocess.run(code, check=False, cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert "found by tests/isa/test_launch.py::" in ended.stdout, ended.stdout + ended.stderr
    assert ended.returncode == 0


def test_groups_hold_each_fault_once_those_of_a_file_beside_each_other():
    faults = faults_of("memory/mshr.py") + faults_of("engine/bits.py")
    found = groups(faults[::-1])
    assert [fault for group in found for fault in group] == sorted(faults, key=lambda fault: (fault.file, fault.number))
    assert max(map(len, found)) == GROUP


def test_a_stage_tries_what_the_one_before_has_left_and_each_share_is_printed(monkeypatch):
    def near(faults, known):
        return [Verdict(fault, "a test" if fault.number < 3 else "", 1) for fault in faults]

    def noticed(fault, known, patience, passed_already=0.0):
        assert fault.number >= 3
        assert passed_already == (60.0 if patience > 60 else 0.0)
        return Verdict(fault, "a test" if fault.number < (9 if passed_already else 6) else "", 1)

    monkeypatch.setattr(command, "tried_near", near)
    monkeypatch.setattr(command, "reach", lambda processes, notice: {})
    monkeypatch.setattr(command, "tried", noticed)
    monkeypatch.setattr(command, "equivalent", lambda fault: "it is the tenth" if fault.number == 9 else "")
    monkeypatch.setattr(command, "ProcessPoolExecutor", lambda processes, mp_context: ThreadPoolExecutor(1))
    options = ["--only", "engine/bits.py", "--faults", "1000", "--processes", "1", "--seed", "1"]
    count = len(faults_of("engine/bits.py"))
    for more, shares, seen in ((["--near"], [3], count - 4), ([], [3, 6], count - 7), (["--again", "600"], [3, 6, 9], count - 10)):
        done = CliRunner().invoke(command.main, options + more)
        assert done.exit_code == 1, done.output
        assert [int(line.split(f" of {count - 1} faults")[0]) for line in done.output.splitlines() if " are noticed, " in line] == shares
        assert done.output.count("no test of 1 notices") == seen


def test_a_second_try_that_is_no_longer_than_the_first_is_refused():
    done = CliRunner().invoke(command.main, ["--again", "60"])
    assert done.exit_code == 2
    assert "a second try of 60 s is no longer than the first, which has 60 s: give --again more" in " ".join(done.output.split())


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
    can_be = {file: {(fault.function, fault.before, fault.after) for fault in faults_of(file)} for file in {row[0] for row in known()}}
    for file, *rest in known():
        assert tuple(rest) in can_be[file], (file, rest)
    assert all(len(reason) > 20 for reason in known().values())


def test_a_line_belongs_to_the_innermost_body_around_it():
    lines = (MACHINE / "engine/bits.py").read_text().splitlines()
    first = next(number for number, line in enumerate(lines, 1) if line.startswith("def popcount"))
    assert place_of("engine/bits.py", first + 1) == f"engine/bits.py:{first + 1}"


def test_near_alone_has_no_second_try():
    done = CliRunner().invoke(command.main, ["--near", "--again", "600"])
    assert done.exit_code == 2
    assert "--again is a second try of what --near leaves out: give one of the two" in " ".join(done.output.split())
