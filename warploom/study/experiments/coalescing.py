"""Sectors that a warp's load touches, by the distance between its lanes' words."""

from __future__ import annotations

from warploom.machine.config.presets import load_config
from warploom.study.experiments.experiment import Claim, Experiment, Findings, Runner, checked
from warploom.study.figure import Figure, Panel, Series
from warploom.study.kernels import FREE, GLOBAL, Kernel
from warploom.study.sweep import Task
from warploom.study.table import Column, Table

STRIDES = (1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 24, 32)  # words
WORD, LANES, SECTOR = 4, 32, 32
LOADS = 8  # of each warp
WARPS = 8
PUBLISHED = {1: 4, 2: 8, 4: 16, 8: 32, 16: 32, 32: 32}  # CUDA C++ Best Practices Guide: 32-byte sectors of 32 words


def kernel(stride: int) -> Kernel:
    """Every lane loads words `stride` apart from its neighbours', each time from memory that nobody has touched."""
    k = Kernel()
    address = FREE
    k.op("mul", address, GLOBAL, imm=stride * WORD)
    for number in range(LOADS):
        k.load(address + 1 + number, address, offset=number * WARPS * LANES * stride * WORD)
    k.exit()
    return k


def measure(run: Runner) -> Findings:
    """Sectors, bytes moved and cycles for each stride."""
    config = load_config("sm", {"dram.refresh_interval": 0})  # a refresh that happens to come would look like a stride's cost
    memory = LOADS * WARPS * LANES * max(STRIDES) * WORD
    threads = WARPS * LANES
    tasks = [
        Task(kernel(stride).program(f"stride-{stride}", threads=threads, block=threads, memory_bytes=memory), config) for stride in STRIDES
    ]
    rows = []
    for stride, outcome in zip(STRIDES, checked(STRIDES, run(tasks)), strict=True):
        counters = outcome.counters
        requests, sectors = counters["accesses"], counters["sectors"]
        rows.append(
            {
                "stride": stride,
                "sectors": sectors / requests,
                "rule": min(LANES, LANES * WORD * stride // SECTOR),
                "lines": counters["transactions"] / requests,
                "efficiency": requests * LANES * WORD / (sectors * SECTOR),
                "cycles": outcome.cycles,
            }
        )
    table = Table(
        rows,
        (
            Column("stride", "stride (words)"),
            Column("sectors", "sectors per request"),
            Column("rule", "the rule"),
            Column("lines", "lines per request"),
            Column("efficiency", "bytes used, of those moved", percent=True),
            Column("cycles", "cycles"),
        ),
    )
    ours = dict(zip(table["stride"], table["sectors"], strict=True))
    x = tuple(STRIDES)
    figure = Figure(
        "Coalescing: neighbours should want neighbours",
        (
            Panel(
                "what one load of a warp costs", "stride between lanes (4-byte words)", "sectors per request (32 bytes each)",
                (
                    Series("this machine", x, tuple(table["sectors"])),
                    Series("published: CUDA Best Practices Guide", tuple(PUBLISHED), tuple(PUBLISHED.values()), published=True),
                ),
                log_x=True, ticks=(1, 2, 4, 8, 16, 32),
            ),
            Panel(
                "what it does to the kernel", "stride between lanes (4-byte words)", f"cycles ({WARPS} warps, {LOADS} loads each)",
                (Series("this machine", x, tuple(table["cycles"])),), log_x=True, ticks=(1, 2, 4, 8, 16, 32),
            ),
        ),
    )  # fmt: skip
    worst = max(abs(ours[stride] - sectors) for stride, sectors in PUBLISHED.items())
    return Findings(
        table,
        figure,
        (
            Claim(
                "sectors per request at unit stride",
                "4",
                f"{ours[1]:g}",
                "32 lanes x 4 bytes are 128 bytes, four sectors of 32: a count, not a measurement, so it must be exact",
            ),
            Claim("sectors per request at a stride of 8 words or more", "32", f"{ours[8]:g}", "every lane is alone in its sector"),
            Claim("largest difference from the published counts", "0", f"{worst:g}", "the same rule in both"),
            Claim(
                "from a stride of 8 on, it gets no worse",
                "sectors stay at 32",
                f"sectors {ours[32]:g}; cycles go from {rows[STRIDES.index(8)]['cycles']} (stride 8) to {rows[-1]['cycles']} (stride 32)",
                "a request goes to more lines, but memory moves the same sectors, and memory decides",
            ),
        ),
    )


EXPERIMENT = Experiment(
    "coalescing",
    "Coalescing: sectors per request by stride",
    "What does a warp's load cost at each stride between its lanes' words?",
    "NVIDIA, CUDA C++ Best Practices Guide, on strided access: 4 sectors of 32 bytes at unit stride, 32 from a stride of 8 words on",
    f"{WARPS} warps load {LOADS} words per lane from untouched memory on the preset sm, without refreshes; "
    "the lanes' words are STRIDE words apart.",
    measure,
)
