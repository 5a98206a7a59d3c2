"""PTX: the text that CUDA's compilers make, translated to SSA of `compiler/` and so to a Program.

    module = ptx.read(text, "saxpy.cu")
    built = module.compile("_Z5saxpyifPKfPf", addresses={})
    program = built.launch((4,), (256,), parameters)

`tokens.py` and `parser.py` read the text, `linking.py` takes from
other texts what one declares, `inline.py` writes called functions in their places, `graph.py` finds blocks and phis,
`kernel.py` walks them; `integers.py`, `floats.py`, `conversions.py`, `video.py`, `memory.py`,
`warps.py` and `calls.py` are tables: one rule an instruction; `rounding.py` and `brain.py` are what several rules of floats need.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from warploom.isa.diagnostics import Diagnostics, SourceError
from warploom.isa.program import Position, Source
from warploom.ptx import module as m
from warploom.ptx.inline import function_address
from warploom.ptx.kernel import Built, compile_kernel, default_sources
from warploom.ptx.linking import link
from warploom.ptx.parser import Parser
from warploom.ptx.recursion import STACK_BYTES
from warploom.ptx.tokens import Unreadable
from warploom.ptx.translation import DEVICE_WINDOW

__all__ = ["DEVICE_WINDOW", "Built", "Text", "read"]


@dataclass(frozen=True)
class Text:
    """A text of PTX that was read."""

    module: m.Module
    sources: Callable[[str], str | None]

    @property
    def kernels(self) -> dict[str, m.Function]:
        """Kernels by their names in the text."""
        return self.module.kernels

    @property
    def variables(self) -> dict[str, m.Variable]:
        """Variables in global and constant memory, which the device's memory has to hold."""
        return {
            name: one for name, one in self.module.variables.items() if one.space in ("global", "const") and one.size and not one.external
        }

    def initial(self, name: str, addresses: Mapping[str, int]) -> bytes:
        """A variable's first bytes, where those of the others are known. addresses: in the device's memory."""
        one = self.module.variables[name]
        data = bytearray(one.data.ljust(one.size, b"\0"))
        for offset, other, more in one.addresses:
            value = function_address(other) if other in self.module.functions else 0
            value = (DEVICE_WINDOW + addresses[other] + more) & 0xFFFFFFFFFFFFFFFF if other in addresses else value
            data[offset : offset + 8] = value.to_bytes(8, "little")[: len(data) - offset]
        return bytes(data)

    def compile(self, name: str, addresses: Mapping[str, int], stack_bytes: int = STACK_BYTES, checked: bool = False) -> Built:
        """A kernel as a program. addresses: of `variables`. stack_bytes: of a thread. checked: it asks for checks. Raises SourceError."""
        return compile_kernel(self.module, name, addresses, self.sources, stack_bytes, checked)

    def linked(self, others: Sequence[Text], number: int) -> tuple[Text, dict[str, tuple[int, str]]]:
        """This text, number `number` of `others`, with what it declares and another one defines. Also: of its variables those of others,
        by the other's number and the name there.
        """
        found = link([one.module for one in others], number)
        return Text(found.module, self.sources), found.elsewhere


def read(
    text: str, path: str, *, library: Callable[[str], bool] = lambda path: False, sources: Callable[[str], str | None] | None = None
) -> Text:
    """Read a text of PTX. path: the file it was made from, for messages. library: whether a source file is the run-time's own.
    sources: reads the files that the text names, None where one cannot be had; without it they are looked for beside `path` too.

    Raises SourceError where it cannot be read.
    """
    try:
        module = Parser(text, path, library).parse()
    except Unreadable as error:
        source = Source(text, path if path.endswith(".ptx") else f"{path} (PTX)")
        said = Diagnostics(source)
        said.error(Position(max(error.place.text_line, 1), 1), error.message)
        raise SourceError(said.items, source) from None
    return Text(module, sources or default_sources(Path(path).parent))
