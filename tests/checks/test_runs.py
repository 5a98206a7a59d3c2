"""A row for a whole run of words says what its words' own rows would."""

import warnings

import numpy as np
import pytest

import warploom
from tests.checks import correct, planted
from warploom import cuda
from warploom.checks import races
from warploom.checks.checker import Checker
from warploom.checks.shadow import COUNT as FOUND
from warploom.checks.shadow import HELD, R1_TIME, R1_WHO, R2_TIME, R2_WHO, SPREAD, THREAD_SHIFT, W_TIME, W_WHO
from warploom.kernel import checked_launch
from warploom.kernel.context import CURRENT

CASES = [(*row[:4], 0, row[6], row[7]) for row in planted.KERNELS] + [
    (function, grid, block, arguments, shared, "sm", change) for function, grid, block, arguments, change, shared in correct.KERNELS
]


def last_checker(monkeypatch):
    """The checker of the last launch, in a list."""
    made = []

    class Kept(Checker):
        def __init__(self, *given):
            super().__init__(*given)
            made.append(self)

    monkeypatch.setattr(checked_launch, "Checker", Kept)
    return made


def tables(case, monkeypatch, engine="python"):
    """The checks' tables after a launch."""
    function, grid, block, arguments, shared, machine, change = case
    made = last_checker(monkeypatch)
    CURRENT.use(warploom.GPU(machine, set=change or {}, engine=engine))
    CURRENT.context.memory_bytes = 1 << 20
    given = [cuda.device_array(32, np.int32) if isinstance(one, str) else one.copy() if hasattr(one, "copy") else one for one in arguments]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        cuda.jit(function).check[grid, block, 0, shared](*given, schedule=False, max_cycles=100_000)
    return made[-1].found


def words(found):
    """Who accessed each word when, and what is written of it, wherever that stands."""
    runs, rows = found["runs"], found["shadow"]
    width = len(rows) // len(runs)
    there = np.repeat(runs, width, axis=0)
    for column in (W_WHO, R1_WHO, R2_WHO):
        there[:, column] += np.tile(np.arange(width) << THREAD_SHIFT, len(runs))
    spread = np.repeat(runs[:, SPREAD] != 0, width)
    there[spread] = rows[spread]
    for when, who in ((W_TIME, W_WHO), (R1_TIME, R1_WHO), (R2_TIME, R2_WHO)):
        there[there[:, when] == 0, who] = 0
    return there[:, [W_TIME, W_WHO, R1_TIME, R1_WHO, R2_TIME, R2_WHO, HELD]]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case[0].__name__)
def test_runs_find_what_words_find(case, monkeypatch):
    found = tables(case, monkeypatch)
    monkeypatch.setattr(races, "is_whole", lambda *given: False)
    alone = tables(case, monkeypatch)
    assert found["findings"].tobytes() == alone["findings"].tobytes()
    assert np.array_equal(words(found), words(alone))


def copy_to(x, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = x[i]


def test_a_kernel_that_streams_needs_no_rows_for_its_words(monkeypatch):
    x = np.arange(256, dtype=np.float32)
    found = tables((copy_to, 4, 64, (x, np.zeros_like(x)), 0, "sm", None), monkeypatch)
    assert found["findings"][0, FOUND] == 0
    assert np.count_nonzero(found["runs"][:, W_TIME]) == np.count_nonzero(found["runs"][:, R1_TIME]) == 8
    assert not found["shadow"].any() and not found["runs"][:, SPREAD].any()


def test_lanes_that_stay_away_spread_their_run_alone(monkeypatch):
    x = np.arange(100, dtype=np.float32)
    found = tables((copy_to, 2, 64, (x, np.zeros_like(x)), 0, "sm", None), monkeypatch)
    assert found["findings"][0, FOUND] == 0
    assert found["runs"][:, SPREAD].sum() == 2  # the last 4 items of each array


def test_both_engines_write_the_same_notes(monkeypatch):
    x = np.arange(100, dtype=np.float32)
    cases = [(copy_to, 2, 64, (x, np.zeros_like(x)), 0, "sm", None), CASES[0], CASES[2]]
    for case in cases:
        found, native = (tables(case, monkeypatch, engine) for engine in ("python", "native"))
        assert all(found[name].tobytes() == native[name].tobytes() for name in found), case[0].__name__
