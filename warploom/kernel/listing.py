"""A compiled kernel to read: each line of the source with its instructions, and the SSA that they were made from."""

from __future__ import annotations

from warploom.kernel.compile import Built


def listing(built: Built) -> str:
    """The kernel as text: source and micro-ops line by line, then SSA, then machine code before registers were given out."""
    program = built.program
    rows: dict[tuple[int, int], list[int]] = {}
    for number in range(len(program)):
        position = program.position(number)
        rows.setdefault((position.file, position.line), []).append(number)
    lines = [f"{program.name}: {len(program)} instructions, {program.registers} registers per thread, {program.scalars} per warp"]
    for (file, line), numbers in sorted(rows.items()):
        text = program.sources[file].lines[line - 1] if 0 < line <= len(program.sources[file].lines) else ""
        lines += ["", f"{line:>5}  {text}" if line else ""]
        lines += [f"       {number:>5}  {program.text[number]}" for number in numbers]
    return "\n".join([*lines, "", "SSA", built.compiled.ssa, "", "machine code, before registers", built.compiled.machine])
