"""A session over a stand-in for a machine, which counts: where it is stepped to, when it leaps, and when it goes on natively."""

import random
from types import SimpleNamespace

import numpy as np
import pytest

from warploom.machine.accounting.status import DONE, LIMIT
from warploom.machine.debug import session as unit
from warploom.machine.debug.session import LEAST_PATIENCE, MEMORY, MOST_PATIENCE, Edit, Session


class Counting:
    """A machine whose state is its cycle, and a word that somebody may change."""

    def __init__(self, end):
        self.state, self.end, self.detector = np.zeros(2, np.int64), end, None
        self.inspection = SimpleNamespace(memory=self.state[1:].view(np.uint8), edited=lambda: None, space=SimpleNamespace(bytes=8))

    @property
    def cycle(self):
        return int(self.state[0])

    def arrays(self):
        return (self.state,)

    whole = arrays


class Events:
    """A stop that is hit in some cycles. asked: where it was asked for its trail; seen: where it was observed."""

    def __init__(self, cycles, trails=True):
        self.cycles, self.trails, self.asked, self.seen = sorted(cycles), trails, [], []

    def observe(self, machine):
        self.seen.append(machine.cycle)
        return machine.cycle

    def reason(self, machine, before, now):
        assert now == before + 1
        return f"event {now}" if now in self.cycles else ""

    def trail(self, machine):
        self.asked.append(machine.cycle)
        return sum(cycle <= machine.cycle for cycle in self.cycles) if self.trails else None


@pytest.fixture
def session(monkeypatch):
    """Makes a session over a machine that ends in a cycle. It says which engines it calls, and `moved`: from where to where."""
    moved = []

    def advance(machine, call, until):
        start, machine.state[0] = machine.cycle, min(until, machine.end)
        moved.append((start, machine.cycle, call))
        return DONE if until > machine.end else LIMIT

    monkeypatch.setattr(unit, "advance", advance)
    monkeypatch.setattr(unit, "entry_call", lambda machine, engine: engine)

    def make(end=10_000, leaps=False, **options):
        made = Session(Counting(end), **{"engine": "python", "limit": 8000} | options)
        made.leaps, made.moved = leaps, moved
        return made

    return make


def test_a_leap_comes_after_some_single_steps_and_each_is_twice_the_one_before(session):
    made, stop = session(leaps=True), Events([])
    assert made.run([stop]) == [] and made.cycle == 8000
    leaps = [LEAST_PATIENCE]
    while leaps[-1] < 8000:
        leaps.append(min(leaps[-1] + LEAST_PATIENCE * 2 ** (len(leaps) - 1), 8000))
    assert sorted(set(stop.asked)) == leaps
    assert stop.seen == [*range(LEAST_PATIENCE + 1), 8000]


def test_without_leaps_each_cycle_is_looked_at(session):
    made, stop = session(limit=500), Events([])
    made.run([stop])
    assert (stop.seen, stop.asked, made.cycle) == ([*range(501)], [], 500)


def test_a_stop_without_a_trail_is_never_leapt_over(session):
    made, stops = session(limit=500, leaps=True), [Events([]), Events([], trails=False)]
    made.run(stops)
    assert stops[1].seen == [*range(501)]


@pytest.mark.parametrize("seed", range(8))
def test_leaps_halt_at_each_event_and_look_at_few_cycles_between_those_that_are_far_apart(session, seed):
    source = random.Random(seed)
    cycles = sorted(source.sample(range(1, 7000), source.choice((1, 3, 30))))
    made, stop, found = session(leaps=True), Events(cycles), []
    while halt := made.run([stop]):
        assert halt == [(0, f"event {made.cycle}")]
        found.append(made.cycle)
    assert found == cycles
    assert LEAST_PATIENCE <= made._patience <= MOST_PATIENCE


def test_a_leap_that_was_in_vain_is_taken_back_and_the_next_comes_after_twice_as_many_steps(session):
    """Events in each cycle that is a multiple of 48, which the second trail of the first leap shows."""
    made = session(leaps=True)
    stop = Events(range(48, 8000, 48))
    assert made.run([stop]) == [(0, "event 48")]
    assert (stop.asked[:2], made._patience) == ([32, 64], 2 * LEAST_PATIENCE)
    assert stop.seen == [*range(49)]
    for _ in range(20):
        made.run([stop])
    assert made._patience == 2 * LEAST_PATIENCE  # no leap was tried: an event came first


