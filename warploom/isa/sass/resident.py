"""A kernel of a cubin over the memory of a device: its launches bring the bytes of the parameters, as a driver's do."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from warploom.isa.diagnostics import Diagnostic
from warploom.isa.launch import Launch
from warploom.isa.program import Program
from warploom.isa.sass.cubin import Cubin, Kernel
from warploom.isa.sass.front_end import banks_of, program_of, warnings_of
from warploom.isa.sass.host import Printing
from warploom.isa.sass.launch import Placed
from warploom.isa.sass.linking import Addresses, in_memory, linked
from warploom.isa.sass.lowering import Lowered, host_addresses, instructions_of, lower
from warploom.isa.sass.mufu.chosen import Chosen
from warploom.isa.sass.mufu.chosen import chosen as chosen_tables

NOTHING = Placed((), (), (), {}, b"")


class _Linked(NamedTuple):
    """A kernel with its variables' addresses, and the tables that it looks up."""

    found: Cubin
    kernel: Kernel
    addresses: Addresses
    tables: Chosen


@dataclass
class Resident:
    """A kernel whose file's variables lie in a device's memory. variables: where, by number of their section."""

    found: Cubin
    kernel: Kernel
    remarks: Sequence[str] = ()
    variables: dict[int, int] = field(default_factory=dict)
    _home: weakref.ref[Any] | None = None
    _linked: _Linked | None = None
    _lowered: dict[tuple[tuple[int, int], ...], Lowered] = field(default_factory=dict)

    def place(self, device: Any, allocate: Callable[[int, int], int], write: Callable[[int, bytes], None]) -> None:
        """Give the variables memory of a device, with what they hold at the start; those that lie there already stay as they are."""
        if self._home is not None and self._home() is device:
            return
        self._home = weakref.ref(device)
        self._linked = None  # its code has addresses
        self._lowered.clear()
        for number, data in in_memory(self.found).items():
            self.variables[number] = allocate(max(len(data), 4), 256)
            write(self.variables[number], data)

    def launched(self, launch: Launch, parameters: bytes) -> Program:
        """The program of a launch."""
        found, kernel, addresses, tables = self._with_addresses()
        banks = banks_of(found, kernel, launch, parameters, addresses)
        sizes = {number: len(data) for number, data in banks.items()}
        key = tuple(sizes.items())
        if key not in self._lowered:
            self._lowered[key] = lower(found, kernel, sizes, tables.first)
        program = program_of(found, kernel, launch, self._lowered[key], banks, NOTHING, [])
        printing = None
        if host_addresses(self.found, self.kernel):
            printing = Printing({start: in_memory(self.found)[number] for number, start in self.variables.items()})
        return replace(program, regions=(), functions=tables.words, remarks=(*self.remarks, *tables.remarks), printing=printing)

    def warnings(self, program: Program) -> list[Diagnostic]:
        """What a user is told before the kernel runs. program: one that it was launched as."""
        return warnings_of(self.found, self.kernel, program, next(iter(self._lowered.values())))

    def _with_addresses(self) -> _Linked:
        if self._linked is None:
            addresses = Addresses(self.found, self.kernel, self.variables)
            found, kernel = linked(self.found, self.kernel, addresses)
            self._linked = _Linked(found, kernel, addresses, chosen_tables(instructions_of(found, kernel), None))
        return self._linked
