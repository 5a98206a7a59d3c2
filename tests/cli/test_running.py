"""What a command is told of a run: a unit of the user's own, settings that a machine has no use for, advice that works when typed."""

from __future__ import annotations

import json
import re
import shlex

import pytest
from click.testing import CliRunner

from tests.places import EXAMPLES
from warploom.cli import main
from warploom.machine.config.presets import load_config
from warploom.machine.config.schema import ignored, settings

EXAMPLE = str(EXAMPLES / "guppy" / "saxpy.guppy")
LOWEST = """
import numpy as np
from warploom.machine.engine.bits import lowest

def choose(s, now):
    return lowest(s.eligible) if s.eligible != np.uint64(0) else np.int64(-1)
"""


def run(*arguments: str):
    return CliRunner().invoke(main, ["run", EXAMPLE, *arguments])


def test_a_policy_from_a_file_runs_the_program(tmp_path):
    (tmp_path / "mine.py").write_text(LOWEST)
    plain = json.loads(run("--gpu", "sm", "--engine", "python", "--json").stdout)
    mine = json.loads(run("--gpu", "sm", "--engine", "python", "--json", "--scheduler", f"{tmp_path / 'mine.py'}:choose").stdout)
    assert mine["status"] == "done"
    assert mine["memory"]["data"] == plain["memory"]["data"]


def test_mistakes_are_named(tmp_path):
    (tmp_path / "mine.py").write_text(LOWEST)
    (tmp_path / "broken.py").write_text("import nothing_of_that_name\n")
    for text, message in (
        ("mine", "take a function, a file and a function in it as mine.py:choose, or one of round_robin"),
        (f"{tmp_path}/nine.py:choose", f"there is no file {tmp_path}/nine.py"),
        (f"{tmp_path}/mine.py:chose", "mine.py has no unit 'chose'; it has choose"),
        (f"{tmp_path}/broken.py:choose", "broken.py:1: ModuleNotFoundError: No module named 'nothing_of_that_name'"),
    ):
        result = run("--gpu", "sm", "--scheduler", text)
        assert result.exit_code == 2
        assert message in result.output


def test_a_machine_without_warps_has_no_scheduler_to_replace(tmp_path):
    (tmp_path / "mine.py").write_text(LOWEST)
    result = run("--gpu", "tiny", "--scheduler", f"{tmp_path / 'mine.py'}:choose")
    assert result.exit_code == 2
    assert "the slot 'scheduler' is for machines with warps; 'tiny' runs one instruction at a time" in result.output


def test_the_default_machine_has_room_for_one_group():
    file = EXAMPLE.replace("saxpy", "iterations_sorted")
    result = CliRunner().invoke(main, ["run", file, "--json", "--engine", "python"])
    assert json.loads(result.stdout)["config"]["core.warps"] == 8


def test_a_policy_that_raises_is_shown_with_its_line_and_without_a_stack_trace(tmp_path):
    mine = tmp_path / "mine.py"
    mine.write_text("def choose(s, now):\n    return 1 // 0\n", encoding="utf-8")
    arguments = ["run", str(EXAMPLES / "guppy" / "if.guppy"), "--scheduler", f"{mine}:choose", "--engine", "python"]
    result = CliRunner().invoke(main, arguments)
    message = f"error: {mine}:2: ZeroDivisionError: division by zero\n"
    assert (result.exit_code, result.stdout, result.stderr) == (2, "", message)


MISTAKES = """
def raises(s, now):
    x = 3
    return x.bit_count(now)

def nothing(s, now):
    return None

def fraction(s, now):
    return 1.5

def table(s, now):
    found = {}
    found["a"] = 1
    return -1
"""


@pytest.mark.parametrize(
    ("name", "engine", "message"),
    [
        ("raises", "python", ":4: TypeError: int.bit_count() takes no arguments (1 given)"),
        ("raises", "native", ":4: raises cannot become native code: `return x.bit_count(now)`: Unknown attribute"),
        ("nothing", "python", ":6: nothing returned None; a policy returns the number of a warp slot, 0 to s.warps - 1, or -1 for none"),
        ("nothing", "native", ":6: nothing returns nothing; the result is a whole number"),
        ("fraction", "python", ":9: fraction returned 1.5; a policy returns the number of a warp slot, 0 to s.warps - 1, or -1 for none"),
        ("fraction", "native", ":9: fraction returns float64; the result is a whole number"),
        ("table", "native", ':14: table cannot become native code: `found["a"] = 1`'),
    ],
)
def test_a_mistake_in_a_unit_is_one_sentence_with_its_file_and_line(tmp_path, name, engine, message):
    mine = tmp_path / "mine.py"
    mine.write_text(MISTAKES, encoding="utf-8")
    result = run("--gpu", "sm", "--unit", f"scheduler={mine}:{name}", "--engine", engine)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith(f"error: {mine}{message}")
    assert result.stderr.count("\n") == 1


