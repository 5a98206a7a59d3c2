"""A run and its parts: a limit is never passed, any parts end as the whole run does, and a machine that has ended stays as it is."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.machine.programs import FREE, GLOBAL, WARP, Assembly, machine, spinning
from tests.machine.random_programs import launches, machines, seeds, statements, table, written
from warploom import GPU, load
from warploom.machine.config.presets import load_config
from warploom.machine.config.schema import Config
from warploom.machine.core.divergence import MECHANISMS
from warploom.machine.debug.session import Session
from warploom.machine.debug.stops import Breakpoint
from warploom.machine.device.machine import PipelineMachine
from warploom.machine.run import livelock, policy_watch
from warploom.machine.run.driver import drive

MOST = 200_000
ANY_MACHINE = st.sampled_from(sorted({*MECHANISMS} - {"masks", "uniform"})).flatmap(lambda name: machines(**{"core.divergence": name}))
ENGINES = ("python", "native")


def storing():
    """Every thread stores, and ends before its store has arrived."""
    code = Assembly()
    code.op("shl", FREE, GLOBAL, imm=6)
    code.store(FREE, GLOBAL)
    code("exit")
    return machine(code.program(threads=16), memory__kind="channels", core__warps=8)


def faulting():
    code = Assembly()
    code.mov(FREE, 1 << 20)
    code.load(FREE, FREE)
    code("exit")
    return machine(code.program())


def deadlocked():
    code = Assembly()
    code("barrier", a=WARP)  # warp 0 waits at barrier 0, warp 1 at barrier 1
    code("exit")
    return machine(code.program(threads=8, block=8), core__warps=2)


def spinning_forever():
    return machine(spinning())


def never_issuing():
    """A policy of a user's that never picks a warp."""
    code = Assembly()
    code("exit")
    return machine(code.program(), policy=lambda s, now: -1)


def halting():
    """The program stops the device while another warp still runs."""
    code = Assembly()
    code.branch(WARP, "wait")
    code("halt", a=FREE)
    code.label("wait")
    code("jump", target="wait")
    return machine(code.program(threads=8, block=8))


def without_threads():
    code = Assembly()
    code("exit")
    return machine(code.program(threads=0))


def example(preset, path):
    return lambda: GPU(preset).machine(load(f"examples/{path}"))


ENDS = {
    "stores on their way": (storing, "done"), "fault": (faulting, "error"), "deadlock": (deadlocked, "error"),
    "livelock": (spinning_forever, "error"), "no pick": (never_issuing, "error"),
    "halt": (halting, "done"), "no threads": (without_threads, "done"),
    "tiny": (example("tiny", "tiny/matmul.asm"), "done"), "tiny fault": (example("tiny", "tiny/diverge.asm"), "error"),
    "tiny-simt": (example("tiny-simt", "tiny/matmul.asm"), "done"), "gcn": (example("gcn", "gcn/saxpy.gcn"), "done"),
}  # fmt: skip


PLAIN = (halting, never_issuing)  # whose native code no other test compiles


@pytest.fixture(autouse=True)
def soon(monkeypatch):
    """So that a livelock is found early."""
    monkeypatch.setattr(livelock, "QUIET", 300)
    monkeypatch.setattr(livelock, "SPACING", 50)
    monkeypatch.setattr(policy_watch, "SPAN", 100)


@pytest.mark.parametrize("fresh, status", ENDS.values(), ids=ENDS)
def test_a_machine_that_has_ended_stays_as_it_is_on_either_engine(fresh, status):
    found = fresh()
    assert drive(found, engine="python", max_cycles=MOST).status == status
    end, state = found.cycle, found.state()
    fast = "python" if fresh in PLAIN else "native"
    for engine, limit in (("python", MOST), (fast, MOST), ("python", end), (fast, end + 1), ("python", 1), (fast, 0)):
        assert (drive(found, engine=engine, max_cycles=limit).status, found.cycle) == (status, end), (engine, limit)
        assert found.state() == state, (engine, limit)


