"""`warploom cost`."""

import json

import pytest
from click.testing import CliRunner

from warploom.cli import main


@pytest.fixture(autouse=True)
def cache(monkeypatch, tmp_path):
    monkeypatch.setenv("WARPLOOM_CACHE", str(tmp_path))


def run(*arguments):
    return CliRunner().invoke(main, ["cost", *arguments])


def test_a_row_a_unit_and_a_remark():
    result = run("pc", "round_robin", "--warps", "2,4")
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert lines[0].split() == ["count", "transistors", "gates", "FF", "depth", "LUT4", "LUT", "depth"]
    assert [line.split()[0] for line in lines[1:4]] == ["pc", "round_robin(2)", "round_robin(4)"]
    assert lines[1].split()[1] == "8"
    assert "never the area or the clock of a product" in " ".join(lines)
    assert max(map(len, lines)) <= 80


def test_the_remark_is_of_what_is_shown():
    unit, mechanism = run("pc").stdout, run("round_robin", "--warps", "2").stdout
    assert "core and gpu hold the units above them" in unit
    assert "In brackets" not in unit
    assert "core and gpu" not in mechanism
    assert "In brackets: warps, lanes of a warp, or ways or entries." in mechanism


def test_the_script_is_printed_when_asked_for():
    assert "synth -flatten -top unit; dfflegalize -cell $_DFF_P_ 01; abc -g cmos2" in run("pc", "--script").stdout


def test_json_has_numbers_and_script():
    body = json.loads(run("pc", "--json").stdout)
    (unit,) = body["units"]
    assert (unit["name"], unit["count"], unit["flip_flops"]) == ("pc", 8, 11)
    assert body["tool"].startswith("Yosys ")
    assert body["script"]["luts"].startswith("synth -flatten -lut 4")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("alus",), "there is no unit 'alus' in hardware"),
        (("round_robin", "--warps", "8,x"), "--warps 8,x: write numbers from 1 to 64, as 8,32"),
        (("stack", "--lanes", "0"), "--lanes 0: write numbers from 1 to 64, as 8,32"),
        (("plru", "--ways", "6"), "ways = 6: the tree needs a power of two"),
        (("alu", "--gpu", "sm"), "core.control = 'pipeline' has no hardware"),
    ],
)
def test_what_has_no_price_is_exit_status_2(arguments, message):
    result = run(*arguments)
    assert result.exit_code == 2
    assert message in result.stderr
