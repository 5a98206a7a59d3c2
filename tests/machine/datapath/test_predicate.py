"""A predicate leaves lanes out of one micro-op in every unit, and lanes are counted and drawn without them."""

import numpy as np
import pytest

from tests.machine.programs import FREE, GLOBAL, LANE, THREAD, Assembly, issues, run, words
from warploom.isa import uop as u
from warploom.isa.uop import IMMEDIATE, scalar
from warploom.machine.accounting import reasons as r
from warploom.machine.accounting.counters import COUNTER
from warploom.machine.datapath.predicate import named_lanes, works_once
from warploom.machine.datapath.register_file import WarpRegisters
from warploom.machine.engine.unit import mirror, zeros
from warploom.observe.facts.timeline import MASK, timeline

A, B, C, D = range(FREE, FREE + 4)
ODD = scalar(0)  # lanes 1 and 3
PATHS = ["stack", "minpc", "its"]  # mechanisms that let lanes of a warp disagree


def odd_lanes():
    """A program that begins with ODD = the odd lanes, and D = the address of the thread's word."""
    code = Assembly()
    code.op("and", A, LANE, imm=1)
    code("ballot", dst=ODD, a=A)
    code.op("shl", D, GLOBAL, imm=2)
    return code


def stored(code, *, threads=4, **changes):
    """Each thread's register B at the end, or 0 for a thread that has ended before."""
    code.store(D, B)
    code("exit")
    result = run(code.program(threads=threads, block=threads), **{"core__lanes": threads} | changes)
    assert result.status == "done", result.fault
    return words(result)[:threads].tolist()


def test_a_store_writes_the_lanes_that_its_predicate_names():
    for flags, expected in ((0, [0, 7, 0, 7]), (u.NEGATE_PREDICATE, [7, 0, 7, 0])):
        code = odd_lanes()
        code.mov(C, 7)
        code("store", a=D, b=C, predicate=ODD, flags=flags)
        code("exit")
        assert words(run(code.program()))[:4].tolist() == expected


def test_an_address_of_a_lane_that_is_left_out_is_not_looked_at():
    code = odd_lanes()
    code.mov(C, -16)  # far outside of memory
    code("sel", dst=C, a=D, b=C, c=A)
    code.mov(B, 7)
    code("store", a=C, b=B, predicate=ODD)
    code("load", dst=B, a=C, predicate=ODD)
    code("exit")
    result = run(code.program())
    assert (result.status, words(result)[:4].tolist()) == ("done", [0, 7, 0, 7])


def test_a_load_and_an_atomic_write_no_register_of_a_lane_that_is_left_out():
    for name, value, memory in (("load", [9, 5, 9, 5], [5] * 4), ("atomic_add", [9, 5, 9, 5], [5, 6, 5, 6])):
        code = odd_lanes()
        code.mov(C, 5)
        code.store(D, C, offset=64)
        code.mov(B, 9)
        code.mov(C, 1)
        code(name, dst=B, a=D, imm=64, predicate=ODD, **({"b": C} if name != "load" else {}))
        assert stored(code) == value
        again = run(code.program())
        assert words(again)[16:20].tolist() == memory


@pytest.mark.parametrize("space", [u.SHARED_SPACE, u.GLOBAL_SPACE])
def test_transactions_and_passes_are_those_of_the_lanes_that_take_part(space):
    code = odd_lanes()
    code.op("shl", C, LANE, imm=7)
    here = len(code.instructions)
    code("load", dst=B, a=C, predicate=ODD, space=space)
    code("load", dst=B, a=C, predicate=scalar(4), space=space)  # names no lane
    code("exit")
    profile = run(code.program(shared_bytes=1024, memory_bytes=4096), shared__banks=32).detail.profile
    assert profile[here, [r.PASSES if space == u.SHARED_SPACE else r.TRANSACTIONS, r.LANES]].tolist() == [2, 2]
    assert profile[here + 1, [r.PASSES, r.TRANSACTIONS, r.LANES, r.SECTORS_NEEDED]].tolist() == [0] * 4


@pytest.mark.parametrize("mechanism", PATHS)
def test_an_exit_ends_the_lanes_that_its_predicate_names(mechanism):
    for flags, expected in ((0, [3, 0, 3, 0]), (u.NEGATE_PREDICATE, [0, 3, 0, 3])):
        code = odd_lanes()
        code.mov(B, 3)
        code("exit", predicate=ODD, flags=flags)
        assert stored(code, core__divergence=mechanism) == expected


def test_an_exit_that_names_no_lane_ends_none():
    code = odd_lanes()
    code.mov(B, 3)
    code("exit", predicate=scalar(4))
    assert stored(code, core__divergence="uniform") == [3] * 4


