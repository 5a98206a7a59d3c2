"""The line table against a dictionary, with lines that share chains."""

import random

import pytest

from warploom.machine.engine.unit import mirror, zeros
from warploom.machine.memory.line_table import ENTRIES, LineTable, add_line, chain_of, configure, find_line, remove_line


def table(entries):
    (made,) = mirror(zeros(1, LineTable))
    configure(made, entries)
    return made


@pytest.mark.parametrize(
    "entries, chains", [(1, 256), (256, 256), (257, 512), (512, 512), (1000, 1024), (ENTRIES, ENTRIES), (4 * ENTRIES, ENTRIES)]
)
def test_there_are_as_many_chains_as_entries(entries, chains):
    assert table(entries).chain_mask + 1 == chains


def test_a_chain_mixes_the_lines_low_bits_with_those_ten_further_up():
    made = table(1)
    assert [chain_of(made, line) for line in (0, 5, 255, 256, 1024, 1024 + 5, 3 << 10)] == [0, 5, 255, 0, 1, 4, 3]
    made.chain_mask = 0
    assert chain_of(made, 77) == 0


@pytest.mark.parametrize("chains", [1, 2, 256])
def test_every_line_is_found_until_it_is_removed(chains):
    chosen, made, held = random.Random(chains), table(16), {}
    made.chain_mask = chains - 1
    lines = [*range(6), *(256 * number for number in range(6)), 1 << 40]
    for _ in range(400):
        line = chosen.choice(lines)
        if line in held and chosen.randrange(3):
            remove_line(made, held.pop(line))
        elif line not in held:
            held[line] = add_line(made, line)
        assert {line: find_line(made, line) for line in lines} == {line: held.get(line, -1) for line in lines}
        assert made.used == len(held) == len(set(held.values()))
        assert made.fresh == made.used + made.freed <= len(lines)


def test_an_entry_given_back_is_the_next_to_be_taken():
    made = table(4)
    first, second, third = (add_line(made, line) for line in (7, 8, 9))
    assert (first, second, third) == (0, 1, 2)
    remove_line(made, second)
    remove_line(made, first)
    assert [add_line(made, line) for line in (10, 11, 12)] == [first, second, 3]
