"""What a machine does around a user's prefetcher, call by call: what it is told, what is asked for, and what was of use."""

from itertools import product
from types import SimpleNamespace

import numpy as np
import pytest

from warploom.machine.accounting.events import HIT, MERGED, MISS
from warploom.machine.memory.transactions import LOAD
from warploom.machine.slots import prefetcher

LINE, NOW, BLOCK = 40, 70, 3


@pytest.mark.parametrize("texture", [0, 1])
@pytest.mark.parametrize("outcome", [HIT, MISS, MERGED])
@pytest.mark.parametrize("wanted", [-1, 0, 41])
def test_a_prefetcher_is_told_of_each_lookup_of_a_load_and_what_it_names_is_asked_for(monkeypatch, wanted, outcome, texture):
    """Of textures it hears nothing. missed: 0 or 1, as a unit of hardware would be told."""
    calls = []
    monkeypatch.setattr(prefetcher, "_count_useful", lambda lsu, line, outcome: calls.append(("count", line, outcome)))
    monkeypatch.setattr(prefetcher, "users_prefetcher", lambda *given: calls.append(("ask", *given)) or wanted)
    monkeypatch.setattr(prefetcher, "_prefetch", lambda gpu, core, lsu, line, now: calls.append(("fetch", line, now)))
    lsu = SimpleNamespace(texture=texture, prefetcher="p", pc=[0, 5], warp=[0, 6])
    prefetcher.see_lookup_and_prefetch(None, None, lsu, 1, LINE, outcome, NOW)
    asks = [("count", LINE, outcome), ("ask", "p", LINE, 5, 6, int(outcome != HIT))]
    assert calls == ([] if texture else [*asks, *[("fetch", wanted, NOW)] * (wanted >= 0)])


@pytest.mark.parametrize("ahead", [0, LINE, LINE + 1])
@pytest.mark.parametrize("waiting", [0, 1, 2])
@pytest.mark.parametrize("outcome", [HIT, MISS, MERGED])
def test_a_line_is_of_use_once_when_the_first_load_finds_it_there_or_on_its_way(monkeypatch, outcome, waiting, ahead):
    monkeypatch.setattr(prefetcher, "_block_with", lambda cache, line: BLOCK)
    monkeypatch.setattr(prefetcher, "find", lambda misses, line: 2)
    own = SimpleNamespace(ahead=[9, 9, 9, ahead], useful=7)
    lsu = SimpleNamespace(prefetcher=own, cache=None, misses=SimpleNamespace(count=[9, 9, waiting]))
    prefetcher._count_useful(lsu, LINE, outcome)
    there, coming = outcome == HIT and ahead == LINE + 1, outcome == MERGED and waiting == 1
    assert (own.useful, own.ahead) == (7 + (there or coming), [9, 9, 9, 0 if there else ahead])


@pytest.mark.parametrize(("texture", "waiter"), [*product((0, 1), repeat=2)])
def test_a_line_that_comes_for_nobody_is_remembered(monkeypatch, texture, waiter):
    monkeypatch.setattr(prefetcher, "_block_with", lambda cache, line: BLOCK)
    lsu = SimpleNamespace(texture=texture, cache=None, prefetcher=SimpleNamespace(ahead=[9] * 4))
    prefetcher.note_answer(lsu, LINE, waiter)
    assert lsu.prefetcher.ahead == [9, 9, 9, 9 if texture or waiter else LINE + 1]


@pytest.mark.parametrize("there", [0, 0b0001, 0b1111])
@pytest.mark.parametrize("coming", [False, True])
@pytest.mark.parametrize(
    ("memory", "register", "room"), [(41 * 128, True, 2), (40 * 128, True, 2), (41 * 128, False, 2), (41 * 128, True, 1)]
)
def test_what_is_missing_of_a_line_is_asked_for_where_there_is_room_and_else_dropped(monkeypatch, memory, register, room, coming, there):
    """A line of four sectors of 32 bytes, number 40. What is there, or on its way, is neither sent nor dropped."""
    calls = []
    monkeypatch.setattr(prefetcher, "contains", lambda cache, line: np.uint64(there))
    monkeypatch.setattr(prefetcher, "find", lambda misses, line: 0 if coming else -1)
    monkeypatch.setattr(prefetcher, "may_allocate", lambda misses: register)
    monkeypatch.setattr(prefetcher, "transaction_room", lambda gpu: room)
    monkeypatch.setattr(prefetcher, "allocate_for_nobody", lambda misses, line, missing: calls.append(("allocate", line, missing)))
    monkeypatch.setattr(prefetcher, "tag_of", lambda *given: given)
    monkeypatch.setattr(prefetcher, "send", lambda gpu, core, *given: calls.append(("send", *given)))
    own = SimpleNamespace(sent=5, dropped=6)
    lsu = SimpleNamespace(line_shift=7, sector_shift=5, cache=None, misses=None, prefetcher=own, texture=0, forward=np.int64(21))
    prefetcher._prefetch(SimpleNamespace(memory_bytes=memory), None, lsu, np.int64(LINE), NOW)
    wanted = not coming and there != 0b1111
    sends = wanted and memory > 40 * 128 and register and room == 2
    missing = 0b1111 & ~there
    tag = (prefetcher.NOBODY, 0, 1, 0)
    assert calls == ([("allocate", LINE, missing), ("send", LOAD, LINE, missing, tag, 21, NOW)] if sends else [])
    assert (own.sent, own.dropped) == (5 + sends, 6 + (wanted and not sends))
