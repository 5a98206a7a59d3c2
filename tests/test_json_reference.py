"""The keys of each command's JSON are those of the reference; nothing is left out there."""

import json
import re

import pytest
from click.testing import CliRunner

from tests.places import EXAMPLES, ROOT
from warploom.cli import COMMANDS, main

PAGE = (ROOT / "docs" / "reference" / "json.md").read_text(encoding="utf-8")
ROWS = dict(re.findall(r"^\| `([^`]+)` \| (.+) \|$", PAGE.partition("Inside:")[0], re.MULTILINE))
ADD = str(EXAMPLES / "tiny" / "matadd.asm")
SCRIPT = """import numpy as np
from numba import cuda

@cuda.jit
def twice(x):
    x[cuda.grid(1)] *= 2

x = np.ones(32, np.float32)
twice[1, 32](x)
twice[1, 32](x)
"""


def keys(row):
    return set(re.findall(r"`([^`]+)`", ROWS[row].partition(";")[0].partition(", and what")[0]))


def body(*words, status=0):
    done = CliRunner().invoke(main, [*words, "--json"])
    assert done.exit_code == status, done.output
    return json.loads(done.stdout)


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ("run FILE", ("run", ADD)),
        ("asm FILE", ("asm", ADD)),
        ("compare FILE", ("compare", ADD, "--over", "gpu.cores=1,2", "--jobs", "1")),
        ("debug FILE -x COMMAND", ("debug", ADD, "-x", "step 3")),
        ("study", ("study",)),
        ("grade --list", ("grade", "--list")),
        ("presets", ("presets",)),
        ("presets --gpu PRESET", ("presets", "--gpu", "sm")),
        ("examples", ("examples",)),
    ],
)
def test_the_keys_are_those_of_the_reference(row, words):
    assert set(body(*words)) == keys(row)


@pytest.mark.parametrize(("row", "words"), [("run FILE.py", ("run",)), ("profile FILE", ("profile",)), ("disasm FILE.py", ("disasm",))])
def test_the_keys_of_a_python_program_are_those_of_the_reference(row, words, tmp_path):
    (tmp_path / "twice.py").write_text(SCRIPT)
    assert set(body(*words, str(tmp_path / "twice.py"))) == keys(row)


def test_a_mistake_has_the_keys_of_the_reference():
    found = body("run", "nothing.asm", status=2)
    assert set(found) == {"status", "error", "diagnostics"}
    said = re.search(r"^\| `diagnostics` \|(.*)$", PAGE, re.MULTILINE)[1]
    assert set(found["diagnostics"][0]) == set(re.findall(r"`(\w+)`", said))


def test_every_command_with_json_stands_in_the_reference():
    named = {row.split()[0] for row in ROWS}
    with_json = {name for name in COMMANDS if any(option.name == "as_json" for option in main.get_command(None, name).params)}
    assert with_json <= named


def test_a_later_launch_says_that_it_starts_cold(tmp_path):
    (tmp_path / "twice.py").write_text(SCRIPT)
    found = CliRunner().invoke(main, ["profile", str(tmp_path / "twice.py"), "--launch", "1"])
    assert "note: launch 1 starts cold, without launch 0\n" in found.stderr
    first = CliRunner().invoke(main, ["profile", str(tmp_path / "twice.py"), "--launch", "0"])
    assert "cold" not in first.stderr
    assert body("profile", str(tmp_path / "twice.py"), "--launch", "1")["warnings"][0]["severity"] == "note"
