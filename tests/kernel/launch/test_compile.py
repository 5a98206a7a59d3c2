"""What a compilation does to the rest of the process."""

import gc
import linecache
import sys

import numpy as np
import pytest

import warploom
from tests.kernel.texts import of_text
from warploom import SourceError, cuda
from warploom.kernel.launch import compile as compiling
from warploom.kernel.launch.compile import build
from warploom.kernel.launch.signature import kind_of


def scaled(x, out):
    i = cuda.grid(1)
    for k in range(3):
        if i < out.size:
            out[i] += x[i] * k


def test_nobody_looks_for_garbage_while_a_kernel_is_compiled():
    looked = []

    def note(phase, info):
        looked.append(phase)

    thresholds = gc.get_threshold()
    gc.set_threshold(1)
    gc.callbacks.append(note)
    try:
        build.__wrapped__(scaled, [kind_of(np.zeros(4))] * 2, {})
        without = len(looked)
        looked.clear()
        build(scaled, [kind_of(np.zeros(4))] * 2, {})
        during = len(looked)
    finally:
        gc.callbacks.remove(note)
        gc.set_threshold(*thresholds)
    assert during < without / 100  # before and after it somebody may
    assert gc.isenabled()


def test_what_checks_ask_takes_no_instruction_of_its_own():
    def moved(x, y):
        i = cuda.grid(1)
        if i + 1 < x.size:
            y[i] = x[i + 1]

    kinds = [kind_of(np.zeros(64, np.float32))] * 2
    plain, checked = (build(moved, kinds, options).program for options in ({}, {"check": True}))
    assert len(checked.code) == len(plain.code)
    asked = [text for text in checked.text if "note" in text]
    assert len(asked) == 2 and "store" in asked[1]
    assert [checked.position(at).line for at in range(len(checked.code))] == [plain.position(at).line for at in range(len(plain.code))]


def test_what_is_unrolled_and_inlined_is_bounded_together(monkeypatch):
    monkeypatch.setattr("warploom.kernel.syntax.translator.MOST_NODES", 5000)
    numbers = tuple(range(30))

    def kernel(x):
        for a in numbers:
            for b in numbers:
                for c in numbers:
                    x[0] += a * b + c

    with pytest.raises(SourceError, match="what is unrolled and inlined in kernel comes to more than"):
        build(kernel, [kind_of(np.zeros(4))], {})


def test_a_sum_of_a_thousand_terms():
    text = f"def kernel(x):\n    x[0] = {' + '.join(f'x[1] * {number}' for number in range(1000))}\n"
    linecache.cache["<thousand>"] = (len(text), None, text.splitlines(keepends=True), "<thousand>")
    scope = {}
    exec(compile(text, "<thousand>", "exec"), scope)
    data = np.array([0.0, 2.0])
    cuda.jit(scope["kernel"])[1, 1](data)
    assert data[0] == 2.0 * sum(range(1000))


def chain(branches):
    """A kernel with a chain of `elif`, of whose branches each stores a number of its own."""
    tests = "".join(f"    {'el' * (n > 0)}if v == {n}:\n        out[i] = {3 * n + 1}\n" for n in range(branches))
    return of_text(f"def k(x, out):\n    i = cuda.grid(1)\n    v = x[i]\n{tests}    else:\n        out[i] = -1\n", f"<{branches}>")


def test_a_chain_of_800_branches():
    x, out = np.array([0, 1, 399, 799, 800], np.int32), np.zeros(5, np.int32)
    before = sys.getrecursionlimit()
    chain(800).on(warploom.GPU("sm", engine="python"))[1, 5](x, out)
    assert out.tolist() == [1, 4, 1198, 2398, -1]
    assert sys.getrecursionlimit() == before


def test_what_is_nested_too_deep_is_refused(monkeypatch):
    monkeypatch.setattr(compiling, "DEEPEST", 1000)
    with pytest.raises(SourceError, match="its expressions, statements and functions are nested too deep"):
        chain(400)[1, 1](np.zeros(1, np.int32), np.zeros(1, np.int32))
