"""Task files: what they say, and one clear error with its place for what they cannot say."""

import pytest

from warploom.grade.drawing import Values, ceil
from warploom.grade.lines import line_of
from warploom.grade.task import TaskError
from warploom.grade.task_file import load_task

GOOD = """title = "Double"
text = "out = 2 x"

[inputs]
n = "int(rng.integers(20, 33))"
x = "rng.integers(0, 100, n).astype('int32')"

[outputs.out]
start = "np.zeros(n, 'int32')"
expected = "2 * x"

[launch]
kernel = "solve"
arguments = ["x", "out"]
grid = "ceil(n, 32)"
block = 32
"""


def written(folder, text):
    path = folder / "task.toml"
    path.write_text(text)
    return path


def test_a_task_is_read_from_its_file_and_from_its_folder(tmp_path):
    path = written(tmp_path, GOOD)
    task = load_task(path)
    assert load_task(tmp_path) == task
    assert (task.title, task.takes, task.cases, dict(task.points), task.launch.arguments) == (
        "Double",
        (".py",),
        2,
        {"outputs": 1},
        ("x", "out"),
    )


MISTAKES = [
    ("title = ", "titel = ", ":1: a task has no 'titel', did you mean 'title'?"),
    ("kernel = ", "kernal = ", ":13: [launch] has no 'kernal', did you mean 'kernel'?"),
    ('["x", "out"]', '["x", "ouut"]', ":14: there is no input or output 'ouut', did you mean 'out'?"),
    ('expected = "2 * x"\n', "", ":8: out has no expected values: add expected = ..., or a reference solution"),
    ("start = \"np.zeros(n, 'int32')\"\n", "", ":8: out has no start: say what it holds before"),
    ("block = 32\n", "", ":12: block is missing: a kernel in Python needs kernel, arguments, grid and block"),
    ('text = "out = 2 x"', 'text = "a"\ncases = 0', ":3: cases = 0: inputs are drawn 1 to 100 times"),
    ('text = "out = 2 x"', 'text = "a"\nreference = "gone.py"', ":3: reference = 'gone.py': there is no such file in"),
    ("block = 32", "block = 32\n[points]\ncycels = 2", ":18: [points] has no 'cycels', did you mean 'cycles'?"),
    ("block = 32", "block = 32\n[points]\noutputs = 1\ncycles = 2", ":19: there are points for cycles and no limit: add it to [limits]"),
    ("block = 32", "block = 32\n[limits]\ncycles = 2", ":18: cycles is measured beside a reference solution"),
    ("block = 32", 'block = 32\n[findings]\nforbid = ["races"]', ":18: there is no finding 'races', did you mean 'race'?"),
    ("block = 32", 'block = 32\n[machine]\ngpu = "smm"', ":18: "),
    ("block = 32", 'block = 32\n[[mistake]]\nmessage = "a"', ":17: a [[mistake]] has a message and one sign"),
    ("block = 32", "block = 32\n[sandbox]\nseconds = 0", ":18: seconds = 0: write a whole number from 1 on"),
    ("block = 32", "block = ", "this is not TOML"),
]


@pytest.mark.parametrize(("old", "new", "message"), MISTAKES, ids=[row[1][:24].replace("\n", " ") for row in MISTAKES])
def test_a_mistake_is_one_sentence_with_its_place(tmp_path, old, new, message):
    assert old in GOOD
    path = written(tmp_path, GOOD.replace(old, new, 1))
    with pytest.raises(TaskError) as caught:
        load_task(path)
    text = str(caught.value)
    assert text.startswith(str(path)) and message in text and "\n" not in text


def test_a_file_that_is_not_there_is_one_sentence(tmp_path):
    with pytest.raises(TaskError, match=r"cannot be read: No such file or directory; name a task file, or a folder with a task\.toml"):
        load_task(tmp_path)


def test_inputs_are_drawn_from_the_seed_and_differ_between_cases(tmp_path):
    task = load_task(written(tmp_path, GOOD))
    one, again, other, second = (Values(task, *which).inputs for which in ((1, 0), (1, 0), (2, 0), (1, 1)))
    assert (one["x"] == again["x"]).all() and one["n"] == again["n"]
    assert list(one["x"]) != list(other["x"]) and list(one["x"]) != list(second["x"])


def test_an_expression_that_fails_names_its_line_and_what_it_can_use(tmp_path):
    task = load_task(written(tmp_path, GOOD.replace("rng.integers(0, 100, n)", "rng.integers(0, 100, m)")))
    with pytest.raises(
        TaskError, match=r"task\.toml:6: x = .* cannot be evaluated: NameError: name 'm' is not defined; it can use np, ceil"
    ):
        Values(task, 1, 0)


def test_an_extent_is_a_whole_number(tmp_path):
    task = load_task(written(tmp_path, GOOD.replace('grid = "ceil(n, 32)"', 'grid = "n / 32"')))
    with pytest.raises(TaskError, match=r"task\.toml:15: grid = 'n / 32' gives .*: it is a whole number"):
        Values(task, 1, 0).whole("launch", "grid", task.launch.grid)


def test_the_line_of_a_key():
    text = "a = 1\n[b]\na = 2\n[outputs.c]\nd = 3\n"
    assert [line_of(text, *where) for where in (("", "a"), ("b", "a"), ("b", ""), ("outputs.c", "d"), ("b", "zz"), ("q", "a"))] == [
        1,
        3,
        2,
        5,
        2,
        0,
    ]
    assert [ceil(value, 32) for value in (0, 1, 32, 33)] == [0, 1, 1, 2]
