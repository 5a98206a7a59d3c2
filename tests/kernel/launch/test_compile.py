"""What a compilation does to the rest of the process."""

import gc

import numpy as np

from warploom import cuda
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
