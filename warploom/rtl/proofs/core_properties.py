"""What must always be true of units of the modern core: properties for `prover.prove`, in other words than the units'."""

# mypy: disable-error-code="attr-defined,index"

from typing import Any

from amaranth.hdl import Assert, Assume, Cat, Const, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In

from warploom.rtl.core.load_store.shared_memory import BankConflicts
from warploom.rtl.core.warps.scoreboard import Scoreboard
from warploom.rtl.memory.replacement import TreePlru
from warploom.rtl.parts import AgeMatrix
from warploom.rtl.proofs.properties import after_reset, before


class OneIsTheOldest(wiring.Component):
    """Whatever becomes the youngest and when: an age matrix is an order, and of any candidates exactly one is the oldest."""

    def __init__(self, items: int = 4) -> None:
        self.items, self.ages = items, AgeMatrix(items)
        super().__init__({"youngest": In(items), "candidates": In(items)})

    def elaborate(self, platform: Any) -> Module:
        """The property."""
        m = Module()
        m.submodules.ages = ages = self.ages
        m.d.comb += [ages.youngest.eq(self.youngest), ages.candidates.eq(self.candidates)]
        items = range(self.items)
        for a in items:
            for b in items:
                for c in items:
                    if len({a, b, c}) == 3:
                        m.d.comb += Assert(~(ages.is_older(a, b) & ages.is_older(b, c)) | ages.is_older(a, c))
        picked = sum((ages.oldest[item] for item in items[1:]), ages.oldest[0])
        m.d.comb += [Assert(picked == self.candidates.any()), Assert((ages.oldest & ~self.candidates) == 0)]
        youngest = before(m, self.youngest)
        with m.If(after_reset(m)):
            for a in items:
                for b in items:
                    if a != b:
                        m.d.comb += Assert(~(youngest[a] & ~youngest[b]) | ages.is_older(b, a))
        return m


class BanksServeOneWord(wiring.Component):
    """A pass serves somebody while anybody waits, and no bank two words; atomics share none. So an access ends."""

    def __init__(self, lanes: int = 4, banks: int = 2, word_bits: int = 3) -> None:
        self.lanes, self.banks = lanes, BankConflicts(lanes, banks, word_bits)
        super().__init__({"load": In(1), "active": In(lanes), "atomic": In(1), "word": In(word_bits).array(lanes)})

    def elaborate(self, platform: Any) -> Module:
        """The property."""
        m = Module()
        m.submodules.banks = banks = self.banks
        m.d.comb += [banks.load.eq(self.load), banks.active.eq(self.active), banks.atomic.eq(self.atomic)]
        m.d.comb += [banks.word[lane].eq(self.word[lane]) for lane in range(self.lanes)]
        m.d.comb += Assert(banks.busy == banks.served.any())
        bits = banks.bank_bits
        for one in range(self.lanes):
            for other in range(one):
                a, b = self.word[one], self.word[other]
                together = banks.served[one] & banks.served[other] & (a[:bits] == b[:bits])
                m.d.comb += Assert(~together | ((a == b) & ~self.atomic))
        return m


class TreeSparesTheLastUsed(wiring.Component):
    """The line that tree pseudo-LRU gives up is never the one that was used last."""

    def __init__(self, ways: int = 8) -> None:
        self.ways, self.tree = ways, TreePlru(ways)
        super().__init__({"used": In(range(ways)), "valid": In(1)})

    def elaborate(self, platform: Any) -> Module:
        """The property: the nodes above the last one used point away from it."""
        m = Module()
        m.submodules.tree = tree = self.tree
        m.d.comb += tree.used.eq(Mux(self.valid, Const(1, self.ways) << self.used, 0))
        last, any_used = Signal(range(self.ways)), Signal()
        with m.If(self.valid):
            m.d.sync += [last.eq(self.used), any_used.eq(1)]
        root = tree.tree[1]
        with m.If(any_used):
            m.d.comb += [Assert(root == ~last[-1]), Assert(tree.victim != last)]
        return m


class ScoreboardHolds(wiring.Component):
    """A register of a warp, any one, blocks from the issue that writes it to its write-back, and at no other time."""

    def __init__(self, warps: int = 2, registers: int = 4) -> None:
        self.warps, self.registers = warps, registers
        self.board = Scoreboard(warps, registers, uses=1, writes=1, write_backs=1)
        warp, register = range(warps), range(registers)
        super().__init__(
            {
                "watched_warp": In(warp), "watched": In(register), "issue": In(1), "issue_warp": In(warp), "issue_register": In(register),
                "done": In(1), "done_warp": In(warp), "done_register": In(register), "clear": In(warps),
            }
        )  # fmt: skip

    def elaborate(self, platform: Any) -> Module:
        """The property."""
        m = Module()
        m.submodules.board = board = self.board
        m.d.comb += [
            board.issue.eq(self.issue), board.issue_warp.eq(self.issue_warp), board.issue_register[0].eq(self.issue_register),
            board.done.eq(self.done), board.done_warp[0].eq(self.done_warp), board.done_register[0].eq(self.done_register),
            board.clear.eq(self.clear), board.next_valid.eq(Cat(Const(1) for _ in range(self.warps))),
        ]  # fmt: skip
        m.d.comb += [use.eq(self.watched) for use in board.next]
        for name in ("watched", "watched_warp"):
            m.d.comb += Assume(~after_reset(m) | (before(m, getattr(self, name)) == getattr(self, name)))
        busy = Signal()
        with m.If(self.clear.bit_select(self.watched_warp, 1)):
            m.d.sync += busy.eq(0)
        with m.Elif(self.issue & (self.issue_warp == self.watched_warp) & (self.issue_register == self.watched)):
            m.d.sync += busy.eq(1)
        with m.Elif(self.done & (self.done_warp == self.watched_warp) & (self.done_register == self.watched)):
            m.d.sync += busy.eq(0)
        rows = Cat(row.bit_select(self.watched, 1) for row in board.busy)
        m.d.comb += [Assert(rows.bit_select(self.watched_warp, 1) == busy)]
        m.d.comb += [Assert(board.blocked.bit_select(self.watched_warp, 1) == busy)]
        return m
