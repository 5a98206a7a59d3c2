"""`warploom build`."""

import json
import subprocess
import sys

import pytest
from click.testing import CliRunner

from tests.places import EXAMPLES, ROOT
from warploom.cli import main
from warploom.cli.build import TITLE

MATADD = str(EXAMPLES / "tiny" / "matadd.asm")
SMALL = ("--set", "gpu.cores=1", "--set", "core.threads_per_block=2", "--set", "memory.data_channels=1")


def run(*arguments):
    return CliRunner().invoke(main, ["build", *arguments])


def test_it_writes_the_files_and_says_which(tmp_path):
    place = tmp_path / "chip" / "small"
    result = run(str(place), *SMALL, "--replay", MATADD, "--json")
    assert result.exit_code == 0
    files = json.loads(result.stdout)["files"]
    assert sorted(files) == sorted(str(path) for path in place.iterdir())
    assert str(place / "testbench.v") in files
    again = run(str(place), *SMALL)
    assert again.exit_code == 0
    assert again.stdout.splitlines()[-1] == f"what to do next is in {place / 'README.md'}"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--gpu", "sm"), "core.control = 'pipeline' has no hardware"),
        (("--threads", "4"), "--threads is for the program that is replayed, and there is none: add --replay FILE"),
        (("--buffer", "memory=x.csv"), "--buffer is for the program that is replayed, and there is none: add --replay FILE"),
        (("--data", "x.csv"), "--data is called --buffer memory=FILE"),
        (("--replay", str(EXAMPLES / "guppy" / "if.guppy")), "if is a program for guppy"),
    ],
)
def test_what_cannot_be_built_is_exit_status_2(arguments, message, tmp_path):
    result = run(str(tmp_path / "chip"), *arguments)
    assert result.exit_code == 2
    assert message in result.stderr
    assert not (tmp_path / "chip").exists()


def test_a_file_is_no_directory(tmp_path):
    (tmp_path / "chip").write_text("")
    result = run(str(tmp_path / "chip"))
    assert (result.exit_code, result.stderr) == (2, f"error: {tmp_path / 'chip'} is a file: name a directory\n")


@pytest.mark.parametrize("name", ["README.md", "gpu.v"])
def test_files_that_no_build_has_written_are_left_alone(name, tmp_path):
    (tmp_path / name).write_text("# My project\n")
    result = run(str(tmp_path), *SMALL)
    reason = "exists and no build has written it: name a directory of its own"
    assert (result.exit_code, result.stderr) == (2, f"error: {tmp_path / name} {reason}, as {tmp_path / 'chip'}\n")
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [(name, "# My project\n")]


@pytest.mark.parametrize("place", ["rtl/export", "rtl/shuttle/texts", "rtl/fpga/readme"])
def test_a_build_knows_its_own_readme(place):
    assert f"\n{TITLE}" in (ROOT / "warploom" / f"{place}.py").read_text()


def test_without_the_extra_it_says_what_to_install(tmp_path):
    code = "import sys; sys.modules['pyosys'] = None; from warploom.cli import main; main()"
    command = [sys.executable, "-c", code, "build", str(tmp_path / "chip"), *SMALL]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.splitlines() == ["error: synthesis needs the package pyosys, which is not installed: pip install 'warploom[rtl]'"]
