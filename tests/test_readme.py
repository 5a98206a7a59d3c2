"""The README's commands work after its first command, which installs no extra, or the README says beside them what to install."""

import re
import shlex
import sys

import pytest
from click.testing import CliRunner

from tests.places import ROOT
from warploom.cli import main

pytestmark = pytest.mark.smoke
README = (ROOT / "README.md").read_text(encoding="utf-8")
EXTRAS = ("amaranth", "distributed", "pandas", "perfetto", "pyarrow", "pyosys", "textual", "vcd")  # packages of the extras
COMMANDS = [(found[1], found.start()) for found in re.finditer(r"^\$ warploom (.*)$", README, re.MULTILINE)]
NEAR = 400  # characters


@pytest.mark.parametrize(("command", "place"), COMMANDS, ids=[command[:40] for command, _ in COMMANDS])
def test_a_command_works_without_extras_or_its_extra_is_named_beside_it(monkeypatch, command, place):
    monkeypatch.chdir(ROOT)
    for package in EXTRAS:
        monkeypatch.setitem(sys.modules, package, None)
    done = CliRunner().invoke(main, shlex.split(command))
    assert done.exception is None or isinstance(done.exception, SystemExit)
    missing = re.search(r"pip install 'warploom\[(\w+)\]'", done.stderr)
    if missing is None:
        assert done.stdout or done.stderr
    else:
        assert f"pip install '.[{missing[1]}]'" in README[place - NEAR : place]
        assert done.stdout == ""
