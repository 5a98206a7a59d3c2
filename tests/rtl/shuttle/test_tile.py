"""A tile through its pins: the model's memory, byte for byte, in the model's cycles."""

import pytest

from tests.places import EXAMPLES
from tests.rtl.mutants import mutate
from warploom import GPU, load, rtl, tiny
from warploom.rtl.hardware import Hardware
from warploom.rtl.host import Endless, kernel, launch, read, say, simulated
from warploom.rtl.host import load as load_tile
from warploom.rtl.model import words
from warploom.rtl.shuttle.tile import Command, Tile, check_tile

DIVERGE = ".threads 2\nCONST R1, #1\nCMP %threadIdx, R1\nBRz OUT\nNOP\nOUT:\nRET"


def machine(preset, threads, channels):
    return GPU(preset, set={"gpu.cores": 1, "core.threads_per_block": threads, "memory.data_channels": channels})


def ran(gpu, program, vcd=None):
    script = kernel(words(program), program.data.tolist(), threads=program.launch.threads, count=32)
    return simulated(Tile(Hardware.of(gpu.config)), script, vcd)


@pytest.mark.parametrize("name", ["matadd", "matmul"])
@pytest.mark.parametrize(("preset", "threads", "channels"), [("tiny-original", 1, 1), ("tiny-original", 4, 2), ("tiny", 2, 1)])
def test_a_kernel_takes_the_models_cycles_and_leaves_the_models_bytes(name, preset, threads, channels):
    gpu, program = machine(preset, threads, channels), load(EXAMPLES / "tiny" / f"{name}.asm")
    result = gpu.run(program)
    found = ran(gpu, program)
    assert found.cycles == result.cycles
    assert list(found.memory) == result.memory[:32].tolist()
    assert found.fault == (0, 0)


def test_a_fault_comes_out_at_the_pins():
    gpu, program = machine("tiny", 2, 1), tiny.assemble(DIVERGE)
    result = gpu.run(program)
    found = ran(gpu, program)
    assert (found.cycles, found.fault) == (result.cycles, (1, 2))


def test_a_second_kernel_runs_without_a_reset_of_the_chip():
    gpu = machine("tiny", 2, 1)
    program = tiny.assemble(".threads 2\n.data 5 6\nLDR R1, %threadIdx\nADD R1, R1, R1\nSTR %threadIdx, R1\nRET")

    def twice():
        yield from load_tile(words(program), [5, 6])
        first = yield from launch(2)
        second = yield from launch(2)
        return first, second, (yield from read(0, 2))

    first, second, memory = simulated(Tile(Hardware.of(gpu.config)), twice())
    assert first == second == gpu.run(program).cycles
    assert memory == (20, 24)


def test_the_strobe_is_what_gives_a_command():
    def script():
        yield from say(Command.ADDRESS, 3)
        yield from say(Command.DATA, 77, strobe=False)
        yield from say(Command.DATA, 42)
        return (yield from read(3, 1))

    assert simulated(Tile(Hardware.of(machine("tiny", 1, 1).config), 2, 4), script()) == (42,)


def test_an_endless_kernel_is_an_error_and_waveforms_are_written(tmp_path):
    program = tiny.assemble(".threads 1\nCONST R1, #1\nL:\nCMP R1, R1\nBRz L\nRET")
    script = kernel(words(program), [], threads=1, count=1, most_cycles=50)
    with pytest.raises(Endless, match="the kernel still runs after 50 cycles"):
        simulated(Tile(Hardware.of(machine("tiny", 1, 1).config)), script, tmp_path / "tile.vcd")
    assert "uio_out" in (tmp_path / "tile.vcd").read_text()


def test_a_slow_memory_is_noticed(monkeypatch):
    mutate(monkeypatch, "shuttle.tile.Tile.memories", "gpu.data_read_ready.eq(gpu.data_read)", "gpu.data_read_ready.eq(0)")
    gpu, program = machine("tiny", 2, 1), load(EXAMPLES / "tiny" / "matadd.asm")
    script = kernel(words(program), program.data.tolist(), threads=8, count=1, most_cycles=2000)
    with pytest.raises(Endless):
        simulated(Tile(Hardware.of(gpu.config)), script)


@pytest.mark.parametrize(
    ("words_of", "bytes_of", "changes", "said"),
    [
        (24, 32, {}, "a tile with 24 words: take a power of two from 2 to 256"),
        (32, 1, {}, "a tile with 1 bytes: take a power of two"),
        (32, 32, {"memory.program_channels": 2}, "memory.program_channels = 2: the program memory of a tile has one port"),
    ],
)
def test_what_a_tile_cannot_be_is_refused(words_of, bytes_of, changes, said):
    with pytest.raises(rtl.NoHardware, match=said):
        check_tile(Hardware.of(GPU("tiny", set=changes).config), words_of, bytes_of)
