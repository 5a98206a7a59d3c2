"""The prefetcher slot: a line that is named is fetched, nobody waits for it, and what a kernel computes stays the same."""

from __future__ import annotations

import numpy as np
import pytest

from tests.machine.programs import FREE, GLOBAL, Assembly, config, words
from tests.machine.slots.running import ran, same_in_both
from warploom import GPU, load_config
from warploom.machine.accounting import events as e
from warploom.machine.accounting.reasons import HITS, MISSES
from warploom.machine.core.load_store.prefetcher import Prefetcher
from warploom.machine.engine.unit import mirror, zeros
from warploom.machine.slots.prefetcher import MOST, ROWS, is_a_line, next_line, stride
from warploom.observe.profile import profile
from warploom.observe.profile_report.table import profile_table
from warploom.observe.text.summary import summary
from warploom.units import UnitError

A, B, C = range(FREE, FREE + 3)


def nothing(p, line, pc, warp, missed):
    return -1


def far_away(p, line, pc, warp, missed):
    return 1 << 31


def counts_by_warp(p, line, pc, warp, missed):
    p.memory[warp] += 1
    return -1


def no_line(p, line, pc, warp, missed):
    return 1 << 40


def stream(loads=16, step=128):
    """One warp whose lanes read one line after the other, each as soon as the one before is there."""
    code = Assembly()
    code.op("shl", A, GLOBAL, imm=2)
    code.mov(C, loads)
    code.label("top")
    code.load(B, A)
    code.op("and", B, B, imm=0)
    code.op("add", A, A, B)
    code.op("add", A, A, imm=step)
    code.op("sub", C, C, imm=1)
    code.branch(C, "top")
    code("exit")
    return code.program(threads=32, block=32).with_data(np.arange(4096, dtype=np.uint32).view(np.uint8))


def streamed(units, engine="python", **more):
    return GPU(load_config("sm", {"l1.bytes": 8192, **more}), units=units, engine=engine).run(stream())


def test_none_is_the_machine_as_it_is_and_a_silent_prefetcher_costs_no_cycle():
    plain, silent = streamed({"prefetcher": "none"}), streamed({"prefetcher": nothing})
    assert plain.counters == silent.counters
    assert plain.cycles == streamed({}).cycles


@pytest.mark.parametrize("name", ["next_line", "stride"])
def test_a_stream_has_its_lines_on_their_way_before_it_wants_them(name):
    plain, ahead = streamed({}), streamed({"prefetcher": name})
    assert words(plain).tolist() == words(ahead).tolist()
    assert ahead.cycles < 0.7 * plain.cycles


def test_both_engines_agree():
    machine, result = same_in_both({"prefetcher": "next_line"})
    assert machine.cores["lsu"]["prefetcher"]["sent"][0] > 0
    plain = ran({})[1]
    assert (result.memory == plain.memory).all()


def test_a_line_that_is_not_in_memory_is_dropped():
    machine, _ = ran({"prefetcher": far_away})
    counted = machine.cores["lsu"]["prefetcher"][0]
    assert counted["sent"] == 0 and counted["dropped"] > 0


def test_no_prefetch_takes_the_last_miss_register_of_a_load():
    """With one MSHR every prefetch finds it taken: nothing is sent, and no cycle is lost."""
    machine, result = ran({"prefetcher": "next_line"}, machine={"l1.bytes": 1024, "l1.mshrs": 1})
    assert machine.cores["lsu"]["prefetcher"]["sent"][0] == 0
    assert result.cycles == ran({}, machine={"l1.bytes": 1024, "l1.mshrs": 1})[1].cycles


def test_its_memory_is_its_own():
    machine, _ = ran({"prefetcher": counts_by_warp})
    memory = machine.cores["lsu"]["prefetcher"]["memory"][0]
    assert np.count_nonzero(memory) == 8  # warps of the launch
    assert memory.sum() == machine.profile[:, [HITS, MISSES]].sum()  # of loads: it is not asked about stores


def test_a_line_has_a_number_below_two_to_the_32():
    assert [is_a_line(line, None, 0, 0, 0, 0) for line in (-2, -1, 0, MOST - 1, MOST)] == [False, True, True, True, False]


@pytest.mark.parametrize("engine", ["python", "native"])
def test_what_is_no_line_is_refused(engine):
    with pytest.raises(UnitError, match=r"no_line returned 1099511627776; a prefetcher returns the number of a line, or -1 for none$"):
        ran({"prefetcher": no_line}, engine)


def calls(prefetcher, asked):
    """What it names for each (pc, line, missed)."""
    p = mirror(zeros(1, Prefetcher))[0]
    return [int(prefetcher(p, line, pc, 0, missed)) for pc, line, missed in asked]


