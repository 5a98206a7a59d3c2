"""Reuse marks: an operand is marked where the next instruction that reads its bank in its place wants the same register."""

import numpy as np

from tests.machine.programs import Assembly
from warploom.isa import uop as u
from warploom.machine.config.presets import load_config
from warploom.machine.core.reuse_cache import KEEPS, MARK_BITS, READS
from warploom.machine.device.decode import decode
from warploom.machine.device.reuse_marks import reuse_marks


def marked(*lines, banks=2):
    """Of each line the registers that are kept, `.` for an operand that is none or is not: `2 . 4`."""
    code = Assembly()
    for line in lines:
        code.bundle(*line) if isinstance(line, tuple) else code(**line)
    found = []
    for marks in reuse_marks(code.program(), banks):
        places = [int(marks) >> MARK_BITS * place & (1 << MARK_BITS) - 1 for place in range(3)]
        found.append(" ".join(str(mark & 0xFF) if mark & KEEPS and mark & READS else "." for mark in places))
    return found


def fma(dst, a, b, c):
    return {"name": "fma", "dst": dst, "a": a, "b": b, "c": c}


def test_what_the_next_one_reads_in_the_same_place_is_kept():
    assert marked(fma(8, 2, 3, 4), fma(9, 2, 4, 3)) == ["2 . .", ". . ."]
    assert marked(fma(8, 2, 3, 4), fma(9, 2, 3, 4), fma(10, 2, 5, 4)) == ["2 3 4", "2 . 4", ". . ."]


def test_it_stays_over_an_instruction_that_does_not_read_that_bank_in_that_place():
    assert marked(fma(8, 2, 3, 4), fma(9, 3, 3, 3), fma(10, 2, 5, 7))[0] == "2 . ."
    assert marked(fma(8, 2, 3, 4), fma(9, 6, 3, 3), fma(10, 2, 3, 5))[0] == ". 3 ."


def test_what_is_written_in_between_is_read_again():
    assert marked(fma(8, 8, 3, 8), fma(8, 8, 3, 8)) == [". 3 .", ". . ."]
    assert marked(fma(2, 2, 3, 4), fma(9, 2, 3, 4)) == [". 3 4", ". . ."]
    assert marked(fma(8, 2, 3, 4), fma(2, 2, 3, 4), fma(9, 2, 3, 4)) == ["2 3 4", ". 3 4", ". . ."]


def test_nothing_is_kept_over_a_control_instruction():
    assert marked(fma(8, 2, 3, 4), {"name": "nop"}, fma(9, 2, 3, 4)) == [". . ."] * 3


def test_an_operand_that_is_named_twice_is_kept_once():
    assert marked(fma(8, 2, 3, 3), fma(9, 2, 3, 3)) == ["2 3 .", ". . ."]


def test_pairs_immediates_high_registers_loads_and_bundles_keep_nothing():
    assert marked(*[{"name": "dadd", "dst": 8, "a": 2, "b": 4}] * 2) == [". . ."] * 2
    assert marked(*[{"name": "add", "dst": 8, "a": 2, "b": u.IMMEDIATE, "imm": 5}] * 2) == ["2 . .", ". . ."]
    assert marked(*[fma(8, 256, 3, u.scalar(4))] * 2) == [". 3 .", ". . ."]
    assert marked(*[{"name": "load", "dst": 8, "a": 2}] * 2) == [". . ."] * 2
    assert marked(*[(fma(8, 2, 3, 4), fma(9, 2, 3, 4))] * 2) == [". . ."] * 2


def test_what_gathers_its_operands_elsewhere_ends_nothing():
    """A load, a store, a bundle and a pair that read the bank in that place; what one of them writes is read again."""
    between = ({"name": "load", "dst": 9, "a": 4}, {"name": "store", "a": 4, "b": 5}, (fma(9, 4, 5, 6), fma(10, 4, 5, 6)),
               {"name": "dadd", "dst": 10, "a": 4, "b": 6})  # fmt: skip
    for line in between:
        assert marked(fma(8, 2, 3, 7), line, fma(11, 2, 3, 7))[0] == "2 3 7"
    assert marked(fma(8, 2, 3, 7), {"name": "load", "dst": 3, "a": 4}, fma(11, 2, 3, 7))[0] == "2 . 7"


def test_a_machine_without_a_reuse_cache_has_no_marks():
    code = Assembly()
    code(**fma(8, 2, 3, 4))
    code(**fma(9, 2, 3, 4))
    program = code.program()
    assert decode(load_config("a40"), program)[0, u.REUSE] > 0
    without = decode(load_config("a40", {"operands.reuse": False}), program)
    assert np.array_equal(without[:, u.REUSE], program.code[:, u.REUSE])
