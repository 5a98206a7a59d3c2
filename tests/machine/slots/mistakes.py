"""Units with a mistake each, and the sentence for it: the same in both engines where it can be. Lines count from the function's own."""

from __future__ import annotations

import inspect
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from warploom.units import unit


@unit
def quotient(x):
    return 5 // x


def divides(s, set):
    zero = set - set
    return 1 // zero


def takes_a_remainder(s, set):
    zero = set - set
    return 1 % zero


def divides_masks(s, set):
    bits = s.bits[set]
    return int(bits // (bits ^ bits))


def divides_floats(s, set):
    zero = set - set
    return int(1.0 / zero)


def divides_elsewhere(s, set):
    return quotient(set - set)


def reads_far_outside(s, set):
    return s.stamp[1 << 40]


def reads_before_the_first(s, set):
    return s.stamp[-(1 << 40) - set]


def raises(s, set):
    if s.ways > 0:
        raise ValueError("not today")
    return 0


def asserts(s, set):
    assert set < 0, "a set is negative"
    return 0


def asserts_without_words(s, set):
    assert set < 0
    return 0


def is_not_written_yet(s, set):
    raise NotImplementedError


def takes_too_little(s):
    return 0


def never_ends(s, set):
    way = set
    while way >= 0:
        way += 1
    return way


@unit
def counts_up(x):
    while x >= 0:
        for step in range(3):
            x += step
    return x


def never_returns(s, set):
    """Python leaves out what comes after such a loop, so that a compiler finds no result."""
    while True:
        set += 1
    return set


def calls_what_never_ends(s, set):
    return counts_up(set)


def names_no_way(s, set):
    return 99


def runs_over_a_mask(s, set):
    found = set
    for way in range(1 << 40):
        found ^= way
    return found


def nests_loops(s, set):
    for way in range(1_000_000):
        for other in range(1_000_000):
            set ^= way + other
    return set


def waits_for_a_loop(s, set):
    rounds = set - set
    for _ in range(3_000):
        for _ in range(3_000):
            rounds += 1
        while rounds > 0:
            rounds -= 1
    return rounds


@unit
def up_to(most):
    k = 0
    while k < most:
        k += 1
    return k


@unit
def first_from(most, wanted):
    for k in range(most):
        if k == wanted:
            return k
    return -1


def calls_a_long_loop_often(s, set):
    found = 0
    for _ in range(1_000_000):
        found += up_to(1_000_000)
    return found


def leaves_a_loop_too_often(s, set):
    found = 0
    for _ in range(1_000):
        found += first_from(5_000, 1_000)
    return found


def has_a_function_that_loops(s, set):
    def up(most):
        k = 0
        while k < most:
            k += 1
        return k

    found = 0
    for _ in range(1_000):
        found += up(1_001)
    return found


def shifts_too_far(s, set):
    far = set - set + 64
    return (1 << far) % s.ways


def shifts_back_by_less_than_nothing(s, set):
    way = set
    way >>= set - set - 1
    return way % s.ways


FAR = 64


def shifts_by_a_constant(s, set):
    return (set >> FAR) % s.ways


def shifts_in_a_function_within(s, set):
    def shifted(x, count):
        return x << count

    return shifted(1, 64 + set - set) % s.ways


def shifts_in_a_lambda(s, set):
    shifted = lambda x, count: x >> count  # noqa: E731
    return shifted(1, 64 + set - set) % s.ways


@unit
def of_two(function, x):
    return function(x, x)


def hands_on_a_function_that_shifts(s, set):
    def shifted(x, count):
        return x << (count + 64)

    return of_two(shifted, set - set) % s.ways


def hands_on_a_lambda_that_shifts(s, set):
    return of_two(lambda x, count: x << count, set) % s.ways


def hands_on_what_is_around(s, set):
    def plus(x, y):
        return x + y + set

    return of_two(plus, set) % s.ways


@unit
def halved(x, by):
    return halved(x >> by, by) if x > 0 else 0


def halves_by_itself(s, set):
    return halved(set, 1)


@unit
def in_rounds(x):
    for k in range(100):
        x += in_rounds(k - 1) if k > 0 else 0
    return x


def goes_round_by_itself(s, set):
    return in_rounds(set)


class HasAll:
    """As `unittest.mock.call`: each attribute that it is asked for is there. No concern of units of the same file."""

    def __getattr__(self, name):
        return self


class HasNone:
    """As what a library keeps for a request: outside of one it has no attributes."""

    def __getattr__(self, name):
        raise RuntimeError("outside of a request")


has_all, has_none = HasAll(), HasNone()


def runs_from_below_zero(s, set):
    found = set
    for way in range(-1_000_000, 1_000_000):
        found ^= way
    return found


def has_no_value_yet(s, set):
    if set > 1000:
        found = 1
    return found


def has_no_way_after_a_loop(s, set):
    for way in range(set - set):
        set += way
    return way


@unit
def down(x):
    return down(x - 1) if x > 0 else 0


def calls_itself(s, set):
    return down(set)


def names_within_an_expression(s, set):
    found = 0
    if set >= 0 and (way := s.ways) > 0:
        found = way - 1
    return found


ENDLESS = "RuntimeError: this loop has run 1 000 000 times in one call, and has not ended"
AROUND = "RuntimeError: a loop within this one has run 1 000 000 times in one call, and this one has not ended"
IN_ALL = "RuntimeError: this loop has run 1 000 000 times in one call of the unit, in all calls of its function"
NO_VALUE = "UnboundLocalError: cannot access local variable {!r} where it is not associated with a value"

# (function, lines after its first, what is said in both engines)
AT_RUN_TIME: tuple[tuple[Callable[..., Any], int, str], ...] = (
    (divides, 2, "ZeroDivisionError: division by zero"),
    (takes_a_remainder, 2, "ZeroDivisionError: division by zero"),
    (divides_masks, 2, "ZeroDivisionError: division by zero"),
    (divides_floats, 2, "ZeroDivisionError: division by zero"),
    (reads_far_outside, 1, "IndexError: index 1099511627776 is out of bounds for axis 0 with size "),
    (reads_before_the_first, 1, "IndexError: index -10995116277"),
    (raises, 2, "ValueError: not today"),
    (asserts, 1, "AssertionError: a set is negative"),
    (asserts_without_words, 1, "AssertionError"),
    (is_not_written_yet, 1, "NotImplementedError"),
    (takes_too_little, 0, "takes_too_little takes 1 argument, and is called with 2"),
    (never_ends, 2, ENDLESS),
    (never_returns, 2, ENDLESS),
    (calls_what_never_ends, counts_up.__code__.co_firstlineno + 1 - calls_what_never_ends.__code__.co_firstlineno, AROUND),
    (runs_over_a_mask, 2, ENDLESS),
    (nests_loops, 1, AROUND),
    (waits_for_a_loop, 2, AROUND),
    (runs_from_below_zero, 2, ENDLESS),
    (shifts_too_far, 2, "ValueError: a shift is by 0 to 63 bits"),
    (shifts_back_by_less_than_nothing, 2, "ValueError: a shift is by 0 to 63 bits"),
    (shifts_by_a_constant, 1, "ValueError: a shift is by 0 to 63 bits"),
    (shifts_in_a_function_within, 2, "ValueError: a shift is by 0 to 63 bits"),
    (shifts_in_a_lambda, 1, "ValueError: a shift is by 0 to 63 bits"),
    (hands_on_a_function_that_shifts, 2, "ValueError: a shift is by 0 to 63 bits"),
    (
        halves_by_itself,
        halved.__code__.co_firstlineno - halves_by_itself.__code__.co_firstlineno,
        "halved calls itself; hardware has no stack of calls: write a loop",
    ),
    (
        goes_round_by_itself,
        in_rounds.__code__.co_firstlineno - goes_round_by_itself.__code__.co_firstlineno,
        "in_rounds calls itself; hardware has no stack of calls: write a loop",
    ),
    (calls_a_long_loop_often, up_to.__code__.co_firstlineno + 2 - calls_a_long_loop_often.__code__.co_firstlineno, IN_ALL),
    (leaves_a_loop_too_often, first_from.__code__.co_firstlineno + 1 - leaves_a_loop_too_often.__code__.co_firstlineno, IN_ALL),
    (has_a_function_that_loops, 3, IN_ALL),
    (has_no_value_yet, 3, NO_VALUE.format("found")),
    (has_no_way_after_a_loop, 3, NO_VALUE.format("way")),
    (
        calls_itself,
        down.__code__.co_firstlineno - calls_itself.__code__.co_firstlineno,
        "down calls itself; hardware has no stack of calls: write a loop",
    ),
    (
        names_within_an_expression,
        2,
        "names_within_an_expression has := in an expression, which native code cannot; give the name its value in a line of its own",
    ),
    (names_no_way, 0, "names_no_way returned 99; a victim is a way of the set, 0 to s.ways - 1"),
)


def returns_nothing(s, set):
    pass


def returns_a_text(s, set):
    return "way 1"


def returns_a_float(s, set):
    return s.ways / 2


def returns_a_comparison(s, set):
    return s.ways > 2


def prints(s, set):
    print(set)
    return 0


def makes_a_list(s, set):
    ways = [set for way in range(3)]
    return ways[0]


def adds_a_text(s, set):
    return set + "x"


def mixes_a_mask_and_a_number(s, set):
    bits = s.bits[set] if set > 0 else 1
    return bits & 1


count = 0


def remembers_outside(s, set):
    global count  # noqa: PLW0603  (the mistake)
    count += 1
    return 0


before = [0]


def reads_a_list_outside(s, set):
    return set + before[0]


def plain(x):
    return x


def calls_one_of_its_file(s, set):
    return plain(set)


def opens_a_file(s, set):
    with open("numbers") as file:
        return len(file.read())


def has_a_dictionary(s, set):
    ages = {}
    ages[set] = "x"
    return len(ages)


def names_no_field(s, set):
    return s.nofield


def calls_an_unmarked_one(s, set):
    return inspect.stack(set)


def returns_on_one_path(s, set):
    if set > 0:
        return 0


def returns_two(s, set):
    return 0, set


def returns_an_array(s, set):
    return s.stamp[:2]


ages = {}


def keeps_a_dictionary(s, set):
    ages[set] = 1
    return 0


table = np.zeros(64, np.int64)


def writes_a_table(s, set):
    table[set] = 1
    return 0


def keeps_a_number(s, set):
    keeps_a_number.count = set
    return 0


def asks_python(s, set):
    return len(bin(set))


def asks_the_time(s, set):
    return int(time.time()) % s.ways


def asks_a_number(s, set):
    return set.bit_length()


def forgets(s, set):
    way = set
    del way
    return 0


def catches(s, set):
    try:
        return set // s.ways
    except ZeroDivisionError:
        return 0


def adds_up(s, set):
    return sum(way for way in range(s.ways))


def is_used_above(s, set):
    for way in range(s.ways):
        if way > 0:
            set += before  # noqa: F823
        before = way  # noqa: F841
    return set


# (function, lines after its first, what is said by the compiler)
WHEN_COMPILED: tuple[tuple[Callable[..., Any], int, str], ...] = (
    (returns_nothing, 0, "returns_nothing returns nothing; the result is a whole number"),
    (returns_a_text, 0, "returns_a_text returns a text; the result is a whole number"),
    (returns_a_float, 0, "returns_a_float returns float64; the result is a whole number"),
    (returns_a_comparison, 0, "returns_a_comparison returns bool; the result is a whole number"),
    (prints, 1, "prints prints, which native code cannot; add --engine python to see it"),
    (makes_a_list, 1, "makes_a_list cannot become native code: `ways = [set for way in range(3)]`: a list, a text or an array of its own"),
    (adds_a_text, 1, 'adds_a_text cannot become native code: `return set + "x"`: there is no add of int64, a text; a unit may use'),
    (mixes_a_mask_and_a_number, 2, "mixes_a_mask_and_a_number cannot become native code: `return bits & 1`: there is no and_ of float64, "),
    (
        remembers_outside,
        2,
        "remembers_outside cannot become native code: `count += 1`: no variable outside of the function can be ",
    ),
    (reads_a_list_outside, 1, "reads_a_list_outside cannot become native code: `return set + before[0]`: before, outside of the "),
    (calls_one_of_its_file, 1, "calls_one_of_its_file cannot become native code: `return plain(set)`: plain is not marked with `@unit`; "),
    (opens_a_file, 1, "opens_a_file cannot become native code: `with open"),
    (has_a_dictionary, 2, 'has_a_dictionary cannot become native code: `ages[set] = "x"`'),
    (names_no_field, 1, "names_no_field cannot become native code: `return s.nofield`: the record has no field 'nofield'"),
    (returns_on_one_path, 0, "returns_on_one_path returns nothing on one of its paths; the result is a whole number"),
    (returns_two, 0, "returns_two returns several values; the result is a whole number"),
    (returns_an_array, 0, "returns_an_array cannot become native code: it returns an array; the result is a whole number"),
    (
        keeps_a_dictionary,
        1,
        "keeps_a_dictionary cannot become native code: `ages[set] = 1`: ages, outside of the function, is not a number; what",
    ),
    (
        writes_a_table,
        1,
        "writes_a_table cannot become native code: `table[set] = 1`: an array outside of the function is a table that is only",
    ),
    (
        keeps_a_number,
        1,
        "keeps_a_number cannot become native code: `keeps_a_number.count = set`: keeps_a_number is a function; what a unit",
    ),
    (asks_python, 1, "asks_python cannot become native code: `return len(bin(set))`: native code has no bin; a unit may use"),
    (asks_the_time, 1, "asks_the_time cannot become native code: `return int(time.time()) % s.ways`: native code has no time.time; a unit"),
    (asks_a_number, 1, "asks_a_number cannot become native code: `return set.bit_length()`: a number has no bit_length natively; a unit"),
    (forgets, 2, "forgets cannot become native code: `del way`: native code has no del; a unit may use"),
    (
        catches,
        3,
        "catches cannot become native code: `except ZeroDivisionError:`: native code catches no exceptions: ask before, with if; ",
    ),
    (
        adds_up,
        1,
        "adds_up cannot become native code: `return sum(way for way in range(s.ways))`: native code has no generators: write a loop",
    ),
    (
        is_used_above,
        0,
        "is_used_above cannot become native code: `def is_used_above(s, set):`: before is used above its first value: give it one at",
    ),
    (
        hands_on_a_lambda_that_shifts,
        1,
        "hands_on_a_lambda_that_shifts cannot become native code: `return of_two(lambda x, count: x << count, set) % s.ways`: a lambda that"
        " is handed on shifts by what is written there alone: write def",
    ),
    (
        hands_on_what_is_around,
        1,
        "hands_on_what_is_around cannot become native code: `def plus(x, y):`: a function within another one that is handed on takes no "
        "variable from around it: make set an argument",
    ),
    (calls_an_unmarked_one, 1, "calls_an_unmarked_one cannot become native code: `return inspect.stack(set)`"),
)
