"""The options of `warploom run` that write files for other viewers."""

import errno
import gzip
import os
import signal
import subprocess
import sys
import time

import pyarrow.parquet
import pytest
from click.testing import CliRunner

import warploom
from tests.places import EXAMPLES
from warploom.cli import main
from warploom.cli.traces import NAMES
from warploom.observe.traces import FORMATS

MATADD, WARPS = EXAMPLES / "tiny" / "matadd.asm", EXAMPLES / "guppy" / "four_warps.guppy"


def run(*arguments):
    return CliRunner().invoke(main, ["run", *(str(argument) for argument in arguments), "--engine", "python"])


@pytest.mark.parametrize("form", FORMATS, ids=lambda form: form.name)
@pytest.mark.parametrize("file", [MATADD, WARPS], ids=lambda path: path.stem)
def test_the_file_is_the_one_that_the_result_writes(tmp_path, form, file):
    path = tmp_path / f"a{form.endings[0]}"
    done = run(file, f"--{form.name}", path)
    assert (done.exit_code, done.stderr.splitlines()[0]) == (0, f"{path} is written")
    assert "done in" in done.stdout
    result = warploom.GPU("tiny" if file == MATADD else "guppy", engine="python").run(warploom.load(file), tracing=True)
    again = tmp_path / f"b{form.endings[0]}"
    result.write_trace(again)
    assert path.stat().st_size == again.stat().st_size


def test_every_format_has_an_option():
    assert list(NAMES) == [form.name for form in FORMATS]


def test_a_name_in_gz_is_compressed(tmp_path):
    run(WARPS, "--perfetto", tmp_path / "a.pftrace")
    run(WARPS, "--perfetto", tmp_path / "a.pftrace.gz")
    assert gzip.decompress((tmp_path / "a.pftrace.gz").read_bytes()) == (tmp_path / "a.pftrace").read_bytes()


@pytest.mark.parametrize("name", [form.name for form in FORMATS if form.binary])
def test_bytes_do_not_go_to_standard_output(name):
    done = run(WARPS, f"--{name}", "-")
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr == f"error: --{name} writes a file: it would be of no use on standard output\n"


def test_a_table_on_standard_output_stands_alone():
    done = run(WARPS, "--csv", "-")
    assert (done.exit_code, done.stderr) == (0, "")
    heading, *rows = done.stdout.splitlines()
    assert heading.startswith("cycle,since,kind,core,")
    assert {row.count(",") >= heading.count(",") for row in rows} == {True}


def test_an_output_takes_the_place_of_no_other_one_and_of_no_input(tmp_path):
    path = tmp_path / "a"
    done = run(MATADD, "--perfetto", path, "--log", path)
    assert done.stderr == f"error: --log and --perfetto would both be written to {path}: name a file for one of them\n"
    kernel = tmp_path / "kernel.asm"
    kernel.write_text(MATADD.read_text())
    done = run(kernel, "--perfetto", kernel)
    assert done.stderr == f"error: --perfetto {kernel}: this file is an input; name a different one\n"


def test_a_missing_package_is_said_before_the_run(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "perfetto", None)
    done = run(WARPS, "--perfetto", tmp_path / "a.pftrace")
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr == (
        "error: the format perfetto needs the package perfetto, which is not installed: pip install 'warploom[traces]'\n"
    )


def test_ctrl_c_leaves_no_file(tmp_path):
    kernel = tmp_path / "endless.asm"
    kernel.write_text(".threads 8\nagain: CMP R0, R0\nBRz again\nRET\n")
    command = [sys.executable, "-m", "warploom", "run", kernel, "--max-cycles", "1" + "0" * 12, "--engine", "python"]
    outputs = [part for name in NAMES for part in (f"--{name}", tmp_path / name)]
    child = subprocess.Popen([*command, *outputs], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    while len(list(tmp_path.iterdir())) < 1 + len(NAMES):
        time.sleep(0.02)
    time.sleep(0.5)
    child.send_signal(signal.SIGINT)
    error = child.communicate()[1]
    assert child.returncode == 130
    assert error.startswith("stopped by Ctrl-C")
    assert list(tmp_path.iterdir()) == [kernel]


ENDLESS = ".threads 64\nagain: CMP R0, R0\nBRz again\nRET\n"


@pytest.fixture
def endless(tmp_path):
    path = tmp_path / "endless.asm"
    path.write_text(ENDLESS)
    return path


def test_a_table_grows_with_the_run_and_nothing_is_kept(endless, tmp_path, monkeypatch):
    with monkeypatch.context() as patched:
        patched.delattr("warploom.machine.device.machine.PipelineMachine._keep")
        done = run(endless, "--gpu", "sm", "--csv", tmp_path / "a.csv", "--parquet", tmp_path / "a.parquet", "--max-cycles", 400)
    assert (done.exit_code, done.stderr.splitlines()[-2:]) == (1, [f"{tmp_path / name} is written" for name in ("a.csv", "a.parquet")])
    result = warploom.GPU("sm", engine="python").run(warploom.load(endless), tracing=True, max_cycles=400)
    assert (tmp_path / "a.csv").read_text().count("\n") == 1 + len(result.detail.events) > 100
    assert pyarrow.parquet.read_table(tmp_path / "a.parquet").num_rows == len(result.detail.events)


@pytest.mark.parametrize("name", [form.name for form in FORMATS if not form.growing])
def test_no_trace_keeps_the_events_of_the_run(endless, tmp_path, monkeypatch, name):
    with monkeypatch.context() as patched:
        patched.delattr("warploom.machine.device.machine.PipelineMachine._keep")
        patched.setattr("warploom.observe.traces.windows.WINDOW_ROWS", 500)
        done = run(endless, "--gpu", "sm", f"--{name}", tmp_path / "a", "--csv", tmp_path / "b", "--max-cycles", 2000)
    assert done.exit_code == 1
    result = warploom.GPU("sm", engine="python").run(warploom.load(endless), tracing=True, max_cycles=2000)
    assert len(result.detail.events) > 2 * 500
    ending = next(form.endings[0] for form in FORMATS if form.name == name)
    result.write_trace(tmp_path / f"whole{ending}")
    assert (tmp_path / "a").stat().st_size == (tmp_path / f"whole{ending}").stat().st_size
    assert (tmp_path / "b").read_text().count("\n") == 1 + len(result.detail.events)


def test_events_that_do_not_fit_on_the_disk_are_said_in_a_sentence(endless, tmp_path, monkeypatch):
    def full(spool, events):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("warploom.observe.traces.spool.Spool.add", full)
    path = tmp_path / "a.pftrace"
    done = run(endless, "--gpu", "sm", "--perfetto", path, "--max-cycles", 2000)
    said = f"error: the events of the run cannot be kept beside {path} until it has ended: {os.strerror(errno.ENOSPC)}\n"
    assert (done.exit_code, done.stderr, list(tmp_path.iterdir())) == (2, said, [endless])


@pytest.mark.parametrize("name", [form.name for form in FORMATS if not form.growing])
def test_a_run_without_a_warp_is_said_in_a_sentence(tmp_path, name):
    done = run(MATADD, "--gpu", "sm", "--threads", 0, f"--{name}", tmp_path / "a")
    assert (done.exit_code, done.stderr) == (2, "error: no warp has run, so there is nothing to show\n")
    assert run(MATADD, "--gpu", "sm", "--threads", 0, "--csv", "-").stdout.count("\n") == 1
