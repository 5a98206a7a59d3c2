"""The livelock detector: it finds a run that repeats itself, and no other."""

from dataclasses import dataclass
from typing import Any

import pytest

from tests.machine.programs import BLOCK, FREE, GLOBAL, LANE, Assembly, machine, spinning
from warploom.isa import uop as u
from warploom.isa.program import Program
from warploom.machine.engine.pages import Pages
from warploom.machine.engine.unit import FOREVER
from warploom.machine.run import livelock
from warploom.machine.run.driver import drive

A, B, ODD = range(FREE, FREE + 3)


@dataclass
class Quiet:
    """As much of a machine as the detector reads while nothing happens."""

    program: Program
    cycle: int
    gpu: dict[str, Any]


@pytest.fixture(autouse=True)
def soon(monkeypatch):
    """So that a test is short."""
    monkeypatch.setattr(livelock, "QUIET", 300)
    monkeypatch.setattr(livelock, "SPACING", 50)


def counting(until):
    """Counts in a register, and stores once at the end."""
    code = Assembly()
    code.label("on")
    code.op("add", A, A, imm=1)
    code.op("sltu", B, A, imm=until)
    code.branch(B, "on")
    code.op("shl", B, GLOBAL, imm=2)
    code.store(B, A)
    code("exit")
    return code.program(threads=4)


def test_a_warp_that_returns_to_an_earlier_state_spins_and_the_fault_says_where():
    made = machine(spinning(threads=4), core__divergence="stack")
    outcome = drive(made, engine="python", max_cycles=20_000)
    assert outcome.status == "error"
    assert made.detector.spinning == {(0, 0): (1, 15)}
    assert "spins at instruction 1 (load" in made.inspection.fault_text()
    assert made.cycle < 5000


def test_all_lanes_that_are_in_the_loop_spin_on_whichever_core_it_is():
    """Block 0 ends at once. In block 1 odd and even lanes take different ways through the loop, and wait for nobody at its end."""
    code = Assembly()
    code.mov(A, 64)
    code.op("and", ODD, LANE, imm=1)
    code.branch(BLOCK, "wait")
    code("exit")
    code.label("wait")
    code.load(B, A)
    code.branch(ODD, "odd")
    for _ in range(12):
        code("nop")
    code.branch(B, "wait", negate=True)
    code.label("odd")
    for _ in range(12):
        code("nop")
    code.branch(B, "wait", negate=True)
    code("exit")
    made = machine(code.program(threads=8), gpu__cores=2, core__blocks=1, core__divergence="its", divergence__barriers=0)
    assert drive(made, engine="python", max_cycles=20_000).status == "error"
    assert made.detector.spinning == {(1, 0): (4, 15)}


def test_a_warp_that_counts_does_not_repeat_itself():
    made = machine(counting(600), core__divergence="stack")
    assert drive(made, engine="python", max_cycles=20_000).status == "done"
    assert made.cycle > 2 * livelock.QUIET
    assert made.detector.spinning == {}


def test_a_program_that_reads_a_clock_is_never_examined():
    code = Assembly()
    code("special", dst=A, imm=u.SPECIAL_NUMBER["clock"])
    code("exit")
    assert machine(code.program()).detector.next_check == FOREVER


def test_after_progress_it_looks_when_nothing_has_happened_for_long_enough():
    """The last progress just now; so long ago that it is due in the next cycle; longer ago than that."""
    made = machine(spinning(threads=4))
    for now, progress, due in ((500, 500, 800), (500, 201, 501), (500, 202, 502), (500, 10, 501)):
        quiet = Quiet(made.program, now, {"progress": progress})
        detector = livelock.LivelockDetector(quiet)
        detector.restore((0, 5, {}, {(0, 1): {b"a state": 7}}, {(0, 1): 3}, 9))  # a search, and what it had seen
        assert not detector.check()
        assert detector.snapshot() == (due, progress, {}, {}, {}, 0)


