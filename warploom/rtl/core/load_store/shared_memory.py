"""Bank-conflict resolver of shared memory, as hardware. The model is `conflicts` of `warploom.machine.core.load_store.shared_memory`.

For each bank a picker: the lowest lane that waits for it names a word, and every lane that wants the same word is served with it. A pass is
a cycle; the model counts the passes of an access at once. A wide access brings the words of a few lanes at a time, as in the model.
"""

from typing import Any

from amaranth.hdl import Array, Cat, Const, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from warploom.rtl.hardware import NoHardware
from warploom.rtl.parts import chosen, lowest


class BankConflicts(wiring.Component):
    """lanes: words that are asked for at a time. banks: a power of two. word_bits: of the number of a word in shared memory."""

    def __init__(self, lanes: int, banks: int = 32, word_bits: int = 14) -> None:
        if banks & (banks - 1):
            raise NoHardware(f"banks = {banks}: a word's bank is a few bits of its number, so there is a power of two of them")
        self.lanes, self.banks, self.bank_bits = lanes, banks, banks.bit_length() - 1
        super().__init__(
            {
                "load": In(1),  # an access comes
                "active": In(lanes),  # lanes that take part: bit l = lane l
                "word": In(word_bits).array(lanes),  # the words that they want; they stay up until all are served
                "atomic": In(1),  # lanes may not share a word
                "served": Out(lanes),  # the lanes that this pass serves
                "busy": Out(1),  # there is a pass in this cycle
                "row": Out(max(word_bits - self.bank_bits, 1)).array(banks),  # which of its words each bank reads
            }
        )

    def elaborate(self, platform: Any) -> Module:
        """The circuit."""
        m = Module()
        pending, leaders = Signal(self.lanes), Signal(self.lanes)
        picked = []
        rows = [word[self.bank_bits :] if self.bank_bits < len(word) else Const(0, 1) for word in self.word]
        for bank in range(self.banks):
            asking = Cat(pending[lane] & (self.word[lane][: self.bank_bits] == bank) for lane in range(self.lanes))
            pick = Signal(self.lanes, name=f"pick_{bank}")
            m.d.comb += [pick.eq(lowest(asking)), self.row[bank].eq(chosen(pick, rows))]
            picked.append(pick)
        for lane in range(self.lanes):
            bank = self.word[lane][: self.bank_bits] if self.banks > 1 else Const(0)
            m.d.comb += leaders[lane].eq(Cat(pick[lane] for pick in picked).any())
            shares = ~self.atomic & (Array(self.row)[bank] == rows[lane])
            m.d.comb += self.served[lane].eq(pending[lane] & (leaders[lane] | shares))
        m.d.comb += self.busy.eq(pending.any())
        with m.If(self.load):
            m.d.sync += pending.eq(self.active)
        with m.Else():
            m.d.sync += pending.eq(pending & ~self.served)
        return m
