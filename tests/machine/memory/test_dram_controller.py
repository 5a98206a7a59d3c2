"""Channels with banks: rows, banks side by side, first-ready order, and the bus's turns from writing to reading."""

import math
import random
from fractions import Fraction
from itertools import pairwise
from types import SimpleNamespace
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.machine.core.unit_bench import bench
from tests.machine.programs import FREE, LANE, Assembly, finished, issues, run
from warploom.machine.engine.sizes import ConfigError
from warploom.machine.engine.unit import mirror, zeros
from warploom.machine.memory import dram_controller as controller
from warploom.machine.memory.address_hash import configure as configure_places
from warploom.machine.memory.dram import REFRESHED, Dram, begins_before, clock_of, configure, cycle_of, last_cycle_of
from warploom.machine.memory.request import request
from warploom.machine.memory.settings import Dram as Section
from warploom.machine.memory.transactions import CHANNEL_TURN, EXTRA_SHIFT, LINE_WRITTEN, NOTHING, TAKEN, WRITTEN

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


# ---------------------------------------------------------------------------------------------------------
# The controller call by call

BANK_COUNT, CHANNEL, NOW = 3, 1, 1000
TIMES = {"rp": 5, "rcd": 7, "cl": 11, "wl": 3, "ras": 13, "rrd": 4, "wtr": 6, "wr": 9}


def channel(chosen):
    """A channel with random rows open. Its clock is that of the cores, and 16 bytes cross its bus in one."""
    gpu, _, _ = bench(memory__kind="dram", dram__channels=2, dram__banks=4, dram__row=256, dram__bandwidth=16)
    dram = gpu.dram
    for name, value in TIMES.items():
        setattr(dram, name, value)
    dram.core_clock = dram.memory_clock = 1
    dram.bandwidth, dram.latency, dram.window, dram.write_high = 16, 50, chosen.choice([1, 2, 4]), 4
    for bank in range(BANK_COUNT):
        dram.bank_row[CHANNEL, bank] = chosen.choice([0, 1, 2, 3])
        dram.bank_opened[CHANNEL, bank] = NOW - chosen.choice([0, 1, 2, 9, 20, 30])
        dram.bank_closes[CHANNEL, bank] = NOW + chosen.choice([-20, 0, 5, 9])
    dram.opens_after[CHANNEL] = NOW + chosen.choice([-5, 1, 3, 4])
    dram.read_after[CHANNEL], dram.busy_until[CHANNEL] = NOW + chosen.choice([-9, 0, 20, 40]), NOW + chosen.choice([-9, 0, 15, 30])
    return gpu, dram


def queued(dram, write, requests):
    """requests: (bank, row), the oldest first; their indices are 2, 4, 6 ..."""
    links = [2 * place + 3 for place in range(len(requests))]
    for link, following, (bank, row) in zip(links, [*links[1:], 0], requests, strict=False):
        dram.bank[link - 1], dram.bank_row_wanted[link - 1], dram.next[link - 1] = bank, row, following
    dram.first[CHANNEL, write], dram.last[CHANNEL, write] = (links[0], links[-1]) if links else (0, 0)
    dram.count[CHANNEL, write] = len(links)


def can_open(dram, bank):
    """Its row is closed when it has been open for long enough and is written; then no other bank has just opened one."""
    time = NOW
    if dram.bank_row[CHANNEL, bank]:
        time = max(NOW, int(dram.bank_opened[CHANNEL, bank]) + 13, int(dram.bank_closes[CHANNEL, bank])) + 5
    return max(time, int(dram.opens_after[CHANNEL]))


