"""What every divergence mechanism must do: the same final memory for the same program, and the cost of serialisation.

A mechanism enters with one row of MECHANISMS_UNDER_TEST: how programs are written for it, and what it can run.
"""

from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.machine.programs import FREE, LANE, WARP, Assembly, config, finished, issues, run, words
from tests.machine.random_programs import expected, launches, machines, seeds, statements, table, written
from warploom.isa import uop as u
from warploom.machine.accounting import reasons as r
from warploom.machine.config.presets import load_config
from warploom.machine.config.schema import Config
from warploom.machine.core.divergence import MECHANISMS
from warploom.machine.core.divergence.thread_pool import HEURISTICS
from warploom.machine.device.machine import PipelineMachine
from warploom.machine.run.driver import drive


class UnderTest(NamedTuple):
    """masks: programs manage masks themselves. uniform: lanes must agree at branches. waits: lanes for each other, where they meet."""

    masks: bool = False
    uniform: bool = False
    waits: bool = True


MECHANISMS_UNDER_TEST = {
    "uniform": UnderTest(uniform=True),
    "masks": UnderTest(masks=True),
    "stack": UnderTest(),
    "minpc": UnderTest(),
    "its": UnderTest(),
    "dwf": UnderTest(waits=False),
}
DIVERGING = [name for name, one in MECHANISMS_UNDER_TEST.items() if not one.uniform]
A, B, C, D = range(FREE, FREE + 4)


def test_every_mechanism_is_under_test():
    assert set(MECHANISMS_UNDER_TEST) == set(MECHANISMS)


@pytest.mark.every(2)
@pytest.mark.parametrize("mechanism", MECHANISMS_UNDER_TEST)
def test_structured_programs_leave_what_their_threads_would_leave_one_after_the_other(mechanism):
    one = MECHANISMS_UNDER_TEST[mechanism]

    @settings(max_examples=40, deadline=None)
    @given(statements(uniform=one.uniform), launches, seeds, machines(**{"core.divergence": mechanism}))
    def check(body, launch, seed, machine):
        program = written(body, *launch, table(seed), masks=one.masks)
        made = PipelineMachine(load_config(Config(), machine), program)
        outcome = drive(made, engine="native", max_cycles=3_000_000)
        assert outcome.status == "done", made.finish(outcome).fault
        assert np.array_equal(words(made), expected(body, *launch, table(seed)))

    check()


def switch(ways: int, length: int, *, masks: bool) -> tuple[Assembly, range]:
    """Lane l runs path l % ways, of `length` instructions, the last a jump or a pop; also the paths' instructions."""
    code = Assembly()
    code.op("remu", A, LANE, imm=ways)
    if masks:
        for way in range(ways - 1):
            code.op("seq", B + way, A, imm=way)
        for way in range(ways - 1):
            code("branch_push", a=B + way, target=f"else{way}", reconverge=f"out{way}")
            code("jump", target=f"path{way}")
            code.label(f"else{way}")
        code("jump", target=f"path{ways - 1}")
        for way in reversed(range(ways - 1)):
            code.label(f"out{way}")
            if way:
                code("pop_mask")
        code("exit")
    else:
        for way in range(ways - 1):
            code.op("seq", B + way, A, imm=way)
        for way in range(ways - 1):
            code.branch(B + way, f"path{way}")
        code("jump", target=f"path{ways - 1}")
    begin = len(code.instructions)
    for way in range(ways):
        code.label(f"path{way}")
        for _ in range(length - 1):
            code.op("add", D + ways, D + ways, imm=way + 1)
        code("pop_mask") if masks else code("jump", target="end")
    paths = range(begin, len(code.instructions))
    code.label("end")
    if not masks:
        code("exit")
    return code, paths


