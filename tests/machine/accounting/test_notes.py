"""Notes: what they say, their order, what they cost, and what happens when there are too many."""

from types import SimpleNamespace

import numpy as np
import pytest

from tests.machine.programs import BLOCK, FREE, GLOBAL, THREAD, Assembly, machine, run
from warploom.isa import uop as u
from warploom.isa.regions import Region
from warploom.isa.uop import IMMEDIATE, NONE, scalar
from warploom.machine.accounting import notes
from warploom.machine.accounting.notes import Note
from warploom.machine.engine.pages import Pages
from warploom.machine.run.driver import drive

A, B = FREE, FREE + 1


def noting(*uops, threads=4, block=4, **fields):
    code = Assembly()
    code.op("add", A, GLOBAL, imm=10)
    code("mov", dst=scalar(2), a=IMMEDIATE, imm=77)
    code.bundle(*({"name": "note", **uop} for uop in uops))
    code("exit")
    return code.program(threads=threads, block=block, **fields)


@pytest.mark.parametrize("engine", ["python", "native"])
def test_a_note_says_who_where_and_what(engine):
    result = run(noting({"a": A, "b": scalar(2), "imm": 5}, threads=6), engine=engine)
    assert [note[1:] for note in result.notes] == [(2, number // 4, number % 4, 5, (10 + number, 77)) for number in range(6)]
    assert result.notes_lost == 0 and result.notes[0].cycle < result.notes[-1].cycle


def test_a_bundle_makes_one_note_of_many_values():
    result = run(noting({"a": A, "b": A, "c": A, "imm": 1}, {"a": scalar(2), "imm": 1}, threads=2))
    assert [note.values for note in result.notes] == [(10, 10, 10, 77), (11, 11, 11, 77)]


def test_a_note_of_three_scalars_has_them_all():
    code = Assembly()
    for number in range(3):
        code("mov", dst=scalar(number), a=IMMEDIATE, imm=70 + number)
    code("note", a=scalar(0), b=scalar(1), c=scalar(2), imm=5)
    code("exit")
    assert {note.values for note in run(code.program()).notes} == {(70, 71, 72)}


def test_only_lanes_that_take_part_write():
    code = Assembly()
    code.op("and", A, THREAD, imm=1)
    code("ballot", dst=scalar(0), a=A)
    code("note", a=THREAD, predicate=scalar(0))
    code.branch(A, "end")
    code("note", a=THREAD, b=BLOCK)
    code.label("end")
    code("exit")
    for mechanism in ("stack", "its", "dwf"):
        found = run(code.program(threads=4), core__divergence=mechanism).notes
        assert [(note.instruction, note.thread) for note in found] == [(2, 1), (2, 3), (4, 0), (4, 2)]


def test_a_note_takes_as_long_as_an_addition_and_touches_no_memory():
    code = Assembly()
    for name in ("note", "add"):
        code(name, dst=NONE if name == "note" else B, a=A, b=A)
    code("exit")
    result, other = run(code.program()), Assembly()
    other.op("add", B, A, A)
    other.op("add", B, A, A)
    other("exit")
    assert result.cycles == run(other.program()).cycles
    assert (result.counters["accesses"], result.memory.any()) == (0, False)


def test_what_the_log_has_no_room_for_is_counted(monkeypatch):
    monkeypatch.setattr(notes, "MOST_NOTES", 5)
    result = run(noting({"a": A}, threads=8))
    assert (len(result.notes), result.notes_lost) == (5, 3)


def test_a_program_without_notes_has_no_log_and_a_checkpoint_keeps_one():
    plain = Assembly()
    plain("exit")
    assert len(machine(plain.program()).notes) == 1
    made = machine(noting({"a": A}))
    before = [Pages(array) for array in made.whole()]
    drive(made, engine="python")
    assert made.notes[0, 0] == 4
    for kept in before:
        kept.restore()
    assert made.notes[0, 0] == 0


def test_cycles_beyond_32_bits_are_told_from_the_order():
    program = noting({"a": A})
    log = np.zeros((5, notes.NOTE_COLUMNS), np.int64)
    log[0, 0] = 4
    log[1:, notes.TIME] = (1 << 32) - 3, (1 << 32) - 1, 5, 9
    log[1:, notes.UOP], log[1:, notes.THREAD] = 2, (3, 0, 1, 2)
    cycles = [note.cycle for note in notes.notes_of(program, log)[0]]
    assert cycles == [(1 << 32) - 3, (1 << 32) - 1, (1 << 32) + 5, (1 << 32) + 9]
    assert notes.notes_of(program, log)[0][1] == Note((1 << 32) - 1, 2, 0, 0, 0, (0,))
    assert u.OPERATIONS[int(program.uops[2, u.OP])].name == "note"


def test_bytes_for_which_a_console_has_no_room_are_counted():
    log = np.zeros((3, notes.NOTE_COLUMNS), np.int64)  # a row for the counts, and two
    registers = SimpleNamespace(special=np.zeros(64, np.uint32))
    for value in b"lost":
        notes.log_byte(registers, SimpleNamespace(notes=log), 7, 1, 0x100, value)
    assert log[0, [notes.WRITTEN, notes.LOST]].tolist() == [2, 2]
    assert log[1:, [notes.UOP, notes.NUMBER, notes.THREAD, notes.VALUES]].tolist() == [[7, 0x100, 1, ord("l")], [7, 0x100, 1, ord("o")]]


def console_of(*others):
    """A program with a console at 0x100, its log with room for 40 rows, and what its stores are logged with."""
    code = noting({"a": A}, regions=(*others, Region("console", base=0x100, bytes=16, kind="console")))
    log = np.zeros((41, notes.NOTE_COLUMNS), np.int64)
    registers = SimpleNamespace(special=np.zeros(64, np.uint32))
    return code, log, registers, SimpleNamespace(notes=log, uops=code.uops)


def test_a_program_with_a_console_prints_and_one_without_does_not():
    code, *_ = console_of(Region("data", base=0x40, bytes=16))
    assert notes.prints(code) and len(notes.new_log(code)) == notes.MOST_NOTES + 1
    assert not notes.prints(noting({"a": A}, regions=(Region("data", base=0x40, bytes=16),)))
    assert not notes.prints(noting({"a": A}))


def test_a_row_says_when_and_where_a_byte_was_stored():
    _, log, registers, tables = console_of()
    registers.special[[notes.CYCLE, notes.BLOCK_NUMBER, notes.THREAD_NUMBER]] = 90, 3, 8
    notes.log_byte(registers, tables, 1, 2, 0x104, ord("x"))
    columns = [notes.TIME, notes.UOP, notes.NUMBER, notes.BLOCK, notes.THREAD, notes.VALUES]
    assert log[1, columns].tolist() == [90, 1, 0x104, 3, 10, ord("x")]


def test_each_byte_of_a_console_has_lines_of_its_own_that_come_as_they_end():
    program, log, registers, tables = console_of(Region("data", base=0x40, bytes=16))
    assert notes.printed(program, log) == ()
    for address, text in ((0x102, b"late"), (0x100, b"one\n"), (0x102, b"r\n"), (0x107, b"cut"), (0x100, b"\ntwo"), (0x103, b"\xff")):
        for value in text:
            notes.log_byte(registers, tables, 0, 0, address, value)
    log[0, notes.WRITTEN] += 1
    log[log[0, notes.WRITTEN], [notes.UOP, notes.NUMBER, notes.VALUES]] = 2, 0x100, ord("n")  # a note's row is not text
    log[log[0, notes.WRITTEN] + 1, [notes.NUMBER, notes.VALUES]] = 0x100, ord("!")  # nobody has written this
    assert notes.printed(program, log) == ("#0: one", "#2: later", "#0: ", "#0: two", "#3: \N{REPLACEMENT CHARACTER}", "#7: cut")
    assert notes.printed(noting({"a": A}), log) == ()
    assert len(notes.notes_of(program, log)[0]) == 1


@pytest.mark.parametrize("written", range(5))
def test_rows_after_the_last_that_was_written_are_nothing(written):
    """They are room, or left from a launch before."""
    program, log, _, _ = console_of()
    log[1:5, notes.UOP] = np.flatnonzero(program.uops[:, u.DATAPATH] == u.NOTE)[0]
    log[1:5, notes.TIME] = range(10, 14)
    log[0, notes.WRITTEN] = written
    assert [note.cycle for note in notes.notes_of(program, log)[0]] == [*range(10, 10 + written)]
    log[1:5, notes.UOP], log[1:5, notes.NUMBER] = np.flatnonzero(program.uops[:, u.DATAPATH] != u.NOTE)[0], 0x101
    log[1:5, notes.VALUES] = [*b"abcd"]
    assert notes.printed(program, log) == (("#1: " + "abcd"[:written],) if written else ())
