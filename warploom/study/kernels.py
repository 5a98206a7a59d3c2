"""A small assembler for the kernels of experiments and microbenchmarks: micro-ops with labels, one instruction a line."""

from __future__ import annotations

import numpy as np

from warploom.isa import uop as u
from warploom.isa.launch import Extent, Launch
from warploom.isa.program import Program
from warploom.isa.program_builder import ProgramBuilder
from warploom.isa.uop import IMMEDIATE, NONE, Uop

# Lane registers that a launch fills in, and the first one that a kernel may use as it likes.
THREAD, LANE, WARP, GLOBAL = range(4)
FREE = 4
_LAUNCH = ((THREAD, "thread"), (LANE, "lane"), (WARP, "warp"), (GLOBAL, "global_thread"))
REGISTERS = 32


class Kernel:
    """Collects instructions; a label may be used before it is placed.

    Operands are lane registers; `imm` is the immediate that stands in the place of a source that is left out.
    """

    def __init__(self) -> None:
        self._lines: list[tuple[list[tuple[str, dict[str, int]]], str]] = []
        self._labels: dict[str, int] = {}

    def label(self, name: str) -> None:
        """The next instruction is called `name`."""
        self._labels[name] = len(self._lines)

    def mov(self, dst: int, imm: int) -> None:
        """dst = imm."""
        self._add("mov", dst=dst, a=IMMEDIATE, imm=imm)

    def op(self, name: str, dst: int, a: int, b: int | None = None, imm: int = 0, c: int = NONE, latency: int = NONE) -> None:
        """dst = a op b, or a op imm; c is a third source, of the operations that have one. latency: a class that is not its own."""
        self._add(name, dst=dst, a=a, b=IMMEDIATE if b is None else b, imm=imm, c=c, latency=latency)

    def unary(self, name: str, dst: int, a: int) -> None:
        """dst = op a."""
        self._add(name, dst=dst, a=a)

    def special(self, dst: int, name: str) -> None:
        """dst = a special register: `cycle` is the clock, `core` the number of the core."""
        self._add("special", dst=dst, imm=u.SPECIAL_NUMBER[name])

    def load(self, dst: int, address: int, offset: int = 0, space: int = u.GLOBAL_SPACE, width: int = 4) -> None:
        """dst = the word at address + offset. width: bytes; 8 or 16: two or four words, one instruction, in registers from dst on."""
        piece = min(width, u.WIDE)
        parts = range(0, width, piece)
        self._bundle([("load", {"dst": dst + at // 4, "a": address, "imm": offset + at, "space": space, "size": piece}) for at in parts])

    def store(self, address: int, value: int, offset: int = 0, space: int = u.GLOBAL_SPACE) -> None:
        """The word at address + offset = value."""
        self._add("store", a=address, b=value, imm=offset, space=space)

    def atomic(self, name: str, dst: int, address: int, value: int, offset: int = 0) -> None:
        """dst = the word at address + offset, which is changed by `value` at the same time."""
        self._add(name, dst=dst, a=address, b=value, imm=offset)

    def barrier(self) -> None:
        """Waits for all warps of the block."""
        self._add("barrier", a=IMMEDIATE)

    def fence(self, scope: int = u.FENCE_DEVICE) -> None:
        """Waits until this warp's memory accesses are done. scope: for whom, FENCE_DEVICE or FENCE_BLOCK."""
        self._add("fence", imm=scope)

    def branch(self, condition: int, target: str, *, unless: bool = False) -> None:
        """Lanes in which `condition` is not zero (unless: is zero) go to the label."""
        self._add("branch", target, a=condition, imm=0xFFFFFFFF, flags=u.NEGATE if unless else 0)

    def jump(self, target: str) -> None:
        """All lanes that are active go to the label."""
        self._add("jump", target)

    def exit(self) -> None:
        """The active lanes end."""
        self._add("exit")

    def _add(self, operation: str, target: str = "", **fields: int) -> None:
        self._bundle([(operation, fields)], target)

    def _bundle(self, uops: list[tuple[str, dict[str, int]]], target: str = "") -> None:
        self._lines.append((uops, target))

    def program(
        self,
        name: str,
        *,
        threads: int = 1,
        block: Extent,
        grid: Extent = 0,
        data: np.ndarray | None = None,
        memory_bytes: int = 0,
        shared_bytes: int = 0,
        constants: np.ndarray | None = None,
        registers: int = REGISTERS,
    ) -> Program:
        """The program. grid: blocks, in the place of threads. data, constants: initial memory and constant memory, any arrays, from byte 0.

        registers: that a thread has.
        """
        builder = ProgramBuilder()
        for uops, target in self._lines:
            bundle = [Uop(operation, target=self._labels[target] if target else NONE, **fields) for operation, fields in uops]
            builder.add(bundle, text=f"{'; '.join(map(str, bundle))} {target}".rstrip())
        rows, code, text = builder.arrays()
        first, second = (np.zeros(0, np.uint8) if a is None else np.ascontiguousarray(a).view(np.uint8) for a in (data, constants))
        return Program(
            "micro-ops",
            name,
            rows,
            code,
            text,
            registers,
            tuple(f"r{number}" for number in range(registers)),
            launch=Launch(threads, block, grid=grid, registers=_LAUNCH, shared_bytes=shared_bytes),
            labels=dict(self._labels),
            data=first,
            constants=second,
            memory_bytes=memory_bytes,
        )
