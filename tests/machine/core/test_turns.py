"""Issue in turns, and a SIMD's pipes: what one wave and what many get of a compute unit, as microbenchmarks find it."""

import numpy as np
import pytest

from tests.machine.core.unit_bench import bench, mask
from tests.machine.programs import FREE, Assembly, run
from tests.machine.rates import RESULTS, cycles_each, made
from warploom.gpu import GPU
from warploom.isa import uop as u
from warploom.isa.uop import PORT
from warploom.machine.accounting import events as e
from warploom.machine.accounting import reasons as r
from warploom.machine.accounting.reasons import REASONS
from warploom.machine.config.pipes import pipe_names
from warploom.machine.config.presets import load_config
from warploom.machine.core import turns
from warploom.machine.engine.bits import lowest
from warploom.machine.engine.sizes import ConfigError
from warploom.machine.engine.unit import FOREVER

TURN = 4  # cycles: the preset has four SIMDs
INDEPENDENT = [made("add", register) for register in RESULTS]
DEPENDENT = [made("add", 8, 8)] * 16
SCALAR = {"name": "add", "dst": u.scalar(3), "a": u.scalar(4), "b": u.scalar(5)}


def each(body, warps, **settings):
    """Cycles for each instruction of a body, all warps together."""
    return cycles_each(body, warps=warps, gpu="gcn", **settings) / (len(body) * warps)


@pytest.mark.every(2)
@pytest.mark.parametrize("body", [INDEPENDENT, DEPENDENT], ids=["independent", "dependent"])
@pytest.mark.parametrize(("warps", "cycles"), [(1, 4), (2, 2), (4, 1), (8, 1)])
def test_a_simd_takes_a_vector_instruction_in_four_cycles_and_a_wave_has_one_simd(body, warps, cycles):
    assert each(body, warps) == cycles


@pytest.mark.every(2)
@pytest.mark.parametrize(("name", "cycles"), [("add", 4), ("fma", 4), ("mul", 16), ("frcp", 16), ("i2f", 16), ("popc", 4), ("fmul", 4)])
def test_all_arithmetic_goes_through_one_pipe_at_the_rate_of_its_kind(name, cycles):
    assert each([made(name, register) for register in RESULTS], 1) == cycles
    alternating = [made(("add", name)[number % 2], register) for number, register in enumerate(RESULTS)]
    assert each(alternating, 1) == each(alternating, 4) * 4 == (4 + cycles) / 2


@pytest.mark.parametrize(("warps", "cycles"), [(1, 4), (2, 2), (4, 1), (8, 1), (40, 1)])
def test_the_scalar_unit_takes_an_instruction_per_cycle_of_all_simds_together(warps, cycles):
    assert each([SCALAR] * 16, warps) == cycles


def test_in_a_turn_waves_issue_different_kinds_and_never_two_of_one():
    """Half of eight waves compute with lanes, half with scalars: each SIMD has one of both, and issues both in its turn."""
    mixed = [INDEPENDENT[0], SCALAR] * 8
    assert each(mixed, 4) == 1  # a wave alone issues one instruction in a turn
    assert each(mixed, 40) == pytest.approx(0.5, abs=0.02)
    code = Assembly()
    for operation in mixed * 4:
        code(**operation)
    code("exit")
    result = GPU("gcn", engine="python").run(code.program(threads=64 * 12, block=64), tracing=True)
    issues = result.detail.events[result.detail.events[:, e.KIND] == e.ISSUE]
    for time in np.unique(issues[:, e.TIME]):
        together = issues[issues[:, e.TIME] == time]
        assert (together[:, e.WARP] % TURN == time % TURN).all()
        assert len(np.unique(together[:, e.WARP])) == len(together)
        kinds = [(int(pc) % 2, int(pc) == len(mixed) * 4) for pc in together[:, e.PC]]
        assert len(set(kinds)) == len(kinds)


def test_as_many_as_a_turn_has():
    assert each([INDEPENDENT[0], SCALAR] * 8, 40, core__issues_per_turn=1) == 1


@pytest.mark.parametrize("engine", ["python", "native"])
def test_every_cycle_of_a_wave_has_one_reason_and_waiting_for_a_turn_is_wait(engine):
    code = Assembly()
    code("await")
    for register in range(FREE, FREE + 8):
        code.op("mul", register, FREE + 9, FREE + 10)
        code.load(register + 12, FREE + 11)
    code("exit")
    result = GPU("gcn", engine=engine).run(code.program(threads=64 * 24, block=64))
    totals = result.detail.profile.sum(axis=0)[: len(REASONS)]
    assert result.counters["warp_cycles"] == totals.sum()
    assert totals[r.MATH_PIPE_THROTTLE] > 0 and totals[r.WAIT] > 0
    assert result.detail.profile[1, r.WAIT] >= 24 * (TURN - 1)  # after the await, nothing but the turn is waited for


@pytest.mark.parametrize("engine", ["python", "native"])
def test_turns_that_are_skipped_while_a_pipe_is_full_are_no_conflict_of_register_banks(engine):
    """One ALU for all schedulers, eight cycles for each instruction. Operands lie in different banks, so that none waits for them."""
    code = Assembly()
    for register in range(FREE, FREE + 8):
        code.op("add", register, 16, 17)
    code("exit")
    shape = {"core__lanes": 8, "core__warps": 8, "core__schedulers": 4, "core__issues_per_turn": 1, "alu__width": 1, "operands__banks": 2}
    result = run(code.program(threads=64, block=64), engine=engine, **shape)
    totals = result.detail.profile.sum(axis=0)
    assert totals[r.MATH_PIPE_THROTTLE] > 0 and totals[r.DISPATCH_STALL] == 0


