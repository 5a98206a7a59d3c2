"""Every planted bug is found, named by its kind and at its line; what is right beside it is not."""

import warnings

import numpy as np
import pytest

import warploom
from tests.checks.planted import KERNELS
from warploom import cuda
from warploom.kernel.context import CURRENT


def run(function, grid, block, arguments, machine="sm", change=None):
    CURRENT.use(warploom.GPU(machine, set=change or {}, engine="python"))
    CURRENT.context.memory_bytes = 1 << 20
    try:
        given = [
            cuda.device_array(32, np.int32) if isinstance(one, str) else one.copy() if isinstance(one, np.ndarray) else one
            for one in arguments
        ]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return cuda.jit(function).check[grid, block](*given, schedule=False, max_cycles=100_000)
    finally:
        CURRENT.use(None)


def test_there_are_enough():
    assert len(KERNELS) >= 40


@pytest.mark.parametrize("planted", KERNELS, ids=lambda planted: planted[0].__name__)
def test_a_planted_bug_is_found(planted):
    function, grid, block, arguments, kinds, at, machine, change = planted
    report = run(function, grid, block, arguments, machine, change)
    assert {one.kind for one in report.findings} == kinds, str(report)
    lines = report.program.sources[0].lines
    said = [lines[one.position.line - 1].strip() for one in report.findings if one.position.line]
    assert any(at in line for line in said), f"{said}\n{report}"
    assert all(one.fix or one.kind == "deadlock" for one in report.findings)
