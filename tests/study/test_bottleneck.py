"""The three rules that name a bottleneck, on counters of which each rule's answer can be counted by hand."""

from types import SimpleNamespace

import numpy as np
import pytest

from warploom.gpu import GPU
from warploom.isa import load, tiny
from warploom.isa.launch import Launch
from warploom.machine.accounting.reasons import REASONS
from warploom.machine.config.presets import load_config
from warploom.study.bottleneck import OF_REASON, bottleneck

STATES = ("idle", "fetch", "decode", "request", "wait", "execute", "update", "done")


def result(control="pipeline", *, cycles=100, instructions=10, program=0, data=0, threads=8, changes=None, **spent):
    """A run as far as the rules look at it. spent: cycles by reason or by state."""
    names = (
        [f"{reason.name}_warp_cycles" for reason in REASONS] if control == "pipeline" else [f"{state}_thread_cycles" for state in STATES]
    )
    counters = dict.fromkeys([*names, "data_wait_thread_cycles"], 0)
    counters |= {"program_channel_busy_cycles": program, "data_channel_busy_cycles": data}
    for name, value in spent.items():
        counters[f"{name}_{'warp' if control == 'pipeline' else 'thread'}_cycles"] = value
    config = load_config("tiny", {"core.control": control, **(changes or {})})
    launch = Launch(threads=threads)
    return SimpleNamespace(
        config=config, counters=counters, cycles=cycles, instructions=instructions, program=SimpleNamespace(launch=launch)
    )


def test_every_reason_belongs_somewhere():
    assert set(OF_REASON) == {reason.name for reason in REASONS}


def test_full_channels_are_the_bottleneck_whatever_the_warps_do():
    found = bottleneck(result(program=75, long_scoreboard=1000))
    assert (found.name, found.share) == ("program channels", 0.75)
    assert str(found) == "program channels, 75 %"
    # Four data channels: 300 of 400 channel-cycles.
    assert bottleneck(result(data=300, no_instruction=1000)).name == "data channels"
    assert bottleneck(result(data=299, no_instruction=1000)).name == "instruction fetch"


def test_of_two_full_memories_the_busier_one():
    assert bottleneck(result(program=80, data=350)).name == "data channels"
    assert bottleneck(result(program=90, data=350)).name == "program channels"


def test_a_handshake_that_outlives_the_run_makes_no_channel_busier_than_busy():
    assert bottleneck(result(program=104)).share == 1.0


def test_channels_count_on_every_machine_that_has_them():
    assert bottleneck(result("sequencer", program=80, fetch=10, execute=500)).name == "program channels"
    dram = {"memory.kind": "dram"}
    assert bottleneck(result(program=80, long_scoreboard=5, changes=dram)).name == "data memory"


def test_issue_slots_count_only_where_there_is_a_block():
    # Eight threads are two blocks on two cores, four threads one: 150 of 200 slots, and 75 of 100.
    assert bottleneck(result(instructions=150, long_scoreboard=900)) == ("issue slots", 0.75)
    assert bottleneck(result(instructions=149, long_scoreboard=900)).name == "data memory"
    assert bottleneck(result(instructions=75, threads=4, long_scoreboard=900)) == ("issue slots", 0.75)
    two = {"core.schedulers": 2, "core.warps": 2}
    assert bottleneck(result(instructions=150, long_scoreboard=900, changes=two)).name == "data memory"


@pytest.mark.parametrize(
    ("spent", "name"),
    [
        ({"no_instruction": 5, "long_scoreboard": 4}, "instruction fetch"),
        ({"no_instruction": 5, "long_scoreboard": 4, "drain": 2}, "data memory"),
        ({"wait": 3, "math_pipe_throttle": 3, "selected": 5}, "arithmetic"),
        ({"short_scoreboard": 9, "selected": 5}, "shared memory"),
        ({"barrier": 9, "selected": 5}, "barriers"),
        ({"branch_resolving": 9, "selected": 5}, "branches"),
        ({"selected": 5, "not_selected": 4, "barrier": 8}, "issuing"),
    ],
)
def test_else_what_warps_spend_their_time_with(spent, name):
    found = bottleneck(result(**spent))
    assert found.name == name
    total = sum(spent.values())
    assert found.share == sum(value for reason, value in spent.items() if OF_REASON[reason] == name) / total


@pytest.mark.parametrize(
    ("loading", "name"), [("ds_read_b32 v2, v1\n", "shared memory"), ("global_load_dword v2, v1, s[8:9]\n", "data memory")]
)
def test_a_wait_of_the_program_belongs_to_the_memory_whose_loads_it_waits_for(loading, name):
    first = ".kernel main\n.lds 512\n.arg out, pointer, 512\n"
    first += "s_load_dwordx2 s[8:9], s[4:5], 0x0\nv_lshlrev_b32 v1, 2, v0\ns_waitcnt lgkmcnt(0)\n"
    lines = (loading + "s_waitcnt vmcnt(0) lgkmcnt(0)\n") * 40
    run = GPU("gcn", engine="python").run(load((first + lines + "s_endpgm\n").encode(), isa="gcn"))
    assert (run.status, bottleneck(run).name) == ("done", name)


def test_cores_that_run_one_instruction_at_a_time_fetch_wait_or_step():
    # A thread waits for data in 30 of WAIT's 40 thread-cycles; the other 10 are a step as all others.
    spent = {"idle": 900, "done": 900, "fetch": 29, "decode": 4, "request": 4, "wait": 40, "execute": 4, "update": 4, "data_wait": 30}
    assert bottleneck(result("sequencer", **spent)) == ("data memory", 30 / 85)
    assert bottleneck(result("sequencer", **spent | {"fetch": 31})).name == "instruction fetch"
    assert bottleneck(result("sequencer", **spent | {"execute": 20})).name == "fixed steps"


def test_a_launch_without_threads_has_nothing_to_do():
    program = tiny.assemble(".threads 0\nRET\n")
    assert bottleneck(GPU("tiny").run(program)) == ("nothing to do", 0.0)


def test_the_rules_read_counters_that_both_kinds_of_core_have():
    program = tiny.assemble(".threads 4\n.data 1 2 3 4\nLDR R0, %threadIdx\nADD R0, R0, R0\nSTR %threadIdx, R0\nRET\n")
    one = GPU("tiny").run(program)
    spent = {name: one.counters[f"{name}_thread_cycles"] for name in STATES[1:7]}
    assert bottleneck(one) == ("instruction fetch", spent["fetch"] / sum(spent.values()))
    piped = GPU("tiny-simt", set={"memory.program_channels": 8, "fetch.ahead": 8}).run(program)
    found = bottleneck(piped)
    named = sum(piped.counters[f"{reason}_warp_cycles"] for reason, group in OF_REASON.items() if group == found.name)
    assert found.share == named / piped.counters["warp_cycles"]
    assert np.array_equal(one.memory, piped.memory)