@pytest.mark.parametrize("mechanism", DIVERGING)
@pytest.mark.parametrize("ways", [2, 4, 8])
def test_the_law_of_serialisation(mechanism, ways):
    """k paths of s instructions cost s * k warp-issues, with 1/k of the lanes active in each."""
    length, lanes = 6, 16
    code, paths = switch(ways, length, masks=MECHANISMS_UNDER_TEST[mechanism].masks)
    result = run(code.program(threads=lanes, block=lanes), core__divergence=mechanism, core__lanes=lanes, tracing=True)
    assert result.status == "done", result.fault
    profile = result.detail.profile[paths.start : paths.stop]
    assert profile[:, r.SELECTED].sum() == length * ways
    assert set(profile[:, r.LANES]) == {lanes // ways}
    assert set(profile[:, r.LANES_DIVERGED] + profile[:, r.LANES_ENDED]) == {lanes - lanes // ways}
    if MECHANISMS_UNDER_TEST[mechanism].waits:
        assert not profile[:, r.LANES_ENDED].any()
    if MECHANISMS_UNDER_TEST[mechanism].waits:  # all lanes are together again at the end
        assert issues(result)[-1][3] == (1 << lanes) - 1


@pytest.mark.parametrize("heuristic", HEURISTICS)
@pytest.mark.parametrize("ways", [2, 4])
def test_the_law_of_serialisation_is_broken_by_warps_that_fill_each_other_up(ways, heuristic):
    """k warps, whose lanes take k paths of s instructions, each lane another one in each warp: s * k issues of whole warps."""
    length, lanes = 6, 8
    code, paths = switch(ways, length, masks=False)
    code.instructions[0:1] = [[{"name": "add", "dst": A, "a": LANE, "b": WARP}], code.instructions[0]]
    code.instructions[1][0]["a"] = A
    code.labels = {name: number + 1 for name, number in code.labels.items()}
    program = code.program(threads=ways * lanes, block=ways * lanes)
    shape = {"core__lanes": lanes, "core__warps": ways, "core__scheduler": "greedy_oldest"}
    result = run(program, core__divergence="dwf", divergence__heuristic=heuristic, **shape)
    assert result.status == "done", result.fault
    rows = result.detail.profile[paths.start + 1 : paths.stop + 1]
    assert rows[:, r.LANES].tolist() == [lanes] * len(rows)
    assert rows[:, r.SELECTED].tolist() == [1] * len(rows)
    stack = run(program, core__divergence="stack", **shape).detail.profile[paths.start + 1 : paths.stop + 1]
    assert stack[:, r.SELECTED].tolist() == [ways] * len(rows)


@pytest.mark.parametrize("heuristic", HEURISTICS)
def test_lanes_that_take_the_same_path_in_every_warp_gain_nothing(heuristic):
    """The registers of two threads of the same lane lie in the same bank, so they can never share a warp."""
    length, lanes, warps = 6, 8, 4
    code, paths = switch(2, length, masks=False)
    result = run(
        code.program(threads=warps * lanes, block=warps * lanes),
        core__divergence="dwf", divergence__heuristic=heuristic, core__lanes=lanes, core__warps=warps,
    )  # fmt: skip
    profile = result.detail.profile[paths.start : paths.stop]
    assert set(profile[:, r.SELECTED]) == {warps}
    assert set(profile[:, r.LANES]) == {warps * lanes // 2}


@pytest.mark.parametrize("mechanism", DIVERGING)
def test_lanes_that_agree_cost_one_path(mechanism):
    code, paths = switch(4, 6, masks=MECHANISMS_UNDER_TEST[mechanism].masks)
    code.instructions[0] = [{"name": "mov", "dst": A, "a": u.IMMEDIATE, "imm": 2}]
    result = run(code.program(threads=16, block=16), core__divergence=mechanism, core__lanes=16)
    profile = result.detail.profile[paths.start : paths.stop]
    assert (profile[:, r.SELECTED].sum(), profile[:, r.LANES].sum()) == (6, 6 * 16)


@pytest.mark.parametrize("mechanism", DIVERGING)
def test_a_loop_takes_as_long_as_its_longest_lane(mechanism):
    """The article's measure of divergence: iterations of a warp = those of its longest lane."""
    lanes = 8
    code = Assembly()
    code.op("add", A, LANE, imm=1)
    if MECHANISMS_UNDER_TEST[mechanism].masks:
        code("push_mask", target="end")
        code.label("top")
        code("mask_nonzero", a=A)
    else:
        code.label("top")
        code.branch(A, "end", negate=True)
    body = len(code.instructions)
    code.op("add", B, B, imm=1)
    code.op("sub", A, A, imm=1)
    code("jump", target="top")
    code.label("end")
    code.op("shl", C, LANE, imm=2)
    code.store(C, B)
    code("exit")
    result = run(code.program(threads=lanes, block=lanes), core__divergence=mechanism, core__lanes=lanes)
    assert words(result)[:lanes].tolist() == list(range(1, lanes + 1))
    row = result.detail.profile[body]
    assert (row[r.SELECTED], row[r.LANES]) == (lanes, lanes * (lanes + 1) // 2)


@pytest.mark.parametrize("mechanism", ["uniform", "masks"])
def test_a_branch_on_which_lanes_disagree_is_a_fault_where_the_machine_does_not_manage_it(mechanism):
    code = Assembly()
    code.op("and", A, LANE, imm=1)
    code.branch(A, "end")
    code("nop")
    code.label("end")
    code("exit")
    result = run(code.program(threads=6, block=6), core__divergence=mechanism, core__lanes=8)
    assert result.status == "error"
    assert "lanes 1, 3, 5 take it, lanes 0, 2, 4 do not" in result.fault


@settings(max_examples=15, deadline=None)
@given(statements(), st.tuples(st.integers(1, 20), st.integers(1, 12)), seeds)
def test_branches_and_masks_do_the_same_number_of_lane_instructions_in_statements(body, launch, seed):
    """What lanes compute does not depend on who manages their masks: loads, stores and atomics are the same in number."""
    counts = []
    shape = {"engine": "native", "max_cycles": 3_000_000, "core__warps": 8, "core__lanes": 4}
    for name in DIVERGING:
        program = written(body, *launch, table(seed), masks=MECHANISMS_UNDER_TEST[name].masks)
        made = finished(program, core__divergence=name, **shape)
        touching = [int(program.uops[row[u.FIRST_UOP], u.UNIT]) in (u.MEMORY, u.SHARED) for row in program.code]
        counts.append(int(made.profile[touching, r.LANES].sum()))
    assert len(set(counts)) == 1


@pytest.mark.parametrize("name", MECHANISMS)
def test_the_table_says_which_mechanisms_need_reconvergence_points(name):
    """A branch of the program as the machine runs it names one, or none at all."""
    code, _ = switch(4, 6, masks=False)
    machine = PipelineMachine(config(core__divergence=name), code.program())
    rows = machine.program.uops[machine.program.uops[:, u.OP] == u.NUMBER["branch"]]
    assert (rows[:, u.RECONVERGE] != u.NONE).any() == MECHANISMS[name].uses_reconvergence_pc
    assert bool(machine.cores["any_order"][0]) == MECHANISMS[name].any_order
