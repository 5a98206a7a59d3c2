"""ProgramBuilder: from micro-ops, an instruction at a time, to the two tables of a Program."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from warploom.isa import uop as u
from warploom.isa.program import Position
from warploom.isa.uop import Uop

NOWHERE = Position()


class Bundle(NamedTuple):
    """What an instruction does, wherever it lies: its micro-ops' rows, the unit that issues it with its latency class, and the register
    groups that it writes and reads."""

    rows: list[list[int]]
    unit: int
    latency: int
    written: list[int]
    groups: list[int]


@dataclass
class ProgramBuilder:
    """Collects instructions; `arrays()` gives the two tables of a Program."""

    lock_width: int = 1
    uops: list[list[int]] = field(default_factory=list)
    code: list[list[int]] = field(default_factory=list)
    text: list[str] = field(default_factory=list)

    def add(
        self,
        uops: Iterable[Uop],
        *,
        text: str,
        position: Position | None = None,
        word: int = 0,
        address: int | None = None,
        reads: tuple[int, int] | None = None,
        unit: int = u.NONE,
        latency: int = u.NONE,
    ) -> int:
        """Add one instruction made of `uops`; returns its number.

        reads: what the register file's two read ports are given (default: the first micro-op's A and B).
        word: the encoded instruction. address: where it lies in program memory (default: its number).
        unit, latency: the unit that issues the whole bundle and its latency class, where a front end knows better than
        the rule (the first micro-op that is not ALU decides; among ALU micro-ops the highest class number).
        """
        return self.put(self.bundle(uops, unit, latency), text=text, position=position, word=word, address=address, reads=reads)

    def bundle(self, uops: Iterable[Uop], unit: int = u.NONE, latency: int = u.NONE) -> Bundle:
        """What `add` makes of micro-ops before it knows where they lie: an instruction that comes often is made once."""
        bundle = list(uops) or [Uop("nop")]
        rows = [uop.row() for uop in bundle]
        main = next((row for row in rows if row[u.UNIT] != u.ALU), rows[0])
        if latency == u.NONE:
            latency = max(row[u.LATENCY] for row in rows) if main[u.UNIT] == u.ALU else main[u.LATENCY]
        written, read = self._groups(bundle)
        groups = written + [group for group in read if group not in written]
        return Bundle(rows, main[u.UNIT] if unit == u.NONE else unit, latency, written, groups)

    def put(
        self,
        bundle: Bundle,
        *,
        text: str,
        position: Position | None = None,
        word: int = 0,
        address: int | None = None,
        reads: tuple[int, int] | None = None,
    ) -> int:
        """Add an instruction that `bundle` has made; returns its number. The rest as for `add`."""
        rows, unit, latency, written, groups = bundle
        if len(groups) > u.MAX_USES:
            raise ValueError(f"an instruction may use at most {u.MAX_USES} register groups, {text!r} uses {len(groups)}")
        number = len(self.code)
        row = [0] * u.CODE_COLUMNS
        row[u.FIRST_UOP], row[u.COUNT] = len(self.uops), len(rows)
        row[u.ISSUE_UNIT], row[u.ISSUE_LATENCY] = unit, latency
        row[u.WORD], row[u.WORD_HIGH] = _signed(word), _signed(word >> 32)
        row[u.READ_A], row[u.READ_B] = reads if reads is not None else (rows[0][u.A], rows[0][u.B])
        position = position or NOWHERE
        row[u.LINE], row[u.COLUMN], row[u.FILE] = position.line, position.column, position.file
        row[u.ADDRESS] = number if address is None else _signed(address)
        row[u.USES], row[u.WRITES] = len(groups), len(written)
        row[u.USE : u.USE + len(groups)] = groups
        self.uops.extend(rows)
        self.code.append(row)
        self.text.append(text)
        return number

    def _groups(self, bundle: list[Uop]) -> tuple[list[int], list[int]]:
        """Register groups that a bundle writes and reads, hidden registers left out: nothing can wait for those."""
        written: list[int] = []
        read: list[int] = []
        for uop in bundle:
            operation = u.OPERATIONS[u.NUMBER[uop.name]]
            for code in self._written(uop, operation):
                if self._locks(code) and self.group(code) not in written:
                    written.append(self.group(code))
            pairs = u.pairs_of(operation, uop.size)
            codes: tuple[int, ...] = (uop.a, uop.b, uop.c, uop.predicate)
            if pairs:
                codes += tuple(code + 1 for letter, code in zip("abc", codes, strict=False) if letter in pairs and code >= 0)
            for code in codes:
                if code != u.NONE and self._locks(code) and self.group(code) not in read:
                    read.append(self.group(code))
        return written, read

    @staticmethod
    def _written(uop: Uop, operation: u.Operation) -> list[int]:
        return [] if uop.dst == u.NONE else [uop.dst + k for k in range(u.registers_written(operation, uop.size))]

    @staticmethod
    def _locks(code: int) -> bool:
        return u.SCALAR <= code < u.SCALAR + u.HIDDEN_SCALARS or 0 <= code < u.HIDDEN

    def group(self, code: int) -> int:
        """The scoreboard's group of an operand code: lane registers by lock_width, scalar registers above them."""
        return u.SCALAR_GROUP + (code - u.SCALAR) if code >= u.SCALAR else code // self.lock_width

    def arrays(self) -> tuple[np.ndarray, np.ndarray, tuple[str, ...]]:
        """(uops, code, text) for a Program."""
        uops = np.array(self.uops, np.int32).reshape(-1, u.UOP_COLUMNS)
        code = np.array(self.code, np.int32).reshape(-1, u.CODE_COLUMNS)
        return uops, code, tuple(self.text)


def _signed(value: int) -> int:
    return (value + (1 << 31)) % (1 << 32) - (1 << 31)
