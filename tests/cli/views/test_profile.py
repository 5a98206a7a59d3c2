"""`warploom profile`: what it prints and writes, and what it says to wrong input."""

import json

import pytest
from click.testing import CliRunner

from tests.places import EXAMPLES
from warploom.cli import main
from warploom.cli.views import profile as command
from warploom.observe.profile_report.table import SORTS

STRIDED = EXAMPLES / "guppy" / "load_strided.guppy"
MATMUL = EXAMPLES / "tiny" / "matmul.asm"


def run(*arguments, **environment):
    return CliRunner().invoke(main, ["profile", *map(str, arguments), "--engine", "python"], env={"COLUMNS": "120"} | environment)


def test_the_source_and_the_diagnosis():
    result = run(STRIDED, "--set", "core.warps=8")
    assert (result.exit_code, result.stderr) == (0, "")
    lines = result.stdout.splitlines()
    assert lines[0] == "load_strided on guppy: 1 core x 8 warps x 32 lanes, with core.warps=8; done in 112 cycles"
    limiter = next(line for line in lines if line.startswith("  1. "))
    assert limiter.startswith(
        "  1. 46 % of the time warps wait for the loads of t0 at line 10: each moves 32 lines where 2 would do (stride"
    )
    head = next(line for line in lines if line.startswith("line "))
    assert head.split() == ["line", "heat", "cycles", "issues", "lanes", "access", "hits", "lost", "to", "source"]
    assert lines.index(limiter) < lines.index(head)
    load = next(line for line in lines if line.endswith("ld r1.x, t0.x, r0.x"))
    assert load.split()[0] == "10"
    assert "32/2" in load


def test_json_is_the_same_in_numbers():
    body = json.loads(run(STRIDED, "--json", "--sort", "transactions", "--top", "1").stdout)
    assert [line["line"] for line in body["lines"]] == [10]
    assert (body["status"], body["fault"], body["warnings"]) == ("done", None, [])
    (finding,) = body["diagnosis"]
    assert (finding["rule"], finding["lines"], finding["instructions"]) == ("scattered", [10], [1])
    assert finding["places"] == [{"file": body["file"], "line": 10, "column": 5}]
    assert 0 < finding["cycles"] <= body["warp_cycles"]


def test_a_page(tmp_path):
    page = tmp_path / "profile.html"
    result = run(MATMUL, "-o", page)
    assert (result.exit_code, result.stdout, result.stderr) == (0, "", f"{page} is written\n")
    assert page.read_text(encoding="utf-8").startswith("<!doctype html>")
    assert list(tmp_path.iterdir()) == [page]


def test_a_machine_without_warps_shows_its_states():
    result = run(MATMUL, "--top", "2")
    assert "486 core-cycles: fetch 50.6 %, wait 15.6 %, " in result.stdout
    assert [line.split()[0] for line in result.stdout.splitlines() if "LDR" in line] == ["33", "38"]


def test_a_fault_is_told_below_the_profile_of_what_was_run():
    result = run(EXAMPLES / "tiny" / "diverge.asm")
    assert result.exit_code == 1
    assert "stopped by a fault after" in result.stdout
    assert result.stderr.startswith("error: ")
    assert "the threads of a block disagree on this branch" in result.stderr


@pytest.mark.parametrize("gpu", ["tiny", "tiny-simt"])
def test_a_kernel_that_does_not_end_is_profiled_up_to_there(tmp_path, gpu):
    path = tmp_path / "endless.asm"
    path.write_text(".threads 4\nagain:\n    CMP R0, R0\n    BRnzp again\n    RET\n")
    result = run(path, "--gpu", gpu, "--max-cycles", "300")
    assert result.exit_code == 1
    assert "still running after 300 cycles" in result.stdout
    assert "--max-cycles allows more" in result.stderr


def test_a_machine_without_warps_is_not_followed_for_ever(tmp_path, monkeypatch):
    monkeypatch.setattr(command, "MOST_CYCLES", 500)
    path = tmp_path / "endless.asm"
    path.write_text(".threads 4\nagain:\n    CMP R0, R0\n    BRnzp again\n    RET\n")
    assert "still running after 500 cycles" in run(path).stdout
    assert "still running after 700 cycles" in run(path, "--max-cycles", "700").stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--top", "0"], "error: --top 0: show at least 1 line\n"),
        (["--json", "-o", "x.html"], "--json and -o are two forms of one profile: ask for one of them"),
        (["-o", "x.png"], "error: -o x.png: a profile is written as an .html page; name a file that ends in .html\n"),
        (["-o", "-"], "error: -o writes a file: name one, as in -o profile.html\n"),
        (["-o", STRIDED], f"error: -o {STRIDED}: this file is an input; name a different one\n"),
        (["-o", EXAMPLES], f"error: {EXAMPLES} is a directory: name a file in it\n"),
        (["--sort", "heat"], "'heat' is not one of 'line', 'cycles'"),
    ],
)
def test_wrong_input_is_one_sentence(arguments, message):
    result = run(STRIDED, *arguments)
    assert result.exit_code == 2
    assert message in result.stderr + result.stdout
    assert "Traceback" not in result.output


def test_colours_come_with_a_terminal_only_and_not_against_ones_wish():
    assert "\x1b[" not in run(STRIDED).stdout
    assert "\x1b[" in run(STRIDED, FORCE_COLOR="1").stdout
    assert "\x1b[3" not in run(STRIDED, FORCE_COLOR="1", NO_COLOR="1").stdout


def test_the_keys_of_sort_are_the_tables():
    assert tuple(SORTS) == command.SORTS


def test_what_a_change_would_give_is_run_when_it_is_asked_for():
    asked = run(MATMUL, "--what-if")
    assert "with core.prefetch=true: " in asked.stdout and "times as fast" in asked.stdout
    assert "with core.prefetch" not in run(MATMUL).stdout
    found = json.loads(run(MATMUL, "--what-if", "--json").stdout)["diagnosis"][0]["what_if"]
    assert {trial["change"] for trial in found} == {"fetch.sets=64", "core.prefetch=true"}
    assert all(trial["status"] == "done" and trial["cycles"] < trial["before"] for trial in found)
