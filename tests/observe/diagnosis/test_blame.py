"""The first sentence: of eight kernels in Python, each slow for a reason of its own, it names that reason, its line and its measure."""

import re

import numpy as np
import pytest
from numba import float32

import warploom
from warploom import cuda
from warploom.observe.diagnosis.diagnosis import diagnose

ONES = np.ones(1 << 15, np.float32)


@cuda.jit
def strided(a, out):
    i = cuda.grid(1)
    out[i] = a[i * 16] + float32(1)  # scattered


@cuda.jit
def conflicting(a, out):
    tile = cuda.shared.array((32, 32), float32)
    lane, row = cuda.threadIdx.x, cuda.threadIdx.y
    tile[row, lane] = a[row * 32 + lane]
    cuda.syncthreads()
    total = float32(0)
    for k in range(32):
        total += tile[lane, (row + k) % 32]  # one bank
    out[row * 32 + lane] = total


@cuda.jit
def divergent(a, out):
    i = cuda.grid(1)
    x = a[i]
    if i % 8 == 0:  # parts the lanes
        for _ in range(60):
            x = x * float32(0.5) + float32(0.25)
    out[i] = x


@cuda.jit
def alone(a, out):
    i = cuda.grid(1)
    x = a[i]
    for _ in range(80):
        x = x * x + float32(0.25)
    out[i] = x


@cuda.jit
def serial(a, out):
    cuda.atomic.add(out, 0, a[cuda.grid(1)])  # one address


@cuda.jit
def waited_for(a, out):
    part = cuda.shared.array(256, float32)
    t = cuda.threadIdx.x
    part[t] = a[cuda.grid(1)]
    cuda.syncthreads()
    if t == 0:
        for k in range(1, 256):
            part[0] += part[k]
    cuda.syncthreads()  # seven warps wait for one
    out[cuda.grid(1)] = part[0]


@cuda.jit
def chained(a, out):
    i = cuda.grid(1)
    x, s = a[i], float32(0)
    for _ in range(300):
        s = s * x + float32(0.5)  # needs the s before it
    out[i] = s


@cuda.jit
def widened(a, out, n):
    i = cuda.grid(1)
    x = a[i]
    for _ in range(n):
        x = float32(x * 1.0001)  # a float64
    out[i] = x


PLANTED = {
    strided: (16, 128, (), "scattered", "a[i * 16]", r"\d\d % of the time warps wait for the loads of a at <line>: "
              "each moves 16 lines where 1 would do"),
    conflicting: (8, (32, 8), (), "bank conflicts", "tile[lane,", r"\d\d % of the time warps wait for the accesses to tile in "
                  r"shared memory at <line>: each takes 3\d(\.\d)? passes where 1 would do"),
    divergent: (64, 128, (), "divergence", "i % 8", r"\d\d % of the time is lost to lanes that are switched off: "
                r"they diverge at <line>, and line \d+ runs with 4 of 32 lanes"),
    alone: (1, 512, (), "few blocks", "range(80)", r"75 % of the cores have no block: "
            "the launch has 1 block for 4 cores, and the one that works spends most of the time at <line>"),
    serial: (64, 128, (), "atomics", "cuda.atomic", r"\d\d % of the run waits for the atomic operations at <line> .*: "
             "memory serves those of one element of out one by one"),
    waited_for: (16, 256, (), "barriers", "seven warps", r"\d\d % of the time warps wait at barriers, most at <line>: "
                 r"\d+(\.\d)? cycles each, for the last warp of their block, which is at line \d+, with 1 lane of 32"),
    chained: (4, 128, (), "latency", "needs the s", r"\d\d % of the time warps wait for results of the chain at <line>: "
              "each turn of the loop needs what the one before it computed"),
    widened: (64, 128, (30,), "doubles", "a float64", r"\d\d % of the time goes to 64-bit floats, most at <line>: "
              r"1\.0001 is a float64, .* \(2 conversions each time\)"),
}  # fmt: skip


@pytest.mark.parametrize("kernel", PLANTED, ids=lambda kernel: kernel.__name__)
@pytest.mark.filterwarnings("ignore")
def test_the_first_sentence_names_the_limiter_its_line_and_its_measure(kernel):
    blocks, threads, more, rule, text, said = PLANTED[kernel]
    cuda.use(warploom.GPU("h100", set={"gpu.cores": 4}))
    try:
        kernel[blocks, threads](ONES, np.zeros_like(ONES), *more)
    finally:
        cuda.use(None)
    found = kernel.result.profile()
    lines = found.program.source.lines
    line = next(number for number, one in enumerate(lines, 1) if text in one)
    first = diagnose(found)[0]
    assert first.rule == rule, first.what
    assert re.match(said.replace("<line>", f"line {line}"), first.what), first.what