def test_a_leap_never_goes_over_a_change_that_was_made_by_hand(session):
    for cycle, over in ((32, False), (33, True), (64, True), (65, False)):
        made, stop = session(limit=64, leaps=True), Events([])
        made.edits = [Edit(1, cycle, MEMORY, (0, 1), 0, 7)]
        made.run([stop])
        assert (stop.seen == [*range(65)]) == over, cycle


def test_an_interruption_ends_a_leap_and_the_run(session):
    made, stop, asked = session(leaps=True), Events([]), []
    assert made.run([stop], lambda: asked.append(made.cycle) or made.cycle >= 64) == []
    assert 64 <= made.cycle <= 65
    assert asked[:32] == [*range(1, 33)]


@pytest.mark.parametrize(("start", "to", "back"), [(50, 60, False), (50, 50, False), (50, 49, True), (0, 0, False)])
def test_a_session_goes_forwards_from_where_it_is_and_backwards_from_a_checkpoint(session, start, to, back):
    made, restored = session(), []
    made.goto(start)
    made._restore, original = lambda cycle: restored.append(cycle) or original(cycle), made._restore
    assert made.goto(to)
    assert (made.cycle, restored) == (to, [to] if back else [])


@pytest.mark.parametrize(("to", "ended"), [(99, False), (100, False), (101, True)])
def test_from_the_end_each_cycle_up_to_it_is_gone_back_to(session, to, ended):
    made = session(end=100)
    made.run()
    assert made.ended and made.cycle == 100
    made.goto(to)
    assert (made.cycle, made.ended) == (min(to, 100), ended)


def test_the_engine_changes_after_enough_seconds_where_the_machine_is_compiled(session, monkeypatch):
    """They are counted anew each time that it is asked."""
    for compiled in (False, True):
        asked = []
        monkeypatch.setattr(unit, "is_compiled", lambda machine, compiled=compiled, asked=asked: asked.append(1) or compiled)
        made = session(engine="auto")
        quarter = unit.PATIENCE_READY / 4
        for _ in range(4):
            made._consider_native(quarter)
        assert (asked, made._native) == ([], False)
        made._consider_native(quarter)
        assert (len(asked), made._native, made.leaps, made._call) == (1, compiled, compiled, "native" if compiled else "python")
        for _ in range(4):
            made._consider_native(quarter)
        assert len(asked) == 1
        made._consider_native(quarter)
        assert len(asked) == (1 if compiled else 2)
    for engine in ("python", "native"):
        made = session(engine=engine)
        made._consider_native(1000.0)
        assert made._native == made.leaps or made._native == (engine == "native")
        assert made._call == engine and len(asked) == 1


def test_undo_forgets_what_came_of_a_change(session):
    made = session()
    made.goto(40)
    made.set_memory(0, 7)
    for cycle in (100, 200):
        made.goto(cycle)
        made.checkpoints.take()
    assert made.machine.state[1] == 7 and made.checkpoints.cycles[-1] == 200
    (edit,) = made.undo()
    assert (edit.cycle, edit.value, made.cycle, made.machine.state[1], made.edits) == (40, 7, 40, 0, [])
    assert made.checkpoints.cycles[-1] <= 40
    made.goto(300)
    assert made.machine.state[1] == 0


@pytest.mark.parametrize(("end", "limit"), [(300, 8000), (8000, 300)])
def test_a_way_back_that_is_interrupted_leaves_everything_where_it_was(session, end, limit):
    """At the end of the run as in the middle of it."""
    made = session(end=end, limit=limit)
    made.run([])
    before = made.cycle, made.ended
    assert before == (300, end == 300)
    assert made.run_back([Events([20])], interrupted=lambda: True) == []
    assert (made.cycle, made.ended) == before
    assert made.run_back([Events([20])]) == [(0, "event 20")]
    assert (made.cycle, made.ended) == (20, False)
