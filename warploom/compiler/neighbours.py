"""Neighbours: loads of words that lie side by side in one aligned row become one wide load.

Between two operations by which memory may change, the loads of a block that have the same base are looked at together: four words (or two)
that fill an aligned row of 16 or 8 bytes move to where the first of them stands, and say which row they are a part of; `rows.py` makes one
instruction of them. How far an address is aligned follows from what it is computed of, the variables of loops included.

In hardware: ptxas makes LDS.128 of four neighbouring LDS. Only shared memory is looked at: a compiler is not told how far pointers that
the launch gives are aligned.
"""

from __future__ import annotations

from collections.abc import Iterable

from warploom.compiler.ssa import Block, Value

ROWS = (16, 8)
SIZES = (4, 8)
SPACES = ("shared",)
CHANGES = ("fence", "syncwarp", "trap", "note", "ask")  # operations besides accesses and barriers that loads stay behind
MOST = 63  # powers of two that are counted
DYNAMIC = 4  # dynamic shared memory begins at a multiple of 16


def join_neighbours(blocks: list[Block]) -> None:
    """Order and mark the loads of all blocks."""
    groups = [group for block in blocks for group in _groups(block)]
    if not groups:
        return
    twos = _twos(blocks)
    for block, group in groups:
        loads = group
        base = loads[0].args[0]
        power = MOST if base.op == "const" else twos.get(base, _given(base))
        offset = int(base.imm) if base.op == "const" else 0
        for row in ROWS:
            if power >= row.bit_length() - 1:
                loads = _rows(block, loads, row, offset)


def _groups(block: Block) -> Iterable[tuple[Block, list[Value]]]:
    """Loads of one space, base and size between which memory stays as it is; more than one."""
    found: list[dict[tuple[str, int, int], list[Value]]] = [{}]
    for value in block.code:
        access = value.access
        if value.op == "load" and access is not None and access.row != access.size:
            if access.space in SPACES and access.size in SIZES and not access.row:
                found[-1].setdefault((access.space, _identity(value.args[0]), access.size), []).append(value)
        elif access is not None or value.op in CHANGES or value.op.startswith(("barrier", "grid_barrier")):
            found.append({})
    return [(block, loads) for one in found for loads in one.values() if len(loads) > 1]


def _identity(base: Value) -> int:
    return -1 if base.op == "const" else id(base)


def _rows(block: Block, loads: list[Value], row: int, offset: int) -> list[Value]:
    """Join the loads that fill rows; gives the others."""
    size = loads[0].access.size if loads and loads[0].access is not None else 0
    if not loads or size >= row:
        return loads
    by_place: dict[int, Value] = {}
    for load in loads:
        by_place.setdefault(_place(load, offset), load)
    left = dict.fromkeys(loads)
    for place in sorted(by_place):
        members = [by_place.get(one) for one in range(place, place + row, size)]
        if place % row == 0 and None not in members:
            chosen = [one for one in members if one is not None]
            _move(block, chosen, row)
            for one in chosen:
                del left[one]
    return list(left)


def _place(load: Value, offset: int) -> int:
    return int(load.imm) + (int(load.args[0].imm) if load.args[0].op == "const" else offset)


def _move(block: Block, members: list[Value], row: int) -> None:
    """Bring loads together where the first of them stands, in the order of their addresses."""
    first = min(block.code.index(one) for one in members)
    kept = [one for one in block.code[first:] if one not in members]
    block.code[first:] = [*members, *kept]
    for one in members:
        if one.access is not None:
            one.access = one.access._replace(row=row)


def _given(value: Value) -> int:
    """Powers of two in a value that nothing computes."""
    if value.op == "const":
        number = int(value.imm)
        return min((number & -number).bit_length() - 1, MOST) if number else MOST
    return DYNAMIC if value.op == "param" and value.access is not None and value.access.space == "dynamic shared" else 0


def _twos(blocks: list[Block]) -> dict[Value, int]:
    """How often two divides each whole number that is computed: from many down until nothing changes, so that loops are right too."""
    values = [value for block in blocks for value in (*block.phis, *block.code) if value.is_int]
    found = dict.fromkeys(values, MOST)
    changed = True
    while changed:
        changed = False
        for value in values:
            powers = [found.get(one, _given(one)) for one in value.args]
            power = min(_power(value, powers), found[value])
            if power < found[value]:
                found[value] = power
                changed = True
    return found


def _power(value: Value, powers: list[int]) -> int:
    if value.op in ("add", "sub", "or", "xor", "phi", "min", "max"):
        return min(powers, default=0)
    if value.op == "sel":
        return min(powers[1:])
    if value.op == "and":
        return max(powers)
    if value.op == "mul":
        return min(sum(powers), MOST)
    if value.op == "shl" and value.args[1].op == "const":
        return min(powers[0] + int(value.args[1].imm), MOST)
    return powers[0] if value.op == "wrap" and int(value.imm) >= 32 else 0
