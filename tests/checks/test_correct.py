"""Of correct kernels nothing is said: those of correct.py, and all examples but the one that shows a mistake."""

import warnings

import numpy as np
import pytest

import warploom
from tests.checks.correct import KERNELS
from tests.places import ROOT
from warploom import cuda
from warploom.kernel.device.context import CURRENT

SHOW_A_MISTAKE = {"histogram": ["lost-update"]}
EXAMPLES = sorted(path.stem for path in (ROOT / "examples/python").glob("*.py"))


def checked(case, divergence):
    function, grid, block, arguments, change, shared = case
    CURRENT.use(warploom.GPU("sm", set={"core.divergence": divergence} | (change or {}), engine="python"))
    CURRENT.context.memory_bytes = 1 << 20
    try:
        given = [cuda.device_array(32, np.int32) if isinstance(one, str) else one.copy() for one in arguments]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return cuda.jit(function).check[grid, block, 0, shared](*given, max_cycles=100_000)
    finally:
        CURRENT.use(None)


def test_there_are_enough():
    assert len(KERNELS) + len(EXAMPLES) - len(SHOW_A_MISTAKE) >= 40


@pytest.mark.every(3)
@pytest.mark.parametrize("divergence", ["stack", "its"])
@pytest.mark.parametrize("case", KERNELS, ids=lambda case: case[0].__name__)
def test_nothing_is_said_of_a_correct_kernel(case, divergence):
    report = checked(case, divergence)
    assert report.clean and report.complete, str(report)


@pytest.mark.every(3)
@pytest.mark.parametrize("name", EXAMPLES)
def test_nothing_is_said_of_an_example(name, capsys):
    reports = warploom.check(ROOT / f"examples/python/{name}.py", schedule=False)
    assert reports
    assert [one.kind for report in reports for one in report.findings] == SHOW_A_MISTAKE.get(name, [])
