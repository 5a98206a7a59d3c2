"""Trial unit of a device: fills memory with a word, so many bytes a cycle, from the first cycle on."""

import numpy as np

from warploom.machine.engine.unit import FOREVER, inlined, record, unit

WORD = 0xF111F111

Fill = record(
    settings=dict(
        first="i8",  # word of memory
        last="i8",  # ... the one after the last
    ),
    state=dict(
        filled="i8",  # words
    ),
)


@inlined
def step_fill(gpu, cores, tables, units, now):
    if gpu.fill.first + gpu.fill.filled < gpu.fill.last:
        units.fill_memory(gpu, cores, tables, now)
    return next_fill(gpu, now)


@unit
def fill_memory(gpu, cores, tables, now):
    tables.memory[gpu.fill.first + gpu.fill.filled] = np.uint32(WORD)
    gpu.fill.filled = gpu.fill.filled + 1
    gpu.progress = now


@unit
def no_fill(gpu, cores, tables, now):
    """Where nothing is filled."""


@inlined
def next_fill(gpu, now):
    return np.int64(FOREVER if fill_is_done(gpu) else now + 1)


@inlined
def fill_is_done(gpu):
    return gpu.fill.first + gpu.fill.filled >= gpu.fill.last


def set_up_fill(gpu, config, program):
    gpu.fill.first, gpu.fill.last = 512, 512 + 90
