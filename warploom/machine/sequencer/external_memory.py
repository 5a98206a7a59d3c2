"""External memory: what the controllers' channels lead to. Program memory and data memory are separate.

In hardware: chips outside of the GPU, one port a channel. tiny-gpu comes without them; what a cycle means there is laid
down by its test bench, and so it is here: a request line that was up before a clock edge is answered after it, so the
channel sees the answer at the next edge. A request line stays up for two samples; so each write is performed
twice, in consecutive cycles, and the ready line stays up for two.

Within a cycle all reads come first and see the old contents; then the writes, from the highest channel to the lowest,
so that channel 0 wins where two write to one address. Memory that nothing has written is 0.

Source: the memories of tiny-gpu's test bench (test/helpers/memory.py).
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np

from warploom.isa.uop import WORD
from warploom.machine.engine.unit import unit


@unit
def answer_data(controller, memory):
    """Answer what the channels had requested before the edge. memory: uint32 words; an address is that of a byte."""
    writes = np.int64(0)
    for channel in range(controller.channels):
        if controller.sampled_read[channel] != 0:
            controller.memory_read_ready[channel] = 1
            controller.memory_read_data[channel] = load_byte(memory, np.int64(controller.memory_read_address[channel]))
        else:
            controller.memory_read_ready[channel] = 0
            controller.memory_read_data[channel] = 0
        controller.memory_write_ready[channel] = controller.sampled_write[channel]
        writes = writes + controller.sampled_write[channel]
    if writes != 0:
        for channel in range(controller.channels - 1, -1, -1):
            if controller.sampled_write[channel] != 0:
                address = np.int64(controller.memory_write_address[channel])
                store_byte(memory, address, controller.memory_write_data[channel])


@unit
def answer_program(controller, code):
    """Answer program memory's channels. After the program's last instruction lie words of 0."""
    for channel in range(controller.channels):
        controller.memory_read_ready[channel] = controller.sampled_read[channel]
        word = np.uint32(0)
        if controller.sampled_read[channel] != 0:
            address = np.int64(controller.memory_read_address[channel])
            if address < code.shape[0]:
                word = np.uint32(np.int64(code[address, WORD]) & np.int64(0xFFFFFFFF))
        controller.memory_read_data[channel] = word


@unit
def load_byte(memory, address):
    """The byte at an address, little-endian in its word."""
    return (memory[address >> 2] >> np.uint32((address & 3) << 3)) & np.uint32(0xFF)


@unit
def store_byte(memory, address, value):
    """Replace the byte at an address by the low byte of `value`."""
    shift = np.uint32((address & 3) << 3)
    kept = memory[address >> 2] & ~np.uint32(np.uint32(0xFF) << shift)
    memory[address >> 2] = np.uint32(kept) | np.uint32((value & np.uint32(0xFF)) << shift)
