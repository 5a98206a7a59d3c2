"""Decoder: turns an instruction into the control signals that the rest of the core obeys.

In hardware: a few gates and a register for each signal, loaded in the state DECODE and held until the next one; one
cycle. The signals say which registers to read, whether to access memory, what the ALU does, where the
result comes from, and where the program counter goes next.

Here the signals of every instruction are worked out once, when a program is loaded, from its micro-ops: one row of a table
an instruction. What the register loads in DECODE is the row's number.

An instruction of several micro-ops keeps to the order in which the core has its units: at most one load or
store, then arithmetic, then at most one branch, jump or exit.

Source: tiny-gpu, src/decoder.sv.
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from warploom.isa import uop as u
from warploom.isa.program import Program
from warploom.machine.accounting.status import LaunchError
from warploom.machine.engine.unit import unit

# Columns of a row: the control signals.
READ_A = 0  # lane registers that the register file's two read ports give
READ_B = 1
ACCESS = 2  # NO_ACCESS, LOAD or STORE
ACCESS_UOP = 3  # its micro-op
LATCHED = 4  # 1: one arithmetic micro-op, whose result goes to the ALU's output register first
FIRST_UOP = 5  # arithmetic micro-ops
UOPS = 6  # how many, NOPs between them included
WRITE_FROM = 7  # what UPDATE writes into a register: FROM_NOTHING ...
WRITE_TO = 8  # that register
IMMEDIATE = 9  # the constant of FROM_IMMEDIATE
NEXT = 10  # where the program counter goes next: NEXT_INSTRUCTION ...
NEXT_UOP = 11  # the micro-op that says so
COLUMNS = 12

NO_ACCESS, LOAD, STORE = range(3)
FROM_NOTHING, FROM_ALU, FROM_LSU, FROM_IMMEDIATE = range(4)
NEXT_INSTRUCTION, NEXT_BRANCH, NEXT_JUMP, NEXT_END = range(4)

ALU_OUT = u.REGISTERS - 1  # the row of the register record that stands for the ALU's output registers

_NEXT = {"branch": NEXT_BRANCH, "jump": NEXT_JUMP, "exit": NEXT_END}


@unit
def decode(core, tables):
    """DECODE's closing edge: the signals of the instruction at the program counter. After the program lie NOPs."""
    core.row = min(core.pc, tables.signals.shape[0] - 1)
    core.ends = 1 if tables.signals[core.row, NEXT] == NEXT_END else 0


def decode_program(program: Program, idle: Collection[int] = ()) -> tuple[np.ndarray, np.ndarray]:
    """(signals, micro-ops): int32[instructions + 1, COLUMNS], its last row a NOP, and the micro-ops as this core's ALU runs them.

    idle: instructions whose words mean nothing to this machine, and that do nothing on it.
    Raises LaunchError where an instruction needs what this kind of core does not have.
    """
    uops = program.uops.copy()
    table = np.zeros((len(program) + 1, COLUMNS), np.int32)
    for number in range(len(program)):
        row = table[number]
        row[READ_A], row[READ_B] = (_lane_register(int(program.code[number, column])) for column in (u.READ_A, u.READ_B))
        row[FIRST_UOP] = program.code[number, u.FIRST_UOP]
        if number not in idle:
            _decode_instruction(program, number, row, uops)
    return table, uops


