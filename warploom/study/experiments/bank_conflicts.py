"""Passes that a warp's access to shared memory takes, by the distance between its lanes' words."""

from __future__ import annotations

from math import gcd

from warploom.isa.uop import SHARED_SPACE
from warploom.machine.config.presets import load_config
from warploom.study.experiments.experiment import Claim, Experiment, Findings, Runner, checked
from warploom.study.figure import Figure, Panel, Series
from warploom.study.kernels import FREE, LANE, Kernel
from warploom.study.sweep import Task
from warploom.study.table import Column, Table

STRIDES = tuple(range(34))  # words
WORD, LANES, BANKS = 4, 32, 32
LOADS = 32
SHARED_BYTES = max(STRIDES) * LANES * WORD + LOADS * WORD


def kernel(stride: int) -> Kernel:
    """Loads whose lanes' words are `stride` apart, each waiting for the one before."""
    k = Kernel()
    address, value = FREE, FREE + 1
    k.op("mul", address, LANE, imm=stride * WORD)
    for number in range(LOADS):
        k.load(value, address, offset=number * WORD, space=SHARED_SPACE)
        k.op("add", address, address, value)  # shared memory is all zeros: only the waiting is wanted
    k.exit()
    return k


def rule(stride: int) -> int:
    """The published rule: lanes that share a bank are served one after another; the same word for all is one pass."""
    return gcd(stride, BANKS) if stride else 1


def measure(run: Runner) -> Findings:
    """Passes and cycles for each stride."""
    config = load_config("sm", {"fetch.buffer": 0})  # instructions are always there: nothing else to wait for
    tasks = [
        Task(kernel(stride).program(f"stride-{stride}", threads=LANES, block=LANES, shared_bytes=SHARED_BYTES), config)
        for stride in STRIDES
    ]
    rows = []
    for stride, outcome in zip(STRIDES, checked(STRIDES, run(tasks)), strict=True):
        passes = outcome.counters["shared_passes"] / outcome.counters["accesses"]
        rows.append({"stride": stride, "passes": passes, "rule": rule(stride), "cycles": outcome.cycles, "each": outcome.cycles / LOADS})
    table = Table(
        rows,
        (
            Column("stride", "stride (words)"),
            Column("passes", "passes per load"),
            Column("rule", "gcd(stride, 32)"),
            Column("cycles", "cycles"),
            Column("each", "cycles per load", 1),
        ),
    )
    names = tuple(str(stride) for stride in STRIDES)
    figure = Figure(
        "Shared memory: lanes that want one bank are served one after another",
        (
            Panel(
                "", "stride between lanes (4-byte words); 0: all lanes read one word", "passes per load",
                (
                    Series("this machine", names, tuple(table["passes"])),
                    Series("published: gcd(stride, 32)", names, tuple(table["rule"]), published=True),
                ),
                kind="bar",
            ),
        ),
        wide=True,
    )  # fmt: skip
    wrong = sum(row["passes"] != row["rule"] for row in rows)
    cost = (rows[32]["cycles"] - rows[1]["cycles"]) / LOADS
    return Findings(
        table,
        figure,
        (
            Claim("strides from 0 to 33 that do not keep the rule", "0", str(wrong), "a count of banks: it must be exact"),
            Claim("stride 32, a column of a matrix 32 wide", "32 passes", f"{rows[32]['passes']:g} passes", "all lanes meet in one bank"),
            Claim(
                "stride 33, the same column with one word of padding a row",
                "1 pass",
                f"{rows[33]['passes']:g} pass",
                "33 and 32 have no common divisor: the cure of the transpose example",
            ),
            Claim(
                "what a 32-way conflict adds to a load",
                "31 passes",
                f"{cost:g} cycles",
                "a pass takes a cycle in this machine",
            ),
        ),
    )


EXPERIMENT = Experiment(
    "bank-conflicts",
    "Bank conflicts: passes per load by stride",
    "How many passes does a load from shared memory take at each stride between its lanes' words?",
    "NVIDIA, CUDA C++ Best Practices Guide, on shared memory: 32 banks of 4-byte words; strides with a common divisor with 32 conflict",
    f"One warp makes {LOADS} dependent loads from shared memory on the preset sm with all instructions at hand, "
    "for each stride from 0 to 33.",
    measure,
)
