"""The miss-status registers against lists."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.machine.two_engines import both
from warploom.machine.engine.unit import mirror, unit, zeros
from warploom.machine.memory.mshr import (
    ENTRIES,
    WAITERS,
    Mshr,
    allocate,
    allocate_for_nobody,
    configure,
    find,
    first_waiter,
    may_allocate,
    may_join,
    merge,
    merge_or_begin,
    release,
    take_waiter,
)

MISS, ANSWER = range(2)


@unit
def drive(registers, operations, answers, told):
    """Rows of `operations`: kind, line, sectors, waiter. Answers of a miss: 2 new entry, 1 merged, -1 refused; of an answer: who waits."""
    mshr = registers[0]
    for k in range(operations.shape[0]):
        kind, line, sectors, waiter = operations[k, 0], operations[k, 1], np.uint64(operations[k, 2]), operations[k, 3]
        entry = find(mshr, line)
        if kind == MISS:
            if entry >= 0:
                answers[k] = 1 if may_join(mshr, entry) else -1
                if answers[k] == 1:
                    merge(mshr, entry, sectors, waiter)
            else:
                answers[k] = 2 if allocate(mshr, line, sectors, waiter) >= 0 else -1
        else:
            answers[k] = entry
            if entry >= 0:
                link = first_waiter(mshr, entry)
                release(mshr, entry)
                place = 0
                while link != 0:
                    told[k, place], link = take_waiter(mshr, link)
                    place += 1


def fresh(limit, merges=0):
    registers = zeros(1, Mshr)
    configure(mirror(registers)[0], limit, merges)
    return registers


def in_chains(table):
    """The entries of a line table that are in use."""
    found = []
    for link in table["chain"]:
        while link:
            found.append(int(link) - 1)
            link = table["next"][link - 1]
    return found


def run(limit, operations, merges=0):
    """The answers, who was told by each, and the entries left: (line, sectors, list of waiters)."""
    rows = np.array(operations, np.int64).reshape(-1, 4)
    _, after = both(drive, fresh(limit, merges), rows, np.zeros(len(rows), np.int64), np.full((len(rows), len(rows) + 1), -1, np.int64))
    left = after[0][0]
    entries = []
    for entry in in_chains(left["table"]):
        waiters, link = [], int(left["first"][entry])
        while link:
            waiters.append(int(left["waiter"][link - 1]))
            link = int(left["next"][link - 1])
        entries.append((int(left["table"]["line"][entry]), int(left["sectors"][entry]), waiters))
    return after[2].tolist(), [[waiter for waiter in row if waiter >= 0] for row in after[3].tolist()], entries, left


steps = st.lists(st.tuples(st.sampled_from([MISS, MISS, ANSWER]), st.integers(0, 9), st.integers(1, 15), st.integers(0, 999)), max_size=60)


@settings(max_examples=100, deadline=None)
@given(limit=st.sampled_from([0, 1, 3, 8, ENTRIES]), merges=st.sampled_from([0, 1, 2, 8]), steps=steps)
def test_agrees_with_lists(limit, merges, steps):
    answers, told, entries, left = run(limit, steps, merges)
    model, counts, most = [], {2: 0, 1: 0, -1: 0}, 0
    for (kind, line, sectors, waiter), answer, heard in zip(steps, answers, told, strict=True):
        lines = [entry[0] for entry in model]
        if kind == ANSWER:
            assert (answer >= 0) == (line in lines)
            assert heard == [waiter for entry in model if entry[0] == line for waiter in entry[2]]
            model = [entry for entry in model if entry[0] != line]
            continue
        if line in lines:
            entry = model[lines.index(line)]
            expected = 1 if merges == 0 or len(entry[2]) < merges else -1
            if expected == 1:
                entry[1] |= sectors
                entry[2].append(waiter)
        elif len(model) < limit:
            expected = 2
            model.append([line, sectors, [waiter]])
        else:
            expected = -1
            counts[-1] += 1
        assert answer == expected
        counts[expected] += expected > 0
        most = max(most, len(model))
    assert sorted(entries) == sorted(tuple(entry) for entry in model)
    assert (left["allocated"], left["merged"], left["refused"], left["most"]) == (counts[2], counts[1], counts[-1], most)


def test_a_second_miss_waits_behind_the_first():
    answers, _, entries, _ = run(4, [(MISS, 7, 0b01, 0), (MISS, 7, 0b10, 3)])
    assert answers == [2, 1]
    assert entries == [(7, 0b11, [0, 3])]


def test_the_hardware_has_as_many_entries_as_it_says_and_an_answer_frees_one():
    answers, _, entries, _ = run(2, [(MISS, 1, 1, 0), (MISS, 2, 1, 0), (MISS, 3, 1, 0), (ANSWER, 1, 0, 0), (MISS, 3, 1, 0)])
    assert answers == [2, 2, -1, 0, 2]
    assert sorted(entry[0] for entry in entries) == [2, 3]


def test_all_entries_can_be_used():
    answers, _, entries, _ = run(ENTRIES, [(MISS, line, 1, line) for line in range(ENTRIES)])
    assert answers == [2] * ENTRIES
    assert sorted(entries)[-1] == (ENTRIES - 1, 1, [ENTRIES - 1])


@unit
def begin_without_anybody(registers, waiters, told):
    """An entry for line 7 that nobody waits for; then some do, one after the other. Rows of `told`: who is told, in order."""
    mshr = registers[0]
    allocate_for_nobody(mshr, np.int64(7), np.uint64(1))
    for k in range(waiters.shape[0]):
        merge_or_begin(mshr, find(mshr, np.int64(7)), np.uint64(2), waiters[k])
    entry = find(mshr, np.int64(7))
    link = first_waiter(mshr, entry)
    covered = np.int64(mshr.sectors[entry])
    release(mshr, entry)
    place = 0
    while link != 0 and place < told.shape[0]:
        told[place], link = take_waiter(mshr, link)
        place += 1
    return covered


@pytest.mark.parametrize("waiters", [[], [40], [40, 41], [40, 41, 42, 43]])
def test_those_who_come_to_a_line_that_was_asked_for_ahead_wait_in_order(waiters):
    covered, after = both(begin_without_anybody, fresh(4), np.array(waiters, np.int64), np.full(6, -1))
    assert after[2].tolist() == waiters + [-1] * (6 - len(waiters))
    assert covered == (3 if waiters else 1)
    left = after[0][0]
    assert (left["merged"], left["fresh"] - left["freed"], in_chains(left["table"])) == (len(waiters), 0, [])


def test_entries_are_counted_whoever_waits_and_the_most_at_a_time():
    (mshr,) = mirror(fresh(8))
    for number, (line, somebody) in enumerate([(3, True), (5, False), (9, False), (11, True)], 1):
        if somebody:
            allocate(mshr, line, np.uint64(1), 7)
        else:
            entry = allocate_for_nobody(mshr, line, np.uint64(6))
            entry = find(mshr, line) if entry is None else entry
            assert (mshr.sectors[entry], mshr.first[entry], mshr.last[entry], mshr.count[entry]) == (6, 0, 0, 0)
        assert (mshr.allocated, mshr.most, mshr.merged) == (number, number, 0)
    for line in (5, 3):
        release(mshr, find(mshr, line))
    allocate_for_nobody(mshr, 21, np.uint64(1))
    assert (mshr.allocated, mshr.most) == (5, 4)


@pytest.mark.parametrize(
    ("given_out", "given_back", "room"), [(WAITERS - 1, 0, True), (WAITERS, 0, False), (WAITERS, 1, True), (WAITERS, 9, True)]
)
def test_nobody_comes_where_the_list_of_those_who_wait_is_full(given_out, given_back, room):
    (mshr,) = mirror(fresh(8))
    entry = allocate(mshr, 3, np.uint64(1), 7)
    mshr.fresh, mshr.freed = given_out, given_back
    mshr.free[:given_back] = range(5, 5 + given_back)
    assert (bool(may_allocate(mshr)), bool(may_join(mshr, entry))) == (room, room)
    refused, found = mshr.refused, allocate(mshr, 4, np.uint64(1), 7)
    assert (found if found < 0 else "an entry", mshr.refused - refused) == (("an entry", 0) if room else (-1, 1))


@pytest.mark.parametrize("join", [merge, merge_or_begin])
@pytest.mark.parametrize("merges", [1, 2, 5])
def test_each_who_waits_for_an_entry_counts_against_its_limit(join, merges):
    (mshr,) = mirror(fresh(8, merges))
    entry = allocate(mshr, 3, np.uint64(1), 7)
    for waiting in range(1, merges + 1):
        assert mshr.count[entry] == waiting
        assert bool(may_join(mshr, entry)) == (waiting < merges)
        join(mshr, entry, np.uint64(2), 8)


def test_a_used_entry_and_used_places_of_its_list_begin_anew_for_nobody():
    (mshr,) = mirror(fresh(1, 3))
    entry = allocate(mshr, 3, np.uint64(1), 7)
    merge(mshr, entry, np.uint64(1), 8)
    link = first_waiter(mshr, entry)
    release(mshr, entry)
    while link != 0:
        _, link = take_waiter(mshr, link)
    allocate_for_nobody(mshr, 9, np.uint64(1))
    assert (find(mshr, 9), first_waiter(mshr, entry)) == (entry, 0)
    for waiter in (40, 41):
        assert may_join(mshr, entry)
        merge_or_begin(mshr, entry, np.uint64(1), waiter)
    assert (mshr.fresh, mshr.freed) == (2, 0)  # the two places that the first line's list had
    told, link = [], first_waiter(mshr, entry)
    while link != 0:
        waiter, link = take_waiter(mshr, link)
        told.append(int(waiter))
    assert told == [40, 41]
