"""Small programs for machines with warps, written as micro-ops, and the machines that run them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from warploom.gpu import GPU
from warploom.isa import uop as u
from warploom.isa.program import Launch, Program
from warploom.isa.program_builder import ProgramBuilder
from warploom.isa.uop import IMMEDIATE, NONE, Uop
from warploom.machine.config.presets import load_config
from warploom.machine.config.schema import Config
from warploom.machine.device.machine import PipelineMachine
from warploom.machine.run.driver import drive
from warploom.result import Result

# Registers that every launch of `Assembly.program` fills in.
THREAD, LANE, WARP, BLOCK, GLOBAL = 0, 1, 2, 3, 4
LAUNCH = ((THREAD, "thread"), (LANE, "lane"), (WARP, "warp"), (BLOCK, "block"), (GLOBAL, "global_thread"))
FREE = 5  # the first register that is zero at the start

# A small machine: every test changes only what it is about.
SMALL = {
    "gpu.cores": 1, "core.control": "pipeline", "core.lanes": 4, "core.warps": 4, "core.threads_per_block": 4, "core.blocks": 4,
    "memory.kind": "dram", "memory.bytes": 4096, "dram.latency": 20, "dram.channels": 1, "dram.bandwidth": 0,
    "l1.bytes": 512, "l1.line": 64, "l1.ways": 2, "l1.latency": 4, "l2.bytes": 1024, "l2.line": 64, "l2.ways": 2, "l2.latency": 8,
    "lsu.sector": 16, "shared.bytes": 1024, "shared.unit": 4,
}  # fmt: skip


class Assembly:
    """Collects instructions; labels may be used before they are placed."""

    def __init__(self, lock_width: int = 1) -> None:
        self.instructions: list[list[Uop]] = []
        self.labels: dict[str, int] = {}
        self.lock_width = lock_width

    def label(self, name: str) -> None:
        self.labels[name] = len(self.instructions)

    def __call__(self, name: str, **fields: Any) -> None:
        """One instruction of one micro-op; target and reconverge may be labels."""
        self.bundle({"name": name, **fields})

    def bundle(self, *uops: dict[str, Any]) -> None:
        """One instruction of several micro-ops."""
        self.instructions.append([dict(uop) for uop in uops])  # type: ignore[misc]

    def mov(self, dst: int, value: int) -> None:
        self("mov", dst=dst, a=IMMEDIATE, imm=value)

    def op(self, name: str, dst: int, a: int, b: int | None = None, *, imm: int | None = None, c: int = NONE) -> None:
        """dst = a op b; `imm` instead of b."""
        self(name, dst=dst, a=a, b=IMMEDIATE if imm is not None else NONE if b is None else b, c=c, imm=imm or 0)

    def load(self, dst: int, address: int, offset: int = 0, **fields: Any) -> None:
        self("load", dst=dst, a=address, imm=offset, **fields)

    def store(self, address: int, value: int, offset: int = 0, **fields: Any) -> None:
        self("store", a=address, b=value, imm=offset, **fields)

    def branch(self, condition: int, target: str, *, negate: bool = False, meet: str | None = None) -> None:
        """Lanes in which the register is not zero (`negate`: is zero) go to the target."""
        self("branch", a=condition, imm=0xFFFFFFFF, target=target, reconverge=meet or NONE, flags=u.NEGATE if negate else 0)

    def program(self, *, threads: int = 4, block: int = 0, **fields: Any) -> Program:
        """The program. Launch registers: THREAD, LANE, WARP, BLOCK, GLOBAL."""
        launch_fields = {name: fields.pop(name) for name in ("shared_bytes", "local_bytes", "argument", "entry") if name in fields}
        builder = ProgramBuilder(self.lock_width)
        for bundle in self.instructions:
            made = [Uop(**{key: self._place(value) for key, value in uop.items()}) for uop in bundle]  # type: ignore[attr-defined]
            builder.add(made, text="; ".join(str(uop) for uop in made))
        uops, code, text = builder.arrays()
        registers = fields.pop("registers", 32)
        return Program(
            "test", "test", uops, code, text, registers, tuple(f"r{number}" for number in range(registers)),
            launch=Launch(threads, block, registers=LAUNCH, **launch_fields),
            lock_width=self.lock_width, labels=dict(self.labels), **fields,
        )  # fmt: skip

    def _place(self, value: Any) -> Any:
        return self.labels.get(value, value) if isinstance(value, str) else value


def config(**changes: Any) -> Config:
    """SMALL with changes; a setting's dot is written as two underscores."""
    return load_config(Config(), {**SMALL, **{name.replace("__", "."): value for name, value in changes.items()}})


def machine(program: Program, *, tracing: bool = False, policy: Callable[..., int] | None = None, **changes: Any) -> PipelineMachine:
    return PipelineMachine(config(**changes), program, units={"scheduler": policy} if policy else {}, tracing=tracing)


def run(program: Program, *, engine: str = "python", tracing: bool = False, max_cycles: int = 20_000, **changes: Any) -> Result:
    """Run a program on the small machine."""
    return GPU(config(**changes), engine=engine).run(program, tracing=tracing, max_cycles=max_cycles)


def finished(program: Program, *, engine: str = "python", max_cycles: int = 20_000, **changes: Any) -> PipelineMachine:
    """A machine after its run, which must have ended well."""
    made = machine(program, **changes)
    outcome = drive(made, engine=engine, max_cycles=max_cycles)
    assert outcome.status == "done", made.finish(outcome).fault
    return made


def loading(**launch: Any) -> Program:
    """Every thread loads a word and adds to it."""
    code = Assembly()
    code.load(FREE, FREE + 1)
    code.op("add", FREE, FREE, imm=1)
    code("exit")
    return code.program(**launch)


def spinning(**launch: Any) -> Program:
    """Every thread waits until word 16 is not zero, which nobody makes it."""
    code = Assembly()
    code.mov(FREE, 64)
    code.label("wait")
    code.load(FREE + 1, FREE)
    code.branch(FREE + 1, "wait", negate=True)
    code("exit")
    return code.program(**launch)


def words(result: Result | PipelineMachine) -> np.ndarray:
    """Final memory as 32-bit words."""
    return result.memory.view(np.uint32)


def issues(result: Result) -> list[tuple[int, int, int, int]]:
    """(cycle, warp, instruction, mask) of every issue of a traced run."""
    from warploom.machine.accounting import events as e

    rows = result.detail.events
    rows = rows[rows[:, e.KIND] == e.ISSUE]
    return [tuple(int(row[column]) for column in (e.TIME, e.WARP, e.PC, e.MASK)) for row in rows]
