"""Memory controller, as hardware. The model is `warploom.machine.sequencer.controller`.

A state machine a channel, and one serving mask that runs through all of them in order within a cycle: a channel sees what the channels
before it took, and what they gave back. That chain is the depth of the unit, and grows with the channels.
"""

from typing import Any

from amaranth.hdl import Array, Const, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from warploom.rtl.sequencer.states import ChannelState


class Controller(wiring.Component):
    """consumers: that request. channels: to the memory. data_bits: of a word of it. writes: False for program memory."""

    def __init__(self, consumers: int, channels: int, data_bits: int, *, writes: bool) -> None:
        self.consumers, self.channels, self.writes = consumers, channels, writes
        ports: dict[str, Any] = {
            # consumers -> controller
            "read_request": In(consumers),  # request lines, a bit a consumer
            "read_address": In(8).array(consumers),  # stable while the request line is up
            # controller -> consumers
            "read_ready": Out(consumers),  # the answer is here, until the request line falls
            "read_data": Out(data_bits).array(consumers),  # what the last read of each has brought
            # its own registers
            "serving": Out(consumers),  # consumers that have a channel
            "state": Out(ChannelState).array(channels),  # of each channel
            "consumer": Out(range(max(consumers, 2))).array(channels),  # the consumer served now, or last
            # controller -> memory
            "memory_read": Out(channels),  # request lines, a bit per channel
            "memory_read_address": Out(8).array(channels),  # of each channel's request
            # memory -> controller
            "memory_read_ready": In(channels),  # the answer is here, a bit per channel
            "memory_read_data": In(data_bits).array(channels),  # and this is it
        }
        if writes:
            ports |= {
                "write_request": In(consumers),  # request lines, a bit a consumer
                "write_address": In(8).array(consumers),  # stable while the request line is up
                "write_data": In(data_bits).array(consumers),  # likewise
                "write_ready": Out(consumers),  # the write is done, until the request line falls
                "memory_write": Out(channels),  # request lines, a bit per channel
                "memory_write_address": Out(8).array(channels),  # of each channel's request
                "memory_write_data": Out(data_bits).array(channels),  # what is written there
                "memory_write_ready": In(channels),  # the write is done, a bit per channel
            }
        super().__init__(ports)

    def elaborate(self, platform: Any) -> Module:
        """The circuit."""
        m = Module()
        serving = self.serving
        for channel in range(self.channels):
            after = Signal(self.consumers, name=f"serving_after_{channel}")
            self.channel(m, channel, serving, after)
            serving = after
        m.d.sync += self.serving.eq(serving)
        return m

    def channel(self, m: Module, channel: int, serving: Any, after: Any) -> None:
        """One channel. serving: the mask that it finds. after: the mask that it leaves to the next one."""
        m.d.comb += after.eq(serving)
        state, consumer = self.state[channel], self.consumer[channel]
        line = Const(1, self.consumers) << consumer
        with m.Switch(state):
            with m.Case(ChannelState.IDLE):
                self.take(m, channel, serving, after)
            with m.Case(ChannelState.READ_WAIT):
                with m.If(self.memory_read_ready[channel]):
                    m.d.sync += [
                        self.memory_read[channel].eq(0),
                        self.read_ready.bit_select(consumer, 1).eq(1),
                        Array(self.read_data)[consumer].eq(self.memory_read_data[channel]),
                        state.eq(ChannelState.READ_RELAY),
                    ]
            with m.Case(ChannelState.READ_RELAY):
                with m.If(~self.read_request.bit_select(consumer, 1)):
                    m.d.comb += after.eq(serving & ~line)
                    m.d.sync += [self.read_ready.bit_select(consumer, 1).eq(0), state.eq(ChannelState.IDLE)]
            if self.writes:
                with m.Case(ChannelState.WRITE_WAIT):
                    with m.If(self.memory_write_ready[channel]):
                        m.d.sync += [
                            self.memory_write[channel].eq(0),
                            self.write_ready.bit_select(consumer, 1).eq(1),
                            state.eq(ChannelState.WRITE_RELAY),
                        ]
                with m.Case(ChannelState.WRITE_RELAY):
                    with m.If(~self.write_request.bit_select(consumer, 1)):
                        m.d.comb += after.eq(serving & ~line)
                        m.d.sync += [self.write_ready.bit_select(consumer, 1).eq(0), state.eq(ChannelState.IDLE)]

    def take(self, m: Module, channel: int, serving: Any, after: Any) -> None:
        """An idle channel looks for work: the lowest consumer that requests and is not served; its read before its write."""
        wanting = Signal(self.consumers, name=f"wanting_{channel}")
        first = Signal(range(max(self.consumers, 2)), name=f"first_{channel}")
        requests = self.read_request | self.write_request if self.writes else self.read_request
        m.d.comb += wanting.eq(requests & ~serving)
        for consumer in reversed(range(self.consumers)):
            with m.If(wanting[consumer]):
                m.d.comb += first.eq(consumer)
        with m.If(wanting.any()):
            m.d.comb += after.eq(serving | (Const(1, self.consumers) << first))
            m.d.sync += self.consumer[channel].eq(first)
            with m.If(self.read_request.bit_select(first, 1)):
                m.d.sync += [
                    self.memory_read[channel].eq(1),
                    self.memory_read_address[channel].eq(Array(self.read_address)[first]),
                    self.state[channel].eq(ChannelState.READ_WAIT),
                ]
            if self.writes:
                with m.Else():
                    m.d.sync += [
                        self.memory_write[channel].eq(1),
                        self.memory_write_address[channel].eq(Array(self.write_address)[first]),
                        self.memory_write_data[channel].eq(Array(self.write_data)[first]),
                        self.state[channel].eq(ChannelState.WRITE_WAIT),
                    ]
