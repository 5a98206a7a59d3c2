"""Strings in arrays and records."""

import numpy as np

from tests.kernel.syntax.test_translator import refused
from warploom import cuda


def test_strings_are_stored_copied_and_compared():
    @cuda.jit
    def kernel(names, short, same):
        i = cuda.grid(1)
        if i < names.size:
            names[i] = "even"
            if i % 2:
                names[i] = "odd and too long"
            short[i] = names[i]
            same[i] = (names[i] == "even") + 2 * (names[i] != short[i])

    names, short, same = np.full(4, "?", "U12"), np.full(4, "?????", "U5"), np.zeros(4, np.int32)
    kernel[1, 32](names, short, same)
    assert names.tolist() == ["even", "odd and too ", "even", "odd and too "]
    assert short.tolist() == ["even", "odd a", "even", "odd a"]
    assert same.tolist() == [1, 2, 1, 2]


def test_bytes_in_a_record():
    @cuda.jit
    def kernel(rows):
        i = cuda.threadIdx.x
        rows[i].number = i
        rows[i].name = b"XYZ"

    rows = np.zeros(3, np.dtype([("number", np.int32), ("name", "S5")], align=True))
    kernel[1, 2](rows)
    assert rows.tolist() == [(0, b"XYZ"), (1, b"XYZ"), (0, b"")]


def test_text_and_bytes_are_different_things():
    def kernel(names):
        names[0] = b"bytes"
        names[0] = 7
        names[0] = "a" if names[1] == "b" else "c"

    assert [one[2] for one in refused(kernel, np.zeros(1, "U4"))] == [
        "a string is wanted, and this is bytes",
        "a string is wanted, and this is an int64",
        "the value is a string on each path, and not the same one: which one it is must be known when the kernel is compiled",
    ]
