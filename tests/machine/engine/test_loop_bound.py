"""A loop of a user's unit ends, or says that it does not; all else of the function stays as it was."""

from __future__ import annotations

import ast
import builtins
import dis
import functools
import inspect
import types
from itertools import pairwise

import pytest

from warploom.machine.engine.call_counts import begin_call, begins_calls
from warploom.machine.engine.loop_bound import AROUND, ENDLESS, IN_ALL, MOST, SHORT, _rounds, bounded


def counts_down(x, step=1):
    while x > 0:
        x -= step
        if x == 1:
            break
    else:
        x = -1
    return x


def inner_endless(x):
    for _ in range(2):
        while x > 0:
            x += 1
    return x


def outer_endless(x):
    while True:
        k = 3
        while k > 0:
            k -= 1


def straight(x):
    return x + 1


def over_a_short_range(x):
    for k in range(3, 0, -1):
        x += k
    return x


def over_a_range(x):
    for k in range(x):
        if k < 0:
            break
    else:
        return k + 1
    return -1


def over_what_a_mask_holds(x):
    found = x
    for k in range(1 << 40):
        found = k
    return found


def test_a_loop_that_ends_is_as_before():
    made = bounded(counts_down)
    assert [made(n) for n in (0, 5, MOST)] == [-1, 1, 1]
    assert made(4, step=2) == -1
    assert [bounded(over_a_range)(n) for n in (1, 7, MOST)] == [1, 7, MOST]
    assert (made.__name__, made.__module__, made.__wrapped__) == ("counts_down", __name__, counts_down)
    assert bounded(made) is made


def nested_ranges(x):
    for _ in range(MOST - 1):
        for _ in range(MOST - 1):
            x += 1
    return x


def in_three(x):
    for _ in range(10):
        while x > 0:
            for _ in range(SHORT):
                x += 1
    return x


def from_below_zero(x):
    for _ in range(-1_000_000, 1_000_000):
        x += 1
    return x


def long_in_short(x):
    for _ in range(200):
        for _ in range(40_000):
            x += 1
    return x


def in_a_function_of_its_own(x):
    def inner(y):
        while y > 0:
            y += 1
        return y

    return inner(x)


@pytest.mark.parametrize(
    ("function", "line", "said"),
    [
        (inner_endless, 2, ENDLESS),
        (outer_endless, 1, AROUND),
        (over_what_a_mask_holds, 2, ENDLESS),
        (nested_ranges, 1, AROUND),
        (in_three, 2, AROUND),
        (from_below_zero, 1, ENDLESS),
        (long_in_short, 1, AROUND),
        (in_a_function_of_its_own, 2, ENDLESS),
    ],
)
def test_the_loop_that_does_not_end_is_named_and_not_those_in_it(function, line, said):
    with pytest.raises(RuntimeError, match=said) as caught:
        bounded(function)(1)
    assert caught.traceback[-1].lineno + 1 == function.__code__.co_firstlineno + line


def nested_endless(x):
    if x > 0:
        while 1:
            x += 1
    else:
        while True:
            while x > 5:
                x -= 1


@pytest.mark.parametrize(("function", "asked", "line"), [(outer_endless, 1, 1), (nested_endless, 1, 2), (nested_endless, 0, 5)])
def test_one_that_never_returns_has_a_result_for_a_compiler_and_does_the_same(function, asked, line):
    made = bounded(function, answers=True)
    steps = list(dis.get_instructions(made))
    returned = {
        (each if each.opname == "RETURN_CONST" else before).argval for before, each in pairwise(steps) if each.opname[:6] == "RETURN"
    }
    assert returned == {0}  # a number, as the answers of others are
    with pytest.raises(RuntimeError, match=f"{ENDLESS}|{AROUND}") as caught:
        made(asked)
    assert caught.traceback[-1].lineno + 1 == function.__code__.co_firstlineno + line


def test_a_loop_that_is_never_entered_stays_one():
    seen = []

    def endless(x):
        while False:
            seen.append(x)
        while True:
            x += 1

    with pytest.raises(RuntimeError, match=ENDLESS):
        bounded(endless, answers=True)(0)
    assert seen == []


def returns_from_inside(x):
    while True:
        if x > 3:
            return x
        x += 1


@pytest.mark.parametrize("function", [counts_down, inner_endless, returns_from_inside])
def test_one_that_may_return_is_the_same_for_a_compiler(function):
    assert bounded(function, answers=True).__code__ == bounded(function).__code__


def test_one_that_never_returns_has_no_result_where_no_compiler_asks():
    assert not any(each.opname in ("RETURN_VALUE", "RETURN_CONST") for each in dis.get_instructions(bounded(outer_endless)))


def over_few_numbers(x):
    for _ in range(64):
        for k in range(64):
            x += k
    return x


def over_more_numbers(x):
    for _ in range(64):
        for k in range(65):
            x += k
    return x


def test_loops_that_run_short_together_are_not_counted_and_those_that_are_may_run_a_million_times():
    def rounds(x):
        n = 0
        for _ in range(x):
            for _ in range(1_000):
                n += 1
        return n

    assert bounded(over_few_numbers) is over_few_numbers
    assert bounded(over_more_numbers)(0) == over_more_numbers(0)
    assert bounded(over_more_numbers) is not over_more_numbers
    assert bounded(rounds)(1_000) == MOST
    with pytest.raises(RuntimeError, match=AROUND):
        bounded(rounds)(1_001)


