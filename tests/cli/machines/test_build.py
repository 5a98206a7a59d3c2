"""`warploom build`."""

import json
import subprocess
import sys

import pytest
from click.testing import CliRunner

from tests.places import EXAMPLES, ROOT
from warploom.cli import main
from warploom.cli.common import UserError, write_file
from warploom.cli.machines import build

MATADD = str(EXAMPLES / "tiny" / "matadd.asm")
SMALL = ("--set", "gpu.cores=1", "--set", "core.threads_per_block=2", "--set", "memory.data_channels=1")


def run(*arguments):
    return CliRunner().invoke(main, ["build", *arguments])


def test_it_writes_the_files_and_says_which(tmp_path):
    place = tmp_path / "chip" / "small"
    result = run(str(place), *SMALL, "--replay", MATADD, "--json")
    assert result.exit_code == 0
    files = json.loads(result.stdout)["files"]
    assert sorted(files) == sorted(str(path) for path in place.iterdir() if path.name != ".warploom-build")
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


@pytest.mark.parametrize("name", ["README.md", "gpu.v", ".warploom-build"])
def test_files_that_no_build_has_written_are_left_alone(name, tmp_path):
    (tmp_path / name).write_text("# My project\n")
    result = run(str(tmp_path), *SMALL)
    reason = "exists and no build has written it: name a directory of its own"
    assert (result.exit_code, result.stderr) == (2, f"error: {tmp_path / name} {reason}, as {tmp_path / 'chip'}\n")
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [(name, "# My project\n")]


@pytest.mark.parametrize("title", ["# A GPU of my own\n", "# A GPU in Verilog\n"])
def test_a_readme_that_begins_as_a_builds_own_does_is_the_users(title, tmp_path):
    (tmp_path / "README.md").write_text(title)
    (tmp_path / "gpu.v").write_text("mine")
    result = run(str(tmp_path), *SMALL)
    assert result.exit_code == 2 and "exists and no build has written it" in result.stderr
    assert ((tmp_path / "README.md").read_text(), (tmp_path / "gpu.v").read_text()) == (title, "mine")


def test_a_build_knows_its_files_without_their_readme_and_no_others(tmp_path):
    assert run(str(tmp_path), *SMALL, "--replay", MATADD).exit_code == 0
    (tmp_path / "README.md").unlink()
    assert run(str(tmp_path), *SMALL).exit_code == 0
    assert run(str(tmp_path), *SMALL, "--replay", MATADD).exit_code == 0  # the test bench is of the build before the last


def test_a_file_of_the_users_beside_those_of_a_build_is_refused(tmp_path):
    assert run(str(tmp_path), *SMALL).exit_code == 0
    before = (tmp_path / "gpu.v").read_bytes()
    (tmp_path / "testbench.v").write_text("mine")
    result = run(str(tmp_path), *SMALL, "--replay", MATADD)
    assert result.exit_code == 2 and f"{tmp_path / 'testbench.v'} exists and no build has written it" in result.stderr
    assert ((tmp_path / "testbench.v").read_text(), (tmp_path / "gpu.v").read_bytes()) == ("mine", before)


def test_what_an_interrupted_build_has_left_is_replaced(tmp_path, monkeypatch):
    def interrupted(path, content):
        if str(path).endswith(".il"):
            raise UserError("interrupted")
        write_file(path, content)

    monkeypatch.setattr(build, "write_file", interrupted)
    assert run(str(tmp_path), *SMALL).exit_code == 2
    monkeypatch.undo()
    assert (tmp_path / "gpu.v").exists() and not (tmp_path / "README.md").exists()
    assert run(str(tmp_path), *SMALL).exit_code == 0


def test_without_the_extra_it_says_what_to_install(tmp_path):
    code = "import sys; sys.modules['pyosys'] = None; from warploom.cli import main; main()"
    command = [sys.executable, "-c", code, "build", str(tmp_path / "chip"), *SMALL]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.splitlines() == ["error: synthesis needs the package pyosys, which is not installed: pip install 'warploom[rtl]'"]
