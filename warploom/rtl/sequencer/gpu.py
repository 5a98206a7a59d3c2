"""The whole GPU, as hardware: cores, the two memory controllers, pass-through registers, dispatcher, device control register.

The model is `cycle` of `warploom.machine.sequencer.sequencer`. The two memories lie outside, one port a channel.
"""

from typing import Any

from amaranth.hdl import Cat, Module, ResetInserter
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from warploom.rtl.accounting.faults import FaultKind, Faults
from warploom.rtl.hardware import Hardware
from warploom.rtl.sequencer.controller import Controller
from warploom.rtl.sequencer.core import Core
from warploom.rtl.sequencer.dispatcher import DeviceControl, Dispatcher
from warploom.rtl.sequencer.lsu import PassThrough


class Gpu(wiring.Component):
    """hardware: its parameters. Where no fault can be found, the four fault outputs are 0."""

    def __init__(self, hardware: Hardware = Hardware()) -> None:
        self.hardware = hardware
        cores, threads = hardware.cores, hardware.threads_per_block
        data, program = hardware.data_channels, hardware.program_channels
        super().__init__(
            {
                # the host
                "start": In(1),  # go, and goes on; a new kernel needs a reset
                "control_write": In(1),  # load the device control register
                "control": In(8),  # with this number of threads
                "program_length": In(9),  # instructions of the program, 1 to 256; not looked at where the program counter wraps
                "done": Out(1),  # every block has ended; stays up
                "fault": Out(FaultKind),  # why no core goes on; 0 for none
                "fault_core": Out(range(max(cores, 2))),  # the core that found it
                "fault_pc": Out(8),  # at this instruction
                "fault_lanes": Out(threads),  # and the threads concerned
                # program memory
                "program_read": Out(program),  # request lines, a bit per channel
                "program_read_address": Out(8).array(program),  # of each channel's request
                "program_read_ready": In(program),  # the answer is here, a bit per channel
                "program_read_data": In(16).array(program),  # and this is it: an instruction word
                # data memory
                "data_read": Out(data),  # request lines, a bit per channel
                "data_read_address": Out(8).array(data),  # of each channel's request
                "data_read_ready": In(data),  # the answer is here, a bit per channel
                "data_read_data": In(8).array(data),  # and this is it
                "data_write": Out(data),  # request lines, a bit per channel
                "data_write_address": Out(8).array(data),  # of each channel's request
                "data_write_data": Out(8).array(data),  # what is written there
                "data_write_ready": In(data),  # the write is done, a bit per channel
            }
        )
        self.cores = [Core(hardware) for _ in range(cores)]
        self.dispatcher, self.control_register = Dispatcher(cores, threads), DeviceControl()
        self.data = Controller(cores * threads, data, 8, writes=True)
        self.program = Controller(cores, program, 16, writes=False)
        self.pass_through = PassThrough(cores * threads)
        self.faults = Faults(cores, threads) if hardware.faults else None

    def elaborate(self, platform: Any) -> Module:
        """The circuit."""
        m = Module()
        dispatcher, register = self.dispatcher, self.control_register
        m.submodules.dispatcher, m.submodules.control_register = dispatcher, register
        m.submodules.data, m.submodules.program, m.submodules.pass_through = self.data, self.program, self.pass_through
        m.d.comb += [
            register.write.eq(self.control_write),
            register.value.eq(self.control),
            dispatcher.started.eq(self.start),
            dispatcher.threads.eq(register.threads),
            dispatcher.finished.eq(Cat(core.done for core in self.cores)),
            self.done.eq(dispatcher.done),
        ]
        for number, core in enumerate(self.cores):
            m.submodules[f"core_{number}"] = ResetInserter(dispatcher.reset[number])(core)
            self.core(m, number, core)
        self.requests(m)
        self.memories(m)
        if self.faults is not None:
            self.report(m, self.faults)
        return m

    def core(self, m: Module, number: int, core: Core) -> None:
        """A core's wires to dispatcher and program memory's controller."""
        dispatcher, program = self.dispatcher, self.program
        m.d.comb += [
            core.start.eq(dispatcher.start[number]),
            core.block.eq(dispatcher.block[number]),
            core.thread_count.eq(dispatcher.thread_count[number]),
            core.program_length.eq(self.program_length),
            program.read_request[number].eq(core.fetch_valid),
            program.read_address[number].eq(core.fetch_address),
            core.fetch_ready.eq(program.read_ready[number]),
            core.fetch_data.eq(program.read_data[number]),
        ]

    def requests(self, m: Module) -> None:
        """From the threads through the pass-through registers to data memory's controller, and back."""
        way, data = self.pass_through, self.data
        m.d.comb += [
            way.read_valid.eq(Cat(core.read_valid for core in self.cores)),
            way.write_valid.eq(Cat(core.write_valid for core in self.cores)),
            data.read_request.eq(way.read_request),
            data.write_request.eq(way.write_request),
            way.answer_read_ready.eq(data.read_ready),
            way.answer_write_ready.eq(data.write_ready),
        ]
        for number, core in enumerate(self.cores):
            for thread in range(self.hardware.threads_per_block):
                consumer = number * self.hardware.threads_per_block + thread
                m.d.comb += [
                    way.read_address[consumer].eq(core.read_address[thread]),
                    way.write_address[consumer].eq(core.write_address[thread]),
                    way.write_data[consumer].eq(core.write_data[thread]),
                    data.read_address[consumer].eq(way.request_read_address[consumer]),
                    data.write_address[consumer].eq(way.request_write_address[consumer]),
                    data.write_data[consumer].eq(way.request_write_data[consumer]),
                    way.answer_read_data[consumer].eq(data.read_data[consumer]),
                    core.read_ready[thread].eq(way.read_ready[consumer]),
                    core.write_ready[thread].eq(way.write_ready[consumer]),
                    core.read_data[thread].eq(way.read_data[consumer]),
                ]

    def memories(self, m: Module) -> None:
        """The channels' wires to the outside."""
        data, program = self.data, self.program
        m.d.comb += [
            self.program_read.eq(program.memory_read),
            program.memory_read_ready.eq(self.program_read_ready),
            self.data_read.eq(data.memory_read),
            data.memory_read_ready.eq(self.data_read_ready),
            self.data_write.eq(data.memory_write),
            data.memory_write_ready.eq(self.data_write_ready),
        ]
        for channel in range(self.hardware.program_channels):
            m.d.comb += [
                self.program_read_address[channel].eq(program.memory_read_address[channel]),
                program.memory_read_data[channel].eq(self.program_read_data[channel]),
            ]
        for channel in range(self.hardware.data_channels):
            m.d.comb += [
                self.data_read_address[channel].eq(data.memory_read_address[channel]),
                data.memory_read_data[channel].eq(self.data_read_data[channel]),
                self.data_write_address[channel].eq(data.memory_write_address[channel]),
                self.data_write_data[channel].eq(data.memory_write_data[channel]),
            ]

    def report(self, m: Module, faults: Faults) -> None:
        """The fault register's wires to the cores and to the host."""
        m.submodules.faults = faults
        m.d.comb += [
            self.fault.eq(faults.kind),
            self.fault_core.eq(faults.core),
            self.fault_pc.eq(faults.pc),
            self.fault_lanes.eq(faults.lanes),
        ]
        for number, core in enumerate(self.cores):
            m.d.comb += [
                faults.found[number].eq(core.found),
                faults.found_pc[number].eq(core.sequencer.pc),
                faults.found_lanes[number].eq(core.found_lanes),
                core.stop.eq(faults.stop[number]),
            ]
