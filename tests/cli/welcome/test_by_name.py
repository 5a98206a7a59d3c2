"""Examples are found by their names, from any folder, and a user's own file wins."""

import pytest
from click.testing import CliRunner

from tests.places import EXAMPLES
from warploom.cli import main
from warploom.cli.welcome.shipped import examples, find


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*words):
    done = CliRunner().invoke(main, ["run", *words, "--quiet"])
    return done.exit_code, done.stderr


def test_a_bare_name_says_which_example_it_is():
    both = "matmul: the example tiny/matmul.asm that ships with warploom; python/matmul.py has this name too\n"
    assert run("matmul") == (0, both)
    assert run("matmul.asm") == (0, "matmul.asm: the example tiny/matmul.asm that ships with warploom\n")
    assert run("examples/tiny/matmul.asm")[0] == 0
    assert run("tiny/matmul")[0] == 0


def test_a_file_of_the_users_wins(here):
    (here / "matmul.asm").write_text(".threads 4\nRET\n")
    assert run("matmul.asm") == (0, "")


def test_a_name_that_no_example_has_is_a_missing_file():
    assert run("matmull.asm") == (2, "matmull.asm: error: there is no such file\n")
    assert find("../tiny/matmul") == find("/etc/passwd") == find("tiny") == find("") == []


def test_what_is_written_goes_to_this_folder(here):
    done = CliRunner().invoke(main, ["explore", "matadd", "--engine", "python"])
    assert (done.exit_code, [path.name for path in here.iterdir()]) == (0, ["matadd.html"])


def test_scenes_are_found_too(here):
    done = CliRunner().invoke(main, ["draw", "examples/graphics/garden.py", "--size", "8", "--quiet", "--engine", "python"])
    assert done.exit_code == 0 and (here / "garden.png").is_file()
    assert done.stderr == "examples/graphics/garden.py: the example graphics/garden.py that ships with warploom\n"
    assert find("hills") == [EXAMPLES / "graphics" / "hills.py"]


def test_every_example_has_a_sentence_and_is_found_by_its_name():
    listed = examples()
    assert len(listed) > 60
    for example in listed:
        assert 10 < len(example.about) < 250 and "\n" not in example.about, example
        assert find(example.name) == [example.path]
    files = {path for path in EXAMPLES.glob("*/*") if path.suffix != ".elf" and path.name != "floor.py" and path.is_file()}
    assert {example.path for example in listed} == files