def calls_something(x):
    for k in range(64):
        x += straight(k)
    return x


def uses_pythons_own(x):
    for k in range(64):
        x += min(k, abs(k), int(k))
    return x


def over_65_numbers(x):
    for k in range(65):
        x += k
    return x


def test_a_short_loop_is_counted_where_it_calls_what_may_loop_and_where_it_is_called_itself():
    assert bounded(calls_something) is not calls_something
    assert bounded(uses_pythons_own, called=True) is uses_pythons_own
    assert bounded(over_65_numbers) is over_65_numbers
    assert bounded(over_65_numbers, called=True) is not over_65_numbers


def two_loops(x):
    """Of the first loop a call may return."""
    for k in range(x):
        if k == 600_000:
            return k
    while x > 0:
        x -= 1
    return x


def test_the_counts_of_a_function_that_is_called_go_on_until_a_call_of_the_unit_begins():
    made = bounded(two_loops, called=True)
    begin_call()
    assert [made(600_001), made(300_000), made(99_999)] == [600_000, 0, 0]
    with pytest.raises(RuntimeError, match=IN_ALL) as caught:
        made(1)
    assert caught.traceback[-1].lineno + 1 == two_loops.__code__.co_firstlineno + 2
    begin_call()
    assert made(600_000) == 0
    with pytest.raises(RuntimeError, match=ENDLESS):
        bounded(inner_endless, called=True)(1)
    assert begins_calls(made) and not begins_calls(straight)


class Unwilling:
    """As what a library keeps for a request: it has no attributes outside of one."""

    def __getattr__(self, name):
        raise RuntimeError("outside of a request")


class Agreeable:
    """As `unittest.mock.call`: it has each attribute that it is asked for."""

    def __getattr__(self, name):
        return self


def module_of(name, text, **more):
    """A module with functions, and other things in it."""
    module = types.ModuleType(name)
    vars(module).update(more)
    exec(text, vars(module))
    return module


def test_functions_that_keep_counts_are_sought_by_the_names_that_a_unit_uses():
    kept = bounded(two_loops, called=True)
    odd = {"unwilling": Unwilling(), "agreeable": Agreeable()}
    other = module_of("other", "", **odd, kept=kept)
    using = "def uses(s): return unwilling + agreeable + other.{}(s)\ndef calls(s): return (lambda: uses(s))()"
    assert begins_calls(module_of("mine", using.format("kept"), **odd, other=other).calls)
    assert not begins_calls(module_of("mine", using.format("nothing"), **odd, other=other).calls)
    assert begins_calls(module_of("mine", "def uses(s): return 0", **odd, kept=kept).uses)
    package = module_of("package", "", other=other)
    package.package = package
    assert begins_calls(module_of("mine", "def uses(s): return package.other.kept(s)", package=package).uses)
    assert not begins_calls(module_of("mine", "def uses(s): return package.other(s)", package=package).uses)
    over = module_of("over", "def make(inner):\n    def uses(s): return inner(s)\n    return uses")
    assert begins_calls(over.make(kept))
    assert not begins_calls(over.make(straight))


def test_what_is_marked_on_a_function_stays():
    def marked(x):
        while x > 0:
            x -= 1
        return x

    marked.__warploom_unit__ = True
    assert bounded(marked).__warploom_unit__


def test_a_function_of_names_around_it_keeps_them():
    most, first = 3, 1

    def closure(x):
        while x < most:
            x += first
        return x

    assert bounded(closure)(0) == 3


@pytest.mark.parametrize("function", [straight, over_a_short_range, len, eval("lambda x: x")])
def test_what_has_no_loop_that_may_be_long_is_itself(function):
    assert bounded(function) is function


def twice(function):
    @functools.wraps(function)
    def again(x):
        count = 0
        while count < 2:
            x = function(x)
            count += 1
        return x

    return again


def test_a_decorator_that_loops_is_bounded_and_not_what_it_wraps():
    assert bounded(twice(straight))(5) == 7
    made = twice(straight)
    made.__name__ = "other"
    assert bounded(made)(5) == 7


def test_what_has_no_source_is_itself():
    known = {}
    exec("def spins(x):\n    while x:\n        pass\n", known)
    assert bounded(known["spins"]) is known["spins"]
    assert not inspect.isbuiltin(known["spins"])


LONG = SHORT + 1  # of a loop of which nobody knows how often it runs


@pytest.mark.parametrize(
    ("text", "rounds"),
    [
        ("x = 1", 1),
        ("for k in range(7): pass", 7),
        ("for k in range(2, 9, 3): pass", 3),
        ("for k in range(0): pass", 0),
        ("for k in range(7):\n for m in range(5): pass\n for m in range(6): pass", 42),
        ("if x:\n for k in range(3): pass\nelse:\n for k in range(4): pass", 4),
        ("while x: pass", LONG),
        ("for k in range(3):\n while x: pass", 3 * LONG),
        ("for k in range(n): pass", LONG),
        ("for k in numbers: pass", LONG),
        ("for k in each(7): pass", LONG * LONG),  # nor how often what it calls
        ("for k in range(2.5): pass", LONG),
        ("for k in range(7):\n def inner():\n  while x: pass", 7),  # runs when it is called: its loops are its own
        ("for k in range(7):\n f = lambda: [k for k in z]", 7),
    ],
)
def test_a_loop_runs_as_often_as_its_numbers_and_those_of_the_loops_in_it_say(text, rounds):
    assert _rounds(ast.parse(text), frozenset(dir(builtins))) == rounds
