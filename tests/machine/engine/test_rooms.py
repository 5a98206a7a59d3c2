"""Rooms of records: arrays whose length a machine chooses."""

import numpy as np
import pytest

from tests.machine.two_engines import both
from warploom.machine.engine.layout import CACHE_LINE, Records, bytes_of, field_of, is_room, room_name
from warploom.machine.engine.rooms import plan_of
from warploom.machine.engine.unit import mirror, record, unit, zeros

Store = record(
    rooms={"lines": 64, "tags": 80},
    apart=("free",),
    settings=dict(count="i8"),
    state=dict(
        tag=("u4", "tags"),
        time=("i8", "lines"),
        kind=("i1", "lines"),
        bytes=("u8", ("lines", 3)),
        free=("i4", "lines"),
        used="i8",
    ),
)
Unit = record(state=dict(busy="i4", store=Store, ways=(Store, 4)))
SIZES = {"store": {"lines": 5, "tags": 7}, "ways": {"lines": 9}}


def test_a_room_has_as_many_rows_as_are_asked_for_and_else_the_most():
    made = zeros(3, Unit, SIZES)
    assert made["store"]["time"].shape == (3, 5) and made["store"]["tag"].shape == (3, 7)
    assert made["ways"]["bytes"].shape == (3, 4, 9, 3) and made["ways"]["tag"].shape == (3, 4, 80)
    assert zeros((), Store)["time"].shape == (64,)
    assert room_name(Store["tag"]) == ("tags", 80) and is_room(Store["bytes"]) and not is_room(Store["count"])


def test_every_element_of_every_room_lies_by_itself():
    made = zeros(3, Unit, SIZES)
    fields = [made[name][field] for name in ("store", "ways") for field in ("tag", "time", "kind", "bytes", "free")]
    for number, field in enumerate(fields):
        field[...] = np.arange(field.size).reshape(field.shape) % 100 + number
    made["busy"], made["store"]["used"], made["ways"]["count"] = 1, 2, 3
    for number, field in enumerate(fields):
        assert np.array_equal(field, np.arange(field.size).reshape(field.shape) % 100 + number)
    assert made["busy"].tolist() == [1] * 3


def test_fields_of_one_shape_share_a_row_and_each_room_begins_a_cache_line():
    made = zeros((), Store)
    begin = [field_of(made, name).__array_interface__["data"][0] for name in ("time", "kind", "free", "bytes", "tag")]
    assert begin[1] - begin[0] == 8 and all(place % CACHE_LINE == 0 for place in (begin[0], *begin[2:]))
    assert made["time"].strides == (16,)


def test_the_largest_room_comes_last():
    plan = plan_of(Store, {"lines": 1000})
    assert [room.size for room, _ in plan.rooms] == sorted(room.size for room, _ in plan.rooms)
    assert plan.size == len(bytes_of(zeros((), Store, {"lines": 1000})))


def test_a_mirror_has_views_of_rooms():
    made = zeros(2, Unit, SIZES)
    first, second = mirror(made)
    second.ways[3].time[8], first.store.tag[6] = 11, 12
    assert made["ways"]["time"][1, 3, 8] == 11 and made["store"]["tag"][0, 6] == 12
    assert type(first.store.time) is np.ndarray


def test_a_copy_has_rooms_of_its_own():
    made = zeros(2, Unit, SIZES)
    made["store"]["time"][1, 4] = 5
    copy = made.copy()
    copy["store"]["time"][1, 4] += 1
    assert (made["store"]["time"][1, 4], copy["store"]["time"][1, 4]) == (5, 6) and type(copy) is Records


@pytest.mark.parametrize("wrong", [{"rows": 3}, {"store": {"line": 3}}, {"busy": {}}])
def test_a_room_that_is_not_there_is_refused(wrong):
    with pytest.raises(KeyError, match=r"a record has no room '(rows|line|busy)'"):
        zeros((), Unit, wrong)


@unit
def turn_over(units):
    """Write every field of every line, from others."""
    store = units[1].store
    last = store.time.shape[0] - 1
    for line in range(store.time.shape[0]):
        store.time[line] = store.time[line] + 10 * store.free[last - line]
        store.kind[line] = units[0].ways[2].tag[line]
        for word in range(3):
            store.bytes[line, word] += np.uint64(line * word)
        units[0].ways[3].bytes[line, 1] = np.uint64(line)
    store.used = np.int64(store.bytes.shape[0])


def test_both_engines_find_rooms():
    made = zeros(2, Unit, SIZES)
    made["store"]["free"], made["store"]["time"][:, :] = np.arange(5, dtype=np.int32), 1
    made["ways"]["tag"][0, 2, :5] = [9, 8, 7, 6, 5]
    _, after = both(turn_over, made)
    store = after[0]["store"]
    assert store["time"].tolist() == [[1] * 5, [41, 31, 21, 11, 1]]
    assert store["kind"][1].tolist() == [9, 8, 7, 6, 5] and store["bytes"][1, :, 2].tolist() == [0, 2, 4, 6, 8]
    assert store["used"][1] == 5 and after[0]["ways"]["bytes"][0, 3, :5, 1].tolist() == [0, 1, 2, 3, 4]
