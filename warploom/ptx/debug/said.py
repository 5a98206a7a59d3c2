"""What debug information says of a function: its variables with where they are, and its arrays in shared memory."""

from __future__ import annotations

from typing import NamedTuple

from warploom.isa.views import ViewShape


class Held(NamedTuple):
    """From a line of the text to another one, exclusive, a piece is in a register, or a number that the compiler knows.

    Neither: it is nowhere.
    """

    first: int
    stop: int
    register: str = ""
    number: int | None = None


class Piece(NamedTuple):
    """A variable, or a member of one. kind: as in `isa.variables.Place`; bytes: of it.

    everywhere: one place holds wherever the register has a value at all.
    """

    name: str
    kind: str
    bytes: int
    held: tuple[Held, ...]
    everywhere: bool = False


class SharedArray(NamedTuple):
    """An array in shared memory. symbol: its name in the text."""

    symbol: str
    name: str
    shape: ViewShape


class Described(NamedTuple):
    """What is said of a function."""

    parameters: tuple[str, ...] = ()
    pieces: tuple[Piece, ...] = ()
    arrays: tuple[SharedArray, ...] = ()
