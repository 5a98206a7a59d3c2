"""Divergence mechanisms against each other, on kernels that diverge in different ways."""

from __future__ import annotations

from collections.abc import Callable
from statistics import geometric_mean
from types import MappingProxyType
from typing import Any

from warploom.machine.config.presets import load_config
from warploom.machine.core.divergence import MECHANISMS
from warploom.study.experiments.experiment import Claim, Experiment, Findings, Runner, Units, checked
from warploom.study.experiments.mechanisms import FAST, variants
from warploom.study.figure import Figure, Panel, Series
from warploom.study.kernels import FREE, GLOBAL, Kernel
from warploom.study.sweep import Outcome, Task
from warploom.study.table import Column, Table

LANES, WARPS, WORD = 32, 8, 4
TURNS = 16
PUBLISHED_DWF = 1.207  # Fung et al., abstract: dynamic warp formation over the stack, average
RANDOM, ADDRESS, A, B, TOTAL, TURN, INNER = range(FREE, FREE + 7)
Body = Callable[[Kernel], None]


def _begin() -> Kernel:
    """Every thread has a random number of its own, and turns to take."""
    k = Kernel()
    k.op("mul", ADDRESS, GLOBAL, imm=WORD)
    k.op("mul", RANDOM, GLOBAL, imm=0x9E3779B1)
    k.op("xor", RANDOM, RANDOM, imm=0x5BD1E995)
    k.mov(TURN, TURNS)
    return k


def _next(k: Kernel) -> None:
    """The next random number, its best bits lowest in A."""
    k.op("mul", RANDOM, RANDOM, imm=1664525)
    k.op("add", RANDOM, RANDOM, imm=1013904223)
    k.op("shr", A, RANDOM, imm=20)


def _work(k: Kernel, steps: int, number: int) -> None:
    for _ in range(steps):
        k.op("add", TOTAL, TOTAL, imm=number)


def if_else(k: Kernel) -> None:
    """A lane takes one side or the other, as a coin falls."""
    k.op("and", B, A, imm=1)
    k.branch(B, "ODD")
    _work(k, 12, 1)
    k.jump("JOIN")
    k.label("ODD")
    _work(k, 12, 2)
    k.label("JOIN")


def switch(k: Kernel) -> None:
    """One of four cases."""
    k.op("and", A, A, imm=3)
    for case in range(3):
        k.op("seq", B, A, imm=case)
        k.branch(B, f"CASE{case}")
    _work(k, 8, 3)
    k.jump("JOIN")
    for case in range(3):
        k.label(f"CASE{case}")
        _work(k, 8, 5 + case)
        k.jump("JOIN")
    k.label("JOIN")


def random_loop(k: Kernel) -> None:
    """0 to 7 turns of an inner loop."""
    k.op("and", INNER, A, imm=7)
    k.label("INNER")
    k.branch(INNER, "JOIN", unless=True)
    _work(k, 4, 1)
    k.op("sub", INNER, INNER, imm=1)
    k.jump("INNER")
    k.label("JOIN")


def break_continue(k: Kernel) -> None:
    """An inner loop that some lanes leave early and others cut short; all of them go back from the loop's end, as compilers lay it out."""
    _loop(k, "LATCH")


def continue_back(k: Kernel) -> None:
    """The same loop, but who cuts it short jumps straight back to its beginning."""
    _loop(k, "INNER")


def _loop(k: Kernel, on: str) -> None:
    k.mov(INNER, 6)
    k.label("INNER")
    k.branch(INNER, "JOIN", unless=True)
    k.op("sub", INNER, INNER, imm=1)
    k.op("mul", A, A, imm=5)
    k.op("and", B, A, imm=15)
    k.op("seq", B, B, imm=3)
    k.branch(B, "JOIN")
    k.op("and", B, A, imm=1)
    k.branch(B, on)
    _work(k, 5, 1)
    k.label("LATCH")
    k.jump("INNER")
    k.label("JOIN")


def short_circuit(k: Kernel) -> None:
    """if (a or b or c) work: the work has three ways in, and the stack cannot join lanes there."""
    for bit in (1, 2, 4):
        k.op("and", B, A, imm=bit)
        k.branch(B, "WORK")
    k.jump("JOIN")
    k.label("WORK")
    _work(k, 12, 1)
    k.label("JOIN")


