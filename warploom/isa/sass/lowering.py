"""From a kernel to micro-ops, once; and from those and a launch to what a machine runs.

The instructions of a kernel, and of functions that have a section of their own, follow one another. A constant is an immediate that a
launch fills in. An instruction that has no meaning here stops the run where it is reached, and says what it is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from warploom.isa import uop as u
from warploom.isa.program import Position
from warploom.isa.program_builder import ProgramBuilder
from warploom.isa.sass.code import Bank, Code, Refusal
from warploom.isa.sass.code import Kernel as Known
from warploom.isa.sass.cubin import WORD, Cubin, Kernel
from warploom.isa.sass.effects import UNGUARDED, meaning_of
from warploom.isa.sass.host import COMES_BACK, FUNCTIONS, STEPS, WAITS_FOR_ALL, body
from warploom.isa.sass.instruction import Instruction
from warploom.isa.sass.rows.flow import takes_turns
from warploom.isa.sass.rows.units import WITHOUT
from warploom.isa.sass.table import decoded
from warploom.isa.uop import NONE, Uop

ROW = 256  # constant banks begin at multiples


@dataclass(frozen=True)
class Refused:
    """An instruction without a meaning. number: of the instruction. reason: a clause."""

    number: int
    reason: str


@dataclass(frozen=True)
class Lowered:
    """A kernel as micro-ops. patches: rows of `uops` whose immediate is a constant. bases: where banks begin in constant memory; sizes: how
    long they are. instructions: as decoded, in order."""

    uops: np.ndarray
    code: np.ndarray
    text: tuple[str, ...]
    patches: tuple[tuple[int, Bank], ...]
    refused: tuple[Refused, ...]
    instructions: tuple[Instruction, ...]
    number_of: Mapping[int, int]
    bases: Mapping[int, int]
    sizes: Mapping[int, int]

    def constants(self, banks: Mapping[int, bytes]) -> np.ndarray:
        """The constant memory of a launch: its banks one after another."""
        size = max([0, *(self.bases[number] + self.sizes[number] for number in self.bases)])
        memory = np.zeros(size, np.uint8)
        for number, start in self.bases.items():
            data = banks.get(number, b"")[: self.sizes[number]]
            memory[start : start + len(data)] = np.frombuffer(data, np.uint8)
        return memory

    def filled(self, constants: np.ndarray) -> np.ndarray:
        """The micro-ops of a launch, with its constants."""
        uops = self.uops.copy()
        if self.patches:
            rows = np.array([row for row, _ in self.patches], np.int64)
            places = np.array([self.bases[constant.bank] + constant.offset for _, constant in self.patches], np.int64)
            words = constants[places[:, None] + np.arange(4, dtype=np.int64)].astype(np.uint32)
            shifts = np.arange(0, 32, 8, dtype=np.uint32)
            uops[rows, u.IMM] = (words << shifts).sum(axis=1, dtype=np.uint32).view(np.int32)
        return uops


def pieces(cubin: Cubin, kernel: Kernel) -> list[tuple[Kernel, int]]:
    """A kernel and the functions of the file, each with the address at which its code begins."""
    found, at = [(kernel, 0)], len(kernel.code)
    for function in cubin.functions.values():
        found.append((function, at))
        at += len(function.code)
    return found


def host_addresses(cubin: Cubin, kernel: Kernel) -> dict[str, int]:
    """Where the functions of the host lie that a kernel may call: after the file's own code."""
    if kernel.registers <= COMES_BACK:
        return {}
    last, start = pieces(cubin, kernel)[-1]
    end = start + len(last.code)
    called = [name for name in FUNCTIONS if any(one.name == name for one in cubin.symbols)]
    return {name: end + place * STEPS * WORD for place, name in enumerate(called)}


def useful(code: bytes, architecture: int) -> Sequence[Instruction]:
    """The instructions of a piece without the NOPs that fill its end."""
    instructions = list(decoded(code, architecture))
    while len(instructions) > 1 and instructions[-1].name == "NOP":
        instructions.pop()
    return instructions


def instructions_of(cubin: Cubin, kernel: Kernel) -> list[Instruction]:
    """The instructions of a kernel and of the functions of its file."""
    return [one for piece, _ in pieces(cubin, kernel) for one in useful(piece.code, cubin.architecture)]


