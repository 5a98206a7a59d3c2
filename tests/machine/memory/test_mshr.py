"""The miss-status registers against a list of sets."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.machine.two_engines import both
from warploom.machine.engine.unit import unit
from warploom.machine.memory.mshr import ENTRIES, WAITERS, Mshr, allocate, find, merge, release

MISS, ANSWER = range(2)


@unit
def drive(registers, operations, answers):
    """Rows of `operations`: kind, line, sectors, waiter. Answers of a miss: 2 new entry, 1 or 0 merged, -1 refused."""
    mshr = registers[0]
    for k in range(operations.shape[0]):
        kind, line, sectors, waiter = operations[k, 0], operations[k, 1], np.uint64(operations[k, 2]), operations[k, 3]
        entry = find(mshr, line)
        if kind == MISS:
            if entry >= 0:
                answers[k] = merge(mshr, entry, sectors, waiter)
            else:
                answers[k] = 2 if allocate(mshr, line, sectors, waiter) >= 0 else -1
        else:
            answers[k] = entry
            if entry >= 0:
                release(mshr, entry)


def fresh(limit):
    registers = np.zeros(1, Mshr)
    registers["limit"] = limit
    return registers


def in_chains(table):
    """The entries of a line table that are in use."""
    found = []
    for link in table["chain"]:
        while link:
            found.append(int(link) - 1)
            link = table["next"][link - 1]
    return found


def run(limit, operations):
    """The answers, and the entries left: (line, sectors, set of waiters)."""
    rows = np.array(operations, np.int64).reshape(-1, 4)
    _, after = both(drive, fresh(limit), rows, np.zeros(len(rows), np.int64))
    left = after[0][0]
    entries = []
    for entry in in_chains(left["table"]):
        words = left["waiting"][entry]
        waiters = {waiter for waiter in range(WAITERS) if int(words[waiter // 64]) >> waiter % 64 & 1}
        entries.append((int(left["table"]["line"][entry]), int(left["sectors"][entry]), waiters))
    return after[2].tolist(), entries, left


steps = st.lists(
    st.tuples(st.sampled_from([MISS, MISS, ANSWER]), st.integers(0, 9), st.integers(1, 15), st.integers(0, WAITERS - 1)), max_size=60
)


@settings(max_examples=200, deadline=None)
@given(limit=st.sampled_from([0, 1, 3, 8, ENTRIES]), steps=steps)
def test_agrees_with_a_list_of_sets(limit, steps):
    answers, entries, left = run(limit, steps)
    model, counts, most = [], {2: 0, 1: 0, 0: 0, -1: 0}, 0
    for (kind, line, sectors, waiter), answer in zip(steps, answers, strict=True):
        lines = [entry[0] for entry in model]
        if kind == ANSWER:
            assert (answer >= 0) == (line in lines)
            model = [entry for entry in model if entry[0] != line]
            continue
        if line in lines:
            entry = model[lines.index(line)]
            expected = int(waiter not in entry[2])
            entry[1] |= sectors
            entry[2].add(waiter)
        elif len(model) < limit:
            expected = 2
            model.append([line, sectors, {waiter}])
        else:
            expected = -1
        assert answer == expected
        counts[expected] += 1
        most = max(most, len(model))
    assert sorted(entry[:2] for entry in entries) == sorted(tuple(entry[:2]) for entry in model)
    assert {entry[0]: entry[2] for entry in entries} == {entry[0]: entry[2] for entry in model}
    assert (left["allocated"], left["merged"], left["refused"], left["most"]) == (counts[2], counts[1], counts[-1], most)


def test_a_second_miss_waits_with_the_first_and_says_whether_the_waiter_is_new():
    answers, entries, _ = run(4, [(MISS, 7, 0b01, 0), (MISS, 7, 0b10, 3), (MISS, 7, 0b10, 3)])
    assert answers == [2, 1, 0]
    assert entries == [(7, 0b11, {0, 3})]


def test_the_hardware_has_as_many_entries_as_it_says_and_an_answer_frees_one():
    answers, entries, _ = run(2, [(MISS, 1, 1, 0), (MISS, 2, 1, 0), (MISS, 3, 1, 0), (ANSWER, 1, 0, 0), (MISS, 3, 1, 0)])
    assert answers == [2, 2, -1, 0, 2]
    assert sorted(entry[0] for entry in entries) == [2, 3]


def test_all_entries_and_all_waiters_can_be_used():
    misses = [(MISS, line, 1, line) for line in range(ENTRIES)] + [(MISS, 0, 1, waiter) for waiter in range(WAITERS)]
    answers, entries, _ = run(ENTRIES, misses)
    assert answers[:ENTRIES] == [2] * ENTRIES
    assert {entry[0]: entry[2] for entry in entries}[0] == set(range(WAITERS))
    assert entries[ENTRIES - 1] == (ENTRIES - 1, 1, {ENTRIES - 1})
