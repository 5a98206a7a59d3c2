"""`warploom compare`."""

import csv
import json

import pytest
from click.testing import CliRunner

from warploom.cli import main
from warploom.cli.studies.compare import _macros

MATMUL = "examples/tiny/matmul.asm"
DIVERGE = "examples/tiny/diverge.asm"
CHANNELS = ("--over", "memory.data_channels=1..4*2")


def run(*arguments):
    return CliRunner().invoke(main, ["compare", *map(str, arguments), "--jobs", "1", "--engine", "python"])


def test_the_table_has_a_row_a_run():
    result = run(MATMUL, *CHANNELS)
    assert (result.exit_code, result.stderr) == (0, "")
    lines = [line.split() for line in result.stdout.splitlines()]
    assert lines[0] == ["matmul", "on", "tiny,", "3", "runs"]
    assert lines[2][:3] == ["memory.data_channels", "cycles", "speed-up"]
    assert [line[:3] for line in lines[3:6]] == [["1", "596", "1.00"], ["2", "526", "1.13"], ["4", "491", "1.21"]]
    assert " ".join(lines[7])[:11] == "not shown: "


def test_a_fault_is_a_row_and_a_sentence_and_no_failure():
    result = run(DIVERGE, "--over", "core.divergence=uniform,stack")
    assert result.exit_code == 0
    assert [line.split()[1] for line in result.stdout.splitlines()[3:5]] == ["error", "done"]
    assert "core.divergence=uniform: error: examples/tiny/diverge.asm:" in result.stdout


def test_when_no_run_ends_well_the_exit_status_is_1():
    assert run(MATMUL, *CHANNELS, "--max-cycles", 10).exit_code == 1


def test_json_has_all_rows_with_all_counters():
    body = json.loads(run(MATMUL, *CHANNELS, "--json").stdout)
    assert (body["program"], body["gpu"], body["over"]) == ("matmul", "tiny", {"memory.data_channels": [1, 2, 4]})
    assert [row["cycles"] for row in body["rows"]] == [596, 526, 491]
    assert body["rows"][0]["data_requests"] > 0
    assert body["notes"] == []


def test_csv_in_a_file_and_on_standard_output(tmp_path):
    path = tmp_path / "runs.csv"
    result = run(MATMUL, *CHANNELS, "--csv", path)
    assert f"{path} is written" in result.stderr
    assert [row["cycles"] for row in csv.DictReader(path.open())] == ["596", "526", "491"]
    assert run(MATMUL, *CHANNELS, "--csv", "-").stdout == path.read_text()


