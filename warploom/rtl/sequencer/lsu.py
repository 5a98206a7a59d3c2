"""Load/store unit of a thread, and the pass-through registers, as hardware. The model is `warploom.machine.sequencer.lsu`.

`Lsu` is a state machine of four states with the thread's request lines and an output register. `PassThrough` are the registers between
all threads and the data memory controller: a cycle each way, and no reset line of a core reaches them.
"""

from typing import Any

from amaranth.hdl import Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from warploom.rtl.sequencer.states import CoreState, LsuState

ADDRESSES = 256  # bytes that 8 bits can name


class Lsu(wiring.Component):
    """memory_bytes: size of data memory; an access beyond it is a fault."""

    enable: In(1)  # the thread is in the block
    core: In(CoreState)  # state of the core
    load: In(1)  # control signal: the instruction loads
    store: In(1)  # control signal: it stores
    rs: In(8)  # address
    rt: In(8)  # data of a store
    state: Out(LsuState)  # its own
    out: Out(8)  # output register: what a load has brought
    read_valid: Out(1)  # request line, up until the answer is here
    read_address: Out(8)  # of the load that is requested
    read_ready: In(1)  # the answer to a load is here
    read_data: In(8)  # and this is it
    write_valid: Out(1)  # request line of a store
    write_address: Out(8)  # of the store that is requested
    write_data: Out(8)  # what it stores
    write_ready: In(1)  # the store is done
    outside: Out(1)  # the address that is put on the request lines now lies beyond data memory

    def __init__(self, *, memory_bytes: int = ADDRESSES) -> None:
        self.memory_bytes = memory_bytes
        super().__init__()

    def elaborate(self, platform: Any) -> Module:
        """The circuit."""
        m = Module()
        if self.memory_bytes < ADDRESSES:
            m.d.comb += self.outside.eq((self.state == LsuState.REQUESTING) & (self.rs >= self.memory_bytes))
        with m.If(self.enable):
            with m.Switch(self.state):
                with m.Case(LsuState.IDLE):
                    with m.If((self.core == CoreState.REQUEST) & (self.load | self.store)):
                        m.d.sync += self.state.eq(LsuState.REQUESTING)
                with m.Case(LsuState.REQUESTING):
                    m.d.sync += self.state.eq(LsuState.WAITING)
                    with m.If(self.load):
                        m.d.sync += [self.read_valid.eq(1), self.read_address.eq(self.rs)]
                    with m.Else():
                        m.d.sync += [self.write_valid.eq(1), self.write_address.eq(self.rs), self.write_data.eq(self.rt)]
                with m.Case(LsuState.WAITING):
                    with m.If(self.load & self.read_ready):
                        m.d.sync += [self.read_valid.eq(0), self.out.eq(self.read_data), self.state.eq(LsuState.DONE)]
                    with m.If(self.store & self.write_ready):
                        m.d.sync += [self.write_valid.eq(0), self.state.eq(LsuState.DONE)]
                with m.Case(LsuState.DONE):
                    with m.If(self.core == CoreState.UPDATE):
                        m.d.sync += self.state.eq(LsuState.IDLE)
        return m


class PassThrough(wiring.Component):
    """consumers: threads of the whole GPU; thread t of core c is consumer c x threads per block + t."""

    def __init__(self, consumers: int) -> None:
        self.consumers = consumers
        super().__init__(
            {
                # from the threads
                "read_valid": In(consumers),  # request lines of loads, a bit a consumer
                "write_valid": In(consumers),  # request lines of stores
                "read_address": In(8).array(consumers),  # of the loads
                "write_address": In(8).array(consumers),  # of the stores
                "write_data": In(8).array(consumers),  # what they store
                # the same, to the controller
                "read_request": Out(consumers),  # read_valid a cycle later
                "write_request": Out(consumers),  # write_valid a cycle later
                "request_read_address": Out(8).array(consumers),  # read_address a cycle later
                "request_write_address": Out(8).array(consumers),  # write_address a cycle later
                "request_write_data": Out(8).array(consumers),  # write_data a cycle later
                # from the controller
                "answer_read_ready": In(consumers),  # the answers to loads are here, a bit a consumer
                "answer_write_ready": In(consumers),  # the stores are done
                "answer_read_data": In(8).array(consumers),  # what the loads have brought
                # the same, to the threads
                "read_ready": Out(consumers),  # answer_read_ready a cycle later
                "write_ready": Out(consumers),  # answer_write_ready a cycle later
                "read_data": Out(8).array(consumers),  # answer_read_data a cycle later
            }
        )

    def elaborate(self, platform: Any) -> Module:
        """The circuit."""
        m = Module()
        m.d.sync += [
            self.read_request.eq(self.read_valid),
            self.write_request.eq(self.write_valid),
            self.read_ready.eq(self.answer_read_ready),
            self.write_ready.eq(self.answer_write_ready),
        ]
        for consumer in range(self.consumers):
            m.d.sync += [
                self.request_read_address[consumer].eq(self.read_address[consumer]),
                self.request_write_address[consumer].eq(self.write_address[consumer]),
                self.request_write_data[consumer].eq(self.write_data[consumer]),
                self.read_data[consumer].eq(self.answer_read_data[consumer]),
            ]
        return m
