"""A program of the cache begins before the simulator is there."""

import subprocess
import sys
from pathlib import Path

import pytest

from warploom.cli.loading import PROGRAM_GPU
from warploom.cuda_cpp import start
from warploom.cuda_cpp.build import Built
from warploom.isa.frontends import named

HEAVY = ("warploom.device", "warploom.ptx", "warploom.kernel.script", "warploom.compiler", "numba")


def test_nothing_of_the_device_is_imported_before_a_kept_program_begins():
    code = f"import sys, warploom.cli.run, warploom.cuda_cpp.start; print([one for one in {HEAVY} if one in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_the_machine_of_programs_is_the_one_of_their_front_ends():
    assert {named(isa).gpu for isa in ("python", "cuda")} == {PROGRAM_GPU}


@pytest.mark.parametrize("words", [[], ["-no-such-word"]])
def test_a_program_that_is_not_kept_does_not_begin(tmp_path, monkeypatch, words):
    source = tmp_path / "a.cu"
    source.write_text("int main() {}\n")
    monkeypatch.setattr(start, "kept", lambda words: None)
    assert start.begun(str(source), [], words) is None
    assert start.begun(str(tmp_path / "absent.py"), [], words) is None


def test_a_kept_program_begins_with_its_arguments(tmp_path, monkeypatch, capfd):
    source = tmp_path / "a.cu"
    source.write_text("int main() {}\n")
    seen = []
    monkeypatch.setattr(start, "kept", lambda words: seen.append(words.sources) or Built(Path(sys.executable), "a word of the compiler\n"))
    began = start.begun(str(source), ["-c", "print(6 * 7)"], [])
    with began.host as host:
        host.wait_for_request()
        assert host.wait() == 0
    assert seen == [[str(source)]]
    out, err = capfd.readouterr()
    assert (out, err) == ("42\n", "a word of the compiler\n")
