"""Reuse marks: which operands of each instruction the next ones take from the reuse cache, as a compiler marks them in the code.

In hardware the compiler's work (a bit for each operand of a SASS instruction), because only it sees what comes next. Here it is done when
a program is loaded, for every front end: an operand is marked where the next instruction that reads its bank in its place
reads the same register, before anything writes that and in straight code. Only arithmetic reads through it (`reuse_cache.py`).
"""

from __future__ import annotations

import numpy as np

from warploom.isa import uop as u
from warploom.isa.program import Program
from warploom.machine.core.reuse_cache import KEEPS, MARK_BITS, PLACES, READS, REGISTERS

_OTHER = -1  # some register that is not the one that is wanted


def reuse_marks(program: Program, banks: int) -> np.ndarray:
    """int32[instructions]: the column REUSE of each, three operands of MARK_BITS bits, a first. All 0 where nothing is kept."""
    found = np.zeros(len(program), np.int32)
    wanted: dict[tuple[int, int], int] = {}  # by place and bank: the register that the next instruction reads
    for number in range(len(program) - 1, -1, -1):
        row = program.code[number]
        if row[u.ISSUE_UNIT] == u.CONTROL:
            wanted.clear()
            continue
        written = set(row[u.USE : u.USE + row[u.WRITES]].tolist())
        if program.lock_width == 1:
            wanted = {key: _OTHER if register in written else register for key, register in wanted.items()}
        else:
            wanted.clear()
        if row[u.COUNT] == 1 and row[u.ISSUE_UNIT] in (u.ALU, u.SPECIAL):
            found[number] = _marks(program.uops[row[u.FIRST_UOP]], banks, wanted)
    return found if (found & _KEEPS_ANY).any() else np.zeros_like(found)


_KEEPS_ANY = sum(KEEPS << MARK_BITS * place for place in range(PLACES))


def _marks(uop: np.ndarray, banks: int, wanted: dict[tuple[int, int], int]) -> int:
    """The marks of an instruction, given what those after it want; changed to what it and those want.

    A register that it names twice is read in the first of the places. Pairs are not kept.
    """
    marks, seen = 0, set[int]()
    pairs = u.OPERATIONS[uop[u.OP]].pairs
    for place, (letter, column) in enumerate(zip("abc", (u.A, u.B, u.C), strict=True)):
        register = int(uop[column])
        if not 0 <= register < REGISTERS or register in seen or letter in pairs:
            continue
        seen.add(register)
        key = (place, register % banks)
        marks |= (register | READS | (KEEPS if wanted.get(key) == register else 0)) << MARK_BITS * place
        wanted[key] = register
    return marks
