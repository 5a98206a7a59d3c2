"""What a mechanism costs in gates beside what it gains in cycles: schedulers, divergence, replacement, banks, channels."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from warploom.isa.numbers import grouped
from warploom.isa.program import Program
from warploom.isa.tiny import assemble
from warploom.isa.uop import SHARED_SPACE
from warploom.machine.config.presets import load_config
from warploom.machine.config.schema import Config
from warploom.study.experiments import divergence_mechanisms, replacement, two_level
from warploom.study.experiments.experiment import Claim, Experiment, Findings, Runner, checked
from warploom.study.experiments.mechanisms import FAST
from warploom.study.figure import Figure, Panel, Series
from warploom.study.gates import front_of
from warploom.study.kernels import FREE, LANE, Kernel
from warploom.study.sweep import Task
from warploom.study.table import Column, Table

LANES, WAYS, WORD = 8, 16, 4  # lanes of the machine with banks; ways of the one set of the cache; bytes
TINY = """
.threads 8
.data 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16
    MUL R0, %blockIdx, %blockDim
    ADD R0, R0, %threadIdx
    CONST R1, #8
    LDR R2, R0
    ADD R3, R0, R1
    LDR R4, R3
    MUL R2, R2, R4
    CONST R5, #32
    ADD R5, R5, R0
    STR R5, R2
    RET
