"""The host of a tile: what it does with the pins, clock by clock; and simulated pins to do it with.

A script is a generator: it yields the pins' inputs for a clock cycle and is sent the outputs after its edge. So the same script drives a
simulation here, a cocotb test, or the pins of a board.

    from warploom.rtl.host import kernel, simulated
    ran = simulated(tile, kernel(words, data, threads=8, count=32))
    ran.cycles, ran.memory
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from amaranth.hdl import Module
from amaranth.sim import Simulator

from warploom.rtl.shuttle.tile import DONE, FAULTY, STROBE, Command, Tile

MOST_CYCLES = 100_000
Script = Generator[tuple[int, int], tuple[int, int], Any]  # yields (ui, uio), is sent (uo, uio) after the clock edge


@dataclass(frozen=True)
class Ran:
    """What a kernel gave. cycles: from RUN to done. memory: bytes that were read back. fault: its kind and PC; (0, 0) for none."""

    cycles: int
    memory: tuple[int, ...]
    fault: tuple[int, int]


class Endless(Exception):
    """A kernel that has not ended. The message is one sentence."""


def say(command: Command, value: int = 0, *, strobe: bool = True) -> Generator[tuple[int, int], tuple[int, int], int]:
    """Give one command; returns what `uo` showed."""
    uo, _ = yield value, int(command) | strobe << STROBE
    return uo


def load(words: Sequence[int], data: Sequence[int]) -> Script:
    """Write program memory and data memory from address 0 on."""
    yield from say(Command.ADDRESS, 0)
    for word in words:
        yield from say(Command.PROGRAM, word >> 8)
        yield from say(Command.PROGRAM, word & 0xFF)
    yield from say(Command.ADDRESS, 0)
    for byte in data:
        yield from say(Command.DATA, byte)


def launch(threads: int, most_cycles: int = MOST_CYCLES) -> Script:
    """Run what is loaded; returns the cycles. Raises Endless."""
    yield from say(Command.THREADS, threads)
    yield from say(Command.RUN)
    for cycle in range(1, most_cycles + 1):
        _, uio = yield 0, int(Command.RUN)
        if uio & (1 << DONE | 1 << FAULTY):
            return cycle
    raise Endless(f"the kernel still runs after {most_cycles} cycles")


def read(address: int, count: int) -> Script:
    """Bytes of data memory."""
    yield from say(Command.ADDRESS, address)
    found = []
    for _ in range(count):
        found.append((yield from say(Command.READ, strobe=False)))
        yield from say(Command.READ)
    return tuple(found)


def kernel(words: Sequence[int], data: Sequence[int], *, threads: int, count: int, most_cycles: int = MOST_CYCLES) -> Script:
    """Load a kernel, run it, and read back `count` bytes: a `Ran`. The bytes after `data` begin as 0. Raises Endless."""
    yield from load(words, [*data, *[0] * (count - len(data))])
    cycles = yield from launch(threads, most_cycles)
    fault = (yield from say(Command.FAULT, strobe=False)), (yield from say(Command.FAULT_PC, strobe=False))
    memory = yield from read(0, count)
    return Ran(cycles, memory, fault)


def simulated(tile: Tile, script: Script, vcd: str | Path | None = None) -> Any:
    """Play a script on a tile's pins, from reset, in Amaranth's simulator; returns what the script does. vcd: a file for the waveforms."""
    top = Module()
    top.submodules.tile = tile
    found: list[Any] = []

    async def play(ctx: Any) -> None:
        async def clock() -> tuple[int, int]:
            ctx.set(tile.clk, 1)
            await ctx.delay(1e-6)
            outputs = ctx.get(tile.uo_out), ctx.get(tile.uio_out)
            ctx.set(tile.clk, 0)
            await ctx.delay(1e-6)
            return outputs

        ctx.set(tile.rst_n, 0)
        await clock()
        ctx.set(tile.rst_n, 1)
        outputs: Any = None
        while True:
            try:
                ui, uio = script.send(outputs)
            except StopIteration as end:
                found.append(end.value)
                return
            ctx.set(tile.ui_in, ui)
            ctx.set(tile.uio_in, uio)
            outputs = await clock()

    simulator = Simulator(top)
    simulator.add_testbench(play)
    if vcd is None:
        simulator.run()
    else:
        with simulator.write_vcd(str(vcd)):
            simulator.run()
    return found[0]
