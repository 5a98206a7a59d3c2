"""A tile of Tiny Tapeout: the GPU with its memories in flip-flops, behind 24 pins.

The host speaks to it byte by byte. It lays a byte on `ui` and a command on `uio[2:0]`; the command is taken at a clock edge at which the
strobe, `uio[3]`, is up. The memories answer at the next edge, so a kernel takes exactly the model's cycles: those from the
edge that takes RUN until `done` is up.
"""

# mypy: disable-error-code="attr-defined,index,arg-type"

from enum import IntEnum
from typing import Any

from amaranth.hdl import Array, Cat, ClockDomain, Const, Module, ResetInserter, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from warploom.rtl.hardware import ADDRESSES, Hardware, NoHardware
from warploom.rtl.sequencer.gpu import Gpu

TOP = "tt_um_warploom"


class Command(IntEnum):
    """What the host can say on `uio[2:0]`."""

    RUN = 0  # the GPU leaves reset and runs; without the strobe: nothing
    PROGRAM = 1  # `ui` is half an instruction word, the high one first; after the low one the address moves on
    DATA = 2  # `ui` goes to data memory; the address moves on
    THREADS = 3  # `ui` is the number of threads; the GPU goes into reset
    ADDRESS = 4  # `ui` is the address for PROGRAM, DATA and READ
    READ = 5  # `uo` is the byte of data memory at the address; with the strobe the address moves on
    FAULT = 6  # `uo` is the kind of the fault, 0 for none
    FAULT_PC = 7  # `uo` is the instruction at which it was found


STROBE, DONE, FAULTY = 3, 4, 5  # bits of uio: in, out, out


def check_tile(hardware: Hardware, words: int, data: int) -> None:
    """Raises NoHardware for a tile that cannot be."""
    for name, size in (("words", words), ("bytes", data)):
        if not 2 <= size <= ADDRESSES or size & (size - 1):
            raise NoHardware(f"a tile with {size} {name}: take a power of two from 2 to {ADDRESSES}")
    if hardware.program_channels != 1:
        raise NoHardware(f"memory.program_channels = {hardware.program_channels}: the program memory of a tile has one port; set it to 1")


class Tile(wiring.Component):
    """hardware: of the GPU. words: of program memory. data: bytes of data memory; both are powers of two."""

    ui_in: In(8)
    uo_out: Out(8)
    uio_in: In(8)
    uio_out: Out(8)
    uio_oe: Out(8)
    ena: In(1)
    clk: In(1)
    rst_n: In(1)

    def __init__(self, hardware: Hardware, words: int = 32, data: int = 32) -> None:
        check_tile(hardware, words, data)
        self.hardware, self.words, self.bytes = hardware, words, data
        self.gpu = Gpu(hardware)
        super().__init__()
        self.store()

    def store(self) -> None:
        """What holds the two memories: flip-flops."""
        self.program: Any = Array(Signal(16, name=f"program_{word}", reset_less=True) for word in range(self.words))
        self.data: Any = Array(Signal(8, name=f"data_{byte}", reset_less=True) for byte in range(self.bytes))

    def elaborate(self, platform: Any) -> Module:
        """The circuit."""
        m = Module()
        m.domains.sync = domain = ClockDomain()
        m.d.comb += [domain.clk.eq(self.clk), domain.rst.eq(~self.rst_n)]
        held, launched = Signal(init=1), Signal()
        m.submodules.gpu = ResetInserter(held)(self.gpu)
        threads, length = Signal(8), Signal(9)
        m.d.sync += launched.eq(~held)
        m.d.comb += [
            self.gpu.control.eq(threads),
            self.gpu.control_write.eq(~held & ~launched),
            self.gpu.start.eq(launched),
            self.gpu.program_length.eq(length),
            self.uio_oe.eq(1 << DONE | 1 << FAULTY),
            self.uio_out.eq(Cat(Const(0, DONE), self.gpu.done, Value.cast(self.gpu.fault).any())),
        ]
        address = Signal(8)
        self.memories(m, address, held)
        self.listen(m, address, {"held": held, "threads": threads, "length": length})
        return m

    def memories(self, m: Module, address: Any, held: Any) -> None:
        """A request that is up before an edge is answered after it: all reads first, then the writes, of which channel 0's stays.

        address: the host's, for memories that it does not read beside the GPU.
        """
        gpu, program, data = self.gpu, self.program, self.data
        m.d.sync += [
            gpu.program_read_ready.eq(gpu.program_read),
            gpu.data_read_ready.eq(gpu.data_read),
            gpu.data_write_ready.eq(gpu.data_write),
            gpu.program_read_data[0].eq(program[gpu.program_read_address[0][: _bits(self.words)]]),
        ]
        for channel in reversed(range(self.hardware.data_channels)):
            m.d.sync += gpu.data_read_data[channel].eq(data[gpu.data_read_address[channel][: _bits(self.bytes)]])
            with m.If(gpu.data_write[channel] & ~held):
                m.d.sync += data[gpu.data_write_address[channel][: _bits(self.bytes)]].eq(gpu.data_write_data[channel])

    def shown(self, byte: Any) -> Any:
        """The byte of data memory that the host sees."""
        return self.data[byte]

    def write_word(self, m: Module, word: Any, value: Any) -> None:
        """The host writes to program memory."""
        m.d.sync += self.program[word].eq(value)

    def write_byte(self, m: Module, byte: Any, value: Any) -> None:
        """The host writes to data memory."""
        m.d.sync += self.data[byte].eq(value)

    def listen(self, m: Module, address: Any, registers: dict[str, Any]) -> None:
        """The host's commands."""
        high, half = Signal(8), Signal()
        command, following = self.uio_in[:STROBE], Signal(8)
        word, byte = address[: _bits(self.words)], address[: _bits(self.bytes)]
        m.d.comb += following.eq(address + 1)
        with m.Switch(command):
            with m.Case(Command.READ):
                m.d.comb += self.uo_out.eq(self.shown(byte))
            with m.Case(Command.FAULT):
                m.d.comb += self.uo_out.eq(Value.cast(self.gpu.fault))
            with m.Case(Command.FAULT_PC):
                m.d.comb += self.uo_out.eq(self.gpu.fault_pc)
        with m.If(self.uio_in[STROBE]):
            with m.Switch(command):
                with m.Case(Command.RUN):
                    m.d.sync += registers["held"].eq(0)
                with m.Case(Command.PROGRAM):
                    m.d.sync += [half.eq(~half), high.eq(self.ui_in)]
                    with m.If(half):
                        self.write_word(m, word, Cat(self.ui_in, high))
                        m.d.sync += [address.eq(following), registers["length"].eq(address + 1)]
                with m.Case(Command.DATA):
                    self.write_byte(m, byte, self.ui_in)
                    m.d.sync += address.eq(following)
                with m.Case(Command.THREADS):
                    m.d.sync += [registers["threads"].eq(self.ui_in), registers["held"].eq(1)]
                with m.Case(Command.ADDRESS):
                    m.d.sync += [address.eq(self.ui_in), half.eq(0)]
                with m.Case(Command.READ):
                    m.d.sync += address.eq(following)


def _bits(size: int) -> int:
    return size.bit_length() - 1
