from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.machine.tiny_kernels import assemble, machines, nops, programs, run
from warploom import GPU
from warploom.machine.accounting.status import DONE
from warploom.machine.engine.unit import mirror
from warploom.machine.run.driver import drive
from warploom.machine.sequencer import sequencer as unit
from warploom.machine.sequencer.sequencer import reset
from warploom.machine.sequencer.states import IDLE, STATES, UPDATE


def states_of(text: str, **changes: object) -> list[str]:
    """The states of core 0, a cycle each."""
    gpu = GPU("tiny", set={name.replace("__", "."): value for name, value in changes.items()}, engine="python")
    return [STATES[int(machine.cores[0]["state"])] for machine in gpu.steps(assemble(text))]


def test_an_instruction_goes_through_its_states_in_eleven_cycles():
    one = ["fetch"] * 6 + ["decode", "request", "wait", "execute", "update"]
    assert states_of("NOP\nRET") == ["idle"] * 2 + one + one + ["done"] * 2 + ["idle"]


def test_a_load_waits_eight_cycles():
    assert states_of("LDR R1, R0\nRET").count("wait") == 8 + 1


def test_one_block_takes_eleven_cycles_an_instruction():
    for count in (1, 2, 7, 20):
        assert run(nops(count - 1)).cycles == 11 * count + 5


def test_two_cores_share_a_program_channel_without_loss_and_four_do_not():
    for count in (1, 5, 20):
        assert run(nops(count - 1), threads=8).cycles == 11 * count + 10
        assert run(nops(count - 1), threads=16, gpu__cores=4).cycles == 26 * count + 5


def test_a_further_block_on_a_core_adds_its_instructions_and_three_cycles():
    first = run(nops(9), threads=8).cycles
    assert run(nops(9), threads=16).cycles == first + 11 * 10 + 3


def test_the_last_core_starves_while_others_fetch():
    program = assemble(nops(20), threads=16)
    first_decode = {}
    for machine in GPU("tiny", set={"gpu.cores": 4}, engine="python").steps(program):
        for number, core in enumerate(machine.cores):
            if STATES[int(core["state"])] == "decode":
                first_decode.setdefault(number, machine.cycle - 1)
    assert first_decode[3] == 323
    assert max(first_decode[number] for number in (0, 1, 2)) < 30


def test_skip_wait_saves_a_cycle_where_there_is_no_access():
    assert run(nops(9), core__skip_wait=True).cycles == run(nops(9)).cycles - 10
    assert run("LDR R1, R0\nRET", core__skip_wait=True).cycles == run("LDR R1, R0\nRET").cycles - 1
    assert "wait" not in states_of("NOP\nRET", core__skip_wait=True)


def test_thread_cycles_by_state_add_up_to_all_places_in_all_cycles():
    for threads in (0, 1, 6, 8, 13):
        result = run("CONST R1, #3\nLDR R2, R1\nSTR R1, R2\nRET", threads=threads)
        spent = {state: result.counters[f"{state}_thread_cycles"] for state in STATES}
        assert sum(spent.values()) == result.cycles * 2 * 4
        assert spent["decode"] == spent["request"] == spent["execute"] == spent["update"] == result.counters["thread_instructions"]
        assert result.counters["thread_instructions"] == 4 * threads
        assert result.counters["loads"] == result.counters["stores"] == threads
        assert result.counters["data_wait_thread_cycles"] <= spent["wait"]
        assert result.counters["program_wait_thread_cycles"] <= spent["fetch"]


def test_requests_and_channel_cycles_are_counted():
    result = run("LDR R1, R0\nRET", threads=4)
    assert result.counters["data_requests"] == 4
    assert result.counters["data_channel_busy_cycles"] == 4 * 6
    assert result.counters["program_requests"] == 2
    assert result.counters["program_channel_busy_cycles"] == 2 * 4


def test_a_machine_in_which_nothing_moves_is_a_deadlock():
    gpu = GPU("tiny", engine="python")
    machine = gpu.machine(assemble("NOP\nRET"))
    for _ in machine.steps(4):
        pass
    machine.gpu["fetch_lines"] = 0  # the fetcher's request is lost
    result = machine.finish(drive(machine, engine="python"))
    assert result.status == "error"
    assert result.fault == (
        "kernel.asm:2 (NOP): no warp can ever continue (block 0, core 0, cycle 5); "
        "core 0, block 0 (threads 0-3) is in FETCH at kernel.asm:2 (NOP)"
    )


