"""The table of operations: which unit and which part of the datapath each one names."""

import pytest

from warploom.isa import uop as u

FLOATS = {name for name in u.NUMBER if name.startswith("f") and name not in ("fence", "f2d")} | {"i2f", "u2f", "h2f"}


def of(part):
    return {operation.name for operation in u.OPERATIONS if operation.datapath == part}


def test_what_the_alus_and_the_special_function_units_execute_names_a_part_of_the_datapath_and_nothing_else_does():
    for operation in u.OPERATIONS:
        assert (operation.datapath != u.NO_DATAPATH) == (operation.unit in (u.ALU, u.SPECIAL)), operation.name


def test_floats_are_computed_by_the_floating_point_unit_or_the_special_functions():
    assert of(u.FLOATING_POINT) | of(u.SPECIAL_FUNCTION) == FLOATS
    assert of(u.SPECIAL_FUNCTION) == {operation.name for operation in u.OPERATIONS if operation.unit == u.SPECIAL} - {"look_up"}
    assert of(u.DOUBLE_PRECISION) | of(u.ROUNDING) == {operation.name for operation in u.OPERATIONS if operation.pairs}
    assert of(u.CROSS_LANE) == {
        "ballot",
        "or_lanes",
        "shuffle",
        "shuffle_up",
        "shuffle_down",
        "shuffle_xor",
        "match_any",
        "permute",
        "lane_bit",
        "insert_lane",
        "get_scalar",
        "put_scalar",
        "get_register",
        "put_register",
    }
    assert of(u.SPECIAL_REGISTER) == {"special"}
    assert of(u.NOTE) == {"note"}


@pytest.mark.parametrize("operation", u.OPERATIONS, ids=lambda operation: operation.name)
def test_a_row_of_the_program_carries_it(operation):
    assert u.Uop(operation.name).row()[u.DATAPATH] == operation.datapath
