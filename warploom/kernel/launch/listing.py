"""A compiled kernel to read: each line of the source with its instructions, and the SSA that they were made from."""

from __future__ import annotations

from warploom.isa.program import Program
from warploom.kernel.launch.compile import Built


def listing(built: Built) -> str:
    """The kernel as text: source and micro-ops line by line, then SSA, then machine code before registers were given out."""
    passes = ["", "SSA", built.compiled.ssa, "", "machine code, before registers", built.compiled.machine]
    return "\n".join([*instructions(built.program), *passes])


def instructions(program: Program) -> list[str]:
    """Lines: how many instructions and registers a kernel has, and the micro-ops of each below the line that they were made of."""
    rows: dict[tuple[int, int], list[int]] = {}
    for number in range(len(program)):
        position = program.position(number)
        rows.setdefault((position.file, position.line), []).append(number)
    lines = [f"{program.name}: {len(program)} instructions, {program.registers} registers per thread, {program.scalars} per warp"]
    for (file, line), numbers in sorted(rows.items()):
        text = program.sources[file].lines[line - 1] if 0 < line <= len(program.sources[file].lines) else ""
        lines += ["", f"{line:>5}  {text}" if line else ""]
        lines += [f"       {number:>5}  {program.text[number]}" for number in numbers]
    return lines