def test_a_run_that_does_not_end_is_stopped_and_says_where():
    result = run("LOOP: CONST R1, #1\nCMP R1, R0\nBRp LOOP\nRET", max_cycles=500)
    assert (result.status, result.cycles, result.fault) == ("timeout", 500, "")
    assert result.running == ("core 0, block 0 (threads 0-3) is in FETCH at kernel.asm:2 (CONST R1, #1)",)


def test_every_core_with_a_block_is_named_when_a_run_is_stopped():
    """Three blocks for two cores: the third has not begun."""
    result = run("LOOP: CONST R1, #1\nCMP R1, R0\nBRp LOOP\nRET", threads=12, max_cycles=500)
    assert [line.partition(" (")[0] for line in result.running] == ["core 0, block 0", "core 1, block 1"]


@settings(max_examples=60, deadline=None)
@given(programs(), machines(), st.integers(0, 120))
def test_both_engines_give_the_same_bytes_also_when_changed_on_the_way(program, machine, change):
    preset, changes = machine
    gpu = GPU(preset, set=changes)
    plain, fast, mixed = (gpu.machine(program) for _ in range(3))
    limit = 400
    codes = [
        drive(plain, engine="python", max_cycles=limit).status,
        drive(fast, engine="native", max_cycles=limit).status,
    ]
    if drive(mixed, engine="python", max_cycles=change).status == "timeout":
        drive(mixed, engine="native", max_cycles=limit)
    assert codes[0] == codes[1]
    assert plain.state() == fast.state() == mixed.state()


@settings(max_examples=60, deadline=None)
@given(programs(), machines())
def test_counters_add_up_whatever_runs(program, machine):
    preset, changes = machine
    built = GPU(preset, set=changes).machine(program)
    outcome = drive(built, engine="native", max_cycles=3000)
    counters = built.finish(outcome).counters
    places = changes["gpu.cores"] * changes["core.threads_per_block"]
    assert sum(counters[f"{state}_thread_cycles"] for state in STATES) == counters["cycles"] * places
    assert counters["data_requests"] <= counters["loads"] + counters["stores"]


@settings(max_examples=30, deadline=None)
@given(programs(), machines())
def test_improvements_change_cycles_and_never_what_one_block_computes(program, machine):
    preset, changes = machine
    one_block = program.with_launch(threads=changes["core.threads_per_block"])
    improvements = {"core.skip_wait": False, "core.prefetch": False, "fetch.sets": 0}
    plain = GPU(preset, set=changes | improvements, engine="native").run(one_block, max_cycles=3000)
    better = GPU(preset, set=changes, engine="native").run(one_block, max_cycles=3000)
    if plain.status == better.status == "done":
        assert better.memory.tolist() == plain.memory.tolist()
        assert better.instructions == plain.instructions


def test_the_entry_can_be_called_again_after_its_end():
    machine = GPU("tiny", engine="native").machine(assemble("RET"))
    assert drive(machine, engine="native").status == "done"
    arguments = machine.arguments(native=False)
    assert machine.entry(*arguments, 1000) == DONE


def test_a_core_that_is_reset_knows_nothing_of_its_last_block():
    made = GPU("tiny", engine="python").machine(assemble(nops(1)))
    gpu, core = mirror(made.gpu), mirror(made.cores)[1]
    core.state, core.pc, core.row, core.ends, core.fresh, core.next_pc[:] = UPDATE, 7, 6, 1, 0, 9
    gpu.dispatcher.finished = np.uint64(0b11)
    reset(gpu, core, 1)
    assert core.state == IDLE
    assert (core.pc, core.row, core.ends, core.fresh, gpu.dispatcher.finished) == (0, 0, 0, 1, 0b01)
    assert not core.next_pc[: int(gpu.threads_per_block)].any()


@pytest.mark.parametrize("answers, controller, moved", [([0, 0], 0, 0), ([1, 0], 0, 1), ([0, 1], 0, 1), ([0, 0], 1, 1), ([0, 1], 1, 2)])
def test_each_step_on_the_way_to_data_memory_says_that_something_moves(monkeypatch, answers, controller, moved):
    """Answers to each core, and the controller; nobody asks for anything new. Two that move do not make up for each other."""
    made = GPU("tiny", engine="python").machine(assemble(nops(1)))
    monkeypatch.setattr(unit, "pass_answers", lambda data, lsu, number: answers[number])
    monkeypatch.setattr(unit, "controller_edge", lambda data: controller)
    monkeypatch.setattr(unit, "answer_data", lambda *_: None)
    monkeypatch.setattr(unit, "pass_requests", lambda *_: np.uint64(0))
    assert unit.data_edge(mirror(made.gpu), mirror(made.cores), SimpleNamespace(memory=made.memory)) == moved
