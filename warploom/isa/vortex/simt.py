"""Vortex's own instructions: masks, splits, warps, barriers, votes and shuffles.

In hardware: a decoder row each, and the warp-control unit. An operand that is for the whole warp is taken from one lane: the lowest active
one until 2022, the highest later. Sources: Tine et al., MICRO 2021, table 1; github.com/vortexgpgpu/vortex, hw/rtl/VX_decode.sv and
kernel/include/vx_intrinsics.h, 2022-01, 2024-08 and 2026.
"""

from __future__ import annotations

from warploom.isa.riscv.fields import Encoding
from warploom.isa.riscv.instruction import Instruction, Lowering, Operands, temporary
from warploom.isa.uop import IMMEDIATE, NONE, SCALAR, SPECIAL_NUMBER, Uop
from warploom.isa.vortex.generation import Generation

CONDITION = temporary(0)
OLD, NEW = "1101011", "0001011"  # opcodes 0x6B and 0x0B
VOTES = SCALAR  # scalar registers of a warp that hold a ballot inside an instruction; two pairs
OTHERS = SCALAR + 2


def _row(mnemonic: str, encoding: str, operands: str, meaning: str, lower: Lowering) -> Instruction:
    return Instruction(mnemonic, "SIMT", Encoding(encoding), operands, meaning, lower)


def _bit_0(o: Operands, negated: bool) -> list[Uop]:
    """CONDITION = bit 0 of rs1, or its opposite."""
    found = [Uop("and", dst=CONDITION, a=o.rs1, b=IMMEDIATE, imm=1)]
    return [*found, Uop("xor", dst=CONDITION, a=CONDITION, b=IMMEDIATE, imm=1)] if negated else found


def _split(negated: bool) -> Lowering:
    return lambda o: [*_bit_0(o, negated), Uop("split", dst=o.rd, a=CONDITION)]


def rows(generation: Generation) -> tuple[Instruction, ...]:
    """The instructions of a generation."""
    return _first(generation.leads, generation.number) if generation.old else _second(generation.leads, generation.number >= 2026)


def _first(leads: int, number: int) -> tuple[Instruction, ...]:
    def word(rs2: str, rs1: str, function: str) -> str:
        return f"0000000 {rs2} {rs1} {function} 00000 {OLD}"

    zero = "00000"
    return (
        _row("vx_tmc", word("----0", "rs1", "000"), "rs1", "lane mask = rs1; 0 ends the warp",
             lambda o: [Uop("set_mask", a=o.rs1, flags=leads)]),
        _row("vx_pred", word("----1", "rs1", "000"), "rs1", "the lanes where rs1 != 0 stay active, if there are any",
             lambda o: [Uop("predicate", a=o.rs1, flags=leads)]),
        _row("vx_wspawn", word("rs2", "rs1", "001"), "rs1, rs2", "warps 1 to rs1 - 1 begin at rs2, with lane 0; those from rs1 on end",
             lambda o: [Uop("spawn", a=o.rs1, b=o.rs2, flags=leads)]),
        _row("vx_split", word(zero, "rs1", "010"), "rs1", "the lanes where rs1 != 0 run up to the join, then the others do",
             lambda o: [Uop("split", a=o.rs1, flags=leads)]),
        _row("vx_join", word(zero, zero, "011"), "", "ends a side of a split", lambda o: [Uop("join", flags=leads)]),
        _row("vx_bar", word("rs2", "rs1", "100"), "rs1, rs2", "waits until rs2 warps have come to barrier rs1",
             lambda o: [Uop("core_barrier", a=o.rs1, b=o.rs2, flags=leads)]),
        _row("vx_prefetch", word(zero, "rs1", "110" if number == 2021 else "101"), "rs1", "a hint that rs1 will be read; nothing here",
             lambda o: [Uop("nop")]),
    )  # fmt: skip


def _second(leads: int, votes: bool) -> tuple[Instruction, ...]:
    def word(rs2: str, rs1: str, function: str, rd: str) -> str:
        return f"0000000 {rs2} {rs1} {function} {rd} {NEW}"

    def predicate(negated: bool) -> Lowering:
        return lambda o: [*_bit_0(o, negated), Uop("predicate", a=CONDITION, b=o.rs2, flags=leads)]

    zero, one = "00000", "00001"
    found = (
        _row("vx_tmc", word(zero, "rs1", "000", zero), "rs1", "lane mask = rs1; 0 ends the warp",
             lambda o: [Uop("set_mask", a=o.rs1, flags=leads)]),
        _row("vx_wspawn", word("rs2", "rs1", "001", zero), "rs1, rs2",
             "waits until no other warp runs; then warps 1 to rs1 - 1 begin at rs2, with lane 0",
             lambda o: [Uop("spawn_alone", a=o.rs1, b=o.rs2, flags=leads)]),
        _row("vx_split", word(zero, "rs1", "010", "rd"), "rd, rs1",
             "rd = height of the stack; the larger of the sides by bit 0 of rs1 runs up to the join, then the other", _split(False)),
        _row("vx_split_n", word(one, "rs1", "010", "rd"), "rd, rs1", "as vx_split, by the opposite of bit 0", _split(True)),
        _row("vx_join", word(zero, "rs1", "011", zero), "rs1", "ends a side of the split that gave rs1",
             lambda o: [Uop("join", a=o.rs1, flags=leads)]),
        _row("vx_bar", word("rs2", "rs1", "100", zero), "rs1, rs2",
             "waits until rs2 warps have come to barrier rs1; with its bit 31, until rs2 cores have; for nobody else where rs2 < 2",
             lambda o: [Uop("core_barrier", a=o.rs1, b=o.rs2, imm=2, flags=leads)]),
        _row("vx_pred", word("rs2", "rs1", "101", zero), "rs1, rs2",
             "the lanes where bit 0 of rs1 is set stay active; where there are none, lane mask = rs2", predicate(False)),
        _row("vx_pred_n", word("rs2", "rs1", "101", one), "rs1, rs2", "as vx_pred, by the opposite of bit 0", predicate(True)),
    )  # fmt: skip
    return (*found, *_votes(), *_shuffles()) if votes else found


