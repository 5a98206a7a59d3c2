"""Questions about a kernel's tree: long and nested conditions are answered in a time that grows with their length."""

import ast

from warploom.kernel.syntax.tree import assigned, assigned_when


def test_a_long_sum_in_a_condition_is_walked_once():
    test = ast.parse(f"(n := {' + '.join(f'x{number}' for number in range(2000))}) > 3", mode="eval").body
    assert assigned_when(test, True) == {"n"} == assigned([test])


def test_conditions_in_conditions_are_asked_once_for_each_outcome():
    text = "(y := x)"
    for _ in range(40):
        text = f"({text} and x or x)"
    assert assigned_when(ast.parse(text, mode="eval").body, False) == {"y"}
