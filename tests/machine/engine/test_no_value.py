"""A name that has no value yet is the same mistake in both engines; a unit whose names all have one stays as it is."""

from __future__ import annotations

import pytest

from warploom.machine.engine.loop_bound import bounded


def on_one_side(x):
    if x > 3:
        found = 1
    return found


def after_a_loop(x):
    for way in range(x):
        if way == 5:
            break
    return way


def adds_to_nothing(x):
    if x > 3:
        count = 1
    count += 1
    return count


def in_a_short_circuit(x):
    if x > 3:
        found = x
    return 1 if x > 3 and found > 4 else 0


def in_the_second_round(x):
    first = True
    while x > 0:
        if not first:
            x -= before  # noqa: F821
        before = 1  # noqa: F841
        first = False
    return x


def has_a_type_alone(x):
    found: int
    if x > 3:
        found = 1
    return found


def has_our_names(x):
    ask_0, found_has_a_value, iterations_of_loop_0, start_of_loop_1 = 2, 0, 7, 5
    if x > 3:
        found = x
    for ask_1 in range(x):
        while ask_0 < ask_1:
            ask_0 += start_of_loop_1
    return found + ask_0 + found_has_a_value + iterations_of_loop_0 + iterations_of_loop_0_


iterations_of_loop_0_ = 100


@pytest.mark.parametrize(
    "function",
    [on_one_side, after_a_loop, adds_to_nothing, in_a_short_circuit, in_the_second_round, has_a_type_alone, has_our_names],
)
def test_one_that_may_lack_a_value_does_as_python_does(function):
    made = bounded(function)
    assert made is not function
    for x in (0, 2, 4, 7):
        assert answer(made, x) == answer(function, x)


def answer(function, x):
    """What a function returns; or the line where it has no value, and what is said."""
    try:
        return function(x)
    except UnboundLocalError as error:
        trace = error.__traceback__
        while trace.tb_next is not None:
            trace = trace.tb_next
        return trace.tb_lineno, str(error)


def on_both_sides(x):
    if x > 1:
        found = 1
    elif x == 0:
        return 3
    else:
        found, other = 2, 3
        found += other
    return found


def of_another(x):
    def inner(y):
        return x + y

    return inner(1)


def in_an_expression(x):
    return y if (y := x + 1) > 0 else 0


def by_a_pattern(x):
    match x:
        case 0:
            found = 1
        case other:
            found = other  # noqa: F841
    return x


@pytest.mark.parametrize("function", [on_both_sides, of_another, in_an_expression, by_a_pattern])
def test_one_whose_names_have_values_is_itself(function):
    assert bounded(function) is function
