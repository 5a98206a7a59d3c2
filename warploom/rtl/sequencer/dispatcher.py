"""Dispatcher and device control register, as hardware. The model is `warploom.machine.sequencer.dispatcher`.

Two counters and three lines to every core: start, reset, and back, done. Both counters run through the cores within a cycle, so
that lower cores get lower block numbers.
"""

from typing import Any

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out


class DeviceControl(wiring.Component):
    """The one register that the host writes before it starts the GPU."""

    write: In(1)  # load the register
    value: In(8)  # with this
    threads: Out(8)  # threads of the launch

    def elaborate(self, platform: Any) -> Module:
        """The circuit."""
        m = Module()
        with m.If(self.write):
            m.d.sync += self.threads.eq(self.value)
        return m


class Dispatcher(wiring.Component):
    """cores, threads_per_block: of the GPU."""

    def __init__(self, cores: int, threads_per_block: int) -> None:
        self.cores, self.threads_per_block = cores, threads_per_block
        super().__init__(
            {
                "started": In(1),  # the host has said go, and goes on saying so
                "threads": In(8),  # threads of the launch, from the device control register
                "finished": In(cores),  # the cores' done lines
                "start": Out(cores),  # start lines
                "reset": Out(cores, init=(1 << cores) - 1),  # reset lines
                "block": Out(8).array(cores),  # block number of each core
                "thread_count": Out(range(threads_per_block + 1), init=threads_per_block).array(cores),  # threads of its block
                "dispatched": Out(8),  # blocks handed out
                "ended": Out(8),  # blocks done
                "done": Out(1),  # every block has ended; stays up
            }
        )

    def elaborate(self, platform: Any) -> Module:
        """The circuit."""
        m = Module()
        size = self.threads_per_block
        total = Signal(9)  # 255 + size does not fit into 8 bits
        m.d.comb += total.eq((self.threads + (size - 1)) // size)
        dispatched, ended = self.dispatched, self.ended
        with m.If(self.started):
            with m.If(self.ended == total):
                m.d.sync += self.done.eq(1)
            for core in range(self.cores):
                after = Signal(8, name=f"dispatched_after_{core}")
                m.d.comb += after.eq(dispatched)
                with m.If(self.reset[core]):
                    m.d.sync += self.reset[core].eq(0)
                    with m.If(dispatched < total):
                        left = self.threads - dispatched * size
                        m.d.comb += after.eq(dispatched + 1)
                        m.d.sync += [
                            self.start[core].eq(1),
                            self.block[core].eq(dispatched),
                            self.thread_count[core].eq(Mux(dispatched == total - 1, left, size)),
                        ]
                dispatched = after
            for core in range(self.cores):
                after = Signal(8, name=f"ended_after_{core}")
                m.d.comb += after.eq(ended)
                with m.If(self.start[core] & self.finished[core]):
                    m.d.comb += after.eq(ended + 1)
                    m.d.sync += [self.reset[core].eq(1), self.start[core].eq(0)]
                ended = after
            m.d.sync += [self.dispatched.eq(dispatched), self.ended.eq(ended)]
        return m
