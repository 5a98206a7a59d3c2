"""No function of a core or of the memory beyond it is longer than a screen: what is longer is two units."""

import ast

import pytest

from tests.documentation import ROOT

MOST = 60  # lines, with the docstring


@pytest.mark.parametrize("room", ["core", "memory"])
def test_every_function_fits_a_screen(room):
    long = []
    for path in sorted((ROOT / "warploom" / "machine" / room).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef) and node.end_lineno - node.lineno >= MOST:
                long.append(f"{path.relative_to(ROOT)}:{node.lineno}: {node.name} has {node.end_lineno - node.lineno + 1} lines")
    assert long == []
