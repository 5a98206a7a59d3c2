"""What must always be true of the units: properties for `prover.prove`.

Each is said in other words than the unit's: a quotient by what it times the divisor is, a decoded word by the instruction set's table.
"""

# mypy: disable-error-code="attr-defined,dict-item,index"

from typing import Any

from amaranth.hdl import Assert, Assume, Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In

from warploom.rtl.core.scheduling.policies import RoundRobin
from warploom.rtl.model import Fields, row_of
from warploom.rtl.sequencer.alu import Alu
from warploom.rtl.sequencer.controller import Controller
from warploom.rtl.sequencer.decoder import Decoder
from warploom.rtl.sequencer.states import ChannelState, CoreState, Operation, Source

ARITHMETIC = {"add": Operation.ADD, "sub": Operation.SUB, "mul": Operation.MUL, "divu": Operation.DIV}


def before(m: Module, signal: Any, name: str = "") -> Signal:
    """The value of a signal at the last clock edge. name: of one that has none itself."""
    value = Value.cast(signal)
    kept = Signal(len(value), name=f"last_{name or getattr(value, 'name', '')}")
    m.d.sync += kept.eq(value)
    return kept


def after_reset(m: Module) -> Signal:
    """1 from the first clock edge on: only then there is something before it."""
    begun = Signal(name="begun")
    m.d.sync += begun.eq(1)
    return begun


class AluIsRight(wiring.Component):
    """EXECUTE loads what the definition says, for all operands and all operations; in every other state the output register stays."""

    enable: In(1)
    state: In(CoreState)
    operation: In(Operation)
    compare: In(1)
    rs: In(8)
    rt: In(8)

    def __init__(self, *, compare_flags: bool = True, divide_zero: bool = True) -> None:
        self.compare_flags, self.divide_zero = compare_flags, divide_zero
        super().__init__()

    def elaborate(self, platform: Any) -> Module:
        """The property."""
        m = Module()
        m.submodules.alu = alu = Alu(compare_flags=self.compare_flags, divide_zero=self.divide_zero)
        names = ("enable", "state", "operation", "compare", "rs", "rt")
        m.d.comb += [getattr(alu, name).eq(getattr(self, name)) for name in names]
        enable, state, operation, compare, rs, rt = (before(m, getattr(self, name)) for name in names)
        kept, out = before(m, alu.out), alu.out
        with m.If(after_reset(m)):
            with m.If(~(enable & (state == CoreState.EXECUTE.value))):
                m.d.comb += Assert(out == kept)
            with m.Elif(compare):
                above, below = (Const(0), rs != rt) if self.compare_flags else (rs > rt, rs < rt)
                m.d.comb += Assert(out == Mux(rs == rt, 2, Mux(below, 4, Mux(above, 1, 0))))
            with m.Elif(operation == Operation.ADD.value):
                m.d.comb += Assert((out - rt)[:8] == rs)
            with m.Elif(operation == Operation.SUB.value):
                m.d.comb += Assert((out + rt)[:8] == rs)
            with m.Elif(operation == Operation.MUL.value):
                products = [Mux(rt[bit], rs << bit, 0) for bit in range(8)]
                m.d.comb += Assert(out == sum(products[1:], products[0])[:8])
            with m.Else():
                by_zero = 0 if self.divide_zero else 255
                m.d.comb += Assert(Mux(rt == 0, out == by_zero, (out * rt <= rs) & (rs < (out + 1) * rt)))
        return m


class ControllerServes(wiring.Component):
    """No consumer has two channels, none is marked as served without one, an answer goes to who is served, and no request is left lying.

    Assumed of the consumers: they hold a request until it is answered, do not read and write at once, and raise no request
    before the ready line of their last one has fallen.
    """

    def __init__(self, consumers: int = 4, channels: int = 2) -> None:
        self.consumers, self.channels = consumers, channels
        self.controller = Controller(consumers, channels, 8, writes=True)
        super().__init__({"reads": In(consumers), "writes": In(consumers), "read_ready": In(channels), "write_ready": In(channels)})

    def elaborate(self, platform: Any) -> Module:
        """The property."""
        m = Module()
        m.submodules.controller = c = self.controller
        m.d.comb += [
            c.read_request.eq(self.reads),
            c.write_request.eq(self.writes),
            c.memory_read_ready.eq(self.read_ready),
            c.memory_write_ready.eq(self.write_ready),
            Assume((self.reads & self.writes) == 0),
        ]
        begun = after_reset(m)
        for request, ready in ((self.reads, c.read_ready), (self.writes, c.write_ready)):
            last = before(m, request)
            m.d.comb += Assume(~begun | ((last & ~before(m, ready) & ~request) == 0))
            m.d.comb += Assume(~begun | ((request & ~last & (c.read_ready | c.write_ready)) == 0))
        self.one_channel_each(m, c)
        self.none_left(m, c, begun)
        return m

    def one_channel_each(self, m: Module, c: Controller) -> None:
        """The masks are exactly what the channels say, and no two channels say the same."""
        served: Any = Const(0, self.consumers)
        relays: dict[ChannelState, Any] = {ChannelState.READ_RELAY: Const(0), ChannelState.WRITE_RELAY: Const(0)}
        for channel in range(self.channels):
            state, line = c.state[channel], Const(1, self.consumers) << c.consumer[channel]
            mine = Signal(self.consumers, name=f"served_by_{channel}")
            m.d.comb += [
                mine.eq(Mux(state == ChannelState.IDLE, 0, line)),
                Assert((mine & served) == 0),
                Assert(state.as_value().matches(*(known.value for known in ChannelState))),
                Assert(c.consumer[channel] < self.consumers),
                Assert(c.memory_read[channel] == (state == ChannelState.READ_WAIT)),
                Assert(c.memory_write[channel] == (state == ChannelState.WRITE_WAIT)),
                Assert(~c.memory_read[channel] | self.reads.bit_select(c.consumer[channel], 1)),
                Assert(~c.memory_write[channel] | self.writes.bit_select(c.consumer[channel], 1)),
            ]
            served = served | mine
            relays = {relay: lines | Mux(state == relay, line, 0) for relay, lines in relays.items()}
        m.d.comb += [
            Assert(c.serving == served),
            Assert(c.read_ready == relays[ChannelState.READ_RELAY]),
            Assert(c.write_ready == relays[ChannelState.WRITE_RELAY]),
        ]

    def none_left(self, m: Module, c: Controller, begun: Any) -> None:
        """Where a channel is idle, the lowest consumer that waits is served at the next edge."""
        idle = before(m, Cat(state == ChannelState.IDLE for state in c.state), "idle")
        waiting = before(m, (c.read_request | c.write_request) & ~c.serving, "waiting")
        lowest = waiting & (~waiting + 1)[: self.consumers]
        with m.If(begun & idle.any() & waiting.any()):
            m.d.comb += Assert((c.serving & lowest) == lowest)


