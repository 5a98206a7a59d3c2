"""Labels of an assembly source whose pieces have a length each: where a label lies once all of them have an address."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Protocol

Mark = tuple[int, int]  # (section, number of pieces before it)


class Piece(Protocol):
    """A piece of a section: an instruction or data. address, size: bytes."""

    @property
    def section(self) -> int:
        """Which section it is in."""

    @property
    def address(self) -> int:
        """Where it lies."""

    @property
    def size(self) -> int:
        """How long it is."""


def mark_of(label: str, place: int, marks: Mapping[str, Mark], numbered: Sequence[tuple[str, int, int]]) -> Mark | None:
    """The mark that a label means after `place` pieces; `1b` and `1f` are the nearest 1 before and after. None: there is none.

    numbered: labels that are numbers, with their marks, in the order of the text.
    """
    if not re.fullmatch(r"\d+[bf]", label):
        return marks.get(label)
    back = label[-1] == "b"
    there = [(section, at) for name, section, at in numbered if name == label[:-1] and (at <= place) == back]
    return (there[-1] if back else there[0]) if there else None


def address_of(mark: Mark, pieces: Sequence[Piece], bases: Sequence[int]) -> int:
    """The address at a mark: of the next piece of its section, or the end of the last one. bases: where each section begins."""
    section, at = mark
    after = next((piece for piece in pieces[at:] if piece.section == section), None)
    if after is not None:
        return after.address
    last = next((piece for piece in reversed(pieces[:at]) if piece.section == section), None)
    return last.address + last.size if last is not None else bases[section]
