"""The GPU on an FPGA: the tile's pins and protocol, its memories in block RAM.

Block RAM answers at the next clock edge, as the model's memories do, so a kernel takes the model's cycles. A block has one write port: data
memory is in block RAM with one data channel, and with more of them in what Yosys makes of several write ports: flip-flops.
The host's reads go through channel 0's port while the GPU does not read; a host that writes while a kernel runs takes the port from it.
"""

# mypy: disable-error-code="attr-defined,index,arg-type"

from functools import reduce
from operator import or_
from typing import Any

from amaranth.hdl import Module, Mux
from amaranth.lib import wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

from warploom.rtl.hardware import Hardware
from warploom.rtl.shuttle.tile import DONE, FAULTY, STROBE, Tile


class BlockTile(Tile):
    """The tile with memories of ports instead of flip-flops."""

    def store(self) -> None:
        """What holds the two memories: memories, with a port for each who reads or writes."""
        channels = range(self.hardware.data_channels)
        self.program, self.data = Memory(shape=16, depth=self.words, init=[]), Memory(shape=8, depth=self.bytes, init=[])
        self.fetch, self.program_write = self.program.read_port(), self.program.write_port()
        self.reads, self.writes = [self.data.read_port() for _ in channels], [self.data.write_port() for _ in channels]

    def memories(self, m: Module, address: Any, held: Any) -> None:
        """A request that is up before an edge is answered after it: all reads first, then the writes, of which channel 0's stays."""
        gpu = self.gpu
        m.submodules.program_memory, m.submodules.data_memory = self.program, self.data
        m.d.sync += [
            gpu.program_read_ready.eq(gpu.program_read),
            gpu.data_read_ready.eq(gpu.data_read),
            gpu.data_write_ready.eq(gpu.data_write),
        ]
        m.d.comb += [self.fetch.addr.eq(gpu.program_read_address[0]), gpu.program_read_data[0].eq(self.fetch.data)]
        for channel, (read, write) in enumerate(zip(self.reads, self.writes, strict=True)):
            asked = gpu.data_read_address[channel]
            target = gpu.data_write_address[channel]
            taken = [gpu.data_write[below] & (gpu.data_write_address[below] == target) for below in range(channel)]
            m.d.comb += [
                read.addr.eq(Mux(gpu.data_read[channel], asked, address) if channel == 0 else asked),
                read.en.eq(~write.en),  # a channel does one of the two; so nobody has to say what both at once would give
                gpu.data_read_data[channel].eq(read.data),
                write.addr.eq(target),
                write.data.eq(gpu.data_write_data[channel]),
                write.en.eq(gpu.data_write[channel] & ~held & ~reduce(or_, taken, 0)),
            ]

    def shown(self, byte: Any) -> Any:
        """The byte of data memory that the host sees: that of its address at the last clock edge."""
        return self.reads[0].data

    def write_word(self, m: Module, word: Any, value: Any) -> None:
        """The host writes to program memory."""
        port = self.program_write
        m.d.comb += [port.addr.eq(word), port.data.eq(value), port.en.eq(1)]

    def write_byte(self, m: Module, byte: Any, value: Any) -> None:
        """The host writes to data memory, through channel 0's port."""
        port = self.writes[0]
        m.d.comb += [port.addr.eq(byte), port.data.eq(value), port.en.eq(1)]


class Board(wiring.Component):
    """The top: a pin for each wire that the host needs, and no more. hardware, words, data: as the tile's."""

    clk: In(1)  # the host's clock, to which all other pins belong
    rst_n: In(1)  # reset, while it is 0
    ui: In(8)  # a byte from the host
    uo: Out(8)  # a byte to the host
    command: In(3)  # what the host says
    strobe: In(1)  # the command is taken at this clock edge
    done: Out(1)  # the kernel has ended
    fault: Out(1)  # a fault has been found

    def __init__(self, hardware: Hardware, words: int, data: int) -> None:
        self.tile = BlockTile(hardware, words, data)
        super().__init__()

    def elaborate(self, platform: Any) -> Module:
        """The circuit."""
        m = Module()
        m.submodules.tile = tile = self.tile
        m.d.comb += [
            tile.clk.eq(self.clk),
            tile.rst_n.eq(self.rst_n),
            tile.ena.eq(1),
            tile.ui_in.eq(self.ui),
            tile.uio_in[:STROBE].eq(self.command),
            tile.uio_in[STROBE].eq(self.strobe),
            self.uo.eq(tile.uo_out),
            self.done.eq(tile.uio_out[DONE]),
            self.fault.eq(tile.uio_out[FAULTY]),
        ]
        return m


PINS = ("clk", "rst_n", *(f"{bus}[{bit}]" for bus in ("ui", "uo") for bit in range(8)), "command[0]", "command[1]", "command[2]",
        "strobe", "done", "fault")  # fmt: skip
