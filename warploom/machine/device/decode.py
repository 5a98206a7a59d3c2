"""Decoding: where a core issues each instruction, worked out once for a program and a configuration.

In hardware: the decoder between instruction cache and instruction buffer. It turns an opcode into the port of the scheduler that takes
the instruction; here that is done before the first cycle, because neither a program nor its machine changes.
"""

from __future__ import annotations

import numpy as np

from warploom.isa import uop as u
from warploom.isa.program import Program
from warploom.machine.config.pipes import PORTS, pipe_of_class
from warploom.machine.config.schema import Config
from warploom.machine.core.operand_banks import BITS


def decode(config: Config, program: Program) -> np.ndarray:
    """int32[instructions, CODE_COLUMNS]: the program's instructions, each with its PORT and BANK_READS."""
    code = np.ascontiguousarray(program.code).copy()
    unit = code[:, u.ISSUE_UNIT]
    code[:, u.PORT] = unit
    if config.pipes.owner == "scheduler":
        ports = np.array([PORTS[pipe] for pipe in pipe_of_class(config)], np.int32)
        arithmetic = unit == u.ALU
        code[arithmetic, u.PORT] = ports[code[arithmetic, u.ISSUE_LATENCY]]
    if config.operands.banks:
        code[:, u.BANK_READS] = [_bank_reads(program, row, config.operands.banks) for row in code]
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
