"""Integers have 64 bits on every host: no line leaves their width to NumPy, and a host of 32 bits gives the same runs."""

import ast
import json
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.documentation import ROOT
from warploom.isa.counts import numbers, positions, repeated, running_sum, tally, total_by

KINDS = ("int8", "uint8", "int32", "uint32", "int64", "uint64")


@given(st.lists(st.integers(0, 9), max_size=20), st.sampled_from(KINDS))
def test_they_count_as_numpy_does_whatever_the_width(values, kind):
    given, counts = np.array(values, kind), np.arange(len(values)) % 3
    found = {
        "numbers": (numbers(len(values)), np.arange(len(values))),
        "positions": (positions(given > 4), np.flatnonzero(given > 4)),
        "running_sum": (running_sum(given), np.cumsum(given.astype(np.int64))),
        "repeated": (repeated(given, counts.astype(kind)), np.repeat(given, counts)),
        "tally": (tally(given, 10), np.bincount(given.astype(np.int64), minlength=10)),
    }
    for name, (own, theirs) in found.items():
        assert own.tolist() == theirs.tolist(), name
        assert own.dtype == (kind if name == "repeated" else np.int64), name
    assert total_by(given, np.ones(len(values)), 10).tolist() == tally(given, 10).tolist()


# ---- what leaves the width to NumPy

MAKERS = {"arange": 4, "cumsum": 3, "full": 3}  # functions that make NumPy's own integers, and where their dtype stands
COUNTERS = {"bincount"}  # ... that take no other ones: counts.py calls them
OWN = {"warploom/isa/counts.py"}


def loose(path):
    """The lines of a file that make integers of NumPy's own width, or need such."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "np" and node.attr in ("int_", "uint"):
            yield node.lineno, f"np.{node.attr}"
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            continue
        of_numpy = isinstance(node.func.value, ast.Name) and node.func.value.id == "np"
        names, dtype = {keyword.arg for keyword in node.keywords}, [word.value for word in node.keywords if word.arg == "dtype"]
        given = [*dtype, *(node.args[:1] if node.func.attr == "astype" else node.args[1:] if of_numpy else [])]
        if any(isinstance(one, ast.Name) and one.id == "int" for one in given):
            yield node.lineno, "int as a dtype"
        if of_numpy and node.func.attr in COUNTERS:
            yield node.lineno, node.func.attr
        if of_numpy and node.func.attr in MAKERS and "dtype" not in names and len(node.args) < MAKERS[node.func.attr]:
            yield node.lineno, node.func.attr
        if of_numpy and node.func.attr in ("array", "asarray") and not dtype and len(node.args) == 1:
            made = node.args[0]
            if isinstance(made, ast.List | ast.ListComp) and not any(isinstance(part, ast.Slice) for part in ast.walk(made)):
                yield node.lineno, f"np.{node.func.attr} of a list"


def test_no_line_of_the_package_leaves_the_width_of_integers_to_numpy():
    found = []
    for path in sorted((ROOT / "warploom").rglob("*.py")):
        place = path.relative_to(ROOT).as_posix()
        if place not in OWN:
            found += [f"{place}:{line}: {what}" for line, what in loose(path)]
    assert found == []


# ---- a host of 32 bits


@pytest.fixture(scope="module")
def runs():
    """What `tests/narrow.py` prints with NumPy's default integer as it is, and with one of 32 bits."""
    done = [
        subprocess.run([sys.executable, "-m", "tests.narrow", *way], cwd=ROOT, capture_output=True, text=True, check=False)
        for way in ([], ["--narrow"])
    ]
    for one in done:
        assert one.returncode == 0, one.stderr
    return [json.loads(one.stdout) for one in done]


def test_kernels_run_alike_where_numpys_integers_have_32_bits(runs):
    wide, narrow = runs
    assert wide["integer"] == "int64" and narrow["integer"] == "int32"
    assert len(wide["runs"]) > 4
    assert narrow["runs"] == wide["runs"]


def test_the_host_of_32_bits_is_one(runs):
    """It loses what such a host loses, and refuses what it refuses."""
    wide, narrow = runs
    assert wide["faults"] == ["[0, 4294967296, 8589934592]", "[0, 1, 1]", "[0, 1, 1]"]
    assert narrow["faults"][0] == "[0, 0, 0]"
    assert all("Cannot cast" in said for said in narrow["faults"][1:])
