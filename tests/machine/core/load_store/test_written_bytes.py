"""Which bytes a store writes, against sets of bytes: lanes anywhere, several stores in an instruction, lines of up to 256 bytes."""

import random

import numpy as np
import pytest

from warploom.machine.core.load_store.lsu import Lsu
from warploom.machine.core.load_store.written_bytes import mark_written
from warploom.machine.engine.unit import mirror, zeros

SLOT = 2
pytestmark = pytest.mark.filterwarnings("ignore:overflow")  # products wrap


def bits_of(bytes_written, line_bytes):
    return [sum(1 << byte - 64 * word for byte in bytes_written if byte >> 6 == word) for word in range(4)]


def record(line_shift, sector_shift):
    (lsu,) = mirror(zeros(1, Lsu))
    lsu.line_shift, lsu.sector_shift = line_shift, sector_shift
    lsu.written[SLOT, :20] = 0xDEAD  # of an earlier store
    return lsu


def noted(lsu, store, lines):
    """The lines and sectors that a store touches, after those of earlier stores; transactions share a line only within a store."""
    for byte in sorted(store):
        line, sector = byte >> lsu.line_shift, (byte & ((1 << lsu.line_shift) - 1)) >> lsu.sector_shift
        if line not in lines:
            lines.append(line)
        lsu.line[SLOT, lines.index(line)] = line
        lsu.sectors[SLOT, lines.index(line)] |= np.uint64(1 << sector)


@pytest.mark.parametrize("size", [1, 2, 4, 8])
@pytest.mark.parametrize("line_shift, sector_shift", [(7, 5), (5, 5), (8, 5), (6, 4), (8, 7), (8, 8), (7, 2)])
def test_every_byte_is_marked_once_its_lane_takes_part(line_shift, sector_shift, size):
    chosen = random.Random(size)
    for _ in range(4):
        lsu, lines, store = record(line_shift, sector_shift), [], set()
        lanes = 8
        step = chosen.choice([size, size, 3, 100])
        start = chosen.randrange(1 << 12)
        addresses = np.array([start + lane * step for lane in range(lanes)], np.uint32)
        active = np.array([chosen.choice([0, 1, 0xFFFFFFFF]) for _ in range(lanes)], np.uint32)
        store = {int(address) + byte for address, takes in zip(addresses, active, strict=True) if takes for byte in range(size)}
        noted(lsu, store, lines)
        mark_written(lsu, SLOT, addresses, active, size, lanes, 0, len(lines))
        for index, line in enumerate(lines):
            here = {byte - (line << line_shift) for byte in store if byte >> line_shift == line}
            assert lsu.written[SLOT, index].tolist() == bits_of(here, 1 << line_shift)
            sectors = range(1 << line_shift - sector_shift)
            whole = [
                sector for sector in sectors if all(byte in here for byte in range(sector << sector_shift, sector + 1 << sector_shift))
            ]
            assert lsu.whole[SLOT, index] == sum(1 << sector for sector in whole)
        assert (lsu.written[SLOT, len(lines) : 20] == 0xDEAD).all()
        assert not lsu.written[SLOT - 1].any()


def test_what_is_noted_of_earlier_stores_by_whole_sectors_alone_is_spelt_out():
    """Three transactions before: sectors 0 and 2 whole; part of a sector, with its bytes; all four sectors. Then a store into the first."""
    lsu = record(7, 5)
    lsu.line[SLOT, :4], lsu.sectors[SLOT, :4] = (5, 6, 7, 9), (0b101, 0b1, 0b1111, 0b10)
    lsu.whole[SLOT, :4] = 0b101, 0, 0b1111, 0
    lsu.written[SLOT, 1] = 0xFF, 0, 0, 0
    mark_written(lsu, SLOT, np.array([5 * 128 + 32, 9 * 128 + 40], np.uint32), np.array([1, 1], np.uint32), 4, 2, 3, 4)
    first = {*range(36), *range(64, 96)}
    assert lsu.written[SLOT, 0].tolist() == bits_of(first, 128)
    assert lsu.written[SLOT, 1].tolist() == [0xFF, 0, 0, 0]
    assert lsu.written[SLOT, 2].tolist() == bits_of(range(128), 128)
    assert lsu.written[SLOT, 3].tolist() == bits_of(range(40, 44), 128)
    assert lsu.whole[SLOT, :4].tolist() == [0b101, 0, 0b1111, 0]


def test_lines_of_an_earlier_instruction_are_nobodys():
    """One transaction before, of whole sectors; the row after the last has the line of the first lane's store, from before."""
    lsu = record(7, 5)
    lsu.line[SLOT, :3], lsu.sectors[SLOT, :3], lsu.whole[SLOT, 0] = (5, 6, 6), (0b10, 0b1, 0), 0b10
    mark_written(lsu, SLOT, np.array([5 * 128, 6 * 128, 6 * 128 + 4], np.uint32), np.array([1, 1, 1], np.uint32), 4, 3, 1, 2)
    assert lsu.written[SLOT, 0].tolist() == bits_of({*range(32, 64), *range(4)}, 128)
    assert lsu.written[SLOT, 1].tolist() == bits_of(range(8), 128)
    assert (lsu.written[SLOT, 2] == 0xDEAD).all()


def test_where_a_line_has_several_transactions_the_first_takes_the_bytes():
    lsu = record(7, 5)
    lsu.line[SLOT, :3], lsu.sectors[SLOT, :3] = (5, 5, 6), (1, 1, 1)
    mark_written(lsu, SLOT, np.array([5 * 128, 5 * 128 + 4, 6 * 128], np.uint32), np.array([1, 1, 1], np.uint32), 4, 3, 0, 3)
    assert [lsu.written[SLOT, index].tolist() for index in range(3)] == [bits_of(range(size), 128) for size in (8, 0, 4)]