def lower(cubin: Cubin, kernel: Kernel, sizes: Mapping[int, int], functions: Mapping[str, int] | None = None) -> Lowered:
    """The micro-ops of a kernel. sizes: of its constant banks, in bytes. functions: where tables of functions begin, in words."""
    bases, end = {}, 0
    for bank, size in sorted(sizes.items()):
        bases[bank] = end
        end += -(-size // ROW) * ROW
    instructions: list[Instruction] = []
    positions: list[Position] = []
    number_of: dict[int, int] = {}
    for piece, start in pieces(cubin, kernel):
        for one in useful(piece.code, cubin.architecture):
            number_of[start + one.address] = len(instructions)
            positions.append(piece.lines.get(one.address, Position()))
            instructions.append(one if start == 0 else Instruction(one.word, start + one.address, one.architecture, one.row))
    supplied = host_addresses(cubin, kernel)
    steps = [(name, start, step) for name, start in supplied.items() for step in range(STEPS)]
    number_of |= {start + step * WORD: len(instructions) + place for place, (_, start, step) in enumerate(steps)}
    names = {start + address: name for piece, start in pieces(cubin, kernel) for address, name in piece.labels.items() if address or start}
    names |= {start: name for name, start in supplied.items()}
    known = Known(kernel.registers, number_of, len(instructions), bases, kernel.stack_bytes, functions or {}, meets_of(instructions))
    builder = ProgramBuilder()
    patches: list[tuple[int, Bank]] = []
    refused: list[Refused] = []
    for number, one in enumerate(instructions):
        code = Code(one, known)
        try:
            _lower_one(code, sizes)
        except Refusal as reason:
            refused.append(Refused(number, str(reason)))
            code = Code(one, known)
            code.add("illegal", imm=one.word & 0x7FFFFFFF)
        patches += [(len(builder.uops) + patch.place, patch.constant) for patch in code.patches]
        builder.add(
            code.uops or [Uop("nop")], text=one.text(names), position=positions[number], word=one.word & (1 << 64) - 1,
            address=one.address, unit=code.unit, latency=code.latency,
        )  # fmt: skip
    for name, start, step in steps:
        code = Code(Instruction(WAITS_FOR_ALL, start + step * WORD, cubin.architecture, None), known)
        body(name, step, code)
        patches += [(len(builder.uops) + patch.place, patch.constant) for patch in code.patches]
        instructions.append(code.one)
        builder.add(
            code.uops, text=(f"{name} (host)", f"{name} (host): returns")[step], position=Position(), word=0, address=code.one.address
        )
    uops, rows, text = builder.arrays()
    return Lowered(uops, rows, text, tuple(patches), tuple(refused), tuple(instructions), number_of, bases, dict(sizes))


def meets_of(instructions: Sequence[Instruction]) -> dict[int, int]:
    """Where the parts of a warp come together that take turns from a WARPSYNC.EXCLUSIVE on, by its address: at the next BSYNC, or, in a
    function, at the one after its call; after the last instruction where there are several calls."""
    found = {}
    for number, one in enumerate(instructions):
        if one.name == "WARPSYNC" and takes_turns(one):
            last = _next_of(instructions, number, JUMPS)
            if last < len(instructions) and instructions[last].name == "RET":
                calls = _calls_of(instructions, one.address)
                last = _next_of(instructions, calls[0] + 1, JUMPS) if len(calls) == 1 else len(instructions)
                found[one.address] = last if last < len(instructions) and instructions[last].name == "BSYNC" else len(instructions)
            elif last < len(instructions) and instructions[last].name == "BSYNC":
                found[one.address] = last
    return found


JUMPS = ("BRA", "BRX", "CALL", "RET", "EXIT", "BSSY", "BSYNC", "JMX")


def _next_of(instructions: Sequence[Instruction], number: int, names: Sequence[str]) -> int:
    """The first instruction from one on that has one of some names; how many there are where none has."""
    return next((place for place in range(number, len(instructions)) if instructions[place].name in names), len(instructions))


def _calls_of(instructions: Sequence[Instruction], address: int) -> list[int]:
    """The calls of the function that an address lies in: of those that begin before it the last."""
    targets = [(one.target, number) for number, one in enumerate(instructions) if one.name == "CALL" and one.target is not None]
    begin = max((target for target, _ in targets if target <= address), default=-1)
    return [number for target, number in targets if target == begin]


def _lower_one(code: Code, sizes: Mapping[int, int]) -> None:
    """Raises Refusal."""
    row = code.one.row
    if row is None:
        raise Refusal("this word is not an instruction that this machine has")
    meaning = meaning_of(row)
    if meaning is None:
        raise Refusal(WITHOUT.get(row.name, "this instruction is something that this machine does not have"))
    if row.name not in UNGUARDED:
        code.begin()
    meaning(code)
    for patch in code.patches:
        if patch.constant.offset + 4 > sizes.get(patch.constant.bank, 0):
            bank, offset = patch.constant
            raise Refusal(f"there is no constant c[{bank:#x}][{offset:#x}]: the bank has {sizes.get(bank, 0)} bytes")
    if len(code.uops) > MOST_UOPS:
        raise Refusal("it is too long for one instruction of this machine")


MOST_UOPS = 1000
__all__ = ["NONE", "Lowered", "Refused", "lower", "pieces", "useful"]
