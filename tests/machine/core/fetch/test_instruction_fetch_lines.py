"""Lookups in the caches of instructions, one by one, against lists: which line goes, and when an instruction has come."""

import random
from types import SimpleNamespace

import numpy as np
import pytest

from warploom.machine.core.fetch import instruction_fetch
from warploom.machine.core.fetch.instruction_fetch import Fetch, _fetch_line, _find_in_l0
from warploom.machine.engine.unit import mirror, zeros

LINE, ROWS = 4, 1000  # instructions


@pytest.mark.parametrize("shared", [0, 16])
@pytest.mark.parametrize("latency", [1, 3])
@pytest.mark.parametrize(("sets", "ways"), [(1, 1), (1, 3), (2, 2), (3, 4), (4, 1)])
def test_a_line_takes_an_empty_place_of_its_set_or_that_of_the_one_longest_not_used(monkeypatch, sets, ways, latency, shared):
    source, asked = random.Random(sets * 10 + ways), []
    monkeypatch.setattr(instruction_fetch, "bring", lambda gpu, fetch, *given: asked.append(("shared", *given)) or given[-1] + 11)
    monkeypatch.setattr(instruction_fetch, "program_memory", lambda gpu, fetch, *given: asked.append(("memory", *given)) or given[-1] + 20)
    (fetch,) = mirror(zeros(1, Fetch))
    fetch.sets, fetch.ways, fetch.latency, fetch.line = sets, ways, latency, LINE
    gpu = SimpleNamespace(shared_fetch=SimpleNamespace(lines=shared))
    places = [[[None, -1, 0] for _ in range(ways)] for _ in range(sets)]  # line, when it was used last, when it has come
    now, hits, misses = 0, 0, 0
    for _ in range(150):
        line = source.randrange(sets * (ways + 2))
        own = places[line % sets]
        place = next((place for place in own if place[0] == line), None)
        if place:
            hits, came, asks = hits + 1, max(now + latency - 1, place[2]), []
            place[1] = now
        else:
            misses += 1
            came = now + latency + 11 if shared else now + latency - 1 + 20
            asks = [("shared", line, ROWS, now + latency)] if shared else [("memory", LINE, now + latency - 1)]
            own[own.index(min(own, key=lambda place: place[1]))] = [line, now, came]
        asked.clear()
        assert (_fetch_line(gpu, fetch, np.int64(line), ROWS, np.int64(now)), asked) == (came, asks)
        assert (fetch.hits, fetch.misses) == (hits, misses)
        now += source.choice((0, 1, 1, 2, 40)) if now else 1
    assert hits > 15 and misses > 15


@pytest.mark.parametrize("shared", [0, 16])
def test_without_a_cache_each_instruction_comes_from_beyond(monkeypatch, shared):
    monkeypatch.setattr(instruction_fetch, "bring", lambda gpu, fetch, *given: ("shared", *given))
    monkeypatch.setattr(instruction_fetch, "program_memory", lambda gpu, fetch, *given: ("memory", *given))
    (fetch,) = mirror(zeros(1, Fetch))
    expected = ("shared", 7, ROWS, 50) if shared else ("memory", 1, 50)
    assert _fetch_line(SimpleNamespace(shared_fetch=SimpleNamespace(lines=shared)), fetch, 7, ROWS, 50) == expected
    assert (fetch.hits, fetch.misses) == (0, 1)


@pytest.mark.parametrize(("sets", "ways"), [(1, 1), (1, 3), (2, 2), (3, 4)])
def test_a_scheduler_s_cache_names_the_place_of_a_line_or_the_one_that_it_takes(sets, ways):
    source = random.Random(sets * 10 + ways)
    (fetch,) = mirror(zeros(1, Fetch))
    fetch.l0_sets, fetch.l0_ways = sets, ways
    fetch.l0_tag[0], fetch.l0_used[0] = 99, 1  # of a different scheduler
    for now in range(1, 150):
        line = source.randrange(sets * (ways + 2))
        own = range(line % sets * ways, line % sets * ways + ways)
        held = [place for place in own if fetch.l0_tag[1, place] == line + 1]
        expected = held[0] if held else min(own, key=lambda place: fetch.l0_used[1, place])
        assert _find_in_l0(fetch, 1, np.int64(line)) == expected
        fetch.l0_tag[1, expected], fetch.l0_used[1, expected] = line + 1, now
