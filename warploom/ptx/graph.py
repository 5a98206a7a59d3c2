"""Control flow of a kernel in PTX: blocks, dominators, and where registers need a phi.

An instruction under a predicate that cannot be a selection becomes one with a branch around it. Any graph will do, also one that no
loops of a language make.

Sources: Cooper, Harvey and Kennedy, "A Simple, Fast Dominance Algorithm", 2001; Cytron, Ferrante, Rosen, Wegman and Zadeck, "Efficiently
Computing Static Single Assignment Form and the Control Dependence Graph", TOPLAS 1991 (pruned by what is live).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from warploom.ptx.inline import Refused
from warploom.ptx.module import Function, Instruction, Label, Name

LEAVES = ("ret", "exit")


@dataclass
class Node:
    """A block of instructions. guard: the predicate of the branch that ends it, to `after[0]`; without it goes on to `after[0]`, if any.

    switch: the register that `brx.idx` chooses one of `after` by.
    """

    code: list[Instruction] = field(default_factory=list)
    guard: Name | None = None
    switch: Name | None = None
    after: list[int] = field(default_factory=list)
    before: list[int] = field(default_factory=list)
    last: Instruction | None = None  # the branch


@dataclass
class Graph:
    """Blocks that can be reached, by their number in the text. order: in reverse postorder. parent: immediate dominators.

    phis: registers that a block needs one for. lost: those that nothing reads any more and that ways to a block leave different in.
    """

    nodes: dict[int, Node]
    order: list[int]
    parent: dict[int, int]
    phis: dict[int, list[str]]
    lost: dict[int, list[str]]


def graph_of(kernel: Function, selects: Callable[[Instruction], bool], sides: Callable[[Instruction], tuple[set[str], set[str]]]) -> Graph:
    """The graph. selects: whether an instruction under a predicate becomes a selection. sides: registers that one reads and writes.

    Raises Refused for a branch to nowhere.
    """
    nodes = _nodes(kernel, selects)
    order = _reverse_postorder(nodes)
    reachable = set(order)
    kept = {number: nodes[number] for number in sorted(reachable)}
    for number, node in kept.items():
        for one in node.after:
            kept[one].before.append(number)
    parent = _dominators(kept, order)
    return Graph(kept, order, parent, *_phis(kept, order, parent, sides))


def _nodes(kernel: Function, selects: Callable[[Instruction], bool]) -> list[Node]:
    """Blocks in the order of the text, their successors by number."""
    nodes = [Node()]
    labels: dict[str, int] = {}
    ends: list[tuple[Node, tuple[str, ...], bool, Instruction | None]] = []  # a block, the labels it leads to, whether it falls through

    def close(targets: tuple[str, ...], falls: bool, one: Instruction | None = None) -> None:
        ends.append((nodes[-1], targets, falls, one))
        nodes.append(Node())

    close((), True)  # nothing leads back to the first block
    targets_of_branches = kernel.branched_to()
    for one in kernel.body:
        if isinstance(one, Label):
            if one.name not in targets_of_branches:
                continue
            if nodes[-1].code:
                close((), True)
            labels[one.name] = len(nodes) - 1
        elif one.op == "bra":
            target = one.operands[0]
            assert isinstance(target, Name)
            nodes[-1].guard, nodes[-1].last = one.guard, one
            close((target.name,), one.guard is not None, one)
        elif one.op == "brx":
            register, table = one.operands[0], one.operands[1]
            assert isinstance(register, Name) and isinstance(table, Name)
            nodes[-1].switch, nodes[-1].last = register, one
            close(kernel.targets.get(table.name, ()), False, one)
        elif one.op in LEAVES or one.op == "trap":
            if one.guard is not None:
                skip = f"skip{len(nodes)}"
                nodes[-1].guard = one.guard._replace(negated=not one.guard.negated)
                close((skip,), True)
                nodes[-1].code += [one] if one.op == "trap" else []
                close((), False)
                labels[skip] = len(nodes) - 1
            else:
                nodes[-1].code += [one] if one.op == "trap" else []
                close((), False)
        elif one.guard is not None and not selects(one):
            skip = f"skip{len(nodes)}"
            nodes[-1].guard = one.guard._replace(negated=not one.guard.negated)
            close((skip,), True)
            nodes[-1].code.append(replace(one, guard=None))
            close((), True)
            labels[skip] = len(nodes) - 1
        else:
            nodes[-1].code.append(one)
    place = {id(node): number for number, node in enumerate(nodes)}
    for node, targets, falls, branch in ends:
        for name in targets:
            if name not in labels:
                assert branch is not None
                raise Refused(branch, f"there is no label {name}")
            node.after.append(labels[name])
        if falls:
            node.after.append(place[id(node)] + 1)
        if node.guard is not None and len(node.after) == 2 and node.after[0] == node.after[1]:
            node.guard, node.after = None, node.after[:1]
    return nodes


def _reverse_postorder(nodes: list[Node]) -> list[int]:
    found: list[int] = []
    seen, stack = {0}, [(0, iter(nodes[0].after))]
    while stack:
        number, rest = stack[-1]
        for one in rest:
            if one not in seen:
                seen.add(one)
                stack.append((one, iter(nodes[one].after)))
                break
        else:
            found.append(number)
            stack.pop()
    return found[::-1]


def _dominators(nodes: dict[int, Node], order: list[int]) -> dict[int, int]:
    place = {number: at for at, number in enumerate(order)}
    parent = {order[0]: order[0]}
    changed = True
    while changed:
        changed = False
        for number in order[1:]:
            known = [one for one in nodes[number].before if one in parent]
            new = known[0]
            for other in known[1:]:
                one = other
                while one != new:
                    if place[one] > place[new]:
                        one = parent[one]
                    else:
                        new = parent[new]
            if parent.get(number) != new:
                parent[number] = new
                changed = True
    return parent


def _phis(
    nodes: dict[int, Node], order: list[int], parent: dict[int, int], sides: Callable[[Instruction], tuple[set[str], set[str]]]
) -> tuple[dict[int, list[str]], dict[int, list[str]]]:
    frontier: dict[int, set[int]] = {number: set() for number in nodes}
    for number, node in nodes.items():
        for begin in node.before if len(node.before) > 1 else ():
            one = begin
            while one != parent[number]:
                frontier[one].add(number)
                one = parent[one]
    reads: dict[int, set[str]] = {}
    writes: dict[int, set[str]] = {}
    for number, node in nodes.items():
        read: set[str] = set()
        written: set[str] = set()
        for instruction in node.code:
            sources, results = sides(instruction)
            read |= sources - written
            written |= results
        asked = {one.name for one in (node.guard, node.switch) if one is not None}
        reads[number], writes[number] = read | (asked - written), written
    live = {number: set(one) for number, one in reads.items()}
    work = list(order)
    while work:
        number = work.pop()
        after = nodes[number].after
        found = reads[number] | (set().union(*(live[one] for one in after)) - writes[number])
        if found != live[number]:
            live[number] = found
            work += nodes[number].before
    phis: dict[int, set[str]] = {number: set() for number in nodes}
    lost: dict[int, set[str]] = {number: set() for number in nodes}
    homes: dict[str, list[int]] = {}
    for number, names in writes.items():
        for name in names:
            homes.setdefault(name, []).append(number)
    for name, begun in homes.items():
        work = list(begun)
        while work:
            for one in frontier[work.pop()]:
                chosen = phis[one] if name in live[one] else lost[one]
                if name not in chosen:
                    chosen.add(name)
                    work.append(one)
    return tuple({number: sorted(names) for number, names in one.items()} for one in (phis, lost))  # type: ignore[return-value]
