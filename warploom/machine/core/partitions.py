"""Sub-partitions: the pipes that a scheduler has for itself.

In hardware: a multiprocessor is cut into (mostly four) parts, each with a scheduler, a part of the register file and its own pipes:
integer, float, double, special functions, and the paths to the load/store and texture units. A pipe has fewer lanes than a warp, so an
instruction keeps its entry for warp / lanes cycles, the *initiation interval*; other pipes take instructions meanwhile. So integer and
float instructions of half a warp's width reach one a cycle together, and a single warp never gets more than its own part's pipes. Without
sub-partitions all schedulers share the ALUs of the core (`pipes.py`).

AMD's GCN has one pipe for all vector arithmetic in each part, a *SIMD*, and a scalar unit beside them (`pipes.vector`, `pipes.scalar`): an
instruction on scalar registers only does not occupy lanes.

What a compiler expands into a *sequence*, a divide or a root, is one instruction here. It enters when the pipe that it keeps longest takes
one; then each of its pipes is kept for all of its instructions there, and as many issue slots are reserved. These are paid for with slots
that the scheduler leaves empty; when it is a whole sequence behind, it issues nothing. In hardware the instructions of several warps
alternate; in total they take the same cycles.

The path to the load/store unit has a short queue: instructions enter one a cycle until it is full. A float pipe may have another half, the
integer pipe (GA10x) or one of its own (H100): a float instruction that finds the entry of the first half taken goes there. An integer
multiply, if the float pipe does those, needs the first half, which NVIDIA calls FMA-heavy; the other is FMA-lite.

Sources: NVIDIA, "Tesla V100 GPU architecture", 2017 (four parts, separate integer and float pipes); "NVIDIA Ampere GA102 GPU
architecture", 2020 (a pipe for both); Huerta et al., "Analyzing modern NVIDIA GPU cores", MICRO 2025 (intervals, the queue before
the load/store unit); NVIDIA, Nsight Compute, "Kernel profiling guide", pipelines (FMA-heavy multiplies integers, FMA-lite does not).
"""

from __future__ import annotations

import numpy as np

from warploom.isa.schedule import ROLE_ROOM
from warploom.isa.uop import FLOAT, HEAVY, MEMORY, PORTS, SHARED, SLOTS
from warploom.machine.engine.bits import EMPTY, bit, has, lowest, rest
from warploom.machine.engine.comparators import PLACES, exceeding
from warploom.machine.engine.sizes import MAX_SCHEDULERS
from warploom.machine.engine.unit import FOREVER, inlined, out_of_line, record

LATENCY_CLASSES = ROLE_ROOM  # room for the latency classes of `isa/uop.py`, and for the roles of `isa/schedule.py`
assert SLOTS < PLACES  # a pipe more wants wider comparators; units of the whole core are not compared

