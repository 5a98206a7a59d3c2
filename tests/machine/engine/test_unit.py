"""Records: their layout, and what their fields are to a unit."""

import numpy as np
import pytest

from warploom.machine.engine.unit import groups_of, mirror, record


def test_fields_of_all_groups_are_reached_alike():
    kind = record(settings=dict(slots="i8"), state=dict(mask="u8", depth=("i4", 4)), counters=dict(issues="i8"))
    unit = mirror(np.zeros((), kind))
    unit.slots, unit.mask, unit.issues = 3, np.uint64(5), 7
    assert (unit.slots, unit.mask, unit.depth.tolist(), unit.issues) == (3, 5, [0] * 4, 7)
    assert groups_of(kind) == {"settings": ("slots",), "state": ("mask", "depth"), "counters": ("issues",)}


def test_groups_change_nothing_of_the_layout():
    flat = record(slots="i8", mask="u8", rows=("u4", (2, 64)))
    grouped = record(settings=dict(slots="i8"), state=dict(mask="u8", rows=("u4", (2, 64))))
    assert flat == grouped
    assert groups_of(flat) == {}


def test_a_group_has_one_of_four_names():
    with pytest.raises(ValueError, match=r"^'ports' is not a group of fields: there are settings, inputs, state, counters$"):
        record(ports=dict(request="u8"))


def test_a_field_stands_in_one_group():
    with pytest.raises(ValueError, match=r"^a record has two fields 'mask'$"):
        record(state=dict(mask="u8"), inputs=dict(mask="u8"))


def test_fields_are_aligned_and_so_are_those_of_the_next_record_of_an_array():
    """By their own sizes, but for those of a cache line or more, which begin one; so does what follows a record with such a field."""
    for kind, offsets, size in (
        (record(flag="u1", mask="u8", last="u1"), [0, 8, 16], 24),
        (record(mask="u8", flag="u1"), [0, 8], 16),
        (record(flag="u1", row=("u4", 15), half="u2"), [0, 4, 64], 68),
        (record(flag="u1", row=("u4", 16), last="u1"), [0, 64, 128], 192),
        (record(flag="u1"), [0], 1),
    ):
        assert [kind.fields[name][1] for name in kind.names] == offsets
        assert kind.itemsize == size
