"""`warploom grade`."""

import csv
import io
import json

import pytest
from click.testing import CliRunner

from warploom.cli import main
from warploom.grade.puzzle import FOLDER, PUZZLES


def run(*words):
    return CliRunner().invoke(main, ["grade", *map(str, words)])


def test_puzzles_are_listed_shown_and_started(tmp_path):
    lines = run("--list").stdout.splitlines()
    assert [line.split()[1] for line in lines if line.strip()][:12] == list(PUZZLES)
    shown = run("--puzzle", "guard")
    assert shown.exit_code == 0 and "Threads without an element must leave memory alone." in shown.stdout
    assert "hint 1 of 2: x.size" in run("--puzzle", "guard", "--hint", 1).stdout
    target = tmp_path / "mine.py"
    assert run("--puzzle", "guard", "--start", target).exit_code == 0 and "def solve(x, out)" in target.read_text()
    assert "exists already" in run("--puzzle", "guard", "--start", target).output
    picture = tmp_path / "guard.svg"
    assert run("--puzzle", "guard", "--picture", picture).exit_code == 0 and picture.read_text().startswith("<svg")


def test_a_task_alone_is_shown():
    shown = run(FOLDER / "guard" / "task.toml")
    assert shown.exit_code == 0 and shown.stdout == run("--puzzle", "guard").stdout


def test_a_submission_is_graded_and_the_seed_draws_the_same_inputs(tmp_path):
    wrong = FOLDER / "guard" / "wrong" / "one_too_few.py"
    found = run("--puzzle", "guard", wrong, "--seed", 4, "--engine", "python", "--json", "--junit", tmp_path / "j.xml")
    assert found.exit_code == 1
    body = json.loads(found.stdout)
    assert body["seed"] == 4 and body["submissions"][0]["advice"].startswith("The last element is left out.")
    assert "<failure" in (tmp_path / "j.xml").read_text()


def test_a_class_becomes_a_table(tmp_path):
    folder = tmp_path / "class"
    folder.mkdir()
    (folder / "ann.py").write_text((FOLDER / "guard" / "reference.py").read_text())
    (folder / "bob").mkdir()
    (folder / "bob" / "work.py").write_text("import os\nos._exit(1)\n")
    (folder / "notes.txt").write_text("not a submission")
    found = run("--puzzle", "guard", folder, "--csv", "-", "--jobs", 2, "--engine", "python")
    rows = list(csv.DictReader(io.StringIO(found.stdout)))
    assert found.exit_code == 1
    assert [(row["submission"].rpartition("class/")[2], row["points"], row["status"]) for row in rows] == [
        ("ann.py", "10", "graded"),
        ("bob/work.py", "0", "error"),
    ]
    shown = run("--puzzle", "guard", folder, "--jobs", 2, "--engine", "python", "--seed", 5)
    assert (
        "what is wrong with one: `warploom grade --puzzle guard" in shown.stderr and "work.py" in shown.stderr and "--seed" in shown.stderr
    )


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "name a task and a submission"),
        (("--puzzle", "gaurd"), "did you mean 'guard'"),
        (("--puzzle", "guard", "nothing.py"), "nothing.py: there is no such file or folder"),
        (("--puzzle", "guard", "--hint", 9), "--hint 9: there are 2"),
        (("nothing.toml", "x.py"), "nothing.toml cannot be read"),
        (("--puzzle", "guard", "--hint", 1, "--self-test"), "--hint and --self-test are different things"),
        (("--puzzle", "guard", FOLDER / "guard" / "reference.py", "--jobs", 0), "--jobs 0"),
        (("--puzzle", "guard", FOLDER / "guard" / "reference.py", "--junit", FOLDER / "guard" / "reference.py"), "this file is an input"),
    ],
)
def test_mistakes_are_one_sentence(words, message):
    found = run(*words)
    assert found.exit_code == 2 and message in found.output and "Traceback" not in found.output


def test_a_task_is_copied_changed_and_tests_itself(tmp_path):
    target = tmp_path / "mine"
    assert run("--puzzle", "first_index", "--copy", target).exit_code == 0
    assert run(target, "--self-test", "--engine", "python").exit_code == 0
    task = target / "task.toml"
    task.write_text(task.read_text().replace('expected = "x + 10"', 'expected = "x + 11"'))
    found = run(target, "--self-test", "--engine", "python")
    assert found.exit_code == 1 and "wrong reference.py (python)" in found.stdout
