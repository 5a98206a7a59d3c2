"""How an ordinary RISC-V program is started: our convention, since it knows nothing of lanes.

    a0  number of the thread in the launch
    a1  threads of the launch
    a2  address of the launch's arguments: words in their order, or the launch block of a kernel in C
    sp  end of the thread's own stack, 4 KiB (`STACK_BYTES`)
    ra  an instruction that ends the thread, so that `ret` of the first function does

A program begins at `_start`, else at `main`, else with its first instruction; an ELF file at its entry point. Memory: the program where
it was linked to, `memory` from 0x10000 on (64 KiB; left out where the program itself lies there), `stacks` below 0x80000000, and
`arguments` at 0x2000. The few instructions that set sp and ra lie at 0x1000, as if a boot ROM held them.
"""

from __future__ import annotations

from dataclasses import replace

from warploom.isa.diagnostics import Diagnostics
from warploom.isa.image import Image, Segment
from warploom.isa.program import Launch, Source
from warploom.isa.riscv.assembler import assemble

STACK_BYTES = 4096
STACKS_END = 0x80000000
MEMORY_BASE, MEMORY_BYTES = 0x10000, 1 << 16
START, ARGUMENTS, ARGUMENTS_BYTES = 0x1000, 0x2000, 4096
MOST_THREADS = 1 << 16
REGISTERS = ((10, "global_thread"), (11, "grid_threads"), (12, "argument"))


class LayoutError(ValueError):
    """A program that lies where start-up code, stacks or arguments have to be. One sentence."""


def with_start_up(image: Image, threads: int, arguments: bytes = b"") -> tuple[Image, Launch]:
    """The image with start-up code, stacks and memory, and the launch that begins there.

    threads: of the launch. arguments: the first bytes of the arguments.
    """
    stacks = threads * STACK_BYTES
    base = STACKS_END - stacks
    code = _start_up(image.entry)
    own = [
        Segment("start-up", START, code, len(code), False, ((START, START + len(code)),)),
        Segment("arguments", ARGUMENTS, arguments, ARGUMENTS_BYTES),
        Segment("stacks", base, b"", stacks, thread_bytes=STACK_BYTES),
    ]
    for segment in own:
        for other in image.segments:
            if _meet(segment, other):
                span = f"{segment.address:#x} to {segment.address + segment.size - 1:#x}"
                raise LayoutError(f"the program lies at {other.address:#x}, over the {segment.name} ({span})")
    memory = Segment("memory", MEMORY_BASE, b"", MEMORY_BYTES)
    if not any(_meet(memory, other) for other in image.segments):
        own.append(memory)
    segments = [*image.segments, *own]
    started = replace(image, segments=segments, entry=START)
    return started, Launch(threads=threads, registers=REGISTERS, argument=ARGUMENTS)


def _meet(one: Segment, other: Segment) -> bool:
    return one.address < other.address + other.size and other.address < one.address + one.size


def _start_up(entry: int) -> bytes:
    """The instructions at START. t0 is all that they spoil."""
    high, low = entry + 0x800 >> 12 & 0xFFFFF, (entry & 0xFFF ^ 0x800) - 0x800
    source = Source(
        f"""
        slli t0, a0, {STACK_BYTES.bit_length() - 1}
        lui sp, {STACKS_END >> 12}
        sub sp, sp, t0
        lui t0, {high}
        jalr ra, t0, {low}
        ecall
        """,
        "<start-up>",
    )
    return bytes(assemble(source, Diagnostics(source)).image.segments[0].data)
