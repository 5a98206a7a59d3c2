"""What a command is told of a run: settings that a machine has no use for, and advice that works when it is typed."""

import re
import shlex

import pytest
from click.testing import CliRunner

from tests.places import EXAMPLES
from warploom.cli import main
from warploom.machine.config.presets import load_config
from warploom.machine.config.schema import ignored, settings

MATADD, DIVERGE, SAXPY = EXAMPLES / "tiny" / "matadd.asm", EXAMPLES / "tiny" / "diverge.asm", EXAMPLES / "guppy" / "saxpy.guppy"
ADVICE = re.compile(r"add (--[^;,)(\n]*?)(?= or |,|;|\)|$)", re.MULTILINE)


def run(*arguments):
    return CliRunner().invoke(main, ["run", *map(str, arguments), "--engine", "python"])


@pytest.mark.parametrize(
    ("arguments", "why", "has_it"),
    [
        ([MATADD, "--set", "l1.bytes=1024"], "'tiny' runs one instruction at a time", "tiny-simt"),
        ([MATADD, "--set", "core.warps=2"], "'tiny' runs one instruction at a time", "tiny-simt"),
        ([MATADD, "--gpu", "sm", "--set", "core.skip_wait=true"], "'sm' has warps", "tiny"),
        ([SAXPY, "--set", "quirks.wrap_pc=true"], "'guppy' has warps", "tiny"),
    ],
)
def test_a_setting_that_the_machine_ignores_is_refused_with_one_that_has_it(arguments, why, has_it):
    done = run(*arguments)
    setting = next(word for word in map(str, arguments) if "=" in word).partition("=")[0]
    assert (done.exit_code, done.stderr) == (
        2,
        f"error: --set {setting}: {why} and does without it; a machine that has it: add --gpu {has_it}\n",
    )


@pytest.mark.parametrize("gpu", ["tiny", "sm"])
def test_a_setting_is_ignored_by_one_kind_of_machine_at_most(gpu):
    other = load_config("sm" if gpu == "tiny" else "tiny")
    assert ignored(load_config(gpu)) < {setting.name for setting in settings()}
    assert not ignored(load_config(gpu)) & ignored(other)


@pytest.mark.parametrize(
    ("text", "arguments"),
    [
        (None, ["--set", "l1.bytes=0"]),
        (None, ["--set", "memory.program_words=4"]),
        (".threads 1\n.data 1 2 3\nRET\n", ["--set", "memory.bytes=2"]),
        (None, ["--scheduler", "policy.py:choose"]),
        (".threads 4\nBAR\nRET\n", ["--gpu", "tiny-original"]),
        (".threads 8\n.block 8\nRET\n", []),
        (DIVERGE.read_text(), []),
    ],
)
def test_advice_works_when_it_is_typed(tmp_path, monkeypatch, text, arguments):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "policy.py").write_text("def choose(s, now):\n    return s.memory[0]\n")
    (tmp_path / "k.asm").write_text(text or MATADD.read_text())
    before = run("k.asm", *arguments)
    assert before.exit_code in (1, 2)
    advice = ADVICE.findall(before.stderr)
    assert advice, before.stderr
    wanted = shlex.split(advice[0])
    kept = [word for pair in zip(arguments[::2], arguments[1::2], strict=True) if not (pair[0] == wanted[0] == "--gpu") for word in pair]
    assert run("k.asm", *kept, *wanted).exit_code == 0, (advice, run("k.asm", *kept, *wanted).stderr)
