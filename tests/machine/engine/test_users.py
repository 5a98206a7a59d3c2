"""What a user's unit raises or gives back is said with its file and line."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from warploom.machine.engine.users import (
    UnitError,
    check_parameters,
    guarded,
    line_of_construct,
    line_of_print,
    place,
    shown_file,
    unit_name,
    unit_place,
)
from warploom.machine.slots.verbs import Mechanism, Replacement


def test_the_line_is_that_of_the_users_file_even_where_something_of_ours_raises():
    def helper(value):
        return int(value)  # raises

    def choose(s, now):
        return helper("x")

    line = helper.__code__.co_firstlineno + 1
    with pytest.raises(UnitError, match=rf"test_users.py:{line}: ValueError: invalid literal for int\(\) with base 10: 'x'$"):
        guarded(choose, lambda result, *arguments: "")(None, 0)


def test_a_result_that_is_none_is_said_with_the_function():
    def choose(s, now):
        return 9

    line = choose.__code__.co_firstlineno
    with pytest.raises(UnitError, match=rf"test_users.py:{line}: choose is wrong: 9$"):
        guarded(choose, lambda result, *arguments: f"is wrong: {result}")(None, 0)


def test_a_callable_without_a_file_is_named():
    assert place(len) == "len"
    assert unit_name(len) == "len"


def test_a_file_is_shown_from_the_working_directory_where_it_lies_in_that(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert shown_file(str(tmp_path / "units" / "mine.py")) == str(Path("units") / "mine.py")
    assert shown_file(str(tmp_path.parent / "mine.py")) == str(tmp_path.parent / "mine.py")


def one(s, set, way, now):
    pass


named = Replacement(one, one, one)


def test_a_unit_of_several_functions_has_the_name_that_its_file_gives_it():
    assert unit_name(named) == "named" and unit_name(Replacement(one, one, one)) == "Replacement"
    assert unit_name(Mechanism(one)) == "Mechanism"
    assert unit_place(named) == unit_place(one) == place(one)


def made_by():
    def inner(s, now):
        return -1

    return inner


of_a_lambda = lambda s, now: -1  # noqa: E731
of_a_closure = made_by()
one_by_another_name = one


def test_a_unit_has_a_name_by_which_its_file_gives_it():
    assert unit_name(of_a_lambda) == "of_a_lambda"
    assert unit_name(of_a_closure) == "of_a_closure"
    assert unit_name(one_by_another_name) == "one"
    assert unit_name(made_by()) == "inner"  # nobody else has it
    assert unit_name(lambda s, now: -1) == "<lambda>"


@pytest.mark.parametrize(
    "mistake, said",
    [
        (
            lambda: {1: 2}[0],
            "KeyError: 0; a unit has no dictionaries natively: what it looks up and remembers is in the fields of its record",
        ),
        (lambda: np.uint64(5) & -2, "for uint64; a mask has 64 bits and no sign: make it of EMPTY, bit(number) and ~mask"),
        (lambda: np.zeros(1, np.int32).__setitem__(0, 1 << 40), "; a field of a record has as many bits as hardware would give it"),
        (
            lambda: np.zeros(1, np.uint64).__setitem__(0, 1 << 70),
            "; a number has 64 bits at most",
        ),
        (lambda: np.zeros(1).append(1), "'append'; an array has a fixed size: write array[index] = value, and count yourself"),
        (lambda: np.zeros(4)[1, 2], "; rows lie one after the other in an array with one index, as s.stamp"),
        (lambda: np.zeros(4)[1.5], "; an index is a whole number: write // for /, or int(number)"),
        (lambda: np.int64(1) + "a", "; a unit works on numbers alone"),
        (lambda: np.uint8(1).__class__(300), "; a field of a record has as many bits as hardware would give it"),
        (lambda: 1 + None, "; None is not a number: each path through a function needs a value"),
    ],
)
def test_words_of_pythons_are_followed_by_what_a_unit_has_instead(mistake, said):
    def choose(s, now):
        return mistake()

    with pytest.raises(UnitError, match=r"test_users.py:\d+: ") as found:
        guarded(choose, lambda result, *arguments: "")(None, 0)
    assert said in str(found.value)


def test_an_index_outside_of_an_array_needs_no_hint():
    """It is what native code says, too; a hint about the bits of a field would mislead."""

    def choose(s, now):
        return np.zeros(4)[7]

    with pytest.raises(UnitError, match=r": IndexError: index 7 is out of bounds for axis 0 with size 4$"):
        guarded(choose, lambda result, *arguments: "")(None, 0)


def test_an_exception_without_words_ends_without_a_colon():
    def choose(s, now):
        raise NotImplementedError

    with pytest.raises(UnitError, match=r"test_users.py:\d+: NotImplementedError$"):
        guarded(choose, lambda result, *arguments: "")(None, 0)


def test_a_unit_that_exits_does_not_end_the_process():
    def choose(s, now):
        raise SystemExit(3)

    with pytest.raises(UnitError, match=r"test_users.py:\d+: SystemExit: 3$"):
        guarded(choose, lambda result, *arguments: "")(None, 0)


def with_a_memory(hash, line, before=[0]):  # noqa: B006
    return 0


def of_any_number(*all):
    return 0


def test_a_parameter_with_a_value_of_its_own_is_one_too_many():
    check_parameters(of_any_number, 2)
    check_parameters(with_a_memory, 3)
    with pytest.raises(UnitError, match=r": with_a_memory takes 3 arguments, and is called with 2$"):
        check_parameters(with_a_memory, 2)


def test_an_error_far_from_the_users_file_is_said_with_the_last_line_of_that_file():
    def choose(s, now):
        return shown_file(None)  # of a different file, in which it raises

    with pytest.raises(UnitError, match=rf"test_users.py:{choose.__code__.co_firstlineno + 1}: TypeError"):
        guarded(choose, lambda result, *arguments: "")(None, 0)


def test_the_first_line_that_hardware_has_no_meaning_for_is_found():
    def plain(s, now):
        return s.last + now

    def one(s, now):
        found = s.last
        for _ in range(3):
            print(found)
            found = [now]
        print(s.next)
        return {found: now}

    first = one.__code__.co_firstlineno
    assert (line_of_construct(plain), line_of_print(plain), line_of_construct(plain, "next")) == (None, None, None)
    assert line_of_construct(plain, "last") == plain.__code__.co_firstlineno + 1
    assert (line_of_construct(one), line_of_print(one)) == (first + 4, first + 3)
    assert line_of_construct(one, "last") == first + 1
    assert line_of_print(len) is None  # it has no source
