"""Streams over memory, which the probes of bandwidth share: every warp of a launch moves lines, and moves on."""

from __future__ import annotations

from warploom.study.kernels import GLOBAL, Kernel
from warploom.study.microbenchmarks.bench import Bench
from warploom.study.microbenchmarks.timed import BODY, WORD, data_base, each

ADDRESS, SCRATCH = BODY, BODY + 1
COUNT = 8  # loads of a warp that are in flight, unless more are asked for
MOST = 16
VALUES = range(BODY + 2, BODY + 2 + MOST)  # registers that loads write in turn


def bytes_a_cycle(bench: Bench, *, cores: int, warps: int, within: int = 0, rounds: int = 4, in_flight: int = COUNT) -> float:
    """Bytes per cycle that `warps` warps on each of so many cores read, in rows of four bytes per lane.

    within: 0: each byte once, so that all come from memory; else the size of a buffer, a power of two, around which each core goes
    from a place of its own, once before the clock is read.
    """
    lanes = bench.device.lanes
    threads, row = cores * warps * lanes, WORD * lanes
    base = data_base(threads)
    step = row * (warps if within else cores * warps)

    def prepare(k: Kernel) -> None:
        if within:
            k.special(ADDRESS, "thread")
            k.op("mul", ADDRESS, ADDRESS, imm=WORD)
            k.special(SCRATCH, "block")
            k.op("mul", SCRATCH, SCRATCH, imm=within // cores // row * row)
            k.op("add", ADDRESS, ADDRESS, SCRATCH)
            wrap(k)
        else:
            k.op("mul", ADDRESS, GLOBAL, imm=WORD)
            k.op("add", ADDRESS, ADDRESS, imm=base)

    def wrap(k: Kernel) -> None:
        k.op("and", ADDRESS, ADDRESS, imm=within - 1)
        k.op("add", ADDRESS, ADDRESS, imm=base)

    def body(k: Kernel, count: int) -> None:
        for number in range(count):
            k.load(VALUES[number % in_flight], ADDRESS, offset=number * step)
        k.op("add", ADDRESS, ADDRESS, imm=count * step - (base if within else 0))
        if within:
            wrap(k)

    room = within + 2 * in_flight * step if within else 2 * in_flight * step * (rounds + 1)
    warm = -(-within // (in_flight * step)) if within else 0
    cost = each(
        bench, body, in_flight, rounds=rounds, threads=threads, block=warps * lanes, prepare=prepare, awaited=VALUES[:in_flight],
        memory_bytes=base + room, warm=warm, name="stream",
    )  # fmt: skip
    return cores * warps * row / cost


def core_counts(bench: Bench) -> list[int]:
    """Numbers of cores for a sweep: doubling, and all; one and all where it is to be quick."""
    every, count = [], 1
    while count < (2 if bench.quick and bench.device.cores > 1 else bench.device.cores):
        every.append(count)
        count *= 2
    return [*every, bench.device.cores]
