"""The kinds of events: what each says, field by field.

The only place that says it: what the machine writes (`events.py`), the columns of CSV and Parquet tables, the tables in the explorer's
page and the table in `docs/traces.md` are made from EVENT_KINDS. A new kind is a row here, and its number and its `emit_` in `events.py`.

A stored row has eight numbers: TIME, KIND, CORE, WARP, PC, a mask, and two more. A kind's own fields take the two, in their order, then
the place of the mask if the kind has none.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np

from warploom.machine.accounting.reasons import REASONS

TIME, KIND, CORE, WARP, PC, MASK = range(6)  # places in a row that mean the same in all kinds that have them
OWN = (6, 7, MASK)  # places of a kind's own fields
EVENT_COLUMNS = 8
NOT_SAID = (0, 0, 0, -1, -1, 0, 0, 0)  # what a row has at the places that its kind does not use

# Units. FOREVER in place of a cycle, and a negative number in place of a slot or an instruction, means that there is none.
CYCLE, LANES, SECTORS, LINE, SLOT, INSTRUCTION, NUMBER, WORD = (
    "cycle", "mask of lanes", "mask of sectors", "line of the L1", "warp slot", "instruction", "number", "one of its words"
)  # fmt: skip

OUTCOMES = ("hit", "miss", "merged", "store", "passed on")
VISITS = ("waits", "lacks a unit", "empty slot")
FATES = ("written", "failed the stencil test", "failed the depth test")


class Field(NamedTuple):
    """A field of a kind. unit: one of those above. place: where a stored row has it. column: of the tables for other programs; several
    fields of different kinds may share one. words: what the numbers 0, 1, ... stand for, where they do."""

    name: str
    unit: str
    meaning: str
    column: str
    place: int = -1
    words: tuple[str, ...] = ()


class Kind(NamedTuple):
    """A kind of events. fields: all of them, TIME and CORE first. of: to whom its events belong: "warp", "core" or "device" (what all cores
    share, where CORE says for whom). late: it is written down in another cycle than its TIME says."""

    name: str
    meaning: str
    fields: tuple[Field, ...]
    of: str = "warp"
    late: bool = False

    def field(self, name: str) -> Field:
        """One of its fields. Raises KeyError, with those that it has."""
        for one in self.fields:
            if one.name == name:
                return one
        raise KeyError(f"an event {self.name!r} has no field {name!r}: it has {', '.join(one.name for one in self.fields)}")


def _kind(name: str, meaning: str, *fields: Field, time: str = "when it happened", of: str = "warp", late: bool = False) -> Kind:
    used = {field.place for field in fields}
    free = iter([place for place in OWN if place not in used])
    try:
        placed = [field if field.place >= 0 else field._replace(place=next(free)) for field in fields]
    except StopIteration:
        raise ValueError(f"an event {name!r} has more fields than a stored row has places") from None
    return Kind(name, meaning, (Field("time", CYCLE, time, "cycle", TIME), _CORE, *placed), of, late)


_CORE = Field("core", NUMBER, "the core where, or for which, it happened", "core", CORE)
_WARP = Field("warp", SLOT, "slot of the warp in its core", "warp_slot", WARP)
_PC = Field("pc", INSTRUCTION, "number of the instruction", "pc", PC)
_LANES = Field("lanes", LANES, "mask of the lanes that take part", "lanes", MASK)
_SECTORS = Field("sectors", SECTORS, "mask of the sectors of the line", "sectors", MASK)
_LINE = Field("line", LINE, "number of the line: its first byte divided by `l1.line`", "address")
_OUTCOME = Field("outcome", WORD, "what the lookup found", "outcome", words=OUTCOMES)
_LANE = Field("lane", NUMBER, "the lane", "lane")
_TRIANGLE = Field("triangle", NUMBER, "number of the triangle in the primitive buffer", "triangle")
_PIXEL = Field("pixel", NUMBER, "row of the pixel << 16 | its column", "pixel")
_BLOCK = Field("block", NUMBER, "number of the block in the launch", "block")

EVENT_KINDS = (
    _kind(
        "issue", "an instruction goes to its execution unit", _WARP, _PC, _LANES,
        Field("after", LANES, "mask of the warp after the instruction", "lanes_after"),
        Field("ready", CYCLE, "first cycle in which the result can be used, if memory does not decide that", "until"),
    ),
    _kind(
        "stall", "a span in which a warp did not issue", _WARP, _PC, _LANES,
        Field("reason", WORD, "why", "reason", words=tuple(reason.name for reason in REASONS)),
        Field("since", CYCLE, "its first cycle", "since"),
        time="first cycle after it", late=True,
    ),
    _kind(
        "launch", "a warp starts", _WARP, _PC, _LANES, _BLOCK,
        Field("rank", NUMBER, "number of the warp in its block", "warp"),
    ),
    _kind("end", "a warp has ended", _WARP, _PC, _LANES._replace(meaning="none, since all have ended"), late=True),
    _kind(
        "visit", "the scheduler picked a warp that cannot issue", _WARP, _PC, _LANES,
        Field("outcome", WORD, "why it cannot", "outcome", words=VISITS),
    ),
    _kind(
        "pipe", "an ALU takes an instruction", _WARP, _PC, _LANES,
        Field("pipe", NUMBER, "number of the ALU", "unit"),
        Field("until", CYCLE, "first cycle in which the ALU can take another", "until"),
    ),
    _kind("request", "a transaction leaves the load/store unit", _WARP, _PC, _LANES, _LINE, _OUTCOME),
    _kind(
        "fill", "a line arrives at a core", _SECTORS, _LINE,
        Field("texture", WORD, "in which cache", "outcome", words=("data", "texture")),
        of="core",
    ),
    _kind(
        "complete", "the last transaction of an access is done", _WARP, _PC, _LANES,
        Field("issued", CYCLE, "the cycle of its issue", "since"),
        Field("done", CYCLE, "when it is done", "until"),
    ),
    _kind("l2", "a lookup in the second-level cache", _SECTORS, _LINE, _OUTCOME, of="device"),
    _kind("memory", "memory serves a line", _SECTORS, _LINE, Field("done", CYCLE, "when it is done", "until"), of="device"),
    _kind(
        "barrier", "a warp arrives at a barrier", _WARP, _PC, _LANES,
        Field("barrier", NUMBER, "number of the barrier", "unit"),
        Field("opens", WORD, "whether that opens it", "outcome", words=("waits", "opens")),
    ),
    _kind(
        "block", "a block starts or ends", _WARP._replace(meaning="slot of the warp whose end ended it"), _BLOCK,
        Field("ends", WORD, "which of the two", "outcome", words=("starts", "ends")),
        of="core", late=True,
    ),
    _kind(
        "quad", "a lane is given a quad by the raster engine", _WARP, _PC, _LANE, _TRIANGLE,
        Field("stamp", NUMBER, "row of the quad << 18 | its column << 4 | covered pixels, a bit each", "pixel"),
    ),
    _kind(
        "fragment", "a lane hands a fragment to the output merger", _WARP, _PC, _LANE, _PIXEL,
        Field("fate", WORD, "what becomes of it", "outcome", words=FATES),
    ),
    _kind(
        "depth", "the fragment of the event before is compared with its pixel's depth and stencil", _WARP, _PC,
        Field("depth", NUMBER, "depth of the fragment, 0 to 2^24 - 1", "value"),
        Field("before", NUMBER, "stencil << 24 | depth of the pixel before", "before"),
        Field("after", NUMBER, "... and after", "after"),
    ),
    _kind(
        "color", "the fragment of the events before changes its pixel's colour", _WARP, _PC,
        Field("color", NUMBER, "colour of the fragment: alpha, red, green, blue, a byte each", "value"),
        Field("before", NUMBER, "colour of the pixel before", "before"),
        Field("after", NUMBER, "... and after", "after"),
    ),
)  # fmt: skip


@cache
def layout_of(kind: int) -> np.dtype:
    """A stored row of a kind as a record of its named fields, all int64."""
    fields = EVENT_KINDS[kind].fields
    places: dict[str, object] = {"names": [one.name for one in fields], "formats": ["i8"] * len(fields)}
    return np.dtype(places | {"offsets": [8 * one.place for one in fields], "itemsize": 8 * EVENT_COLUMNS})  # type: ignore[call-overload]
