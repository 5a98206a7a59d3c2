"""Masks and places of bits: `bmsk`, `szext`, `fns`. PTX ISA 9.7.1.

Their amounts are clamped at 32 (`.clamp`), or only the low five bits of them count (`.wrap`).
"""

from __future__ import annotations

from collections.abc import Callable

from warploom.compiler.ssa import Value
from warploom.ptx.module import Instruction
from warploom.ptx.translation import WORD, Translation

BITS = 32


def _amount(t: Translation, one: Instruction, place: int) -> Value:
    """An amount, at most 32."""
    given = t.exact(one.operands[place], "u32")
    if "clamp" in one.modifiers:
        return t.pure("min", given, t.whole(BITS))
    return t.pure("and", given, t.whole(BITS - 1), type="u64")


def _ones(t: Translation, count: Value) -> Value:
    """So many ones, from the lowest bit on. count: at most 64."""
    return t.pure("sub", t.pure("shl", t.whole(1), count), t.whole(1))


def mask(t: Translation, one: Instruction) -> None:
    """`bmsk`: ones from bit a on, b of them."""
    first, count = (_amount(t, one, place) for place in (1, 2))
    t.set(t.pure("shl", _ones(t, count), first))


def extend(t: Translation, one: Instruction) -> None:
    """`szext`: the low b bits of a, extended by their sign or by zeros; of no bits 0."""
    value, count = t.exact(one.operands[1], "u32"), _amount(t, one, 2)
    ones = _ones(t, count)
    kept = t.pure("and", value, ones)
    if one.type == "s32":
        above = t.pure("and", t.pure("shr", t.pure("add", ones, t.whole(1)), t.whole(1)), kept)  # the bit of the sign, where it is set
        kept = t.pure("sub", kept, t.pure("shl", above, t.whole(1)))
    t.set(kept)


def find_set(t: Translation, one: Instruction) -> None:
    """`fns`: the place of the n-th set bit from a place on, upwards or, where n is negative, downwards; all ones where there is none.

    For n = 0 it is the place itself if its bit is set. Searched in five steps, by counts of the bits of halves.
    """
    bits, base, offset = (t.exact(one.operands[place], kind) for place, kind in ((1, "u32"), (2, "u32"), (3, "s32")))
    downwards = t.pure("lt", offset, t.whole(0), type="i1")
    start = t.pure("sel", downwards, t.pure("sub", t.whole(BITS - 1), base), base)
    row = t.pure("sel", downwards, t.pure("brev", bits, type="u64", imm=BITS), bits, type="u64")
    left = t.pure("shr", row, t.fit(start, "u32"), type="u64")  # from the place on; a place beyond 31 leaves nothing
    count = t.pure("max", offset, t.pure("sub", t.whole(0), offset))
    stays = t.pure("eq", count, t.whole(0), type="i1")
    left = t.pure("sel", stays, t.pure("and", left, t.whole(1), type="u64"), left, type="u64")
    wanted = t.pure("max", count, t.whole(1))
    absent = t.pure("lt", t.pure("popc", left, imm=BITS), wanted, type="i1")
    place = t.whole(0)
    for width in (16, 8, 4, 2, 1):
        lower = t.pure("popc", t.pure("and", left, t.whole((1 << width) - 1), type="u64"), imm=BITS)
        beyond = t.pure("lt", lower, wanted, type="i1")
        place = t.pure("add", place, t.pure("sel", beyond, t.whole(width), t.whole(0)))
        wanted = t.pure("sub", wanted, t.pure("sel", beyond, lower, t.whole(0)))
        left = t.pure("sel", beyond, t.pure("shr", left, t.whole(width), type="u64"), left, type="u64")
    place = t.pure("add", place, start)
    place = t.pure("sel", downwards, t.pure("sub", t.whole(BITS - 1), place), place)
    t.set(t.pure("sel", absent, t.whole(WORD), place))


RULES: dict[str, Callable[[Translation, Instruction], None]] = {"bmsk": mask, "szext": extend, "fns": find_set}
