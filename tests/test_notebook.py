"""The example notebook: its cells are executed in order, and what each one shows is made."""

import ast
import json
import linecache

import pytest

from tests.notebooks import NOTEBOOKS, executed, texts
from tests.places import EXAMPLES

NOTEBOOK, LAUNCH = (json.loads((EXAMPLES / name).read_text(encoding="utf-8")) for name in ("notebook.ipynb", "python/launch.ipynb"))


def shown(source, names):
    """Execute a cell; returns the value of the expression that it ends with. A notebook keeps the texts of cells where Python looks."""
    path = f"<cell {len(linecache.cache)}>"
    linecache.cache[path] = (len(source), None, source.splitlines(keepends=True), path)
    body = ast.parse(source).body
    last = body.pop() if body and isinstance(body[-1], ast.Expr) else None
    exec(compile(ast.Module(body, []), path, "exec"), names)
    return None if last is None else eval(compile(ast.Expression(last.value), path, "eval"), names)


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


def test_a_launch_of_a_kernel_is_followed():
    pytest.importorskip("matplotlib")
    names = {}
    values = [shown("".join(cell["source"]), names) for cell in LAUNCH["cells"] if cell["cell_type"] == "code"]
    (out, summary), profile, result, masks, timeline, cycles, explorer = values
    assert out.tolist() == [2016, 6112]
    assert summary.startswith("total on sm: done in ")
    assert "s[t] += s[t + step]" in profile._repr_html_()
    assert "diagnosis" in str(profile)
    assert str(result) == repr(result)
    assert "bytes of memory changed" in result._repr_html_()
    for picture in (masks, timeline):
        assert picture._repr_png_().startswith(b"\x89PNG")
    assert cycles["side_by_side"] < cycles["total"]
    assert "<iframe" in explorer._repr_html_()


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_it_is_kept_with_what_its_cells_show(path):
    pytest.importorskip("IPython", reason="IPython is not installed")
    pytest.importorskip("matplotlib")
    kept = json.loads(path.read_text(encoding="utf-8"))
    assert (kept["nbformat"], kept["cells"][0]["cell_type"]) == (4, "markdown")
    now = executed(path)
    assert texts(kept) == texts(now), "python -m tests.notebooks writes it again"
    for was, new in zip(kept["cells"], now["cells"], strict=True):
        assert [sorted(one["data"]) for one in was.get("outputs", []) if "data" in one] == [
            sorted(one["data"]) for one in new.get("outputs", []) if "data" in one
        ]
    assert path.stat().st_size < 1 << 20
