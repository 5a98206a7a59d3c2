"""One core, as hardware: sequencer, fetcher, decoder; ALU, load/store unit, program counter and registers of every thread.

The model is `core_edge` of `warploom.machine.sequencer.sequencer`.
"""

from typing import Any

from amaranth.hdl import Cat, Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from warploom.rtl.accounting.faults import FaultKind
from warploom.rtl.hardware import Hardware
from warploom.rtl.sequencer.alu import Alu
from warploom.rtl.sequencer.decoder import Decoder
from warploom.rtl.sequencer.fetcher import Fetcher
from warploom.rtl.sequencer.lsu import Lsu
from warploom.rtl.sequencer.pc import Advance, Pc
from warploom.rtl.sequencer.registers import Registers
from warploom.rtl.sequencer.sequencer import Sequencer
from warploom.rtl.sequencer.states import CoreState, LsuState


class Core(wiring.Component):
    """hardware: parameters of the whole GPU."""

    def __init__(self, hardware: Hardware = Hardware()) -> None:
        self.hardware, threads = hardware, hardware.threads_per_block
        super().__init__(
            {
                # from the dispatcher, and back
                "start": In(1),  # run the block; up until it has ended
                "block": In(8),  # block number
                "thread_count": In(range(threads + 1)),  # threads of the block; they are 0 .. threads - 1
                "program_length": In(9),  # instructions of the program
                "done": Out(1),  # the block has ended
                # to program memory's controller, and back
                "fetch_valid": Out(1),  # request line, up until the answer is here
                "fetch_address": Out(8),  # number of the instruction
                "fetch_ready": In(1),  # the answer is here
                "fetch_data": In(16),  # and this is it
                # the threads' request lines, and the answers
                "read_valid": Out(threads),  # request lines of loads, a bit per thread
                "read_address": Out(8).array(threads),  # what each thread loads from
                "read_ready": In(threads),  # the answers are here, a bit per thread
                "read_data": In(8).array(threads),  # and these are they
                "write_valid": Out(threads),  # request lines of stores, a bit per thread
                "write_address": Out(8).array(threads),  # where each thread stores
                "write_data": Out(8).array(threads),  # what it stores
                "write_ready": In(threads),  # the stores are done, a bit per thread
                # faults
                "stop": In(1),  # there is a fault: no further instruction
                "found": Out(FaultKind),  # the fault that this core finds in this cycle
                "found_lanes": Out(threads),  # and the threads concerned
            }
        )
        self.sequencer = Sequencer(skip_wait=hardware.skip_wait)
        self.fetcher = Fetcher(prefetch=hardware.prefetch)
        self.decoder = Decoder()
        self.alus = [Alu(compare_flags=hardware.compare_flags, divide_zero=hardware.divide_zero) for _ in range(threads)]
        self.lsus = [Lsu(memory_bytes=hardware.memory_bytes) for _ in range(threads)]
        self.pcs = [Pc(wrap=hardware.wrap_pc) for _ in range(threads)]
        self.registers = [Registers(thread, threads) for thread in range(threads)]
        self.advance = Advance(
            threads,
            partial_block=hardware.partial_block,
            last_lane_decides=hardware.last_lane_decides,
            wrap=hardware.wrap_pc,
        )

    def elaborate(self, platform: Any) -> Module:
        """The circuit."""
        m = Module()
        sequencer, fetcher, decoder, advance = self.sequencer, self.fetcher, self.decoder, self.advance
        m.submodules.sequencer, m.submodules.fetcher, m.submodules.decoder, m.submodules.advance = sequencer, fetcher, decoder, advance
        waiting = [(lsu.state == LsuState.REQUESTING) | (lsu.state == LsuState.WAITING) for lsu in self.lsus]
        m.d.comb += [
            self.done.eq(sequencer.done),
            sequencer.start.eq(self.start),
            sequencer.fetched.eq(fetcher.fetched),
            sequencer.access.eq(decoder.load | decoder.store),
            sequencer.busy.eq(Cat(waiting).any()),
            sequencer.ends.eq(decoder.ends),
            sequencer.following.eq(advance.following),
            sequencer.stop.eq(self.stop),
            fetcher.core.eq(sequencer.state),
            fetcher.pc.eq(sequencer.pc),
            fetcher.ends.eq(decoder.ends),
            fetcher.program_length.eq(self.program_length),
            fetcher.ready.eq(self.fetch_ready),
            fetcher.data.eq(self.fetch_data),
            self.fetch_valid.eq(fetcher.valid),
            self.fetch_address.eq(fetcher.address),
            decoder.state.eq(sequencer.state),
            decoder.instruction.eq(fetcher.instruction),
            advance.thread_count.eq(self.thread_count),
            advance.enabled.eq(Cat(thread < self.thread_count for thread in range(self.hardware.threads_per_block))),
            advance.branch.eq(decoder.branch),
            advance.target.eq(decoder.immediate),
            advance.program_length.eq(self.program_length),
        ]
        for thread in range(self.hardware.threads_per_block):
            self.thread(m, thread)
        self.find_faults(m)
        return m

    def thread(self, m: Module, thread: int) -> None:
        """The units of one thread, and their wires."""
        sequencer, decoder = self.sequencer, self.decoder
        alu, lsu, pc, registers = self.alus[thread], self.lsus[thread], self.pcs[thread], self.registers[thread]
        m.submodules[f"alu_{thread}"], m.submodules[f"lsu_{thread}"] = alu, lsu
        m.submodules[f"pc_{thread}"], m.submodules[f"registers_{thread}"] = pc, registers
        enable = self.advance.enabled[thread]
        m.d.comb += [
            alu.enable.eq(enable),
            alu.state.eq(sequencer.state),
            alu.operation.eq(decoder.operation),
            alu.compare.eq(decoder.compare),
            alu.rs.eq(registers.rs),
            alu.rt.eq(registers.rt),
            lsu.enable.eq(enable),
            lsu.core.eq(sequencer.state),
            lsu.load.eq(decoder.load),
            lsu.store.eq(decoder.store),
            lsu.rs.eq(registers.rs),
            lsu.rt.eq(registers.rt),
            lsu.read_ready.eq(self.read_ready[thread]),
            lsu.read_data.eq(self.read_data[thread]),
            lsu.write_ready.eq(self.write_ready[thread]),
            self.read_valid[thread].eq(lsu.read_valid),
            self.read_address[thread].eq(lsu.read_address),
            self.write_valid[thread].eq(lsu.write_valid),
            self.write_address[thread].eq(lsu.write_address),
            self.write_data[thread].eq(lsu.write_data),
            pc.enable.eq(enable),
            pc.state.eq(sequencer.state),
            pc.pc.eq(sequencer.pc),
            pc.branch.eq(decoder.branch),
            pc.condition.eq(decoder.condition),
            pc.target.eq(decoder.immediate),
            pc.compare.eq(decoder.compare),
            pc.alu.eq(alu.out),
            self.advance.next_pc[thread].eq(pc.next_pc),
            registers.enable.eq(enable),
            registers.state.eq(sequencer.state),
            registers.block.eq(self.block),
            registers.read_a.eq(decoder.read_a),
            registers.read_b.eq(decoder.read_b),
            registers.write.eq(decoder.write),
            registers.write_to.eq(decoder.write_to),
            registers.write_from.eq(decoder.write_from),
            registers.immediate.eq(decoder.immediate),
            registers.alu.eq(alu.out),
            registers.lsu.eq(lsu.out),
        ]

    def find_faults(self, m: Module) -> None:
        """What this core has found in this cycle; of two faults the one that the model looks for first."""
        updating = (self.sequencer.state == CoreState.UPDATE) & ~self.decoder.ends
        advance = self.advance
        if self.hardware.pc_faults:
            with m.If(updating & advance.outside):
                m.d.comb += [self.found.eq(FaultKind.PC_OUT_OF_RANGE), self.found_lanes.eq(advance.enabled)]
        if self.hardware.divergence_faults:
            with m.If(updating & advance.divergence):
                m.d.comb += [self.found.eq(FaultKind.DIVERGENCE), self.found_lanes.eq(advance.taking)]
        if self.hardware.address_faults:
            outside = Cat(lsu.outside for lsu in self.lsus) & advance.enabled
            with m.If(outside.any()):
                m.d.comb += [self.found.eq(FaultKind.ADDRESS_OUT_OF_RANGE), self.found_lanes.eq(outside)]
