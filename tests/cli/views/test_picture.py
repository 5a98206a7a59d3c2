"""`warploom picture`."""

import json

import pytest
from click.testing import CliRunner

from warploom.cli import main

IF = "examples/guppy/if.guppy"


@pytest.fixture(autouse=True)
def plain(monkeypatch):
    for name in ("FORCE_COLOR", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)


def run(*arguments, **more):
    return CliRunner().invoke(main, ["picture", *map(str, arguments), "--engine", "python"], **more)


def test_without_a_file_the_terminal_shows_it():
    result = run("masks", IF)
    assert (result.exit_code, result.stderr) == (0, "")
    assert "\nwarp 0:0     0 #####....##\n" in result.stdout
    assert "diverged (black area) 18.2 %" in result.stdout


def test_colours_where_they_are_wanted(monkeypatch):
    monkeypatch.setenv("COLORTERM", "truecolor")
    monkeypatch.setenv("TERM", "xterm-256color")
    assert "▀" in run("masks", IF, env={"FORCE_COLOR": "1"}).stdout
    assert "▀" not in run("masks", IF, env={"FORCE_COLOR": "1", "NO_COLOR": "1"}).stdout


@pytest.mark.parametrize(("ending", "begins"), [("png", b"\x89PNG"), ("svg", b"<?xml"), ("pdf", b"%PDF"), ("PNG", b"\x89PNG")])
def test_a_file(tmp_path, ending, begins):
    pytest.importorskip("matplotlib")
    path = tmp_path / f"x.{ending}"
    result = run("masks", IF, "-o", path)
    assert (result.exit_code, result.stdout, result.stderr) == (0, "", f"{path} is written\n")
    assert path.read_bytes().startswith(begins)


def test_json_has_the_numbers():
    body = json.loads(run("masks", IF, "--json", "--cycles", "5:8").stdout)
    assert (body["kind"], body["program"], body["machine"]) == ("masks", "if", "guppy")
    assert (body["first"], body["last"], body["bought_lane_cycles"]) == (5, 8, 128)
    assert body["black_area"] == 0.5


def test_a_picture_without_a_meaning_says_so():
    result = run("roofline", "examples/tiny/matadd.asm", "-o", "roofline.png")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("error: a roofline needs arithmetic and memory that work side by side")


def test_every_kind_is_in_the_help():
    from warploom.observe.pictures import KINDS

    text = CliRunner().invoke(main, ["picture", "--help"]).stdout
    assert [kind for kind in KINDS if f"\n    {kind} " not in text] == []


def test_a_kernel_that_ends_with_a_fault_is_drawn_too():
    result = run("masks", "examples/tiny/diverge.asm")
    assert result.exit_code == 1
    assert "core 0       0 " in result.stdout
    assert result.stderr.startswith("error: examples/tiny/diverge.asm:19 (BRz even): the threads of a block disagree")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("mask", IF), "error: there is no picture 'mask', did you mean 'masks'?; there are masks, timeline, "),
        (("masks", IF, "-o", "x.gif"), "error: x.gif: a picture is drawn into a file that ends in .png, .svg or .pdf\n"),
        (("masks", IF, "--cycles", "11:"), "error: there is no cycle 11: the run has 11 cycles, numbered from 0\n"),
        (("masks", IF, "--cycles", "9:3"), "error: --cycles '9:3': the span ends before it begins\n"),
        (("masks", IF, "--cores", "1"), "error: --cores '1': there is no core 1, they are numbered 0 to 0\n"),
        (("issue", IF), "error: the picture issue is drawn into a file: add -o issue.png, or .svg, or .pdf\n"),
        (("masks", "nothing.asm"), "nothing.asm: error: there is no such file\n"),
        (("masks", IF, "-o", "x.png", "--width", "100"), "error: a picture is 500 to 6000 points wide, not 100\n"),
    ],
)
def test_bad_input_is_one_error_and_exit_status_2(arguments, message):
    result = run(*arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith(message)


def test_nothing_is_written_where_the_directory_is_not_there(tmp_path):
    result = run("masks", IF, "-o", tmp_path / "nowhere" / "x.png")
    assert result.exit_code == 2
    assert "x.png cannot be written: No such file or directory" in result.stderr
    assert list(tmp_path.iterdir()) == []
