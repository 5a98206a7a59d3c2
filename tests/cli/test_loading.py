"""What a Python program sees of the machine while it runs up to its launch: the one that the command was asked for, in every command."""

import pickle

import numpy as np
import pytest
from click.testing import CliRunner

from warploom.cli import main
from warploom.cli.running import take_order
from warploom.isa import load
from warploom.isa.frontend import Options
from warploom.isa.launching import read_buffer
from warploom.kernel.checking import check
from warploom.study.compare import plan

ASKS = """
import numpy as np
from warploom import cuda

@cuda.jit
def fill(x, n):
    i = cuda.grid(1)
    x[i] = n

device = cuda.get_current_device()
cores = device.MULTIPROCESSOR_COUNT
print("sees", device.name.decode(), cores, "x", device.WARP_SIZE)
fill[cores, 32](np.zeros(32 * cores, np.int32), cores)
"""
LARGE = 'base = "sm"\n[gpu]\ncores = 5\n'
COMMANDS = {
    "run": ("run", "--quiet"),
    "run, one launch": ("run", "--launch", "0", "--quiet"),
    "profile": ("profile",),
    "picture": ("picture", "timeline", "-o", "out.svg"),
    "explore": ("explore", "-o", "out.html"),
    "check": ("check",),
    "check, one launch": ("check", "--launch", "fill"),
    "debug": ("debug", "-x", "continue"),
    "compare": ("compare", "--over", "core.warps=4,8"),
    "ladder": ("ladder",),
    "ladder, one launch": ("ladder", "--launch", "0"),
}


@pytest.fixture
def script(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "large.toml").write_text(LARGE)
    (tmp_path / "asks.py").write_text(ASKS)
    return "asks.py"


def sees(*arguments):
    """The line in which the program says what it sees; it has one, or one of each run of the file."""
    done = CliRunner().invoke(main, [*arguments])
    assert done.exit_code == 0, done.output
    (said,) = {line.removeprefix("sees ") for line in done.output.splitlines() if line.startswith("sees ")}
    return said


def words(command):
    """Those before the file and those after it."""
    name, *options = COMMANDS[command]
    if name in ("picture", "explore"):
        pytest.importorskip("matplotlib")
    kinds = 1 if name == "picture" else 0
    return [name, *options[:kinds]], options[kinds:]


@pytest.mark.parametrize("command", COMMANDS)
def test_a_program_sees_the_machine_that_the_command_is_asked_for(script, command):
    first, options = words(command)
    chosen = ("--gpu", "large.toml", "--set", "core.lanes=16")
    assert sees(*first, script, *options, *chosen) == "warploom large 5 x 16"


def test_so_it_does_of_a_preset(script):
    assert sees("profile", script, "--gpu", "v100") == "warploom v100 80 x 32"


def test_so_it_does_where_its_units_are_compared_with_hardware(script):
    pytest.importorskip("amaranth")
    assert sees("lockstep", script, "--unit", "scheduler", "--gpu", "sm", "--set", "gpu.cores=3") == "warploom sm 3 x 32"


@pytest.mark.parametrize("command", COMMANDS)
def test_without_a_word_about_the_machine_it_sees_the_usual_one(script, command):
    first, options = words(command)
    assert sees(*first, script, *options) == ("warploom v100 80 x 32" if first == ["ladder"] else "warploom sm 1 x 32")


def test_its_launch_has_the_grid_that_the_program_chose(script):
    options = {"gpu": "v100", "changes": ("gpu.cores=6",), "launch": "0", "units": (), "scheduler": None, "isa": None}
    order = take_order(script, {**options, "max_cycles": None, "engine": "python"})
    assert order.program.launch.threads == 6 * 32
    assert order.config.gpu.cores == 6


def test_a_comparison_runs_the_launch_of_the_machine_that_it_starts_from(script):
    found = plan(script, {"gpu.cores": "2,4"}, gpu="sm", set={"core.warps": 8})
    assert found.program.launch.threads == 32
    found = plan(script, {"core.warps": "4,8"}, gpu="large.toml")
    assert found.program.launch.threads == 5 * 32
    assert pickle.loads(pickle.dumps(found.program)).launch.threads == 5 * 32  # other processes run it too


def test_a_launch_is_compiled_for_checks_with_what_the_program_saw(script):
    report = check(load(script, options=Options(machine="large.toml")), gpu="sm")
    assert report.clean and report.complete
    assert report.program.launch.threads == 5 * 32
    assert read_buffer(report.program, report.result.memory, "x").view(np.int32).tolist() == [5] * (
        5 * 32
    )  # n too is the number of its cores


def test_a_machine_that_keeps_no_memory_is_refused_in_one_sentence(script):
    done = CliRunner().invoke(main, ["profile", script, "--gpu", "tiny"])
    assert done.exit_code == 2
    assert done.stderr == "error: 'tiny' has core.control = 'sequencer', which keeps no memory between launches; choose sm\n"


@pytest.mark.parametrize("command", ["run", "profile"])
def test_a_unit_of_ones_own_is_asked_in_a_whole_program_too(script, tmp_path, command):
    (tmp_path / "mine.py").write_text("def choose(s, now):\n    return 1 // 0\n")
    done = CliRunner().invoke(main, [command, script, "--unit", "scheduler=mine.py:choose"])
    assert done.exit_code == 2
    assert done.stderr.startswith("error: mine.py:2: ZeroDivisionError")
