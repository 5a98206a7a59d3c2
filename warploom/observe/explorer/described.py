"""A program as the explorer's page shows it: source lines, instructions with their micro-ops, names of registers, views of memory."""

from __future__ import annotations

from typing import Any

import numpy as np

from warploom.isa import uop as u
from warploom.isa.elements import shape_of
from warploom.isa.program import Program
from warploom.isa.schedule import COUNTERS, NO_COUNTER, READ, WRITE, Schedule, stall_of
from warploom.isa.views import FORMATS, VIEW_BASE, VIEW_BYTES, VIEW_FORMAT, VIEW_HEIGHT, VIEW_PITCH, VIEW_WIDTH, VIEW_WRITABLE, ViewShape
from warploom.observe.facts.variables import variables


def described(program: Program) -> dict[str, Any]:
    """A program for the page. An instruction: text, line, address, uops (text), unit, latency (class), stores, uses, writes (groups),
    holds (the variable that its result is), word (what its control word says; null without one)."""
    instructions, names = [], variables(program)
    for number, row in enumerate(program.code.tolist()):
        first, count = row[u.FIRST_UOP], row[u.COUNT]
        groups = row[u.USE : u.USE + row[u.USES]]
        instructions.append(
            {
                "text": program.text[number],
                "line": program.row(number),
                "address": row[u.ADDRESS],
                "uops": [u.listing(uop) for uop in program.uops[first : first + count]],
                "unit": u.UNITS[row[u.ISSUE_UNIT]],
                "latency": u.LATENCIES[row[u.ISSUE_LATENCY]],
                "stores": any(_stores(uop) for uop in program.uops[first : first + count]),
                "uses": groups,
                "writes": groups[: row[u.WRITES]],
                "holds": names.get(number, ""),
                "word": _word(program.schedule, number) if program.schedule is not None else None,
            }
        )
    return {
        "name": program.name,
        "isa": program.isa,
        "path": program.source.path,
        "source": program.listing[0],
        "numbers": program.line_numbers if len(program.sources) > 1 else [],
        "instructions": instructions,
        "registers": list(program.register_names),
        "scalars": list(program.scalar_names),
        "scalar_group": u.SCALAR_GROUP,
        "lock_width": program.lock_width,
        "value_bits": program.value_bits,
        "statements": program.statements,
        "views": [
            _view(program, name, row, shape_of(program, number))
            for number, (name, row) in enumerate(zip(program.view_names, program.views.tolist(), strict=False))
        ],
    }


def _word(schedule: Schedule, number: int) -> dict[str, Any]:
    """What a control word says: cycles to the next instruction, counters waited for, counters set for result and operands (-1: none)."""
    word = int(schedule.words[number])
    sets = [counter if counter < COUNTERS else -1 for counter in (word >> WRITE & NO_COUNTER, word >> READ & NO_COUNTER)]
    return {"stall": stall_of(word), "waits": schedule.waited_for(number), "result": sets[0], "operands": sets[1]}


def _stores(uop: np.ndarray) -> bool:
    return u.OPERATIONS[int(uop[u.OP])].name.startswith(("store", "atomic"))


def _view(program: Program, name: str, row: list[int], shape: ViewShape | None) -> dict[str, Any]:
    form = FORMATS[row[VIEW_FORMAT]]
    return {
        "name": name,
        "base": program.address_space().place(row[VIEW_BASE] & 0xFFFFFFFF) if program.regions else row[VIEW_BASE],
        "bytes": row[VIEW_BYTES],
        "format": form.name,
        "texel": form.bytes,
        "shape": list(shape.shape) if shape is not None else [],
        "item": shape.item_bytes if shape is not None else 0,
        "fields": form.fields,
        "width": row[VIEW_WIDTH],
        "height": row[VIEW_HEIGHT],
        "pitch": row[VIEW_PITCH],
        "writable": bool(row[VIEW_WRITABLE]),
    }
