"""Ranges: how many bits each whole number needs, by its bounds and by who asks for its high half.

Bounds are found for all values at once, the variables of loops included: they grow until nothing changes any more, in steps after a few
rounds, so that this ends soon (widening), and then shrink once (narrowing). A branch says more about what it compares: behind `i < n`
i is smaller than n. An integer of 64 bits whose bounds fit 32, or of which nobody wants more than the low half, is one register.

Sources: Cousot and Cousot, "Abstract Interpretation", POPL 1977 (widening); Stephenson, Babb and Amarasinghe, "Bitwidth Analysis
with Application to Silicon Compilation", PLDI 2000.
"""

from __future__ import annotations

from warploom.compiler.interval import interval
from warploom.compiler.ssa import COMPARISONS, LIMITS, Block, Interval, Value

STEPS = sorted({0, 1, (1 << 31) - 1, (1 << 32) - 1, (1 << 63) - 1, (1 << 64) - 1, -1, -(1 << 31), -(1 << 63)})
PATIENCE = 3  # rounds before bounds that grow are widened
INT32: Interval = (-(1 << 31), (1 << 31) - 1)
UINT32: Interval = (0, (1 << 32) - 1)
# Operations whose low 32 bits depend on the low 32 bits of their operands only.
LOW = frozenset(("add", "sub", "mul", "and", "or", "xor", "phi"))
MOST_CONDITIONS = 12  # branches that are asked about one value


def find_ranges(blocks: list[Block]) -> set[Value]:
    """Write the bounds of all values; returns the whole numbers of which the high 32 bits are wanted."""
    if any(phi.is_int for block in blocks for phi in block.phis):
        _iterate(blocks)
    return wanted_high(blocks)


def fits(value: Value, limits: Interval) -> bool:
    """Whether a value lies within limits."""
    return limits[0] <= value.lo and value.hi <= limits[1]


def words_are_signed(*values: Value) -> bool | None:
    """Of numbers that can be compared as words of 32 bits: whether as signed ones. None when they cannot."""
    return True if all(fits(v, INT32) for v in values) else False if all(fits(v, UINT32) for v in values) else None


def _iterate(blocks: list[Block]) -> None:
    known: dict[Value, Interval] = {}
    values = [(block, value) for block in _in_order(blocks) for value in (*block.phis, *block.code) if value.type in ("i64", "u64")]
    edges = {block: [_conditions(one, block) for one in block.before] for block in blocks if block.phis}
    inside = {block: _conditions(None, block) for block in blocks}

    def bounds(value: Value, conditions: list[tuple[Value, bool]]) -> Interval | None:
        if value.op in ("const", "param"):
            return value.lo, value.hi
        found = known.get(value) if value.type in ("i64", "u64") else LIMITS[value.type]
        return None if found is None else _refined(value, found, conditions, known)

    def evaluate(block: Block, value: Value) -> Interval | None:
        if value.op != "phi":
            operands = {operand: bounds(operand, inside[block]) for operand in value.args}
            if any(one is None for one in operands.values()):
                return None
            return interval(value, lambda operand: operands[operand] or LIMITS[operand.type])
        there = [found for operand, said in zip(value.args, edges[block], strict=True) if (found := bounds(operand, said)) is not None]
        return (min(one[0] for one in there), max(one[1] for one in there)) if there else None

    changed, rounds = True, 0
    while changed:
        changed, rounds = False, rounds + 1
        for block, value in values:
            found, old = evaluate(block, value), known.get(value)
            found = None if found is None else _within(found, LIMITS[value.type])
            if found is None or found == old:
                continue
            if old is not None:
                found = min(found[0], old[0]), max(found[1], old[1])
                if found == old:
                    continue
                if rounds > PATIENCE:  # each bound moves outwards, to the next step: as often as there are steps at most
                    found = _within(_widened(old, found), LIMITS[value.type])
            known[value] = found
            changed = True
    for block, value in values * 2:
        found = evaluate(block, value)
        if found is not None:
            known[value] = max(found[0], known[value][0]), min(found[1], known[value][1])
    for _, value in values:
        lo, hi = known.get(value, LIMITS[value.type])
        value.lo, value.hi = (lo, hi) if lo <= hi else LIMITS[value.type]


def _within(found: Interval, limits: Interval) -> Interval:
    """Bounds that a type can hold; what lies outside wraps, and may be anything then."""
    return found if limits[0] <= found[0] and found[1] <= limits[1] else limits


