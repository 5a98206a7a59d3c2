"""Transactions: how many can be sent, what is in a tag, and when one is at the second-level cache."""

from types import SimpleNamespace

import numpy as np
import pytest

from warploom.machine.memory import transactions
from warploom.machine.memory.transactions import (
    ATOMIC,
    CACHED_TAG,
    EXTRA_SHIFT,
    LOAD,
    PASSES_SHIFT,
    RESERVE,
    SLOT_MASK,
    STORE,
    TEXTURE_TAG,
    TRACKED_TAG,
    send,
    tag_of,
    transaction_room,
    without_extra,
)


def test_room_is_kept_for_what_those_that_wait_may_ask_for(monkeypatch):
    monkeypatch.setattr(transactions, "room", lambda wheel: wheel)
    for free, l2, dram in ((50_000, 0, 0), (50_000, 7, 0), (50_000, 0, 9), (50_000, 3, 5)):
        gpu = SimpleNamespace(wheel=free, l2=SimpleNamespace(waiting=l2), dram=SimpleNamespace(waiting=dram))
        assert transaction_room(gpu) == free - 2 * l2 - dram - RESERVE


def test_the_fields_of_a_tag_do_not_touch_each_other():
    for access in (0, 1, SLOT_MASK):
        for texture, cached, extra in ((0, 0, 0), (1, 0, 5), (0, 1, 1 << 20), (1, 1, 3)):
            tag = tag_of(access, texture, cached, extra)
            assert (tag & SLOT_MASK, bool(tag & TEXTURE_TAG), bool(tag & CACHED_TAG), tag >> EXTRA_SHIFT) == (
                access,
                texture,
                cached,
                extra,
            )
            assert not tag & TRACKED_TAG
            assert without_extra(tag | TRACKED_TAG) == tag_of(access, texture, cached, 0) | TRACKED_TAG


@pytest.mark.parametrize(("kind", "size"), [(LOAD, 0), (STORE, 96), (ATOMIC, 96)])
def test_a_transaction_leaves_with_its_bytes_and_arrives_after_the_lookup_and_the_wire(monkeypatch, kind, size):
    """Three sectors of 32 bytes. The wire is busy for 5 cycles more, the first lookup takes 4, the way 20."""
    sent = []

    def leave_core(crossbar, core, leaving, least, now):
        sent.append((crossbar, core, int(leaving), int(least), now))
        return now + 5

    monkeypatch.setattr(transactions, "leave_core", leave_core)
    monkeypatch.setattr(transactions, "schedule", lambda wheel, time, asked: sent.append((wheel, time, asked)))
    monkeypatch.setattr(transactions, "request", lambda *fields: fields)
    gpu = SimpleNamespace(sector_shift=np.int64(5), crossbar=SimpleNamespace(pass_out=2), wheel="wheel", l2=SimpleNamespace(ahead=20))
    sectors = np.uint64(0b1101)
    tag = 9 + (5 << EXTRA_SHIFT + PASSES_SHIFT)  # six passes
    send(gpu, SimpleNamespace(number=3), kind, 77, sectors, tag, 4, 40)
    assert sent == [(gpu.crossbar, 3, size, 12 if kind == ATOMIC else 0, 40), ("wheel", 69, (kind, 3, 77, sectors, tag))]
