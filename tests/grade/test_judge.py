"""The judge: points, advice, limits, languages; and submissions that forge."""

import json

import pytest

from tests.places import ROOT
from warploom.grade.judge import judge
from warploom.grade.puzzle import FOLDER, puzzle
from warploom.grade.task import TaskError
from warploom.grade.task_file import load_task

RIGHT = """from numba import cuda


@cuda.jit
def solve(x, out):
    i = cuda.threadIdx.x
    if i < x.size:
        out[i] = 2 * x[i]
"""


def graded(text, tmp_path, *, task="guard", name="mine.py", seed=5, trusted=True):
    path = tmp_path / name
    path.write_text(text)
    return judge(puzzle(task), path, seed, engine="python", trusted=trusted)


def test_a_right_answer_gets_all_points(tmp_path):
    found = graded(RIGHT, tmp_path)
    assert (found.got, found.of, found.passed, found.advice, found.findings) == (10, 10, True, "", ())


def test_cases_that_are_right_give_a_part_of_the_points(tmp_path):
    (tmp_path / "task.toml").write_text(
        (FOLDER / "guard" / "task.toml").read_text().replace('starter = "starter.py"\nreference = "reference.py"', "cases = 4")
        .replace("int(rng.integers(33, 60))", "40 if rng.random() < 0.5 else 50")
    )  # fmt: skip
    (tmp_path / "mine.py").write_text(RIGHT.replace("x.size", "40"))
    found = [judge(load_task(tmp_path), tmp_path / "mine.py", seed, engine="python", trusted=True) for seed in range(3)]
    assert any(0 < one.parts[0].got < 5 for one in found)
    assert all(one.parts[1].got == 0 for one in found if one.parts[0].got < 5), "findings count when the outputs are right"


def test_a_slow_answer_loses_the_points_of_its_limit_and_is_told_why(tmp_path):
    found = judge(puzzle("coalescing"), FOLDER / "coalescing/wrong/columns.py", 5, engine="python", trusted=True)
    parts = {part.name: (part.got, part.of) for part in found.parts}
    assert parts["outputs"] == (4, 4) and parts["transactions"] == (0, 4)
    assert found.figures["transactions"][0] > 4 * found.figures["transactions"][1] and "side by side" in found.advice


def test_an_endless_kernel_ends_at_its_limit(tmp_path):
    text = (FOLDER / "guard" / "task.toml").read_text().replace('starter = "starter.py"\nreference = "reference.py"\n', "")
    (tmp_path / "task.toml").write_text(text.replace("[launch]", "[machine]\nmax_cycles = 2000\n\n[launch]"))
    (tmp_path / "mine.py").write_text("from numba import cuda\n\n@cuda.jit\ndef solve(x, out):\n    while out[0] < 0:\n        x[0] = 1\n")
    found = judge(load_task(tmp_path), tmp_path / "mine.py", 1, engine="python", trusted=True)
    assert (found.status, found.got) == ("error", 0) and "still running after 2 000 cycles" in found.message


FORGERIES = {
    "results": "import warploom.result\nwarploom.result.Result.of = classmethod(lambda cls, run: None)\n",
    "comparison": "import numpy\nnumpy.isclose = numpy.array_equal = lambda *a, **k: True\n",
    "judge": "import warploom.grade.outcome as o\no.Outcome.got = o.Outcome.of\no.Outcome.passed = True\n",
    "counters": "import warploom.grade.runs as r\nr.figures_of = lambda *a: dict.fromkeys(('cycles', 'transactions'), 0)\n",
    "lines": "import warploom.grade.guest as g\ng._write = lambda pipe, body: None\n",
    "answer": (
        "import json, os, warploom.grade.guest as g\n"
        "g.deliver = lambda *a: {'first': 0, 'functions': [], 'got': 10}\n"
        'json.dumps = lambda *a, **k: \'{"status": "graded", "got": 10, "functions": []}\'\n'
    ),
}


