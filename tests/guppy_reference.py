"""guppy, interpreted directly: what every instruction means, on whole arrays, without micro-ops.

The independent model for the lowering and for the machines. One `Warp` runs any number of lanes at once (a picture of
16,384 pixels as one warp); registers are uint32[register, component, lane].
"""

from dataclasses import dataclass, field

import numpy as np

from warploom.isa.diagnostics import Diagnostics
from warploom.isa.guppy.operands import Builtin, Immediate, Register, Sampler
from warploom.isa.guppy.parser import Listing, parse
from warploom.isa.program import Program, Source
from warploom.isa.views import (
    F_WORD,
    SAMPLER_FILTER,
    SAMPLER_WRAP_U,
    SAMPLER_WRAP_V,
    VIEW_BASE,
    VIEW_BYTES,
    VIEW_FORMAT,
    VIEW_HEIGHT,
    VIEW_PITCH,
    VIEW_WIDTH,
)

F, U = np.float32, np.uint32


class Fault(Exception):
    """A memory access that the language forbids, or a pop of an empty stack."""


def listing_of(program: Program) -> Listing:
    """The statements that a program was made from."""
    diagnostics = Diagnostics(program.source)
    return parse(Source(program.source.text), diagnostics)


@dataclass
class Warp:
    """Some lanes that run one program; `memory` is bytes that all warps share."""

    program: Program
    memory: np.ndarray
    lanes: int
    block: int = 0
    warp: int = 0
    first_thread: int = 0  # number in the block of lane 0
    registers: np.ndarray = field(init=False)
    stack: list = field(default_factory=list)
    executed: int = 0
    active_lanes: int = 0

    def __post_init__(self) -> None:
        self.listing = listing_of(self.program)
        self.registers = np.zeros((128, 4, self.lanes), U)
        self.threads = self.first_thread + np.arange(self.lanes)
        self.mask = self.threads < self.program.launch.block
        self.pc = 0
        self.done = False

    def run(self, limit: int = 1_000_000) -> "Warp":
        with np.errstate(all="ignore"):
            while not self.done and self.pc < len(self.listing.statements):
                self.step()
                limit -= 1
                if limit == 0:
                    raise Fault("no end")
        return self

    def step(self) -> None:
        statement = self.listing.statements[self.pc]
        self.executed += 1
        self.active_lanes += int(self.mask.sum())
        name, operands = statement.row.mnemonic, statement.operands
        if name in CONTROL:
            CONTROL[name](self, *operands)
            return
        self.pc += 1
        if name == "ld":
            self.load(*operands)
        elif name == "st":
            self.store(*operands)
        elif name == "sample":
            self.write(operands[0], self.sample(*operands[1:]))
        else:
            self.write(operands[0], ARITHMETIC[name](*(self.read(operand) for operand in operands[1:])))

    def read(self, operand) -> np.ndarray:
        """uint32[4, lanes]; components that are not named are 0."""
        out = np.zeros((4, self.lanes), U)
        if isinstance(operand, Register):
            out[: len(operand.swizzle)] = self.registers[operand.number][list(operand.swizzle)]
        elif isinstance(operand, Immediate):
            out[: len(operand.words)] = np.array(operand.words, U)[:, None]
        else:
            assert isinstance(operand, Builtin)
            out[:] = {
                "thread_id": self.block * self.program.launch.block + self.threads,
                "lane_id": np.arange(self.lanes),
                "wave_id": self.warp,
                "clock": self.executed,
            }[operand.name]
        return out

    def write(self, operand, values: np.ndarray) -> None:
        for letter, value in zip(operand.swizzle, values.view(U), strict=False):
            self.registers[operand.number][letter] = np.where(self.mask, value, self.registers[operand.number][letter])

    def view(self, name: str) -> np.ndarray:
        return self.program.views[self.program.view_names.index(name)]

    def words(self, name: str, first: np.ndarray, offset: int) -> np.ndarray:
        """Word numbers in memory of byte `first` + `offset` of a buffer, in the active lanes."""
        row = self.view(name)
        address = first.astype(np.int64) + offset
        bad = self.mask & ((address % 4 != 0) | (address < 0) | (address + 4 > row[VIEW_BYTES]))
        if bad.any():
            raise Fault(f"lane {np.flatnonzero(bad)[0]}")
        return np.where(self.mask, (row[VIEW_BASE] + address) // 4, 0)

    def load(self, target, view, address) -> None:
        first = self.read(address)[0]
        memory = self.memory.view(U)
        values = np.zeros((4, self.lanes), U)
        for position, letter in enumerate(view.swizzle[: len(target.swizzle)]):
            values[position] = memory[self.words(view.name, first, 4 * letter)]
        self.write(target, values)

    def store(self, view, address, values) -> None:
        at, data = self.read(address), self.read(values)
        row = self.view(view.name)
        if row[VIEW_FORMAT] != F_WORD:
            levels = np.nan_to_num(np.clip(data.view(F), F(0), F(1))) * F(255)
            red, green, blue, alpha = levels.astype(U)
            packed = red << 24 | green << 16 | blue << 8 | alpha
            inside = self.mask & (at[0] < row[VIEW_WIDTH]) & (at[1] < row[VIEW_HEIGHT])
            word = row[VIEW_BASE] // 4 + at[1].astype(np.int64) * (row[VIEW_PITCH] // 4) + at[0]
            self.memory.view(U)[word[inside]] = packed[inside]
            return
        for position, letter in enumerate(view.swizzle):
            word = self.words(view.name, at[0], 4 * position)
            self.memory.view(U)[word[self.mask]] = data[letter][self.mask]

    def sample(self, view, sampler, coordinates) -> np.ndarray:
        row = self.view(view.name)
        settings = self.program.samplers[self.sampler_names().index(sampler.name)]
        u, v = self.read(coordinates)[:2].view(F)
        x = _around(u * F(row[VIEW_WIDTH]), int(row[VIEW_WIDTH]), settings[SAMPLER_WRAP_U], settings[SAMPLER_FILTER])
        y = _around(v * F(row[VIEW_HEIGHT]), int(row[VIEW_HEIGHT]), settings[SAMPLER_WRAP_V], settings[SAMPLER_FILTER])
        texels = self.memory[row[VIEW_BASE] : row[VIEW_BASE] + row[VIEW_BYTES]].view("<u4").reshape(row[VIEW_HEIGHT], row[VIEW_WIDTH])
        total = np.zeros((4, self.lanes), F)
        for i, j in ((0, 0), (1, 0), (1, 1), (0, 1)):
            (column, across), (line, down) = x[i % len(x)], y[j % len(y)]
            if i < len(x) and j < len(y):
                texel = texels[line, column]
                channels = np.stack([(texel >> shift & 255).astype(F) / F(255) for shift in (24, 16, 8, 0)])
                total = total + channels * (across * down)
        out = np.zeros((4, self.lanes), U)
        out[: len(view.swizzle)] = total.view(U)[list(view.swizzle)]
        return out

    def sampler_names(self) -> list[str]:
        """In the order of Program.samplers: those of directives, then the others as they are used."""
        names = [directive.words[1][0] for directive in self.listing.directives if directive.words[0][0] == "sampler"]
        used = [operand.name for statement in self.listing.statements for operand in statement.operands if isinstance(operand, Sampler)]
        return list(dict.fromkeys(names + used))

    def pop(self) -> None:
        if not self.stack:
            raise Fault("empty stack")
        self.mask, self.pc = self.stack.pop()

    def target(self, label) -> int:
        return self.listing.labels[label.name]


def _around(place: np.ndarray, size: int, wrap: int, linear: int) -> list:
    """(texel numbers, weights) along one axis: one pair for a point sampler, two for a linear one."""
    if not linear:
        return [(_wrapped(np.floor(place).astype(np.int64), size, wrap), np.ones_like(place))]
    low = np.floor(place - F(0.5))
    pairs = []
    for texel in (low, low + F(1)):
        pairs.append((_wrapped(texel.astype(np.int64), size, wrap), F(1) - np.abs(place - (texel + F(0.5)))))
    return pairs


def _wrapped(texel: np.ndarray, size: int, wrap: int) -> np.ndarray:
    if wrap == 1:
        return np.clip(texel, 0, size - 1)
    if wrap == 2:
        inside = texel % (2 * size)
        return np.minimum(inside, 2 * size - 1 - inside)
    return texel % size


# ---------------------------------------------------------------------------------------------------------
# Meanings. Arguments are uint32[4, lanes].


def floats(operation):
    return lambda *sources: np.asarray(operation(*(source.view(F) for source in sources)), F)


def clamp(a):
    return np.where(a < 0, F(0), np.where(a > 1, F(1), a))


def length(a):
    x, y, z, w = a
    return np.broadcast_to(np.sqrt(((x * x + y * y) + z * z) + w * w), a.shape).copy()


def divide(a, b):
    return np.where(b == 0, F(1.0e23), a / np.where(b == 0, F(1), b))


ARITHMETIC = {
    "mov": lambda a: a,
    "utof": lambda a: a.astype(F),
    "clamp": floats(clamp),
    "abs.f32": floats(np.abs),
    "len": floats(length),
    "norm": floats(lambda a: np.where(length(a) == 0, F(0), a / length(a))),
    "add.f32": floats(lambda a, b: a + b),
    "add.u32": lambda a, b: a + b,
    "sub.f32": floats(lambda a, b: a - b),
    "sub.u32": lambda a, b: a - b,
    "mul.f32": floats(lambda a, b: a * b),
    "mul.u32": lambda a, b: a * b,
    "div.f32": floats(divide),
    "div.u32": lambda a, b: np.where(b == 0, U(0xFFFFFFFF), a // np.where(b == 0, U(1), b)),
    "lt.f32": lambda a, b: (a.view(F) < b.view(F)).astype(U),
    "lt.u32": lambda a, b: (a < b).astype(U),
    "gt.f32": lambda a, b: (a.view(F) > b.view(F)).astype(U),
    "gt.u32": lambda a, b: (a > b).astype(U),
    "and": lambda a, b: a & b,
    "or": lambda a, b: a | b,
    "mad.f32": floats(lambda a, b, c: a * b + c),
    "mad.u32": lambda a, b, c: a * b + c,
    "lerp": floats(lambda a, b, t: a * clamp(t) + b * (F(1) - clamp(t))),
}


def _push_mask(warp, label):
    warp.stack.append((warp.mask, warp.target(label)))
    warp.pc += 1


def _mask_nz(warp, condition):
    kept = warp.mask & (warp.read(condition)[0] != 0)
    if kept.any():
        warp.mask = kept
        warp.pc += 1
    else:
        warp.pop()


def _br_push(warp, condition, otherwise, join):
    true = warp.mask & (warp.read(condition)[0] != 0)
    false = warp.mask & ~true
    warp.stack.append((warp.mask, warp.target(join)))
    if false.any():
        warp.stack.append((false, warp.target(otherwise)))
    if true.any():
        warp.mask = true
        warp.pc += 1
    else:
        warp.pop()


def _jmp(warp, label):
    warp.pc = warp.target(label)


def _ret(warp):
    warp.done = True


CONTROL = {
    "push_mask": _push_mask,
    "pop_mask": lambda warp: warp.pop(),
    "mask_nz": _mask_nz,
    "br_push": _br_push,
    "jmp": _jmp,
    "ret": _ret,
}


def run_all(program: Program, lanes: int = 32) -> tuple[np.ndarray, dict[tuple[int, int], Warp]]:
    """Every warp of a launch, one after the other: final memory (bytes) and the warps by (block, warp)."""
    memory = program.data.copy()
    warps = {}
    for block in range(-(-program.launch.threads // program.launch.block)):
        for number in range(-(-program.launch.block // lanes)):
            warps[block, number] = Warp(program, memory, lanes, block, number, number * lanes).run()
    return memory, warps
