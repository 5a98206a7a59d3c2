"""`warploom examples`."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from tests.places import EXAMPLES
from warploom.cli import main


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def listed(*words):
    return CliRunner().invoke(main, ["examples", *words])


def test_words_choose():
    names = [row["name"] for row in json.loads(listed("product", "--json").stdout)["examples"]]
    assert {"tiny/matmul.asm", "python/matmul.py", "gcn/tiled_product.gcn"} <= set(names)
    assert all(row["name"].startswith("python/") for row in json.loads(listed("python/", "--json").stdout)["examples"])
    for word, name in {
        "multiply": "tiny/matmul.asm",
        "cumsum": "python/scan.py",
        "sorting": "python/sort.py",
        "jupyter": "python/launch.ipynb",
    }.items():
        assert name in listed(word).stdout
    done = listed("no such thing")
    assert (done.exit_code, done.stderr) == (
        2,
        "error: no example has 'no such thing' in its name or description; `warploom examples` lists all\n",
    )


def test_one_is_read_and_copied(here):
    text = (EXAMPLES / "tiny" / "matmul.asm").read_text()
    assert listed("tiny/matmul", "--show").stdout == text
    assert listed("matmul.asm", "--copy", ".").stderr == "matmul.asm is written: `warploom run matmul.asm`\n"
    assert Path("matmul.asm").read_text() == text
    assert listed("matmul.asm", "--copy", ".").exit_code == 2
    assert listed("product", "--show").stderr.startswith("error: this means ")


def test_a_folder_is_copied_as_a_whole_or_not_at_all(here):
    done = listed("graphics/", "--copy", ".")
    names = sorted(path.name for path in (EXAMPLES / "graphics").glob("*.py"))
    assert sorted(path.name for path in here.iterdir()) == names
    assert "garden.py is written: `warploom draw garden.py`\n" in done.stderr
    assert "ray_kernel.py is written: `warploom run ray_kernel.py --gpu sm --set rays.cores=1 picture.png`\n" in done.stderr
    (here / "garden.py").unlink()
    done = listed("graphics", "--copy", ".")
    assert (done.exit_code, done.stderr) == (2, "error: hills.py exists already: name a different folder, or remove it\n")
    assert not (here / "garden.py").exists()
    done = listed("graphics", "--copy", "there")
    assert done.stderr == "error: 4 examples are copied into a folder, and there is no folder there: make it, or name a different one\n"


def test_scenes_say_whether_they_are_drawn_or_run():
    text = listed("graphics").stdout
    said = " ".join(text.split()).split(" graphics/")
    ends = {line.split()[0]: line.partition(" read:")[0].rpartition("(")[2] for line in said[1:5]}
    assert {name: end[:13] for name, end in ends.items()} == {
        "garden.py": "warploom draw", "hills.py": "warploom draw", "ray_kernel.py": "warploom run)", "shadows.py": "warploom run)",
    }  # fmt: skip
    assert text.splitlines()[-2] == "draw: warploom draw graphics/garden.py"
    rows = {row["name"]: row["command"] for row in json.loads(listed("--json").stdout)["examples"]}
    assert rows["graphics/hills.py"] == "warploom draw graphics/hills.py"
    assert rows["graphics/shadows.py"] == "warploom run graphics/shadows.py garden.py shadows.png"
    assert rows["tiny/matmul.asm"] == "warploom run tiny/matmul.asm"


def test_kernels_that_need_arguments_say_so():
    rows = {row["name"]: row["needs_arguments"] for row in json.loads(listed("--json").stdout)["examples"]}
    assert (rows["vortex/saxpy.c"], rows["vortex/hello.c"], rows["python/saxpy.py"]) == (True, False, False)


def test_the_first_command_is_of_the_example_that_has_the_name():
    for words in (["multiply"], ["matrix", "multiplication"], ["gemm"]):
        done = CliRunner().invoke(main, ["examples", *words])
        assert "run: warploom run tiny/matmul.asm" in done.stdout
