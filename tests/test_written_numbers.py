"""Every command writes its numbers in one way: digits in groups of three, a blank before a percent sign; JSON plain."""

import json
import re

import pytest
from click.testing import CliRunner

from tests.places import EXAMPLES
from warploom.cli import main

TINY, GUPPY = str(EXAMPLES / "tiny" / "matmul.asm"), str(EXAMPLES / "guppy" / "load_strided.guppy")
COMMANDS = {
    "run": ["run", TINY, "--engine", "python"],
    "run on warps": ["run", GUPPY, "--gpu", "sm", "--engine", "python"],
    "run that is cut": ["run", GUPPY, "--gpu", "sm", "--engine", "python", "--max-cycles", "20"],
    "profile": ["profile", GUPPY, "--gpu", "sm", "--engine", "python"],
    "compare": ["compare", TINY, "--over", "memory.data_channels=1,2", "--engine", "python"],
    "occupancy": ["occupancy", "--cc", "8.6", "--threads", "256", "--shared", "2048"],
    "occupancy by size": ["occupancy", "--cc", "8.6", "--threads", "256", "--curve"],
    "picture": ["picture", "masks", GUPPY, "--engine", "python"],
    "debug": ["debug", TINY, "--engine", "python", "-x", "end", "-x", "warps"],
}
TIGHT_PERCENT = re.compile(r"\d%")
RUN_TOGETHER = re.compile(r"(?<![\w.#/:=-])\d{4,}(?![\w.:])")
ADDRESSES = re.compile(r"^ *\d+ to \d+: ", re.MULTILINE)  # they are typed again
COMMAS = re.compile(r"\d,\d{3}\b")


@pytest.mark.parametrize("name", COMMANDS)
def test_numbers_are_written_in_one_way(name):
    done = CliRunner().invoke(main, COMMANDS[name])
    assert done.exit_code in (0, 1), done.output
    said = ADDRESSES.sub("", done.output)
    assert not TIGHT_PERCENT.findall(said), done.output
    assert not RUN_TOGETHER.findall(said), RUN_TOGETHER.findall(said)
    assert not COMMAS.findall(said)


@pytest.mark.parametrize("name", [name for name in COMMANDS if name not in ("picture", "debug", "run that is cut")])
def test_json_is_plain(name):
    body = json.loads(CliRunner().invoke(main, [*COMMANDS[name], "--json"]).stdout)
    texts = [value for value in body.values() if isinstance(value, str)]
    assert not [text for text in texts if re.fullmatch(r"[\d ]+%?", text)]