@pytest.mark.parametrize("mechanism", PATHS)
@pytest.mark.parametrize("name", ["branch", "jump", "call", "jump_register"])
def test_lanes_that_are_left_out_do_not_jump(mechanism, name):
    code = odd_lanes()
    code("mov", dst=C, a=IMMEDIATE, imm="there")
    code("nop")  # so that "there" is even: a jump through a register drops the lowest bit
    fields = {"branch": {"a": A, "imm": 1}, "call": {"dst": C}, "jump_register": {"a": C}}.get(name, {})
    code(name, target="there", predicate=ODD, **fields)
    code.op("add", B, B, imm=1)
    code.op("add", B, B, imm=1)
    code.label("there")
    code.op("add", B, B, imm=10)
    assert stored(code, core__divergence=mechanism) == [12, 10, 12, 10]


def test_a_predicate_and_the_condition_of_a_branch_are_negated_apart():
    for flags, taken in ((0, [3]), (u.NEGATE, [1]), (u.NEGATE_PREDICATE, [2]), (u.NEGATE | u.NEGATE_PREDICATE, [0])):
        code = odd_lanes()
        code("branch", a=LANE, imm=2, target="there", predicate=ODD, flags=flags)
        code.mov(B, 1)
        code.label("there")
        found = stored(code, core__divergence="stack")
        assert [lane for lane in range(4) if found[lane] == 0] == taken


def test_the_machine_without_a_mechanism_says_which_lanes_a_predicate_sets_apart():
    code = odd_lanes()
    code("jump", target="there", predicate=ODD)
    code.label("there")
    code.mov(B, 1)
    code("exit")
    result = run(code.program(), core__divergence="uniform")
    assert result.status == "error" and "lanes 1, 3 take it, lanes 0, 2 do not" in result.fault


@pytest.mark.parametrize("mechanism", PATHS)
def test_lanes_that_are_left_out_do_not_wait_at_a_barrier(mechanism):
    """Lane 0 of each warp writes before the barrier, the others have nothing to wait for: every block ends."""
    code = odd_lanes()
    code("barrier", imm=0, predicate=ODD)
    code("barrier", imm=0)
    code.mov(B, 4)
    code.store(D, B)
    code("exit")
    result = run(code.program(threads=8, block=8), core__divergence=mechanism)
    assert (result.status, words(result)[:8].tolist()) == ("done", [4] * 8)


def test_operations_on_a_warp_are_left_out_when_no_lane_takes_part():
    code = odd_lanes()
    code("trap", imm=3, predicate=scalar(4))
    code("exit_warp", predicate=scalar(4))
    code.mov(B, 2)
    assert stored(code) == [2] * 4


def test_an_operation_that_sets_the_mask_has_no_predicate():
    code = odd_lanes()
    code("set_mask", a=A, predicate=ODD)
    code("exit")
    with pytest.raises(ValueError, match="set_mask sets the mask itself, and has none") as refused:
        run(code.program())
    assert type(refused.value).__name__ == "ProgramError"


def test_lanes_are_counted_and_drawn_by_mask_and_predicate():
    code = odd_lanes()
    start = len(code.instructions)
    code("add", dst=B, a=B, b=IMMEDIATE, imm=1, predicate=ODD)
    code("store", a=D, b=B, predicate=ODD, flags=u.NEGATE_PREDICATE)
    code("branch", a=A, imm=1, target=start + 3, predicate=scalar(4))
    code("exit")
    result = run(code.program(), tracing=True)
    assert result.detail.profile[start : start + 4, r.LANES].tolist() == [2, 2, 0, 4]
    assert [mask for _, _, pc, mask in issues(result) if start <= pc < start + 3] == [0b1010, 0b0101, 0]
    assert result.counters["thread_instructions"] == 4 * (start + 1) + 4
    spans = timeline(result).spans
    assert {int(mask) for mask in spans[:, MASK]} >= {0b1010, 0b0101, 0}
    assert "thread_instructions" in COUNTER


def test_a_bundle_has_the_lanes_of_all_its_micro_ops():
    code = odd_lanes()
    start = len(code.instructions)
    code.mov(C, 6)
    code.bundle(
        {"name": "store", "a": D, "b": C, "predicate": ODD},
        {"name": "store", "a": D, "b": C, "imm": 16, "predicate": ODD, "flags": u.NEGATE_PREDICATE},
        {"name": "add", "dst": C, "a": C, "b": C},
    )
    code("store", a=D, b=C, imm=32)
    code("exit")
    result = run(code.program())
    assert result.detail.profile[start + 1, r.LANES] == 4
    assert words(result)[:12].tolist() == [0, 6, 0, 6, 6, 0, 6, 0, 12, 12, 12, 12]


