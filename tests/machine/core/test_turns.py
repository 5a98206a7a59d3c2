"""Issue in turns, and a SIMD's pipes: what one wave and what many get of a compute unit, as microbenchmarks find it."""

import numpy as np
import pytest

from tests.machine.programs import FREE, Assembly
from tests.machine.rates import RESULTS, cycles_each, made
from warploom.gpu import GPU
from warploom.isa import uop as u
from warploom.machine.accounting import events as e
from warploom.machine.accounting import reasons as r
from warploom.machine.accounting.reasons import REASONS
from warploom.machine.config.pipes import pipe_names
from warploom.machine.config.presets import load_config
from warploom.machine.engine.sizes import ConfigError

TURN = 4  # cycles: the preset has four SIMDs
INDEPENDENT = [made("add", register) for register in RESULTS]
DEPENDENT = [made("add", 8, 8)] * 16
SCALAR = {"name": "add", "dst": u.scalar(3), "a": u.scalar(4), "b": u.scalar(5)}


def each(body, warps, **settings):
    """Cycles for each instruction of a body, all warps together."""
    return cycles_each(body, warps=warps, gpu="gcn", **settings) / (len(body) * warps)


@pytest.mark.parametrize("body", [INDEPENDENT, DEPENDENT], ids=["independent", "dependent"])
@pytest.mark.parametrize(("warps", "cycles"), [(1, 4), (2, 2), (4, 1), (8, 1)])
def test_a_simd_takes_a_vector_instruction_in_four_cycles_and_a_wave_has_one_simd(body, warps, cycles):
    assert each(body, warps) == cycles


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
