"""What a simple channel does with one request after another, call by call: where a byte lies, and what opening its row costs."""

import numpy as np
import pytest

from warploom.machine.engine.unit import mirror, zeros
from warploom.machine.memory.address_hash import group_of, place_of
from warploom.machine.memory.dram import Dram, channel_of, configure, request, row_of
from warploom.machine.memory.settings import Dram as Section

LINE, LATENCY = 64, 10  # bytes; cycles


def dram(core_clock=0, **settings):
    (made,) = mirror(zeros(1, Dram))
    configure(
        made,
        Section(**{"channels": 1, "latency": LATENCY, "bandwidth": LINE, "row": 0, "row_miss": 0} | settings),
        LINE,
        "modulo",
        core_clock,
    )
    return made


@pytest.mark.parametrize("channels", [1, 2, 3, 4])
@pytest.mark.parametrize("lines", [1, 2, 3, 4, 6, 12])
def test_lines_go_round_the_channels_and_a_row_holds_those_that_follow_one_another_in_its_own(channels, lines):
    made = dram(channels=channels, row=lines * LINE)
    for line in range(60):
        address = line * LINE + line % LINE
        assert (channel_of(made, address), row_of(made, address)) == (line % channels, line // channels // lines)


@pytest.mark.parametrize("banks", [1, 2, 3, 8])
def test_rows_go_round_the_banks(banks):
    made = dram(row=LINE, banks=banks)
    found = [(place_of(made.rows, np.int64(row)), group_of(made.rows, np.int64(row))) for row in range(20)]
    assert found == [(row % banks, row // banks) for row in range(20)]


def test_a_channel_has_no_open_row_at_first_and_every_counter_follows_each_request():
    """Two channels of rows of two lines; a row takes 5 clocks to open, a line two to transfer."""
    made = dram(channels=2, row=2 * LINE, row_miss=5, bandwidth=LINE // 2)
    steps = [  # (line, bytes, write, cycle): channel, whether its row is open, the first clock after it
        ((4, LINE, 0, 3), (0, False, 10)),  # of row 1
        ((6, LINE, 1, 4), (0, True, 12)),
        ((1, 1, 0, 4), (1, False, 10)),  # of row 0
        ((0, 32, 0, 20), (0, False, 26)),
        ((2, 33, 1, 50), (0, True, 52)),
        ((4, 32, 1, 50), (0, False, 58)),
    ]
    counted = {name: [0, 0] for name in ("requests", "row_hits", "row_misses", "busy", "bytes_read", "bytes_written")}
    for (line, size, write, now), (channel, opened, free) in steps:
        assert request(made, line * LINE, size, write, np.int64(now)) == free - 1 + LATENCY
        counted["requests"][channel] += 1
        counted["row_hits" if opened else "row_misses"][channel] += 1
        counted["busy"][channel] += (0 if opened else 5) + -(-size // (LINE // 2))
        counted["bytes_written" if write else "bytes_read"][channel] += size
        assert made.busy_until[channel] == free
        assert {name: getattr(made, name)[:2].tolist() for name in counted} == counted