def _in_order(blocks: list[Block]) -> list[Block]:
    """Reverse post-order: what leads somewhere comes first."""
    seen, order = {blocks[0]}, []
    stack = [(blocks[0], iter(blocks[0].after))]
    while stack:
        block, following = stack[-1]
        one = next((one for one in following if one not in seen), None)
        if one is None:
            order.append(block)
            stack.pop()
        else:
            seen.add(one)
            stack.append((one, iter(one.after)))
    return order[::-1]


def _widened(old: Interval, new: Interval) -> Interval:
    lo = new[0] if new[0] == old[0] else max((step for step in STEPS if step <= new[0]), default=new[0])
    hi = new[1] if new[1] == old[1] else min((step for step in STEPS if step >= new[1]), default=new[1])
    return lo, hi


def _conditions(edge: Block | None, block: Block) -> list[tuple[Value, bool]]:
    """What is known in a block, or where it is entered through an edge: conditions and whether they hold."""
    found: list[tuple[Value, bool]] = []
    while len(found) < MOST_CONDITIONS:
        if edge is None:
            if len(block.before) != 1:
                break
            edge = block.before[0]
        if edge.condition is not None and edge.after[0] is not edge.after[1]:
            found.append((edge.condition, edge.after[0] is block))
        block, edge = edge, None
    return found


def _refined(value: Value, found: Interval, conditions: list[tuple[Value, bool]], known: dict[Value, Interval]) -> Interval:
    lo, hi = found
    for condition, holds in conditions:
        for one, truth in _parts(condition, holds):
            lo, hi = _by(value, lo, hi, one, truth, known)
    return (lo, hi) if lo <= hi else found


def _parts(condition: Value, holds: bool) -> list[tuple[Value, bool]]:
    """Comparisons that hold, or do not, when a condition does or does not."""
    if condition.op == ("and" if holds else "or") and condition.type == "i1":
        return [part for operand in condition.args for part in _parts(operand, holds)]
    if condition.op == "eq" and condition.args[1].op == "const" and condition.args[0].type == "i1":
        return _parts(condition.args[0], holds == (condition.args[1].imm == 1))
    return [(condition, holds)] if condition.op in COMPARISONS else []


def _by(value: Value, lo: int, hi: int, condition: Value, holds: bool, known: dict[Value, Interval]) -> Interval:
    x, y = condition.args
    if value is not x and value is not y:
        return lo, hi
    other = y if value is x else x
    if not other.is_int:
        return lo, hi
    bottom, top = known.get(other, (other.lo, other.hi))
    if condition.op == "lt":
        if value is x:
            return (lo, min(hi, top - 1)) if holds else (max(lo, bottom), hi)
        return (max(lo, bottom + 1), hi) if holds else (lo, min(hi, top))
    if (condition.op == "eq") == holds:
        return max(lo, bottom), min(hi, top)
    if bottom == top and lo == bottom:
        lo += 1
    if bottom == top and hi == bottom:
        hi -= 1
    return lo, hi


def wanted_high(blocks: list[Block]) -> set[Value]:
    """The whole numbers of which something needs more than the low 32 bits."""
    wanted: set[Value] = set()
    work: list[Value] = []

    def want(value: Value) -> None:
        if value.is_int and value not in wanted and value.op != "const":
            wanted.add(value)
            work.append(value)

    def asks(value: Value) -> list[Value]:
        """Operands whose high half an operation needs whoever asks for its own."""
        if value.op in LOW or not value.args:
            return []
        if value.op in ("shl", "sel", "wrap"):
            return [] if value.op != "wrap" or int(value.imm) <= 32 else value.args
        if value.op in ("load", "local"):
            return []
        if value.op in ("store", "shuffle") or value.op.startswith("atomic"):
            return value.args[1:] if value.access is not None and value.access.size == 8 else []
        return value.args

    for block in blocks:
        for value in block.code:
            for operand in asks(value):
                want(operand)
    while work:
        value = work.pop()
        if value.op in LOW or value.op in ("shl", "sel", "shuffle"):
            if value.op == "and" and any(fits(operand, UINT32) for operand in value.args):
                continue
            for operand in value.args[:1] if value.op in ("shl", "shuffle") else value.args[1:] if value.op == "sel" else value.args:
                want(operand)
    return wanted
