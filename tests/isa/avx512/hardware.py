"""Snippets of instructions between a prologue and an epilogue that move the whole state of a thread in and out of memory.

The recorded runs of a processor (`tests/golden/avx512`) give the state before and after; the same snippet runs here.
"""

import numpy as np

from warploom.gpu import GPU
from warploom.isa.avx512.launch import ARGUMENTS, STACK_BYTES, STACKS_END
from warploom.isa.avx512.lowering import lower
from warploom.isa.avx512.registers import FLAGS
from warploom.isa.avx512.text.assembler import assemble
from warploom.isa.diagnostics import Diagnostics
from warploom.isa.image import Image, Segment
from warploom.isa.program import Launch, Source

GENERAL = ["rax", "rbx", "rcx", "rdx", "rsi", "rdi", "rbp", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15"]
STATE, BASE = 0x20000000, 0x400000
MASKS, REGISTERS, FLAG = 2048, 2112, 2112 + 8 * 15
BYTES = 4096
NAMES = {"cf": "C", "pf": "P", "zf": "Z", "sf": "S", "of": "O"}
LETTERS = {"C": "c", "P": "p", "Z": "z", "S": "s", "O": "o"}


def assembled(lines):
    source = Source("\n".join(lines), "<snippet>")
    segment = assemble(source, Diagnostics(source)).image.segments[0]
    ((start, end),) = segment.code
    return segment.data[: end - start]


def prologue():
    lines = [f"vmovdqu32 zmm{n}, zmmword ptr [{STATE + 64 * n:#x}]" for n in range(32)]
    lines += [f"kmovq k{n}, qword ptr [{STATE + MASKS + 8 * n:#x}]" for n in range(8)]
    return lines + [f"mov {name}, qword ptr [{STATE + REGISTERS + 8 * n:#x}]" for n, name in enumerate(GENERAL)]


def epilogue():
    lines = [f"mov qword ptr [{STATE + REGISTERS + 8 * n:#x}], {name}" for n, name in enumerate(GENERAL)]
    lines += [f"set{LETTERS[letter]} byte ptr [{STATE + FLAG + n:#x}]" for n, letter in enumerate(FLAGS)]
    lines += [f"vmovdqu32 zmmword ptr [{STATE + 64 * n:#x}], zmm{n}" for n in range(32)]
    return lines + [f"kmovq qword ptr [{STATE + MASKS + 8 * n:#x}], k{n}" for n in range(8)] + ["ret"]


def image(body):
    code = assembled(prologue()) + body + assembled(epilogue())
    data = code + bytes(-len(code) % 4)
    return Image("<snippet>", [Segment("program", BASE, data, len(data), False, ((BASE, BASE + len(code)),))], BASE)


def run(body, before, memory_base, memory, engine="python", preset="avx512"):
    """The state after a snippet of machine code: (zmm[32, 16], k[8], general registers, flags by letter, memory words)."""
    state = np.zeros(BYTES, np.uint8)
    state[:2048].view(np.uint32).reshape(32, 16)[:] = [before["zmm"].get(f"zmm{n}", [0xCCCC0000 + n] * 16) for n in range(32)]
    state[MASKS:REGISTERS].view(np.uint64)[:] = [before["k"][f"k{n}"] for n in range(8)]
    general = [before["gpr"].get(name, 0xDEAD0000 + n) & (1 << 64) - 1 for n, name in enumerate(GENERAL)]
    state[REGISTERS:FLAG].view(np.uint64)[:] = np.array(general, np.uint64)
    words = np.zeros(1024, np.uint32)
    words[: len(memory)] = memory
    made = image(body)
    segments = [
        *made.segments, Segment("state", STATE, state.tobytes(), BYTES), Segment("memory", memory_base, words.tobytes(), 4096),
        Segment("stacks", STACKS_END - STACK_BYTES, b"", STACK_BYTES), Segment("arguments", ARGUMENTS, b"", 16),
    ]  # fmt: skip
    program, refused = lower(Image(made.path, segments, BASE), Launch(threads=16, block=16, argument=ARGUMENTS))
    assert not refused, refused
    result = GPU(preset, engine=engine).run(program, max_cycles=200_000)
    assert result.status == "done", result.fault
    space = program.address_space()

    def region(name):
        return result.memory[space.slice_of(next(one for one in space.regions if one.name == name))]

    after = np.ascontiguousarray(region("state"))
    flags = {letter: int(after[FLAG + n]) for n, letter in enumerate(FLAGS)}
    registers = dict(zip(GENERAL, after[REGISTERS:FLAG].view(np.uint64).tolist(), strict=True))
    found = np.ascontiguousarray(region("memory")).view(np.uint32)
    return after[:2048].view(np.uint32).reshape(32, 16), after[MASKS:REGISTERS].view(np.uint64).tolist(), registers, flags, found
