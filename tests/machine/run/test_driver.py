import time
from types import SimpleNamespace

import numpy as np
import pytest

from tests.machine.run.counting import Counting
from tests.places import EXAMPLES
from warploom import GPU, load
from warploom.machine.accounting.status import DONE, FAULT
from warploom.machine.engine.native.loader import native
from warploom.machine.run import compile as compiling
from warploom.machine.run import driver
from warploom.machine.run.compile import NativeCacheWarning, compile_native, is_compiled
from warploom.machine.run.driver import drive, slices
from warploom.machine.run.probe import Probe


@pytest.mark.parametrize("engine", ["python", "native"])
def test_the_status_says_why_a_run_stopped(engine):
    assert drive(Counting(50), engine=engine, max_cycles=100).status == "done"
    assert drive(Counting(50, code=FAULT), engine=engine, max_cycles=100).status == "error"
    machine = Counting(500)
    assert drive(machine, engine=engine, max_cycles=100).status == "timeout"
    assert machine.cycle == 100


def test_a_run_that_ends_exactly_at_the_limit_is_done():
    assert drive(Counting(100), engine="python", max_cycles=100).status == "done"


def test_a_full_event_buffer_is_drained_and_the_run_goes_on():
    machine = Counting(1000, room=7)
    assert drive(machine, engine="python").status == "done"
    assert machine.drained == 1000


def test_progress_is_told_while_it_runs_and_the_slices_grow():
    told = []
    drive(Counting(200_000), engine="python", progress=told.append)
    assert told == sorted(told)
    assert told[0] == driver.FIRST_SLICE["python"]
    assert told[1] - told[0] > told[0]


def test_a_slice_has_at_least_one_cycle_however_long_a_cycle_takes(monkeypatch):
    hours = iter(range(0, 100 * 3600, 3600))
    monkeypatch.setattr(driver, "time", SimpleNamespace(perf_counter=lambda: next(hours), process_time=lambda: 0.0))
    told = []
    first = driver.FIRST_SLICE["python"]
    assert drive(Counting(first + 3), engine="python", max_cycles=1000, progress=told.append).status == "done"
    assert told == [first, first + 1, first + 2]


def test_a_short_run_stays_in_plain_python(cache):
    outcome = drive(Counting(100), engine="auto")
    assert outcome.engine == "python"


def test_a_long_run_goes_on_in_plain_python_while_other_processes_compile_and_then_natively(cache, monkeypatch):
    monkeypatch.setattr(driver, "PATIENCE_COMPILE", 0.05)
    monkeypatch.setattr(driver, "FIRST_SLICE", {"python": 16, "native": 1 << 40})
    said, cycles = [], []
    machine = Counting(1_000_000_000)  # minutes in plain Python
    assert not is_compiled(machine)
    started = time.monotonic()

    def progress(cycle):
        cycles.append((cycle, len(said)))
        assert time.monotonic() < started + 120

    outcome = drive(machine, engine="auto", notice=said.append, progress=progress, max_cycles=1 << 40)
    assert outcome.engine == "python, native"
    assert said[0] == "compiling the native engine, once; about 3 s; the run continues in plain Python meanwhile"
    assert len({cycle for cycle, told in cycles if told}) > 3, "it went on while code was compiled"
    assert (outcome.status, machine.cycle) == ("done", 1_000_000_000)
    assert is_compiled(machine)


class Soon:
    """In the place of other processes: what they compile is there at the look of this number."""

    def __init__(self, looks):
        self.looks = looks

    def has_ended(self):
        self.looks -= 1
        return self.looks < 0


@pytest.mark.parametrize(
    "preset, example", [("sm", "tiny/matmul.asm"), ("tiny-original", "tiny/matadd.asm"), ("guppy", "guppy/load_strided.guppy")]
)
def test_both_roads_end_with_the_same_bytes_wherever_the_native_code_comes(monkeypatch, preset, example):
    machines = [GPU(preset).machine(load(EXAMPLES / example)) for _ in range(5)]
    assert drive(machines[0], engine="python").status == "done"
    monkeypatch.setattr(driver, "is_loaded", lambda: False)
    monkeypatch.setattr(driver, "PATIENCE_COMPILE", -1.0)
    monkeypatch.setattr(compiling, "is_compiled", lambda machine: False)
    monkeypatch.setattr(driver, "_next_slice", lambda cycles, seconds: cycles)
    for looks, machine in enumerate(machines[1:]):
        monkeypatch.setattr(compiling, "compile_beside", lambda machine, notice, looks=looks: Soon(looks))
        outcome = drive(machine, engine="auto")
        assert (outcome.status, outcome.engine) == ("done", "python, native")
        assert [array.tobytes() for array in machine.whole()] == [array.tobytes() for array in machines[0].whole()]


def test_a_run_that_ends_before_the_code_is_there_does_not_wait_for_it(monkeypatch):
    monkeypatch.setattr(driver, "PATIENCE_COMPILE", -1.0)
    monkeypatch.setattr(driver, "is_loaded", lambda: False)
    monkeypatch.setattr(compiling, "compile_beside", lambda machine, notice: Soon(1 << 40))
    assert drive(Counting(100_000), engine="auto").engine == "python"


def test_a_machine_with_probes_has_nothing_compiled(monkeypatch):
    monkeypatch.setattr(driver, "PATIENCE_COMPILE", -1.0)
    monkeypatch.setattr(compiling, "compile_beside", None)
    machine = GPU("tiny").machine(load(EXAMPLES / "tiny/matadd.asm"))
    machine.probes = [Probe("execute", lambda *arguments: None)]
    assert driver._Move(machine, None).is_due(100.0) is False