def _votes() -> tuple[Instruction, ...]:
    def row(name: str, function: str, meaning: str, result: Lowering) -> Instruction:
        encoding = f"0000001 00000 rs1 {function} rd {NEW}"

        def lower(o: Operands) -> list[Uop]:
            no = Uop("seq", dst=CONDITION, a=o.rs1, b=IMMEDIATE, imm=0)
            return [Uop("ballot", dst=VOTES, a=o.rs1), no, Uop("ballot", dst=OTHERS, a=CONDITION), *result(o)]

        return _row(f"vx_vote_{name}", encoding, "rd, rs1", meaning, lower)

    def none(pair: int, to: int) -> list[Uop]:
        return [Uop("or", dst=to, a=pair, b=pair + 1), Uop("seq", dst=to, a=to, b=IMMEDIATE, imm=0)]

    def uniform(o: Operands) -> list[Uop]:
        return [*none(VOTES, temporary(1)), *none(OTHERS, temporary(2)), Uop("or", dst=o.rd, a=temporary(1), b=temporary(2))]

    def some(o: Operands) -> list[Uop]:
        return [*none(VOTES, temporary(1)), Uop("xor", dst=o.rd, a=temporary(1), b=IMMEDIATE, imm=1)]

    return (
        row("all", "000", "rd = 1 where rs1 != 0 in all active lanes, else 0", lambda o: none(OTHERS, o.rd)),
        row("any", "001", "rd = 1 where rs1 != 0 in some active lane, else 0", some),
        row("uni", "010", "rd = 1 where all active lanes agree about rs1 != 0, else 0", uniform),
        row("ballot", "011", "rd = the active lanes in which rs1 != 0, bit l = lane l", lambda o: [Uop("mov", dst=o.rd, a=VOTES)]),
    )


def _shuffles() -> tuple[Instruction, ...]:
    """rs2 = segment mask << 12 | clamp << 6 | b, as in NVIDIA's `shfl`: a segment's lanes share the bits of the mask."""
    lane, first, last, distance, from_lane, inside, outside = (temporary(number) for number in range(7))

    def bounds(o: Operands) -> list[Uop]:
        """first = lane & mask; last = first | clamp & ~mask, or the last lane of the warp; outside = ~mask."""
        return [
            Uop("special", dst=lane, a=IMMEDIATE, imm=SPECIAL_NUMBER["lane"]),
            Uop("shr", dst=inside, a=o.rs2, b=IMMEDIATE, imm=12),
            Uop("and", dst=inside, a=inside, b=IMMEDIATE, imm=63),
            Uop("and", dst=first, a=lane, b=inside),
            Uop("xor", dst=outside, a=inside, b=IMMEDIATE, imm=63),
            Uop("shr", dst=last, a=o.rs2, b=IMMEDIATE, imm=6),
            Uop("and", dst=last, a=last, b=outside),
            Uop("or", dst=last, a=last, b=first),
            Uop("special", dst=inside, a=IMMEDIATE, imm=SPECIAL_NUMBER["lanes"]),
            Uop("sub", dst=inside, a=inside, b=IMMEDIATE, imm=1),
            Uop("minu", dst=last, a=last, b=inside),
            Uop("and", dst=distance, a=o.rs2, b=IMMEDIATE, imm=63),
        ]

    def row(name: str, function: str, meaning: str, chosen: list[Uop]) -> Instruction:
        def lower(o: Operands) -> list[Uop]:
            pick = Uop("sel", dst=from_lane, a=from_lane, b=lane, c=inside)
            return [*bounds(o), *chosen, pick, Uop("shuffle", dst=o.rd, a=o.rs1, b=from_lane, c=NONE)]

        return _row(f"vx_shfl_{name}", f"0000001 rs2 rs1 {function} rd {NEW}", "rd, rs1, rs2", meaning, lower)

    below = [Uop("slt", dst=inside, a=last, b=from_lane), Uop("xor", dst=inside, a=inside, b=IMMEDIATE, imm=1)]
    return (
        row("up", "100", "rd = rs1 of the lane b below, or the own where that is not in the segment; rs2 = mask << 12 | clamp << 6 | b",
            [Uop("sub", dst=from_lane, a=lane, b=distance), Uop("slt", dst=inside, a=from_lane, b=last),
             Uop("xor", dst=inside, a=inside, b=IMMEDIATE, imm=1)]),
        row("down", "101", "rd = rs1 of the lane b above, else as vx_shfl_up", [Uop("add", dst=from_lane, a=lane, b=distance), *below]),
        row("bfly", "110", "rd = rs1 of the lane whose number differs in the bits of b, else as vx_shfl_up",
            [Uop("xor", dst=from_lane, a=lane, b=distance), *below]),
        row("idx", "111", "rd = rs1 of lane b of the segment, else as vx_shfl_up",
            [Uop("and", dst=from_lane, a=distance, b=outside), Uop("or", dst=from_lane, a=from_lane, b=first), *below]),
    )  # fmt: skip
