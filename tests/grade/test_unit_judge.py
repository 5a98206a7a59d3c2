"""Units as submissions: the contract of their slot, and figures on the task's programs."""

import pytest

from tests.places import EXAMPLES
from warploom.grade.judge import judge
from warploom.grade.task import TaskError
from warploom.grade.task_file import load_task

TASK = """title = "Ahead"
text = "Write ahead(p, line, pc, warp, missed): the line that is wanted next."
reference = "reference.py"

[unit]
slot = "prefetcher"
name = "ahead"
programs = ["load.guppy"]

[machine]
gpu = "sm"

[points]
contract = 6
cycles = 4

[limits]
cycles = 1.05

[[mistake]]
error = "a prefetcher returns"
message = "-1 is for no line."

[[mistake]]
limit = "cycles"
message = "It asks for lines that nobody wants."
"""
NEXT = "def ahead(p, line, pc, warp, missed):\n    return line + 1\n"


@pytest.fixture
def task(tmp_path):
    (tmp_path / "task.toml").write_text(TASK)
    (tmp_path / "reference.py").write_text(NEXT)
    (tmp_path / "load.guppy").write_text((EXAMPLES / "guppy" / "load_coalesced.guppy").read_text())
    return tmp_path


def graded(task, text):
    (task / "mine.py").write_text(text)
    return judge(load_task(task), task / "mine.py", 1)


def test_a_unit_that_keeps_its_contract_gets_its_points_and_cycles_are_counted(task):
    found = graded(task, NEXT)
    assert (found.got, found.of, found.passed, found.advice) == (10, 10, True, "")
    assert found.figures["cycles"][0] == found.figures["cycles"][1] > 0


def test_a_broken_promise_is_named_and_told(task):
    found = graded(task, "def ahead(p, line, pc, warp, missed):\n    return -7\n")
    part, cycles = found.parts
    assert (part.name, part.got, cycles.got) == ("contract", 0, 0)
    assert part.message.startswith("0 of 5 promises kept; line: ") and "/tmp" not in part.message
    assert "mine.py:1: ahead returned -7" in part.message
    assert (found.advice, found.status) == ("-1 is for no line.", "graded")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("import os\n", "mine.py:1: it imports os; a graded unit has"),
        ("def ahead(p\n", "this is not Python|was never closed"),
        ("def other(p, line, pc, warp, missed):\n    return line\n", "mine.py has no unit 'ahead'; it has other"),
        ("X = 1 // 0\n", "mine.py:1: ZeroDivisionError"),
        ("def ahead(p, line):\n    return line\n", "ahead takes 2 arguments, and is called with 5"),
        ("def ahead(p, line, pc, warp, missed):\n    while True:\n        line += 1\n    return line\n", "a million|1 000 000|loop"),
    ],
)
def test_what_cannot_be_a_unit_is_a_sentence(task, text, said):
    import re

    found = graded(task, text)
    told = found.message or found.parts[0].message
    assert found.got == 0 and re.search(said, told), told
    assert "/tmp" not in told and "Traceback" not in told


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('slot = "prefetcher"', 'slot = "prefetch"', r":6: there is no slot 'prefetch', did you mean 'prefetcher'\?"),
        ('name = "ahead"', 'name = ""', ":7: name = '': write what the unit is called in its file"),
        ('programs = ["load.guppy"]', "", ":5: limits are measured on programs"),
        ("contract = 6", "outputs = 6", ":14: a unit gets no points for outputs; it gets them for contract, cycles"),
        ('title = "Ahead"', 'title = "Ahead"\ninputs = { n = 1 }', "a task about a unit has no .inputs."),
        ('programs = ["load.guppy"]', 'programs = ["nothing.rv"]', "there is no file 'nothing.rv'"),
    ],
)
def test_a_mistake_in_a_task_about_a_unit_is_a_sentence(task, old, new, said):
    (task / "task.toml").write_text(TASK.replace(old, new))
    with pytest.raises(TaskError, match=said):
        load_task(task)
