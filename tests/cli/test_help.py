"""`warploom help`."""

import pytest
from click.testing import CliRunner

from warploom.cli import COMMANDS, main


@pytest.mark.parametrize("name", ["run", "presets"])
def test_it_shows_what_the_option_shows(name):
    assert CliRunner().invoke(main, ["help", name]).stdout == CliRunner().invoke(main, [name, "--help"]).stdout


def test_alone_it_lists_all_commands():
    shown = CliRunner().invoke(main, ["help"]).stdout
    assert shown == CliRunner().invoke(main, ["--help"]).stdout
    assert all(f"\n  {name} " in shown for name in COMMANDS)


def test_a_guess_is_answered():
    assert CliRunner().invoke(main, ["help", "gdb"]).stderr.endswith("`warploom debug FILE`\n")