class DecoderIsTotal(wiring.Component):
    """Every one of the 65 536 words is decoded as the instruction set's table has it; opcodes without a row do nothing at all."""

    state: In(CoreState)
    instruction: In(16)

    def elaborate(self, platform: Any) -> Module:
        """The property."""
        m = Module()
        m.submodules.decoder = d = Decoder()
        m.d.comb += [d.state.eq(self.state), d.instruction.eq(self.instruction)]
        state, word = before(m, self.state), before(m, self.instruction)
        effects = Cat(d.load, d.store, d.compare, d.write, d.branch, d.ends)
        signals = Cat(effects, d.read_a, d.read_b, d.condition, d.immediate, d.write_to, d.operation, d.write_from)
        kept = before(m, signals, "signals")
        with m.If(after_reset(m)):
            with m.If(state != CoreState.DECODE.value):
                m.d.comb += Assert(signals == kept)
            with m.Else():
                m.d.comb += [Assert(d.read_a == word[4:8]), Assert(d.read_b == word[0:4])]
                for opcode in range(16):
                    with m.If(word[12:16] == opcode):
                        m.d.comb += [Assert(fact) for fact in self.facts(opcode, d, word)]
        return m

    def facts(self, opcode: int, d: Decoder, word: Any) -> list[Any]:
        """What the table says of an opcode's control signals."""
        row = row_of(opcode << 12)
        operation = row.micro_op(Fields(opcode << 12)).name if row is not None and not row.extension else "nop"
        wanted = {
            "load": operation == "load",
            "store": operation == "store",
            "compare": operation == "compare",
            "branch": operation == "branch",
            "ends": operation == "exit",
            "write": operation in ("load", "mov", *ARITHMETIC),
        }
        facts: list[Any] = [getattr(d, name) == int(value) for name, value in wanted.items()]
        if operation == "branch":
            facts += [d.condition == word[9:12], d.immediate == word[0:8]]
        if wanted["write"]:
            source = {"load": Source.LSU, "mov": Source.IMMEDIATE}.get(operation, Source.ALU)
            facts += [d.write_from == source, d.write_to == word[8:12]]
        if operation == "mov":
            facts.append(d.immediate == word[0:8])
        # An instruction without arithmetic of its own leaves rs + rt in the ALU's output register.
        facts.append(d.operation == ARITHMETIC.get(operation, Operation.ADD))
        return facts


class RoundRobinIsFair(wiring.Component):
    """Whatever the others do, a warp that can issue all the time is picked before `warps` picks have gone to others.

    `watched` is any warp, the same one for ever. Between the last warp that was picked and it lie some others, and each pick that it does
    not get makes them fewer.
    """

    def __init__(self, warps: int = 8) -> None:
        self.warps, self.policy = warps, RoundRobin(warps)
        super().__init__({"eligible": In(warps), "issue": In(1), "watched": In(range(warps))})

    def elaborate(self, platform: Any) -> Module:
        """The property."""
        m = Module()
        m.submodules.policy = policy = self.policy
        m.d.comb += [policy.eligible.eq(self.eligible), policy.issue.eq(self.issue)]
        m.d.comb += [Assume(self.watched < self.warps), Assume(~after_reset(m) | (before(m, self.watched) == self.watched))]
        waits, picked = self.eligible.bit_select(self.watched, 1), policy.valid & policy.issue
        passed_over = Signal(range(self.warps + 1))  # picks in a row that went to others while it could have issued
        with m.If(~waits | (picked & (policy.pick == self.watched))):
            m.d.sync += passed_over.eq(0)
        with m.Elif(picked):
            m.d.sync += passed_over.eq(passed_over + 1)
        ahead = Mux(self.watched > policy.last, self.watched - policy.last, self.watched + self.warps - policy.last) - 1
        m.d.comb += [
            Assert(passed_over < self.warps),
            Assert(passed_over + ahead < self.warps),
            Assert(policy.valid == self.eligible.any()),
            Assert(~policy.valid | self.eligible.bit_select(policy.pick, 1)),
            Assert(policy.last < self.warps),
        ]
        return m
