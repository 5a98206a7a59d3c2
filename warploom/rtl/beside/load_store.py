"""The coalescer and the bank-conflict resolver beside the model: every access of a warp."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from warploom.rtl.beside.recorder import Tap, Unit, Watch, Watcher
from warploom.rtl.beside.steps import Step
from warploom.rtl.core.load_store.coalescer import LARGEST, Coalescer
from warploom.rtl.core.load_store.shared_memory import BankConflicts
from warploom.rtl.model import Config, Program, coalesce, coalesce_run, conflicts


class CoalescerWatcher(Watcher):
    """The transactions of every access, in their order."""

    name = "coalescer"
    takes_longer = "a transaction leaves per cycle"

    def __init__(self, config: Config, program: Program, most: int) -> None:
        super().__init__(config, program, most)
        self.aligned = True
        self.shifts = (7, 5)

    def taps(self) -> Mapping[Unit, Tap]:
        """Accesses of any pattern, and those of lanes side by side."""
        return {coalesce: self.coalesce, coalesce_run: self.coalesce_run}

    def coalesce(self, lsu: Any, addresses: Any, active: Any, size: Any, lanes: Any, *out: Any) -> Watch:
        """An access of any pattern."""
        count = yield
        self.shifts = int(lsu.line_shift), int(lsu.sector_shift)
        taking_part = sum(1 << lane for lane in range(int(lanes)) if active[lane])
        self.access([int(address) for address in addresses[: int(lanes)]], taking_part, int(size), int(count), *out)

    def coalesce_run(self, first: Any, last: Any, line_shift: Any, sector_shift: Any, *out: Any) -> Watch:
        """All lanes, side by side."""
        count = yield
        lanes = self.config.core.lanes
        self.shifts = int(line_shift), int(sector_shift)
        size = (int(last) - int(first) + 1) // lanes
        self.access([int(first) + lane * size for lane in range(lanes)], (1 << lanes) - 1, size, int(count), *out)

    def access(self, addresses: list[int], active: int, size: int, count: int, lines: Any, sectors: Any) -> None:
        """Write an access down, with a step for each of its transactions. One of an odd size has no hardware."""
        if self.full or size & (size - 1) or size > 1 << LARGEST:
            return
        self.aligned = self.aligned and all(address % size == 0 for lane, address in enumerate(addresses) if active >> lane & 1)
        drive = {"active": active, "size": size.bit_length() - 1, "address": addresses}
        self.note(self.name, Step(self.now, drive | {"load": 1}))
        for number in range(count):
            before = {"valid": 1, "line": int(lines[number]), "wanted": int(sectors[number])}
            self.note(self.name, Step(self.now, drive, before))
        self.note(self.name, Step(self.now, drive, {"valid": 0}))

    def hardware(self) -> Any:
        """A coalescer for the machine's lines. One for aligned accesses, where no other was seen."""
        line, sector = self.shifts
        return Coalescer(self.config.core.lanes, line, sector, merge=self.config.lsu.coalesce, aligned=self.aligned)


class BankWatcher(Watcher):
    """The passes of every access to shared memory."""

    name = "banks"
    takes_longer = "a pass takes a cycle"

    def __init__(self, config: Config, program: Program, most: int) -> None:
        super().__init__(config, program, most)
        self.most_words = 1

    @classmethod
    def used_by(cls, config: Config, program: Program) -> bool:
        """Whether there is shared memory in a number of banks that a few bits of an address name."""
        return config.has.warps and config.shared.bytes > 0 and config.shared.banks & (config.shared.banks - 1) == 0

    def taps(self) -> Mapping[Unit, Tap]:
        """The count of passes."""
        return {conflicts: self.conflicts}

    def conflicts(self, addresses: Any, active: Any, size: Any, lanes: Any, *rest: Any) -> Watch:
        """An access; a wide one is done in parts."""
        yield
        bank_bytes, atomic = int(rest[1]), int(rest[2])
        words = max(int(size) // bank_bytes, 1)
        group = max(1, -(-int(lanes) // words))
        if any(active[lane] and int(addresses[lane]) % max(int(size), 1) for lane in range(int(lanes))) or self.full:
            return  # an access that is not aligned has no hardware
        for begin in range(0, int(lanes), group):
            part = range(begin, min(begin + group, int(lanes)))
            asked = [int(addresses[lane]) // bank_bytes + word for lane in part for word in range(words)]
            taking = [bool(active[lane]) for lane in part for _ in range(words)]
            mask = sum(1 << place for place, takes in enumerate(taking) if takes)
            own = int(conflicts(addresses[begin : part.stop], active[begin : part.stop], size, len(part), *rest)) if words == 1 else -1
            self.part(asked, mask, atomic, own if words == 1 else self.passes(asked, taking, atomic))

    def passes(self, words: list[int], taking: list[bool], atomic: int) -> int:
        """The passes of a part of a wide access, of which the model counts the sum."""
        wanted = [word for word, takes in zip(words, taking, strict=True) if takes]
        banks = self.config.shared.banks
        return max((sum(1 for word in (wanted if atomic else set(wanted)) if word % banks == bank) for bank in range(banks)), default=0)

    def part(self, words: list[int], active: int, atomic: int, passes: int) -> None:
        """What is done at a time: a step for each pass."""
        drive = {"active": active, "word": words, "atomic": atomic}
        self.most_words = max(self.most_words, *(word + 1 for word in words))
        self.note(self.name, Step(self.now, drive | {"load": 1}))
        for _ in range(passes):
            self.note(self.name, Step(self.now, drive, {"busy": 1}))
        self.note(self.name, Step(self.now, drive, {"busy": 0, "served": 0}))

    def hardware(self) -> Any:
        """The banks, with as many words as were used."""
        shared = self.config.shared
        bits = max((self.most_words - 1).bit_length(), shared.banks.bit_length())
        return BankConflicts(self.config.core.lanes, shared.banks, bits)
