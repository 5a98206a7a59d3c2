"""`--launches`: the list of a program's launches, in text, in JSON and in the explorer's page."""

import json

import pytest
from click.testing import CliRunner

from tests.observe.explorer import reader
from tests.places import EXAMPLES
from warploom.cli import main

PROGRAM = """
import numpy as np
from numba import cuda

@cuda.jit
def first(x):
    x[cuda.grid(1)] = 1

@cuda.jit
def second(x):
    x[cuda.grid(1)] += 2

x = cuda.to_device(np.zeros(64, np.int32))
first[2, 32](x)
second[1, 32](x)
print("the program's own words")
"""


@pytest.fixture
def program(tmp_path):
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    return path


def run(*words):
    return CliRunner().invoke(main, [*map(str, words), "--engine", "python"])


def test_all_launches_are_listed_and_the_chosen_one_is_marked(program):
    done = run("profile", program, "--launches", "--launch", "second")
    assert done.exit_code == 0, done.output
    lines = done.stdout.splitlines()
    assert lines[0].split()[:6] == ["launch", "kernel", "grid", "block", "begins", "cycles"]
    assert lines[1].split()[:5] == ["0", "first", "2", "32", "0"] and lines[2].split()[:4] == [">", "1", "second", "1"]
    assert lines[2].split()[5] == lines[1].split()[5]  # it begins when the one before has ended
    assert "own words" not in done.stdout


def test_the_rows_are_in_json_and_in_the_page(program, tmp_path):
    rows = json.loads(run("profile", program, "--launches", "--json").stdout)["launches"]
    assert [(row["launch"], row["kernel"], row["begins"]) for row in rows] == [(0, "first", 0), (1, "second", rows[0]["cycles"])]
    page = tmp_path / "page.html"
    done = run("explore", program, "--launches", "--against", "launch=1", "-o", page)
    assert done.exit_code == 0, done.output
    launches = reader.common(page.read_text())["launches"]
    assert launches["shown"] == [0, 1] and [row["kernel"] for row in launches["rows"]] == ["first", "second"]


def test_a_page_of_the_profile_has_the_list(program, tmp_path):
    page = tmp_path / "profile.html"
    assert run("profile", program, "--launches", "-o", page).exit_code == 0
    assert "Launches of the program" in page.read_text()


def test_a_program_without_a_main_has_none():
    done = run("profile", EXAMPLES / "tiny" / "matadd.asm", "--launches")
    assert done.exit_code == 2
    assert "--launches: only a program with its own main, in Python or CUDA C++, has several" in done.output
