"""Where the fields of a record lie, and how those that lie side by side are read."""

import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.machine.two_engines import both
from warploom.machine.core.core import Core
from warploom.machine.device.device import Gpu
from warploom.machine.engine.layout import (
    AT,
    CACHE_LINE,
    CACHE_SETS,
    LARGE,
    MANY_ROWS,
    SETS_APART,
    Records,
    field_of,
    in_rows,
    is_room,
    lay_out,
    new_bytes,
    row_of_room,
)
from warploom.machine.engine.unit import aligned, mirror, record, unit, zeros

PLACES = 5
Entries = record(
    side_by_side=(PLACES, (PLACES, 2)),
    apart=("free",),
    settings=dict(limit="i8"),
    state=dict(
        kind=("i1", PLACES),
        line=("i8", PLACES),
        mask=("u8", PLACES),
        free=("i4", PLACES),
        near=("i4", (PLACES, 2)),
        far=("i8", (PLACES, 2)),
        used="u8",
    ),
)


def test_fields_are_aligned_and_so_are_those_of_the_next_record_of_an_array():
    """By their own sizes, but for those of a cache line or more, which begin one; so does what follows a record with such a field."""
    for kind, offsets, size in (
        (record(flag="u1", mask="u8", last="u1"), [0, 8, 16], 24),
        (record(mask="u8", flag="u1"), [0, 8], 16),
        (record(flag="u1", row=("u4", 15), half="u2"), [0, 4, 64], 68),
        (record(flag="u1", row=("u4", 16), last="u1"), [0, 64, 1], 128),
        (record(long=("u8", 32), flag="u1", row=("u4", 16)), [128, 0, 64], 384),
        (record(flag="u1"), [0], 1),
    ):
        assert [kind.fields[name][1] for name in kind.names] == offsets
        assert kind.itemsize == size