def test_both_engines_agree_on_predicates_with_more_than_32_lanes():
    code = odd_lanes()
    code.op("shl", C, LANE, imm=2)
    code("store", a=C, b=LANE, predicate=ODD)
    code("atomic_add", dst=B, a=C, b=LANE, imm=256, predicate=ODD, flags=u.NEGATE_PREDICATE)
    code("load", dst=A, a=C, space=u.SHARED_SPACE, predicate=ODD)
    code("barrier", imm=0, predicate=ODD)
    code("call", dst=A, target="function", predicate=ODD)
    code("branch", a=LANE, imm=0xFFFFFFFF, target="end", predicate=ODD)
    code("exit", predicate=ODD, flags=u.NEGATE_PREDICATE)
    code.label("function")
    code("store", a=C, b=LANE, imm=512, predicate=ODD)
    code.label("end")
    code("exit")
    program = code.program(threads=128, block=64, shared_bytes=256)
    found = [run(program, engine=engine, core__lanes=64, core__divergence="its", tracing=True) for engine in ("python", "native")]
    assert [result.status for result in found] == ["done", "done"], found[0].fault
    assert words(found[0])[:64].tolist() == [lane if lane % 2 else 0 for lane in range(64)]
    assert (found[0].memory == found[1].memory).all()
    assert np.array_equal(found[0].detail.events, found[1].detail.events)
    assert np.array_equal(found[0].detail.profile, found[1].detail.profile)


def test_an_instruction_on_scalar_registers_alone_counts_one_lane():
    """A program with a scalar unit of its own: its instructions work once for the warp. With a lane's register in it, it is the lanes'."""
    code = odd_lanes()
    first = len(code.instructions)
    code("load_scalar", dst=scalar(4), a=IMMEDIATE, imm=0)
    code("add", dst=scalar(5), a=scalar(4), b=IMMEDIATE, imm=1)
    code("mov", dst=B, a=scalar(5))
    code("mov", dst=B, a=scalar(5), predicate=ODD)
    code("ballot", dst=scalar(6), a=B)
    code("exit")
    profile = run(code.program()).detail.profile
    assert profile[first : first + 5, r.LANES].tolist() == [1, 1, 4, 2, 4]


def test_what_works_on_scalar_registers_alone_works_once_a_warp_and_what_reads_lanes_in_each():
    """The first and the last scalar register as the first, second and third source."""
    last = u.SCALARS - 1
    code = Assembly()
    code("nop", predicate=scalar(0))  # a program without predicates counts the lanes of its warps
    for first in (0, last):
        code("mad", dst=scalar(3), a=scalar(first), b=IMMEDIATE, c=scalar(5), imm=2)
        code("mad", dst=scalar(3), a=scalar(5), b=scalar(first), c=scalar(5))
        code("mad", dst=scalar(3), a=scalar(5), b=IMMEDIATE, c=scalar(first), imm=2)
    once = len(code.instructions)
    code("ballot", dst=scalar(8), a=THREAD)
    code("add", dst=B, a=scalar(0), b=IMMEDIATE, imm=2)
    code("exit")
    result = run(code.program())
    assert result.detail.profile[:, r.LANES].tolist()[1:-1] == [1] * (once - 1) + [4, 4]


@pytest.mark.parametrize("lanes", [32, 33, 64])
@pytest.mark.parametrize("flags", [0, u.NEGATE_PREDICATE])
def test_a_predicate_of_more_than_32_lanes_is_a_pair_of_registers(lanes, flags):
    (registers,) = mirror(zeros(1, WarpRegisters))
    registers.scalar[:3] = 0xFFFFFFFF, 0x80000001, 0x00010001
    uops = np.array([u.Uop("add", predicate=scalar(1), flags=flags).row(), u.Uop("add").row()])
    bits = 0x80000001 | (0x00010001 << 32 if lanes > 32 else 0)
    kept = (1 << lanes) - 1
    assert int(named_lanes(registers, uops, 0, lanes)) & kept == (bits & kept if not flags else ~bits & kept)
    assert int(named_lanes(registers, uops, 1, lanes)) & kept == kept


@pytest.mark.parametrize(
    ("name", "once"),
    [
        *(("load_scalar", True), ("store_scalar", True), ("branch_scalar", True), ("write_mask", True)),
        *(("load", False), ("store", False), ("branch", False), ("ballot", False), ("barrier", False)),
    ],
)
def test_micro_ops_of_a_scalar_unit_work_once_whatever_they_read(name, once):
    assert bool(works_once(np.array([u.Uop(name, dst=B, a=A, b=C).row()]), 0)) == once


@pytest.mark.parametrize("target", [A, u.SCALAR - 1, scalar(0), scalar(u.SCALARS - 1)])
@pytest.mark.parametrize("place", "abc")
def test_a_micro_op_works_once_when_no_register_of_lanes_is_in_it(target, place):
    for source, of_lanes in (
        (0, True),
        (u.SCALAR - 1, True),
        (scalar(0), False),
        (scalar(1), False),
        (u.IMMEDIATE, False),
        (u.NONE, False),
    ):
        row = u.Uop("mad", dst=target, **({"a": scalar(2), "b": IMMEDIATE, "c": scalar(3)} | {place: source})).row()
        assert bool(works_once(np.array([row]), 0)) == (target >= u.SCALAR and not of_lanes), source
