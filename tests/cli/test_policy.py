"""`--scheduler FILE.py:NAME`: a user's own scheduling policy."""

from __future__ import annotations

import json

from click.testing import CliRunner

from tests.places import EXAMPLES
from warploom.cli import main

EXAMPLE = str(EXAMPLES / "guppy" / "saxpy.guppy")
LOWEST = """
import numpy as np
from warploom.machine.engine.bits import lowest

def choose(s, now):
    return lowest(s.eligible) if s.eligible != np.uint64(0) else np.int64(-1)
"""


def run(*arguments: str):
    return CliRunner().invoke(main, ["run", EXAMPLE, *arguments])


def test_a_policy_from_a_file_runs_the_program(tmp_path):
    (tmp_path / "mine.py").write_text(LOWEST)
    plain = json.loads(run("--gpu", "sm", "--engine", "python", "--json").stdout)
    mine = json.loads(run("--gpu", "sm", "--engine", "python", "--json", "--scheduler", f"{tmp_path / 'mine.py'}:choose").stdout)
    assert mine["status"] == "done"
    assert mine["memory"]["data"] == plain["memory"]["data"]


def test_mistakes_are_named(tmp_path):
    (tmp_path / "mine.py").write_text(LOWEST)
    (tmp_path / "broken.py").write_text("import nothing_of_that_name\n")
    for text, message in (
        ("mine", "write a file and a function in it, as policy.py:choose"),
        (f"{tmp_path}/nine.py:choose", f"there is no file {tmp_path}/nine.py"),
        (f"{tmp_path}/mine.py:chose", "has no function 'chose'; it has choose"),
        (f"{tmp_path}/broken.py:choose", "broken.py:1: ModuleNotFoundError: No module named 'nothing_of_that_name'"),
    ):
        result = run("--gpu", "sm", "--scheduler", text)
        assert result.exit_code == 2
        assert message in result.output


def test_a_machine_without_warps_has_no_scheduler_to_replace(tmp_path):
    (tmp_path / "mine.py").write_text(LOWEST)
    result = run("--gpu", "tiny", "--scheduler", f"{tmp_path / 'mine.py'}:choose")
    assert result.exit_code == 2
    assert "--scheduler is for machines with warps" in result.output


def test_the_default_machine_has_room_for_one_group():
    file = EXAMPLE.replace("saxpy", "iterations_sorted")
    result = CliRunner().invoke(main, ["run", file, "--json", "--engine", "python"])
    assert json.loads(result.stdout)["config"]["core.warps"] == 8


def test_a_policy_that_raises_is_shown_with_its_line_and_without_a_stack_trace(tmp_path):
    mine = tmp_path / "mine.py"
    mine.write_text("def choose(s, now):\n    return 1 // 0\n", encoding="utf-8")
    arguments = ["run", str(EXAMPLES / "guppy" / "if.guppy"), "--scheduler", f"{mine}:choose", "--engine", "python"]
    result = CliRunner().invoke(main, arguments)
    message = f"error: the scheduler: {mine}:2: ZeroDivisionError: integer division or modulo by zero\n"
    assert (result.exit_code, result.stdout, result.stderr) == (2, "", message)
