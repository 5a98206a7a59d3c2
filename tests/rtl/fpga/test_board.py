"""The GPU on an FPGA, through its pins: memories of ports give the model's bytes in the model's cycles."""

import pytest
from amaranth.hdl import Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from tests.places import EXAMPLES
from tests.rtl.mutants import mutate
from warploom import GPU, load, tiny
from warploom.rtl.fpga.board import PINS, Board
from warploom.rtl.hardware import Hardware
from warploom.rtl.host import Endless, kernel, launch, read, simulated
from warploom.rtl.host import load as load_board
from warploom.rtl.model import words
from warploom.rtl.shuttle.tile import DONE, FAULTY, STROBE
from warploom.rtl.yosys import rtlil_text

# All threads store to one address in one cycle: channel 0's value stays.
SAME_PLACE = ".threads 4\nSTR R0, %threadIdx\nRET"
DIVERGE = ".threads 2\nCONST R1, #1\nCMP %threadIdx, R1\nBRz OUT\nNOP\nOUT:\nRET"


class Wired(wiring.Component):
    """A board behind the tile's 24 pins, to which the host's simulated pins belong."""

    ui_in: In(8)
    uo_out: Out(8)
    uio_in: In(8)
    uio_out: Out(8)
    clk: In(1)
    rst_n: In(1)

    def __init__(self, hardware, words_of=32, bytes_of=32):
        self.board = Board(hardware, words_of, bytes_of)
        super().__init__()

    def elaborate(self, platform):
        m = Module()
        m.submodules.board = board = self.board
        m.d.comb += [board.clk.eq(self.clk), board.rst_n.eq(self.rst_n), board.ui.eq(self.ui_in), self.uo_out.eq(board.uo)]
        m.d.comb += [board.command.eq(self.uio_in[:STROBE]), board.strobe.eq(self.uio_in[STROBE])]
        m.d.comb += [self.uio_out[DONE].eq(board.done), self.uio_out[FAULTY].eq(board.fault)]
        return m


def machine(preset, threads, channels, cores=1):
    return GPU(preset, set={"gpu.cores": cores, "core.threads_per_block": threads, "memory.data_channels": channels})


def ran(gpu, program):
    script = kernel(words(program), program.data.tolist(), threads=program.launch.threads, count=32, most_cycles=3000)
    return simulated(Wired(Hardware.of(gpu.config)), script)


@pytest.mark.every(2)
@pytest.mark.parametrize("name", ["matadd", "matmul"])
@pytest.mark.parametrize(("preset", "threads", "channels"), [("tiny-original", 2, 1), ("tiny-original", 4, 2), ("tiny", 4, 1)])
def test_a_kernel_takes_the_models_cycles_and_leaves_the_models_bytes(name, preset, threads, channels):
    gpu, program = machine(preset, threads, channels), load(EXAMPLES / "tiny" / f"{name}.asm")
    result = gpu.run(program)
    found = ran(gpu, program)
    assert (found.cycles, found.fault) == (result.cycles, (0, 0))
    assert list(found.memory) == result.memory[:32].tolist()


def test_of_writes_to_one_address_channel_0s_stays(monkeypatch):
    gpu, program = machine("tiny", 4, 4), tiny.assemble(SAME_PLACE)
    result = gpu.run(program)
    assert list(ran(gpu, program).memory) == result.memory[:32].tolist()
    mutate(monkeypatch, "fpga.board.BlockTile.memories", "~reduce(or_, taken, 0)", "1")
    assert list(ran(gpu, program).memory) != result.memory[:32].tolist()


def test_a_fault_comes_out_at_the_pins():
    gpu, program = machine("tiny", 2, 1), tiny.assemble(DIVERGE)
    found = ran(gpu, program)
    assert (found.cycles, found.fault) == (gpu.run(program).cycles, (1, 2))


def test_a_second_kernel_finds_what_the_first_has_left():
    gpu = machine("tiny", 2, 1)
    program = tiny.assemble(".threads 2\n.data 5 6\nLDR R1, %threadIdx\nADD R1, R1, R1\nSTR %threadIdx, R1\nRET")

    def twice():
        yield from load_board(words(program), [5, 6])
        cycles = [(yield from launch(2)), (yield from launch(2))]
        return cycles, (yield from read(0, 2))

    cycles, memory = simulated(Wired(Hardware.of(gpu.config)), twice())
    assert cycles == [gpu.run(program).cycles] * 2
    assert memory == (20, 24)


@pytest.mark.every(2)
@pytest.mark.parametrize(
    ("place", "right", "wrong"),
    [
        ("fpga.board.BlockTile.memories", "Mux(gpu.data_read[channel], asked, address)", "asked"),
        ("fpga.board.BlockTile.memories", "read.en.eq(~write.en)", "read.en.eq(write.en)"),
        ("fpga.board.BlockTile.memories", "gpu.data_read_ready.eq(gpu.data_read)", "gpu.data_read_ready.eq(0)"),
        ("fpga.board.BlockTile.write_byte", "port.addr.eq(byte)", "port.addr.eq(0)"),
        ("fpga.board.BlockTile.write_word", "port.en.eq(1)", "port.en.eq(0)"),
        ("fpga.board.Board.elaborate", "self.strobe", "0"),
        ("fpga.board.Board.elaborate", "tile.uio_out[DONE]", "tile.uio_out[FAULTY]"),
    ],
)
def test_a_wrong_wire_is_noticed(monkeypatch, place, right, wrong):
    gpu, program = machine("tiny", 2, 1), load(EXAMPLES / "tiny" / "matadd.asm")
    result = gpu.run(program)
    mutate(monkeypatch, place, right, wrong)
    try:
        found = ran(gpu, program)
    except Endless:
        return
    assert (found.cycles, list(found.memory)) != (result.cycles, result.memory[:32].tolist())


def test_every_bit_of_a_port_has_its_pin():
    board = Board(Hardware.of(machine("tiny", 1, 1).config), 32, 32)
    bits = {
        name if member.shape == 1 else f"{name}[{bit}]" for name, member in board.signature.members.items() for bit in range(member.shape)
    }
    assert bits == set(PINS)
    assert len(PINS) == len(bits)
    assert "\\command" in rtlil_text(board, "gpu")
