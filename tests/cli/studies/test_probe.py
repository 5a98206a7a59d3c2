"""`warploom probe`."""

import json

import pytest
from click.testing import CliRunner

from warploom.cli import main
from warploom.study.microbenchmarks import NAMES


def run(*arguments):
    return CliRunner().invoke(main, ["probe", *map(str, arguments)])


def test_a_probe_prints_measured_preset_and_published():
    result = run("ways", "latency", "--set", "latency.divide=33")
    assert (result.exit_code, result.stderr) == (0, "")
    lines = result.stdout.splitlines()
    assert lines[0].split() == ["sm", "measured", "preset", "published"]
    assert [line.partition(":")[0] for line in lines if line.startswith(("ways:", "latency:"))] == ["ways", "latency"]
    divide = next(line for line in lines if "integer divide" in line)
    assert divide.split()[-4:] == ["33", "~71-145", "NM", "AS"]
    assert any(line.startswith("NM   NMSU-PEARL") for line in lines)
    assert max(map(len, lines)) < 80


def test_json_has_readings_and_curves():
    body = json.loads(run("ways", "--json").stdout)
    (probe,) = body["probes"]
    assert body["gpu"] == "sm" and probe["name"] == "ways"
    assert [reading["key"] for reading in probe["readings"]] == ["ways.l1", "ways.l1-sets", "ways.l2"]
    assert set(probe["readings"][0]) == {"key", "what", "measured", "configured", "published", "differs", "unlike"}
    (curve,) = probe["curves"]
    assert len(curve["x"]) == len(curve["y"]) > 3


def test_the_figure_goes_into_a_file(tmp_path):
    pytest.importorskip("matplotlib")
    path = tmp_path / "figure.svg"
    result = run("sectors", "-o", path, "--quiet")
    assert (result.exit_code, result.output) == (0, "")
    assert "published: v100 (PG)" in path.read_text()


LARGE = ("--set", "memory.bytes=1048576")
NO_ROOM = (
    "error: 'tiny-simt': memory is tiny-gpu's channels (memory.kind = channels), which are made for bytes, and probes keep pointers and "
    "clocks there; machines with warps and DRAM can be probed, as --gpu sm\n"
)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("latencies",), "error: there is no probe 'latencies', did you mean 'latency'?; there are latency, throughput, "),
        (("--gpu", "tiny"), "error: 'tiny' runs one instruction at a time (core.control = sequencer): it has no pipes, "),
        *(((name, "--gpu", "tiny-simt", *more), NO_ROOM) for name, more in (("chase", ()), ("latency", ()), ("latency", LARGE))),
        (("--gpu", "tiny-simt"), NO_ROOM),
        (("fence", "-o", "x.png"), "error: there is nothing to draw: fence give numbers and no curves"),
        (("chase", "-o", "x.jpg"), "error: x.jpg: a figure is drawn into a file that ends in .png, .svg, .pdf\n"),
        (("chase", "--set", "gpu.core=1"), "error: there is no setting 'gpu.core', did you mean 'gpu.cores'?"),
    ],
)
def test_bad_input_is_one_error_and_exit_status_2(arguments, message):
    result = run(*arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith(message)


def test_a_probe_that_does_not_apply_says_why_among_others():
    lines = run("ways", "shared", "--set", "shared.bytes=0").stdout.splitlines()
    place = next(number for number, line in enumerate(lines) if line.startswith("shared:"))
    assert lines[place + 1] == "  not here: shared memory has 0 bytes (shared.bytes); the kernel needs 4096"


def test_help_names_every_probe():
    text = run("--help").stdout
    assert all(name in text for name in NAMES)
    assert "warploom probe latency mixed" in text


def test_what_concerns_one_multiprocessor_is_measured_on_a_machine_of_one():
    from warploom.machine.config.presets import load_config
    from warploom.study.microbenchmarks import NAMES, find
    from warploom.study.microbenchmarks.bench import Bench

    assert {name for name in NAMES if find(name).whole} == {"l2", "dram", "atomics", "launch"}
    whole = Bench(load_config("v100"), quick=True)
    alone = whole.of_one_core()
    assert (whole.device.cores, alone.device.cores, alone.quick) == (80, 1, True)
    assert alone.device._replace(cores=80) == whole.device
