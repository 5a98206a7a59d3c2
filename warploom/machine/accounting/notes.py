"""Notes: what a program puts on the log of its run. They carry `print`, `assert` and `raise` of languages that have them.

Not hardware, but an instruction that takes the time of an arithmetic one, so that notes cost no memory traffic. (On a GPU, `printf`
writes into a buffer in memory, which the host empties after the kernel.) The log holds MOST_NOTES rows; what comes after them is counted,
and lost.

One row a lane and micro-op, `int64[n, NOTE_COLUMNS]`; row 0 of the table counts. A bundle of several `note` micro-ops makes one note with
the values of all of them.
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from warploom.isa import uop as u
from warploom.isa.counts import numbers, repeated, running_sum
from warploom.isa.program import Program
from warploom.isa.regions import CONSOLE, KINDS
from warploom.isa.uop import IMM, SPECIAL_NUMBER
from warploom.machine.engine.unit import out_of_line

MOST_NOTES = 1 << 16
# Columns of a row. UOP: the number of the micro-op. BLOCK, THREAD: whose it is, counted in one dimension. VALUES: of its operands a, b, c.
TIME, UOP, NUMBER, BLOCK, THREAD, VALUES = range(6)
OPERANDS = 3
NOTE_COLUMNS = VALUES + OPERANDS
WRITTEN, LOST = range(2)  # columns of row 0
CYCLE, BLOCK_NUMBER, THREAD_NUMBER = SPECIAL_NUMBER["cycle"], SPECIAL_NUMBER["block"], SPECIAL_NUMBER["thread"]


class Note(NamedTuple):
    """A note. cycle: in which it was issued. instruction: which one. block, thread: whose, counted in one dimension. number: the
    micro-op's own, by which a program tells its notes apart. values: uint32, what its operands held."""

    cycle: int
    instruction: int
    block: int
    thread: int
    number: int
    values: tuple[int, ...]


def new_log(program: Program) -> np.ndarray:
    """int64[rows, NOTE_COLUMNS]: an empty log; without room where the program writes no notes."""
    return np.zeros((MOST_NOTES + 1 if writes_notes(program) or prints(program) else 1, NOTE_COLUMNS), np.int64)


def writes_notes(program: Program) -> bool:
    """Whether some micro-op of a program writes notes."""
    return bool((program.uops[:, u.DATAPATH] == u.NOTE).any())


def prints(program: Program) -> bool:
    """Whether a program has a console."""
    return any(region.kind == KINDS[CONSOLE] for region in program.regions)


def printed(program: Program, log: np.ndarray) -> tuple[str, ...]:
    """What was stored to consoles: a line each, as `#3: text` with the number of the byte to which it went, in the order of their ends.

    Text without a line end comes last, by number. log: of `new_log`, after the run.
    """
    base = next((region.base for region in program.regions if region.kind == KINDS[CONSOLE]), None)
    rows = log[1 : 1 + int(log[0, WRITTEN])]
    if base is None or not len(rows):
        return ()
    lines: list[str] = []
    begun: dict[int, bytearray] = {}
    for number, byte in (rows[program.uops[rows[:, UOP], u.DATAPATH] != u.NOTE][:, [NUMBER, VALUES]] - [base, 0]).tolist():
        if byte == ord("\n"):
            lines.append(f"#{number}: {begun.pop(number, bytearray()).decode('utf-8', 'replace')}")
        else:
            begun.setdefault(number, bytearray()).append(byte)
    return (*lines, *(f"#{number}: {text.decode('utf-8', 'replace')}" for number, text in sorted(begun.items())))


@out_of_line
def log_byte(registers, tables, k, lane, address, value):
    """A row of the log for a byte that a lane stores to a console."""
    log = tables.notes
    if log[0, WRITTEN] + 1 >= log.shape[0]:
        log[0, LOST] += 1
        return
    log[0, WRITTEN] += 1
    row = log[log[0, WRITTEN]]
    row[TIME] = np.int64(registers.special[CYCLE])
    row[UOP] = k
    row[NUMBER] = address
    row[BLOCK] = np.int64(registers.special[BLOCK_NUMBER])
    row[THREAD] = np.int64(registers.special[THREAD_NUMBER]) + lane
    row[VALUES] = value


@out_of_line
def write_notes(registers, tables, k, takes_part, a, b, c, lanes):
    """A row of the log for every lane in `takes_part`. a, b, c: rows of `registers.lane`, the micro-op's operands."""
    log = tables.notes
    if tables.uops[k, IMM] < 0:
        return  # a question to those who check a run
    for lane in range(lanes):
        if takes_part[lane] == 0:
            continue
        if log[0, WRITTEN] + 1 >= log.shape[0]:
            log[0, LOST] += 1
            continue
        log[0, WRITTEN] += 1
        row = log[log[0, WRITTEN]]
        row[TIME] = np.int64(registers.special[CYCLE])
        row[UOP] = k
        row[NUMBER] = np.int64(tables.uops[k, IMM])
        row[BLOCK] = np.int64(registers.special[BLOCK_NUMBER])
        row[THREAD] = np.int64(registers.special[THREAD_NUMBER]) + lane
        row[VALUES] = np.int64(registers.lane[a, lane])
        row[VALUES + 1] = np.int64(registers.lane[b, lane])
        row[VALUES + 2] = np.int64(registers.lane[c, lane])


def notes_of(program: Program, log: np.ndarray) -> tuple[tuple[Note, ...], int]:
    """(the notes of a run in the order of its cycles, how many rows were lost). log: of `new_log`, after the run."""
    rows = log[1 : 1 + int(log[0, WRITTEN])]
    rows = rows[program.uops[rows[:, UOP], u.DATAPATH] == u.NOTE]
    if not len(rows):
        return (), int(log[0, LOST])
    owner = repeated(numbers(len(program.code)), program.code[:, u.COUNT])
    members = np.concatenate([first + numbers(count) for first, count in program.code[:, [u.FIRST_UOP, u.COUNT]].tolist()])
    instruction = np.zeros(len(program.uops), np.int64)
    instruction[members] = owner
    times = rows[:, TIME] + (running_sum(np.diff(rows[:, TIME], prepend=rows[0, TIME]) < 0) << 32)  # the clock that is written has 32 bits
    used = (program.uops[:, [u.A, u.B, u.C]] != u.NONE).tolist()
    found: dict[tuple[int, ...], Note] = {}
    for time, at, row in zip(times.tolist(), instruction[rows[:, UOP]].tolist(), rows.tolist(), strict=True):
        key = (time, at, row[BLOCK], row[THREAD])
        values = tuple(value for value, there in zip(row[VALUES:], used[row[UOP]], strict=True) if there)
        earlier = found.get(key)
        found[key] = Note(*key, row[NUMBER], values) if earlier is None else earlier._replace(values=earlier.values + values)
    return tuple(found.values()), int(log[0, LOST])
