"""SMEM: loads and stores of the scalar unit.

In hardware: a path of its own to a small cache that several compute units share. Words come back in any order, so a program can only wait
until all have come, `lgkmcnt(0)`. Here such an access goes the way of the lanes', and is one transaction.

Source: AMD "Vega" Instruction Set Architecture, chapter 7, "Scalar Memory Operations".
"""

from __future__ import annotations

from collections.abc import Callable

from warploom.isa.gcn.code import Code, Number
from warploom.isa.gcn.instruction import Row
from warploom.isa.uop import SPECIAL_NUMBER, scalar

WORD = 4


def _address(code: Code) -> tuple[int, int]:
    """(scalar register, offset) of an access."""
    base = scalar(2 * code.field("sbase"))
    offset = code.field("offset")
    if not code.field("imm"):
        return code.scalar("add", base, scalar(offset & 127)), 0
    if code.field("soffset_en"):
        base = code.scalar("add", base, scalar(code.field("soffset")))
    return base, offset - (offset >> 20 << 21)


def _load(words: int) -> Callable[[Code], None]:
    def lower(code: Code) -> None:
        base, offset = _address(code)
        first = scalar(code.field("sdata"))
        if words > 1 and first <= base < first + words:
            base = code.scalar("mov", base)
        for word in range(words):
            code.add("load_scalar", first + word, base, imm=offset + WORD * word)

    return lower


def _store(words: int) -> Callable[[Code], None]:
    def lower(code: Code) -> None:
        base, offset = _address(code)
        for word in range(words):
            code.add("store_scalar", a=base, b=scalar(code.field("sdata") + word), imm=offset + WORD * word)

    return lower


def _time(code: Code) -> None:
    now = code.scalar("special", imm=SPECIAL_NUMBER["cycle"])
    code.put_scalar(now, Number(0))


def _nothing(code: Code) -> None:
    code.add("await")


def _rows() -> list[Row]:
    rows = []
    for place, words in enumerate((1, 2, 4, 8, 16)):
        name = "dword" if words == 1 else f"dwordx{words}"
        target = f"d{words}" if words > 1 else "d"
        said = f"d = {words} word{'s' if words > 1 else ''} of memory at a + offset"
        rows.append(Row(f"s_load_{name}", "SMEM", place, f"{target} a2 offset", _load(words), said))
        rows.append(Row(f"s_buffer_load_{name}", "SMEM", 8 + place, f"{target} a4 offset", _load(words), said + ", a being a descriptor"))
        if words <= 4:
            stored = said.replace("d = ", "").replace(" of memory at", " of d into memory at")
            rows.append(Row(f"s_store_{name}", "SMEM", 16 + place, f"{target} a2 offset", _store(words), stored))
            rows.append(Row(f"s_buffer_store_{name}", "SMEM", 24 + place, f"{target} a4 offset", _store(words), stored))
    for name, opcode in (("dcache_inv", 32), ("dcache_wb", 33), ("dcache_inv_vol", 34), ("dcache_wb_vol", 35)):
        rows.append(Row("s_" + name, "SMEM", opcode, "", _nothing, "empties the scalar cache, or writes it back: nothing here"))
    rows.append(Row("s_memtime", "SMEM", 36, "d2", _time, "d = cycles since the start, low 32 bits"))
    rows.append(Row("s_memrealtime", "SMEM", 37, "d2", _time, "d = cycles since the start, low 32 bits"))
    return rows


ROWS = tuple(_rows())
