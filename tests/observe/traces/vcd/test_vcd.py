"""Value change dumps, read with the library of the viewer Surfer, and compared with the run's counters, history and memory."""

import io
import re
from itertools import pairwise

import numpy as np
import pytest
import pywellen

from tests.observe.traces.conftest import RUNS, WARPS
from warploom.machine.accounting import events as e
from warploom.machine.accounting import reasons
from warploom.observe.facts.history import history
from warploom.observe.traces import write_trace

CYCLE = 10


class Waves:
    """The signals of a dump by their names: what holds in every cycle."""

    def __init__(self, path, cycles):
        self.waves, self.cycles = pywellen.Waveform(str(path)), cycles
        self.variables = {variable.full_name: variable for variable in self.waves.all_vars()}

    def __getitem__(self, name):
        changes = [(time, value) for time, value in self.variables[name].tv]
        held = np.empty(self.cycles, object)
        for (time, value), (until, _) in pairwise([*changes, (CYCLE * self.cycles, None)]):
            held[-(-time // CYCLE) : -(-until // CYCLE)] = value
        return held

    def matching(self, pattern):
        return {name: self[name] for name in self.variables if re.fullmatch(pattern, name)}


@pytest.fixture
def read(run, tmp_path):
    def get(name):
        write_trace(run(name), tmp_path / "run.vcd")
        return Waves(tmp_path / "run.vcd", run(name).cycles)

    return get


@pytest.mark.parametrize("name", WARPS)
def test_states_of_the_warps_add_up_to_the_counters(run, read, name):
    counters, waves = run(name).counters, read(name)
    states = np.concatenate(list(waves.matching(r"gpu\.core\d+\.warp\d+:\d+\.state").values()))
    for reason in reasons.REASONS:
        assert (states == reason.name).sum() == counters[f"{reason.name}_warp_cycles"]
    issues = waves.matching(r"gpu\.core\d+\.warp\d+:\d+\.issue")
    assert sum(issue.sum() for issue in issues.values()) == counters["instructions"]
    lanes = 0
    for signal, issue in issues.items():
        mask = waves[signal.replace("issue", "lanes")]
        lanes += sum(int(value).bit_count() for value in mask[issue == 1])
    assert lanes == counters["thread_instructions"]
    assert sum(picks.sum() for picks in waves.matching(r".*\.scheduler\d+\.issues").values()) == counters["instructions"]


@pytest.mark.parametrize("name", RUNS)
def test_the_clock_rises_at_every_cycle_and_the_time_ends_with_the_run(run, read, name):
    waves = read(name)
    clock = list(waves.variables["gpu.clk"].tv)
    cycles = run(name).cycles
    assert [time for time, value in clock if value == 1] == [CYCLE * cycle for cycle in range(cycles)]
    assert [time for time, value in clock if value == 0] == [CYCLE * cycle + CYCLE // 2 for cycle in range(cycles)]
    assert str(waves.waves.timescale) == "100ps"


def test_a_warp_is_there_when_the_history_says_so(run, read):
    result, waves = run("divergent"), read("divergent")
    events = result.detail.events
    present = np.zeros((result.cycles, result.config.core.warps), bool)
    for time, kind, _, warp in events[:, : e.WARP + 1].tolist():
        if kind in (e.LAUNCH, e.END):
            present[time:, warp] = kind == e.LAUNCH
    for warp in range(result.config.core.warps):
        assert ((waves[f"gpu.core0.warp0:{warp}.state"] != "") == present[:, warp]).all()
    masks = history(result).mask[:, 0]
    for warp in range(result.config.core.warps):
        issue = waves[f"gpu.core0.warp0:{warp}.issue"] == 1
        lanes = waves[f"gpu.core0.warp0:{warp}.lanes"]
        # What a warp has after an instruction it has at the next one.
        assert all(lanes[later] == masks[now, warp] for now, later in pairwise(np.flatnonzero(issue)))


def test_instructions_are_readable(run, read):
    result, waves = run("divergent"), read("divergent")
    for warp in range(result.config.core.warps):
        texts, pcs = waves[f"gpu.core0.warp0:{warp}.instruction"], waves[f"gpu.core0.warp0:{warp}.pc"]
        there = waves[f"gpu.core0.warp0:{warp}.state"] != ""
        assert there.any()
        assert [result.program.text[pc] for pc in pcs[there]] == texts[there].tolist()


def test_traffic_is_that_of_the_counters(run, read):
    counters, waves = run("memory").counters, read("memory")
    assert sum(sent.sum() for sent in waves.matching(r".*\.lsu\.requests").values()) == counters["transactions"]
    assert waves["gpu.l2.lookups"].sum() == counters["l2_hits"] + counters["l2_misses"]
    assert sum(lines.sum() for lines in waves.matching(r".*\.fill\.lines").values()) == counters["l1_misses"]
    assert set(waves["gpu.core0.lsu.outcome"]) <= {"", "miss", "merged", "hit", "store"}
    busy = sum(busy.sum() for busy in waves.matching(r".*\.alu\d+\.busy").values())
    assert busy >= counters["alu_instructions"]


def test_a_core_of_one_instruction_at_a_time(run, read):
    result, waves = run("one instruction at a time"), read("one instruction at a time")
    states = np.concatenate([waves["gpu.core0.core_state"], waves["gpu.core1.core_state"]])
    for state in ("fetch", "decode", "request", "wait", "execute", "update"):
        assert (states == state).sum() * 4 == result.counters[f"{state}_thread_cycles"]
    channels = waves.matching(r"gpu\.data\.channel\d+\.state")
    assert sum((state != "idle").sum() for state in channels.values()) == result.counters["data_channel_busy_cycles"]
    assert {state for channel in channels.values() for state in channel} == {
        "idle",
        "read: memory works",
        "read: hands over",
        "write: memory works",
        "write: hands over",
    }
    # matadd: thread i of 8 writes 2 i; what it wrote is what it computed last.
    lines = list(result.trace())
    pcs = waves["gpu.core1.current_pc"]
    assert pcs.tolist() == [line["cores"][1]["current_pc"] for line in lines]
    assert waves["gpu.core1.text"].tolist() == [result.program.text[pc] for pc in pcs]
    last = lines[-1]
    for core in range(2):
        for thread in range(4):
            for register, value in enumerate(last["cores"][core]["threads"][thread]["regs"]):
                assert waves[f"gpu.core{core}.thread{thread}.R{register}"][-1] == value


@pytest.mark.parametrize("name", RUNS)
def test_the_save_file_shows_signals_that_there_are(run, tmp_path, name):
    run(name).write_trace(tmp_path / "a.vcd.gz")
    run(name).write_trace(tmp_path / "a.vcd")
    lines = (tmp_path / "a.gtkw").read_text().splitlines()
    assert lines[0] == '[dumpfile] "a.vcd"'
    shown = [line.split("} ")[-1] for line in lines if re.match(r"\+\{|gpu", line)]
    # GTKWave knows a signal of more than one bit by its name and its bits.
    sizes = {name: variable.length or 1 for name, variable in Waves(tmp_path / "a.vcd", 1).variables.items()}
    assert sorted(shown) == sorted(f"{name}[{size - 1}:0]" if size > 1 else name for name, size in sizes.items())
    opened = sum(line.startswith("-") for line in lines)
    assert opened % 2 == 0


def test_a_long_run_is_written_in_pieces(run, monkeypatch):
    from warploom.observe.traces import windows
    from warploom.observe.traces.vcd import vcd

    whole, pieces = io.StringIO(), io.StringIO()
    vcd.write(run("memory"), whole)
    monkeypatch.setattr(windows, "WINDOW_ROWS", 10)
    vcd.write(run("memory"), pieces)
    assert whole.getvalue() == pieces.getvalue()
