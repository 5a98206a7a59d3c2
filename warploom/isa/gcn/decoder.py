"""From bytes to instructions, by the table: format, operation, fields.

Bits that no field of a format has mean nothing and are not looked at. An operation in VOP3 whose sources name a
literal is not an instruction:
GCN's fifth generation has literals in formats of 32 bits only.
"""

from __future__ import annotations

from collections.abc import Iterable

from warploom.isa.gcn.formats import FORMATS, format_of
from warploom.isa.gcn.instruction import DPP_KIND, E32, E64, SDWA_KIND, Decoded, Row, Written, wants_literal
from warploom.isa.gcn.registers import DPP, LITERAL, SDWA

WORD = 4


class Overlap(ValueError):
    """Two rows of one encoding."""


class Decoder:
    """Finds the row of an instruction. Raises Overlap where two rows have the same encoding."""

    def __init__(self, rows: Iterable[Row]) -> None:
        self.rows: dict[tuple[str, int], Row] = {}
        for row in rows:
            for kind in row.kinds:
                if kind in (E32, E64):
                    place = ("VOP3" if kind == E64 else row.format, row.number(kind))
                    if place in self.rows:
                        raise Overlap(f"{row.mnemonic} and {self.rows[place].mnemonic} have the same encoding: {place[0]} {place[1]}")
                    self.rows[place] = row

    def decode(self, data: bytes, start: int, address: int) -> Decoded:
        """The instruction at a place of some bytes, which lies at an address; of what is none, one word."""
        found = self._written(data, start)
        if found is None:
            return Decoded(address, WORD, data[start : start + WORD].ljust(WORD, b"\0"), None)
        size = WORD * FORMATS[found.format].words + (WORD if found.literal is not None else 0)
        return Decoded(address, size, data[start : start + size], found)

    def _written(self, data: bytes, start: int) -> Written | None:
        if start + WORD > len(data):
            return None
        first = int.from_bytes(data[start : start + WORD], "little")
        name = format_of(first)
        if not name:
            return None
        operation = FORMATS[name].decode(first)["op"] if name != "EXP" else 0
        row = self.rows.get((name, operation))
        if row is None:
            return None
        kind = E64 if name == "VOP3" else E32
        if kind == E32 and name in ("VOP1", "VOP2", "VOPC"):
            kind = {SDWA: SDWA_KIND, DPP: DPP_KIND}.get(first & 0x1FF, E32)
            if kind not in row.kinds:
                return None
        form = FORMATS[row.format_name(kind)]
        end = start + WORD * form.words
        if end > len(data):
            return None
        fields = form.decode(int.from_bytes(data[start:end], "little"))
        fields.pop("op", None)
        if kind == E64:
            return None if LITERAL in (fields["src0"], fields["src1"], fields["src2"]) else Written(row, kind, fields)
        if not wants_literal(row, fields):
            return Written(row, kind, fields)
        if end + WORD > len(data):
            return None
        return Written(row, kind, fields, int.from_bytes(data[end : end + WORD], "little"))
