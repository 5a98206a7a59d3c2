"""What divergence costs by the width of a warp, when neighbours' work is in random order and when it is sorted."""

from __future__ import annotations

from warploom.isa import guppy
from warploom.isa.numbers import percentage
from warploom.isa.program import Program
from warploom.machine.config.presets import load_config
from warploom.study.experiments.experiment import Claim, Experiment, Findings, Runner, checked
from warploom.study.figure import Figure, Panel, Series
from warploom.study.sweep import Task
from warploom.study.table import Column, Table

THREADS = 256
WIDTHS = (1, 2, 4, 8, 16, 32, 64)
ORDERS = ("random", "sorted")
# The article's figures 8 and 9, read off: cost relative to a width of 1.
PUBLISHED = {"random": {8: 1.72, 16: 1.85, 32: 1.90}, "sorted": {8: 1.03, 16: 1.06, 32: 1.12}}
# Cycles of the article's own simulator with one ALU and one fetch unit, for random counts of its own: recorded runs.
SIMULATOR = {
    "random": {8: 27988, 16: 15016, 32: 7840, 64: 4096},
    "sorted": {8: 16928, 16: 8696, 32: 4612, 64: 2580},
}
KERNEL = """
    mul.u32 r0.x, thread_id, u(4)
    ld r1.x, t0.x, r0.x             ; iterations that this lane needs
    mov r2.x, u(0)
    push_mask DONE
LOOP:
    lt.u32 r3.x, r2.x, r1.x
    mask_nz r3.x
    add.u32 r2.x, r2.x, u(1)
    jmp LOOP
DONE:
    ret
"""


def program(order: str, width: int) -> Program:
    """256 threads, each with a number of turns from 0 to 255; a group is a warp."""
    text = f".threads {THREADS}\n.group {width}\n.buffer t0 {THREADS} {order} 0 255\n{KERNEL}"
    return guppy.assemble(text, f"{order}-{width}")


def measure(run: Runner) -> Findings:
    """Lane slots paid for, for each useful one, and cycles; both orders, all widths."""
    points = [(order, width) for order in ORDERS for width in WIDTHS]
    tasks = [
        Task(program(order, width), load_config("guppy", {"core.lanes": width, "core.warps": min(64, THREADS // width)}))
        for order, width in points
    ]
    found = dict(zip(points, checked(points, run(tasks)), strict=True))
    rows = []
    for width in WIDTHS:
        row: dict[str, object] = {"width": width}
        for order in ORDERS:
            counters = found[order, width].counters
            row[f"{order}_cost"] = counters["instructions"] * width / counters["thread_instructions"]
            row[f"{order}_published"] = PUBLISHED[order].get(width)
            row[f"{order}_cycles"] = counters["cycles"]
        row["gain"] = found["random", width].cycles / found["sorted", width].cycles
        row["simulator_gain"] = SIMULATOR["random"][width] / SIMULATOR["sorted"][width] if width in SIMULATOR["random"] else None
        rows.append(row)
    table = Table(
        rows,
        (
            Column("width", "lanes"),
            Column("random_cost", "random: cost", 2),
            Column("random_published", "published", 2),
            Column("sorted_cost", "sorted: cost", 2),
            Column("sorted_published", "published", 2),
            Column("random_cycles", "random: cycles"),
            Column("sorted_cycles", "sorted: cycles"),
            Column("gain", "sorting gains", 2),
            Column("simulator_gain", "published", 2),
        ),
        ("cost: lane slots that are paid for, for each one that does useful work; 1 at a width of 1",),
    )
    return Findings(table, _figure(table), _claims(table))


def _figure(table: Table) -> Figure:
    cost = [Series(f"{order}, this machine", WIDTHS, tuple(table[f"{order}_cost"])) for order in ORDERS]
    cost += [
        Series(f"{order}, published (figures 8, 9)", tuple(PUBLISHED[order]), tuple(PUBLISHED[order].values()), published=True)
        for order in ORDERS
    ]
    widths = tuple(SIMULATOR["random"])
    ratios = tuple(SIMULATOR["random"][width] / SIMULATOR["sorted"][width] for width in widths)
    return Figure(
        "What divergence costs: 256 threads, 0 to 255 iterations each",
        (
            Panel("what is paid", "lanes per warp", "lane slots for each useful one", tuple(cost), log_x=True, ticks=WIDTHS),
            Panel(
                "what sorting gains", "lanes per warp", "cycles random / cycles sorted",
                (Series("this machine", WIDTHS, tuple(table["gain"])), Series("the article's simulator", widths, ratios, published=True)),
                log_x=True, ticks=WIDTHS,
            ),
        ),
    )  # fmt: skip


def _claims(table: Table) -> tuple[Claim, ...]:
    rows = {row["width"]: row for row in table}
    claims = [
        Claim(
            f"cost of {order} work at widths 8, 16, 32",
            " / ".join(f"{cost:.2f}" for cost in PUBLISHED[order].values()),
            " / ".join(f"{rows[width][f'{order}_cost']:.2f}" for width in PUBLISHED[order]),
            why,
        )
        for order, why in (
            ("random", "other random numbers; ours counts every instruction, the article only the loop's iterations"),
            ("sorted", "as above; the first and last iterations of a loop and the code around it weigh little"),
        )
    ]
    simulator = {width: SIMULATOR["random"][width] / SIMULATOR["sorted"][width] for width in SIMULATOR["random"]}
    return (
        *claims,
        Claim(
            "most of the cost is there at 8 lanes",
            f"{percentage(PUBLISHED['random'][8] / PUBLISHED['random'][32])} of the cost at 32",
            f"{percentage(rows[8]['random_cost'] / rows[32]['random_cost'])} of the cost at 32",
            "the longest of 8 random numbers is already near the longest of all: narrower warps help only when they are very narrow",
        ),
        Claim(
            "sorting makes it faster by, at widths 8, 16, 32, 64",
            " / ".join(f"{gain:.2f}" for gain in simulator.values()),
            " / ".join(f"{rows[width]['gain']:.2f}" for width in simulator),
            "published: cycles of the article's simulator, one ALU, one fetch unit; the same machine here, with other random numbers",
        ),
    )


EXPERIMENT = Experiment(
    "divergence-width",
    "The cost of divergence by the width of a warp",
    "How much slower is a warp whose lanes need different numbers of iterations, and does sorting help?",
    'A. Kozlov, "What\'s up with my branch on GPU?", figures 8 and 9',
    "256 threads take 0 to 255 iterations of a loop, in random and in ascending order, on the article's machine (preset guppy).",
    measure,
)