def _decode_instruction(program: Program, number: int, row: np.ndarray, uops: np.ndarray) -> None:
    first, count = (int(program.code[number, column]) for column in (u.FIRST_UOP, u.COUNT))
    row[READ_A], row[READ_B] = (_lane_register(int(program.code[number, column])) for column in (u.READ_A, u.READ_B))
    row[FIRST_UOP] = first
    last = -1
    for k in range(first, first + count):
        operation = u.OPERATIONS[int(uops[k, u.OP])]
        _check(program, number, k)
        if operation.name == "nop":
            continue
        if operation.name in ("load", "store"):
            here = 0
            row[ACCESS], row[ACCESS_UOP] = (LOAD if operation.name == "load" else STORE), k
        elif operation.name in _NEXT:
            here = 2
            row[NEXT], row[NEXT_UOP] = _NEXT[operation.name], k
        else:
            here = 1
            if row[UOPS] == 0:
                row[FIRST_UOP] = k
            row[UOPS] = k - row[FIRST_UOP] + 1
        if here < last or here == last != 1:
            raise LaunchError(
                f"{program.where(number)}: a core that runs one instruction at a time does an instruction's memory access first, "
                f"then its arithmetic, then its branch; {pipelines()}"
            )
        last = here
    _choose_result(row, uops)


def _lane_register(code: int) -> int:
    """What a read port is given for an operand code: of what is not a lane register, register 0."""
    return code if 0 <= code < u.SCALAR else 0


def _choose_result(row: np.ndarray, uops: np.ndarray) -> None:
    """What UPDATE writes. A lone arithmetic micro-op leaves its result in the ALU's output register until then."""
    k = int(row[FIRST_UOP])
    if row[UOPS] == 0:
        if row[ACCESS] == LOAD:
            row[WRITE_FROM], row[WRITE_TO] = FROM_LSU, uops[row[ACCESS_UOP], u.DST]
    elif row[UOPS] == 1 and row[ACCESS] == NO_ACCESS and row[NEXT] == NEXT_INSTRUCTION and 0 <= uops[k, u.DST] < u.SCALAR:
        row[WRITE_TO] = uops[k, u.DST]
        if u.OPERATIONS[uops[k, u.OP]].name == "mov" and uops[k, u.A] == u.IMMEDIATE:
            row[WRITE_FROM], row[IMMEDIATE], row[UOPS] = FROM_IMMEDIATE, _truncated(uops[k]), 0
        else:
            row[WRITE_FROM], row[LATCHED] = FROM_ALU, 1
            uops[k, u.DST] = ALU_OUT


def _truncated(uop: np.ndarray) -> int:
    """The immediate, cut to the size of the result, as 32 bits with a sign."""
    bits = 8 * int(uop[u.SIZE])
    return int(uop[u.IMM]) if bits >= 32 else int(uop[u.IMM]) & (1 << bits) - 1


def _check(program: Program, number: int, k: int) -> None:
    """Raises LaunchError when micro-op `k` of an instruction needs what this kind of core does not have."""
    row = program.uops[k]
    operation = u.OPERATIONS[int(row[u.OP])]
    missing = ""
    if operation.unit == u.MEMORY and int(row[u.SPACE]) == u.SHARED_SPACE:
        missing = "shared memory"
    elif operation.name in ("barrier", "barrier_arrive"):
        missing = "barriers"
    elif operation.name in ("load", "store"):
        if int(row[u.SIZE]) != 1:
            missing = f"memory accesses of {int(row[u.SIZE])} bytes"
        elif int(row[u.SPACE]) != u.GLOBAL_SPACE or int(row[u.VIEW]) != u.NONE:
            missing = f"the {u.SPACES[int(row[u.SPACE])]} address space" if int(row[u.VIEW]) == u.NONE else "views of memory"
    elif operation.name == "branch" and not 0 <= int(row[u.A]) < u.SCALAR:
        missing = "branches on anything but a register of its threads"
    elif operation.name not in _NEXT and operation.name != "nop" and operation.unit not in (u.ALU, u.SPECIAL):
        missing = f"the operation {operation.name!r}"
    elif int(row[u.PREDICATE]) != u.NONE:
        missing = "predicates"
    if missing:
        raise LaunchError(f"{program.where(number)}: a core that runs one instruction at a time has no {missing}; {pipelines()}")


def pipelines() -> str:
    """Which machines have more: the ending of a refusal."""
    return "add --gpu tiny-simt, a machine with warps"
