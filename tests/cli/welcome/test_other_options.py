"""An option that a command does not have leads to what is here in its place."""

import json

import pytest
from click.testing import CliRunner

from warploom.cli import main

TYPED = {
    "debug k.py --batch": "commands of the debugger: `warploom debug k.py -x COMMAND`",
    "profile k.py --launch-skip 1": "did you mean `--launch N|NAME`: which launch, where the source has several",
    "profile k.py --launhc 1": "did you mean `--launch N|NAME`",
    "run k.py --profile": "a command of its own: `warploom profile k.py`",
    "run k.py --occupancy": "a command of its own: `warploom occupancy --help`",
    "check k.py --racecheck": "to find races, bounds faults and wrong barriers: `warploom check k.py`",
    "profile k.py --roofline": "to draw this of a run: `warploom picture roofline k.py`",
    "run k.py --warps 8": "a setting of the machine: `--set core.warps=VALUE`",
    "run k.py --l2-size 4M": "settings of l2 are given as `--set l2.NAME=VALUE`: `warploom presets --settings`",
    "run k.py --relative": "`warploom compare` has it",
    "run k.py --dry-run": "options of the program itself stand after --: `warploom run FILE -- --dry-run`",
    "grade --class x": "a folder of submissions: `warploom grade TASK SUBMISSIONS/`",
    "explore k.py --zzz": "all there are: `warploom explore --help`",
}


def said(*words):
    done = CliRunner().invoke(main, words)
    assert (done.exit_code, done.stdout) == (2, ""), done.output
    return done.stderr


@pytest.mark.parametrize("typed", TYPED)
def test_what_is_here_in_its_place(typed):
    option = next(word for word in typed.split() if word.startswith("-"))
    assert f"Error: there is no option {option} here; {TYPED[typed]}" in said(*typed.split())


def test_what_is_too_much_or_missing_is_shown_by_an_example():
    assert "unexpected extra argument (256), as in `warploom occupancy --cc 8.6 --threads 256 " in said("occupancy", "256")
    assert "Missing argument 'FILE', as in `warploom debug matmul.asm`" in said("debug", "--args", "k.py")


def test_json_has_the_same_sentence():
    done = CliRunner().invoke(main, ["profile", "k.py", "--page", "raw", "--json"])
    assert json.loads(done.stdout)["error"] == "there is no option --page here; all counters: `warploom profile k.py --json`"
