"""What the commands' options have in common."""

import pytest
from click.testing import CliRunner

from tests.places import EXAMPLES
from warploom.cli import COMMANDS, main


@pytest.mark.parametrize("command", COMMANDS)
def test_help_fits_into_80_columns(command):
    result = CliRunner().invoke(main, [command, "--help"], terminal_width=80)
    assert result.exit_code == 0
    assert [line for line in result.stdout.splitlines() if len(line) > 80] == []


@pytest.mark.parametrize("command", ["run", "picture", "explore", "profile", "debug", "asm", "disasm", "ladder", "compare", "lockstep"])
def test_the_program_is_a_file_everywhere(command):
    usage = CliRunner().invoke(main, [command, "--help"]).stdout.splitlines()[0]
    usage = usage.removesuffix(" [ARGUMENTS]...").removesuffix("...")  # a program with a main may have arguments; compare takes several
    assert usage.endswith(" FILE")


@pytest.mark.parametrize("command", ["run", "picture", "explore", "profile", "debug", "ladder", "compare", "lockstep", "build"])
def test_every_command_that_runs_a_program_takes_the_same_launch(command):
    options = {name for option in main.get_command(None, command).params for name in option.opts}
    assert options >= {"--isa", "--launch", "--threads", "--block", "--grid", "--arg", "--buffer", "--gpu", "--set", "--json"}


@pytest.mark.parametrize("command", ["ladder", "profile"])
def test_quiet_prints_nothing_and_the_page_is_written(command, tmp_path):
    page = tmp_path / "page.html"
    result = CliRunner().invoke(main, [command, str(EXAMPLES / "tiny" / "matadd.asm"), "--quiet", "-o", str(page)])
    assert (result.exit_code, result.output) == (0, "")
    assert page.read_text(encoding="utf-8").startswith("<!")


def test_every_command_that_takes_a_program_in_c_is_told_how_it_is_compiled():
    """They share one group of options: one that has -O has -D and -I too."""
    having = []
    for name in COMMANDS:
        names = {word for parameter in main.get_command(None, name).params for word in parameter.opts}
        assert len({"-O", "-D", "-I"} & names) in (0, 3), name
        having += [name] * ("-O" in names)
    assert {"run", "check", "profile", "disasm", "asm", "cc", "explore", "picture", "compare", "ladder", "debug", "fit"} <= set(having)
