"""A program's tables are checked as a whole before the first cycle: what is wrong is refused, what is let through runs alike everywhere."""

import pickle
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.machine.programs import FREE, GLOBAL, LANE, SMALL, Assembly
from warploom.gpu import GPU
from warploom.isa import guppy, table_check, tiny
from warploom.isa import uop as u
from warploom.isa.program import Position, Source
from warploom.isa.table_check import ProgramError, check_tables
from warploom.machine.accounting.status import LaunchError
from warploom.machine.config.presets import load_config
from warploom.machine.config.schema import Config

A, B, C = range(FREE, FREE + 3)
BYTES = 4096


def program():
    """Something of everything that a machine of the small kind can do."""
    code = Assembly()
    code.op("shl", A, GLOBAL, imm=2)
    code.load(B, A)
    code.op("slt", C, B, imm=8)
    code("ballot", dst=u.scalar(2), a=C)
    code("add", dst=B, a=B, b=u.IMMEDIATE, imm=3, predicate=u.scalar(2))
    code.branch(C, "skip")
    code("atomic_add", dst=B, a=A, b=B, imm=64)
    code.label("skip")
    code.store(LANE, B, size=1, space=u.SHARED_SPACE)
    code("barrier", a=u.IMMEDIATE)
    code.bundle({"name": "add", "dst": B, "a": B, "b": C}, {"name": "store", "a": A, "b": B})
    code("exit")
    return code.program(threads=8, block=4, scalars=4, shared_bytes=64, data=np.arange(256, dtype=np.uint8))


def kernel():
    """The same of what compiled kernels need."""
    code = Assembly()
    code("special", dst=A, imm=u.SPECIAL_NUMBER["thread_x"])
    code.op("shl", A, A, imm=3)
    code.store(A, B, size=8)
    code("barrier_count", dst=C, c=A)
    code("match_any", dst=B, a=C)
    code("lane_bit", dst=B, a=u.scalar(2))
    code("insert_lane", dst=B, a=C, b=u.IMMEDIATE, imm=3)
    code("get_scalar", dst=u.scalar(2), a=u.scalar(3))
    code("put_scalar", a=u.IMMEDIATE, b=u.scalar(3), imm=2)
    code("get_register", dst=B, a=u.scalar(3), imm=1)
    code("put_register", a=u.scalar(3), b=C, imm=1)
    code("shuffle_up", dst=B, a=A, b=u.IMMEDIATE, c=u.scalar(1), imm=1)
    code("atomic_fadd", dst=B, a=u.NONE, b=C, imm=128)
    code("atomic_cas", dst=B, a=u.scalar(0), b=B, c=u.scalar(0), size=8)
    code("note", a=A, b=B, imm=3)
    code("sync_warp", a=u.IMMEDIATE, imm=15)
    code("grid_barrier")
    code("exit")
    return code.program(threads=8, block=4, scalars=4).with_launch(scalars=(64, 2))


def changed(base, table, row, column, value):
    copy = getattr(base, table).copy()
    copy[row, column] = value
    return replace(base, **{table: copy})


def refused(wrong):
    with pytest.raises(ProgramError) as caught:
        check_tables(wrong, BYTES)
    return str(caught.value)


def test_whole_programs_pass():
    check_tables(program(), BYTES)
    check_tables(kernel(), BYTES)
    check_tables(tiny.assemble(".threads 4\nCONST R1, #3\nSTR R1, R1\nBRnzp 200\nRET"), 256)
    check_tables(tiny.program([0, 0x9FFF, 0xFFFF, 0x1234, 0x7D00], [], 4), 256)


@pytest.mark.parametrize(
    ("column", "value", "said"),
    [
        (u.OP, 9999, "operation 9999: there are 0 to"),
        (u.OP, -1, "operation -1"),
        (u.DST, 600, "destination is register 600: the program says that it has 32"),
        (u.DST, u.scalar(u.SCALARS), f"destination is scalar register {u.SCALARS}: a warp has {u.SCALARS}"),
        (u.DST, u.IMMEDIATE, "destination is register -2"),
        (u.A, 40, "source A is register 40: the program says that it has 32"),
        (u.B, -7, "source B is register -7"),
        (u.PREDICATE, 3, "predicate 3: it is a pair of scalar registers"),
        (u.PREDICATE, u.scalar(u.SCALARS - 1), "predicate"),
        (u.SIZE, 3, "size 3: it is 1, 2 or 4 bytes"),
        (u.SPACE, 4, "address space 4: there are 0 to 3"),
        (u.UNIT, u.CONTROL, "unit 5: shl is of unit 0 (alu)"),
        (u.LATENCY, len(u.LATENCIES), f"latency class {len(u.LATENCIES)}: there are 0 to {len(u.LATENCIES) - 1}"),
        (u.VIEW, 0, "view 0: the program has 0"),
        (u.FLAGS, u.FLAG_VALUES, f"flags {u.FLAG_VALUES}"),
        (u.RECONVERGE, -2, "reconvergence point -2"),
    ],
)
def test_a_wrong_number_in_a_micro_op_is_named_with_its_instruction(column, value, said):
    message = refused(changed(program(), "uops", 0, column, value))
    assert message.startswith(f"instruction 0 ({program().text[0]}), micro-op 0: {said}")