def test_next_line_follows_misses_alone():
    assert calls(next_line, [(0, 7, 1), (0, 7, 0), (3, 0, 1), (3, MOST - 2, 1)]) == [8, -1, 1, MOST - 1]


@pytest.mark.parametrize(
    ("lines", "named"),
    [
        ([7], [-1]),
        ([7, 8, 9, 10], [-1, -1, 10, 11]),  # the second step of 1 shows that it repeats
        ([7, 9, 11, 13], [-1, -1, 13, 15]),
        ([7, 9, 10, 12, 14], [-1, -1, -1, -1, 16]),  # another step, and again
        ([9, 7, 5, 3, 1], [-1, -1, 3, 1, -1]),  # down, and not below line 0
        ([4, 2, 0], [-1, -1, -1]),
        ([6, 3, 0], [-1, -1, -1]),
        ([9, 6, 3], [-1, -1, 0]),  # line 0 is a line
        ([7, 7, 7, 7], [-1] * 4),  # no step at all
        ([0, 0, 1, 2], [-1, -1, -1, 3]),
    ],
)
@pytest.mark.parametrize("missed", [0, 1])
@pytest.mark.parametrize("pc", [0, 1, ROWS - 1, ROWS + 5])
def test_a_stride_is_known_when_it_comes_twice(lines, named, missed, pc):
    assert calls(stride, [(pc, line, missed) for line in lines]) == named


def test_strides_are_kept_by_instruction_and_the_last_of_a_row_has_it():
    two = [(number % 2, (number // 2) * (1 + number % 2), 1) for number in range(8)]  # instruction 0 goes by 1, instruction 1 by 2
    assert calls(stride, two) == [-1, -1, -1, -1, 3, 6, 4, 8]
    same_row = [(1, 0, 1), (1, 1, 1), (1 + ROWS, 2, 1), (1, 3, 1), (1, 4, 1), (1, 5, 1)]  # the one in between has taken the row
    assert calls(stride, same_row) == [-1, -1, -1, -1, -1, 6]
    all_rows = [(pc, 100 * pc + step, 1) for step in range(3) for pc in range(ROWS)]  # 64 rows: none is lost to another
    assert calls(stride, all_rows) == [-1] * (2 * ROWS) + [100 * pc + 3 for pc in range(ROWS)]


def three_ahead(p, line, pc, warp, missed):
    return line + 3


# 16 loads, of the lines 0 to 15. What is counted as useful is found there (next_line) or on its way (the others).
COUNTS = {
    "next_line": (8, 8, 0),  # after each miss: the load after it hits, and asks for nothing
    "stride": (14, 13, 0),  # from the second load on; nobody wants line 16
    three_ahead: (16, 13, 0),  # 3 to 18
    far_away: (0, 0, 16),
    nothing: (0, 0, 0),
}


@pytest.mark.parametrize("unit", COUNTS, ids=lambda unit: getattr(unit, "__name__", unit))
def test_prefetches_are_counted(unit):
    counters = streamed({"prefetcher": unit}).counters
    assert tuple(counters[f"l1_{name}"] for name in ("prefetches", "useful_prefetches", "dropped_prefetches")) == COUNTS[unit]


def test_a_line_that_went_before_it_was_wanted_was_not_useful():
    """Four lines have room, and each load asks for one that it will want when it has gone; those of the first round are never wanted."""

    def eight_back(p, line, pc, warp, missed):
        return max(line - 8, -1)

    counters = streamed({"prefetcher": eight_back}, **{"l1.bytes": 512}).counters
    assert counters["l1_prefetches"] == 8 and counters["l1_useful_prefetches"] == 0


def test_summary_and_profile_say_what_the_prefetcher_did():
    result = streamed({"prefetcher": "stride"})
    said = "prefetches: 14 issued, 13 of them useful (92.9 %), 0 dropped"
    assert said in _text(summary(result))
    found = profile(result)
    assert said in _text(profile_table(found, found.lines(), []))
    assert "prefetches" not in _text(summary(streamed({"prefetcher": nothing})))
    assert "prefetches: 0 issued, 16 dropped" in _text(summary(streamed({"prefetcher": far_away})))


def _text(lines):
    return "\n".join("".join(text for text, _ in line) for line in lines)


def test_a_prefetch_leaves_with_the_miss_that_it_follows():
    """Both lines are asked for in the cycle of the lookup, and nothing on the way takes only one at a time: they come together."""
    code = Assembly()
    code.load(A, B)
    code("exit")
    machine = config(l2__ports=0, l1__bytes=1024, memory__bytes=4096)
    result = GPU(machine, units={"prefetcher": "next_line"}, engine="python").run(code.program(), tracing=True)
    events = result.detail.events
    fills = list(map(list, e.of_kind(events, e.FILL)[["time", "line"]].tolist()))
    assert [line for _, line in fills] == [0, 1]
    assert fills[0][0] == fills[1][0]
