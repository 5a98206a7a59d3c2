"""PTX that a program brings: its variables in the device's memory, and its kernels, compiled when they are first wanted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from warploom.cuda_cpp.compiler import HEADER, INCLUDE
from warploom.device import Device
from warploom.ptx import read

Sources = Callable[[str], str | None]


@dataclass
class Kernel:
    """A kernel of a module. dynamic: bytes of dynamic shared memory that a launch may ask for beyond the usual limit.
    stack: bytes of a thread. checked: it asks what `warploom check` has to be told of.
    """

    module: Module
    name: str
    form: Any
    stack: int
    checked: bool = False
    built: Any = None
    dynamic: int = 0

    def compiled(self) -> Any:
        """Its compiled code. Raises SourceError."""
        if self.built is None:
            form, addresses = self.module.linked()
            self.built = form.compile(self.name, addresses, self.stack, self.checked)
            self.module.warned(self.built.warnings)
        return self.built


@dataclass
class Module:
    """What one file of device code holds. form: of `warploom.ptx`. addresses: of its variables. all: of the program, with this one."""

    form: Any
    path: str
    warned: Callable[[Any], None]
    addresses: dict[str, int] = field(default_factory=dict)
    all: list[Module] = field(default_factory=list)

    def linked(self) -> tuple[Any, dict[str, int]]:
        """Its text with what it has from the program's other files, and where all variables are."""
        number = next((place for place, one in enumerate(self.all) if one is self), None)
        if number is None:
            return self.form, self.addresses
        form, elsewhere = self.form.linked([one.form for one in self.all], number)
        return form, self.addresses | {name: self.all[owner].addresses[there] for name, (owner, there) in elsewhere.items()}

    def place(self, device: Device) -> None:
        """Give its variables memory, with what they hold at the start. Raises DeviceError."""
        ours = {name: one for name, one in self.form.variables.items() if one.space in ("global", "const")}
        self.addresses.clear()
        for name, one in ours.items():
            self.addresses[name] = device.allocate(max(one.size, 1), max(one.align, 16))
        for name, one in ours.items():
            if one.size:
                device.write(self.addresses[name], bytearray(self.form.initial(name, self.addresses)))


def read_module(text: str, warned: Callable[[Any], None], sources: Sources | None = None) -> Module:
    """A module from PTX. sources: reads the files that it names. Raises SourceError."""
    first, _, rest = text.partition("\n")
    path = first.removeprefix(HEADER).strip() if first.startswith(HEADER) else "program.ptx"
    ours = str(INCLUDE)
    body = rest if first.startswith(HEADER) else text
    return Module(read(body, path, library=lambda file: file.startswith(ours), sources=sources), path, warned)
