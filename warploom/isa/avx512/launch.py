"""How a program of AVX-512 starts: a warp is a thread of a CPU, with a stack of its own.

A block is one warp of 16 lanes. Each begins at the program's entry as if it were called with three arguments, in the registers of the
System V
ABI: rdi, where the launch's arguments are; rsi, the warp's number; rdx, how many warps there are. zmm0 holds the threads' numbers, and k1
has
a bit for each thread that there is. To return is to end the warp. The stack has 4096 bytes.
"""

from __future__ import annotations

from warploom.isa.avx512.registers import OFFSETS, RDI, RDX, RSI, RSP, general, lane_temporary, mask, scalar_temporary
from warploom.isa.uop import IMMEDIATE, SPECIAL_NUMBER, Uop

STACK_BYTES = 4096
STACKS_END = 0x7FFF0000
MEMORY_BASE, MEMORY_BYTES = 0x10000000, 1 << 16
START, EXIT, ARGUMENTS, ARGUMENTS_BYTES = 0x1000, 0x1FF0, 0x2000, 4096
MOST_WARPS = 1 << 12
TOO_NARROW = 16  # the fault of a machine whose warps have fewer lanes


def start_up(entry: int) -> list[tuple[list[Uop], str, int]]:
    """(micro-ops, text, address) of what is executed before the program, and after it. entry: number of the program's first instruction."""
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
            [special("argument", general(RDI)), special("block", general(RSI)), special("grid_dim_x", general(RDX))],
            "start: rdi, rsi, rdx = arguments, warp, warps",
            START + 4,
        ),
        (
            [
                Uop("mul", general(RSP), general(RSI), IMMEDIATE, imm=-STACK_BYTES),
                Uop("add", general(RSP), general(RSP), IMMEDIATE, imm=STACKS_END - 8),
            ],
            "start: rsp = the end of the warp's stack",
            START + 5,
        ),
        ([constant(scalar, EXIT), Uop("store_scalar", a=general(RSP), b=scalar)], "start: the way back", START + 6),
        ([Uop("jump", target=entry)], "start: to the program", START + 7),
        ([Uop("exit")], "end", EXIT),
    ]
