"""The watch changes nothing of the machine, and both engines find the same."""

import re

import numpy as np
import pytest

import warploom
from tests.checks.planted import histogram_without_atomics, ints, reduction_without_barriers, zeros
from warploom import cuda
from warploom.checks.checker import Checker
from warploom.machine.device.machine import PipelineMachine
from warploom.machine.run.driver import drive

PROGRAMS = ["examples/tiny/histogram.asm", "examples/tiny/reduction_shared.asm", "examples/guppy/load_strided.guppy"]


@pytest.mark.parametrize("path", PROGRAMS)
def test_a_checked_run_is_the_same_run(path):
    program = warploom.load(path)
    config = warploom.load_config("tiny-simt" if path.endswith("asm") else "guppy")
    plain, watched = PipelineMachine(config, program), PipelineMachine(config, program, watcher=Checker())
    outcomes = [drive(machine, engine="python") for machine in (plain, watched)]
    assert outcomes[0].status == outcomes[1].status == "done"
    watched.cores["watched"] = 0  # the only byte that may differ
    assert plain.state() == watched.state()


def test_both_engines_find_the_same():
    found = []
    for engine in ("python", "native"):
        for function, block, x in ((histogram_without_atomics, 64, ints(128) % 8), (reduction_without_barriers, 128, ints(128))):
            kernel = cuda.jit(function).on(warploom.GPU("sm", engine=engine))
            report = kernel.check[len(x) // block, block](x, zeros(8), schedule=False)
            found.append((report.as_dict(), kernel.result.memory.tobytes()))
    assert found[:2] == found[2:]
    assert all(row[0]["findings"] for row in found)


def test_a_race_is_shown_on_another_machine():
    kernel = cuda.jit(histogram_without_atomics).on(warploom.GPU("sm", engine="python"))
    report = kernel.check[2, 64](ints(128) % 8, zeros(8))
    assert "order: here thread" in report.findings[0].order


@pytest.mark.parametrize("dtype, value", [(np.float32, r"\d+\.[05]"), (np.float64, r"\d+\.[05]"), (np.int64, r"\d+"), (np.int32, r"\d+")])
def test_values_are_shown_as_the_array_has_them(dtype, value):
    def smooth(x, out):
        s = cuda.shared.array(64, x.dtype)
        t = cuda.threadIdx.x
        s[t] = x[cuda.grid(1)]
        out[cuda.grid(1)] = (s[t] + s[(t + 1) % 64]) / 2

    kernel = cuda.jit(smooth).on(warploom.GPU("sm", engine="python"))
    report = kernel.check[2, 64](np.arange(128).astype(dtype), zeros(128, dtype=dtype))
    orders = " ".join(one.order for one in report.findings)
    assert re.search(rf"order: --set \S+ leaves {value} in out\[\d+\], this run {value}$", orders), orders


def test_a_device_array_is_known_from_launch_to_launch():
    def fill(x):
        x[cuda.threadIdx.x] = 1

    def copy(x, out):
        out[cuda.threadIdx.x] = x[cuda.threadIdx.x]

    fill, copy = cuda.jit(fill), cuda.jit(copy)
    x, out = cuda.device_array(32, np.int32), np.zeros(32, np.int32)
    assert [one.kind for one in copy.check[1, 32](x, out).findings] == ["uninitialised"]
    assert fill.check[1, 16](x).clean
    (finding,) = copy.check[1, 32](x, out).findings
    assert finding.element == "x[16]"
    fill[1, 32](x)
    assert copy.check[1, 32](x, out).clean


def test_machines_that_move_threads_between_warps_are_refused():
    kernel = cuda.jit(histogram_without_atomics).on(warploom.GPU("sm", set={"core.divergence": "dwf"}, engine="python"))
    with pytest.raises(warploom.LaunchError, match="forms warps anew"):
        kernel.check[1, 32](ints(32), zeros(32))
