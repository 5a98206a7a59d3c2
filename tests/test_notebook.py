"""The example notebook: its cells are executed in order, and what each one shows is made."""

import ast
import json

import pytest

from tests.places import EXAMPLES

NOTEBOOK = json.loads((EXAMPLES / "notebook.ipynb").read_text(encoding="utf-8"))


def shown(source, names):
    """Execute a cell; returns the value of the expression that it ends with, as a notebook does."""
    body = ast.parse(source).body
    last = body.pop() if body and isinstance(body[-1], ast.Expr) else None
    exec(compile(ast.Module(body, []), "<cell>", "exec"), names)
    return None if last is None else eval(compile(ast.Expression(last.value), "<cell>", "eval"), names)


def test_every_cell_shows_what_it_is_there_for(monkeypatch):
    pytest.importorskip("matplotlib")
    monkeypatch.chdir(EXAMPLES)
    names = {}
    values = [shown("".join(cell["source"]), names) for cell in NOTEBOOK["cells"] if cell["cell_type"] == "code"]
    result, pipeline, cycles, *pictures, explorer = values
    assert "if_else on guppy: done in 13 cycles" in result._repr_html_()
    assert "data:image/png;base64," in result._repr_html_()
    for picture in (pipeline, *pictures):
        assert picture._repr_png_().startswith(b"\x89PNG")
    assert cycles == {1: 320, 2: 194, 4: 180}
    assert "<iframe" in explorer._repr_html_()


def test_it_is_kept_without_outputs():
    assert (NOTEBOOK["nbformat"], NOTEBOOK["cells"][0]["cell_type"]) == (4, "markdown")
    for cell in NOTEBOOK["cells"]:
        assert cell.get("outputs", []) == []
        assert cell.get("execution_count") is None