@pytest.mark.every(3)
@pytest.mark.parametrize("most", [0, 1, 2])
@pytest.mark.parametrize("seed", range(60))
def test_the_oldest_of_an_open_row_goes_first_then_the_one_whose_row_opens_first_and_the_others_keep_their_order(seed, most):
    """Unless the oldest of all has been overtaken as often as it may be. Of writes only those that the queue has taken are seen."""
    chosen = random.Random(seed)
    _, dram = channel(chosen)
    write = chosen.randrange(2)
    dram.most_overtakes, dram.write_high, overtaken = most, chosen.choice([1, 3, 9]), 0
    left = [(chosen.randrange(BANK_COUNT), chosen.randrange(1, 6)) for _ in range(6)]
    queued(dram, write, left)
    order = [2 * place + 2 for place in range(6)]
    while left:
        seen = left[: min(dram.window, dram.write_high) if write else dram.window]
        is_open = [place for place, (bank, row) in enumerate(seen) if dram.bank_row[CHANNEL, bank] == row]
        place = is_open[0] if is_open else min(range(len(seen)), key=lambda place, seen=seen: (can_open(dram, seen[place][0]), place))
        place = 0 if most and overtaken >= most else place
        overtaken = 0 if place == 0 else overtaken + 1
        assert controller._take(dram, CHANNEL, write, NOW) == order[place]
        del left[place], order[place]
        assert dram.count[CHANNEL, write] == len(left)
        links, link = [], int(dram.first[CHANNEL, write])
        while link:
            links.append(link - 1)
            link = int(dram.next[link - 1])
        assert links == order and dram.last[CHANNEL, write] == (order[-1] + 1 if order else 0)


@pytest.mark.parametrize("many", [1, 4, 6, 7])
@pytest.mark.parametrize("draining", [0, 1])
def test_writes_wait_for_reads_until_there_are_many_and_then_half_of_them_go(draining, many):
    _, dram = channel(random.Random(1))
    dram.write_high = many
    for reads in (0, 1):
        for writes in range(many + 2):
            dram.draining[CHANNEL], dram.count[CHANNEL, :] = draining, (reads, writes)
            keeps_on = writes >= many or (draining and writes > many / 2)
            assert controller._direction(dram, CHANNEL) == (controller.WRITES if not reads or keeps_on else controller.READS)
            assert dram.draining[CHANNEL] == int(keeps_on)


