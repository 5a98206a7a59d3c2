"""Image: all of a machine in one cycle, as bytes and as JSON: what it can be put aside by, and taken up again in another process.

Not hardware. What does not change while a machine runs is a description: its configuration, its program, and how long its arrays may
become. What changes is a few arrays, each as far as it is in use. Both engines work on these bytes, so an image is the same for both.
"""

from __future__ import annotations

import json
from typing import Any, NamedTuple, Protocol

import msgspec
import numpy as np

from warploom.isa.program import Program
from warploom.machine.config.schema import Config

NAMES = ("gpu", "cores", "memory", "profile", "notes", "regions")  # of a machine's arrays, in their order
HEAD = 8  # bytes of a written image that say how long its description is


class Imaged(Protocol):
    """A machine, as far as an image needs it."""

    @property
    def cycle(self) -> int:
        """Cycles simulated so far."""

    @property
    def config(self) -> Config:
        """What it was built from."""

    @property
    def program(self) -> Program:
        """What it runs."""

    def arrays(self) -> tuple[np.ndarray, ...]:
        """Everything that changes, as far as it is in use by now."""

    def whole(self) -> tuple[np.ndarray, ...]:
        """The same with what may come into use."""


class ImageError(ValueError):
    """An image that is not whole, or of another machine. One sentence."""


class Image(NamedTuple):
    """fixed: what stays as it is, as JSON has it. cycle: of the machine. changing: by name, the bytes of an array that are in use."""

    fixed: dict[str, Any]
    cycle: int
    changing: dict[str, bytes]

    @staticmethod
    def of(machine: Imaged) -> Image:
        """A machine as it is now."""
        parts = {name: _bytes(array).tobytes() for name, array in zip(NAMES, machine.arrays(), strict=False)}
        return Image(_fixed(machine), machine.cycle, parts)

    @property
    def description(self) -> str:
        """JSON: what stays as it is, the cycle, and how many bytes of each array are in use."""
        used = {name: len(part) for name, part in self.changing.items()}
        return json.dumps({**self.fixed, "cycle": self.cycle, "in_use": used}, indent=1)

    def written(self) -> bytes:
        """As a file: the description with its length in front, then the arrays."""
        text = self.description.encode()
        return len(text).to_bytes(HEAD, "little") + text + b"".join(self.changing.values())

    @staticmethod
    def read(data: bytes) -> Image:
        """Of a file. Raises ImageError."""
        end = HEAD + int.from_bytes(data[:HEAD], "little")
        try:
            fixed = json.loads(data[HEAD:end])
            cycle, used = fixed.pop("cycle"), fixed.pop("in_use")
        except (ValueError, KeyError, AttributeError, TypeError):
            raise ImageError("this is not an image of a machine") from None
        if len(data) != end + sum(used.values()):
            raise ImageError(f"the image has {len(data)} bytes; its description says {end + sum(used.values())}")
        parts = {}
        for name, size in used.items():
            parts[name], end = data[end : end + size], end + size
        return Image(fixed, cycle, parts)

    def put_into(self, machine: Imaged) -> None:
        """Into a machine that was built from the same configuration and program. Raises ImageError for another one."""
        if differ := [name for name, value in _fixed(machine).items() if self.fixed.get(name) != value]:
            raise ImageError(f"the image is of a machine with another {' and another '.join(differ)}")
        for name, array in zip(NAMES, machine.whole(), strict=False):
            held, part = _bytes(array), self.changing[name]
            held[: len(part)] = np.frombuffer(part, np.uint8)
            rest = held[len(part) :]
            rest[np.flatnonzero(rest)] = 0


def _fixed(machine: Imaged) -> dict[str, Any]:
    """What of a machine stays as it is."""
    from hashlib import sha256

    program = machine.program
    tables = sha256(b"".join(np.ascontiguousarray(table).tobytes() for table in (program.uops, program.code)))
    return {
        "configuration": msgspec.to_builtins(machine.config),
        "program": {"name": program.name, "instruction_set": program.isa, "digest": tables.hexdigest()},
        "arrays": {name: array.nbytes for name, array in zip(NAMES, machine.whole(), strict=False)},
    }


def _bytes(array: np.ndarray) -> np.ndarray:
    return array.reshape(-1).view(np.uint8)
