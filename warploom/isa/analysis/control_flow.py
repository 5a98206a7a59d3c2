"""Control flow of a program: basic blocks, loops, and where lanes that part at a branch meet again.

A machine whose lanes run one instruction together lets those that disagree at a branch run one after the other, up to the
first instruction that all of them come to whichever way they take: the branch's immediate post-dominator. Real GPUs get it
from the compiler, which writes it into the code (NVIDIA's SSY and BSSY; Fung et al., "Dynamic Warp Formation and Scheduling
for Efficient GPU Control Flow", MICRO 2007, section 2). Here it is computed for any program, so that any program runs
on such a machine, whatever it was written for.

The graph holds one function at a time: a call that returns leads to the instruction after it (`successors.py` has the rules).
All ends of a lane (exit, return, running off the program) are one place, the *exit*, numbered one past the last instruction
or block; the paths of a branch that meet only there do not meet. A loop that is never left has no path to
the exit; it counts as possibly ending whenever it comes back to its lowest-numbered block, so that branches inside of it still meet.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from warploom.isa import uop as u
from warploom.isa.analysis.dominators import UNREACHED, dominates, endless, immediate_dominators, post_order, reachable, reversed_graph
from warploom.isa.analysis.successors import ways
from warploom.isa.program import Program

BRANCH = u.NUMBER["branch"]
JUMPS = (u.NUMBER["jump"], u.NUMBER["call"], u.NUMBER["jump_register"])


@dataclass(frozen=True)
class Block:
    """A basic block: instructions `first` to `last` always run one after the other.

    successors, predecessors: block numbers; the number of blocks stands for the exit.
    """

    first: int
    last: int
    successors: tuple[int, ...]
    predecessors: tuple[int, ...]


@dataclass(frozen=True)
class Loop:
    """A natural loop: the blocks that can come back to `header` without passing it, which is the only way in.

    header: its first instruction. back_edges: the instructions that lead back to it. blocks: all of its blocks, by number.
    """

    header: int
    back_edges: tuple[int, ...]
    blocks: tuple[int, ...]


class Flow:
    """The control-flow graph of a program.

    exit: the instruction number that stands for the exit, `len(program)`.
    blocks: all basic blocks in the order of their instructions, also those that nothing leads to.
    functions: first instructions of the functions that are called.
    unreachable: instructions that no path from the start leads to; a path through a table or a pointer is not seen.
    runs_off: reachable instructions that may lead to where there is no instruction.
    """

    def __init__(self, program: Program) -> None:
        self.program = program
        self.exit = len(program)
        self._ways = ways(program)
        self.functions, reached = self._reached()
        self.unreachable = tuple(number for number in range(self.exit) if number not in reached)
        self.runs_off = tuple(number for number in self._ways.runs_off if number in reached)
        self.blocks = self._blocks()
        self._block = [number for number, block in enumerate(self.blocks) for _ in range(block.first, block.last + 1)]
        self._graph = [block.successors for block in self.blocks] + [()]

    def _reached(self) -> tuple[tuple[int, ...], set[int]]:
        """The functions that are called from what can be reached, and all that can be reached."""
        called: dict[int, list[int]] = {}
        for number, function in self._ways.calls:
            called.setdefault(number, []).append(function)
        graph = [[*following, *called.get(number, ())] for number, following in enumerate(self._ways.successors)] + [[]]
        entry = self.program.launch.entry
        reached = reachable(graph, [entry] if 0 <= entry < self.exit else [])
        return tuple(sorted({function for number, function in self._ways.calls if number in reached})), reached

    def _blocks(self) -> tuple[Block, ...]:
        starts = {0, self.program.launch.entry, *(function for _, function in self._ways.calls)}
        for number, following in enumerate(self._ways.successors):
            if following != (number + 1,):
                starts.update((number + 1, *following))
        firsts = sorted(start for start in starts if 0 <= start < self.exit)
        lasts = [first - 1 for first in firsts[1:]] + [self.exit - 1]
        numbers = {first: number for number, first in enumerate(firsts)} | {self.exit: len(firsts)}
        following_of = [tuple(numbers[place] for place in self._ways.successors[last]) for last in lasts[: len(firsts)]]
        before = reversed_graph([*following_of, ()])
        return tuple(
            Block(first, last, following, tuple(leading))
            for first, last, following, leading in zip(firsts, lasts, following_of, before, strict=False)
        )

    def successors(self, instruction: int) -> tuple[int, ...]:
        """The instructions that may follow an instruction; `exit` among them when a lane's way may end here."""
        return self._ways.successors[instruction]

    def block_of(self, instruction: int) -> int:
        """The number of the block that an instruction is in."""
        return self._block[instruction]

    @cached_property
    def roots(self) -> tuple[int, ...]:
        """The blocks in which paths begin: the program's entry, and called functions."""
        entry = self.program.launch.entry
        first = [entry] if 0 <= entry < self.exit else []
        return tuple(dict.fromkeys(self._block[place] for place in (*first, *self.functions)))

    @cached_property
    def _walk(self) -> list[Sequence[int]]:
        """The graph with a node of its own, last, that leads to all roots, so that dominators have one root."""
        return [*self._graph, self.roots]

    @cached_property
    def dominators(self) -> tuple[int, ...]:
        """For each block the last other block that every path to it goes through; NONE for roots and unreachable blocks."""
        top = len(self._graph)
        found = immediate_dominators(self._walk, top)
        return tuple(u.NONE if found[block] in {top, UNREACHED} else found[block] for block in range(len(self.blocks)))

    @cached_property
    def endless(self) -> tuple[int, ...]:
        """First instruction of the lowest-numbered block of each loop, of those that are never left."""
        return tuple(self.blocks[min(knot)].first for knot in endless(self._graph, len(self.blocks)))

    @cached_property
    def post_dominators(self) -> tuple[int, ...]:
        """For each block the first other place that every path from it comes to: a block's first instruction, or `exit`.

        It is the block's own first instruction where all its paths come back to it and the loop is never left.
        """
        graph: list[list[int]] = [list(following) for following in self._graph]
        places = [block.first for block in self.blocks] + [self.exit]
        leave = len(self.blocks)
        for knot in endless(self._graph, leave):
            header = min(knot)
            for block in knot:
                graph[block] = [len(graph) if other == header else other for other in graph[block]]
            graph.append([header, leave])
            places.append(places[header])
        found = immediate_dominators(reversed_graph(graph), leave)
        return tuple(places[found[block]] for block in range(leave))

    def reconvergence(self, instruction: int) -> int:
        """Where all paths from an instruction meet first: an instruction number, or NONE when that is only the exit."""
        block = self._block[instruction]
        if instruction < self.blocks[block].last:
            return instruction + 1
        place = self.post_dominators[block]
        return u.NONE if place == self.exit else place

    @cached_property
    def _retreating(self) -> tuple[tuple[int, int], ...]:
        """Edges between blocks that lead against the order of a depth-first walk; every cycle has one."""
        order = post_order(self._walk, (len(self._graph),))
        rank = {block: position for position, block in enumerate(order)}
        return tuple(
            (block, other)
            for block, following in enumerate(self._graph)
            for other in following
            if block in rank and rank[other] >= rank[block]
        )

    @cached_property
    def _back_edges(self) -> tuple[tuple[int, int], ...]:
        """Edges to a block that dominates where they come from."""
        dominator = [block if above == u.NONE else above for block, above in enumerate(self.dominators)]
        return tuple((block, other) for block, other in self._retreating if dominates(dominator, other, block))

    @cached_property
    def loops(self) -> tuple[Loop, ...]:
        """The natural loops, by header; back edges to the same header are one loop."""
        before = reversed_graph(self._graph)
        found = []
        for header in sorted({other for _, other in self._back_edges}):
            sources = [block for block, other in self._back_edges if other == header]
            inside = [[] if block == header else leading for block, leading in enumerate(before)]
            members = reachable(inside, sources) | {header}
            back_edges = tuple(self.blocks[block].last for block in sources)
            found.append(Loop(self.blocks[header].first, back_edges, tuple(sorted(filter(self._live, members)))))
        return tuple(found)

    def _live(self, block: int) -> bool:
        return block in self.roots or self.dominators[block] != u.NONE

    @cached_property
    def irreducible(self) -> tuple[tuple[int, int], ...]:
        """Jumps into the middle of a loop, as (instruction, target): ways back to a block that is not the loop's only way in.

        A graph without any is reducible: it is made of loops with one entry each.
        """
        edges = [edge for edge in self._retreating if edge not in self._back_edges]
        return tuple((self.blocks[block].last, self.blocks[other].first) for block, other in edges)

    def to_dot(self) -> str:
        """The graph for Graphviz: a box a block, dashed where nothing leads; back edges bold; dotted, where a branch's paths meet."""
        rows = ["digraph flow {", '  node [shape=box, fontname="monospace"];']
        leave = len(self.blocks)
        for number, block in enumerate(self.blocks):
            lines = [f"{place}: {self.program.text[place]}" for place in range(block.first, block.last + 1)]
            label = "".join(_quoted(line) + "\\l" for line in lines)
            style = "" if self._live(number) else ", style=dashed"
            rows.append(f'  b{number} [label="{label}"{style}];')
        rows.append(f"  b{leave} [label=exit, shape=oval];")
        for number, block in enumerate(self.blocks):
            for other in block.successors:
                bold = " [style=bold]" if (number, other) in self._back_edges else ""
                rows.append(f"  b{number} -> b{other}{bold};")
            meet = self.reconvergence(block.last)
            if len(block.successors) > 1 and meet != u.NONE:
                rows.append(f"  b{number} -> b{self._block[meet]} [style=dotted, constraint=false, label=meet];")
        return "\n".join([*rows, "}", ""])


def _quoted(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')


def with_reconvergence(program: Program) -> Program:
    """The same program, with RECONVERGE of every `branch` set to where its paths meet, or to NONE; so of jumps and calls
    with a predicate, which are branches too.

    Other instructions that have a meeting point (guppy's br_push) keep their own, and so do branches to themselves: lanes that take turns.
    """
    flow = Flow(program)
    uops = program.uops.copy()
    for number in range(len(program)):
        first = int(program.code[number, u.FIRST_UOP])
        for row in uops[first : first + int(program.code[number, u.COUNT])]:
            parts = row[u.OP] == BRANCH or (row[u.OP] in JUMPS and row[u.PREDICATE] != u.NONE)
            if parts and (row[u.TARGET] != number or row[u.RECONVERGE] == u.NONE):
                row[u.RECONVERGE] = flow.reconvergence(number)
    return replace(program, uops=uops)
