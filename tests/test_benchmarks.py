"""Every benchmark starts, and prints its figures, at its smallest size. What they are is nobody's business here."""

import importlib
import sys
from pathlib import Path

import pytest

SMALLEST = {
    "begin": (("--rounds", "1"), "the bar is 3.5"),
    "checks": (("--rounds", "1", "--kernel", "saxpy, float32"), "with checks"),
    "compile": (("--rounds", "1"), "the bar is 50"),
    "graphics": (("--rounds", "1", "--size", "24", "--engine", "python"), "fragments/s"),
    "launch": (("--launches", "3"), "then median"),
    "lockstep": (("--cycles", "200"), "cycles/s compared"),
    "masks": (("--rounds", "1", "--turns", "8"), "AVX-512, one warp x 16 lanes"),
    "pipeline": (("--rounds", "4"), "arithmetic, 4 cores"),
    "raymarch": (("--runs", "1"), "lane-instructions"),
    "tiny": (("--seconds", "0.01"), "native"),
    "vortex": (("--rounds", "1", "--only", "sort"), "sort, 1 core, 4W-4T"),
}
COMPILES = {"checks", "vortex"}  # native code that few other tests need
NEEDS = {"lockstep": "amaranth", "vortex": "ziglang"}


def test_every_benchmark_is_started():
    assert {path.stem for path in Path("benchmarks").glob("*.py")} == {*SMALLEST}


@pytest.mark.every(3)
@pytest.mark.parametrize("name", [pytest.param(name, marks=[pytest.mark.slow] if name in COMPILES else []) for name in SMALLEST])
def test_it_prints_what_it_measures(name, monkeypatch, capsys):
    pytest.importorskip(NEEDS.get(name, "numpy"))
    arguments, printed = SMALLEST[name]
    monkeypatch.setattr(sys, "argv", [name, *arguments])
    importlib.import_module(f"benchmarks.{name}").main()
    assert printed in capsys.readouterr().out
