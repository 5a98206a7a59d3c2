"""Machines with warps from the outside: what they refuse and why, and what a run leaves."""

from dataclasses import replace

import numpy as np
import pytest

from tests.machine.programs import FREE, GLOBAL, LANE, SMALL, Assembly, config, finished, machine, run, words
from warploom.gpu import GPU
from warploom.isa import uop as u
from warploom.isa.views import F_RGBA32F, SAMPLER_FILTER, TRILINEAR, VIEW_COLUMNS, VIEW_FORMAT
from warploom.machine.accounting.status import LaunchError
from warploom.machine.config.presets import load_config
from warploom.machine.config.schema import Config
from warploom.machine.engine.sizes import ConfigError

A, B, C = range(FREE, FREE + 3)


def one(*uops, **fields):
    """A program of one bundle and an end."""
    code = Assembly()
    code.bundle(*(uops or ({"name": "nop"},)))
    code("exit")
    return code.program(**fields)


def refused(program, **changes):
    with pytest.raises(LaunchError) as error:
        machine(program, **changes)
    return str(error.value)


def test_a_program_without_instructions():
    assert refused(Assembly().program()) == "<program>: the program has no instructions"


def test_a_program_that_is_too_long():
    assert refused(one(), memory__program_words=1) == "the program has 2 instructions, memory.program_words = 1"


def test_too_many_registers():
    assert refused(one(registers=600)) == "the program uses 600 registers a thread, a thread can have 512"
    assert refused(one(registers=200), core__lock="lane") == (
        "core.lock = 'lane' has room for 128 registers, the program uses 200; use core.lock=register"
    )


def test_too_little_memory():
    program = one().with_data(np.zeros(5000, np.uint8))
    assert refused(program, memory__kind="channels") == "the program needs 5000 bytes of memory, memory.bytes = 4096"


def test_textures_without_a_texture_unit():
    views, samplers = np.zeros((1, VIEW_COLUMNS), np.int32), np.zeros((1, 4), np.int32)
    program = one({"name": "sample", "dst": A, "a": B, "b": C, "view": 0}, views=views, samplers=samplers)
    assert refused(program) == "the program samples textures, and this machine has no texture unit; set texture.count=1"


def test_a_split_block_cannot_synchronise():
    message = "a block whose warps lie on several cores has neither shared memory nor barriers; set gpu.dispatch=spread"
    assert refused(one({"name": "barrier"}), gpu__dispatch="split") == message
    assert refused(one(shared_bytes=4), gpu__dispatch="split") == message


def test_a_block_that_does_not_fit_names_what_it_lacks():
    assert refused(one(threads=20, block=20)) == "a block of 20 threads needs 5 warps, a core has 4"
    assert "a block with 2000 bytes of shared memory needs 2000, a core has 1024" in refused(one(shared_bytes=2000))
    assert refused(one(threads=20, block=20), gpu__dispatch="split") == (
        "a block has 5 warps, the device has warp slots for 4; set core.warps=5 or use smaller blocks"
    )


def test_a_launch_that_begins_nowhere():
    assert refused(one(entry=2)) == "the launch begins at instruction 2, the program has 2"


def test_an_instruction_with_more_transactions_than_there_is_room_for():
    loads = [{"name": "load", "dst": A + number, "a": LANE, "imm": 256 * number} for number in range(9)]
    assert refused(one(*loads), core__lanes=64).endswith(
        "it may take 576 transactions, a load/store unit has room for 512; use longer lines (l1.line = 64) or fewer lanes (core.lanes = 64)"
    )
    assert "it may take 1024 transactions" in refused(one(*loads[:4]), core__lanes=64, l1__bytes=0, l1__line=1, lsu__sector=1)
    machine(one(*loads[:8]), core__lanes=64)

    views, samplers = np.zeros((1, VIEW_COLUMNS), np.int32), np.zeros((1, 4), np.int32)
    views[0, VIEW_FORMAT], samplers[0, SAMPLER_FILTER] = F_RGBA32F, TRILINEAR
    sample = one({"name": "sample", "dst": A, "a": B, "b": C, "view": 0}, views=views, samplers=samplers)
    assert "it may take 1024 transactions" in refused(sample, core__lanes=64, texture__count=1)
    machine(sample, core__lanes=32, texture__count=1)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"dram.row": 100}, "dram.row = 100: a row holds whole lines, so it is a multiple of 64"),
        ({"l2.line": 32}, "l2.line = 32: not a multiple of l1.line = 64, the most that a core asks for at once"),
        ({"l1.bytes": 0, "l2.line": 32}, "l2.line = 32: not a multiple of l1.line = 64, the most that a core asks for at once"),
        ({"fetch.sets": 4096, "fetch.ways": 2},
         "fetch.sets = 4096: with fetch.ways = 2 the instruction cache has 8192 lines; there is room for 4096"),
        ({"texture.bytes": 100}, "texture.bytes = 100: not a multiple of l1.line x texture.ways = 128"),
    ],
)  # fmt: skip
def test_settings_that_do_not_go_together(changes, message):
    with pytest.raises(ConfigError) as error:
        load_config(Config(), {**SMALL, **changes})
    assert str(error.value) == message


def test_rows_of_dram_do_not_matter_where_there_is_none():
    assert config(dram__row=100, memory__kind="channels").dram.row == 100


def program():
    code = Assembly()
    code.op("shl", A, GLOBAL, imm=2)
    code.load(B, A)
    code.op("add", B, B, imm=1)
    code.store(A, B)
    code("exit")
    return code.program(threads=20, block=8)


def test_data_are_where_the_program_says_and_memory_ends_where_the_machine_says():
    data = np.arange(40, dtype=np.uint8)
    result = run(program().with_data(data))
    expected = data.view(np.uint32).astype(np.uint32)
    assert len(result.memory) == 4096
    assert words(result)[:10].tolist() == (expected + 1).tolist()
    assert words(result)[10:20].tolist() == [1] * 10
    assert result.initial_memory[:40].tolist() == data.tolist()


def test_a_program_may_want_more_memory_than_the_preset_has():
    assert len(run(replace(program(), memory_bytes=10_000)).memory) == 10_000


def test_the_final_registers_are_there():
    result = run(program())
    assert result.detail["registers"].shape[-1] >= 1


def test_two_machines_that_go_the_same_way_have_the_same_state_and_others_have_not():
    one_, two, other = finished(program()), finished(program()), finished(program(), l1__latency=5)
    assert one_.state() == two.state()
    assert one_.state() != other.state()


def test_an_unknown_scheduler_is_refused_with_the_nearest_name():
    with pytest.raises(ConfigError, match=r"^core\.scheduler = 'round_robbin': it is one of .*round_robin"):
        config(core__scheduler="round_robbin")


def test_results_of_both_engines_are_equal():
    plain, fast = run(program()), GPU(config(), engine="native").run(program())
    assert (plain.cycles, plain.counters, plain.status) == (fast.cycles, fast.counters, fast.status)
    assert np.array_equal(plain.memory, fast.memory)
    assert np.array_equal(plain.detail["profile"], fast.detail["profile"])


def test_reconvergence_points_are_found_for_machines_with_a_stack_only():
    code = Assembly()
    code.branch(LANE, "end")
    code("nop")
    code.label("end")
    code("exit")
    assert machine(code.program()).program.uops[0, u.RECONVERGE] == 2
    assert machine(code.program(), core__divergence="uniform").program.uops[0, u.RECONVERGE] == u.NONE
