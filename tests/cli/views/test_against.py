"""The run beside the first one: what takes the place of a user's unit, and a slot of which only a part is given."""

import json

import pytest
from click.testing import CliRunner

from tests.places import EXAMPLES
from warploom.cli import main

DIVERGE = str(EXAMPLES / "tiny" / "diverge.asm")
FOLD = """
def fold(s, n):
    return (n ^ n >> 3) % s.places
"""


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "own.py").write_text(FOLD)


def explore(*against, unit="set_hash=own.py:fold"):
    """The first run has a hash of its own for the sets of both caches."""
    words = [word for text in against for word in ("--against", text)]
    given = ["--unit", unit] if unit else []
    return CliRunner().invoke(main, ["explore", DIVERGE, "--gpu", "sm", "--engine", "python", *given, *words, "--json"])


@pytest.mark.parametrize(("given", "left"), [("l1.hash", "l2.hash"), ("l2.hash", "l1.hash")])
def test_a_slot_given_in_part_is_refused_with_the_setting_that_is_missing(given, left):
    """One cache would keep the user's hash, and a slot has one unit."""
    done = explore(f"{given}=xor")
    assert done.exit_code == 2
    said = f"--against: the unit of the slot 'set_hash' stands for l1.hash and l2.hash; change {left} too"
    assert json.loads(done.stdout)["error"] == said
    # So it is beside a change of something else, and of the unit of a different slot.
    assert json.loads(explore(f"{given}=xor", "core.stack_depth=32", "unit.scheduler=oldest").stdout)["error"] == said


@pytest.mark.parametrize(
    ("against", "names"),
    [
        (["l1.hash=xor", "l2.hash=xor"], ["unit.set_hash=own.py:fold", "l1.hash=xor, l2.hash=xor"]),
        (["unit.set_hash=xor"], ["unit.set_hash=own.py:fold", "unit.set_hash=xor"]),
        (["core.stack_depth=32"], ["core.stack_depth=64", "core.stack_depth=32"]),
    ],
)
def test_a_slot_given_as_a_whole_or_not_at_all_is_taken(against, names):
    done = explore(*against)
    assert done.exit_code == 0, done.output
    assert [run["name"] for run in json.loads(done.stdout)["runs"]] == names


def test_one_of_its_settings_is_taken_where_our_own_unit_is_in_the_slot():
    done = explore("l1.hash=xor", unit=None)
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["runs"][1]["name"] == "l1.hash=xor"


def test_the_unit_and_one_of_the_settings_it_stands_for_are_not_given_together():
    done = explore("unit.set_hash=xor", "l1.hash=xor")
    assert done.exit_code == 2
    assert "set_hash" in json.loads(done.stdout)["error"] and "l1.hash" in json.loads(done.stdout)["error"]


def other(*words):
    return CliRunner().invoke(main, ["explore", DIVERGE, "--gpu", "sm", "--engine", "python", *words, "--json"])


@pytest.mark.parametrize(
    ("against", "names"),
    [
        (str(EXAMPLES / "tiny" / "matadd.asm"), ["diverge.asm", "matadd.asm"]),
        ("tiny-simt", ["sm", "tiny-simt"]),
    ],
)
def test_the_other_run_is_of_a_file_or_on_a_machine(against, names):
    done = other("--against", against)
    assert done.exit_code == 0, done.output
    assert [run["name"] for run in json.loads(done.stdout)["runs"]] == names


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--against", "sm"], "--against sm: the first run is the same; give a different one"),
        (["--against", "tiny"], "--against tiny: sm and tiny have no time axis in common: one has warps"),
        (["--against", "tiny-simt", "--against", "core.warps=4"], "--against tiny-simt: a page has two runs; leave core.warps=4 out"),
    ],
)
def test_what_cannot_stand_beside_it_is_refused(words, said):
    done = other(*words)
    assert done.exit_code == 2
    assert json.loads(done.stdout)["error"] == said
