"""Register banks: what operands of one bank cost, and what the reuse cache saves.

Register r lies in bank r modulo 2, as was found on every GPU since Volta. A kernel is named by how many operands of an instruction are
in one bank; no instruction reads a register in the place in which the one before has read it, unless the kernel is about that.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from warploom.machine.config.schema import Config
from warploom.study.kernels import Kernel
from warploom.study.microbenchmarks.bench import Bench
from warploom.study.microbenchmarks.core.throughput import instructions_a_cycle
from warploom.study.microbenchmarks.microbenchmark import Finding, Microbenchmark, Reading
from warploom.study.microbenchmarks.timed import BODY, each

COUNT = 64
EVEN, ODD = range(BODY, BODY + 8, 2), range(BODY + 1, BODY + 9, 2)  # sources, in either bank
RESULTS = range(BODY + 8, BODY + 16)
TURN = len(EVEN)  # instructions until the sources come again


class Case(NamedTuple):
    """A kernel of one operation. words: of the table. banks: of each operand, by instruction in turn. repeats: its sources never change."""

    operation: str
    words: str
    banks: tuple[str, ...]
    repeats: bool = False


CASES = {
    "fma-3": Case("fma", "multiply-add, 3 of one bank", ("000",)),
    "fma-2": Case("fma", "multiply-add, 2 of one bank", ("001",)),
    "fma-1.5": Case("fma", "multiply-add, 2 of either in turn", ("001", "110")),
    "fma-reuse": Case("fma", "multiply-add, 3 of one, repeated", ("000",), repeats=True),
    "fmul-2": Case("fmul", "float multiply, 2 of one bank", ("00",)),
    "fmul-1": Case("fmul", "float multiply, 1 of either", ("01",)),
    "integer-3": Case("shrd", "integer, 3 of one bank", ("000",)),
    "integer-2": Case("shrd", "integer, 2 of one bank", ("001",)),
    "integer-reuse": Case("shrd", "integer, 3 of one, repeated", ("000",), repeats=True),
}
KIND = {"fma": "fma", "fmul": "fma", "shrd": "add"}  # of `throughput`, the operation of the same pipe


def sources(case: Case, number: int) -> list[int]:
    """The registers that instruction `number` of a kernel reads, in the places a, b and c. Its neighbours have others there."""
    banks = case.banks[number % len(case.banks)]
    turn = 0 if case.repeats else number
    return [(ODD if bank == "1" else EVEN)[(turn + place) % TURN] for place, bank in enumerate(banks)]


def cycles(bench: Bench, case: Case) -> float:
    """Cycles an instruction of one warp."""

    def body(k: Kernel, count: int) -> None:
        for number in range(count):
            a, b, *c = sources(case, number)
            k.op(case.operation, RESULTS[number % len(RESULTS)], a, b, **({"c": c[0]} if c else {}))

    lanes = bench.device.lanes
    return each(bench, body, COUNT, threads=lanes, block=lanes, awaited=RESULTS)


def measure(bench: Bench) -> Finding:
    """Every kernel."""
    return Finding(tuple(Reading(f"banks.{key}", f"{case.words}, cycles", cycles(bench, case)) for key, case in CASES.items()))


def configured(config: Config) -> Mapping[str, float]:
    """As fast as the pipe takes instructions, and the ports of each bank read what does not come from the reuse cache."""
    found = {}
    operands = config.operands
    for key, case in CASES.items():
        pipe = 1 / instructions_a_cycle(config, KIND[case.operation])[1]
        busiest = 0.0
        if operands.banks and not (case.repeats and operands.reuse):
            read = [register % operands.banks for number in range(TURN) for register in set(sources(case, number))]
            busiest = max(read.count(bank) for bank in range(operands.banks)) / (TURN * operands.reads)
        found[f"banks.{key}"] = max(pipe, busiest)
    return found


MICROBENCHMARK = Microbenchmark(
    "banks",
    "operands of one register bank, and reuse",
    "One warp issues independent operations whose source registers lie in one bank or in both.",
    measure,
    configured,
)
