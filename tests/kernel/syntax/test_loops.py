"""`else` of loops means what it does in Python."""

import warnings

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


def first_place(n):
    for k in range(n % 5):
        if k * k == n:
            break
    else:
        return -1
    return k


def rows_with_a_zero(n):
    found = 0
    for row in range(4):
        for column in range(n % 4 + 1):
            if (row + column) % 4 == n % 3:
                break
        else:
            continue
        found += 10 * row + column
    return found


def of_an_enumeration(n):
    for place, limit in enumerate((3, 6, 9, 12)):  # noqa: B007
        if n < limit:
            break
    else:
        return 100 + n
    return place


def of_two_at_once(n):
    for limit, gain in zip((3, 6, 9), (7, 8, 9)):  # noqa: B007, B905
        if n < limit:
            break
    else:
        limit, gain = 0, n
    return 100 * limit + gain


def until_it_breaks(n):
    rounds = 0
    while True:
        rounds += 1
        if n < rounds * rounds:
            break
        n += 1
    else:
        rounds = -1
    return rounds


def what_the_condition_assigned(n):
    n += 2
    while n > 1 and (half := n // 2) > 3:
        n = half - 1
        if n == 6:
            break
    else:
        return n + 10 * half
    return n


def given_before_each_break(n):
    for k in range(6):
        if k * k == n:
            found = k
            break
        if k + 20 == n:
            found = 2 * k
            break
    else:
        found = -n
    return found


FUNCTIONS = [
    first_multiple, is_prime, nested, of_a_tuple, without_a_break, a_break_of_an_inner_loop_only, first_place, rows_with_a_zero,
    of_an_enumeration, of_two_at_once, until_it_breaks, what_the_condition_assigned, given_before_each_break,
]  # fmt: skip
MAY_LACK_A_VALUE = {what_the_condition_assigned}  # as far as can be seen without knowing n
ENGINES = pytest.mark.parametrize("engine", ["python", "native"])


@pytest.mark.every(3)
@ENGINES
@pytest.mark.parametrize("function", FUNCTIONS, ids=[one.__name__ for one in FUNCTIONS])
def test_a_kernel_finds_what_python_finds_and_says_nothing(function, engine):
    inner = cuda.jit(device=True)(function)

    def kernel(out):
        i = cuda.grid(1)
        out[i] = inner(i)

    out = np.zeros(96, np.int64)
    run = cuda.jit(kernel).on(warploom.GPU("sm", engine=engine))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore" if function in MAY_LACK_A_VALUE else "error")
        run[1, 96](out)
    assert out.tolist() == [function(i) for i in range(96)]


@ENGINES
def test_all_threads_of_a_block_meet_in_an_else(engine):
    def kernel(x, out):
        s = cuda.shared.array(96, np.int64)
        t = cuda.threadIdx.x
        s[t] = x[t]
        cuda.syncthreads()
        for k in range(3):
            near = s[(t + k) % 96]
            cuda.syncthreads()
            if x[0] == k:
                break
            s[t] = near
            cuda.syncthreads()
        else:
            s[t] += 1000
            cuda.syncthreads()
        out[t] = s[(t + 1) % 96]

    for first in (1, 50):
        x = np.arange(96)
        x[0] = first
        s, out = x.copy(), np.zeros(96, np.int64)
        for k in range(3):
            if first == k:
                break
            s = np.roll(s, -k)
        else:
            s += 1000
        run = cuda.jit(kernel).on(warploom.GPU("sm", engine=engine))
        run[1, 96](x, out)
        assert out.tolist() == np.roll(s, -1).tolist()
        assert run.check[1, 96](x, out, schedule=False).clean


def walrus_in_an_else(n, out):
    while n > 0 and (y := n - 1) > 0:
        n = y
    else:  # noqa: PLW0120
        out[0] = y


def walrus_after_a_loop(n, out):
    while n > 0 and (y := n - 1) > 0:
        n = y
    out[0] = y


def given_in_a_loop_only(n, out):
    if n > 3:
        y = 1
    for _ in range(n):
        y = 2
    out[0] = y


def given_on_one_way_to_a_break(n, out):
    for k in range(4):
        if n == k:
            if n > 2:
                y = 1
            else:
                out[0] = 1
            break
        y = 5
    else:
        y = 3
    out[0] = y


def given_after_a_continue(n, out):
    for k in range(n):
        if k > n // 2:
            continue
        y = k
    else:  # noqa: PLW0120
        out[0] = y


@pytest.mark.parametrize(
    "kernel", [walrus_in_an_else, walrus_after_a_loop, given_in_a_loop_only, given_on_one_way_to_a_break, given_after_a_continue]
)
def test_a_loop_that_leaves_a_variable_without_a_value_is_warned_of(kernel):
    with pytest.warns(cuda.KernelWarning, match="'y' has no value on some path that leads here"):
        cuda.jit(kernel).on(warploom.GPU("sm", engine="python"))[1, 1](0, np.zeros(1, np.int64))


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


WEIGHTS = np.array([3, 1, 4], np.int32)


def side_by_side(a, n, out):
    for place, v in enumerate(range(1, n, 3)):
        out[0] += (place + 1) * v
    for v, w in zip(range(n, 0, -2), WEIGHTS):  # noqa: B905
        out[1] = out[1] * 7 + v * w
    for v, w, x in zip(a, WEIGHTS, range(n)):  # noqa: B905
        out[2] += v * w * x
    for place, (v, w) in enumerate(zip(a, WEIGHTS)):  # noqa: B905
        out[3] += place * (v - w)


@pytest.mark.parametrize("n", [0, 1, 2, 3, 5, 8])
def test_ranges_and_arrays_of_lengths_known_or_not_go_side_by_side(n):
    a, out, expected = np.arange(5) - 2, np.zeros(4, np.int64), np.zeros(4, np.int64)
    cuda.jit(side_by_side).on(warploom.GPU("sm", engine="python"))[1, 1](a, n, out)
    side_by_side(a, n, expected)
    assert out.tolist() == expected.tolist()
