"""What cannot become native code whatever it is called with is refused in both engines, with its line."""

from __future__ import annotations

import inspect
from functools import partial

import pytest

from warploom.machine.engine import refused
from warploom.machine.engine.refused import check_function
from warploom.machine.engine.users import UnitError
from warploom.units import unit


def ping(x):
    return pong(x) if x > 0 else 0


def pong(x):
    return ping(x - 1)


def calls_two(s, now):
    return helper(now) + ping(now)


def helper(x):
    return x


def names_itself(s, now):
    names_itself.count = now
    return helper(helper(now))


def test_functions_that_call_one_another_in_a_circle_are_refused():
    first = ping.__code__.co_firstlineno
    with pytest.raises(UnitError, match=rf"test_refused.py:{first}: ping calls itself, through pong; hardware has no stack of calls"):
        check_function(calls_two)
    check_function(names_itself)
    check_function(helper)


def is_handed_on(s, set):
    return the_first(0, helper(set), key=is_handed_on) + the_first(1, is_handed_on, 2)


def the_first(number, other, key):
    return number


def has_another_name(x):
    again = has_another_name
    return again(x - 1) if x > 0 else 0


def test_a_function_that_is_only_handed_on_is_not_called():
    check_function(is_handed_on)
    with pytest.raises(UnitError, match="has_another_name calls itself"):
        check_function(has_another_name)


def hands_on_and_calls(x):
    return the_first(x, hands_on_and_calls, 0) + hands_on_and_calls(x - 1)


def calls_for_an_argument(x):
    return the_first(calls_for_an_argument(x - 1), 0, 0)


@pytest.mark.parametrize("function", [hands_on_and_calls, calls_for_an_argument])
def test_a_call_among_what_is_handed_on_is_one(function):
    with pytest.raises(UnitError, match=f"{function.__name__} calls itself"):
        check_function(function)


def test_each_function_is_followed_once(monkeypatch):
    """Each of these calls two, which call the same two: there are 2**40 ways to the last."""
    known = {}
    exec("def left_0(x): return x\ndef right_0(x): return x", known)
    for number in range(1, 41):
        both = f"(x): return left_{number - 1}(x) + right_{number - 1}(x)"
        exec(f"def left_{number}{both}\ndef right_{number}{both}", known)
    asked = []

    def called(function):
        asked.append(function.__name__)
        assert len(asked) <= 81
        return of(function)

    of = refused._called
    monkeypatch.setattr(refused, "_called", called)
    check_function(known["left_40"])
    assert len(asked) == len(set(asked)) == 80 + 1


def names_within(x):
    if x > 3 and (found := x) > 4:
        return found
    return 0


@unit
def names_within_too(x):
    least = x
    return least if (other := x + 1) > 3 else other


def calls_one_that_names(s, set):
    return helper(names_within_too(set))


@pytest.mark.parametrize(("function", "at"), [(names_within, names_within), (calls_one_that_names, inspect.unwrap(names_within_too))])
def test_a_name_that_gets_its_value_within_an_expression_is_refused(function, at):
    line = at.__code__.co_firstlineno + (3 if at is not names_within else 1)
    with pytest.raises(UnitError, match=rf"test_refused.py:{line}: {at.__name__} has := in an expression, which native code cannot; give "):
        check_function(function)


def test_a_lambda_is_asked_for_what_is_in_it_and_not_around_it():
    check_function(made := lambda x: x + 1)
    assert made(1) == 2
    with pytest.raises(UnitError, match="has := in an expression"):
        check_function(lambda x: (y := x) + y)


class Choice:
    def __call__(self, hash, line):
        return 0

    def place(self, hash, line):
        return 0


def with_a_number(hash, line):
    mixed = line * 3
    return mixed & 0x1_0000_0000_0000_0000


@pytest.mark.parametrize(
    ("unit", "at", "said"),
    [
        (Choice(), Choice.__call__.__code__.co_firstlineno, "Choice is not written with def as a function of its own, as a unit is"),
        (
            Choice().place,
            Choice.place.__code__.co_firstlineno,
            "Choice.place is not written with def as a function of its own, as a unit is",
        ),
        (
            with_a_number,
            with_a_number.__code__.co_firstlineno + 2,
            "with_a_number uses the number 18446744073709551616; a number has 64 bits",
        ),
        (max, 0, "max is not written with def as a function of its own, as a unit is"),
        (partial(with_a_number, line=3), 0, "partial is not written with def as a function of its own, as a unit is"),
    ],
)
def test_what_cannot_become_native_code_is_refused_before_a_run(unit, at, said):
    with pytest.raises(UnitError) as found:
        check_function(unit)
    file, _, rest = str(found.value).partition(f"test_refused.py:{at}: ")
    assert (rest if at else file).startswith(said)


@pytest.mark.parametrize("number", [0, 2**63, 2**64 - 1, 2**64, -(2**62) - 1, -(2**63), -(2**63) - 1])
def test_a_number_has_64_bits_with_a_sign_or_without(tmp_path, number):
    file, held = tmp_path / "mine.py", {}
    file.write_text(f"def mine(s, now):\n    return {number}\n")
    exec(compile(file.read_text(), str(file), "exec"), held)
    if -(2**63) <= number < 2**64:
        check_function(held["mine"])
    else:
        with pytest.raises(UnitError, match=f"mine uses the number {number}; "):
            check_function(held["mine"])