def into_the_other(k: Kernel) -> None:
    """A side that jumps into the middle of the other one (goto): their common end lies before their post-dominator."""
    k.op("and", B, A, imm=1)
    k.branch(B, "ODD")
    _work(k, 4, 1)
    k.op("and", B, A, imm=2)
    k.branch(B, "SHARED")
    _work(k, 4, 2)
    k.jump("JOIN")
    k.label("ODD")
    _work(k, 4, 3)
    k.op("and", B, A, imm=4)
    k.branch(B, "JOIN")
    k.label("SHARED")
    _work(k, 12, 4)
    k.label("JOIN")


STRUCTURED: dict[str, Body] = {"if-else": if_else, "switch": switch, "loop": random_loop, "break": break_continue}
UNSTRUCTURED: dict[str, Body] = {"short circuit": short_circuit, "goto": into_the_other}
BACKWARDS: dict[str, Body] = {"continue": continue_back}
SUITE: dict[str, Body] = STRUCTURED | UNSTRUCTURED | BACKWARDS


def kernel(body: Body) -> Kernel:
    """A loop around a body; every thread stores what it has added up."""
    k = _begin()
    k.label("AGAIN")
    _next(k)
    body(k)
    k.op("sub", TURN, TURN, imm=1)
    k.branch(TURN, "AGAIN")
    k.store(ADDRESS, TOTAL)
    k.exit()
    return k


def measure(run: Runner, units: Units = MappingProxyType({})) -> Findings:
    """Cycles and active lanes of each kernel under each mechanism."""
    ways = variants() | {name: {} for name in units}
    threads = WARPS * LANES
    points = [(body, name) for body in SUITE for name in ways]
    tasks = [
        Task(
            kernel(SUITE[body]).program(body, threads=threads, block=threads, memory_bytes=threads * WORD),
            load_config("sm", FAST | ways[name]),
            units={"divergence": units[name]} if name in units else {},
        )
        for body, name in points
    ]
    found = dict(zip(points, checked(points, run(tasks)), strict=True))
    rows = []
    for body in SUITE:
        stack = found[body, "stack"]
        row: dict[str, Any] = {"kernel": body}
        for name in ways:
            row[f"{name}_cycles"] = found[body, name].cycles
            row[f"{name}_lanes"] = found[body, name].metrics["active_lanes"]
            row[f"{name}_speedup"] = stack.cycles / found[body, name].cycles
        # No mechanism can do better than every issue slot with all lanes active.
        row["limit"] = stack.cycles / (stack.counters["thread_instructions"] / LANES)
        rows.append(row)
    others = [name for name in ways if name != "stack"]
    columns = [Column("kernel", "kernel"), Column("stack_cycles", "stack: cycles")]
    columns += [Column(f"{name}_speedup", f"{name}: x", 2) for name in others]
    columns += [Column("limit", "limit: x", 2), Column("stack_lanes", "stack lanes", 1)]
    columns += [Column(f"{name}_lanes", name, 1) for name in others if name in MECHANISMS or name in units]
    notes = (
        "x: how much faster than stack; limit: if no lane ever waited for another; lanes: active an instruction, of 32",
        *(("dwf: the majority heuristic; dwf_time, dwf_pc: the time-stamp and the PC heuristic",) if "dwf" in ways else ()),
    )
    return Findings(Table(rows, tuple(columns), notes), _figure(rows, tuple(ways)), _claims(rows, tuple(ways), found))


def _figure(rows: list[dict[str, Any]], names: tuple[str, ...]) -> Figure:
    kernels = tuple(row["kernel"] for row in rows)
    speed = [Series(name, kernels, tuple(row[f"{name}_speedup"] for row in rows)) for name in names]
    speed.append(Series("if no lane ever waited", kernels, tuple(row["limit"] for row in rows), published=True))
    lanes = tuple(Series(name, kernels, tuple(row[f"{name}_lanes"] for row in rows)) for name in names)
    return Figure(
        "Divergence mechanisms on the same kernels",
        (
            Panel("speed", "", "times as fast as the stack", tuple(speed), kind="bar"),
            Panel("lanes", "", "active lanes per instruction (of 32)", lanes, kind="bar"),
        ),
    )


