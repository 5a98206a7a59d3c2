"""What a loader writes into code: addresses of variables and functions that the compiler has left open.

nvJitLink and `nvcc -dlink` leave them as relocations of the code; nvcc and NVRTC have the code load them from constant bank 4 instead.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from warploom.isa.sass.cubin import WORD, Cubin, Kernel, Relocation, Symbol
from warploom.isa.sass.lowering import host_addresses, pieces

# By kind of relocation: the first bit of an instruction's 32 that it writes, and the first bit of the address that it takes.
# Source: nvdisasm, which writes an operand as 32@lo(name) or 32@hi(name), and a call's as `(name).
FIELDS = {55: (32, 0), 56: (32, 0), 57: (32, 32), 58: (32, 0), 75: (32, 0)}
WITHOUT_EFFECT = {0}
NOWHERE = (1 << 32) - WORD  # where no code is
_MASK = (1 << 32) - 1


CONSTANTS = -3  # stands for the number of a section: of the copy of bank 3 in memory, which pointers to constants lead to


def in_memory(found: Cubin) -> dict[int, bytes]:
    """What a file has in the device's memory, by number of the section: its variables, and its `__constant__` variables once more."""
    return {**found.variables, **({CONSTANTS: found.banks[3]} if 3 in found.banks else {})}


class Addresses:
    """Where the symbols of a file lie. variables: by number of their section."""

    def __init__(self, found: Cubin, kernel: Kernel, variables: Mapping[int, int]) -> None:
        self._sections = {piece.section: start for piece, start in pieces(found, kernel)} | dict(variables)
        self.constants = variables.get(CONSTANTS, 0)
        self._host = host_addresses(found, kernel)

    def of(self, symbol: Symbol) -> int | None:
        """A symbol's address; None of one that is not there."""
        begin = self._sections.get(symbol.section)
        return self._host.get(symbol.name) if begin is None else begin + symbol.value


def linked(found: Cubin, kernel: Kernel, addresses: Addresses) -> tuple[Cubin, Kernel]:
    """A file and a kernel of it whose code has the addresses."""
    functions = {name: _linked(one, addresses) for name, one in found.functions.items()}
    return replace(found, functions=functions), _linked(kernel, addresses)


def unknown(found: Cubin, kernel: Kernel) -> set[int]:
    """The kinds of relocations of code that nobody here fills in."""
    return {one.kind for piece, _ in pieces(found, kernel) for one in piece.relocations} - set(FIELDS) - WITHOUT_EFFECT


def _linked(kernel: Kernel, addresses: Addresses) -> Kernel:
    wanted: Sequence[Relocation] = [one for one in kernel.relocations if one.kind in FIELDS]
    if not wanted:
        return kernel
    code = bytearray(kernel.code)
    for one in wanted:
        if one.place + WORD > len(code):
            continue
        address = addresses.of(one.symbol)
        bit, shift = FIELDS[one.kind]
        value = NOWHERE if address is None else address + one.addend >> shift & _MASK
        word = int.from_bytes(code[one.place : one.place + WORD], "little") & ~(_MASK << bit) | value << bit
        code[one.place : one.place + WORD] = word.to_bytes(WORD, "little")
    return replace(kernel, code=bytes(code))
