import pytest

from tests.machine.stepping import NAMES, RUNS, gpu_and_program, session
from warploom.machine.debug import inspection
from warploom.observe.facts.timeline import ACTIVITY, CORE, MASK, PC, WAITING, WARP, timeline

CYCLES = 120


@pytest.mark.parametrize("run", RUNS, ids=NAMES)
def test_what_warps_are_about_to_do_is_what_the_timeline_of_the_run_says_they_did(run):
    gpu, program = gpu_and_program(*run)
    line = timeline(gpu.run(program, tracing=True))
    found = session(*run)
    sequencer = run[0] == "tiny"
    looked = 0
    for cycle in range(1, CYCLES):
        found.goto(cycle)
        if found.ended:
            break
        # The timeline of cores that run one instruction at a time has the state after a cycle's edge.
        at = cycle - 1 if sequencer else cycle
        spans = {(int(span[CORE]), int(span[WARP])): span for span in line.part(at, at + 1)}
        for state in inspection.warp_states(found.machine):
            span = spans.get((state.core, state.slot))
            if span is None or state.activity in ("idle", "done", "drain"):
                continue
            did = line.activities[int(span[ACTIVITY])]
            if state.activity == "not_selected":
                assert did.kind != WAITING, (cycle, state, did.name)
            else:
                assert did.name == state.activity, (cycle, state)
            assert (state.pc, state.mask) == (int(span[PC]), int(span[MASK])), cycle
            looked += 1
    assert looked > 10


def test_a_warp_that_has_issued_says_so():
    gpu, program = gpu_and_program(*RUNS[-1])
    line = timeline(gpu.run(program, tracing=True))
    found = session(*RUNS[-1])
    for cycle in range(1, 60):
        found.goto(cycle)
        spans = [span for span in line.part(cycle - 1, cycle) if line.activities[int(span[ACTIVITY])].name == "selected"]
        issued = {(int(span[CORE]), int(span[WARP])) for span in spans}
        assert {(state.core, state.slot) for state in inspection.warp_states(found.machine) if state.issued} == issued


def test_the_paths_of_a_warp_are_its_lanes_each_of_them_once():
    found = session("guppy", "guppy/if_else.guppy", {})
    found.goto(7)
    (state,) = inspection.warp_states(found.machine)
    far, met = (found.machine.program.labels[name] for name in ("FAR", "MET"))
    # Lanes 0 to 19 have run their side and wait where all meet; 20 to 31 run theirs.
    assert (state.pc, state.mask) == (far, 0xFFF00000)
    assert state.waiting == ((0x000FFFFF, met),)


def test_a_result_that_hardware_would_wait_for_is_on_its_way():
    found = session("sm", "guppy/if_else.guppy", {"memory.bytes": 1 << 16})
    found.goto(0)
    names = found.machine.program.register_names
    while not inspection.on_their_way(found.machine, 0, 0).any():
        found.step()
    # The first instruction writes r0.x, and guppy's scoreboard locks the four components of a register as one.
    coming = inspection.on_their_way(found.machine, 0, 0)
    assert [name for name, on_way in zip(names, coming, strict=False) if on_way] == ["r0.x", "r0.y", "r0.z", "r0.w"]


def test_shared_memory_is_that_of_the_warps_block():
    found = session("tiny-simt", "tiny/shared_reduction.asm", {})
    found.run()
    assert inspection.shared_memory(session("tiny", "tiny/matmul.asm", {}).machine, 0, 0).size == 0
    assert inspection.shared_memory(found.machine, 0, 0).dtype == "uint32"
