"""Grades for course systems: JUnit's XML, Gradescope's results.json, a workflow for GitHub Classroom."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from xml.etree import ElementTree

from warploom.grade.outcome import ERROR, Outcome, points_text
from warploom.grade.report import LABELS, report

NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")  # https://www.w3.org/TR/xml/#charsets


def as_junit(outcomes: Sequence[Outcome]) -> str:
    """A test suite a submission, a test case a part of the points."""
    suites = ElementTree.Element("testsuites", name="warploom grade")
    for one in outcomes:
        broken = one.status == ERROR
        failures = 0 if broken else sum(part.got < part.of for part in one.parts)
        suite = ElementTree.SubElement(
            suites, "testsuite", name=_clean(one.submission), tests=str(len(one.parts)), failures=str(failures),
            errors=str(len(one.parts) if broken else 0),
        )  # fmt: skip
        for part in one.parts:
            case = ElementTree.SubElement(suite, "testcase", classname=_clean(one.task), name=LABELS[part.name])
            if broken:
                ElementTree.SubElement(case, "error", message=_clean(one.message))
            elif part.got < part.of:
                text = f"{points_text(part.got)} of {points_text(part.of)} points: {part.message}"
                ElementTree.SubElement(case, "failure", message=_clean(text)).text = _clean(one.advice)
    ElementTree.indent(suites)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(suites, encoding="unicode") + "\n"


def as_gradescope(outcome: Outcome) -> str:
    """One submission, as an autograder of Gradescope writes it to /autograder/results/results.json."""
    tests = [
        {
            "name": LABELS[part.name], "score": part.got, "max_score": part.of, "status": "passed" if part.got == part.of else "failed",
            "output": outcome.message if outcome.status == ERROR else part.message,
        }
        for part in outcome.parts
    ]  # fmt: skip
    return json.dumps({"score": outcome.got, "output": report(outcome), "output_format": "text", "tests": tests}, indent=2) + "\n"


def workflow(task: str, submission: str) -> str:
    """A workflow that grades every push, as GitHub Classroom starts it. task, submission: paths in the repository, or a puzzle's name."""
    how = f"--puzzle {task}" if "/" not in task and not task.endswith(".toml") else task
    return f"""name: Grade
on: [push, workflow_dispatch]
permissions:
  contents: read
jobs:
  grade:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
        with:
          persist-credentials: false
      - uses: actions/setup-python@v5
        with:
          python-version: "3.12"
      - run: pip install warploom
      - run: warploom grade {how} {submission} --junit grade.xml
      - if: always()
        uses: actions/upload-artifact@v4
        with:
          name: grade
          path: grade.xml
"""


def _clean(text: str) -> str:
    return NOT_XML.sub("?", text)
