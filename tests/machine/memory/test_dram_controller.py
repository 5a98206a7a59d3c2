"""Channels with banks: rows, banks side by side, first-ready order, and the bus's turns from writing to reading."""

import pytest

from tests.machine.programs import FREE, LANE, Assembly, finished, issues, run
from warploom.machine.engine.sizes import ConfigError

ADDRESS, VALUE = FREE, FREE + 1
BANKS = {
    "dram__banks": 4, "dram__row": 256, "dram__bandwidth": 16, "dram__latency": 50, "dram__rcd": 7, "dram__rp": 11, "dram__cl": 5,
    "dram__ras": 30, "l1__bytes": 0, "l2__bytes": 0, "l1__line": 64, "lsu__ports": 4,
}  # fmt: skip
OPENED, CLOSED = 7 + 5, 11  # clocks: what a row costs that has to be opened, and more where one has to be closed


def waits(*offsets, **changes):
    """Cycles of loads one after the other, each waited for; one sector each."""
    code = Assembly()
    for offset in offsets:
        code.load(VALUE, ADDRESS, offset)
        code.op("add", ADDRESS + 5, VALUE, imm=1)
    code("exit")
    times = [time for time, *_ in issues(run(code.program(), tracing=True, memory__bytes=1 << 16, **{**BANKS, **changes}))]
    return [times[2 * k + 1] - times[2 * k] for k in range(len(offsets))]


def test_a_closed_row_an_open_one_and_another_one():
    # 4 banks of rows of 256 bytes: a row further by 1024 is in the same bank. By then the first has been open for tRAS.
    assert waits(0, 16, 1024) == [50 + OPENED, 50 + 5, 50 + OPENED + CLOSED]


def test_a_row_stays_open_as_long_as_it_must():
    # The second load comes 63 cycles after the first has opened the row, which has to stay open for 100.
    assert waits(0, 1024, dram__ras=100) == [50 + OPENED, (100 - 63) + CLOSED + OPENED + 50]


def test_memory_clocks_are_converted_to_cycles():
    # The second load comes in an odd cycle, and the next memory clock begins in the one after.
    assert waits(0, 16, gpu__clock=1000, dram__clock=500) == [50 + 2 * OPENED, 50 + 2 * 5 + 1]


def test_rows_of_other_banks_are_opened_while_the_bus_is_busy():
    """Eight lanes that each want a row: of eight in one bank every one waits for the one before."""

    def cycles(scale):
        code = Assembly()
        code.op("shl", ADDRESS, LANE, imm=scale)
        code.load(VALUE, ADDRESS)
        code("exit")
        return finished(code.program(), memory__bytes=1 << 16, **BANKS).cycle

    assert cycles(8) < 2 + 50 + OPENED + 4 * 4 + 4
    assert cycles(10) > 3 * 30  # tRAS for each but the last


@pytest.mark.parametrize(("window", "hits"), [(1, 0), (8, 3)])
def test_the_oldest_request_to_an_open_row_goes_first_where_the_controller_sees_it(window, hits):
    """Two rows of a bank in turn: in order none is open when it is wanted."""
    code = Assembly()
    for k in range(8):
        code.load(VALUE + k, ADDRESS, 1024 * (k % 2) + 16 * k)
    code("exit")
    made = finished(code.program(), memory__bytes=1 << 16, **{**BANKS, "dram__queue": window, "dram__ras": 200})
    assert made.gpu["dram"]["row_hits"].sum() >= hits
    assert (made.gpu["dram"]["row_hits"].sum() == 0) == (window == 1)


def test_writes_wait_while_there_are_reads():
    """A load behind many stores goes before those, unless there are too many of them."""

    def wait(limit):
        code = Assembly()
        code.op("shl", ADDRESS, LANE, imm=6)
        for k in range(16):
            code.store(ADDRESS, LANE, 4096 + 1024 * k)
        code.load(VALUE, ADDRESS)
        code.op("add", ADDRESS + 5, VALUE, imm=1)
        code("exit")
        result = run(code.program(), tracing=True, memory__bytes=1 << 16, **{**BANKS, "lsu__stores": 64, "dram__write_queue": limit})
        assert result.counters["dram_bytes_written"] == 16 * 4 * 16
        times = [time for time, *_ in issues(result)]
        return times[18] - times[17]

    assert wait(256) < 150 < 300 < wait(1)


def test_a_row_is_closed_only_when_what_was_written_into_it_has_recovered():
    """A store, and a load from a different row: of the same bank it waits for tWR, of a different bank it does not."""
    same, other = 1024, 256
    assert after_a_store(same, dram__wr=100) - after_a_store(same, dram__wr=40) == 60
    assert after_a_store(other, dram__wr=100) == after_a_store(other, dram__wr=40)


def after_a_store(offset, **changes):
    """The cycle in which a load has its data that comes just after a store to address 0."""
    code = Assembly()
    code.store(ADDRESS, VALUE)
    code.load(VALUE, ADDRESS, offset)
    code.op("add", ADDRESS + 5, VALUE, imm=1)
    code("exit")
    return issues(run(code.program(), tracing=True, memory__bytes=1 << 16, **{**BANKS, "dram__ras": 0, **changes}))[2][0]


@pytest.mark.parametrize("offset", [16, 256])
def test_the_bus_takes_time_to_turn_from_writing_to_reading_whichever_the_bank(offset):
    assert after_a_store(offset, dram__wtr=100) - after_a_store(offset, dram__wtr=40) == 60


def test_a_row_is_kept_open_until_the_data_of_a_write_have_come():
    assert after_a_store(1024, dram__wl=50) - after_a_store(1024, dram__wl=10) == 40


@pytest.mark.parametrize(("apart", "later"), [(256, 60), (16, 0)])
def test_rows_of_two_banks_are_not_opened_close_after_each_other(apart, later):
    """Two lanes ask for two banks, or for one row."""

    def cycles(distance):
        code = Assembly()
        code.op("mul", ADDRESS, LANE, imm=apart)
        code.load(VALUE, ADDRESS)
        code.op("add", ADDRESS + 5, VALUE, imm=1)
        code("exit")
        shape = {**BANKS, "dram__rrd": distance}
        return issues(run(code.program(threads=2), tracing=True, memory__bytes=1 << 16, **shape))[2][0]

    assert cycles(100) - cycles(40) == later


def test_banks_without_rows_are_refused():
    with pytest.raises(ConfigError) as error:
        waits(0, dram__row=0)
    assert str(error.value) == "dram.banks = 4: banks have rows and a bus; set dram.row and dram.bandwidth"