@pytest.mark.every(2)
@pytest.mark.parametrize("what", FORGERIES)
def test_a_stranger_that_changes_warploom_changes_its_own_process(tmp_path, what):
    wrong = (FOLDER / "guard" / "wrong" / "warp.py").read_text()
    found = graded(wrong + "\n\n" + FORGERIES[what], tmp_path, trusted=False)
    assert found.got == 0 and not found.passed
    plain = judge(puzzle("guard"), FOLDER / "guard/wrong/warp.py", 5, engine="python", trusted=True)
    assert found.status == "error" or found.figures == plain.figures


def test_a_right_answer_of_a_stranger_gets_its_points_and_says_what_locked_it(tmp_path):
    found = graded(RIGHT, tmp_path, trusted=False)
    assert found.passed and found.locked
    assert json.loads(json.dumps(found.as_dict()))["passed"] is True


def test_a_notebook_is_graded(tmp_path):
    cells = [
        {"cell_type": "markdown", "source": ["# mine"]},
        {"cell_type": "code", "source": ["%load_ext warploom\n", "from numba import cuda"]},
        {"cell_type": "code", "source": RIGHT.splitlines(keepends=True)},
    ]
    found = graded(json.dumps({"cells": cells, "nbformat": 4}), tmp_path, name="mine.ipynb")
    assert found.passed
    assert "not a notebook" in graded("{}", tmp_path, name="mine.ipynb").message


TINY = """title = "Add"
text = "Add two rows"
takes = [".asm"]
[inputs]
a = "rng.integers(0, 100, 8).astype('uint8')"
b = "rng.integers(0, 100, 8).astype('uint8')"
[outputs.c]
expected = "a + b"
first = 16
count = 8
[launch]
threads = 8
buffers = { memory = "np.concatenate([a, b])" }
"""


def test_tiny_assembly_is_graded(tmp_path):
    (tmp_path / "add.toml").write_text(TINY)
    task = load_task(tmp_path / "add.toml")
    right = ROOT / "examples" / "tiny" / "matadd.asm"
    assert judge(task, right, 1, engine="python").passed
    (tmp_path / "wrong.asm").write_text(right.read_text().replace("ADD   R6", "SUB   R6"))
    found = judge(task, tmp_path / "wrong.asm", 1, engine="python")
    assert found.got == 0 and "c[0] is" in found.parts[0].message


def test_a_program_cannot_include_files_of_the_judge(tmp_path):
    (tmp_path / "add.toml").write_text(TINY.replace('[".asm"]', '[".c"]'))
    (tmp_path / "mine.c").write_text('kernel void f() { asm(".incbin \\"reference.py\\""); }')
    assert ".incbin of a file outside is not allowed" in judge(load_task(tmp_path / "add.toml"), tmp_path / "mine.c", 1).message


def test_a_submission_of_a_different_kind_is_refused_by_name(tmp_path):
    assert "mine.asm: this task takes .py" in graded("RET", tmp_path, name="mine.asm").message


def test_a_broken_reference_is_the_tasks_mistake(tmp_path):
    text = (FOLDER / "coalescing" / "task.toml").read_text().replace('starter = "starter.py"\n', "")
    (tmp_path / "task.toml").write_text(text)
    (tmp_path / "reference.py").write_text("nothing = 1\n")
    with pytest.raises(TaskError, match="the reference solution cannot be run: there is no kernel 'solve'"):
        judge(load_task(tmp_path), FOLDER / "coalescing/reference.py", 1, engine="python", trusted=True)


def test_a_link_to_the_reference_is_not_a_submission(tmp_path):
    link = tmp_path / "mine.py"
    link.symlink_to(FOLDER / "guard" / "reference.py")
    found = judge(puzzle("guard"), link, 1, engine="python")
    assert found.got == 0 and "is a symbolic link: hand in the file itself" in found.message


def test_a_file_that_a_compiler_stumbles_over_is_refused_and_ends_no_judge(tmp_path, monkeypatch):
    def stumble(*_, **__):
        raise AssertionError("a register is missing")

    monkeypatch.setattr("warploom.kernel.launch.compile.compile_function", stumble)
    found = graded(RIGHT, tmp_path)
    assert (found.status, found.got) == ("error", 0)
    assert found.message == "it cannot be run: AssertionError: a register is missing"
