"""All instructions: the files' tables as one, what bytes are, and what a mnemonic may be."""

from __future__ import annotations

from warploom.isa.gcn.decoder import Decoder
from warploom.isa.gcn.instruction import Row
from warploom.isa.gcn.memory import lds, scalar_memory, vector_memory
from warploom.isa.gcn.scalar import flow, scalar_rows
from warploom.isa.gcn.vector import compare, float_rows, register_index, vector_rows
from warploom.isa.gcn.vector.graphics import refused

EXPORT = Row("exp", "EXP", 0, "target_exp a b c e", refused("a graphics pipeline, to which exp exports,"), "exports a pixel or a vertex")
INSTRUCTIONS: tuple[Row, ...] = (
    *scalar_rows.ROWS, *flow.ROWS, *scalar_memory.ROWS, *vector_rows.ROWS, *float_rows.ROWS, *compare.ROWS, *lds.ROWS,
    *vector_memory.ROWS, *register_index.ROWS, EXPORT,
)  # fmt: skip
DECODER = Decoder(INSTRUCTIONS)
BY_MNEMONIC: dict[str, Row] = {row.mnemonic: row for row in INSTRUCTIONS}


def meanings() -> dict[str, tuple[str, str]]:
    """By mnemonic: how an instruction is written, and what it does. For views, which know no instruction set."""
    return {row.mnemonic: (row.syntax, row.meaning) for row in INSTRUCTIONS}
