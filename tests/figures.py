"""Draws the figures of docs/ that are made from the machine itself: the modern core, domains, and one for each divergence mechanism.

    python -m tests.figures    write docs/pictures/modern-core.svg, tessellation.svg, divergence-*.svg, five-ways-*.svg, and docs/explore/

The numbers in the core come from the preset `sm`. What the lanes do is taken from a run of the program that stands beside them.
The figures are SVG with two sets of colours, so that they can be read on a light and on a dark page.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import replace
from itertools import groupby
from typing import NamedTuple
from xml.sax.saxutils import escape

import warploom
from tests.places import ROOT
from warploom.graphics.geometry.partitioning import ONE
from warploom.graphics.geometry.tessellator import tessellated
from warploom.isa.program import Program
from warploom.machine.accounting import events as e
from warploom.machine.config.presets import load_config
from warploom.study.experiments import five_ways as five
from warploom.study.five_ways.notations import KERNELS, NOTATIONS
from warploom.study.sweep import measure

PICTURES = ROOT / "docs" / "pictures"
EXPLORER_PAGE = ROOT / "docs" / "explore" / "nested_loop.html"
STYLE = """<style>
.page{fill:#fbfaf7;stroke:#c9c4b8}.core{fill:#f1f4ee;stroke:#86a173}.part{fill:#e3eddb;stroke:#86a173}.unit{fill:#ffffff;stroke:#86a173}
.pipe{fill:#f3e3c8;stroke:#c79d57}.mem{fill:#ecdcec;stroke:#a277a4}.disp{fill:#dfe9f5;stroke:#6f93bd}
.A{fill:#b9cbe0;stroke:#6f93bd}.B{fill:#f2d48a;stroke:#b98d2e}.C{fill:#b7d3a5;stroke:#6d9152}.D{fill:#d9bedb;stroke:#94679a}.E{fill:#edb9a6;stroke:#b8654a}
.off{fill:#26292e;stroke:#5a6068}.none{fill:none;stroke:#c9c4b8}.stop{fill:none;stroke:#c0392b;stroke-width:2.5}
text{font-family:system-ui,-apple-system,"Segoe UI",Helvetica,Arial,sans-serif;fill:#22262b;font-size:14px}
.h{font-size:19px;font-weight:700}.b{font-weight:600}.s{font-size:12px}.q{font-size:13px;fill:#5a6068}
.code{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;font-size:13px}
.ink{fill:#22262b}.w{fill:none;stroke:#5a6068;stroke-width:1.5}.m{fill:#5a6068}
@media (prefers-color-scheme: dark){
.page{fill:#1d2127;stroke:#3a414b}.core{fill:#222a22;stroke:#6f8f5c}.part{fill:#2a3626;stroke:#6f8f5c}.unit{fill:#1d231d;stroke:#6f8f5c}
.pipe{fill:#453618;stroke:#b08642}.mem{fill:#3b2a3d;stroke:#94679a}.disp{fill:#22344a;stroke:#5f86b4}
.A{fill:#7f9dbf;stroke:#b9cbe0}.B{fill:#d1a945;stroke:#f2d48a}.C{fill:#83aa6b;stroke:#b7d3a5}.D{fill:#b087b3;stroke:#d9bedb}.E{fill:#cf8468;stroke:#edb9a6}
.off{fill:#0c0e11;stroke:#4b525c}.none{stroke:#3a414b}.stop{stroke:#ff7a6b}
text{fill:#e8eaed}.q{fill:#a9b0ba}.ink{fill:#14171b}.w{stroke:#a9b0ba}.m{fill:#a9b0ba}
}
</style>
<defs><marker id="a" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="6" markerHeight="6" orient="auto">
<path d="M0 0 L8 4 L0 8 z" class="m"/></marker></defs>"""
WIDTH = 920


class Drawing:
    """An SVG picture that grows by rectangles, lines and text."""

    def __init__(self) -> None:
        self.parts: list[str] = []

    def box(self, x: float, y: float, width: float, height: float, kind: str, radius: float = 6) -> None:
        """A rectangle of a class of the style sheet."""
        self.parts.append(
            f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="{radius:g}" class="{kind}" stroke-width="1.2"/>'
        )

    def text(self, x: float, y: float, words: str, kind: str = "", anchor: str = "start") -> None:
        """A line of text; y is its baseline."""
        words = words.replace("&", "&amp;").replace("<", "&lt;")
        self.parts.append(f'<text x="{x:g}" y="{y:g}" class="{kind}" text-anchor="{anchor}" xml:space="preserve">{words}</text>')

    def path(self, way: str, kind: str = "w", arrow: bool = True) -> None:
        """A line, with an arrow at its end."""
        self.parts.append(f'<path d="{way}" class="{kind}"' + (' marker-end="url(#a)"/>' if arrow else "/>"))

    def unit(self, x: float, y: float, width: float, height: float, lines: list[str], kind: str = "unit") -> None:
        """A box with centred lines of text, the first one in bold."""
        self.box(x, y, width, height, kind)
        first = y + height / 2 + 5 - 8 * (len(lines) - 1)
        for number, line in enumerate(lines):
            self.text(x + width / 2, first + 16 * number, line, "s b" if number == 0 else "s", "middle")

    def svg(self, height: float, title: str, label: str) -> str:
        """The whole picture, on a page of its own colour."""
        title, label = escape(title), escape(label, {'"': "&quot;"})
        top = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height:g}" role="img" aria-label="{label}">'
        page = f'<rect x="1" y="1" width="{WIDTH - 2}" height="{height - 2:g}" rx="14" class="page" stroke-width="1.5"/>'
        return "\n".join([top, STYLE, page, f'<text x="30" y="36" class="h">{title}</text>', *self.parts, "</svg>", ""])


def size(count: int) -> str:
    """Bytes as KiB or MiB."""
    return f"{count >> 20} MiB" if count >= 1 << 20 else f"{count >> 10} KiB"


def modern_core() -> str:
    """One core of the preset `sm` and the memory system below it."""
    c = load_config("sm")
    d = Drawing()
    d.text(890, 36, "the numbers are those of the preset sm, one multiprocessor of a V100", "q", "end")
    d.unit(30, 54, 860, 34, ["Block dispatcher: assigns blocks to cores that have room"], "disp")
    d.path("M460 88 V104")
    d.box(30, 106, 860, 446, "core", 10)
    d.text(46, 128, "Core (streaming multiprocessor, SM)", "b")
    instructions = c.fetch.sets * c.fetch.ways * c.fetch.line * 16
    d.unit(46, 140, 828, 34, [f"Instruction cache, {size(instructions)}"])
    schedulers, step = c.core.schedulers, 210
    pipes = [
        (f"INT32 {c.pipes.integer_lanes}", "integer"), (f"FP32 {c.pipes.float_lanes}", "float"),
        (f"FP64 {c.pipes.double_lanes}", "double"), (f"SFU {c.pipes.special_lanes}", "special"),
    ]  # fmt: skip
    for number in range(schedulers):
        x = 46 + step * number
        d.path(f"M{x + 99} 174 V196")
        d.box(x, 184, 198, 278, "part")
        d.text(x + 99, 202, f"Sub-partition {number}", "s b", "middle")
        l0 = c.fetch.l0_sets * c.fetch.l0_ways * c.fetch.line * 16
        d.unit(x + 8, 210, 182, 26, [f"L0 instructions, {size(l0)}"])
        d.unit(x + 8, 242, 182, 44, [f"{c.core.warps // schedulers} warp slots", "PC, mask, buffer, scoreboard"])
        d.unit(x + 8, 292, 182, 44, ["Scheduler", "issues 1 instruction per cycle"])
        registers = c.core.registers // c.core.register_files * 4
        d.unit(x + 8, 342, 182, 44, [f"Registers, {size(registers)}", f"{c.operands.banks} banks"])
        for place, (words, _) in enumerate(pipes):
            d.unit(x + 8 + 46.3 * place, 392, 43, 40, words.split(), "pipe")
        d.unit(x + 8, 438, 182, 20, [f"to load/store: {c.pipes.load_store_lanes} lanes"], "pipe")
        d.path(f"M{x + 99} 462 V478")
    d.unit(46, 480, 270, 58, ["Load/store unit (LSU)", f"queue of {c.lsu.queue}, coalescer, {c.l1.mshrs} MSHRs"])
    d.unit(
        332,
        480,
        330,
        58,
        [
            f"L1 cache and shared memory, {size(c.shared.unified)}",
            f"L1 hit {c.l1.latency} cycles; {c.shared.banks} banks, {c.shared.latency} cycles",
        ],
        "mem",
    )
    d.unit(678, 480, 196, 58, ["Texture, constant caches", f"{size(c.texture.bytes)}; {size(c.constant.bytes)}"], "mem")
    d.path("M316 509 H330")
    d.path("M497 538 V568")
    d.unit(30, 570, 860, 30, [f"Crossbar: {c.crossbar.core} bytes per cycle for each core, {c.crossbar.slice} for each slice"], "disp")
    d.path("M460 600 V618")
    d.unit(
        30,
        620,
        860,
        40,
        [
            f"L2 cache, {size(c.l2.bytes)}, shared by all cores: {c.l2.slices} slices",
            f"hit {c.l1.latency + c.l2.latency} cycles after the issue of the load",
        ],
        "mem",
    )
    d.path("M460 660 V678")
    d.unit(
        30,
        680,
        860,
        40,
        [f"DRAM: {c.dram.channels} channels of {c.dram.banks} banks", "the controller of each channel serves open rows first"],
        "mem",
    )
    label = "Block diagram of one core of sm: schedulers with warp slots, register banks and pipes; load/store unit, L1; L2; DRAM"
    return d.svg(738, "A modern core", label)


class Figure(NamedTuple):
    """A mechanism at work. source: the program. blocks: a letter for each instruction.

    runs: a name, a preset and settings for each run that is drawn. notes: what to see. first: the first instruction that is drawn.
    """

    title: str
    isa: str
    source: str
    blocks: str
    runs: tuple[tuple[str, str, dict[str, object]], ...]
    notes: tuple[str, ...]
    first: int = 0


SHORT = """; if (thread < 2 or thread <= 4) work
    CONST R1, #2
    CMP   %threadIdx, R1
    BRn   work
    CONST R2, #4
    CMP   %threadIdx, R2
    BRp   done
work:
    ADD   R5, R5, R1
    ADD   R5, R5, R1
done:
    STR   %threadIdx, R5
    RET
"""
SHORT_BLOCKS = "AAABBBCCDD"
SPIN = """; thread 0 waits for thread 1
    CONST R1, #16
    CONST R2, #1
    CMP   %threadIdx, R2
    BRz   ready
wait:
    LDR   R3, R1
    CMP   R3, R2
    BRn   wait
    BRnzp done
ready:
    STR   R1, R2
done:
    RET
"""
MASKS = """; odd lanes triple their number
    and r0.x, lane_id, u(1)
    push_mask ENDIF
    mask_nz r0.x
    mul.u32 r1.x, lane_id, u(3)
    pop_mask
ENDIF:
    mul.u32 r2.x, lane_id, u(4)
    st u0.x, r2.x, r1.x
    ret
"""
CHECKER = """; warp 0: even lanes branch; warp 1: odd
    CONST R1, #2
    CONST R2, #8
    DIV   R3, %threadIdx, R2
    ADD   R3, R3, %threadIdx
    DIV   R4, R3, R1
    MUL   R4, R4, R1
    CMP   R3, R4
    BRz   even
    ADD   R5, R5, R1
    ADD   R5, R5, R1
    BRnzp done
even:
    ADD   R5, R5, R2
    ADD   R5, R5, R2
done:
    STR   %threadIdx, R5
    RET
"""
FIGURES = {
    "uniform": Figure(
        "uniform: lanes must agree", "tiny", SHORT, SHORT_BLOCKS, (("8 lanes", "sm", {"core.divergence": "uniform"}),),
        ("Lanes 0 and 1 take the branch, lanes 2 to 7 do not.", "With one program counter and no mask the run must stop."),
    ),
    "stack": Figure(
        "stack: one side waits on a stack until the other has reconverged", "tiny", SHORT, SHORT_BLOCKS,
        (("8 lanes", "sm", {"core.divergence": "stack"}),),
        (
            "At BRn the stack gets two entries: (lanes 0-1, at work) and, below it, (lanes 0-7, at done), the post-dominator.",
            "Lanes 2 to 7 run first. Lanes 2-4 reach work alone; lanes 0-1 run it a second time. All meet at done.",
        ),
    ),
    "masks": Figure(
        "masks: the program pushes and pops lane masks", "guppy", MASKS, "AAABBCCC", (("8 lanes", "guppy", {}),),
        (
            "push_mask saves (all lanes, at ENDIF); mask_nz keeps the odd lanes.",
            "pop_mask restores the saved mask and continues at ENDIF. The hardware decides nothing itself.",
        ),
    ),
    "minpc": Figure(
        "minpc: the lanes with the lowest program counter run", "tiny", SHORT, SHORT_BLOCKS,
        (("8 lanes", "sm", {"core.divergence": "minpc"}),),
        (
            "Lanes 0-1 are at work, which has a higher PC than the code of lanes 2-7, so they wait.",
            "When lanes 2-4 reach work, the counters are equal: five lanes run it together, once.",
        ),
    ),
    "its": Figure(
        "its: a program counter for each lane, and forward progress", "tiny", SPIN, "AAAABBBCDE",
        (("8 lanes", "sm", {"core.divergence": "its"}),),
        (
            "All lanes but lane 1 wait in a loop (B) for the flag that lane 1 sets (D). At each jump back the other group of lanes runs,",
            "so lane 1 sets the flag and the loop ends. Under the stack, lane 1 would wait for the loop, and the loop for lane 1.",
        ),
    ),
    "dwf": Figure(
        "dwf: threads of different warps form new warps", "tiny", CHECKER, "AAAAAAAABBBCCDD",
        (
            ("stack", "sm", {"core.divergence": "stack", "core.threads_per_block": 16}),
            ("dwf", "sm", {"core.divergence": "dwf", "core.threads_per_block": 16}),
        ),
        (
            "From BRz on: warp 0 sends its even lanes to even, warp 1 its odd ones.",
            "With the stack each of the two warps runs both sides, half empty. With dwf the threads at the same PC share a warp,",
            "each in its own lane, so both sides run with full warps.",
        ),
        first=7,
    ),
}  # fmt: skip
CELL, LANES = 15, 8


def load(figure: Figure) -> Program:
    """The figure's program, with as many threads as its runs need."""
    warps = max(int(str(settings.get("core.threads_per_block", LANES))) for _, _, settings in figure.runs) // LANES
    head = f".threads {LANES * warps}\n"
    if figure.isa == "guppy":
        return warploom.guppy.assemble(f"{head}.buffer u0 {LANES}\n{figure.source}", path="figure.guppy")
    return warploom.tiny.assemble(f"{head}.block {LANES * warps}\n{figure.source}", path="figure.asm")


def issues(figure: Figure, preset: str, settings: dict[str, object]) -> tuple[list[tuple[int, int, int]], str]:
    """(warp slot, mask, pc) of every issue of a run, in order, and how the run ended."""
    gpu = warploom.GPU(preset, set={"core.lanes": LANES, **settings}, engine="python")
    result = gpu.run(load(figure), tracing=True)
    rows = [row for row in result.detail.events if row[e.KIND] == e.ISSUE and row[e.PC] >= figure.first]
    return [(int(row[e.WARP]), int(row[e.MASK]), int(row[e.PC])) for row in rows], result.status


def divergence(figure: Figure) -> str:
    """The program on the left, what every lane does at each issue on the right, and below what to see."""
    d = Drawing()
    y, pc = 64, 0
    for line in figure.source.strip("\n").split("\n"):
        if line.startswith("    "):
            kind = figure.blocks[pc]
            d.box(30, y - 11, 15, 15, kind, 3)
            d.text(37.5, y + 1, figure.blocks[pc], "s ink", "middle")
            pc += 1
            line = line[2:]
        d.text(52, y, line, "code" if not line.startswith(";") else "q")
        y += 18
    bottom = y
    y = 58
    for name, preset, settings in figure.runs:
        found, status = issues(figure, preset, settings)
        y = _lanes(d, figure, name, found, status, y) + 22
    y = max(bottom, y) + 8
    for note in figure.notes:
        d.text(30, y, note)
        y += 20
    return d.svg(y + 4, figure.title, f"{figure.title}: a program, and which lanes execute each of its instructions")


def _lanes(d: Drawing, figure: Figure, name: str, found: list[tuple[int, int, int]], status: str, y: float) -> float:
    """Rows of lanes by warp, columns of issues. Returns where it ends."""
    left = 380
    warps = sorted({warp for warp, _, _ in found})
    width = min(22.0, (WIDTH - 30 - left) / max(len(found), 1))
    d.text(left, y, f"{name}: {len(found)} instructions issued, from left to right", "q")
    y += 8
    for warp in warps:
        for lane in range(LANES):
            d.text(left - 8, y + CELL * lane + 12, f"{f'warp {warp} ' if len(warps) > 1 and lane == 0 else ''}lane {lane}", "s", "end")
        for column, (its, mask, pc) in enumerate(found):
            if its != warp:
                continue
            kind = figure.blocks[pc]
            for lane in range(LANES):
                d.box(left + width * column, y + CELL * lane, width - 2, CELL - 2, kind if mask >> lane & 1 else "off", 2)
        y += CELL * LANES + 4
    for column, (_, _, pc) in enumerate(found):
        d.text(left + width * column + width / 2 - 1, y + 10, figure.blocks[pc], "s", "middle")
    if status != "done":
        x = left + width * len(found) + 6
        d.path(f"M{x} {y - CELL * LANES - 2} V{y - 4}", "stop", arrow=False)
        d.text(x + 10, y - CELL * LANES / 2, "the run stops", "b")
    return y + 14


KIND_COLOURS = {"work": "A", "test": "C", "mask": "B", "branch": "D"}
FIVE_WAYS = {"if-else": 5, "loop": 1}  # kernels of the study five-ways, and how many notations stand side by side


def five_ways(name: str) -> str:
    """A kernel of the study five-ways in each notation: lanes by issue, and below each issue what it is there for."""
    kernel, across, lanes_of_a_warp = KERNELS[name], FIVE_WAYS[name], five.LANES
    d = Drawing()
    for number, (kind, colour) in enumerate(KIND_COLOURS.items()):
        d.box(30 + 110 * number, 50, 13, 13, colour, 3)
        d.text(48 + 110 * number, 61, kind, "s")
    d.text(890, 61, "lanes from top to bottom, instructions issued from left to right", "q", "end")
    tasks = five.tasks()
    block, high, y = (WIDTH - 50) / across, 9.0, 86.0
    for number, notation in enumerate(NOTATIONS.values()):
        task = tasks[name, notation.name]
        body = notation.body(kernel, task.program)  # by instruction, what it is there for
        found = [issue for issue in measure(replace(task, engine="python")).issues if issue.pc in body]
        x = 30 + block * (number % across)
        masks = sum(body[issue.pc] == "mask" for issue in found)
        d.text(x, y, notation.name, "b")
        d.text(x if across > 1 else x + 130, y if across == 1 else y + 16, f"{len(found)} issued, {masks} masks", "q")
        top = y + (24 if across > 1 else 8)
        width = min(15.0, (block - 20) / len(found))
        bottom = top + high * lanes_of_a_warp
        d.box(x - 1, top - 1, width * len(found) + 0.5, bottom - top + 2, "off", 2)
        for column, issue in enumerate(found):
            kind = body[issue.pc]
            once = notation.once and kind in ("mask", "branch")
            for first, lanes in [] if once else _neighbours(issue.lanes, lanes_of_a_warp):
                d.box(x + width * column, top + high * first, width - 1.5, high * lanes, KIND_COLOURS[kind], 1.5)
            d.box(x + width * column, bottom + 4, width - 1.5, 10, KIND_COLOURS[kind], 1.5)
        if number % across == across - 1:
            y = bottom + 44
    label = f"{kernel.meaning} in five notations: which lanes each instruction works for, and what it is there for"
    return d.svg(y - 20, kernel.meaning, label)


def _neighbours(mask: int, lanes: int) -> list[tuple[int, int]]:
    """Active lanes that lie side by side: the first one and how many there are."""
    groups = [list(group) for active, group in groupby(range(lanes), lambda lane: mask >> lane & 1) if active]
    return [(group[0], len(group)) for group in groups]


DOMAINS = (  # domain, factors of the edges, of the inside, partitioning
    ("quad", (4, 4, 4, 4), (4, 4), "integer"),
    ("quad", (1, 7, 3, 5), (4, 3), "integer"),
    ("quad", (4.3, 4.3, 1.2, 4.3), (4.3, 3), "fractional_odd"),
    ("triangle", (2, 5, 8), (6,), "integer"),
)


def tessellation() -> str:
    """What the tessellator makes of four domains, u to the right and v up."""
    d, side = Drawing(), 190
    for number, (domain, outer, inner, partitioning) in enumerate(DOMAINS):
        made = tessellated(domain, outer, inner, partitioning)
        left, low = 30 + 223 * number, 64 + side
        places = [(left + u * side / ONE, low - v * side / ONE) for u, v in made.points.tolist()]
        for corners in made.triangles.tolist():
            d.path("M" + " L".join(f"{places[k][0]:.5g} {places[k][1]:.5g}" for k in corners) + " z", arrow=False)
        d.text(left, low + 26, f"edges {', '.join(map(str, outer))}", "s b")
        d.text(left, low + 44, f"inside {', '.join(map(str, inner))}: {partitioning}", "s")
        d.text(left, low + 62, f"{len(made.points)} points, {len(made.triangles)} triangles", "q")
    label = "Four domains, cut into triangles: factors of the edges and of the inside may all differ"
    return d.svg(64 + side + 84, "Tessellated domains, and the factors of edges and inside", label)


def drawings() -> dict[str, Callable[[], str]]:
    """Every figure by its file's name."""
    found: dict[str, Callable[[], str]] = {"modern-core.svg": modern_core, "tessellation.svg": tessellation}
    for name, figure in FIGURES.items():
        found[f"divergence-{name}.svg"] = lambda figure=figure: divergence(figure)  # type: ignore[misc]
    for name in FIVE_WAYS:
        found[f"five-ways-{name}.svg"] = lambda name=name: five_ways(name)  # type: ignore[misc]
    return found


def explorer_page() -> str:
    """The page that the documentation's first page leads to: two nested loops, which lanes leave one after the other."""
    with contextlib.chdir(ROOT):  # places are named from there: the whole path differs from clone to clone
        program = warploom.load("examples/guppy/nested_loop.guppy")
    return warploom.GPU("guppy").run(program, tracing=True, recording=True).explorer().text


if __name__ == "__main__":
    for file, draw in drawings().items():
        (PICTURES / file).write_text(draw())
        print(f"docs/pictures/{file} is written")
    EXPLORER_PAGE.write_text(explorer_page())
    print("docs/explore/nested_loop.html is written")
