"""A submission for the shuttle: it passes the shuttle's rules, and its test is the model's run."""

import ast
import importlib.util
import json
import re
import shutil
import subprocess

import pytest
from click.testing import CliRunner

from tests.places import EXAMPLES
from warploom import GPU, load, rtl
from warploom.cli import main
from warploom.rtl.prices import Cost
from warploom.rtl.shuttle.area import TILES, estimate
from warploom.rtl.shuttle.info import PINS, parsed, problems, written

MATADD = EXAMPLES / "tiny" / "matadd.asm"
SMALL = {"gpu.cores": 1, "core.threads_per_block": 1, "memory.data_channels": 1}
SETTINGS = [word for name, value in SMALL.items() for word in ("--set", f"{name}={value}")]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("tile")
    arguments = ["build", str(place), "--target", "tinytapeout", "--author", 'Ada "A" L.', "--replay", str(MATADD), *SETTINGS]
    found = CliRunner().invoke(main, arguments)
    assert found.exit_code == 0, found.output
    return place


@pytest.fixture
def copy(folder, tmp_path):
    return shutil.copytree(folder, tmp_path / "copy")


@pytest.mark.slow
def test_it_passes_the_shuttles_rules(folder):
    assert problems(folder) == []
    info = parsed((folder / "info.yaml").read_text())
    assert info["project"]["author"] == 'Ada "A" L.'
    assert info["project"]["source_files"] == ["project.v"]
    assert tuple(info["pinout"]) == PINS
    assert info["project"]["tiles"] in TILES


@pytest.mark.parametrize(
    ("right", "wrong", "said"),
    [
        ("yaml_version: 6", "yaml_version: 5", "yaml_version is 5: it is 6"),
        ('title: "A small GPU"', 'title: ""', "project.title is empty"),
        ('  top_module: "tt_um_warploom"', '  top_module: "warploom"', "project.top_module is 'warploom': it begins with tt_um_"),
        ('  "uio[7]": ""\n', "", "pinout: uio[7] missing"),
        ('  "uio[7]": ""\n', '  "uio[7]": ""\n  "uio[8]": "more"\n', "pinout: there are no pins uio[8]"),
        ('    - "project.v"', '    - "other.v"', "project.source_files: there is no src/other.v"),
        ('    - "project.v"', '    - "project.py"', "project.source_files: project.py is not Verilog"),
        ('  source_files:\n    - "project.v"\n', "", "project.source_files is missing"),
        ("clock_hz: 10000000", 'clock_hz: "fast"', "project.clock_hz is 'fast': it is a whole number"),
        ("project:", "a line without a colon\nproject:", "info.yaml cannot be read: line 1: 'a line without a colon' is neither"),
    ],
)
def test_what_breaks_a_rule_is_said(copy, right, wrong, said):
    info = copy / "info.yaml"
    text = info.read_text()
    assert right in text
    info.write_text(text.replace(right, wrong))
    assert any(problem.startswith(said) for problem in problems(copy)), problems(copy)


def test_a_missing_file_is_said(copy):
    (copy / "docs/info.md").unlink()
    assert problems(copy) == ["there is no docs/info.md"]


def test_reading_is_the_inverse_of_writing():
    info = {"project": {"title": 'a: "b" \\ c', "clock_hz": 5, "source_files": ["x.v", "y.v"]}, "pinout": {"ui[0]": ""}, "yaml_version": 6}
    assert parsed(written(info)) == info
    assert parsed("# a comment\nproject:\n  title: plain words  # and why\n\nyaml_version: 6\n")["project"] == {"title": "plain words"}


def test_its_test_expects_what_the_model_gave(folder):
    result = GPU("tiny-original", set=SMALL).run(load(MATADD))
    tree = ast.parse((folder / "test/test.py").read_text())
    values = {
        node.targets[0].id: node.value for node in tree.body if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
    }
    assert ast.literal_eval(values["CYCLES"]) == result.cycles
    assert ast.literal_eval(values["EXPECTED"]) == result.memory[:32].tolist()
    assert ast.literal_eval(values["THREADS"]) == 8
    assert json.loads((folder / "src/config.json").read_text())["CLOCK_PERIOD"] == 100
    ports = re.search(r"module tt_um_warploom\(([^;]*)\);", (folder / "src/project.v").read_text())[1]
    assert {port.strip() for port in ports.split(",")} == {"ui_in", "uo_out", "uio_in", "uio_out", "uio_oe", "ena", "clk", "rst_n"}


@pytest.mark.slow
@pytest.mark.skipif(not importlib.util.find_spec("cocotb"), reason="there is no cocotb")
@pytest.mark.skipif(not shutil.which("iverilog"), reason="there is no Icarus Verilog")
def test_its_test_passes_with_cocotb_and_icarus(copy):
    done = subprocess.run(["make"], cwd=copy / "test", capture_output=True, text=True, check=False)
    assert "FAIL=0" in done.stdout, done.stdout + done.stderr


def test_tiles_follow_the_point_of_calibration():
    known = estimate(Cost("the known tile", 1, 0, 12184, 1211, 0, 0, 0))
    assert known.cells == pytest.approx(87916, rel=0.01)
    assert known.tiles == "6x2"
    assert estimate(Cost("small", 1, 0, 100, 10, 0, 0, 0)).tiles == "1x1"
    with pytest.raises(rtl.NoHardware, match="take fewer cores"):
        estimate(Cost("huge", 1, 0, 10**6, 10**5, 0, 0, 0))


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--target", "tinytapeout", "--replay", str(MATADD)], "the shuttle wants to know who submits: add --author NAME"),
        (["--target", "tinytapeout", "--author", "A"], "its test runs a program through the pins: add --replay FILE"),
        (["--author", "A"], "--author is for a submission: add --target tinytapeout"),
        (["--words", "16"], "--words is for memories on the chip: add --target tinytapeout or ice40up5k or ecp5"),
        (["--target", "tinytapeout", "--author", "A", "--replay", str(MATADD), "--words", "8", *SETTINGS],
         "matadd has 13 instructions, and the tile 8 words: add --words 16"),
        (["--target", "tinytapeout", "--author", "A", "--replay", str(MATADD), "--bytes", "8", *SETTINGS],
         "matadd uses 24 bytes of data memory, and the tile has 8: add --bytes 32"),
    ],
)  # fmt: skip
def test_what_cannot_be_submitted_is_refused(arguments, said, tmp_path):
    found = CliRunner().invoke(main, ["build", str(tmp_path / "x"), *arguments])
    assert found.exit_code == 2
    assert said in found.stderr
