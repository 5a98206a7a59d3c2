"""ProgramBuilder: from micro-ops, an instruction at a time, to the two tables of a Program."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import chain
from typing import NamedTuple

import numpy as np

from warploom.isa import uop as u
from warploom.isa.counts import numbers, positions, repeated, running_sum, tally
from warploom.isa.program import Position
from warploom.isa.uop import Uop

NOWHERE = Position()


class Bundle(NamedTuple):
    """What an instruction does, wherever it lies: its micro-ops' rows, and its own row without its place and its register groups."""

    rows: list[list[int]]
    code: list[int]


# The order of latency classes, the last of which is a bundle's: by number, but for those that are a part of another class.
BESIDE = {
    u.L_SHUFFLE: u.L_ALU + 0.5, u.L_FLOAT_COMPARE: u.L_FLOAT - 0.5, u.L_FLOAT_ROOT: u.L_SPECIAL + 0.2,
    u.L_FLOAT_RECIPROCAL: u.L_SPECIAL + 0.4, u.L_DOUBLE_CONVERT: u.L_DOUBLE - 0.5,
}  # fmt: skip


def _slowness(latency: int) -> float:
    """The place of a latency class in the order of BESIDE."""
    return BESIDE.get(latency, latency)


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
        main = rows[0] if len(rows) == 1 else next((row for row in rows if row[u.UNIT] != u.ALU), rows[0])
        if latency == u.NONE and len(rows) == 1:
            latency = main[u.LATENCY]
        elif latency == u.NONE:
            latency = max((row[u.LATENCY] for row in rows), key=_slowness) if main[u.UNIT] == u.ALU else main[u.LATENCY]
        code = [0] * u.CODE_COLUMNS
        code[u.COUNT], code[u.ISSUE_UNIT], code[u.ISSUE_LATENCY] = len(rows), main[u.UNIT] if unit == u.NONE else unit, latency
        code[u.READ_A], code[u.READ_B] = rows[0][u.A], rows[0][u.B]
        return Bundle(rows, code)

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
        row = bundle.code.copy()
        number = len(self.code)
        row[u.FIRST_UOP] = len(self.uops)
        row[u.WORD] = _signed(word)
        if word >> 32:
            row[u.WORD_HIGH] = _signed(word >> 32)
        if reads is not None:
            row[u.READ_A], row[u.READ_B] = reads
        position = position or NOWHERE
        row[u.LINE], row[u.COLUMN], row[u.FILE] = position.line, position.column, position.file
        row[u.ADDRESS] = number if address is None else _signed(address)
        self.uops.extend(bundle.rows)
        self.code.append(row)
        self.text.append(text)
        return number

    def arrays(self) -> tuple[np.ndarray, np.ndarray, tuple[str, ...]]:
        """(uops, code, text) for a Program."""
        uops, code = _table(self.uops, u.UOP_COLUMNS), _table(self.code, u.CODE_COLUMNS)
        self._lock(uops, code)
        return uops, code, tuple(self.text)

    def _lock(self, uops: np.ndarray, code: np.ndarray) -> None:
        """Names the register groups that each instruction writes, then those that it reads besides.

        Hidden registers are left out: nothing can wait for those. Raises ValueError where there are too many.
        """
        sides = registers_written(uops), registers_read(uops)
        instruction = repeated(numbers(len(code)), code[:, u.COUNT])
        owners = np.concatenate([np.repeat(instruction, side.shape[1]) for side in sides])
        codes = np.concatenate([side.ravel() for side in sides])
        scalar = codes >= u.SCALAR
        locks = (codes >= 0) & (codes < u.HIDDEN) | scalar & (codes < u.SCALAR + u.HIDDEN_SCALARS)
        groups = np.where(scalar, codes - u.SCALAR + u.SCALAR_GROUP, codes // self.lock_width)
        places = positions(locks)
        first = places[np.unique(owners[places] << 32 | groups[places], return_index=True)[1]]
        first = first[np.lexsort((first, owners[first]))]
        of, size = owners[first], len(code)
        code[:, u.USES] = uses = tally(of, size)
        code[:, u.WRITES] = tally(of[first < sides[0].size], size)
        for number in np.flatnonzero(uses > u.MAX_USES).tolist():
            raise ValueError(f"an instruction may use at most {u.MAX_USES} register groups, {self.text[number]!r} uses {uses[number]}")
        code[of, u.USE + numbers(len(of)) - repeated(running_sum(uses) - uses, uses)] = groups[first]


@cache
def _shape(operation: int, size: int) -> tuple[int, int, int, int]:
    """How many registers an operation writes; 1 for each of a, b and c that stands for a pair."""
    row = u.OPERATIONS[operation]
    a, b, c = (int(letter in u.pairs_of(row, size)) for letter in "abc")
    return u.registers_written(row, size), a, b, c


def _shapes(uops: np.ndarray) -> np.ndarray:
    """`_shape` of micro-ops, a column each."""
    kinds, which = np.unique(uops[:, u.OP].astype(np.int64) << 32 | uops[:, u.SIZE], return_inverse=True)
    return np.array([_shape(kind >> 32, kind & 0xFF) for kind in kinds.tolist()], np.int64).reshape(-1, 4)[which.ravel()]


def registers_written(uops: np.ndarray) -> np.ndarray:
    """The registers that micro-ops write; NONE in the columns of those that write fewer."""
    wide = _shapes(uops)[:, :1]
    following = numbers(int(wide.max(initial=1)))
    return np.where((uops[:, [u.DST]] != u.NONE) & (following < wide), uops[:, [u.DST]] + following, u.NONE)


def registers_read(uops: np.ndarray) -> np.ndarray:
    """The registers that micro-ops read, with the second ones of pairs."""
    sources = uops[:, [u.A, u.B, u.C]].astype(np.int64)
    second = np.where((_shapes(uops)[:, 1:] > 0) & (sources >= 0), sources + 1, u.NONE)
    return np.concatenate([sources, uops[:, [u.PREDICATE]], second], axis=1)


def _table(rows: Sequence[Sequence[int]], columns: int) -> np.ndarray:
    return np.fromiter(chain.from_iterable(rows), np.int32, len(rows) * columns).reshape(-1, columns)


def _signed(value: int) -> int:
    return (value + (1 << 31)) % (1 << 32) - (1 << 31)
