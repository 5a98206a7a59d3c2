"""How an ordinary RISC-V program is started: our convention, since it knows nothing of lanes.

    a0  number of the thread in the launch
    a1  threads of the launch
    a2  address of the launch's arguments
    sp  end of the thread's own stack, 4 KiB (`STACK_BYTES`)
    ra  an instruction that ends the thread, so that `ret` of the first function does

A program begins at `_start`, else at `main`, else with its first instruction. Memory: the program where it was linked to, `memory` from
0x10000 on (64 KiB unless a buffer of that name is larger), `stacks` up to 0x80000000, and `arguments` below them. The few instructions that
set sp and ra lie at 0x1000, as if a boot ROM held them.
"""

from __future__ import annotations

from dataclasses import replace

from warploom.isa.diagnostics import Diagnostics
from warploom.isa.program import Launch, Source
from warploom.isa.riscv.assembler import assemble
from warploom.isa.riscv.image import Image, Segment

STACK_BYTES = 4096
STACKS_END = 0x80000000
MEMORY_BASE, MEMORY_BYTES = 0x10000, 1 << 16
ARGUMENTS_BYTES = 4096
START = 0x1000
MOST_THREADS = 1 << 16
REGISTERS = ((10, "global_thread"), (11, "grid_threads"), (12, "argument"))


def with_start_up(image: Image, threads: int) -> tuple[Image, Launch]:
    """The image with start-up code, stacks and memory, and the launch that begins there. threads: of the launch."""
    stacks = threads * STACK_BYTES
    base = STACKS_END - stacks
    code = _start_up(image.entry, base)
    taken = [*image.segments]
    segments = [
        *taken,
        Segment("start-up", START, code, len(code), False, ((START, START + len(code)),)),
        Segment("stacks", base, b"", stacks),
    ]
    argument = base - ARGUMENTS_BYTES
    segments.append(Segment("arguments", argument, b"", ARGUMENTS_BYTES))
    if not any(one.address < MEMORY_BASE + MEMORY_BYTES and MEMORY_BASE < one.address + one.size for one in taken):
        segments.append(Segment("memory", MEMORY_BASE, b"", MEMORY_BYTES))
    started = replace(image, segments=segments, entry=START)
    return started, Launch(threads=threads, registers=REGISTERS, argument=argument)


def _start_up(entry: int, stacks: int) -> bytes:
    """The instructions at START. t0 is all that they spoil."""
    source = Source(
        f"""
        addi t0, a0, 1
        slli t0, t0, {STACK_BYTES.bit_length() - 1}
        lui sp, {stacks >> 12}
        add sp, sp, t0
        li t0, {entry:#x}
        jalr t0
        ecall
        """,
        "<start-up>",
    )
    return bytes(assemble(source, Diagnostics(source)).image.segments[0].data)