def test_tables_of_many_rows_begin_in_sets_of_the_cache_that_differ():
    """The first rows of 64 tables are in 64 sets; a small field between two of them changes nothing."""
    tables = {f"table{number}": ("i8", MANY_ROWS << number % 3) for number in range(CACHE_SETS)}
    one, other = record(**tables), record(small="i8", **tables)
    placed = [sum(other % 3 < number % 3 for other in range(CACHE_SETS)) + number // 3 for number in range(CACHE_SETS)]  # the longest last
    for made in (one, other):
        sets = [made.fields[name][1] // CACHE_LINE % CACHE_SETS for name in tables]
        assert sets == [SETS_APART * place % CACHE_SETS for place in placed]
        assert len(set(sets)) == CACHE_SETS and all(made.fields[name][1] % CACHE_LINE == 0 for name in tables)
    few = record(**{f"row{number}": ("i8", MANY_ROWS // 2) for number in range(3)})
    assert [place for _, place in few.fields.values()] == [0, 4 * MANY_ROWS, 8 * MANY_ROWS]


@pytest.mark.parametrize(("rows", "lines"), [(8, 1), (128, 16), (MANY_ROWS // 2, CACHE_SETS + 1), (MANY_ROWS // 2 + 8, CACHE_SETS + 1)])
def test_large_records_of_an_array_begin_in_sets_that_differ(rows, lines):
    assert record(table=("i8", rows)).itemsize == lines * CACHE_LINE


def rows_of(kind):
    """By field that lies in rows: where its first entry lies, and how long a row is, in bytes."""
    return {name: (kind.fields[name][1], kind.fields[name][0].base.itemsize) for name in kind.names if in_rows(kind.fields[name][0])}


def test_what_has_the_same_index_is_one_row_the_widest_first():
    """17 bytes take a row of 32, 12 one of 16; a row is never spread over one line more than it needs."""
    rows = rows_of(Entries)
    assert {name: stride for name, (_, stride) in rows.items()} == {"kind": 32, "line": 32, "mask": 32, "near": 16, "far": 16}
    first, second = rows["line"][0], rows["far"][0]
    assert first % CACHE_LINE == second % CACHE_LINE == 0
    assert (rows["mask"][0], rows["kind"][0], rows["near"][0]) == (first + 8, first + 16, second + 8)


@pytest.mark.parametrize(("fields", "row"), [(1, 8), (2, 16), (3, 32), (4, 32), (5, 64), (8, 64), (9, 128), (16, 128), (17, 192)])
def test_a_row_is_as_short_as_it_can_begin_where_a_line_does(fields, row):
    made = lay_out({f"field{number}": np.dtype(("i8", 3)) for number in range(fields)}, (3,))
    assert {form.base.itemsize for form in made.forms} == {row}
    assert made.offsets == [8 * number for number in range(fields)]
    assert made.size >= made.offsets[-1] + 3 * row


kinds = st.sampled_from(["i1", "u2", "i4", "u8", ("u4", 3), ("i8", 3), ("u8", 3), ("i1", 3), ("i8", (3, 2)), ("u2", (3, 2)), ("u4", 40)])


@settings(max_examples=60, deadline=None)
@given(st.lists(kinds, min_size=1, max_size=12), st.booleans())
def test_no_two_fields_share_a_byte_and_all_lie_in_the_record(forms, beside):
    """Every byte of every field is written once, through `field_of`, and read back."""
    kind = record(side_by_side=(3, (3, 2)) if beside else (), **{f"field{number}": form for number, form in enumerate(forms)})
    made, source = zeros(2, kind), np.random.default_rng(len(forms))
    written = {}
    for name in kind.names:
        field = field_of(made, name)
        written[name] = source.integers(0, 100, field.shape).astype(field.dtype)
        field[...] = written[name]
    for name, values in written.items():
        assert (field_of(made, name) == values).all() and (made[name] == values).all()
    assert kind.itemsize == 0 or len(made.tobytes()) == 2 * kind.itemsize


def test_records_read_alike_wherever_their_fields_lie():
    entries = zeros(3, record(entries=Entries, count="i8"))
    assert type(entries) is Records and type(zeros(3, np.int64)) is np.ndarray
    entries["entries"]["line"][1, 2] = 7
    entries[1]["entries"]["near"][4] = (8, 9)
    entries["count"], entries[2]["count"] = 5, 6
    entries[0]["entries"]["mask"] = 3
    assert entries["entries"]["line"].tolist()[1] == [0, 0, 7, 0, 0]
    assert [one["entries"]["near"][4].tolist() for one in entries] == [[0, 0], [8, 9], [0, 0]]
    assert entries["count"].tolist() == [5, 5, 6] and int(entries[2]["count"]) == 6
    assert entries["entries"]["mask"].tolist() == [[3] * 5, [0] * 5, [0] * 5]
    assert type(entries["entries"]) is Records and type(entries["count"]) is type(entries["entries"]["line"]) is np.ndarray
    copy = entries.copy()
    entries["entries"]["line"][1, 2] = 0
    assert copy["entries"]["line"][1, 2] == 7 and copy[1:][0]["entries"]["line"][2] == 7
    copy[0] = copy[1]
    assert copy["entries"]["near"][0, 4].tolist() == [8, 9]


def test_one_record_is_handed_to_native_code_as_what_it_is():
    """Else an array would be, without dimensions."""
    entries = zeros((), Entries)
    assert type(entries[()]) is np.void and type(entries.reshape(1)[0]) is Records and type(entries.reshape(1)[0][()]) is np.void


def test_a_mirror_has_views_of_fields_in_rows():
    (entries,) = mirror(zeros(1, Entries))
    entries.line[3], entries.near[3, 1], entries.free[:] = 11, 12, 13
    assert (entries.line.tolist(), entries.near[3].tolist(), entries.mask.tolist()) == ([0, 0, 0, 11, 0], [0, 12], [0] * 5)
    assert type(entries.line) is type(entries.free) is np.ndarray  # plain Python does little else than to index them


@unit
def turn_over(tables):
    """Write every field of every entry, from others."""
    entries = tables[0]
    for index in range(PLACES):
        other = PLACES - 1 - index
        entries.mask[index] = np.uint64(entries.line[other] + index)
        entries.kind[index] = entries.free[other]
        for half in range(2):
            entries.far[index, half] += entries.near[other, 1 - half]
            entries.near[index, half] = entries.kind[index] - half
    entries.used = entries.mask[1]


def test_both_engines_find_fields_in_rows():
    tables = zeros(1, Entries)
    tables["line"], tables["free"] = np.arange(5) * 1000, np.arange(5) - 2
    tables["near"][0], tables["far"][0] = np.arange(10).reshape(5, 2), 100
    _, after = both(turn_over, tables)
    found = after[0].view(Records)
    assert found["mask"].tolist() == [[4000, 3001, 2002, 1003, 4]] and found["used"].tolist() == [3001]
    assert found["kind"].tolist() == [[2, 1, 0, -1, -2]]
    assert found["near"].tolist() == [[[2, 1], [1, 0], [0, -1], [-1, -2], [-2, -3]]]
    assert found["far"].tolist() == [[[109, 108], [107, 106], [105, 100], [100, 101], [101, 102]]]


def test_what_an_access_and_a_request_need_lies_in_one_line_of_the_cache():
    """And a warp's row of the table in two: else simulating takes longer."""
    for kind, way, row in ((Core, ("lsu", "open"), 1), (Gpu, ("wheel", "time"), 1), (Core, ("warps", "pc"), 2), (Gpu, ("l2", "tag"), 1)):
        inner = kind.fields[way[0]][0]
        form = inner.fields[way[1]][0]
        assert (row_of_room(form)[0] if is_room(form) else form.base).itemsize == row * CACHE_LINE


def test_a_copy_that_begins_a_cache_line_is_a_copy():
    rows = np.arange(24, dtype=np.int32).reshape(4, 6)
    made = aligned(rows)
    assert (made == rows).all() and made.dtype == rows.dtype and made.ctypes.data % CACHE_LINE == 0
    made[0, 0] = 9
    assert rows[0, 0] == 0


def test_the_one_field_of_an_entry_is_never_seen():
    assert AT not in Entries.names and not any(AT in (field_of(zeros(1, Entries), name).dtype.names or ()) for name in Entries.names)


def test_one_record_can_be_printed_one_with_rooms_too():
    assert str(zeros((), Entries)).startswith("(0, ")
    assert str(zeros((), Gpu)).startswith("(0, ")


@pytest.mark.skipif(sys.platform != "linux", reason="the flags of a mapping are read as Linux shows them")
def test_memory_that_is_never_touched_is_not_reserved():
    """Else a host with less memory than address space in use refuses to start another process."""
    held = new_bytes(2 * LARGE)
    address = held.ctypes.data
    flags = ""
    inside = False
    with open("/proc/self/smaps") as lines:
        for line in lines:
            first = line.split()[0]
            if not first.endswith(":"):
                start, end = (int(part, 16) for part in first.split("-"))
                inside = start <= address < end
            elif inside and first == "VmFlags:":
                flags = line
    assert " nr" in flags
