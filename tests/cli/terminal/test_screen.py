"""What commands print fits a terminal of 80 columns; a sentence on standard error is one line, which a terminal folds."""

import pytest
from click.testing import CliRunner

from tests.places import EXAMPLES, ROOT
from warploom.cli import main
from warploom.cli.terminal import screen

TINY, GUPPY, DIVERGE = (str(EXAMPLES / name) for name in ("tiny/matmul.asm", "guppy/load_strided.guppy", "tiny/diverge.asm"))
BOTH, BREAK = "core.divergence=stack,its", ["-x", "break 11 lane 25", "-x", "continue"]
LONG_NAME = ["--set", "gpu.cores=1", "--set", "memory.data_channels=1", "--set", "memory.program_channels=1"]
COMMANDS = {
    "run with changes": ["run", TINY, *LONG_NAME],
    "run on warps": ["run", GUPPY, "--gpu", "sm", "--set", "core.warps=8", "--set", "gpu.cores=2"],
    "run that is cut": ["run", GUPPY, "--gpu", "sm", "--max-cycles", "20"],
    "asm": ["asm", TINY],
    "disasm": ["disasm", "{words}"],
    "compare": ["compare", TINY, "--over", "memory.data_channels=1,2"],
    "compare two settings": ["compare", DIVERGE, "--gpu", "sm", "--over", "core.scheduler=oldest,two_level", "--over", BOTH],
    "compare faults": ["compare", DIVERGE, "--over", "core.divergence=uniform,stack"],
    "ladder": ["ladder", TINY],
    "ladder, explained": ["ladder", TINY, "--explain"],
    "profile": ["profile", GUPPY, "--gpu", "sm"],
    "occupancy": ["occupancy", "--cc", "8.6", "--threads", "256", "--registers", "40", "--shared", "8192"],
    "occupancy by size": ["occupancy", "--cc", "8.6", "--threads", "256", "--curve"],
    "occupancy of none": ["occupancy", "--cc", "8.6", "--threads", "1024", "--registers", "255", "--shared", "1000000"],
    "picture masks": ["picture", "masks", GUPPY],
    "picture timeline": ["picture", "timeline", GUPPY],
    "debug": ["debug", GUPPY,  *BREAK, "-x", "where", "-x", "warps", "-x", "registers", "-x", "source", "-x", "lane 3"],
    "debug help": ["debug", TINY, "-x", "help"],
    "presets": ["presets"],
    "preset": ["presets", "sm"],
    "settings": ["presets", "--settings"],
    "study": ["study"],
    "examples": ["examples"],
    "docs": ["docs", "core.warps"],
    "help": ["help", "run"],
    "cost": ["cost", "program_controller", "registers", "sequencer"],
}  # fmt: skip
PLAIN = ("run", "compare", "ladder", "profile", "picture", "debug")  # they take an engine
NO_ENGINE = ("ladder",)


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_fits_80_columns(name, tmp_path, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    command = COMMANDS[name]
    if "{words}" in command:
        words = tmp_path / "words.hex"
        assert CliRunner().invoke(main, ["asm", TINY, "-o", str(words)]).exit_code == 0
        command = [part.replace("{words}", str(words)) for part in command]
    if command[0] in PLAIN and command[0] not in NO_ENGINE:
        command = [*command, "--engine", "python"]
    done = CliRunner().invoke(main, command)
    assert done.exit_code in (0, 1), done.output
    assert done.stdout or done.stderr
    assert [line for line in done.stdout.splitlines() if len(line) > 80] == []
    if done.exit_code == 1 and name == "run that is cut":
        assert [line for line in done.stderr.splitlines() if len(line) > 80] == []


def test_columns_that_are_left_out_are_named_and_shown_with_wide(monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    command = [*COMMANDS["compare two settings"], "--engine", "python"]
    narrow, wide = (CliRunner().invoke(main, [*command, *more]).stdout for more in ([], ["--wide"]))
    missing = narrow.replace("\n", " ").partition("not shown: ")[2].partition("; --wide")[0].split(", ")
    assert missing != [""]
    assert "not shown" not in wide
    heading = wide.splitlines()[2]
    assert all(name in heading for name in missing)
    monkeypatch.setenv("COLUMNS", "60")
    command = ["profile", GUPPY, "--gpu", "sm", "--engine", "python"]
    assert "; --wide" in CliRunner().invoke(main, command).stdout
    assert "not shown" not in CliRunner().invoke(main, [*command, "--wide"]).stdout


def test_lines_are_folded_at_blanks(monkeypatch):
    monkeypatch.setenv("COLUMNS", "60")
    assert screen.width() == 60
    assert screen.wrapped("word " * 20, "- ").splitlines() == ["- " + " ".join(["word"] * 11), "  " + " ".join(["word"] * 9)]


def test_every_command_with_a_table_is_here():
    from warploom.cli import COMMANDS as known

    tested = {command[0] for command in COMMANDS.values()}
    # They write files, native code, pages or messages with lines of a source, or take minutes; their lines have tests of their own.
    assert set(known) - tested == {
        "build",
        "cc",
        "nvcc",
        "check",
        "explore",
        "fit",
        "lockstep",
        "probe",
        "unit",
        "warmup",
        "new",
        "doctor",
        "completion",
        "draw",
        "grade",
    }, ROOT