Partitions = record(
    settings=dict(
        own="i8",                                   # 1: each scheduler has its own pipes; 0: they share the ALUs of the core
        other_half="u8",                            # the pipe that takes float instructions too: bit p = pipe p; 0: there is none
        interval=("i8", len(PORTS)),                # cycles that an instruction keeps the entry of a pipe without latency classes
        hold=("i8", LATENCY_CLASSES),               # the same for arithmetic, by latency class
        sequences="u8",                             # latency classes whose operations are sequences: bit c = class c
        load=("i8", (LATENCY_CLASSES, PLACES)),     # [class, port] cycles that one keeps a pipe beside the one that takes it,
                                                    # [class, SLOTS] issue slots beside the one in which it is issued
        both="u8",                                   # roles that keep both halves of the float pipe: bit r = role r
        early=("i8", LATENCY_CLASSES),               # by role: cycles that the next one is issued before its pipe is free
        serves=("i8", LATENCY_CLASSES),              # by role: cycles that it keeps the port behind its pipe; 0: none
        ways=("i8", (LATENCY_CLASSES, 2)),           # by role: cycles that it keeps the way of lanes' data in to that port, and out of it
        passes="u8",                                 # roles that take a pass for each value that lanes have: bit r = role r
        next_pass=("i8", LATENCY_CLASSES),           # by role: cycles more until the result of such an instruction for each further value
        room=("i8", PLACES),                         # cycles of waiting work that the queue before a pipe holds; SLOTS: so many slots
    ),
    state=dict(                                     # [scheduler], [scheduler, port]; in a mask of ports, bit p = port p
        full=("u8", MAX_SCHEDULERS),                # ports that take nothing in this cycle
        free=("i8", (MAX_SCHEDULERS, PLACES)),       # first cycle in which the entry of the pipe, and the queue before it, are empty;
                                                    # SLOTS: first cycle whose issue slot is not spoken for
        opens=("i8", (MAX_SCHEDULERS, PLACES)),      # by role: first cycle in which another one is issued to the pipe
        served=("i8", PLACES),                       # by pipe: first cycle in which the port behind it, of the whole core, is free
        way=("i8", 2),                               # first cycle in which the ways of lanes' data, in and out, are free
        starts=("i8", (MAX_SCHEDULERS, 8)),          # when each of the last in the queue to the port of memory is taken
        queued=("i8", MAX_SCHEDULERS),               # how many have been in it
    ),
    counters=dict(
        taken=("i8", (MAX_SCHEDULERS, len(PORTS))), # warp instructions that a pipe has taken
    ),
)  # fmt: skip


@inlined
def find_full_ports(partitions, number, now):
    """Find the ports of scheduler `number` that take no instruction in cycle `now`."""
    full = exceeding(partitions.free[number], partitions.room, now)
    if partitions.other_half != EMPTY:
        if has(full, FLOAT):
            full = full | bit(HEAVY)
        if full & partitions.other_half == EMPTY:
            full = full & ~bit(FLOAT)
    if has(full, MEMORY):
        full = full | bit(SHARED)
    partitions.full[number] = full


@inlined
def enter(partitions, number, port, cycles, now):
    """Put an instruction into a pipe of scheduler `number`, whose entry it keeps for some cycles. Returns the pipe."""
    pipe = np.int64(MEMORY if port == SHARED else port)
    if partitions.other_half != EMPTY:
        if port == HEAVY:
            pipe = np.int64(FLOAT)
        elif port == FLOAT and partitions.free[number, FLOAT] > now:
            pipe = np.int64(lowest(partitions.other_half))
    partitions.free[number, pipe] = max(np.int64(partitions.free[number, pipe]), np.int64(now)) + cycles
    partitions.taken[number, pipe] += 1
    return pipe


@inlined
def take_slot(partitions, number, now):
    """An instruction takes the issue slot of this cycle: what waits for slots comes a cycle later."""
    if partitions.free[number, SLOTS] > now:
        partitions.free[number, SLOTS] += 1


@inlined
def load_pipe(partitions, number, kind, pipe, now):
    """A sequence of latency class `kind` has more instructions for a pipe, or for SLOTS. Returns for how many cycles."""
    cycles = np.int64(partitions.load[kind, pipe])
    if cycles != 0:
        begin = now + 1 if pipe == SLOTS else now
        partitions.free[number, pipe] = max(np.int64(partitions.free[number, pipe]), np.int64(begin)) + cycles
    return cycles


@out_of_line
def next_entry(partitions, number, full):
    """The first cycle in which some port of scheduler `number` that is full takes an instruction. full: bit p = port p is."""
    soonest = np.int64(FOREVER)
    left = full
    while left != EMPTY:
        port = lowest(left)
        left = rest(left)
        pipe = np.int64(MEMORY if port == SHARED else FLOAT if port == HEAVY else port)
        soonest = min(soonest, np.int64(partitions.free[number, pipe] - partitions.room[pipe]))
        if port == FLOAT and partitions.other_half != EMPTY:
            soonest = min(soonest, np.int64(partitions.free[number, lowest(partitions.other_half)]))
    return soonest
