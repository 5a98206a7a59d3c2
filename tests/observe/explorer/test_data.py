"""The data of a page, read by a reader of its own, against the run that they were made from."""

import numpy as np
import pytest

import warploom
from tests.observe.explorer import reader
from tests.places import EXAMPLES
from warploom.machine.accounting import events as e
from warploom.machine.accounting.event_kinds import EVENT_KINDS
from warploom.machine.run.driver import drive
from warploom.machine.run.recording import Recorder
from warploom.observe.explorer.data import EVENT_TABLES, packed
from warploom.observe.facts.timeline import SPAN_COLUMNS, timeline

SPANS = ("core", "warp", "start", "length", "activity", "pc", "mask", "next", "block", "rank", "threads", "ended")
CASES = [
    ("tiny/matadd.asm", "tiny-simt", {}),
    ("tiny/diverge.asm", "tiny-simt", {"core.divergence": "its"}),
    ("tiny/reduction_shared.asm", "tiny-simt", {}),
    ("guppy/if_else.guppy", "guppy", {}),
]


def recorded(file, preset, changes):
    gpu = warploom.GPU(preset, set=changes, engine="python")
    return gpu.run(warploom.load(EXAMPLES / file), tracing=True, recording=True)


@pytest.mark.parametrize(("file", "preset", "changes"), CASES)
def test_the_spans_are_those_of_the_timeline(file, preset, changes):
    result = recorded(file, preset, changes)
    _, tables, _ = reader.read(packed(result))
    line = timeline(result)
    found = np.array([tables["spans"][name] for name in SPANS]).T
    expected = line.spans.copy()
    expected[:, 3] -= expected[:, 2]
    assert found.shape[1] == SPAN_COLUMNS
    assert np.array_equal(found, expected)


@pytest.mark.parametrize(("file", "preset", "changes"), CASES)
def test_the_changes_lead_to_the_last_registers_and_memory(file, preset, changes):
    result = recorded(file, preset, changes)
    header, tables, arrays = reader.read(packed(result))
    assert header["run"]["until"] == result.cycles
    lanes = header["machine"]["lanes"]
    values = np.array(reader.words(arrays["values"]), np.uint32).reshape(-1, lanes)
    registers = np.zeros_like(result.detail.registers)
    table = tables["registers"]
    for core, warp, register, row in zip(table["core"], table["warp"], table["register"], values, strict=True):
        registers[core, warp, register] ^= row
    assert np.array_equal(registers, result.detail.registers)
    memory = np.zeros(len(result.memory), np.uint8)
    memory[: len(arrays["memory"])] = np.frombuffer(arrays["memory"], np.uint8)
    assert np.array_equal(memory, result.initial_memory)
    for word, new in zip(tables["memory"]["word"], tables["memory"]["new"], strict=True):
        memory.view("<u4")[word] = new
    assert np.array_equal(memory, result.memory)


def test_every_event_of_the_memory_system_is_there():
    result = recorded("tiny/matadd.asm", "tiny-simt", {})
    _, tables, _ = reader.read(packed(result))
    rows = result.detail.events
    for name, kind in (("requests", e.REQUEST), ("fills", e.FILL), ("completes", e.COMPLETE), ("l2", e.L2), ("pipes", e.PIPE)):
        of_kind = rows[rows[:, e.KIND] == kind]
        assert tables[name]["time"] == of_kind[:, e.TIME].tolist()
        assert len(of_kind)
    assert len(tables["ready"]["until"]) == np.count_nonzero(rows[:, e.KIND] == e.ISSUE)


def test_memory_behind_a_second_cache_is_busy_from_a_miss_to_its_fill():
    result = recorded("tiny/matadd.asm", "tiny-simt", {})
    _, tables, _ = reader.read(packed(result))
    serves = list(zip(*(tables["serves"][name] for name in ("core", "line", "time", "done")), strict=True))
    misses = [row for row in e.of_kind(result.detail.events, e.L2)[["core", "line", "time", "outcome"]].tolist() if row[3] == e.MISS]
    assert len(serves) == len(misses) > 0
    for (core, line, time, done), miss in zip(serves, misses, strict=True):
        assert (core, line) == miss[:2]
        assert time == miss[2] + result.config.l2.latency - 1
        assert done - time == 7  # tiny-gpu's channel: 8 cycles from the request to the use of its answer


def test_a_book_that_was_full_says_how_far_it_reaches():
    program = warploom.load(EXAMPLES / "tiny/matmul.asm")
    machine = warploom.GPU("tiny-simt", engine="python").machine(program, tracing=True, recording=True)
    machine.recorder = Recorder(machine, most_bytes=500)
    result = machine.finish(drive(machine, engine="python"))
    header, _, _ = reader.read(packed(result))
    assert 0 < header["run"]["until"] < header["run"]["cycles"]


def test_masks_of_more_than_32_lanes_stand_in_two_columns():
    program = warploom.tiny.assemble(".threads 64\nCONST R1, #1\nRET\n")
    result = warploom.GPU("tiny-simt", set={"core.lanes": 64, "core.threads_per_block": 64}, engine="python").run(program, tracing=True)
    _, tables, _ = reader.read(packed(result))
    assert set(tables["spans"]["mask"]) == set(tables["spans"]["mask_high"]) == {0xFFFFFFFF}


def test_a_run_without_events_is_refused_with_what_to_do():
    result = warploom.GPU("tiny-simt", engine="python").run(warploom.load(EXAMPLES / "tiny/matadd.asm"))
    with pytest.raises(ValueError, match="run it with tracing=True"):
        packed(result)


def test_every_instruction_stands_with_what_was_counted_of_it():
    result = recorded("tiny/slow_banks.asm", "tiny-simt", {})
    header, _, _ = reader.read(packed(result))
    instructions, profile = header["program"]["instructions"], header["run"]["profile"]
    assert [instruction["text"] for instruction in instructions] == list(result.program.text)
    access = instructions[result.program.text.index("LDS R4, R1")]
    assert (access["unit"], access["stores"], access["line"]) == ("shared", False, 25)
    row = profile[result.program.text.index("LDS R4, R1")]
    assert row["passes"] == 4 * row["accesses"] > 0  # all four lanes want bank 0
    assert header["run"]["counters"] == result.counters


def test_equal_runs_give_equal_data():
    assert packed(recorded(*CASES[0])) == packed(recorded(*CASES[0]))


def test_the_page_is_told_what_the_columns_of_events_mean():
    """What each column of a table of events means, with its words, comes with the data from the table of kinds."""
    header, tables, _ = reader.read(packed(recorded("tiny/matadd.asm", "tiny-simt", {})))
    assert set(header["events"]) == {*EVENT_TABLES, "fragments"}  # what fragments are is said whether a run draws or not
    for name, (kind, _) in EVENT_TABLES.items():
        assert list(header["events"][name]) == list(tables[name])
        for column, said in header["events"][name].items():
            field = EVENT_KINDS[kind].field(column)
            assert (said["unit"], said["meaning"], tuple(said.get("words", ()))) == (field.unit, field.meaning, field.words)
    assert header["events"]["requests"]["outcome"]["words"][e.MISS] == "miss"
    assert "events" not in reader.read(packed(recorded("tiny/matadd.asm", "tiny", {})))[0]
