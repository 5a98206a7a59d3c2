"""The instructions of guppy: one row per instruction.

The parser, the printer, the lowering, the diagnostics and the documentation read this table and nothing else.
`syntax` has one letter an operand, `recipe` names what `lower.py` makes of the instruction, `latency` is the class of the
whole instruction: the original machine has three latencies (1, 2 and 4 cycles), and a preset that gives the
classes alu, float, convert, special 1, multiply, float_multiply, fma 2, divide and float_divide 4 has exactly those.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from warploom.isa import uop as u

OPERAND_KINDS = {
    "d": ("d", "a register that is written, as in r0.xy"),
    "s": ("a", "a register (r0.xy), an immediate (f2(0.5 1.0)) or a built-in (thread_id)"),
    "c": ("r.c", "a register with one component, as in r0.x"),
    "t": ("tN.c", "a read-only buffer or texture with components, as in t0.x"),
    "u": ("uN.c", "a writable buffer or image with components, as in u0.x"),
    "k": ("sN", "a sampler, as in s0"),
    "l": ("LABEL", "the name of a label"),
}

BUILTINS = {
    "thread_id": "global_thread",  # the special register that each built-in reads
    "lane_id": "lane",
    "wave_id": "warp",
    "clock": "clock",
}


class Instruction(NamedTuple):
    """One row of the table: everything about an instruction that is not its lowering."""

    mnemonic: str
    syntax: str  # one letter of OPERAND_KINDS an operand
    recipe: str
    latency: int
    meaning: str


INSTRUCTIONS: tuple[Instruction, ...] = (
    Instruction("mov", "ds", "mov", u.L_ALU, "d = a"),
    Instruction("utof", "ds", "u2f", u.L_CONVERT, "d = the unsigned integer a as a float, rounded to nearest"),
    Instruction("clamp", "ds", "clamp", u.L_FLOAT, "d = a, at least 0.0 and at most 1.0; NaN stays NaN"),
    Instruction("abs.f32", "ds", "absolute", u.L_ALU, "d = a without its sign"),
    Instruction("len", "ds", "length", u.L_SPECIAL, "every component of d = sqrt(x*x + y*y + z*z + w*w) of a"),
    Instruction("norm", "ds", "normalise", u.L_FLOAT_DIVIDE, "d = a / len(a); the zero vector gives 0"),
    Instruction("add.f32", "dss", "fadd", u.L_FLOAT, "d = a + b"),
    Instruction("add.u32", "dss", "add", u.L_ALU, "d = a + b, modulo 2^32"),
    Instruction("sub.f32", "dss", "fsub", u.L_FLOAT, "d = a - b"),
    Instruction("sub.u32", "dss", "sub", u.L_ALU, "d = a - b, modulo 2^32"),
    Instruction("mul.f32", "dss", "fmul", u.L_FLOAT_MULTIPLY, "d = a * b"),
    Instruction("mul.u32", "dss", "mul", u.L_MULTIPLY, "d = a * b, modulo 2^32"),
    Instruction("div.f32", "dss", "divide", u.L_FLOAT_DIVIDE, "d = a / b; 1.0e23 where b is +0 or -0, whatever a is"),
    Instruction("div.u32", "dss", "divu", u.L_DIVIDE, "d = a / b; 0xffffffff where b is 0"),
    Instruction("lt.f32", "dss", "flt", u.L_FLOAT, "d = integer 1 where a < b, else 0; NaN gives 0"),
    Instruction("lt.u32", "dss", "sltu", u.L_ALU, "d = 1 where a < b, else 0"),
    Instruction("gt.f32", "dss", "greater_float", u.L_FLOAT, "d = integer 1 where a > b, else 0; NaN gives 0"),
    Instruction("gt.u32", "dss", "greater", u.L_ALU, "d = 1 where a > b, else 0"),
    Instruction("and", "dss", "and", u.L_ALU, "d = a & b, bit by bit"),
    Instruction("or", "dss", "or", u.L_ALU, "d = a | b, bit by bit"),
    Instruction("mad.f32", "dsss", "fmad", u.L_FMA, "d = a * b + c, rounded after the product and after the sum"),
    Instruction("mad.u32", "dsss", "mad", u.L_MULTIPLY, "d = a * b + c, modulo 2^32"),
    Instruction("lerp", "dsss", "blend", u.L_FMA, "d = a * t + b * (1 - t), t (the third source) clamped to 0.0 .. 1.0: t = 1 gives a"),
    Instruction("ld", "dts", "load", u.L_MEMORY, "d = words of buffer t from byte a.x on: x at +0, y at +4, z at +8, w at +12"),
    Instruction("st", "uss", "store", u.L_MEMORY, "buffer: words from byte a.x on = the named components of b; image: texel a.xy = b"),
    Instruction("sample", "dtks", "sample", u.L_MEMORY, "d = texture t at (a.x, a.y), 0.0 .. 1.0 across the picture, through sampler s"),
    Instruction("push_mask", "l", "push_mask", u.L_CONTROL, "push (mask, LABEL): the running lanes, and where the pop sends them"),
    Instruction("pop_mask", "", "pop_mask", u.L_CONTROL, "pop (mask, label): those lanes continue there"),
    Instruction("mask_nz", "c", "mask_nonzero", u.L_CONTROL, "keep the lanes where r.c is not 0; when none is left, as pop_mask"),
    Instruction("br_push", "cll", "branch_push", u.L_CONTROL, "lanes with r.c not 0 continue, then the others at ELSE; pops lead to JOIN"),
    Instruction("jmp", "l", "jump", u.L_CONTROL, "continue at LABEL"),
    Instruction("ret", "", "exit_warp", u.L_CONTROL, "wait for pending results, then end the whole warp, whatever its mask"),
)  # fmt: skip

BY_MNEMONIC = {row.mnemonic: row for row in INSTRUCTIONS}

# Instructions after which the next one is never reached.
NEVER_FALLS_THROUGH = frozenset({"jmp", "pop_mask", "ret"})


def usage(row: Instruction) -> str:
    """How an instruction is written: `mad.f32 d, a, b, c`."""
    sources = iter("abc")
    names = [next(sources) if kind == "s" else OPERAND_KINDS[kind][0] for kind in row.syntax]
    if row.mnemonic == "br_push":
        names = ["r.c", "ELSE", "JOIN"]
    return f"{row.mnemonic} {', '.join(names)}".rstrip()


def markdown() -> str:
    """The instruction table of the documentation."""
    return "\n".join(_markdown_lines()) + "\n"


def _markdown_lines() -> Iterator[str]:
    yield "| instruction | meaning | latency class |"
    yield "|---|---|---|"
    for row in INSTRUCTIONS:
        meaning = row.meaning.replace("|", "\\|")
        yield f"| `{usage(row)}` | {meaning} | {u.LATENCIES[row.latency]} |"


def meanings() -> dict[str, tuple[str, str]]:
    """By mnemonic: how an instruction is written, and what it does. For views, which know no instruction set."""
    return {row.mnemonic: (usage(row), row.meaning) for row in INSTRUCTIONS}