def test_the_pipes_have_names():
    assert list(pipe_names(load_config("gcn")).values())[:4] == ["vector 0", "scalar 0", "vector 1", "scalar 1"]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"core.issues_per_turn": 2, "core.divergence": "dwf"}, "core.issues_per_turn = 2: core.divergence = 'dwf' forms warps"),
        ({"pipes.vector": True}, "pipes.vector: one pipe takes all arithmetic"),
    ],
)
def test_what_does_not_go_together_is_refused(settings, message):
    with pytest.raises(ConfigError, match="^" + message):
        load_config("a100", settings)


SCHEDULERS = 4


def turning(monkeypatch, eligible, blocked=(), every_cycle=0, fails_after=None):
    """A core of four schedulers, each with two of eight warps; what they pick, in order, is the lowest warp that is eligible."""
    gpu, cores, tables = bench(core__warps=8)
    core, asked, issued, noted = cores[0], [], [], []
    core.scheduler_count, core.issues_per_turn, gpu.every_cycle = SCHEDULERS, 3, every_cycle
    for number in range(SCHEDULERS):
        core.schedulers[number].owned = mask(number, number + SCHEDULERS)
    core.warps.awake, core.warps_blocked, core.warps.wants[:] = mask(*eligible, *blocked), mask(*blocked), 0

    def pick(gpu, core, s, left, eligible, tables, units, now):
        asked.append((int(left), int(eligible)))
        return lowest(eligible) if eligible else -1

    def issue(gpu, core, number, warp, tables, units, now):
        issued.append((number, warp))
        gpu.fault.kind = 1 if len(issued) == fails_after else 0

    def visit(gpu, core, s, left, tables, units, now):
        asked.append((int(left), 0))

    for function in (pick, visit, issue):
        monkeypatch.setattr(turns, {"pick": "pick_warp"}.get(function.__name__, function.__name__), function)
    monkeypatch.setattr(turns, "note_if_full", lambda core, port, now: noted.append((int(port), now)))
    counted = []
    monkeypatch.setattr(turns, "count_full_units", lambda core, number, awake, *cycles: counted.append((number, int(awake), *cycles)))
    return gpu, core, tables, asked, issued, counted, noted


@pytest.mark.parametrize("every_cycle", [0, 1])
@pytest.mark.parametrize("number", range(SCHEDULERS))
def test_in_its_turn_a_scheduler_is_asked_while_a_warp_of_its_own_can_issue(monkeypatch, number, every_cycle):
    gpu, core, tables, asked, issued, counted, noted = turning(monkeypatch, (0, 4, 1, 2), (5, 3), every_cycle)
    turns._issue_turn(gpu, core, number, tables, None, 9)
    own = [warp for warp in (0, 4, 1, 2) if warp % SCHEDULERS == number]
    assert issued == [(number, warp) for warp in own] and core.issued == len(own)
    assert noted == [(int(tables.code[0, PORT]), 9)] * len(own)
    assert len(asked) == min(3, len(own) + every_cycle)  # once in vain where a policy is asked in every cycle
    assert counted == ([(number, int(mask(*{1: (1, 5), 3: (3,)}[number])), SCHEDULERS, 9)] if number in (1, 3) else [])


def test_no_more_is_issued_in_a_turn_after_a_fault(monkeypatch):
    gpu, core, tables, asked, issued, *_ = turning(monkeypatch, (0, 4), fails_after=1)
    turns._issue_turn(gpu, core, 0, tables, None, 9)
    turns._issue_turn(gpu, core, 0, tables, None, 13)
    assert issued == [(0, 0)] and len(asked) == 1


@pytest.mark.parametrize("stepped", range(20, 26))
@pytest.mark.parametrize("later", [1, 2, 3, 4, 5, 9, 14])
def test_turns_that_are_skipped_count_once_for_each_that_a_scheduler_would_have_had(monkeypatch, stepped, later):
    _, core, _, _, _, counted, _ = turning(monkeypatch, (0, 1), (2, 6))
    core.stepped = stepped
    turns._count_skipped_turns(core, stepped + later)
    had = [[cycle for cycle in range(stepped + 1, stepped + later) if cycle % SCHEDULERS == number] for number in range(SCHEDULERS)]
    awake = [mask(0), mask(1), mask(2, 6), mask()]
    assert counted == [(n, int(awake[n]), SCHEDULERS * len(had[n]), had[n][0]) for n in range(SCHEDULERS) if had[n]]
    del counted[:]
    core.warps_blocked = mask()
    turns._count_skipped_turns(core, stepped + later)
    assert not counted


@pytest.mark.parametrize("now", [20, 21, 23])
def test_the_next_turn_of_any_use_is_that_of_the_first_scheduler_with_a_warp_that_may_issue(monkeypatch, now):
    for eligible in ((0,), (1, 3), (2, 6), (0, 1, 2, 3), ()):
        for free in (now + 2, FOREVER):
            for blocked in ((), (5,)):
                _, core, *_ = turning(monkeypatch, eligible, blocked)
                monkeypatch.setattr(turns, "next_free_unit", lambda core, at, free=free: free)
                turn = min((t for t in range(now + 1, now + 5) if any(w % SCHEDULERS == t % SCHEDULERS for w in eligible)), default=FOREVER)
                assert turns._next_issue_turn(core, now) == min(turn, free if blocked else FOREVER)