def test_going_back_to_a_snapshot_is_as_if_nothing_had_been_seen_since():
    made = machine(spinning(threads=4), core__divergence="stack")
    drive(made, engine="python", max_cycles=livelock.QUIET + 10)
    detector = made.detector
    before, due = detector.snapshot(), detector.next_check
    bytes_before = [Pages(array) for array in made.whole()]
    drive(made, engine="python", max_cycles=20_000)
    ended = made.cycle
    assert detector.spinning
    for kept in bytes_before:
        kept.restore()
    detector.restore(before)
    assert (detector.next_check, detector.spinning) == (due, {})
    drive(made, engine="python", max_cycles=20_000)
    assert made.cycle == ended


def test_a_search_in_which_a_warp_repeats_itself_gives_up_after_so_many_looks_at_the_others():
    class OneOfTwo(livelock.LivelockDetector):
        """The first warp repeats itself, the second one never does."""

        looks = given_up = 0

        def _running(self):
            return [(0, 0), (0, 1)]

        def _repeats(self, warp):
            self.looks += warp == (0, 1)
            return warp == (0, 0)

        def _forget(self):
            super()._forget()
            self.given_up += 1

    made = machine(spinning(threads=4), core__divergence="stack")
    detector = OneOfTwo(made)
    detector.check()  # what it has seen of progress
    before = detector.given_up
    for _ in range(livelock.BURST + 2):
        if detector.given_up == before:
            detector.check()
    assert (detector.looks, detector.given_up) == (livelock.BURST, before + 1)


@pytest.mark.parametrize("quiet, pause", [(40, 50), (100, 50), (102, 51), (9000, 4500)])
def test_a_search_that_was_given_up_is_tried_again_after_half_as_long_again(monkeypatch, quiet, pause):
    """quiet: cycles without progress; the pause is half of them, and SPACING at least. What was seen is forgotten."""
    monkeypatch.setattr(livelock.LivelockDetector, "_running", lambda _: [(0, 0), (0, 1)])
    monkeypatch.setattr(livelock.LivelockDetector, "_repeats", lambda *_: False)
    made = Quiet(spinning(threads=4), 2000 + quiet, {"progress": 2000})
    detector = livelock.LivelockDetector(made)
    detector.progress, detector._burst, detector._places = 2000, livelock.BURST, {(0, 0): 3}
    detector._seen = {(0, 0): {b"x": 1}}
    assert detector.check() is False
    assert detector.snapshot() == (made.cycle + pause, 2000, {}, {}, {}, 0)


def test_the_looks_of_a_search_are_apart_by_every_number_of_cycles_up_to_the_stride(monkeypatch):
    monkeypatch.setattr(livelock.LivelockDetector, "_running", lambda _: [(0, 0), (0, 1)])
    monkeypatch.setattr(livelock.LivelockDetector, "_repeats", lambda *_: False)
    made = Quiet(spinning(threads=4), 5000, {"progress": 2000})
    detector = livelock.LivelockDetector(made)
    detector.progress, detector._burst, detector._places = 2000, 1, {(0, 0): 3}
    apart = []
    for _ in range(livelock.STRIDE):
        assert detector.check() is False
        apart.append(detector.next_check - 5000)
    assert sorted(apart) == list(range(1, livelock.STRIDE + 1))


def test_warps_that_wait_at_a_barrier_or_only_drain_are_not_examined():
    made = machine(spinning(threads=4), gpu__cores=2)
    tables = made.cores["warps"]
    tables["active"], tables["draining"], tables["at_barrier"] = [0b1011, 1 << 63 | 0b110], [0b1, 0], [0b1000, 0b10]
    assert made.detector._running() == [(0, 1), (1, 2), (1, 63)]


@pytest.mark.parametrize("repeats", [False, True])
def test_a_search_begins_when_the_first_warp_repeats_itself(monkeypatch, repeats):
    made = machine(spinning(threads=4))
    detector, asked = made.detector, []
    monkeypatch.setattr(detector, "_running", lambda: [(0, 1), (0, 2)])
    monkeypatch.setattr(detector, "_repeats", lambda warp: asked.append(warp) or repeats)
    made.gpu["now"], made.gpu["progress"], detector.progress = 8000, 0, 0
    assert detector.check() is False and asked == [(0, 1)]
    assert detector.next_check == (8001 if repeats else 8500)
    made.gpu["now"] = 8100
    assert detector.check() is False
    assert asked == [(0, 1), (0, 1), (0, 2)] if repeats else [(0, 1), (0, 1)]
