"""The start page: five commands that work here and now."""

import shlex

import pytest
from click.testing import CliRunner

from tests.places import EXAMPLES
from warploom.cli import main
from warploom.cli.welcome.start import MOST_SHOWN, programs


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.delenv("DISPLAY", raising=False)
    return tmp_path


def start():
    done = CliRunner().invoke(main, [])
    assert (done.exit_code, done.stderr) == (0, "")
    return done.stdout.splitlines()


def commands(lines):
    return [line.strip().split("  ")[0] for line in lines if line.startswith("  warploom ")]


def test_in_an_empty_folder_it_shows_five_commands_each_of_which_works():
    found = commands(start())
    assert len(found) == 5
    for command in found:
        words = shlex.split(command)[1:]
        done = CliRunner().invoke(main, [*words, "--list"] if words == ["docs"] else words)
        assert done.exit_code == 0, (command, done.output)


def test_programs_of_this_folder_are_in_its_commands(here):
    (here / "mine.asm").write_text((EXAMPLES / "tiny" / "matadd.asm").read_text())
    lines = start()
    assert "In this folder: mine.asm" in lines
    found = commands(lines)
    assert found[:4] == [
        "warploom run mine.asm",
        "warploom profile mine.asm",
        "warploom check mine.asm",
        "warploom explore mine.asm --open",
    ]
    assert all(CliRunner().invoke(main, shlex.split(command)[1:]).exit_code == 0 for command in found)


def test_only_files_with_a_kernel_are_programs(here):
    (here / "script.py").write_text("print('no kernel')\n")
    (here / "notes.txt").write_text("cuda.jit")
    (here / "unreadable.py").mkdir()
    assert programs(here) == []
    (here / "kernel.py").write_text("from numba import cuda\n@cuda.jit\ndef f(x): pass\n")
    (here / "kernel.c").write_text("#include <warploom.h>\n")
    assert set(programs(here)) == {"kernel.py", "kernel.c"}


def test_a_name_with_a_blank_is_quoted_and_many_are_counted(here):
    for number in range(MOST_SHOWN + 2):
        (here / f"a {number}.asm").write_text("RET\n")
    lines = start()
    assert any(line.endswith("and 2 more") for line in lines)
    assert '"a ' in commands(lines)[0]


def test_lines_fit_80_columns(here):
    assert max(map(len, start())) <= 80
