"""Variables in registers of the compiled program: bound, followed, met, gone; and code that names do not change."""

import numpy as np

from tests.ptx.debug.conftest import KERNEL, TEXT
from warploom.isa.variables import Place
from warploom.ptx import read

PLAIN = TEXT[: TEXT.index("\t.section")].replace(", debug", "")


def first(program, text):
    return next(number for number, one in enumerate(program.text) if one.startswith(text))


def test_names_change_no_code(sums) -> None:
    plain = read(PLAIN, "names.ptx").compile(KERNEL, {}).program
    assert np.array_equal(plain.uops, sums.uops) and list(plain.text) == list(sums.text)
    assert plain.variables.at(0)["_Z4sumsPKfPfi_param_2"] and not plain.shared_arrays


def test_parameters_have_the_names_and_the_signs_of_the_source(sums) -> None:
    given = sums.variables.at(0)
    assert (given["n"].kind, given["n"].words) == ("i", 1) and (given["in"].kind, given["in"].words) == ("u", 2)


def test_variables_are_followed_round_a_loop(sums) -> None:
    load, multiply = first(sums, "load"), first(sums, "fma")
    there = sums.variables.at(multiply)
    assert there["left"] == Place("left", 3, 1, "f") and "left" not in sums.variables.at(load)
    assert {"k", "both.x", "both.y"} <= set(sums.variables.at(load)) and there["both.x"].kind == "f"
    assert sums.variables.results[multiply] == "both.x" and sums.variables.results[load] == "left"


def test_where_ways_meet_a_register_that_has_a_variable_on_each_has_it(sums) -> None:
    barrier = first(sums, "barrier")
    assert sums.variables.at(barrier)["both.x"] == Place("both.x", 1, 1, "f")  # zero on one way, the loop's sum on the other


def test_a_variable_whose_register_is_written_for_something_else_is_gone(sums) -> None:
    barrier = first(sums, "barrier")
    assert "both.x" not in sums.variables.at(barrier + 2) and "lane" not in sums.variables.at(barrier)


def test_arrays_in_shared_memory_have_names(sums) -> None:
    assert [(name, begin, shape.shape) for name, begin, shape in sums.shared_arrays] == [("tile", 0, (4, 32))]
