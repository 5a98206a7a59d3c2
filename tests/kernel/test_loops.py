"""`else` of loops means what it does in Python."""

import numpy as np
import pytest

import warploom
from warploom import cuda


def first_multiple(n):
    k = 1
    while k < 8:
        if k * n % 7 == 3:
            break
        k += 1
    else:
        k = -1
    return k


def is_prime(n):
    for d in range(2, n):
        if n % d == 0:
            break
    else:
        return 1
    return 0


def nested(n):
    total = 0
    for i in range(5):
        for j in range(n % 4):
            if i * j == n % 6:
                break
            total += 1
        else:
            if i == n % 5:
                break
            total += 100
    else:
        total += 1000
    return total


def of_a_tuple(n):
    for limit in (3, 6, 9):
        if n < limit:
            found = limit
            break
    else:
        found = 0
    return found


def without_a_break(n):
    for i in range(n % 3):
        n += i
        if i > 1:
            continue
    n += 50
    return n


def a_break_of_an_inner_loop_only(n):
    while n < 20:
        for _ in range(3):
            n += 3
            if n % 2:
                break
    n = -n
    return n


FUNCTIONS = [first_multiple, is_prime, nested, of_a_tuple, without_a_break, a_break_of_an_inner_loop_only]


@pytest.mark.parametrize("function", FUNCTIONS, ids=[one.__name__ for one in FUNCTIONS])
def test_a_kernel_finds_what_python_finds(function):
    inner = cuda.jit(device=True)(function)

    def kernel(out):
        i = cuda.grid(1)
        out[i] = inner(i)

    out = np.zeros(32, np.int64)
    run = cuda.jit(kernel).on(warploom.GPU("sm", engine="python"))
    run[1, 32](out)
    assert out.tolist() == [function(i) for i in range(32)]


def test_a_variable_that_only_the_else_gives_a_value_is_unsure_after_a_break():
    def kernel(x, out):
        i = cuda.grid(1)
        for k in range(4):
            if x[k] == i:
                break
        else:
            last = 7
        out[i] = last

    run = cuda.jit(kernel).on(warploom.GPU("sm", engine="python"))
    with pytest.warns(UserWarning, match="'last' has no value on some path"):
        report = run.check[1, 8](np.arange(4), np.zeros(8, np.int64))
    assert [one.message for one in report.findings] == ["thread 0 of block 0 reads last, which has no value on the path that it took"]
