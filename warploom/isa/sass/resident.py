"""A kernel of a cubin over the memory of a device: its launches bring the bytes of the parameters, as a driver's do."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from warploom.isa.launch import Launch
from warploom.isa.program import Program
from warploom.isa.sass.cubin import Cubin, Kernel
from warploom.isa.sass.front_end import banks_of, program_of
from warploom.isa.sass.host import Printing
from warploom.isa.sass.launch import Placed
from warploom.isa.sass.linking import Addresses, in_memory, linked
from warploom.isa.sass.lowering import Lowered, host_addresses, instructions_of, lower
from warploom.isa.sass.mufu.chosen import chosen as chosen_tables

NOTHING = Placed((), (), (), {}, b"")


@dataclass
class Resident:
    """A kernel whose file's variables lie in a device's memory. variables: where, by number of their section."""

    found: Cubin
    kernel: Kernel
    remarks: Sequence[str] = ()
    variables: dict[int, int] = field(default_factory=dict)
    _lowered: dict[tuple[tuple[int, int], ...], Lowered] = field(default_factory=dict)

    def place(self, allocate: Callable[[int, int], int], write: Callable[[int, bytes], None]) -> None:
        """Give the variables memory, with what they hold at the start."""
        self._lowered.clear()  # its code has addresses
        for number, data in in_memory(self.found).items():
            self.variables[number] = allocate(max(len(data), 4), 256)
            write(self.variables[number], data)

    def launched(self, launch: Launch, parameters: bytes) -> Program:
        """The program of a launch."""
        addresses = Addresses(self.found, self.kernel, self.variables)
        found, kernel = linked(self.found, self.kernel, addresses)
        banks = banks_of(found, kernel, launch, parameters, addresses)
        sizes = {number: len(data) for number, data in banks.items()}
        tables = chosen_tables(instructions_of(found, kernel), None)
        key = tuple(sizes.items())
        if key not in self._lowered:
            self._lowered[key] = lower(found, kernel, sizes, tables.first)
        program = program_of(found, kernel, launch, self._lowered[key], banks, NOTHING, [])
        printing = None
        if host_addresses(self.found, self.kernel):
            printing = Printing({start: in_memory(self.found)[number] for number, start in self.variables.items()})
        return replace(program, regions=(), functions=tables.words, remarks=(*self.remarks, *tables.remarks), printing=printing)
