"""The puzzles: each tests itself, on both engines; each has a text, hints, a starter, a picture, and at least three wrong answers."""

from xml.etree import ElementTree

import pytest

from warploom.grade.drawn import svg
from warploom.grade.judge import judge
from warploom.grade.puzzle import FOLDER, PUZZLES, puzzle, wrong_answers
from warploom.grade.self_test import self_test
from warploom.grade.task import TaskError

LONG = ("tiled_product",)  # on plain Python, which the slow tests have


@pytest.mark.parametrize("name", PUZZLES)
def test_every_wrong_answer_of_a_puzzle_fails_with_its_own_message(name):
    engine = "native" if name in LONG else "python"
    assert [one for one in self_test(puzzle(name), 11, (engine,)) if one.problem] == []


def test_wrong_answers_fail_natively_too():
    assert [one for one in self_test(puzzle("block_sum"), 11, ("native",)) if one.problem] == []


@pytest.mark.slow
@pytest.mark.parametrize("name", PUZZLES)
def test_every_puzzle_on_native_code_and_other_seeds(name):
    for seed in range(5):
        assert [one for one in self_test(puzzle(name), seed, ("native", "python")) if one.problem] == []


@pytest.mark.parametrize("name", PUZZLES)
def test_a_puzzle_is_whole(name):
    task = puzzle(name)
    assert task.title and task.text and task.hints and task.starter and task.picture and task.reference
    examples = wrong_answers(task)
    assert len(examples) >= 3 and len({message for _, message in examples}) == len(examples)
    assert {path.name for path, _ in examples} == {path.name for path in (FOLDER / name / "wrong").glob("*.py")}
    assert ElementTree.fromstring(svg(task.picture, task.title)).tag.endswith("svg")
    assert len(svg(task.picture, task.title)) < 12_000


def test_a_starter_gets_no_points_for_outputs():
    task = puzzle("first_index")
    assert judge(task, task.folder / task.starter, 1, engine="python", trusted=True).got == 0


def test_every_folder_is_a_puzzle():
    assert sorted(PUZZLES) == sorted(path.name for path in FOLDER.iterdir() if (path / "task.toml").is_file())
    assert len(PUZZLES) == 12 and puzzle("1").name == PUZZLES[0] and puzzle("12").name == PUZZLES[-1]
    with pytest.raises(TaskError, match="there is no puzzle 'gaurd', did you mean 'guard'"):
        puzzle("gaurd")
