"""Reports: for people, tables, JUnit, Gradescope, GitHub Classroom."""

import csv
import io
import json
from dataclasses import replace
from xml.etree import ElementTree

import pytest

from warploom.grade.formats import as_gradescope, as_junit, workflow
from warploom.grade.lock import PROTECTIONS
from warploom.grade.outcome import ERROR, GRADED, Outcome, Part
from warploom.grade.report import as_csv, protection, report, table

PARTS = (
    Part("outputs", 2.5, 5, "1 of 2 cases right; case 2: " + "out[3] is 5, expected 7 " * 5),
    Part("cycles", 0, 2, "900, above 1.5 times"),
)
ONE = Outcome("ann.py", "guard", 7, GRADED, PARTS, "", "Mind the <end> & more.", ("line 3: x [race]",), figures={"cycles": (900, 500)})
BROKEN = Outcome("=cmd.py", "guard", 7, ERROR, tuple(replace(part, got=0.0) for part in PARTS), "bad\x1b[31m \x00thing\nsecond line")


def test_a_report_fits_80_columns_and_says_all():
    text = report(ONE)
    assert max(map(len, text.splitlines())) <= 80
    for said in ("2.5 of 7 points", "seed 7", "hint: Mind the <end> & more.", "line 3: x [race]", "2.5/5"):
        assert said in text
    assert "could not be run: bad" in report(BROKEN) and "second line" in report(BROKEN)


def test_a_table_is_a_row_a_submission_and_holds_no_formula():
    rows = list(csv.DictReader(io.StringIO(as_csv([ONE, BROKEN]))))
    assert [row["points"] for row in rows] == ["2.5", "0"]
    assert rows[0]["cycles_measured"] == "900" and rows[1]["submission"] == "'=cmd.py"
    assert table([ONE, BROKEN])[1].split() == ["ann.py", "2.5/7", "2.5/5", "0/2"]


def test_junit_is_xml_whatever_a_submission_says():
    suites = ElementTree.fromstring(as_junit([ONE, BROKEN]).partition("\n")[2])
    assert [(suite.get("tests"), suite.get("failures"), suite.get("errors")) for suite in suites] == [("2", "2", "0"), ("2", "0", "2")]
    assert suites.find(".//failure").text == "Mind the <end> & more."


def test_gradescope_adds_up():
    body = json.loads(as_gradescope(ONE))
    assert body["score"] == sum(test["score"] for test in body["tests"]) == 2.5
    assert [test["max_score"] for test in body["tests"]] == [5, 2]


def test_a_workflow_is_yaml_that_grades():
    yaml = pytest.importorskip("yaml")
    steps = yaml.safe_load(workflow("tasks/one/task.toml", "kernel.py"))["jobs"]["grade"]["steps"]
    assert any(step.get("run") == "warploom grade tasks/one/task.toml kernel.py --junit grade.xml" for step in steps)
    assert "--puzzle guard kernel.py" in workflow("guard", "kernel.py")


def test_what_the_sandbox_cannot_promise_is_said():
    everything = replace(ONE, locked=tuple(PROTECTIONS))
    assert protection([ONE, everything]) == ""
    assert protection([everything, replace(ONE, locked=("memory", "time", "writing"))]) == (
        "not on this system: files outside Python's own cannot be read, and none written; the network cannot be used; "
        "no process can be started or signalled"
    )


def test_an_outcome_survives_the_pipe():
    assert Outcome.from_dict(json.loads(json.dumps(ONE.as_dict()))) == ONE
