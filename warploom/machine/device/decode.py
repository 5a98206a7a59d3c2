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


def decode(config: Config, program: Program) -> np.ndarray:
    """int32[instructions, CODE_COLUMNS]: the program's instructions, each with its PORT."""
    code = np.ascontiguousarray(program.code).copy()
    unit = code[:, u.ISSUE_UNIT]
    code[:, u.PORT] = unit
    if config.pipes.owner == "scheduler":
        ports = np.array([PORTS[pipe] for pipe in pipe_of_class(config)], np.int32)
        arithmetic = unit == u.ALU
        code[arithmetic, u.PORT] = ports[code[arithmetic, u.ISSUE_LATENCY]]
    return code