"""


class Question(NamedTuple):
    """A choice among mechanisms. setting: what chooses. over: its values. program, machine: what they are tried on."""

    kind: str
    setting: str
    over: tuple[Any, ...]
    program: Callable[[], Program]
    preset: str
    machine: dict[str, Any]

    def configs(self) -> list[Config]:
        """The machines."""
        return [load_config(self.preset, self.machine | {self.setting: value}) for value in self.over]


def _loop() -> Program:
    return divergence_mechanisms.kernel(divergence_mechanisms.short_circuit).program("short-circuit", threads=32, block=32)


def _reuse() -> Program:
    order = replacement.reuse(6)
    return replacement.kernel(order).program("reuse", threads=32, block=32, memory_bytes=(max(order) + 1) * replacement.LINE)


def _strided() -> Program:
    """Loads from shared memory with a stride of two words."""
    k = Kernel()
    address, value = FREE, FREE + 1
    k.op("mul", address, LANE, imm=2 * WORD)
    for number in range(16):
        k.load(value, address, offset=number * WORD, space=SHARED_SPACE)
        k.op("add", address, address, value)
    k.exit()
    return k.program("strided", threads=LANES, block=LANES, shared_bytes=256)


def _compute_then_load() -> Program:
    return two_level.kernel().program("compute-then-load", threads=two_level.WARPS * two_level.LANES, block=two_level.LANES)


QUESTIONS = (
    Question(
        "scheduler", "core.scheduler", ("round_robin", "oldest", "greedy_oldest", "two_level", "vortex"), _compute_then_load,
        "sm", two_level.MACHINE,
    ),
    Question("divergence", "core.divergence", ("stack", "minpc"), _loop, "sm", FAST | {"core.stack_depth": 8, "core.warps": 1}),
    Question(
        "replacement", "l1.replacement", ("lru", "fifo", "plru", "random"), _reuse, "sm", replacement.MACHINE | {"l1.sets": 1},
    ),
    Question(
        "banks", "shared.banks", (2, 4, 8), _strided, "sm",
        {"core.lanes": LANES, "shared.bytes": 1024, "shared.unified": 0, "fetch.buffer": 0},
    ),
    Question("channels", "memory.data_channels", (1, 2, 4, 8), lambda: assemble(TINY, path="products.asm"), "tiny", {}),
)  # fmt: skip


def measure(run: Runner) -> Findings:
    """Cycles and gates of every mechanism."""
    from warploom.rtl.prices import cost_of_choices

    rows: list[dict[str, Any]] = []
    for question in QUESTIONS:
        configs = question.configs()
        outcomes = checked(question.over, run([Task(question.program(), config) for config in configs]))
        found = []
        for value, config, outcome in zip(question.over, configs, outcomes, strict=True):
            costs = cost_of_choices(config, [question.setting])
            row = {"kind": question.kind, "value": str(value), "status": outcome.status, "cycles": outcome.cycles}
            row |= {name: sum(cost.count * getattr(cost, name) for cost in costs) for name in ("transistors", "flip_flops", "luts")}
            found.append(row | {"depth": max(cost.depth for cost in costs), "cost_transistors": 0, "front": None})
        for row in found:
            row["cost_transistors"] = row["transistors"]
        for row in front_of(found):
            row["front"] = "yes"
        rows += found
    columns = (
        Column("kind", "choice"), Column("value", "mechanism"), Column("cycles", "cycles"), Column("transistors", "transistors"),
        Column("flip_flops", "FF"), Column("luts", "LUT4"), Column("depth", "depth"), Column("front", "front"),
    )  # fmt: skip
    notes = (
        "transistors, FF, LUT4: all of the machine's; depth: gates in a row; front: no other one of the choice has as few cycles and "
        "transistors; of these descriptions, by one script (warploom cost --script), never the area or the clock of a product",
    )
    return Findings(Table(rows, columns, notes), _figure(rows), _claims(rows))


def _figure(rows: list[dict[str, Any]]) -> Figure:
    panels = []
    for question in QUESTIONS:
        mine = [row for row in rows if row["kind"] == question.kind]
        best = front_of(mine)
        line = Series("front", tuple(row["transistors"] for row in best), tuple(row["cycles"] for row in best))
        points = (Series(row["value"], (row["transistors"],), (row["cycles"],)) for row in mine)
        panels.append(Panel(question.kind, "transistors", "cycles", (line, *points), kind="points"))
    return Figure("Cycles gained beside gates paid", tuple(panels), columns=3)


def _claims(rows: list[dict[str, Any]]) -> tuple[Claim, ...]:
    of = {(row["kind"], row["value"]): row for row in rows}
    lru, tree = of["replacement", "lru"], of["replacement", "plru"]
    oldest, robin = of["scheduler", "oldest"], of["scheduler", "round_robin"]
    stack, minpc = of["divergence", "stack"], of["divergence", "minpc"]
    pairs = two_level.WARPS * (two_level.WARPS - 1) // 2
    return (
        Claim(
            "flip-flops of an age matrix for 32 warps",
            f"one for each pair: {pairs} (Preston et al. 2002)",
            f"{oldest['flip_flops']}; {grouped(oldest['transistors'])} transistors, depth {oldest['depth']}, "
            f"and round robin {grouped(robin['transistors'])}, depth {robin['depth']}",
            "the matrix is the policy's whole state: it must be exact",
        ),
        Claim(
            f"flip-flops of tree pseudo-LRU for {WAYS} ways",
            f"one less than ways: {WAYS - 1} (So and Rechtschaffen 1988)",
            f"{tree['flip_flops']}; exact LRU as a matrix {lru['flip_flops']}",
            "the tree has that many nodes: it must be exact",
        ),
        Claim(
            "minimum PC needs no stack, and joins lanes earlier",
            "a PC per lane and a comparator tree in place of the stack (Collange 2011)",
            f"{minpc['cycles']} cycles for {grouped(minpc['transistors'])} transistors, the stack {stack['cycles']} for "
            f"{grouped(stack['transistors'])}",
            "PCs of 16 bits for 32 lanes against a stack of 8 entries, all in flip-flops: a stack in an SRAM would be smaller",
        ),
    )


EXPERIMENT = Experiment(
    "mechanism-cost",
    "What a mechanism costs",
    "Which mechanism is worth its gates?",
    "R. P. Preston et al., ISSCC 2002: age matrix; K. So and R. N. Rechtschaffen, IEEE Transactions on Computers 1988: tree pseudo-LRU; "
    'S. Collange, "Stack-less SIMT reconvergence at low cost", 2011',
    "Each choice on a kernel that feels it: a scheduler for 32 warps, divergence of 32 lanes, replacement in a set of 16 ways, banks for 8 "
    "lanes, channels of tiny-gpu. Gates by Yosys, from hardware that stands beside the running model.",
    measure,
)
