"""Corners of the integer unit that a program's author wants to be sure of."""

import pytest

from tests.machine.datapath.alu_model import WORD, compute

SMALLEST = 0x80000000


@pytest.mark.parametrize(
    ("name", "a", "b", "result"),
    [
        ("div", SMALLEST, WORD, SMALLEST),
        ("rem", SMALLEST, WORD, 0),
        ("div", 7, 0, WORD),
        ("divu", 7, 0, WORD),
        ("rem", 7, 0, 7),
        ("remu", 7, 0, 7),
        ("div", -7 & WORD, 2, -3 & WORD),
        ("rem", -7 & WORD, 2, -1 & WORD),
        ("divu", WORD, 3, 0x55555555),
        ("divu", WORD - 1, WORD, 0),
        ("shl", 1, 32, 1),
        ("shr", SMALLEST, 63, 1),
        ("sra", SMALLEST, 31, WORD),
        ("mulh", SMALLEST, SMALLEST, 0x40000000),
        ("mulhu", WORD, WORD, WORD - 1),
        ("mulhsu", WORD, WORD, WORD),
        ("min", SMALLEST, 1, SMALLEST),
        ("minu", SMALLEST, 1, 1),
        ("compare", 200, 100, 1),
        ("clz", 0, 0, 32),
        ("ctz", 0, 0, 32),
        ("brev", 1, 0, SMALLEST),
    ],
)
def test_a_corner_has_the_result_that_the_table_states(name, a, b, result):
    assert compute(name, [a], [b]) == [result]


def test_quotients_next_to_a_whole_number_are_not_rounded_up():
    divisors = [3, 7, 0x10001, 65535, 65537, 0x7FFFFFFF, 0xFFFFFFFD]
    a = [k * d - 1 for d in divisors for k in (1, WORD // d // 2 + 1, WORD // d)]
    b = [d for d in divisors for _ in range(3)]
    assert compute("divu", a, b) == [x // y for x, y in zip(a, b, strict=True)]
    assert compute("remu", a, b) == [y - 1 for y in b]
