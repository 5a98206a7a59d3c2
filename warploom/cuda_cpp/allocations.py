"""What a program has allocated, and, where its launches are checked, which bytes somebody has written.

With checks each allocation is followed by a gap that belongs to nobody: a read there is one past the end. Names are those of the host's
source, from the line that called cudaMalloc.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

import numpy as np

from warploom.checks.checker import Checker
from warploom.checks.report.findings import Finding
from warploom.isa.reading import regular_text
from warploom.isa.uop import GLOBAL_SPACE

GAP_BYTES = 256  # after an allocation, with checks
IN_CALL = re.compile(r"(?:Malloc|Alloc)\w*\s*(?:<[^>]*>)?\s*\(\s*(?:\(\s*\w+\s*\*\s*\*\s*\)\s*)?&?\s*([A-Za-z_][\w.\->\[\]]*)")
ADDRESS = re.compile(r"byte 0x([0-9a-f]+) of memory")


@dataclass
class Allocation:
    """Memory that the program has asked for. line: "file:line" of the call, "" where that is not known. shared: the host may access it.

    name: what the call's line calls it, "" where that is not to be seen. unwritten: bool[size + GAP_BYTES] with checks: bytes that neither
    the host nor a kernel has written. number: which one of the program's it is; an address may be given once more.
    """

    address: int
    size: int
    line: str
    shared: bool
    name: str = ""
    unwritten: np.ndarray | None = None
    number: int = 0


@dataclass
class Allocations:
    """All of a program, by address. checked: its launches are checked. sources: reads the host's source, None where it cannot be had."""

    checked: bool = False
    held: dict[int, Allocation] = field(default_factory=dict)
    sources: Callable[[str], str | None] = regular_text
    made: int = 0

    @property
    def gap(self) -> int:
        """Bytes that an allocation has after its own."""
        return GAP_BYTES if self.checked else 0

    def add(self, address: int, size: int, line: str, shared: bool) -> None:
        """One more."""
        unwritten = np.ones(size + GAP_BYTES, np.bool_) if self.checked else None
        self.held[address] = Allocation(address, size, line, shared, name_in(line, self.sources), unwritten, self.made)
        self.made += 1

    def around(self, address: int) -> Allocation | None:
        """The one that an address lies in, or in the gap after it."""
        return next((one for one in self.held.values() if one.address <= address < one.address + max(one.size, 1) + self.gap), None)

    def written(self, address: int, count: int) -> None:
        """The host has written some bytes."""
        if self.checked and (one := self.around(address)) is not None and one.unwritten is not None:
            first = address - one.address
            one.unwritten[first : min(first + count, one.size)] = False

    def copied(self, to: int, address: int, count: int) -> None:
        """Some bytes have been copied: they are as unwritten as they were."""
        target, source = self.around(to), self.around(address)
        if not self.checked or target is None or target.unwritten is None:
            return
        mask = np.zeros(count, np.bool_)
        if source is not None and source.unwritten is not None:
            piece = source.unwritten[address - source.address :][:count]
            mask[: len(piece)] = piece
        target.unwritten[to - target.address :][:count] = mask[: len(target.unwritten) - (to - target.address)]

    def checker(self) -> Checker:
        """The checker of a launch, which knows the bytes that nobody has written."""
        return Checker([(one.address, one.unwritten) for one in self.held.values() if one.unwritten is not None and one.unwritten.any()])

    def ran(self, checker: Checker | None) -> None:
        """A kernel has run; one without checks is taken to have written all."""
        for one in self.held.values():
            if one.unwritten is None:
                continue
            if checker is None:
                one.unwritten[: one.size] = False
            elif one.unwritten.any():
                one.unwritten[: one.size] &= ~checker.written(one.address, one.size + GAP_BYTES)[: one.size]

    def overwritten(self, checker: Checker) -> Iterator[str]:
        """What a kernel has written past the ends of allocations."""
        for one in self.held.values():
            if one.unwritten is not None and (count := int(checker.written(one.address, one.size + GAP_BYTES)[one.size :].sum())):
                yield f"the kernel has written {count} bytes past the end of {described(one)}"

    def named(self, finding: Finding) -> Finding:
        """A finding in which addresses of memory are places in what the program has allocated."""

        def place(found: re.Match[str]) -> str:
            one = self.around(int(found[1], 16))
            return found[0] if one is None else f"byte {int(found[1], 16) - one.address} of {described(one)}"

        message = ADDRESS.sub(place, finding.message)
        made = replace(finding, message=message, other_message=ADDRESS.sub(place, finding.other_message))
        one = self.around(finding.address) if finding.space == GLOBAL_SPACE and finding.address >= 0 else None
        if one is None:
            return made
        made = replace(made, element=one.name)
        if finding.kind != "uninitialised":
            return made
        if finding.address - one.address >= one.size:
            past = message.replace(", which nobody has written", ": that is past its end")
            return replace(made, kind="bounds", message=past, fix="guard the access, as in: if (i < n)")
        return replace(made, fix="copy to it with cudaMemcpy, or fill it with cudaMemset, before the launch")

    def left(self) -> list[Allocation]:
        """What has not been freed."""
        return list(self.held.values())


def described(one: Allocation) -> str:
    """An allocation in words: `x` (400 bytes, a.cu:12)."""
    about = f"{one.size} bytes, {one.line}" if one.line else f"{one.size} bytes"
    return f"`{one.name}` ({about})" if one.name else f"an allocation ({about})"


def name_in(line: str, sources: Callable[[str], str | None] = regular_text) -> str:
    """The variable that a call of cudaMalloc at "file:line" is given."""
    path, _, number = line.rpartition(":")
    if not path or not number.isdigit():
        return ""
    lines = (sources(path) or "").splitlines()
    found = IN_CALL.search(lines[int(number) - 1]) if 0 < int(number) <= len(lines) else None
    return found[1] if found else ""
