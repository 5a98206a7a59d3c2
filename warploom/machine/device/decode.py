"""Decoding: where a core issues each instruction, worked out once for a program and a configuration.

In hardware: the decoder between instruction cache and instruction buffer. It turns an opcode into the port of the scheduler that takes
the instruction; here that is done before the first cycle, because neither a program nor its machine changes.
"""

from __future__ import annotations

import numpy as np

from warploom.isa import uop as u
from warploom.isa.program import Program
from warploom.machine.config.pipes import issued_to
from warploom.machine.config.roles import obeys_words, schedule_into
from warploom.machine.config.schema import Config
from warploom.machine.core.operand_banks import BITS
from warploom.machine.device.reuse_marks import reuse_marks


def decode(config: Config, program: Program) -> np.ndarray:
    """int32[instructions, CODE_COLUMNS]: the program's instructions, each with its PORT, latency class, BANK_READS and REUSE."""
    code = np.ascontiguousarray(program.code).copy()
    code[:, u.PORT], code[:, u.ISSUE_LATENCY] = issued_to(config, program)
    if config.operands.banks:
        banks = config.operands.banks
        code[:, u.BANK_READS] = program.once(("bank reads", banks), lambda: [_bank_reads(program, row, banks) for row in program.code])
        if config.operands.reuse:
            code[:, u.REUSE] = program.once(("reuse", banks), lambda: reuse_marks(program, banks))
    if program.schedule is not None and obeys_words(config, program):
        schedule_into(config, program.schedule, code)
    return code


def _bank_reads(program: Program, row: np.ndarray, banks: int) -> int:
    """How often an instruction reads each bank, four bits per bank. A register that a micro-op names twice is read once."""
    counts = [0] * banks
    for uop in program.uops[row[u.FIRST_UOP] : row[u.FIRST_UOP] + row[u.COUNT]]:
        pairs = u.OPERATIONS[uop[u.OP]].pairs
        registers: set[int] = set()
        for letter, column in zip("abc", (u.A, u.B, u.C), strict=True):
            if 0 <= uop[column] < u.HIDDEN:
                registers |= {int(uop[column]), int(uop[column]) + (letter in pairs)}
        for register in registers:
            counts[register % banks] += 1
    packed = sum(min(count, (1 << BITS) - 1) << (BITS * bank) for bank, count in enumerate(counts))
    return packed - (packed >> 31 << 32)
