"""What kernels have printed: the notes of a run as text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from warploom.kernel.launch.notes import in_dimensions
from warploom.ptx.calls import FORMAT, Asserted, Printed
from warploom.result import Result


def printed(result: Result, table: Sequence[Any], string: Callable[[int], str]) -> str:
    """The text of all printf calls, in the order of cycles. string: the text at an address of the device's memory."""
    made = []
    for note in result.notes:
        row = table[note.number]
        if isinstance(row, Asserted):
            launch = result.program.launch
            block, thread = in_dimensions(note.block, launch.grid_dims), in_dimensions(note.thread, launch.block_dims)
            made.append(f"{row.text}: block {list(block)}, thread {list(thread)}\n")
        elif isinstance(row, Printed):
            made.append(_line(row, list(note.values), string))
    if result.notes_lost:
        made.append(f"... and {result.notes_lost} more values that were printed are lost: the log was full\n")
    return "".join(made)


def _line(row: Printed, words: list[int], string: Callable[[int], str]) -> str:
    values: list[Any] = []
    for kind in row.kinds:
        low, high = words.pop(0), words.pop(0)
        bits = np.array([high << 32 | low], np.uint64)
        if kind == "f64":
            values.append(float(bits.view(np.float64)[0]))
        else:
            values.append(string(int(low)) if kind == "text" else int(bits.view(np.int64)[0]))
    given = iter(values)

    def one(spec: Any) -> str:
        kind = spec["kind"]
        if kind == "%":
            return "%"
        value: Any = next(given)
        precision = spec["precision"]
        shape = "%" + spec["flags"].replace("'", "") + (spec["width"] or "") + (f".{precision or 0}" if "." in spec[0] else "")
        if kind in "aA":
            return str(shape + "s") % (float.hex(value) if kind == "a" else float.hex(value).upper())
        if kind == "p":
            return str(shape + "s") % hex(value & 0xFFFFFFFFFFFFFFFF)
        if kind == "c":
            return str(shape + "c") % chr(value & 0xFF)
        if kind in "ouxX":
            bits = {"hh": 8, "h": 16, "l": 64, "ll": 64, "z": 64, "j": 64, "t": 64}.get(spec["size"] or "", 32)
            value &= (1 << bits) - 1
            if kind == "o" and "#" in spec["flags"]:
                return (shape.replace("#", "") + "s") % f"0{value:o}"
            return str(shape + ("d" if kind == "u" else kind)) % value
        return str(shape + ("d" if kind == "i" else kind)) % value

    return FORMAT.sub(one, row.format)
