"""What a user's unit raises or gives back is said with its file and line."""

from __future__ import annotations

import pytest

from warploom.machine.engine.users import UnitError, guarded, place, unit_name


def test_the_line_is_that_of_the_users_file_even_where_something_of_ours_raises():
    def helper(value):
        return int(value)  # raises

    def choose(s, now):
        return helper("x")

    with pytest.raises(UnitError, match=r"test_users.py:12: ValueError: invalid literal for int\(\) with base 10: 'x'$"):
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