@pytest.mark.every(3)
@pytest.mark.parametrize("fresh, status", ENDS.values(), ids=ENDS)
def test_a_limit_is_never_passed_and_the_rest_of_the_run_ends_it_as_one_run_does(fresh, status):
    whole = fresh()
    drive(whole, engine="python", max_cycles=MOST)
    for limit in {0, 1, whole.cycle // 3, whole.cycle - 9, whole.cycle - 2, whole.cycle - 1} - {whole.cycle}:
        if limit < 0:
            continue
        found = fresh()
        fast = "python" if fresh in PLAIN else "native"
        for engine in ("python", fast):  # again with the same limit: nothing more happens
            assert (drive(found, engine=engine, max_cycles=limit).status, found.cycle) == ("timeout", limit)
        assert (drive(found, engine=fast, max_cycles=limit // 2).status, found.cycle) == ("timeout", limit)  # nor backwards
        assert (drive(found, engine="python", max_cycles=MOST).status, found.cycle) == (status, whole.cycle)
        assert found.state() == whole.state(), limit


@settings(max_examples=12, deadline=None)
@given(
    statements(), launches, seeds, ANY_MACHINE,
    st.lists(st.tuples(st.sampled_from(ENGINES), st.integers(0, 1000)), max_size=3),
)  # fmt: skip
def test_any_parts_of_a_run_on_either_engine_end_as_the_whole_run(body, launch, values, chosen, parts):
    program, config = written(body, *launch, table(values)), load_config(Config(), chosen)
    whole = PipelineMachine(config, program)
    status = drive(whole, engine="native", max_cycles=MOST).status
    assert whole.cycle <= MOST
    end, found = whole.cycle, PipelineMachine(config, program)
    for engine, thousandths in sorted(parts, key=lambda part: part[1]):
        limit = end * thousandths // 1000
        now = drive(found, engine=engine, max_cycles=limit).status
        assert (now, found.cycle) == (("timeout", limit) if limit < end else (status, end))
    for engine in ("native", "python"):
        assert (drive(found, engine=engine, max_cycles=MOST).status, found.cycle) == (status, end)
        assert found.state() == whole.state()


def test_a_run_that_only_waits_for_its_stores_says_so():
    found = storing()
    end = GPU("tiny-simt").run(load("examples/tiny/matmul.asm")).cycles
    result = GPU("tiny-simt").run(load("examples/tiny/matmul.asm"), max_cycles=end - 1)
    assert (result.status, result.cycles) == ("timeout", end - 1)
    assert result.running == (f"no warp is left: stores are on their way to memory, the last one until the end of cycle {end - 1}",)
    found = machine(storing().program, core__warps=8, lsu__stores=8, l1__write="through", dram__latency=500)
    drive(found, engine="python")
    end = found.cycle
    found = machine(storing().program, core__warps=8, lsu__stores=8, l1__write="through", dram__latency=500)
    outcome = drive(found, engine="python", max_cycles=end - 1)
    assert outcome.status == "timeout"
    assert "stores" in " ".join(found.finish(outcome).running) or found.gpu["live"] > 0


def test_a_livelock_is_found_in_the_same_cycle_while_a_recorder_is_open():
    plain, recorded = machine(spinning()), PipelineMachine(machine(spinning()).config, spinning(), recording=True)
    for found in (plain, recorded):
        assert drive(found, engine="python", max_cycles=MOST).status == "error"
    assert plain.cycle == recorded.cycle


def test_a_session_that_stands_at_the_end_or_at_a_breakpoint_answers_the_same_again():
    found = Session(storing(), engine="python")
    stop = Breakpoint(1)
    first = found.run([stop])
    assert first
    assert not found.ended
    found.run()
    end = (found.cycle, found.status, found.machine.state())
    assert end[1] == "done"
    assert found.run([stop]) == []
    found.step(5)
    assert (found.cycle, found.status, found.machine.state()) == end
