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
    "draw": ["draw", "{folder}/scene.py", "--engine", "python", "--size", "40", "-o", "{folder}/scene.png"],
    "check": ["check", GUPPY, "--engine", "python"],
    "debug": ["debug", TINY, "--engine", "python", "-x", "end", "-x", "warps"],
    "explore": ["explore", TINY, "-o", "{folder}/page.html"],
    "ladder": ["ladder", TINY, "--explain"],
    "study": ["study"],
    "one study": ["study", "bank-conflicts"],
    "probe": ["probe", "--help"],
    "cost": ["cost", "alu", "registers", "sequencer"],
    "lockstep": ["lockstep", TINY],
    "build": ["build", "{folder}/chip", "--set", "gpu.cores=1"],
    "presets": ["presets"],
    "preset": ["presets", "sm"],
    "settings": ["presets", "--settings"],
    "asm": ["asm", TINY],
    "disasm": ["disasm", "{folder}/words.hex", "-o", "{folder}/again.asm"],
    "cc": ["cc", "--help"],
    "nvcc": ["nvcc", "--help"],
    "fit": ["fit", "--help"],
    "warmup": ["warmup", "--help"],
    "unit": ["unit", "check", "--help"],
    "examples": ["examples"],
    "new": ["new", "{folder}/kernel.py"],
    "docs": ["docs", "warp"],
    "doctor": ["doctor"],
    "completion": ["completion", "bash", "--show"],
    "help": ["help", "run"],
    "grade": ["grade", "--list"],
}
HARDWARE = ("cost", "lockstep", "build")  # they need the extra rtl
# values are typed as they stand, and products have names and years
TYPED = ("presets", "preset", "settings", "doctor", "completion", "examples", "help")
NO_JSON = (
    "picture",
    "debug",
    "run that is cut",
    "explore",
    "one study",
    "probe",
    "cc",
    "nvcc",
    "fit",
    "warmup",
    "unit",
    "new",
    "docs",
    "completion",
    "help",
)
TIGHT_PERCENT = re.compile(r"\d%")
RUN_TOGETHER = re.compile(r"(?<![\w.#/:=-])\d{4,}(?![\w.:])")
ADDRESSES = re.compile(r"^ *\d+ to \d+: ", re.MULTILINE)  # they are typed again
COMMAS = re.compile(r"\d,\d{3}\b")
WORDS = re.compile(r"^ *\d+  [0-9a-f]{4}  [01]{4}(?: [01]{4}){3}", re.MULTILINE)  # instructions
SOURCES = re.compile(r"source: .*(?:\n +.*)*|^ +source: .*$", re.MULTILINE)  # titles and years are others' words


@pytest.fixture
def invoke(tmp_path):
    """A command of COMMANDS, with more options; its files lie in a folder of the test's."""

    def run(name, *more):
        if name in HARDWARE:
            pytest.importorskip("amaranth")
            pytest.importorskip("pyosys")
        if name == "disasm":
            assert CliRunner().invoke(main, ["asm", TINY, "-o", str(tmp_path / "words.hex")]).exit_code == 0
        if name == "draw":
            (tmp_path / "scene.py").write_text("from warploom.graphics import Mesh\nscene = Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]])\n")
        return CliRunner().invoke(main, [*(part.replace("{folder}", str(tmp_path)) for part in COMMANDS[name]), *more])

    return run


def test_every_command_is_here():
    from warploom.cli import COMMANDS as known

    assert {command[0] for command in COMMANDS.values()} == set(known)


@pytest.mark.every(3)
@pytest.mark.parametrize("name", COMMANDS)
def test_numbers_are_written_in_one_way(name, invoke):
    done = invoke(name)
    assert done.exit_code in (0, 1), done.output
    said = SOURCES.sub("", WORDS.sub("", ADDRESSES.sub("", done.output)))
    assert not TIGHT_PERCENT.findall(said), done.output
    assert name in TYPED or not RUN_TOGETHER.findall(said), RUN_TOGETHER.findall(said)
    assert not COMMAS.findall(said)


@pytest.mark.every(3)
@pytest.mark.parametrize("name", [name for name in COMMANDS if name not in NO_JSON])
def test_json_is_plain(name, invoke):
    body = json.loads(invoke(name, "--json").stdout)
    texts = [value for value in body.values() if isinstance(value, str)]
    assert not [text for text in texts if re.fullmatch(r"[\d ]+%?", text)]
