"""Records: their layout, and what their fields are to a unit; their memory, and the marks of units."""

import mmap
import os
from pathlib import Path

import numpy as np
import pytest

from warploom.machine.engine import unit as module
from warploom.machine.engine.layout import CACHE_LINE, LARGE
from warploom.machine.engine.unit import groups_of, mirror, record, zeros


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


def test_a_group_has_one_of_five_names():
    with pytest.raises(ValueError, match=r"^'ports' is not a group of fields: there are settings, launch, inputs, state, counters$"):
        record(ports=dict(request="u8"))


def test_a_field_stands_in_one_group():
    with pytest.raises(ValueError, match=r"^a record has two fields 'mask'$"):
        record(state=dict(mask="u8"), inputs=dict(mask="u8"))


def test_a_unit_without_fields_is_a_record_of_no_bytes():
    assert (record().itemsize, record(state={}).names) == (0, ())


def test_what_is_no_record_of_groups_has_none():
    for kind in (np.dtype("u8"), np.dtype("u8", metadata={"unit": "cycles"}), record(mask="u8")):
        assert groups_of(kind) == {}


MARKS = {  # what each mark says to whoever compiles a unit
    module.unit: {"unit"},
    module.inlined: {"unit", "inlined"},
    module.lanewise: {"unit", "inlined", "lanewise"},
    module.out_of_line: {"unit", "out_of_line"},
    module.native_twin("here:there"): {"unit", "native"},
}


@pytest.mark.parametrize("mark", MARKS)
def test_a_mark_says_what_a_function_is_and_leaves_it_as_it_is(mark):
    def add(a, b):
        return a + b

    assert mark(add) is add
    assert add(2, 3) == 5
    assert {name for name in ("unit", "inlined", "lanewise", "out_of_line", "native") if getattr(add, f"__warploom_{name}__", False)} == (
        MARKS[mark]
    )
    assert getattr(add, "__warploom_native__", "here:there") == "here:there"


def test_the_native_form_of_a_unit_is_found_at_the_plain_one():
    def plain():
        return 1

    def native():
        return 1

    assert module.native_form_of(plain)(native) is native
    assert plain.__warploom_native__ is native
    assert not hasattr(native, "__warploom_unit__")


@pytest.mark.parametrize("shape", [5, LARGE // 24 - 1, LARGE // 24, LARGE // 24 + 1, LARGE // 8, (LARGE // 256, 16), (3, 1, 2)])
@pytest.mark.parametrize("kind", [np.uint64, record(mask="u8", depth="i4", rows=("u2", 6))])
def test_new_memory_is_zero_begins_a_cache_line_and_is_mapped_by_itself_where_it_is_large(shape, kind):
    one, other = zeros(shape, kind), zeros(shape, kind)
    assert one.dtype == kind and one.shape == np.empty(shape, np.uint8).shape
    assert not one.view(np.uint8).any()
    assert one.ctypes.data % CACHE_LINE == other.ctypes.data % CACHE_LINE == 0
    other.view(np.uint8)[...] = 0xFF  # each byte can be written, and is nobody else's
    assert not one.view(np.uint8).any()
    base = one
    while isinstance(base, np.ndarray):
        holder, base = base, base.base
    mapped = isinstance(getattr(base, "obj", base), mmap.mmap)
    assert mapped == (one.nbytes >= LARGE), holder


def test_mapped_memory_is_nobodys_file():
    """It holds no file open, of which a process may have few."""
    open_files = Path("/proc/self/fd")
    if not open_files.exists():
        pytest.skip("the host does not say which files a process has open")
    before = len(os.listdir(open_files))
    held = [zeros(LARGE, np.uint8) for _ in range(3)]
    assert len(os.listdir(open_files)) == before and len(held) == 3


Inner = record(number="i4", bits="u4")
Outer = record(mask="u8", deep="i8", row=("u2", 4), one=Inner, many=(Inner, (2, 3)))


def test_a_mirror_reads_and_writes_the_bytes_of_its_record():
    """Scalars of all kinds, rows, and records in records, by themselves and in lists of lists."""
    table = zeros((2, 2), Outer)
    found = mirror(table)
    assert [len(row) for row in found] == [2, 2]
    for row, unit in np.ndindex(2, 2):
        number = 10 * row + unit
        here = found[row][unit]
        here.mask, here.deep, here.row[2] = np.uint64(number), -number, 7 + number
        here.one.number = 100 + number
        assert [len(part) for part in here.many] == [3, 3]
        for first, second in np.ndindex(2, 3):
            here.many[first][second].bits = np.uint32(1000 + 100 * number + 10 * first + second)
    for row, unit in np.ndindex(2, 2):
        number, held = 10 * row + unit, table[row, unit]
        assert (held["mask"], held["deep"], held["row"].tolist()) == (number, -number, [0, 0, 7 + number, 0])
        assert held["one"].tolist() == (100 + number, 0)
        assert held["many"]["bits"].tolist() == [[1000 + 100 * number + 10 * first + second for second in range(3)] for first in range(2)]
    table["deep"][1, 0] = 1 << 40  # and what others write is read
    assert found[1][0].deep == 1 << 40


def test_signed_fields_read_as_int_and_take_truth_values_and_unsigned_ones_wrap():
    """A unit's masks wrap as natively."""
    unit = mirror(zeros((), Outer))
    assert (type(unit.deep), type(unit.one.number), type(unit.mask)) == (int, int, np.uint64)
    unit.deep = np.bool_(True)
    unit.mask = ~unit.mask
    assert (unit.deep, unit.mask) == (1, (1 << 64) - 1)
    with pytest.raises(OverflowError):
        unit.deep = 1 << 64


def test_a_mirror_has_the_fields_of_its_record_and_no_others():
    unit = mirror(zeros((), Outer))
    with pytest.raises(AttributeError):
        unit.masks = 3  # a field's name written wrong
    with pytest.raises(AttributeError, match="'Mirror' object has no attribute 'masks'"):
        _ = unit.masks
    assert all(hasattr(unit, name) for name in Outer.names)


def test_a_view_of_a_mirror_is_made_when_it_is_asked_for_and_once():
    """A machine has ten thousand fields, of which a run reads some."""
    unit = mirror(zeros((), Outer))
    assert not any(_is_made(unit, name) for name in type(unit).__slots__)
    row, one = unit.row, unit.one
    assert unit.row is row and unit.one is one
    assert {name for name in type(unit).__slots__ if _is_made(unit, name)} == {"row", "one"}


def _is_made(unit, slot):
    """Whether a slot holds something, without asking for it."""
    try:
        object.__getattribute__(unit, slot)
    except AttributeError:
        return False
    return True
