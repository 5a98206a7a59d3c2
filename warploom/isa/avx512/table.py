"""All instructions: the files' tables as one, what bytes are, and what a mnemonic may be."""

from __future__ import annotations

from warploom.isa.avx512.decoder import Decoder
from warploom.isa.avx512.instruction import Row
from warploom.isa.avx512.scalar import flow, scalar_floats, scalar_rows
from warploom.isa.avx512.vector import crossing, floats, integers, masks

INSTRUCTIONS: tuple[Row, ...] = (
    *masks.ROWS,
    *integers.ROWS,
    *floats.ROWS,
    *crossing.ROWS,
    *scalar_rows.ROWS,
    *scalar_floats.ROWS,
    *flow.ROWS,
)
DECODER = Decoder(INSTRUCTIONS)
ALIASES = flow.ALIASES | {
    "set" + name[1:]: "set" + base[1:] for name, base in flow.ALIASES.items()
} | {"cmov" + name[1:]: "cmov" + base[1:] for name, base in flow.ALIASES.items()} | {"sal": "shl"}  # fmt: skip
BY_MNEMONIC: dict[str, list[Row]] = {}
for _row in INSTRUCTIONS:
    BY_MNEMONIC.setdefault(_row.mnemonic, []).append(_row)


def meanings() -> dict[str, tuple[str, str]]:
    """By mnemonic: how an instruction is written, and what it does. For views, which know no instruction set."""
    return {row.mnemonic: (row.syntax, row.meaning) for row in reversed(INSTRUCTIONS)}
