"""The frame of a timed kernel: everything runs before to fill the caches, and then between two looks at the clock.

Two lengths of the same body are timed and subtracted, so what a loop, a clock and a barrier cost falls out of the result: if it is the
same for both. So what runs before runs twice, for the first jump back comes from code that has not been fetched before, and its cycles
depend on where in a cache line it lies; and nothing of it may be on its way when the clock is read.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import combinations
from statistics import median
from typing import Any

import numpy as np

from warploom.isa.program import Program
from warploom.machine.config.derived import fetch_interval
from warploom.machine.config.schema import Config
from warploom.study.kernels import FREE, GLOBAL, Kernel
from warploom.study.microbenchmarks.bench import Bench

BEGIN, END, LEFT, PASS, ROUNDS, OUT = range(FREE, FREE + 6)
BODY = OUT + 1  # the first register that a body may use
WORD = 4
PAGE = 1 << 16  # data begin at a multiple, above the threads' clocks

Body = Callable[[Kernel, int], None]


def limited_by_fetching(config: Config) -> bool:
    """Whether warps wait for their next instruction: then what they move in a cycle says how they are fetched, and not what serves them."""
    return fetch_interval(config) > 1


def data_base(threads: int) -> int:
    """Where data may begin: after the two clocks that each thread writes."""
    return -(-2 * WORD * threads // PAGE) * PAGE


def timed(
    body: Body,
    count: int,
    *,
    threads: int,
    block: int,
    rounds: int = 1,
    prepare: Callable[[Kernel], None] | None = None,
    shared_bytes: int = 0,
    memory_bytes: int = 0,
    data: np.ndarray | None = None,
    warm: int = 1,
    together: bool = True,
    awaited: Sequence[int] = (),
    name: str = "timed",
) -> Program:
    """A kernel that times `rounds` rounds of body(kernel, count) and writes both clocks of each thread.

    prepare: emits what comes first. data: words from `data_base(threads)` on. warm: rounds that run before, and `rounds` more; 0: none.
    together: the block's warps wait for one another before the clock is read. awaited: registers that the body writes last: both looks
    wait for them.
    """
    k = Kernel()
    k.op("mul", OUT, GLOBAL, imm=2 * WORD)
    if prepare:
        prepare(k)
    k.mov(PASS, 2 if warm else 0)
    k.mov(ROUNDS, warm or rounds)
    k.label("PASS")
    wait_for(k, awaited)
    if together and block > 1:
        k.barrier()
    k.op("add", LEFT, ROUNDS, imm=0)
    k.special(BEGIN, "cycle")
    k.label("ROUND")
    body(k, count)
    k.op("sub", LEFT, LEFT, imm=1)
    k.branch(LEFT, "ROUND")
    wait_for(k, awaited)
    k.special(END, "cycle")
    k.branch(PASS, "AGAIN")
    k.store(OUT, BEGIN)
    k.store(OUT, END, offset=WORD)
    k.exit()
    k.label("AGAIN")
    k.op("sub", PASS, PASS, imm=1)
    k.mov(ROUNDS, rounds)
    k.jump("PASS")
    base = data_base(threads)
    words = None
    if data is not None:
        words = np.concatenate([np.zeros(base // WORD, np.uint32), data.astype(np.uint32)])
    size = max(memory_bytes, base, 0 if words is None else words.nbytes)
    return k.program(name, threads=threads, block=block, data=words, memory_bytes=size, shared_bytes=shared_bytes)


def wait_for(k: Kernel, registers: Sequence[int]) -> None:
    """Nothing that comes next issues before these have their values."""
    for register in registers:
        k.op("add", register, register, imm=0)


def span(bench: Bench, program: Program) -> int:
    """Cycles from the first thread's first look at the clock to the last one's second."""
    threads = program.launch.threads
    clocks = bench.run(program).words[: 2 * threads].reshape(threads, 2)
    return int(clocks[:, 1].max()) - int(clocks[:, 0].min())


def each(bench: Bench, body: Body, count: int, *, rounds: int = 1, **frame: Any) -> float:
    """Cycles that one of a body's operations takes: the difference of 2 x count and count, over all rounds."""
    return each_by_lengths(bench, body, (count, 2 * count), rounds=rounds, **frame)


def each_by_lengths(bench: Bench, body: Body, lengths: Sequence[int], *, rounds: int = 1, **frame: Any) -> float:
    """The same from lengths of the body: of several the difference that most pairs of them agree on.

    Where many warps run, a length may end a few cycles later than the others, by how its last instructions lie in their cache lines.
    """
    spans = [span(bench, timed(body, length, rounds=rounds, **frame)) for length in lengths]
    slopes = [Fraction(last - first, b - a) for (a, first), (b, last) in combinations(zip(lengths, spans, strict=True), 2)]
    agreed, pairs = Counter(slopes).most_common(1)[0]
    return float(agreed if pairs > 1 else median(slopes)) / rounds
