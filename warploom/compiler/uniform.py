"""Uniform values: those on which all lanes of a warp agree, so that one scalar operation serves them all.

A *region* is a piece of the function through which the lanes that entered it go together: it begins at the function's start, or where a
branch that divides the lanes of another region leads, and it ends where lanes may part. In it a value is uniform when its operands are:
arguments, block numbers and sizes, constants, and phis of blocks that no divided branch leads to. Scalar registers are written whatever
lanes are active, so regions do not share any, and nothing in a region is entered twice by different lanes: the same holds under every
divergence mechanism.

AMD's compilers keep such values in SGPRs, NVIDIA's since Turing in uniform registers. Sources: Coutinho, Sampaio, Pereira and Meira,
"Divergence Analysis and Optimizations", PACT 2011; Lee et al., "Convergence and Scalarization for Data-Parallel Architectures", CGO 2013.
"""

from __future__ import annotations

from collections import deque

from warploom.compiler.ranges import INT32, UINT32, fits, words_are_signed
from warploom.compiler.ssa import Block, Value
from warploom.isa import uop as u

SCALAR_OPERATIONS = frozenset((
    "add", "sub", "mul", "and", "or", "xor", "min", "max", "eq", "ne", "lt", "floordiv", "floormod", "shl", "shr", "sel", "from_end",
    "wrap", "phi", "popc", "clz", "ctz", "brev",
))  # fmt: skip
UNIFORM_SPECIALS = frozenset(f"{what}_{axis}" for what in ("block", "block_dim", "grid_dim") for axis in "xyz") | {"block", "lanes", "warp"}
MOST = 96  # scalar registers given to values at most; the rest is for arguments


def uniform_values(blocks: list[Block], wide: set[Value], scalars: int = 0) -> dict[Value, int]:
    """The region of each value that goes into a scalar register. scalars: those that the launch writes."""
    most = max(0, min(MOST, u.HIDDEN_SCALARS - scalars))
    never = _never(blocks, wide)
    found: dict[Value, int] = {}
    heads = [blocks[0]]
    entered = {blocks[0]}
    number = 0
    while heads:
        head = heads.pop()
        members = _region(head, found, number, wide, most, never)
        for block in members:
            divided = block.condition is not None and not is_uniform(block.condition, found)
            if not divided or _returns(block):
                continue
            for other in block.after:
                if other not in entered and len(other.before) == 1 and other not in members:
                    entered.add(other)
                    heads.append(other)
        number += 1
    return found


def is_uniform(value: Value, found: dict[Value, int]) -> bool:
    """Whether all lanes of the region agree on a value."""
    return value.op in ("const", "param") or value in found


def _never(blocks: list[Block], wide: set[Value]) -> set[Value]:
    """Values that are uniform in no region: which no scalar register can hold, and what is computed from them."""
    users: dict[Value, list[Value]] = {}
    never: set[Value] = set()
    for block in blocks:
        for value in (*block.phis, *block.code):
            for operand in value.args:
                users.setdefault(operand, []).append(value)
            known = value.op in ("const", "param")
            if not known and not (_may(value, wide) and (value.args or value.op in ("special", "phi"))):
                never.add(value)
    work = list(never)
    while work:
        for user in users.get(work.pop(), ()):
            if user not in never:
                never.add(user)
                work.append(user)
    return never


def _region(head: Block, found: dict[Value, int], number: int, wide: set[Value], most: int, never: set[Value]) -> list[Block]:
    """The blocks of the region that begins at `head`; its uniform values go into `found`. Phis are uniform until something says no."""
    reached = _dominated(head, never)
    barred: set[Value] = set()  # phis that turned out not to be uniform
    while True:
        phis = [phi for block in reached for phi in block.phis if block is not head and phi not in barred and _may(phi, wide)]
        tried = dict.fromkeys(phis[: most - len(found)], number)
        found.update(tried)
        made = _evaluate(reached, found, number, wide, most)
        parted = _after_divided(reached, found)
        stays = [block for block in reached if block not in parted]
        wrong = {
            phi for phi in tried
            if phi.block in parted or any(not is_uniform(operand, found) for operand in phi.args)
        }  # fmt: skip
        if not wrong and len(stays) == len(reached):
            return reached
        for value in (*tried, *made):
            del found[value]
        reached = stays
        barred |= wrong
        if head not in reached:
            return [head]


def _evaluate(blocks: list[Block], found: dict[Value, int], number: int, wide: set[Value], most: int) -> list[Value]:
    """Values whose operands are uniform, in the order of the blocks."""
    made = []
    changed = True
    while changed:
        changed = False
        for block in blocks:
            for value in block.code:
                if value not in found and _may(value, wide) and _agree(value, found) and len(found) < most:
                    found[value] = number
                    made.append(value)
                    changed = True
    return made


def _may(value: Value, wide: set[Value]) -> bool:
    """Whether a scalar register can hold a value: a whole number of one word."""
    if value in wide and not (fits(value, INT32) or fits(value, UINT32)):
        return False
    if value.op == "special":
        return str(value.imm) in UNIFORM_SPECIALS
    if value.op in ("floordiv", "floormod") and words_are_signed(*value.args) is None:
        return False  # a division of pairs, which lie in lanes
    words = all(not operand.is_int or fits(operand, INT32) or fits(operand, UINT32) or operand not in wide for operand in value.args)
    return value.is_int and value.op in SCALAR_OPERATIONS and words


def _agree(value: Value, found: dict[Value, int]) -> bool:
    return value.op == "special" or (bool(value.args) and all(is_uniform(operand, found) for operand in value.args))


def _dominated(head: Block, never: set[Value]) -> list[Block]:
    """Blocks that are only come to through `head`, in the order of a walk; not those to which a branch leads on which lanes surely part.
    So each of a chain of branches is looked at once."""
    order: list[Block] = []
    seen = {head}
    work = deque([head])
    while work:
        block = work.popleft()
        order.append(block)
        for other in block.after if block.condition not in never else ():
            if other not in seen:
                seen.add(other)
                work.append(other)
    kept = set(order)
    changed = True
    while changed:
        outside = [block for block in kept if block is not head and any(one not in kept for one in block.before)]
        changed = bool(outside)
        kept -= set(outside)
    return [block for block in order if block in kept]


def _after_divided(blocks: list[Block], found: dict[Value, int]) -> set[Block]:
    """Blocks that can be come to after lanes have parted."""
    parted: set[Block] = set()
    work = [block for block in blocks if block.condition is not None and not is_uniform(block.condition, found)]
    while work:
        for other in work.pop().after:
            if other not in parted:
                parted.add(other)
                work.append(other)
    return parted


def _returns(block: Block) -> bool:
    """Whether a block can be come to again after it."""
    seen: set[Block] = set()
    work = list(block.after)
    while work:
        one = work.pop()
        if one is block:
            return True
        if one not in seen:
            seen.add(one)
            work += one.after
    return False