@pytest.mark.parametrize(
    ("column", "value", "said"),
    [
        (u.FIRST_UOP, 100, "first micro-op 100: the program has 12"),
        (u.FIRST_UOP, -1, "first micro-op -1"),
        (u.COUNT, 0, "0 micro-ops from 9 on"),
        (u.COUNT, 9, "9 micro-ops from 9 on: the program has 12"),
        (u.ISSUE_UNIT, len(u.UNITS), f"issue unit {len(u.UNITS)}: there are 0 to {len(u.UNITS) - 1}"),
        (u.ISSUE_UNIT, u.CONTROL, "issue unit 5 (control), and its micro-ops are of alu, memory"),
        (u.ISSUE_LATENCY, len(u.LATENCIES), f"issue latency {len(u.LATENCIES)}"),
        (u.USES, u.MAX_USES + 1, f"{u.MAX_USES + 1} register groups: an instruction has at most {u.MAX_USES}"),
        (u.WRITES, 7, "7 register groups are written, of"),
        (u.USE, u.SCALAR_GROUP + u.SCALARS, "register group"),
        (u.READ_A, 77, "read port A is register 77"),
        (u.FILE, 1, "source 1: the program has 1"),
        (u.LINE, -1, "line -1"),
    ],
)
def test_a_wrong_number_in_an_instruction_is_named(column, value, said):
    base = program()
    if column == u.FILE:
        base = changed(base, "code", 9, u.LINE, 1)
    message = refused(changed(base, "code", 9, column, value))
    assert message.startswith(f"instruction 9 ({base.text[9]}): ")
    assert said in message


def test_targets_destinations_and_pairs():
    base = program()
    rows = {u.OPERATIONS[int(row[u.OP])].name: number for number, row in enumerate(base.uops)}
    assert "target -1: it is an instruction number, from 0" in refused(changed(base, "uops", rows["branch"], u.TARGET, -1))
    assert "destination -1: load writes lane registers" in refused(changed(base, "uops", rows["load"], u.DST, u.NONE))
    assert "a pair of scalar registers" in refused(changed(base, "uops", rows["ballot"], u.DST, u.scalar(u.SCALARS - 1)))
    assert "destination 65536: atomic_add writes a lane register" in refused(changed(base, "uops", rows["atomic_add"], u.DST, u.scalar(0)))


def test_tables_of_another_shape_kind_or_order():
    base = program()
    assert "uops is int64[12, 16], and must be int32[n, 16]" in refused(replace(base, uops=base.uops.astype(np.int64)))
    assert f"code is int32[11, 5], and must be int32[n, {u.CODE_COLUMNS}]" in refused(replace(base, code=base.code[:, :5]))
    assert "the rows of code do not follow one another" in refused(replace(base, code=np.asfortranarray(base.code)))
    assert "data is int64[3], and must be uint8[n]" in refused(replace(base, data=np.zeros(3, np.int64)))
    assert "10 texts for 11 instructions" in refused(replace(base, text=base.text[:-1]))
    assert "scalars = 161: it must be 0 to 160" in refused(replace(base, scalars=161))
    assert "lock_width = 0" in refused(replace(base, lock_width=0))


def test_what_a_launch_writes():
    base = program()
    assert "the launch writes register 32: the program says that it has 32" in refused(base.with_launch(registers=((32, "lane"),)))
    assert "the special register 'lanee', which does not exist" in refused(base.with_launch(registers=((1, "lanee"),)))
    assert "the launch's argument is -1" in refused(base.with_launch(argument=-1))


def test_views_and_samplers():
    base = guppy.assemble(
        ".threads 4\n.buffer t0 16 iota\n.image u0 4 4\n.sampler s0\nld r0.x, t0.x, r1.x\nst u0.xyzw, r1.xy, r0.xyzw\nret"
    )
    check_tables(base, len(base.data))
    assert "view 0 (t0): 64 bytes from byte 256 on: memory has 100" in refused_in(base, 100)
    from warploom.isa import views as v

    assert "format 99: there are 0 to 7" in refused(changed(base, "views", 1, v.VIEW_FORMAT, 99))
    assert "size" not in refused(changed(base, "views", 1, v.VIEW_HEIGHT, 400))
    assert "view 1: store_image writes texels of 4 bytes, in rows that lie inside the view" in refused(
        changed(base, "views", 1, v.VIEW_PITCH, 1000)
    )


