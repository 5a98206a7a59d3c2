"""How a program of AVX-512 starts: a warp is a thread of a CPU, with a stack of its own.

A block is one warp of 16 lanes. Each begins at the program's entry as if it were called with three arguments, in the registers of the
System V ABI: rdi, where the launch's arguments are; rsi, the warp's number; rdx, how many warps there are. zmm0 holds the threads'
numbers, and k1 has a bit for each thread that there is. A kernel in C has its own parameters there instead, see `kernels.py`. To return is
to end the warp. The stack has 16 KiB: a vector takes 64 bytes, and code that is not optimised keeps each of its vectors there.
"""

from __future__ import annotations

from collections.abc import Sequence

from warploom.isa.avx512.kernels import Place
from warploom.isa.avx512.registers import GENERAL, OFFSETS, RDI, RDX, RSI, RSP, general, lane_temporary, mask, scalar_temporary
from warploom.isa.uop import IMMEDIATE, SPECIAL_NUMBER, Uop

STACK_BYTES = 16384
STACKS_END = 0x7FFF0000
MEMORY_BASE, MEMORY_BYTES = 0x10000000, 1 << 16
START, EXIT, ARGUMENTS, ARGUMENTS_BYTES = 0x1000, 0x1FF0, 0x2000, 4096
MOST_WARPS = 1 << 12
TOO_NARROW = 16  # the fault of a machine whose warps have fewer lanes


def start_up(entry: int, places: Sequence[Place] | None = None) -> list[tuple[list[Uop], str, int]]:
    """(micro-ops, text, address) of what is executed before the program, and after it.

    entry: number of the program's first instruction. places: the parameters of a kernel in C; None for other programs.
    """
    lane, scalar = lane_temporary(0), scalar_temporary(0)

    def special(name: str, register: int) -> Uop:
        return Uop("special", register, imm=SPECIAL_NUMBER[name])

    def constant(register: int, value: int) -> Uop:
        return Uop("mov", register, IMMEDIATE, imm=value)

    return [
        (
            [
                special("lanes", scalar),
                Uop("shr", scalar, scalar, IMMEDIATE, imm=4),
                Uop("branch_scalar", a=scalar, imm=-1, target=2, flags=0),
            ],
            "start: 16 lanes a warp",
            START,
        ),
        ([Uop("trap", imm=TOO_NARROW)], "start: fewer than 16 lanes", START + 1),
        (
            [special("lane", lane), Uop("shl", OFFSETS, lane, IMMEDIATE, imm=2), special("global_thread", 0)],
            "start: zmm0 = thread",
            START + 2,
        ),
        ([Uop("read_mask", mask(1))], "start: k1 = threads", START + 3),
        (
            [
                special("block", scalar),
                Uop("mul", general(RSP), scalar, IMMEDIATE, imm=-STACK_BYTES),
                Uop("add", general(RSP), general(RSP), IMMEDIATE, imm=STACKS_END - 8),
                Uop("mov", general(RSP, 1), IMMEDIATE),
            ],
            "start: rsp = the end of the warp's stack",
            START + 4,
        ),
        ([constant(scalar, EXIT), Uop("store_scalar", a=general(RSP), b=scalar)], "start: the way back", START + 5),
        *_arguments(places),
        ([Uop("jump", target=entry)], "start: to the program", START + 0x20),
        ([Uop("exit")], "end", EXIT),
    ]


def _arguments(places: Sequence[Place] | None) -> list[tuple[list[Uop], str, int]]:
    """What a program finds in its registers, an instruction a parameter for a kernel."""
    if places is None:
        registers = (("argument", RDI), ("block", RSI), ("grid_dim_x", RDX))
        uops = [Uop("special", general(register), imm=SPECIAL_NUMBER[name]) for name, register in registers]
        uops += [Uop("mov", general(register, 1), IMMEDIATE) for _, register in registers]
        return [(uops, "start: rdi, rsi, rdx = arguments, warp, warps", START + 6)]
    found = [([Uop("mov", general(RDI), mask(1))], "start: edi = threads", START + 6)]
    for number, (parameter, register, is_float) in enumerate(places):
        word = scalar_temporary(0) if is_float else general(register)
        uops = [Uop("load_scalar", word, imm=ARGUMENTS + parameter.offset)]
        uops += [Uop("mov", register, word)] if is_float else []
        name = f"xmm{register}" if is_float else GENERAL[register]
        found.append((uops, f"start: {name} = {parameter.name}", START + 7 + number))
    return found
