"""Every operation against the naive model, and what holds for all of them: mask, predicate, size, operands, scalars."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.machine.datapath.alu_model import EDGES, MODEL, NAMES, WORD, compute, executed, warp
from warploom.isa import uop as u
from warploom.isa.uop import IMMEDIATE, NEGATE_PREDICATE, NONE, SPECIALS, Uop, scalar
from warploom.machine.accounting.notes import NOTE_COLUMNS, THREAD, WRITTEN
from warploom.machine.datapath.alu import execute, execute_with_doubles, execute_with_notes, execute_with_rounding
from warploom.machine.engine.unit import mirror
from warploom.machine.run.tables import Tables

words = st.one_of(st.sampled_from(EDGES), st.integers(0, WORD), st.integers(0, 255))
TRANSCENDENTAL = {"frsqrt", "fsin", "fcos", "fexp2", "flog2"}
# Their operands are of kinds of their own: test_cross_lane.py.
SINGLE = {"lane_bit", "insert_lane", "get_scalar", "put_scalar", "get_register", "put_register"}
ACROSS = {"ballot", "or_lanes", "shuffle", "shuffle_up", "shuffle_down", "shuffle_xor", "match_any", "permute", "special"} | SINGLE


def test_the_model_and_the_other_tests_cover_every_operation_of_the_table():
    assert set(NAMES) == set(MODEL) | TRANSCENDENTAL | ACROSS | {"look_up"}  # of a program's own tables: tests/isa/sass/mufu


def test_every_operation_of_the_alu_has_a_datapath_and_no_other_has():
    for operation in u.OPERATIONS:
        assert (operation.datapath != u.NO_DATAPATH) == (operation.unit in (u.ALU, u.SPECIAL)), operation.name
        assert 0 <= operation.datapath < len(u.DATAPATHS)


@pytest.mark.parametrize("name", sorted(MODEL))
def test_the_datapath_of_an_operation_computes_it(name):
    """A datapath without a case for the operation would leave what the one before it put out."""
    registers = warp(32)
    registers["lane"][0, 1:4] = np.array([[0x40400000], [3], [5]])
    for left in (0, 0x12345678):
        registers["result"][:] = left
        after = executed(registers, Uop(name, 4, a=1, b=2, c=3), 32)
        assert (after["lane"][0, 4, :32] == MODEL[name](0x40400000, 3, 5) & WORD).all()


@pytest.mark.parametrize("name", [name for name in NAMES if name not in SINGLE])
def test_every_operation_of_the_table_changes_its_destination(name):
    registers = warp(32)
    registers["lane"][0, 1, :] = 0x40400000
    registers["lane"][0, 2, :] = 3
    registers["lane"][0, 4, :] = registers["scalar"][0, 4:6] = 0xDEADBEEF
    registers["special"][0, :] = 7
    after = executed(registers, Uop(name, scalar(4) if name in ("ballot", "or_lanes") else 4, a=1, b=2, c=2, imm=5), 32)
    if name == "ballot":
        assert after["scalar"][0, 4:6].tolist() == [WORD, 0]
    elif name == "or_lanes":
        assert after["scalar"][0, 4:6].tolist() == [0x40400003, 0xDEADBEEF]
    else:
        assert (after["lane"][0, 4, :32] != 0xDEADBEEF).all()
        assert (after["lane"][0, 4, 32:] == 0xDEADBEEF).all()


@pytest.mark.every(3)
@pytest.mark.parametrize("name", sorted(MODEL))
def test_an_operation_means_what_the_table_says_for_all_pairs_of_edge_values(name):
    pairs = [(x, y) for x in EDGES for y in (EDGES if "b" in u.OPERATIONS[u.NUMBER[name]].operands else EDGES[:1])]
    a, b = [x for x, _ in pairs], [y for _, y in pairs]
    c = [EDGES[(7 * k) % len(EDGES)] for k in range(len(pairs))]
    assert compute(name, a, b, c) == [MODEL[name](*operands) & WORD for operands in zip(a, b, c, strict=True)]


@settings(deadline=None, max_examples=300)
@given(st.sampled_from(sorted(MODEL)), st.lists(st.tuples(words, words, words), min_size=1, max_size=64))
def test_an_operation_means_what_the_table_says_for_any_values(name, triples):
    a, b, c = zip(*triples, strict=True)
    assert compute(name, a, b, c) == [MODEL[name](*operands) & WORD for operands in triples]


@settings(deadline=None, max_examples=200)
@given(st.data())
def test_a_micro_op_writes_what_the_model_says_where_mask_and_predicate_let_it(data):
    name = data.draw(st.sampled_from(sorted(MODEL)))
    lanes = data.draw(st.sampled_from([1, 4, 8, 31, 32, 33, 64]))
    active = data.draw(st.sets(st.integers(0, lanes - 1)))
    kinds = st.sampled_from([1, 2, 3, scalar(0), scalar(1), IMMEDIATE])
    a, b, c = data.draw(kinds), data.draw(kinds), data.draw(kinds)
    destination = data.draw(st.sampled_from([1, 2, 3, 4]))
    size = data.draw(st.sampled_from([1, 2, 4]))
    predicate = data.draw(st.sampled_from([NONE, scalar(2)]))
    flags = data.draw(st.sampled_from([0, NEGATE_PREDICATE]))
    imm = data.draw(words)
    registers = warp(lanes, active)
    random = np.random.default_rng(data.draw(st.integers(0, 1000)))
    registers["lane"][0, :5] = random.choice(np.array(EDGES, np.uint32), (5, 64))
    registers["scalar"][0, :2] = random.choice(np.array(EDGES, np.uint32), 2)
    registers["scalar"][0, 2:4] = random.integers(0, 1 << 32, 2, dtype=np.uint64)
    row = registers["lane"][0, :, :].tolist()
    held = registers["scalar"][0].tolist()

    def operand(code, lane):
        return imm if code == IMMEDIATE else held[code - u.SCALAR] if code >= u.SCALAR else row[code][lane]

    allowed = (held[2] | held[3] << 32) ^ ((1 << 64) - 1 if flags else 0) if predicate != NONE else (1 << 64) - 1
    expected = registers["lane"][0, : u.REGISTERS].copy()
    for lane in active:
        if allowed >> lane & 1:
            result = MODEL[name](operand(a, lane), operand(b, lane), operand(c, lane))
            expected[destination, lane] = result & ((1 << 8 * size) - 1)
    after = executed(registers, Uop(name, destination, a, b, c, imm, predicate, size, flags=flags), lanes)
    assert (after["lane"][0, : u.REGISTERS] == expected).all()
    assert after["scalar"][0].tolist() == held


@settings(deadline=None, max_examples=100)
@given(st.sampled_from(sorted(MODEL)), words, words, words, st.sampled_from([1, 2, 4]), st.sampled_from([NONE, scalar(9)]))
def test_a_scalar_destination_is_computed_once_whatever_the_mask(name, x, y, z, size, predicate):
    registers = warp(32, active=[])
    registers["scalar"][0, 5:7] = x, y
    after = executed(registers, Uop(name, scalar(6), scalar(5), scalar(6), IMMEDIATE, z, predicate, size), 32)
    assert after["scalar"][0, 6] == MODEL[name](x, y, z) & ((1 << 8 * size) - 1)
    assert after["scalar"][0, 5] == x
    assert not after["lane"][0, : u.REGISTERS].any()


def test_a_lane_register_gives_a_scalar_destination_its_lane_0():
    registers = warp(32)
    registers["lane"][0, 1, :32] = range(40, 72)
    assert executed(registers, Uop("add", scalar(0), 1, IMMEDIATE, imm=2), 32)["scalar"][0, 0] == 42


def test_a_micro_op_without_destination_writes_no_register():
    registers = warp(32)
    registers["lane"][0, 1] = 5
    after = executed(registers, Uop("add", NONE, 1, 1), 32)
    assert (after["lane"][0] == registers["lane"][0]).all() and not after["scalar"].any()


@pytest.mark.parametrize("name", [name for name in SPECIALS if not name.startswith("thread_")])
def test_special_registers_are_the_same_for_all_lanes_but_those_that_number_threads(name):
    registers = warp(32)
    registers["special"][0] = np.arange(len(SPECIALS)) * 1000 + 100
    first = int(registers["special"][0, u.SPECIAL_NUMBER[name]])
    after = executed(registers, Uop("special", 1, imm=u.SPECIAL_NUMBER[name]), 32)["lane"][0, 1, :32].tolist()
    numbers_threads = name in ("lane", "thread", "global_thread")
    assert after == (list(range(first, first + 32)) if numbers_threads else [first] * 32)
    assert executed(registers, Uop("special", scalar(1), imm=u.SPECIAL_NUMBER[name]), 32)["scalar"][0, 1] == first


@pytest.mark.parametrize("register", [0, 1, 5])
@pytest.mark.parametrize(
    ("unit", "name", "high"),
    [
        (execute, "mov", 77),
        (execute_with_doubles, "mov", 77),
        (execute_with_rounding, "mov", 77),
        (execute_with_notes, "mov", 77),
        (execute_with_doubles, "i2d", 0x3FF00000),
        (execute_with_notes, "i2d", 0x3FF00000),
        (execute_with_rounding, "exact_int", 0x3FF00000),
    ],
)
def test_a_predicate_in_any_scalar_register_leaves_lanes_out_of_each_datapath(unit, name, high, register):
    """Lanes 1 and 2 are named, of lanes 0, 1 and 3 that are active. A result of 64 bits goes into two registers."""
    (registers,) = mirror(warp(active=[0, 1, 3]))
    registers.lane[1], registers.lane[4:6], registers.scalar[register] = 1, 77, 0b0110
    row = Uop(name, dst=4, a=1, predicate=scalar(register)).row()
    unit(registers, Tables(uops=np.array([row], np.int32)), 0, 4)
    low = 1 if name == "mov" else 0
    assert registers.lane[4:6, :4].tolist() == [[77, low, 77, 77], [77, high, 77, 77]]


@pytest.mark.parametrize("register", [NONE, scalar(0), scalar(5)])
def test_a_note_is_written_by_the_lanes_that_its_predicate_names(register):
    (registers,) = mirror(warp(active=[0, 1, 3]))
    registers.scalar[0] = registers.scalar[5] = 0b1010
    log = np.zeros((9, NOTE_COLUMNS), np.int64)
    row = Uop("note", a=1, imm=3, predicate=register).row()
    execute_with_notes(registers, Tables(uops=np.array([row], np.int32), notes=log), 0, 4)
    assert log[1 : 1 + log[0, WRITTEN], THREAD].tolist() == ([0, 1, 3] if register == NONE else [1, 3])
