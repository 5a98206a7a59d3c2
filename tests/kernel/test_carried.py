"""Variables that one round of a loop leaves to the next."""
# ruff: noqa: F821, F841 - that is what these kernels are about

import runpy
import warnings

import numpy as np
import pytest

from warploom import cuda
from warploom.isa.diagnostics import SourceError
from warploom.kernel import compile
from warploom.kernel.signature import kind_of

X = np.arange(1, 9)


def ran(kernel, out, *, warned):
    """What a kernel stores; the variables of which it is said that they have no value on some path."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        kernel[1, 4](X, out)
    said = "".join(str(one.message) for one in caught)
    assert [
        name for name in ("before", "shape", "total", "piece") if f"{name!r} has no value on some path that leads here" in said
    ] == warned
    return out.tolist()


def test_the_item_before():
    @cuda.jit
    def k(x, out):
        s = 0
        for i in range(x.size):
            if i > 0:
                s += before
            before = x[i]
        out[cuda.threadIdx.x] = s + before

    assert ran(k, np.zeros(4, np.int64), warned=["before"]) == [36] * 4


def test_a_value_made_from_its_own_in_two_loops_becomes_a_float():
    @cuda.jit
    def k(x, out):
        i = 0
        while i < 2:
            for j in range(x.size):
                if i + j == 0:
                    total = x[j]
                else:
                    total = total + x[j] / 2
            i += 1
        out[cuda.threadIdx.x] = total

    assert ran(k, np.zeros(4), warned=["total"]) == [1 + 35 / 2 + 18] * 4


@pytest.mark.parametrize(("first", "found"), [(0, ["before"]), (1, [])])
def test_checks_find_what_is_read_without_a_value(first, found):
    @cuda.jit
    def k(x, out, first):
        for i in range(x.size):
            if i >= first:
                out[cuda.threadIdx.x] += x[i] - before
            before = x[i]

    with pytest.warns(cuda.KernelWarning, match="'before' has no value on some path"):
        report = k.check[1, 4](X, np.zeros(4, np.int64), first)
    assert [one.element for one in report.findings if one.kind == "uninitialised"] == found
    assert len(report.findings) == len(found)


def test_tuples_and_arrays():
    @cuda.jit
    def k(x, out):
        for i in range(x.size):
            if i > 0:
                out[i] = shape[0] - shape[1] + piece.size
            shape = (x[i], 1.5)
            piece = x[i:]

    assert ran(k, np.zeros(8), warned=["shape", "piece"]) == [0] + [7.5] * 7


def test_a_loop_that_is_unrolled_and_a_function():
    @cuda.jit
    def last_but_one(x, first):
        for i in range(3):
            if i > first:
                found = before
            before = x[i]
        return found

    @cuda.jit
    def k(x, out):
        out[cuda.threadIdx.x] = last_but_one(x, x[0] - 1)

    assert ran(k, np.zeros(4, np.int64), warned=["before"]) == [2] * 4


def test_a_path_that_assigns_nothing_keeps_what_an_earlier_round_gave():
    @cuda.jit
    def k(x, out):
        best = x[7]
        for i in range(x.size):
            if x[i] < best:
                best = x[i]
                piece = i + 10
        out[0] = piece
        for i in range(x.size):
            if i > 4:
                break
            shape = x[i]
        out[1] = shape
        for i in range(x.size):
            if i == 2:
                total = x[i] / 2
                continue
            out[2] = i
        out[2] += total
        for i in range(x[1]):
            for j in range(4 * x[2]):
                if i == 0 and j == 5:
                    before = x[j] + 20
        out[3] = before

    assert ran(k, np.zeros(4), warned=["before", "shape", "total", "piece"]) == [10, 5, 8.5, 26]


def test_what_nothing_assigns_stays_a_mistake():
    @cuda.jit
    def k(x, out):
        for i in range(x.size):
            out[i] = never
            never = never + 1
        for i in range(x.size):
            out[i] = later
        later = 1

    with pytest.raises(SourceError) as caught:
        k[1, 4](X, np.zeros(8))
    said = str(caught.value)
    assert said.count("'never' has no value here") == 1
    assert said.count("'later' has no value here") == 1


def test_a_loop_of_one_round_with_a_loop_inside():
    @cuda.jit
    def k(x, out):
        s = 0
        for _ in range(1):
            for i in range(x.size):
                s += x[i]
        out[cuda.threadIdx.x] = s

    assert ran(k, np.zeros(4, np.int64), warned=[]) == [36] * 4


@pytest.mark.parametrize(("loops", "start", "attempts"), [(70, "0", 2), (6, "int(s{})", 7)])
def test_loops_that_do_not_need_each_other_settle_at_once(loops, start, attempts, tmp_path, monkeypatch):
    lines = ["def k(x):", "    s0 = 0"]
    for number in range(1, loops + 1):
        lines += [f"    s{number} = {start.format(number - 1)}", "    for i in range(x[0]):", "        if i > 0:"]
        lines += [f"            s{number} += seen{number} / 2", f"        seen{number} = x[i]"]
    (tmp_path / "loops_in_a_row.py").write_text("\n".join([*lines, f"    last = s{loops}", ""]))
    k = runpy.run_path(str(tmp_path / "loops_in_a_row.py"))["k"]
    made, translate = [], compile._translate
    monkeypatch.setattr(compile, "_translate", lambda *args: (made.append(args), translate(*args))[1])
    assert compile.result_type(k, [kind_of(X)], "last") == np.float64
    assert len(made) == attempts + 1


def test_a_number_becomes_complex_in_the_outer_loop():
    @cuda.jit
    def k(x, out):
        s = 1
        for _ in range(x[2]):
            for _ in range(x[1]):
                s = s + 1.5
            s = s + 1j
        out[0] = s

    assert ran(k, np.zeros(4, np.complex128), warned=[])[0] == 1 + 3 * 2 * 1.5 + 3j


@pytest.mark.parametrize(
    ("assignment", "said"),
    [
        ("before = nowhere + i", ["there is no 'nowhere'"]),
        ("before = nothing\n        nothing = before", ["'before' has no value here"]),
        ("pass\n    while later < 3:\n        later = 4\n    before = 0", ["'before' has no value here", "'later' has no value here"]),
    ],
)
def test_a_value_is_missed_where_nothing_gives_it(assignment, said, tmp_path):
    """What assigns a variable and has a mistake says so itself. A condition before any round knows no round, as in Numba."""
    path = tmp_path / "missed.py"
    path.write_text(f"def k(x, out):\n    for i in range(x.size):\n        out[i] = before\n        {assignment}\n")
    k = runpy.run_path(str(path))["k"]
    with pytest.raises(SourceError) as caught:
        compile.build(k, [kind_of(X), kind_of(np.zeros(8))], {})
    assert [one.message for one in caught.value.diagnostics] == said