@pytest.mark.parametrize("command", ["run", "profile", "compare", "ladder", "debug"])
def test_each_command_that_runs_a_program_takes_units(tmp_path, command):
    (tmp_path / "mine.py").write_text(LOWEST)
    file = str(EXAMPLES / "tiny" / "matmul.asm")
    more = {"compare": ["--over", "core.warps=4,8"], "debug": ["-x", "continue"]}.get(command, [])
    machine = [] if command == "ladder" else ["--gpu", "tiny-simt"]
    result = CliRunner().invoke(main, [command, file, *machine, *more, "--unit", f"scheduler={tmp_path / 'mine.py'}:choose"])
    assert result.exit_code == 0, result.output
    slots = CliRunner().invoke(main, [command, file, *machine, *more, "--unit", "schedule=x.py:choose"])
    assert (slots.exit_code, slots.stderr) == (
        2,
        "error: there is no slot 'schedule', did you mean 'scheduler'?; the slots are scheduler, replacement, prefetcher, coalescer, "
        "set_hash, channel_hash, divergence\n",
    )


def test_a_unit_of_ours_is_taken_by_its_name():
    plain = json.loads(run("--gpu", "sm", "--engine", "python", "--json", "--set", "core.scheduler=oldest").stdout)
    named = json.loads(run("--gpu", "sm", "--engine", "python", "--json", "--unit", "scheduler=oldest").stdout)
    assert named["config"]["core.scheduler"] == "oldest"
    assert named["cycles"] == plain["cycles"]


def test_a_unit_that_is_given_twice_is_refused(tmp_path):
    (tmp_path / "mine.py").write_text(LOWEST)
    result = run("--gpu", "sm", "--unit", f"scheduler={tmp_path / 'mine.py'}:choose", "--scheduler", "oldest")
    assert (result.exit_code, result.stderr) == (2, "error: the unit of the slot 'scheduler' is given twice: leave one of them out\n")


MATADD, DIVERGE, SAXPY = EXAMPLES / "tiny" / "matadd.asm", EXAMPLES / "tiny" / "diverge.asm", EXAMPLES / "guppy" / "saxpy.guppy"
ADVICE = re.compile(r"add (--[^;,)(\n]*?)(?= or |,|;|\)|$)", re.MULTILINE)


def run_it(*arguments):
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
    done = run_it(*arguments)
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
    before = run_it("k.asm", *arguments)
    assert before.exit_code in (1, 2)
    advice = ADVICE.findall(before.stderr)
    assert advice, before.stderr
    wanted = shlex.split(advice[0])
    kept = [word for pair in zip(arguments[::2], arguments[1::2], strict=True) if not (pair[0] == wanted[0] == "--gpu") for word in pair]
    assert run_it("k.asm", *kept, *wanted).exit_code == 0, (advice, run_it("k.asm", *kept, *wanted).stderr)


def test_a_text_for_vortex_is_of_the_generation_of_the_machine(tmp_path):
    """What says nothing else: `--isa` does, and so does what is encoded already."""
    text = tmp_path / "old.vx"
    text.write_text("li t0, 2\nvx_split t0\nvx_join\nli t0, 0\nvx_tmc t0\n")  # since 2023 both have a further operand
    old, new, said = (
        CliRunner().invoke(main, ["run", str(text), "--engine", "python", "--quiet", *more])
        for more in (["--gpu", "vortex-2022"], ["--gpu", "vortex-2024"], ["--gpu", "vortex-2022", "--isa", "vortex-2024"])
    )
    assert (old.exit_code, new.exit_code, said.exit_code) == (0, 2, 2)
    assert "the operands are not those of vx_split" in new.output


def test_c_on_the_newest_machine_is_of_the_generation_of_its_instructions(tmp_path):
    pytest.importorskip("ziglang")
    source = tmp_path / "agree.c"
    source.write_text("#include <warploom.h>\nkernel void agree(int *out) { out[global_id()] = vx_vote_all(1); }\n")
    (tmp_path / "out.csv").write_text("0, 0, 0, 0\n")
    given = ["--threads", "4", "--buffer", f"out={tmp_path / 'out.csv'}", "--save", f"out={tmp_path / 'new.csv'}", "--engine", "python"]
    ran = CliRunner().invoke(main, ["run", str(source), "--gpu", "vortex-2024", "--quiet", *given])
    assert ran.exit_code == 0, ran.output
    assert (tmp_path / "new.csv").read_text().split() == ["1"] * 4


GROUP = """#include <vx_spawn.h>
static unsigned blocks = 2, threads = THREADS;
void mark(void *nothing) { (void)nothing; }
int main(void) { return vx_spawn_threads(1, &blocks, &threads, mark, 0); }
"""


@pytest.mark.parametrize(("command", "threads", "status"), [("run", 64, 1), ("run", 16, 0), ("check", 64, 1)])
def test_a_group_that_a_core_has_no_room_for(command, threads, status, tmp_path):
    pytest.importorskip("ziglang", reason="C is compiled by the package ziglang: pip install 'warploom[cc]'")
    (tmp_path / "group.c").write_text(GROUP)
    asked = [command, str(tmp_path / "group.c"), "--gpu", "vortex-2024", "-D", f"THREADS={threads}", "--engine", "python", "--quiet"]
    done = CliRunner().invoke(main, asked)
    said = (
        "error: the program ended with exit code -1; vx_spawn_threads returns -1 for a group that a core has no room for: "
        "a core here has 16 threads"
    )
    assert done.exit_code == status, done.output
    assert done.stderr.splitlines()[-1:] == ([said] if status else [])
