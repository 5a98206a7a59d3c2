"""Which flags somebody reads: the only ones that are computed.

In hardware every instruction that sets flags does, into a renamed register; here each would be a micro-op or several. A flag is alive after
an instruction where, on some path from there, it is read before it is written. Source: Aho et al., "Compilers", section 9.2.5.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from warploom.isa.avx512.decoder import Decoded
from warploom.isa.avx512.operands import Immediate

ENDS = ("jmp", "ret", "ud2", "int3")


def live_flags(instructions: Sequence[Decoded], numbers: Mapping[int, int]) -> list[str]:
    """For each instruction the flags that are alive after it. numbers: of the instructions, by address."""
    count = len(instructions)
    after: list[set[str]] = [set() for _ in range(count)]
    before: list[set[str]] = [set() for _ in range(count)]
    predecessors: list[list[int]] = [[] for _ in range(count)]
    for number, one in enumerate(instructions):
        for following in _successors(one, number, count, numbers):
            predecessors[following].append(number)
    waiting = list(range(count))
    while waiting:
        number = waiting.pop()
        row = instructions[number].row
        alive = set(row.reads) | (after[number] - set(row.writes)) if row is not None else set()
        if alive != before[number]:
            before[number] = alive
            for earlier in predecessors[number]:
                after[earlier] |= alive
                waiting.append(earlier)
    return ["".join(sorted(flags)) for flags in after]


def _successors(one: Decoded, number: int, count: int, numbers: Mapping[int, int]) -> list[int]:
    if one.row is None:
        return []
    name = one.row.mnemonic
    found = [number + 1] if name not in ENDS and number + 1 < count else []
    target = one.written.operands[0] if one.row.operand_text.startswith("rel") else None
    if isinstance(target, Immediate) and name != "call" and target.value in numbers:
        found.append(numbers[target.value])
    return found