def test_a_compiled_engine_is_taken_earlier_and_silently(cache, monkeypatch):
    compile_native(Counting(1))
    monkeypatch.setattr(driver, "PATIENCE_READY", 0.05)
    monkeypatch.setattr(driver, "is_loaded", lambda: False)  # as in a process that has just begun
    said = []
    outcome = drive(Counting(5_000_000), engine="auto", notice=said.append)
    assert outcome.engine == "python, native"
    assert outcome.seconds < driver.PATIENCE_COMPILE
    assert said == []


def test_a_compiled_engine_is_taken_at_once_where_the_process_uses_native_code_or_a_device_asks(cache, monkeypatch):
    assert drive(Counting(10), engine="auto", at_once=True).engine == "python"  # nothing lies ready
    compile_native(Counting(1))
    assert drive(Counting(10), engine="auto").engine == "native"
    monkeypatch.setattr(driver, "is_loaded", lambda: False)
    assert drive(Counting(10), engine="auto").engine == "python"
    assert drive(Counting(10), engine="auto", at_once=True).engine == "native"


def test_an_unknown_engine_is_refused():
    with pytest.raises(ValueError) as caught:
        drive(Counting(1), engine="fast")
    assert str(caught.value) == "engine = 'fast': it is one of auto, native, python"


def test_without_a_place_for_the_cache_a_run_is_native_all_the_same(cache, monkeypatch):
    monkeypatch.setenv("WARPLOOM_CACHE", "/dev/null/cache")
    native.cache_clear()
    with pytest.warns(NativeCacheWarning):
        assert drive(Counting(50), engine="native").status == "done"
    native.cache_clear()  # what was compiled lay in memory only
    assert not is_compiled(Counting(50))


class Repeating:
    """A detector that finds in its third check that nothing changes."""

    def __init__(self, machine):
        self.machine, self.next_check, self.checks = machine, 10, []

    def check(self):
        self.checks.append(self.machine.cycle)
        self.next_check = self.machine.cycle + 100
        return len(self.checks) == 3


def test_a_detector_is_asked_in_its_cycles_and_its_finding_ends_the_run():
    machine = Counting(5000)
    machine.detector = Repeating(machine)
    assert drive(machine, engine="python").status == "error"
    assert machine.detector.checks == [10, 110, 210]
    assert machine.cycle == 210


class Recording:
    """A recorder that is full after 5 cycles."""

    def __init__(self, machine):
        self.machine, self.cycles = machine, []

    @property
    def open(self):
        return len(self.cycles) < 5

    def record_cycle(self):
        self.cycles.append(self.machine.cycle)


def test_a_recorder_is_told_of_every_cycle_until_it_is_full():
    machine = Counting(50)
    machine.recorder = Recording(machine)
    assert drive(machine, engine="python").status == "done"
    assert machine.recorder.cycles == [1, 2, 3, 4, 5]


def test_slices_end_with_the_run_or_at_the_last_cycle():
    assert list(slices(Counting(100), 50, 20)) == [20, 40, 50]
    assert list(slices(Counting(45), 100, 20)) == [20, 40, 45]
    assert list(slices(Counting(3), 10)) == [1, 2, 3]
    assert list(slices(Counting(3), 0)) == []


def test_a_call_from_an_earlier_run_is_the_native_engine_whatever_is_asked():
    """And is called as that is, for many cycles at once."""
    machine = Counting(500)
    asked = []

    def call(until):
        asked.append(until)
        machine.state["cycle"] = 500
        return DONE

    outcome = drive(machine, engine="auto", call=call)
    assert (outcome.status, outcome.engine, asked) == ("done", "native", [driver.FIRST_SLICE["native"]])


def test_a_long_native_run_moves_its_records_to_huge_pages_and_a_short_one_does_not(monkeypatch):
    moved = []
    monkeypatch.setattr(driver, "_moves", lambda machine: iter(moved.append(machine.cycle) or number for number in range(3)))
    monkeypatch.setattr(driver, "FIRST_SLICE", {"python": 16, "native": 10})
    drive(Counting(1000), engine="native", max_cycles=10_000)
    assert moved == []
    monkeypatch.setattr(driver, "PATIENCE_PAGES", 0.0)
    drive(Counting(1000), engine="python", max_cycles=10_000)
    assert moved == []
    monkeypatch.setattr(driver, "MOVING_SECONDS", 0.0)
    assert drive(Counting(1000), engine="native", max_cycles=10_000).status == "done"
    assert moved == [], "a slice that has no time for a move makes none"
    monkeypatch.setattr(driver, "MOVING_SECONDS", 60.0)
    drive(Counting(1000), engine="native", max_cycles=10_000)
    assert moved == [10, 10, 10]


def test_the_arrays_of_a_machine_are_moved(monkeypatch):
    monkeypatch.setattr(driver, "gather", lambda array: iter(array.tolist()))
    arguments = (np.arange(3), 7, np.arange(2))
    assert list(driver._moves(SimpleNamespace(arguments=lambda native: arguments if native else ()))) == [0, 1, 2, 0, 1]


def test_blocks_are_told_before_the_cycles_they_belong_to():
    told = []
    machine = Counting(200)
    machine.blocks = (3, 4)
    drive(machine, engine="python", progress=told.append, blocks=lambda *counts: told.append(counts))
    assert told[:4] == [(3, 4), 16, (3, 4), told[3]]