def _claims(rows: list[dict[str, Any]], names: tuple[str, ...], found: dict[tuple[str, str], Outcome]) -> tuple[Claim, ...]:
    memories = sum(found[body, name].memory != found[body, "stack"].memory for body, name in found)
    mean = {name: geometric_mean(row[f"{name}_speedup"] for row in rows) for name in names}
    claims = [
        Claim(
            "kernels on which a mechanism leaves different values in memory from the stack",
            "0",
            str(memories),
            "a mechanism is about time, not results",
        ),
        *_early_meetings(rows),
    ]
    if "dwf" in names:
        claims += _formed_warps(rows, mean)
    for name in ("minpc", "its"):
        why = "a mean over a suite of seven small kernels: it says as much about the suite as about the mechanism"
        claims.append(Claim(f"{name} over the stack, mean", "not published for these kernels", f"{mean[name]:.2f} times", why))
    ahead = geometric_mean(row["limit"] for row in rows)
    why = "every issue slot used with all 32 lanes: what a machine with a program counter a lane and no warps would need"
    claims.append(Claim("what is there to gain over the stack at most, mean", "not published", f"{ahead:.2f} times", why))
    return tuple(claims)


def _early_meetings(rows: list[dict[str, Any]]) -> list[Claim]:
    """What Collange says of lanes that run lowest PC first, against the stack."""
    claims = []
    for kind, bodies, published, why in (
        ("structured", STRUCTURED, "as many", "the lanes that lag have the lowest PC, so lanes wait for each other at the same places"),
        ("unstructured", UNSTRUCTURED, "more", "lanes meet at the first instruction that they share, not at the post-dominator"),
        (
            "badly laid out",
            BACKWARDS,
            "no promise: lanes must be able to meet after the point where they parted",
            "who jumps straight back has the lower PC and runs on alone, while the others wait in the middle of the loop",
        ),
    ):
        shown = ", ".join(f"{row['minpc_lanes']:.1f} against {row['stack_lanes']:.1f}" for row in rows if row["kernel"] in bodies)
        claims.append(Claim(f"lanes active with min-PC against the stack, {kind} code", published, shown, why))
    return claims


def _formed_warps(rows: list[dict[str, Any]], mean: dict[str, float]) -> list[Claim]:
    """What Fung and others say of warps that are formed anew."""
    best = max(("dwf", "dwf_time", "dwf_pc"), key=lambda name: mean[name])
    slower = [f"{name} on {row['kernel']} {row[f'{name}_speedup']:.2f}" for row in rows for name in ("dwf", "dwf_time", "dwf_pc")
              if row[f"{name}_speedup"] < 1]  # fmt: skip
    return [
        Claim(
            "dynamic warp formation (majority) over the stack, mean",
            f"{PUBLISHED_DWF:.3f}",
            f"{mean['dwf']:.3f}",
            "other kernels, and no memory: theirs lose some of the gain to accesses that no longer coalesce",
        ),
        Claim(
            "the best heuristic",
            "majority",
            f"{best}: " + ", ".join(f"{name} {mean[name]:.2f}" for name in ("dwf", "dwf_time", "dwf_pc")),
            "what issues next decides who meets whom, and that depends on the program as much as on the rule",
        ),
        Claim(
            "a heuristic can be slower than the stack",
            "yes: time stamp and PC on some programs",
            ", ".join(slower) or "on none of these kernels",
            "threads that nothing makes wait for each other drift apart, and run the code after the branch in parts",
        ),
    ]


EXPERIMENT = Experiment(
    "divergence-mechanisms",
    "Divergence mechanisms against each other",
    "How much of the lost time does each mechanism win back, and on what kind of code?",
    'W. Fung et al., "Dynamic warp formation and scheduling for efficient GPU control flow", MICRO 2007; '
    'S. Collange, "Stack-less SIMT reconvergence at low cost", 2011',
    f"{WARPS} warps run seven kernels that diverge at random, on the preset sm with one scheduler and every latency one cycle.",
    measure,
    "divergence",
)
