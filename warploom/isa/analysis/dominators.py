"""Directed graphs: what `control_flow.py` needs of them, over lists of successors and without recursion.

A graph is a sequence that has, for node number v, the numbers of the nodes that follow v.

Dominators are found as in Cooper, Harvey and Kennedy, "A Simple, Fast Dominance Algorithm", Rice University 2001:
walk the nodes in reverse post-order and intersect the dominators of what leads to each, until nothing changes. On the
control-flow graphs of programs that is two or three rounds.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

Graph = Sequence[Sequence[int]]

UNREACHED = -1


def reversed_graph(successors: Graph) -> list[list[int]]:
    """The same nodes with every edge turned round: what leads to each node."""
    before: list[list[int]] = [[] for _ in successors]
    for node, following in enumerate(successors):
        for other in following:
            before[other].append(node)
    return before


def reachable(successors: Graph, roots: Iterable[int]) -> set[int]:
    """The roots and every node that a path from one of them leads to."""
    found = set(roots)
    waiting = list(found)
    while waiting:
        for other in successors[waiting.pop()]:
            if other not in found:
                found.add(other)
                waiting.append(other)
    return found


def post_order(successors: Graph, roots: Iterable[int]) -> list[int]:
    """The reachable nodes in the order in which a depth-first walk leaves them; successors are walked in their order."""
    seen: set[int] = set()
    order: list[int] = []
    for root in roots:
        if root in seen:
            continue
        seen.add(root)
        path = [(root, iter(successors[root]))]
        while path:
            node, following = path[-1]
            for other in following:
                if other not in seen:
                    seen.add(other)
                    path.append((other, iter(successors[other])))
                    break
            else:
                order.append(node)
                path.pop()
    return order


def immediate_dominators(successors: Graph, root: int) -> list[int]:
    """For each node, the last other node that every path from the root to it goes through.

    The root has itself; a node that no path leads to has UNREACHED. Post-dominators are the dominators of the
    reversed graph, from its exit.
    """
    order = post_order(successors, (root,))
    rank = {node: position for position, node in enumerate(order)}
    before = reversed_graph(successors)
    dominator = [UNREACHED] * len(successors)
    dominator[root] = root
    changed = True
    while changed:
        changed = False
        for node in reversed(order[:-1]):
            chosen = UNREACHED
            for other in before[node]:
                if dominator[other] != UNREACHED:
                    chosen = other if chosen == UNREACHED else _intersect(dominator, rank, chosen, other)
            if dominator[node] != chosen:
                dominator[node] = chosen
                changed = True
    return dominator


def _intersect(dominator: Sequence[int], rank: dict[int, int], one: int, other: int) -> int:
    """The last common dominator of two nodes: climb from the one that the walk left earlier."""
    while one != other:
        if rank[one] < rank[other]:
            one = dominator[one]
        else:
            other = dominator[other]
    return one


def dominates(dominator: Sequence[int], node: int, other: int) -> bool:
    """Whether every path from the root to `other` goes through `node`. dominator: of `immediate_dominators`."""
    while other != node and dominator[other] != other:
        other = dominator[other]
    return other == node


def endless(successors: Graph, leave: int) -> list[set[int]]:
    """The knots: sets of nodes that reach each other and nothing else. `leave`, where paths may end, is in none of them.

    Found as in the first half of Kosaraju's algorithm: the node that a walk of the reversed graph leaves last has
    nothing behind it but its own knot.
    """
    before = reversed_graph(successors)
    stuck = set(range(len(successors))) - reachable(before, (leave,))
    inside = [_within(stuck, others) for others in before]
    found: list[set[int]] = []
    for node in reversed(post_order(inside, sorted(stuck))):
        if node in stuck:
            found.append(reachable(successors, (node,)))
            stuck -= reachable(before, (node,))
    return sorted(found, key=min)


def _within(nodes: Collection[int], others: Iterable[int]) -> list[int]:
    return [other for other in others if other in nodes]