@pytest.mark.parametrize("write", [0, 1])
@pytest.mark.parametrize("seed", range(40))
def test_a_request_opens_its_row_if_need_be_and_its_data_cross_the_bus(monkeypatch, seed, write):
    chosen = random.Random(seed)
    gpu, dram = channel(chosen)
    bank, row, size = chosen.randrange(BANK_COUNT), chosen.randrange(1, 4), chosen.choice([16, 40, 64])
    queued(dram, write, [(bank, row)])
    dram.size[2], dram.kind[2], dram.tag[2] = size, 1, 3 << EXTRA_SHIFT
    done = []
    monkeypatch.setattr(controller, "schedule", lambda wheel, time, finished: done.append(int(time)))
    monkeypatch.setattr(controller, "let_go", lambda dram, index: None)
    before = {
        name: getattr(dram, name).copy() for name in ("bank_opened", "bank_closes", "read_after", "busy_until", "opens_after", "busy")
    }
    hit, opened = dram.bank_row[CHANNEL, bank] == row, can_open(dram, bank)
    opened = int(before["bank_opened"][CHANNEL, bank]) if hit else opened
    controller._serve(gpu, dram, CHANNEL, write, 2, NOW, NOW)
    command = max(NOW, opened + 7, 0 if write else int(before["read_after"][CHANNEL]))
    start = max(command + (3 if write else 11), int(before["busy_until"][CHANNEL]))
    end = start + -(-size // 16)
    assert (dram.row_hits[CHANNEL], dram.row_misses[CHANNEL]) == (int(hit), int(not hit))
    assert (dram.bank_row[CHANNEL, bank], dram.bank_opened[CHANNEL, bank]) == (row, opened)
    assert dram.opens_after[CHANNEL] == (before["opens_after"][CHANNEL] if hit else opened + 4)
    assert dram.busy_until[CHANNEL] == end and dram.busy[CHANNEL] == before["busy"][CHANNEL] + end - start
    assert dram.bank_closes[CHANNEL, bank] == max(int(before["bank_closes"][CHANNEL, bank]), end + 9 if write else start)
    assert dram.read_after[CHANNEL] == (end + 6 if write else before["read_after"][CHANNEL])
    assert (dram.bytes_written if write else dram.bytes_read)[CHANNEL] == size
    assert done == [end - 1 + 3 + (0 if write else 49)]
    for name, banks in before.items():
        now = getattr(dram, name)
        others = np.ones(now.shape, bool)
        others[(CHANNEL, bank) if now.ndim == 2 else CHANNEL] = False
        assert (now[others] == banks[others]).all(), name


@pytest.mark.parametrize(("reads", "writes"), [(0, 0), (1, 0), (0, 2), (2, 1)])
@pytest.mark.parametrize("busy", [40 + 16, 40 + 17, 40 + 100])
def test_a_bus_is_planned_ahead_by_what_it_takes_to_close_a_row_and_open_the_next(monkeypatch, reads, writes, busy):
    """7 + 5 + 4 clocks here: a request that is served now finds the bus no sooner. Each takes 20 clocks of it."""
    served, turns = [], []
    dram = SimpleNamespace(
        rp=7, rcd=5, cl=4, turn=[1, 1], busy_until=[0, busy], outside=[0, 0], count=np.array([[9, 9], [reads, writes]]), refresh_interval=0
    )  # fmt: skip
    monkeypatch.setattr(controller, "clock_of", lambda dram, now: now + 10)
    monkeypatch.setattr(controller, "begins_before", lambda dram, clock, now: clock < now + 10)
    monkeypatch.setattr(controller, "last_cycle_of", lambda dram, clock: clock - 10)
    monkeypatch.setattr(controller, "_direction", lambda dram, channel: 0 if dram.count[1, 0] else 1)
    monkeypatch.setattr(controller, "_take", lambda dram, channel, write, clock: ("oldest", write, clock))

    def serve(gpu, dram, channel, write, index, clock, now):
        served.append((channel, write, index, clock, now))
        dram.count[1, write] -= 1
        dram.busy_until[1] += 20

    monkeypatch.setattr(controller, "_serve", serve)
    monkeypatch.setattr(controller, "schedule", lambda wheel, time, asked: turns.append((wheel, time, *asked)))
    monkeypatch.setattr(controller, "request", lambda *fields: fields)
    controller.serve_channel(SimpleNamespace(wheel="wheel"), dram, 1, 30)
    now_served = [0] * reads + [1] * writes if busy <= 56 else []
    now_served = now_served[:1]  # after which the bus is planned for long enough
    assert served == [(1, write, ("oldest", write, 40), 40, 30) for write in now_served]
    waits = reads + writes > len(now_served)
    free = busy + 20 * len(now_served)
    assert turns == ([("wheel", free - 16 - 10, controller.CHANNEL_TURN, -1, 1, 0, 0)] if waits else [])
    assert dram.turn == [1, int(waits)]


# ---------------------------------------------------------------------------------------------------------
# Clocks that are not the cores'

CLOCKS = st.integers(1, 4000)  # MHz


def converted(core_clock, memory_clock):
    drams = zeros(1, Dram)
    configure(mirror(drams)[0], Section(channels=1, clock=memory_clock), 64, "modulo", core_clock)
    return mirror(drams)[0]


@given(CLOCKS, CLOCKS, st.integers(0, 1 << 40))
def test_a_conversion_rounds_to_the_side_that_it_says(core_clock, memory_clock, time):
    dram, ratio = converted(core_clock, memory_clock), Fraction(memory_clock, core_clock)
    assert clock_of(dram, time) == math.ceil(time * ratio)
    assert cycle_of(dram, time) == math.ceil(time / ratio)
    assert last_cycle_of(dram, time) == math.floor(time / ratio)
    # What was planned for a clock is asked about in a cycle that does not begin after it, and the next one does.
    first = clock_of(dram, time)
    assert [bool(begins_before(dram, clock, time)) for clock in (first - 1, first)] == [True, False]
    assert clock_of(dram, last_cycle_of(dram, time)) <= time < clock_of(dram, last_cycle_of(dram, time) + 1)


def served(monkeypatch, core_clock, memory_clock, requests):
    """The memory clock from which on the bus is free after each request that was served, where all wait from cycle 0 on."""
    dram = converted(core_clock, memory_clock)
    for name, value in {**TIMES, "bandwidth": 16, "window": 4, "write_high": 4, "banks": 4, "row": 256, "row_shift": 2}.items():
        setattr(dram, name, value)
    configure_places(dram.rows, 4, "modulo")
    turns, free = [], []

    def schedule(wheel, time, asked):
        assert not turns and asked.kind == CHANNEL_TURN
        turns.append(int(time))

    def serve(gpu, dram, channel, write, index, clock, now):
        assert clock >= clock_of(dram, now)  # never before the controller was asked
        plain(gpu, dram, channel, write, index, clock, now)
        free.append(int(dram.busy_until[channel]))

    plain = controller._serve
    with monkeypatch.context() as patch:
        patch.setattr(controller, "schedule", schedule)
        patch.setattr(controller, "_serve", serve)
        dram.turn[0] = 1  # none is served before all are there
        for line, size, write in requests:
            controller.submit(None, dram, line * 64, size, write, request(NOTHING, 0, line, 0, 0), 0)
        now = 0
        controller.serve_channel(SimpleNamespace(wheel=None), dram, 0, now)
        while turns:
            assert turns[0] > now
            now = turns.pop()
            controller.serve_channel(SimpleNamespace(wheel=None), dram, 0, now)
    assert len(free) == len(requests) and sorted(free) == free
    return free


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("clocks", [(1380, 877), (1725, 3500), (1410, 1215), (7, 5), (1000, 999), (3, 4000), (4000, 3)])
def test_a_bus_that_is_wanted_all_the_time_is_as_busy_whatever_the_cores_clock_is(monkeypatch, clocks, seed):
    chosen = random.Random(seed)
    requests = [(chosen.randrange(64), chosen.choice([16, 32, 64]), int(chosen.random() < seed / 24)) for _ in range(60)]
    assert served(monkeypatch, *clocks, requests) == served(monkeypatch, 1, 1, requests)


# ---------------------------------------------------------------------------------------------------------
# Refresh, watched from outside: every command of a channel, and the rules between any two


class Open(NamedTuple):
    """A row is opened."""

    bank: int
    clock: int


class Access(NamedTuple):
    """Data of an open row cross the bus."""

    bank: int
    row: int
    start: int
    end: int
    write: int


class Refresh(NamedTuple):
    """What a bank has until it is ready, and whether it had a row open; of several refreshes that nobody waited for the last."""

    bank: int
    clock: int
    end: int
    was_open: bool


def commands(monkeypatch, chosen, **settings):
    """What a channel does with random requests that come in bursts and after pauses; and the clock in which it served the last."""
    gpu, _, _ = bench(memory__kind="dram", dram__channels=1, dram__banks=4, dram__row=256, dram__bandwidth=16)
    dram = gpu.dram
    shape = Section(channels=1, bandwidth=16, row=256, banks=4, queue=4, write_queue=4, **{**TIMES, **settings})
    configure(dram, shape, 64, "modulo", 0)
    log, turns, last = [], [], 0
    plain_serve, plain_refresh = controller._serve, controller._refresh

    def serve(gpu, dram, channel, write, index, clock, now):
        nonlocal last
        bank, row, opened = int(dram.bank[index]), int(dram.bank_row_wanted[index]), dram.row_misses[channel]
        transfer = -(-int(dram.size[index]) // 16)
        plain_serve(gpu, dram, channel, write, index, clock, now)
        if dram.row_misses[channel] > opened:
            log.append(Open(bank, int(dram.bank_opened[channel, bank])))
        log.append(Access(bank, row, int(dram.busy_until[channel]) - transfer, int(dram.busy_until[channel]), int(write)))
        last = int(clock)

    def refresh(dram, channel, clock):
        rows, closes = dram.bank_row[channel, :4].copy(), dram.bank_closes[channel, :4].copy()
        plain_refresh(dram, channel, clock)
        for bank in range(4):
            if dram.bank_row[channel, bank] == REFRESHED and (rows[bank] != REFRESHED or dram.bank_closes[channel, bank] != closes[bank]):
                end = int(dram.bank_closes[channel, bank])
                log.append(Refresh(bank, end - shape.refresh_time, end, rows[bank] > 0))

    monkeypatch.setattr(controller, "_serve", serve)
    monkeypatch.setattr(controller, "_refresh", refresh)
    monkeypatch.setattr(controller, "schedule", lambda wheel, time, asked: turns.append(int(time)) if asked.kind == CHANNEL_TURN else None)
    now, left = 0, 150
    while left or turns:
        pause = chosen.choice([0, 1, 5, 20, 20, 200, 3000]) if left else 1 << 40
        if turns and turns[0] <= now + pause:
            now = max(now, turns.pop(0))
            controller.serve_channel(gpu, dram, 0, now)
            continue
        now += pause
        for _ in range(min(left, chosen.choice([1, 1, 4, 12]))):
            asked = request(NOTHING, 0, 0, 0, 0)
            controller.submit(gpu, dram, 64 * chosen.randrange(64), chosen.choice([16, 64]), int(chosen.random() < 0.3), asked, now)
            left -= 1
    return log, last, dram


@pytest.mark.parametrize("settings", [{"refresh_of": "channel"}, {"refresh_of": "bank"}], ids=["channel", "bank"])
@pytest.mark.parametrize(("interval", "time"), [(150, 40), (60, 25), (400, 300), (7, 6)])
@pytest.mark.parametrize("seed", range(6))
def test_no_command_breaks_a_rule_of_refresh(monkeypatch, seed, interval, time, settings):
    log, last, dram = commands(monkeypatch, random.Random(seed), refresh_interval=interval, refresh_time=time, **settings)
    t, opened, row_of_bank, closes, ready = TIMES, {}, {}, {}, {}
    last_opened = -100
    for each in log:
        if isinstance(each, Open):
            assert each.clock >= ready.get(each.bank, 0) and each.clock >= last_opened + t["rrd"]
            opened[each.bank] = last_opened = each.clock
            row_of_bank[each.bank] = None
        elif isinstance(each, Access):
            assert each.start - (t["wl"] if each.write else t["cl"]) >= opened[each.bank] + t["rcd"]
            assert row_of_bank[each.bank] in {None, each.row}
            row_of_bank[each.bank] = each.row
            closes[each.bank] = max(closes.get(each.bank, 0), each.end + t["wr"] if each.write else each.start)
        else:
            assert each.was_open == (each.bank in opened)
            if each.was_open and interval > 100:  # else the last of several is seen, and the row was closed for the first
                assert each.clock >= max(opened[each.bank] + t["ras"], closes[each.bank]) + t["rp"]
            assert each.clock >= ready.get(each.bank, 0) and each.clock >= interval
            opened.pop(each.bank, None)
            ready[each.bank] = each.end
    assert sum(isinstance(each, Access) for each in log) == 150
    assert dram.refreshes[0] == last // interval  # none is left out, whether anybody asked or not
    assert any(isinstance(each, Refresh) for each in log) == (last >= interval)


@pytest.mark.parametrize("settings", [{}, {"refresh_interval": 400, "refresh_time": 100}], ids=["", "refresh"])
@pytest.mark.parametrize("window", [0, 30, 60])
@pytest.mark.parametrize("seed", range(4))
def test_no_five_rows_are_opened_in_a_window_for_four(monkeypatch, seed, window, settings):
    log, _, _ = commands(monkeypatch, random.Random(seed), activate_window=window, ras=5, rp=1, wr=0, **settings)
    opened = [each.clock for each in log if isinstance(each, Open)]
    fours = [later - first for first, later in zip(opened, opened[4:], strict=False)]
    assert min(fours) == window if window else min(fours) < 30  # and no later than it may be
    assert min(later - first for first, later in pairwise(opened)) == TIMES["rrd"]


def test_a_refresh_that_is_due_closes_the_rows_of_all_banks_or_of_one():
    """A read of an open row that comes when a refresh has been due for long: the row has to be opened again."""
    assert waits(0, 16, dram__refresh_interval=40, dram__refresh_time=9) == [50 + OPENED, 50 + OPENED]
    assert waits(0, 16, dram__refresh_interval=40, dram__refresh_time=9, dram__refresh_of="bank") == [50 + OPENED, 50 + 5]
    assert waits(256, 272, dram__refresh_interval=40, dram__refresh_time=9, dram__refresh_of="bank") == [
        50 + OPENED,
        50 + OPENED,
    ]  # of bank 1


@pytest.mark.parametrize("time", [10, 20])
def test_a_refresh_keeps_a_request_waiting(time):
    """Due before a row may be closed, for which a load of a different row waits, too: the refresh comes first."""
    without = waits(0, 1024, dram__ras=100)
    with_it = waits(0, 1024, dram__ras=100, dram__refresh_interval=60, dram__refresh_time=time)
    assert with_it[0] == without[0]
    assert with_it[1] - without[1] == time


def test_a_refresh_as_long_as_its_interval_is_refused():
    with pytest.raises(ConfigError) as error:
        waits(0, dram__refresh_interval=50, dram__refresh_time=50)
    assert str(error.value) == (
        "dram.refresh_time = 50: a refresh ends before the next one begins, so it is less than dram.refresh_interval = 50"
    )


# ---------------------------------------------------------------------------------------------------------
# Whom a write keeps waiting


def test_a_write_waits_outside_of_a_full_queue_and_its_sender_is_told_when_it_has_a_place(monkeypatch):
    """Writes of a slice, all at once, to a channel that takes two: each that is written lets the next one in, in their order."""
    told = []
    gpu, _, _ = bench(memory__kind="dram", dram__channels=1, dram__banks=4, dram__row=256, dram__bandwidth=16)
    dram = gpu.dram
    for name, value in {**TIMES, "bandwidth": 16, "window": 4, "write_high": 2, "banks": 4, "row": 256, "row_shift": 2}.items():
        setattr(dram, name, value)
    configure_places(dram.rows, 4, "modulo")
    dram.core_clock = dram.memory_clock = 1
    dram.busy_until[0] = 500  # nothing is planned yet
    monkeypatch.setattr(controller, "schedule", lambda wheel, time, asked: told.append((int(time), asked)))
    senders = [(LINE_WRITTEN, 5), (LINE_WRITTEN, 6), (WRITTEN, 7), (NOTHING, 8), (LINE_WRITTEN, 9)]
    taken = [
        controller.submit(gpu, dram, 64 * place, 64, 1, request(kind, core, 100 + core, 3, 0), 10)
        for place, (kind, core) in enumerate(senders)
    ]
    assert taken == [1, 1, 0, 0, 0]
    told.clear()
    dram.busy_until[0] = 0
    controller.serve_channel(gpu, dram, 0, 600)
    places = [(time, asked.core, asked.line, int(asked.sectors)) for time, asked in told if asked.kind == TAKEN]
    assert places == [(601, 7, 107, WRITTEN), (601, 9, 109, LINE_WRITTEN)]  # nobody asks after the fourth
    assert dram.outside[0] == 0


@pytest.mark.parametrize("engine", ["python", "native"])
def test_writes_that_the_controller_has_taken_keep_nobody_from_reading(engine):
    """A slice with room for one line: loads that miss go on while written lines wait in the controller, and stand still otherwise."""

    def cycles(places):
        code = Assembly()
        code.op("shl", ADDRESS, LANE, imm=9)
        for k in range(8):
            code.store(ADDRESS, LANE, 64 * k)
        for k in range(8):
            code.load(VALUE + k, ADDRESS, 4096 + 64 * k)
        code.op("add", ADDRESS, VALUE + 7, imm=1)
        code("exit")
        shape = {
            **BANKS, "lsu__stores": 64, "l2__bytes": 64, "l2__line": 64, "l2__ways": 1, "l2__write": "through", "l2__write_buffer": 1,
            "dram__wr": 200,
        }  # fmt: skip
        made = finished(code.program(), engine=engine, memory__bytes=1 << 16, **shape, dram__write_queue=places)
        assert made.gpu["l2"]["writing"].max() == 0 and made.gpu["unfinished"] == 0
        assert made.gpu["dram"]["bytes_written"].sum() == 8 * 4 * 16
        return int(made.gpu["l2"]["stalls"])

    assert cycles(64) < cycles(1)
