"""A naive reading of the micro-ops that guppy is lowered to: one lane vector at a time, no machine.

Only what an instruction computes: registers and memory of the active lanes. Control operations are not executed.
"""

import numpy as np

from warploom.isa import uop as u
from warploom.isa.program import Program
from warploom.isa.views import VIEW_BASE, VIEW_BYTES, VIEW_HEIGHT, VIEW_PITCH, VIEW_WIDTH

F, U, WIDE = np.float32, np.uint32, np.uint64


def floats(operation):
    return lambda *sources: np.asarray(operation(*(source.view(F) for source in sources)), F).view(U)


MEANING = {
    "mov": lambda a: a,
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "mad": lambda a, b, c: a * b + c,
    "divu": lambda a, b: np.array([x // y if y else 0xFFFFFFFF for x, y in zip(a.tolist(), b.tolist(), strict=True)], U),
    "and": lambda a, b: a & b,
    "or": lambda a, b: a | b,
    "shl": lambda a, b: a << (b & U(31)),
    "sltu": lambda a, b: (a < b).astype(U),
    "sel": lambda a, b, c: np.where(c != 0, a, b),
    "fadd": floats(lambda a, b: a + b),
    "fsub": floats(lambda a, b: a - b),
    "fmul": floats(lambda a, b: a * b),
    "fmad": floats(lambda a, b, c: a * b + c),
    "fdiv": floats(lambda a, b: a / b),
    "fsqrt": floats(np.sqrt),
    "fmin": floats(np.fmin),
    "fmax": floats(np.fmax),
    "flt": lambda a, b: (a.view(F) < b.view(F)).astype(U),
    "u2f": lambda a: a.astype(F).view(U),
    "f2u": lambda a: a.view(F).astype(U),
}


def run_instruction(program: Program, number: int, registers: np.ndarray, mask: np.ndarray, memory: np.ndarray, specials: dict) -> None:
    """Execute instruction `number`.

    registers: uint32[REGISTERS, lanes]. mask: bool[lanes]. memory: bytes. specials: name to lane values.
    """
    first, count = program.code[number, u.FIRST_UOP], program.code[number, u.COUNT]
    with np.errstate(all="ignore"):
        for row in program.uops[first : first + count]:
            run_uop(program, row, registers, mask, memory, specials)


def run_uop(program, row, registers, mask, memory, specials) -> None:
    name = u.OPERATIONS[row[u.OP]].name
    immediate = U(int(row[u.IMM]) & 0xFFFFFFFF)

    def source(column):
        code = row[column]
        return np.full(registers.shape[1], immediate, U) if code == u.IMMEDIATE else registers[code].copy()

    def write(register, value):
        registers[register] = np.where(mask, value, registers[register])

    if name == "special":
        write(row[u.DST], specials[u.SPECIALS[int(row[u.IMM])]])
    elif name in ("load", "store"):
        view = program.views[row[u.VIEW]]
        address = (registers[row[u.A]] + immediate).astype(np.int64)
        outside = (address % 4 != 0) | (address < view[VIEW_BASE]) | (address + 4 > view[VIEW_BASE] + view[VIEW_BYTES])
        assert not (outside & mask).any()
        word = np.where(mask, address // 4, 0)
        if name == "load":
            write(row[u.DST], memory.view(U)[word])
        else:
            memory.view(U)[word[mask]] = source(u.B)[mask]
    elif name == "store_image":
        view = program.views[row[u.VIEW]]
        x, y = source(u.A).astype(np.int64), source(u.B).astype(np.int64)
        inside = mask & (x < view[VIEW_WIDTH]) & (y < view[VIEW_HEIGHT])
        memory.view(U)[((view[VIEW_BASE] + y * view[VIEW_PITCH] + 4 * x) // 4)[inside]] = source(u.C)[inside]
    else:
        columns = [{"a": u.A, "b": u.B, "c": u.C}[letter] for letter in u.OPERATIONS[row[u.OP]].operands if letter in "abc"]
        write(row[u.DST], MEANING[name](*(source(column) for column in columns)))
