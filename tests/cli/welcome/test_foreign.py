"""A program that imports what needs a real GPU ends in a sentence that says what works instead."""

import json

import pytest
from click.testing import CliRunner

from warploom.cli import main
from warploom.cli.welcome.foreign import FOREIGN, foreign_import


@pytest.fixture
def program(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def write(text):
        (tmp_path / "mine.py").write_text(text)
        return "mine.py"

    return write


@pytest.mark.parametrize("name", ["cupy", "triton", "pycuda"])
def test_the_sentence_has_the_place_and_what_to_do(program, name):
    done = CliRunner().invoke(main, ["run", program(f"import numpy\n\nif True:\n    import {name}.driver as d\n")])
    first, line, caret, fix = done.stderr.splitlines()
    assert done.exit_code == 1
    assert first == f"mine.py:4:12: error: {name} is not installed: it is {FOREIGN[name][0]}"
    assert (line, caret) == (f"        import {name}.driver as d", f"    {' ' * 11}^{'~' * (len(name) - 1)}")
    assert fix == f"    fix: {FOREIGN[name][1]}"
    body = json.loads(CliRunner().invoke(main, ["check", "mine.py", "--json"]).stdout)
    assert body["diagnostics"][0]["line"] == 4


def test_any_other_missing_module_is_shown_as_python_shows_it(program):
    done = CliRunner().invoke(main, ["run", program("import no_such_thing\n")])
    assert "ModuleNotFoundError: No module named 'no_such_thing'" in done.stderr
    assert foreign_import(ValueError("cupy")) is None
