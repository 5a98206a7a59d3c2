"""`warploom occupancy`."""

import json

import pytest
from click.testing import CliRunner

from warploom.cli import main
from warploom.machine.occupancy.calculator import curve

KERNEL = ("--cc", "8.6", "--threads", "256", "--registers", "40", "--shared", "8192")


def run(*arguments):
    return CliRunner().invoke(main, ["occupancy", *arguments])


def test_the_table_names_what_limits():
    result = run(*KERNEL)
    assert result.exit_code == 0
    lines = [line.split() for line in result.stdout.splitlines()]
    assert "6 blocks, 48 of 48 warps, occupancy 100.0 %; limited by warps and registers" in result.stdout
    assert ["registers", "10", "240", "65", "536", "6", "<-", "limits"] in lines
    assert ["shared", "memory,", "bytes", "9", "216", "102", "400", "11"] in lines


def test_a_machine_here_counts_vector_and_scalar_registers():
    result = run("--gpu", "gcn", "--vgprs", "40", "--sgprs", "100")
    assert "24 blocks, 24 of 40 warps, occupancy 60.0 %; limited by registers" in result.stdout
    body = json.loads(run("--gpu", "gcn", "--vgprs", "24", "--sgprs", "102", "--json").stdout)
    assert (body["gpu"], body["threads"], body["scalars"]) == ("gcn", 64, 102)
    assert (body["warps"], body["limiting"], body["needs"]["scalars"]) == (28, ["scalars"], 112)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "say of what: --cc 8.6 for a real GPU of NVIDIA's, or --gpu gcn for a machine here"),
        (("--cc", "8.6", "--gpu", "gcn"), "--cc and --gpu each say of what: leave one of them out"),
        (("--cc", "8.6"), "say how many --threads a block has"),
        (("--cc", "8.6", "--threads", "32", "--sgprs", "8"), "--sgprs is of machines that count scalar registers: use it with --gpu gcn"),
        (("--gpu", "sm", "--sgprs", "8"), "scalars = 8: this machine does not count scalar registers; one that does: gcn"),
        (("--gpu", "gcn", "--sgprs", "-1"), "scalars = -1: a warp has 0 scalar registers (not counted) or more"),
        (("--gpu", "gcn", "--threads", "0"), "threads = 0: a block has at least 1 thread"),
        (
            ("--gpu", "gcn", "--carveout", "5"),
            "--carveout is of real GPUs: use it with --cc, or set shared.carveout in the machine's TOML file",
        ),
    ],
)
def test_what_does_not_go_together_is_one_sentence(arguments, said):
    result = run(*arguments)
    assert (result.exit_code, result.stdout, result.stderr) == (2, "", f"error: {said}\n")


def test_the_chart_is_as_high_as_the_occupancy():
    rows = [line[7:71].ljust(64)[::2] for line in run(*KERNEL).stdout.splitlines() if line[6:7] == "|"]
    points = list(curve("8.6", 40, 8192).values())
    eighths = ["▁▂▃▄▅▆▇█".find(cell) + 1 for row in rows for cell in row]
    heights = [sum(eighths[column::32]) for column in range(32)]
    assert heights == [round(point.occupancy * 64) for point in points]


def test_the_chart_points_at_the_asked_block_size():
    lines = run(*KERNEL).stdout.splitlines()
    assert lines[-2].index("^") == lines[-1].index("256") + 2


def test_json_has_the_occupancy_as_a_fraction():
    body = json.loads(run(*KERNEL, "--json").stdout)
    assert (body["blocks"], body["warps"], body["occupancy"]) == (6, 48, 1.0)
    assert body["limits"] == {"warps": 6, "blocks": 16, "registers": 6, "shared": 11}
    assert body["limiting"] == ["warps", "registers"]
    assert "curve" not in body
    assert json.loads(run("--cc", "7.5", "--threads", "64", "--json").stdout)["limits"]["shared"] is None


def test_the_curve_has_a_row_a_block_size():
    shown = run(*KERNEL, "--curve").stdout
    assert ["768", "2", "48", "100.0", "%", "warps", "and", "registers"] in [line.split() for line in shown.splitlines()]
    body = json.loads(run(*KERNEL, "--curve", "--json").stdout)
    assert [point["threads"] for point in body["curve"]] == list(range(32, 1025, 32))
    assert body["curve"][23] == {
        "threads": 768,
        "blocks": 2,
        "warps": 48,
        "occupancy": 1.0,
        "limits": {"warps": 2, "blocks": 16, "registers": 2, "shared": 11},
        "limiting": ["warps", "registers"],
        "reason": "",
    }


def test_a_block_that_does_not_fit_is_explained():
    result = run("--cc", "8.6", "--threads", "1024", "--registers", "80")
    reason = "a block of 1 024 threads with 80 registers per thread needs 81 920 registers, a core has 65 536"
    assert (result.exit_code, f"no block fits: {reason}" in " ".join(result.stdout.split())) == (1, True)
    result = run("--cc", "8.6", "--threads", "1024", "--registers", "80", "--json")
    body = json.loads(result.stdout)
    assert result.exit_code == 1
    assert (body["blocks"], body["occupancy"], body["limiting"], body["reason"]) == (0, 0.0, ["registers"], reason)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--cc", "8.6", "--threads", "0"), "error: threads = 0: a block has at least 1 thread\n"),
        (
            ("--cc", "6.1", "--threads", "1", "--carveout", "5"),
            "error: carveout = 5: the size of this shared memory cannot be set; leave it out\n",
        ),
    ],
)
def test_impossible_values_are_one_error_and_exit_status_2(arguments, message):
    result = run(*arguments)
    assert (result.exit_code, result.stdout, result.stderr) == (2, "", message)


def test_an_unknown_capability_lists_those_that_are_known():
    result = run("--cc", "8.5", "--threads", "64")
    assert result.exit_code == 2
    assert result.stderr.startswith("error: there is no compute capability '8.5' in the table, did you mean '8.6'?; there are 3.0, 3.5, ")


def test_a_number_that_is_none_is_a_usage_error():
    result = run("--cc", "8.6", "--threads", "many")
    assert result.exit_code == 2
    assert "'many' is not a valid integer" in result.stderr


def test_help_has_an_example_and_says_that_json_has_a_fraction():
    shown = " ".join(run("--help").stdout.split())
    assert "warploom occupancy --cc 8.6 --threads 256 --registers 40 --shared 8192" in shown
    assert "a fraction from 0 to 1 in JSON" in shown
