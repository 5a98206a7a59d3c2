import numpy as np
import pytest

from warploom.machine.accounting.status import DONE, EVENTS_FULL, FAULT, LIMIT
from warploom.machine.engine.native.loader import native
from warploom.machine.engine.unit import mirror, record, unit
from warploom.machine.run import driver
from warploom.machine.run.compile import compile_native, is_compiled
from warploom.machine.run.driver import drive

State = record(cycle="i8", end="i8", code="i8", rows="i8", room="i8", written="i8")


@unit
def count(state, limit):
    """A machine that counts to `end`, and writes an event down each cycle when it has room for any."""
    while state.cycle < state.end:
        if state.cycle >= limit:
            return LIMIT
        if state.room > 0:
            if state.rows == state.room:
                return EVENTS_FULL
            state.rows = state.rows + 1
            state.written = state.written + 1
        state.cycle = state.cycle + 1
    return state.code


class Counting:
    entry = staticmethod(count)
    compile_seconds = 3.0
    detector = None
    recorder = None
    probes = ()

    def __init__(self, end, code=DONE, room=0):
        self.state = np.zeros((), State)
        self.state["end"], self.state["code"], self.state["room"] = end, code, room
        self.drained = 0

    @property
    def cycle(self):
        return int(self.state["cycle"])

    def arguments(self, native):
        return (self.state.reshape(1)[0] if native else mirror(self.state),)

    def drain(self):
        self.drained += int(self.state["rows"])
        self.state["rows"] = 0

    def finish(self, outcome):
        return outcome


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """An empty on-disk cache, so that nothing is compiled yet."""
    monkeypatch.setenv("WARPLOOM_CACHE", str(tmp_path))
    native.cache_clear()
    yield tmp_path
    native.cache_clear()


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


def test_a_short_run_stays_in_plain_python(cache):
    outcome = drive(Counting(100), engine="auto")
    assert outcome.engine == "python"


def test_a_long_run_goes_on_natively_and_says_that_it_compiles(cache, monkeypatch):
    monkeypatch.setattr(driver, "PATIENCE_COMPILE", 0.05)
    said = []
    machine = Counting(5_000_000)
    assert not is_compiled(machine)
    outcome = drive(machine, engine="auto", notice=said.append)
    assert outcome.engine == "python, native"
    assert said == ["compiling the native engine, once; about 3 s"]
    assert (outcome.status, machine.cycle) == ("done", 5_000_000)
    assert is_compiled(machine)


def test_a_compiled_engine_is_taken_earlier_and_silently(cache, monkeypatch):
    compile_native(Counting(1))
    monkeypatch.setattr(driver, "PATIENCE_READY", 0.05)
    said = []
    outcome = drive(Counting(5_000_000), engine="auto", notice=said.append)
    assert outcome.engine == "python, native"
    assert outcome.seconds < driver.PATIENCE_COMPILE
    assert said == []


def test_an_unknown_engine_is_refused():
    with pytest.raises(ValueError) as caught:
        drive(Counting(1), engine="fast")
    assert str(caught.value) == "engine = 'fast': it is one of auto, native, python"


def test_without_a_place_for_the_cache_a_run_is_native_all_the_same(monkeypatch):
    monkeypatch.setenv("WARPLOOM_CACHE", "/dev/null/cache")
    native.cache_clear()
    assert drive(Counting(50), engine="native").status == "done"
    assert not is_compiled(Counting(50))