def refused_in(program, size):
    with pytest.raises(ProgramError) as caught:
        check_tables(program, size)
    return str(caught.value)


def test_a_position_in_a_second_source_names_that_source():
    base = changed(program(), "code", 0, u.LINE, 2)
    two = replace(changed(base, "code", 0, u.FILE, 1), sources=(Source("a\nb", "main.c"), Source("c\nd", "lib.h")))
    check_tables(two, BYTES)
    assert two.position(0) == Position(2, 1, 1)
    assert two.where(0).startswith("lib.h:2 (")


def ran(wrong, engine, control):
    """What a machine makes of a program: its refusal, or all that a run leaves. One cycle limit for both engines."""
    configured = load_config("tiny") if control == "sequencer" else load_config(Config(), SMALL)
    try:
        result = GPU(configured, engine=engine).run(wrong, max_cycles=400)
    except (ProgramError, LaunchError) as error:
        return str(error)
    return result.status, result.cycles, result.instructions, result.memory.tobytes(), result.counters, result.fault, result.notes


TINY = tiny.assemble(".threads 8\nMUL R0, %blockIdx, %blockDim\nADD R0, R0, %threadIdx\nLDR R1, R0\nCMP R1, R0\nBRz 6\nSTR R0, R1\nRET")
NUMBERS = st.one_of(
    st.integers(-3, 40), st.integers(u.SCALAR - 2, u.SCALAR + u.SCALARS + 1), st.integers(500, 600), st.integers(-(1 << 31), (1 << 31) - 1)
)


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data(), control=st.sampled_from(["pipeline", "sequencer"]), table=st.sampled_from(["uops", "code"]))
def test_a_changed_number_is_refused_or_runs_alike_on_both_engines(data, control, table):
    """Without the check a wrong number reads and writes outside of the arrays, natively."""
    base = data.draw(st.sampled_from([program(), kernel()]), label="base") if control == "pipeline" else TINY
    rows, columns = getattr(base, table).shape
    row = data.draw(st.integers(0, rows - 1), label="row")
    column = data.draw(st.integers(0, (u.USE + 4 if table == "code" else columns) - 1), label="column")
    wrong = changed(base, table, row, column, data.draw(NUMBERS, label="value"))
    assert ran(wrong, "python", control) == ran(wrong, "native", control)


@pytest.mark.parametrize(
    ("uop", "said"),
    [
        ({"name": "barrier_count", "dst": u.scalar(0), "c": 1}, f"destination {u.SCALAR}: barrier_count writes a lane register"),
        ({"name": "insert_lane", "dst": u.scalar(0), "a": 1, "b": 1}, f"destination {u.SCALAR}: insert_lane writes lane registers"),
        ({"name": "get_scalar", "dst": 1, "a": 1}, "destination 1: get_scalar writes a scalar register"),
        ({"name": "or_lanes", "dst": 1, "a": 1, "b": 1}, "destination 1: or_lanes writes a scalar register"),
        ({"name": "lane_bit", "dst": 1, "a": 1}, "source A 1: it is a pair of scalar registers"),
        ({"name": "match_any", "dst": 1, "a": 1, "imm": -1}, "half -1: match_any gives half 0 or 1 of the lanes"),
        ({"name": "match_any", "dst": 1, "a": 1, "imm": 2}, "half 2: match_any gives half 0 or 1 of the lanes"),
    ],
)
def test_operands_that_an_operation_does_not_have_are_refused(uop, said):
    code = Assembly()
    code(**uop)
    code("exit")
    with pytest.raises(ProgramError, match=said):
        check_tables(code.program(), BYTES)


def test_what_has_passed_is_checked_again_only_when_it_has_changed(monkeypatch):
    found, checked = program(), []
    right = table_check._rows
    monkeypatch.setattr(table_check, "_rows", lambda program, memory_bytes: checked.append(memory_bytes) or right(program, memory_bytes))
    for memory_bytes in (BYTES, BYTES, 2 * BYTES, BYTES):
        check_tables(found, memory_bytes)
    assert checked == [BYTES, 2 * BYTES]
    found.uops[0, u.DST] = u.REGISTERS + 5  # somebody writes to a table
    for _ in range(2):
        with pytest.raises(ProgramError):
            check_tables(found, BYTES)
    check_tables(pickle.loads(pickle.dumps(program())), BYTES)
    assert checked == [BYTES, 2 * BYTES, BYTES, BYTES, BYTES]


def test_a_program_that_is_made_from_another_is_checked_itself():
    found = program()
    check_tables(found, BYTES)
    wrong = found.uops.copy()
    wrong[0, u.DST] = u.REGISTERS + 5
    with pytest.raises(ProgramError):
        check_tables(replace(found, uops=wrong), BYTES)