def test_parquet(tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "runs.parquet"
    assert run(MATMUL, *CHANNELS, "--parquet", path).exit_code == 0
    assert parquet.read_table(path)["cycles"].to_pylist() == [596, 526, 491]


def test_a_plot_shows_the_metric_that_was_asked_for(tmp_path):
    pytest.importorskip("matplotlib")
    path = tmp_path / "runs.svg"
    assert run(MATMUL, *CHANNELS, "-o", path, "--metric", "ipc", "--quiet").exit_code == 0
    text = path.read_text()
    assert "ipc (instructions per cycle)" in text
    assert "memory.data_channels (channels)" in text


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            (MATMUL, "--gpu", "tiny,sm"),
            "error: nothing varies: add --over NAME=VALUES, as --over core.warps=1..32*2; several machines are --over gpu=tiny,sm, "
            "and several kernels several files (the launches of one are lines of `warploom run`)\n",
        ),
        ((MATMUL, "--over", "gpu.cores"), "error: --over 'gpu.cores': write a setting and its values, as core.warps=1,2,4..16\n"),
        (
            (MATMUL, "--over", "gpu.cores=1", "--over", "gpu.cores=2"),
            "error: --over 'gpu.cores=2': gpu.cores has values already; write them all with commas between them\n",
        ),
        ((MATMUL, "--over", "gpu.cores=4..1"), "error: gpu.cores=4..1: the range 4..1 ends before it begins\n"),
        (
            (MATMUL, "--over", "core.divergence=stak"),
            "error: core.divergence = 'stak': it is one of ",
        ),
        (
            (MATMUL, *CHANNELS, "-o", "x.jpg"),
            "error: x.jpg: a figure is drawn into a file that ends in .png, .svg, .pdf\n",
        ),
        ((MATMUL, *CHANNELS, "--metric", "ipc"), "error: --metric says what a plot shows, and there is none: write -o FILE too\n"),
        (
            (MATMUL, *CHANNELS, "--metric", "cycle", "-o", "x.png"),
            "error: --metric 'cycle': there is no such metric, did you mean 'cycles'?; there are cycles, instructions, ipc, ",
        ),
        ((MATMUL, *CHANNELS, "--relative"), "error: --relative says how a plot is drawn, and there is none: write -o FILE too\n"),
        (
            (MATMUL, *CHANNELS, "--seeds", "1..3"),
            "error: --seeds 1..3: no run would see it; write {seed} where the program reads it, as --args",
        ),
        ((MATMUL, *CHANNELS, "--arg", "n={seed}"), "error: --arg has {seed}, and there are no seeds: add --seeds 1..5\n"),
        ((MATMUL, *CHANNELS, "--arg", "n={seed}", "--seeds", "4"), "error: an interval needs two seeds or more, as 1..5\n"),
        ((MATMUL, *CHANNELS, "--arg", "n={seed}", "--seeds", "a,b"), "error: seed 'a': a seed is a whole number\n"),
        ((MATMUL, MATMUL, *CHANNELS), "error: matmul is compared twice: name it once\n"),
        ((MATMUL, *CHANNELS, "--csv", MATMUL), f"error: --csv {MATMUL}: this file is an input; name a different one\n"),
        ((MATMUL, *CHANNELS, "--parquet", "-"), "error: --parquet writes a file: name one\n"),
        (
            (MATMUL, *CHANNELS, "--csv", "x.png", "-o", "x.png"),
            "error: -o and --csv would both be written to x.png: name another file for one of them\n",
        ),
        (("none.asm", *CHANNELS), "none.asm: error: there is no such file"),
    ],
)
def test_bad_input_is_one_error_and_exit_status_2(arguments, message):
    result = run(*arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith(message)
    assert "Traceback" not in result.stderr


def test_json_and_csv_do_not_share_standard_output():
    body = json.loads(run(MATMUL, *CHANNELS, "--json", "--csv", "-").stdout)
    assert body["error"] == "--json and --csv would both be written to -: name another file for one of them"


def test_several_kernels_and_their_geometric_mean(tmp_path):
    pytest.importorskip("matplotlib")
    result = run(MATMUL, "examples/tiny/matadd.asm", *CHANNELS, "-o", tmp_path / "both.svg")
    assert result.exit_code == 0
    lines = [line.split() for line in result.stdout.splitlines()]
    assert lines[0] == ["2", "kernels", "on", "tiny,", "6", "runs"]
    assert [line[:3] for line in lines[9:12]] == [["geometric", "mean", channels] for channels in "124"]
    assert "geometric mean" in (tmp_path / "both.svg").read_text()


SEEDED = """import sys
import numpy as np
from numba import cuda

@cuda.jit
def steps(x, n):
    for k in range(n[cuda.grid(1)]):
        x[cuda.grid(1)] += k

steps[1, 8](np.zeros(8, np.int32), np.random.default_rng(int(sys.argv[1])).integers(0, 9, 8).astype(np.int32))
"""


def test_seeds_reach_the_program(tmp_path):
    script = tmp_path / "steps.py"
    script.write_text(SEEDED)
    over = ("--gpu", "sm", "--over", "core.scheduler=oldest,round_robin", "--args", "{seed}", "--seeds", "1..3")
    body = json.loads(run(script, *over, "--json").stdout)
    assert (body["seeds"], [row["seed"] for row in body["rows"]]) == ([1, 2, 3], [1, 1, 2, 2, 3, 3])
    assert len({row["memory"] for row in body["rows"]}) == 3
    assert [row["runs"] for row in body["summary"]] == [3, 3]
    assert body["summary"][0]["cycles"] == sum(row["cycles"] for row in body["rows"][::2]) / 3
    assert body["summary"][0]["cycles_interval"] > 0
    shown = run(script, *over).stdout
    assert "±" in shown
    assert "means of 3 seeds" in shown


def test_help_has_examples():
    shown = run("--help").stdout
    assert "warploom compare diverge.asm --over core.divergence=uniform,stack" in shown


def test_if_conversion_lets_lanes_that_disagree_run_under_any_mechanism(tmp_path):
    kernel = tmp_path / "odd.asm"
    kernel.write_text(".threads 4\nCONST R1, #2\nCMP %threadIdx, R1\nBRn low\nADD R2, R1, R1\nlow:\nSTR %threadIdx, R2\nRET\n")
    over = ("--over", "core.divergence=uniform,stack", "--json")
    plain = json.loads(run(kernel, *over).stdout)["rows"]
    converted = json.loads(run(kernel, *over, "--if-convert", 4).stdout)["rows"]
    assert [row["status"] for row in plain] == ["error", "done"]
    assert [row["status"] for row in converted] == ["done", "done"]
    assert {row["memory"] for row in converted} == {plain[1]["memory"]}
    assert [row["diverged_branches"] for row in converted] == [0, 0]


def test_if_conversion_of_nothing_is_said(tmp_path):
    """A store is no computation."""
    kernel = tmp_path / "odd.asm"
    kernel.write_text(".threads 4\nCONST R1, #2\nCMP %threadIdx, R1\nBRn low\nSTR %threadIdx, R1\nlow:\nRET\n")
    result = run(kernel, "--over", "core.divergence=stack,its", "--if-convert", 4)
    assert result.exit_code == 0
    assert "--if-convert 4 changes nothing: no branch leads over at most so many instructions that only compute" in result.stderr


def test_if_conversion_over_a_negative_number_is_refused():
    result = run(DIVERGE, "--over", "core.divergence=stack", "--if-convert", -1)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == "error: --if-convert -1: write how many instructions a branch may skip, 0 or more\n"


def test_macros_vary_in_all_combinations():
    assert _macros({"TILE": "8..32*2", "N": "1"}) == [("TILE=8", "N=1"), ("TILE=16", "N=1"), ("TILE=32", "N=1")]
    assert _macros({}) == [()]


def test_a_macro_of_a_program_that_has_none_is_refused():
    done = run(MATMUL, "--over", "-DN=1,2")
    assert done.exit_code == 2 and "-D" in done.output
