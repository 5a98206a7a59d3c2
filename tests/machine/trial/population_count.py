"""Trial unit of a core: counts the ones of each lane's word. It has a queue of its own, and is done with one instruction at a time."""

import numpy as np

from warploom.isa.uop import DST, FIRST_UOP, A
from warploom.machine.accounting.reasons import WAIT
from warploom.machine.core.warps.scoreboard import mark_busy
from warploom.machine.datapath.register_file import source
from warploom.machine.engine.bits import popcount
from warploom.machine.engine.unit import FOREVER, inlined, record, unit

QUEUE = 2  # instructions

Population = record(
    settings=dict(
        interval="i8",  # cycles that one takes
    ),
    state=dict(
        head="i8",  # the oldest in the queue
        waiting="i8",  # how many are there
        done=("i8", QUEUE),  # by place in the queue: first cycle in which the result can be used
    ),
    counters=dict(
        taken="i8",
    ),
)


@unit
def execute_population(unit, gpu, core, number, warp, pc, part, port, late, tables, units, now):
    own = core.population
    registers, lanes = core.registers[warp], core.warps.lanes
    k = np.int64(tables.code[pc, FIRST_UOP])
    words = registers.lane[source(registers, tables.uops, k, A, 0, lanes)]
    for lane in range(lanes):
        if registers.active[lane] != 0:
            registers.lane[tables.uops[k, DST], lane] = np.uint32(popcount(np.uint64(words[lane])))
    begin = now
    if own.waiting > 0:
        begin = np.int64(own.done[(own.head + own.waiting - 1) % QUEUE])
    own.done[(own.head + own.waiting) % QUEUE] = begin + own.interval
    own.waiting = own.waiting + 1
    own.taken = own.taken + 1
    mark_busy(core.scoreboard, tables.code, warp, pc, part, lanes, begin + own.interval, WAIT)
    return np.int64(0), np.int64(begin + own.interval)


@inlined
def population_accepts(port, core, now):
    return core.population.waiting < QUEUE


@inlined
def next_free_population(port, core, now):
    return np.int64(core.population.done[core.population.head])


@inlined
def step_population(gpu, core, tables, units, now):
    own = core.population
    while own.waiting > 0 and own.done[own.head] <= now + 1:
        own.head = (own.head + 1) % QUEUE
        own.waiting = own.waiting - 1
    return np.int64(own.done[own.head] - 1 if own.waiting > 0 else FOREVER)


def set_up_population(core, config, program):
    core.population.interval = config.core.lanes
