from types import SimpleNamespace

import numpy as np
import pytest

from tests.machine.tiny_kernels import assemble
from warploom import GPU, LaunchError
from warploom.isa.program import Program
from warploom.isa.program_builder import ProgramBuilder
from warploom.isa.uop import IMM, IMMEDIATE, NONE, SHARED_SPACE, Uop, scalar
from warploom.machine.run.tables import Tables
from warploom.machine.sequencer.decoder import (
    ACCESS,
    COLUMNS,
    FROM_ALU,
    FROM_IMMEDIATE,
    FROM_LSU,
    LOAD,
    NEXT,
    NEXT_BRANCH,
    NEXT_END,
    NEXT_INSTRUCTION,
    NEXT_JUMP,
    READ_A,
    READ_B,
    STORE,
    WRITE_FROM,
    WRITE_TO,
    decode,
    decode_program,
)
from warploom.machine.sequencer.decoder import IMMEDIATE as CONSTANT

PIPELINES = "add --gpu tiny-simt, a machine with warps"


def program(*bundles, registers=8, threads=4):
    """A program of bundles of micro-ops, without a source text."""
    builder = ProgramBuilder()
    for bundle in bundles:
        builder.add(bundle, text=" + ".join(uop.name for uop in bundle), reads=(0, 0))
    uops, code, text = builder.arrays()
    made = Program("test", "test", uops, code, text, registers, ("",) * registers, value_bits=8)
    return made.with_launch(threads=threads, registers=((1, "thread"),))


def test_the_signals_of_the_instructions():
    table, _ = decode_program(assemble("ADD R1, R2, R3\nLDR R4, R5\nSTR R6, R7\nCONST R8, #200\nBRz 0\nRET"))
    assert table[:, WRITE_FROM].tolist() == [FROM_ALU, FROM_LSU, 0, FROM_IMMEDIATE, 0, 0, 0]
    assert table[[0, 1, 3], WRITE_TO].tolist() == [1, 4, 8]
    assert table[:, ACCESS].tolist() == [0, LOAD, STORE, 0, 0, 0, 0]
    assert table[3, CONSTANT] == 200
    assert table[:, NEXT].tolist() == [0, 0, 0, 0, NEXT_BRANCH, NEXT_END, 0]


def test_the_programs_own_micro_ops_stay_as_they_are():
    made = assemble("ADD R1, R2, R3\nRET")
    before = made.uops.copy()
    decode_program(made)
    assert np.array_equal(made.uops, before)


def test_an_instruction_may_load_then_compute_then_branch():
    load_and_add = [Uop("load", dst=2, a=1, size=1), Uop("add", dst=3, a=2, b=IMMEDIATE, imm=5, size=1)]
    compare_and_branch = [Uop("compare", dst=4, a=3, b=3, size=1), Uop("branch", a=4, imm=2, target=3)]
    made = program(load_and_add, compare_and_branch, [Uop("exit")], [Uop("store", a=1, b=3, size=1)], [Uop("exit")])
    result = GPU("tiny", engine="python").run(made, data=[10, 20, 30, 40])
    assert result.status == "done"
    assert result.memory[:4].tolist() == [15, 25, 35, 45]
    assert result.instructions == 4


def test_a_division_by_its_own_destination_counts_the_divisors_that_it_had():
    divide_twice = [Uop("divu", dst=2, a=1, b=2, size=1), Uop("nop"), Uop("divu", dst=3, a=1, b=1, size=1)]
    made = program(divide_twice, [Uop("store", a=1, b=2, size=1)], [Uop("exit")])
    result = GPU("tiny", engine="native").run(made)
    assert result.memory[:4].tolist() == [255] * 4
    assert result.counters["divisions_by_zero"] == 4 + 1
    assert GPU("tiny", set={"quirks.divide_zero": True}).run(made).changed.size == 0


def test_a_jump_takes_everybody():
    made = program([Uop("jump", target=2)], [Uop("store", a=1, b=1, size=1)], [Uop("exit")])
    result = GPU("tiny", engine="python").run(made)
    assert (result.status, result.instructions) == ("done", 2)
    assert len(result.changed) == 0


def test_a_result_may_go_to_a_scalar_register():
    made = program([Uop("mov", dst=scalar(0), a=IMMEDIATE, imm=9)], [Uop("add", dst=2, a=1, b=scalar(0), size=1)],
                   [Uop("store", a=1, b=2, size=1)], [Uop("exit")])  # fmt: skip
    assert GPU("tiny", engine="python").run(made).memory[:4].tolist() == [9, 10, 11, 12]


