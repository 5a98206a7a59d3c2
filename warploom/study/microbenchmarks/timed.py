"""The frame of a timed kernel: everything runs once to fill the caches, and then between two looks at the clock.

Two lengths of the same body are timed and subtracted, so what a loop, a clock and a barrier cost falls out of the result.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from warploom.isa.program import Program
from warploom.study.kernels import FREE, GLOBAL, Kernel
from warploom.study.microbenchmarks.bench import Bench

BEGIN, END, LEFT, PASS, ROUNDS, OUT = range(FREE, FREE + 6)
BODY = OUT + 1  # the first register that a body may use
WORD = 4
PAGE = 1 << 16  # data begin at a multiple, above the threads' clocks

Body = Callable[[Kernel, int], None]


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

    prepare: emits what comes first. data: words from `data_base(threads)` on. warm: rounds that run before. together: the block's warps
    wait for one another before the clock is read. awaited: registers that loads write, for all of which the second look waits.
    """
    k = Kernel()
    k.op("mul", OUT, GLOBAL, imm=2 * WORD)
    if prepare:
        prepare(k)
    k.mov(PASS, min(warm, 1))
    k.mov(ROUNDS, warm or rounds)
    k.label("PASS")
    if together and block > 1:
        k.barrier()
    k.op("add", LEFT, ROUNDS, imm=0)
    k.special(BEGIN, "cycle")
    k.label("ROUND")
    body(k, count)
    k.op("sub", LEFT, LEFT, imm=1)
    k.branch(LEFT, "ROUND")
    for register in awaited:
        k.op("add", register, register, imm=0)
    k.special(END, "cycle")
    k.branch(PASS, "AGAIN")
    k.store(OUT, BEGIN)
    k.store(OUT, END, offset=WORD)
    k.exit()
    k.label("AGAIN")
    k.mov(PASS, 0)
    k.mov(ROUNDS, rounds)
    k.jump("PASS")
    base = data_base(threads)
    words = None
    if data is not None:
        words = np.concatenate([np.zeros(base // WORD, np.uint32), data.astype(np.uint32)])
    size = max(memory_bytes, base, 0 if words is None else words.nbytes)
    return k.program(name, threads=threads, block=block, data=words, memory_bytes=size, shared_bytes=shared_bytes)


def span(bench: Bench, program: Program) -> int:
    """Cycles from the first thread's first look at the clock to the last one's second."""
    threads = program.launch.threads
    clocks = bench.run(program).words[: 2 * threads].reshape(threads, 2)
    return int(clocks[:, 1].max()) - int(clocks[:, 0].min())


def each(bench: Bench, body: Body, count: int, *, rounds: int = 1, **frame: object) -> float:
    """Cycles that one of a body's operations takes: the difference of 2 x count and count, over all rounds."""
    short, long = (span(bench, timed(body, n, rounds=rounds, **frame)) for n in (count, 2 * count))  # type: ignore[arg-type]
    return (long - short) / (count * rounds)