@pytest.mark.parametrize(
    ("size", "immediate", "constant"),
    [
        (1, 255, 255),
        (1, 256, 0),
        (1, 511, 255),
        (1, -1, 255),
        (2, 65535, 65535),
        (2, 65537, 1),
        (4, -1, -1),
        (4, (1 << 31) - 1, (1 << 31) - 1),
    ],
)
def test_a_constant_is_cut_to_the_size_of_its_register(size, immediate, constant):
    table, _ = decode_program(program([Uop("mov", dst=2, a=IMMEDIATE, imm=immediate, size=size)], [Uop("exit")]))
    assert (table[0, WRITE_FROM], table[0, WRITE_TO], table[0, CONSTANT]) == (FROM_IMMEDIATE, 2, constant)


@pytest.mark.parametrize(
    ("bundle", "missing"),
    [
        ([Uop("load", dst=1, a=0, size=1, space=SHARED_SPACE)], "shared memory"),
        ([Uop("barrier", a=IMMEDIATE)], "barriers"),
        ([Uop("load", dst=1, a=0)], "memory accesses of 4 bytes"),
        ([Uop("load", dst=1, a=0, size=1, view=0)], "views of memory"),
        ([Uop("atomic_add", dst=1, a=0, b=0)], "the operation 'atomic_add'"),
        ([Uop("pop_mask")], "the operation 'pop_mask'"),
        ([Uop("branch", a=scalar(0), imm=1, target=0)], "branches on anything but a register of its threads"),
        ([Uop("branch", a=IMMEDIATE, imm=1, target=0)], "branches on anything but a register of its threads"),
        ([Uop("store", a=0, b=1, size=2)], "memory accesses of 2 bytes"),
        ([Uop("barrier_arrive", a=IMMEDIATE)], "barriers"),
        ([Uop("add", dst=1, a=0, b=0, predicate=scalar(0))], "predicates"),
    ],
)
def test_what_a_core_does_not_have_is_refused(bundle, missing):
    with pytest.raises(LaunchError) as caught:
        decode_program(program(bundle))
    assert (
        str(caught.value) == f"instruction 0 ({bundle[0].name}): a core that runs one instruction at a time has no {missing}; {PIPELINES}"
    )


@pytest.mark.parametrize(
    "bundle",
    [
        [Uop("add", dst=1, a=0, b=0), Uop("load", dst=1, a=0, size=1)],
        [Uop("load", dst=1, a=0, size=1), Uop("store", a=0, b=1, size=1)],
        [Uop("exit"), Uop("add", dst=1, a=0, b=0)],
        [Uop("jump", target=0), Uop("exit")],
    ],
)
def test_an_order_that_the_core_does_not_have_is_refused(bundle):
    with pytest.raises(LaunchError, match="does an instruction's memory access first, then its arithmetic, then its branch"):
        decode_program(program(bundle))


def test_extension_instructions_are_refused_with_their_line():
    with pytest.raises(LaunchError) as caught:
        GPU("tiny").run(assemble("NOP\nBAR\nRET"))
    assert str(caught.value) == f"kernel.asm:3 (BAR): a core that runs one instruction at a time has no barriers; {PIPELINES}"


def test_many_machines_of_one_program_share_its_signals_and_a_changed_program_is_decoded_anew():
    kernel = assemble("CONST R0, #7\nADD R1, R0, R0\nRET\n")
    first, second = (GPU("tiny").machine(kernel) for _ in range(2))
    assert first.signals is second.signals and first.uops is second.uops
    kernel.uops[0, IMM] = 9
    third = GPU("tiny").machine(kernel)
    assert third.signals[0, CONSTANT] == 9 and first.signals[0, CONSTANT] == 7


def test_an_instruction_is_decoded_at_the_program_counter_and_after_the_last_lie_nops():
    tables = Tables(signals=np.zeros((4, COLUMNS), np.int32))
    tables.signals[:, NEXT] = NEXT_INSTRUCTION, NEXT_END, NEXT_JUMP, NEXT_INSTRUCTION
    found = []
    for pc in (0, 1, 2, 3, 4, 255):
        core = SimpleNamespace(pc=pc, row=77, ends=77)
        decode(core, tables)
        found.append((core.row, core.ends))
    assert found == [(0, 0), (1, 1), (2, 0), (3, 0), (3, 0), (3, 0)]


def test_a_read_port_without_a_lane_register_to_read_has_register_0():
    builder = ProgramBuilder()
    for reads in ((3, 4), (0, 7), (scalar(0), 2), (5, scalar(9)), (IMMEDIATE, NONE)):
        builder.add([Uop("nop")], text="nop", reads=reads)
    uops, code, text = builder.arrays()
    table, _ = decode_program(Program("test", "test", uops, code, text, 8, ("",) * 8, value_bits=8))
    assert table[:5, [READ_A, READ_B]].tolist() == [[3, 4], [0, 7], [0, 2], [5, 0], [0, 0]]
