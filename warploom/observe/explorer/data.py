"""A run as data for the explorer's page.

What lies in the page, for each run, is base64 text of a deflate stream (zlib) of these bytes, all numbers little-endian:

    4 bytes   b"WLR1": a run, in version 1 of this format
    4 bytes   CRC-32 of everything that follows
    4 bytes   n, the length of the header
    n bytes   the header: a JSON object in UTF-8
    the rest  columns, one after the other

The page checks the mark, the version and the checksum before it looks further. The header has

    program   name, isa, path, source (lines), numbers (of several files: of each line in its own, 0 of a path), instructions (see
              `described`), registers, scalars (names), lock_width, value_bits, statements (its lines are statements),
              views (name, base, bytes, format, fields, width, height, pitch, writable, shape, item: bytes of an
              element, 0 where nothing says it)
    machine   name, kind ("sequencer" or "pipeline"), cores, warps (slots per core), lanes, config (by setting)
    run       status, cycles, instructions, counters, profile (a row per instruction: PROFILE below), messages, marks (row of the source,
              text: what checks have found), memory_bytes, regions,
              first, stop (the cycles that are shown, stop not included), begins, until (those that registers and memory are known for;
              until -1: none), partial (whether only some of the cores and warps are there)
    activities  a list of [name, kind, meaning]; kind as in `observe/facts/timeline.py`
    events    cores with warps only, by table and column: {"unit", "meaning", "words"}, as `machine/accounting/event_kinds.py` has it of
              that field; words: what the numbers 0, 1, ... stand for, where they do
    signals   sequencer only: names of the signals, `cores.0.threads.1.rs` as in `Result.trace`
    tables    by name: {"rows": n, "columns": {column: [first byte, bytes]}}, each column laid out by `columns.steps`
    arrays    by name: [first byte, bytes]: memory (bytes before cycle `begins`, exclusive-or those before the run but in the run's first
              piece, trailing zeros cut off) as it stands, values by `columns.planes`

A long run lies in the page in several such texts, one a piece (`machine/run/pieces.py`), in the order of time. The page unpacks the first,
and those that somebody looks at.

Tables and their columns (times are cycles; a mask's lanes from 32 on stand in a column of their own, `..._high`):

    spans      core, warp, start, length, activity, pc, mask, next, threads, ended, block, rank: see Timeline; ordered by core, warp,
               start
    ready      until: first cycle in which the result of the k-th span that issues can be used, -1 where memory decides
    requests, fills, completes, l2, serves (memory), barriers, pipes, blocks: fields of events, see EVENT_TABLES
    quads, fragments: of a run that draws, as `observe/facts/fragments.py` has them; run.target says what of (base, pitch, width, height)
    registers  time, core, warp, register; the row's values are row i of `values`: uint32[rows, lanes], each one exclusive-or the
               values that the same register of the same warp slot had before, since most lanes keep theirs
    scalars    time, core, warp, register, value            paths     time, core, warp, level, kind, mask, pc, reconvergence_pc
    memory     time, core, warp, word, old, new             shared    time, core, warp, word, old, new
    changes    signal, time, value: sequencer only, ordered by signal and time; a signal is 0 until it first changes

Where memory is behind a second-level cache, `serves` is worked out from the lookups and fills of that cache.
"""

from __future__ import annotations

import json
import struct
import zlib
from base64 import b64encode
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from warploom.isa.counts import numbers
from warploom.isa.uop import LATENCIES
from warploom.machine.accounting import events as e
from warploom.machine.accounting import reasons
from warploom.machine.accounting.event_kinds import EVENT_KINDS, Field
from warploom.machine.config.pipes import pipe_names, pipe_of_class
from warploom.machine.raster.engine import BLOCK_SHIFT
from warploom.machine.raster.engine import REGISTERS as RASTER_REGISTERS
from warploom.machine.run import recording as r
from warploom.machine.run.result import RunResult
from warploom.observe.explorer.columns import planes, steps
from warploom.observe.explorer.described import described
from warploom.observe.explorer.signals import Signals, signals_of
from warploom.observe.facts import timeline as t
from warploom.observe.facts.events import events_of
from warploom.observe.facts.fragments import drawing

MARK, VERSION = b"WLR", 1
LOW = 0xFFFFFFFF
UNKNOWN = -1
PROFILE = {
    "issues": reasons.ISSUES,
    "lanes": reasons.LANES,
    "diverged": reasons.DIVERGED,
    "accesses": reasons.ACCESSES,
    "transactions": reasons.TRANSACTIONS,
    "sectors": reasons.SECTORS,
    "sectors_needed": reasons.SECTORS_NEEDED,
    "passes": reasons.PASSES,
    "hits": reasons.HITS,
    "misses": reasons.MISSES,
}
EVENT_TABLES = {  # in the page: the kind of its events, and those of their fields that the page uses
    "requests": (e.REQUEST, "time core warp pc line outcome"),
    "fills": (e.FILL, "time core line texture"),
    "completes": (e.COMPLETE, "time core warp pc issued done"),
    "l2": (e.L2, "time core line outcome"),
    "barriers": (e.BARRIER, "time core warp barrier opens"),
    "pipes": (e.PIPE, "time core warp pipe until"),
    "blocks": (e.BLOCK, "time core block ends"),
    "serves": (e.MEMORY, "time core line done"),
}
Tables = dict[str, dict[str, np.ndarray]]


class Part(NamedTuple):
    """Which part of a run a text has.

    first, stop: the cycles shown; begins, ends: those that are known. before: memory as the first piece has it, for those after the first.
    partial: some cores or warps are left out.
    """

    first: int
    stop: int
    begins: int
    ends: int
    before: np.ndarray | None = None
    partial: bool = False


def packed(result: RunResult, progress: Callable[[int], None] | None = None, part: Part | None = None) -> str:
    """A run as text for the page, or a part of it. progress: called with the cycles that a sequencer's run has been repeated for.

    Raises ValueError for cores with warps whose run has written down no events.
    """
    part = Part(0, result.cycles, 0, result.cycles) if part is None else part
    tables, arrays, header = _contents(result, progress, part)
    body = bytearray()

    def place(data: bytes) -> list[int]:
        body.extend(data)
        return [len(body) - len(data), len(data)]

    header["tables"] = {
        name: {"rows": len(next(iter(columns.values()))), "columns": {column: place(steps(values)) for column, values in columns.items()}}
        for name, columns in tables.items()
    }
    header["arrays"] = {name: place(data) for name, data in arrays.items()}
    text = json.dumps(header, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
    rest = struct.pack("<I", len(text)) + text + bytes(body)
    whole = MARK + str(VERSION).encode() + struct.pack("<I", zlib.crc32(rest)) + rest
    return b64encode(zlib.compress(whole, 9 if len(whole) < 1 << 24 else 6)).decode()


def _contents(result: RunResult, progress: Callable[[int], None] | None, part: Part) -> tuple[Tables, dict[str, bytes], dict[str, Any]]:
    sequencer = result.has.steps
    line = t.timeline(result, part=(part.begins, part.ends))
    run = _run(result) | {
        "profile": _profile(result),
        "first": part.first,
        "stop": part.stop,
        "begins": part.begins,
        "partial": part.partial,
    }
    header = {"program": described(result.program), "machine": _machine(result, line), "run": run, "activities": line.activities}
    tables: Tables = {"spans": _spans(line)}
    arrays: dict[str, bytes] = {}
    memory = result.initial_memory
    if sequencer:
        signals = signals_of(result, progress, part.begins, part.ends)
        memory = signals.initial_memory
        header["signals"] = signals.names
        tables |= _of_signals(signals)
        run["until"] = part.ends
    else:
        tables |= _of_events(result)
        if "fragments" in tables:
            run["target"] = _target(result)
        header["events"] = _schema()
        book = result.detail.recording
        if book is not None:
            tables |= _of_recording(book, line.lanes)
            arrays["values"] = planes(_against_before(book))
            run["until"] = int(book.until)
    arrays["memory"] = _trimmed(memory if part.before is None else memory ^ part.before)
    return tables, arrays, header


# ---------------------------------------------------------------------------------------------------------
# The header


def _machine(result: RunResult, line: t.Timeline) -> dict[str, Any]:
    config = result.config
    kind = config.core.control
    return {
        "name": config.name, "kind": kind, "cores": line.cores, "warps": line.warps, "lanes": line.lanes, "config": config.flat(),
        "pipes": {str(number): name for number, name in pipe_names(config).items()},
        "pipe_of": dict(zip(LATENCIES, pipe_of_class(config), strict=True)) if config.pipes.owner == "scheduler" else {},
    }  # fmt: skip


def _profile(result: RunResult) -> list[dict[str, int]]:
    """What is counted by instruction, apart from what the spans say; nothing for a sequencer."""
    rows = result.detail.profile
    if rows is None:
        return []
    spent = rows[:, : len(reasons.REASONS)].tolist()
    return [{name: int(row[column]) for name, column in PROFILE.items()} | {"spent": of} for row, of in zip(rows, spent, strict=True)]


def _run(result: RunResult) -> dict[str, Any]:
    return {
        "status": result.status,
        "cycles": result.cycles,
        "instructions": result.instructions,
        "counters": result.counters,
        "messages": list(result.messages),
        "marks": [[result.program.row(one.instruction), f"{one.message} [{one.kind}]"] for one in result.findings],
        "until": UNKNOWN,
        "memory_bytes": len(result.memory),
        "regions": _regions(result),
    }


# ---------------------------------------------------------------------------------------------------------
# Tables


def _masks(name: str, values: np.ndarray, lanes: int) -> dict[str, np.ndarray]:
    low = {name: values & LOW}
    return low | {f"{name}_high": values >> 32 & LOW} if lanes > 32 else low


def _spans(line: t.Timeline) -> dict[str, np.ndarray]:
    s = line.spans
    return {
        "core": s[:, t.CORE],
        "warp": s[:, t.WARP],
        "start": s[:, t.START],
        "length": s[:, t.STOP] - s[:, t.START],
        "activity": s[:, t.ACTIVITY],
        "pc": s[:, t.PC],
        **_masks("mask", s[:, t.MASK], line.lanes),
        **_masks("next", s[:, t.NEXT_MASK], line.lanes),
        **_masks("threads", s[:, t.THREADS], line.lanes),
        **_masks("ended", s[:, t.ENDED], line.lanes),
        "block": s[:, t.BLOCK],
        "rank": s[:, t.RANK],
    }


def _of_events(result: RunResult) -> Tables:
    rows = events_of(result, "the explorer")
    issues = e.of_kind(rows, e.ISSUE)
    ready = issues["ready"][np.lexsort((issues["time"], issues["warp"], issues["core"]))]
    found = {"ready": {"until": np.where(ready > 1 << 53, UNKNOWN, ready)}}
    for name, (kind, fields) in EVENT_TABLES.items():
        of_kind = e.of_kind(rows, kind)
        found[name] = {field: of_kind[field] for field in fields.split()}
    found |= _of_drawing(result, rows)
    if result.config.l2.bytes:
        found["serves"] = _behind_l2(result, found["l2"], found["fills"])
    return found


def _of_drawing(result: RunResult, rows: np.ndarray) -> Tables:
    """Quads and fragments, of a run that has drawn some."""
    if not np.isin(rows[:, e.KIND], (e.QUAD, e.FRAGMENT)).any():
        return {}
    drawn = drawing(result)
    return {
        "quads": {name: drawn.quads[name] for name in drawn.quads.dtype.names or ()},
        "fragments": {name: drawn.fragments[name] for name in drawn.fragments.dtype.names or ()},
    }


def _target(result: RunResult) -> dict[str, int]:
    """The picture that a run draws into: the place of its first pixel in memory (-1: not known), bytes from row to row, columns, rows."""
    rows, columns = drawing(result).shape
    registers, space = result.program.graphics[RASTER_REGISTERS:], result.space
    if not registers:
        return {"base": UNKNOWN, "pitch": 4 * columns, "width": columns, "height": rows}
    address, pitch = registers[0] << BLOCK_SHIFT, registers[1]
    region = next((one for one in space.regions if one.base <= address < one.end), None)
    if region is None or pitch < 4 * columns:
        return {"base": UNKNOWN, "pitch": 4 * columns, "width": columns, "height": rows}
    if len(space.regions) > 1:
        rows = max(rows, (region.end - address) // pitch)
    return {"base": space.place(address), "pitch": pitch, "width": pitch // 4, "height": rows}


def _schema() -> dict[str, dict[str, dict[str, Any]]]:
    """What the columns of events mean."""
    return {
        table: {name: _said_of(EVENT_KINDS[kind].field(name)) for name in fields.split()} for table, (kind, fields) in EVENT_TABLES.items()
    } | {"fragments": {"fate": _said_of(EVENT_KINDS[e.FRAGMENT].field("fate"))}}


def _said_of(field: Field) -> dict[str, Any]:
    return {"unit": field.unit, "meaning": field.meaning} | ({"words": field.words} if field.words else {})


def _behind_l2(result: RunResult, lookups: dict[str, np.ndarray], fills: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The lines that memory serves to the second-level cache: from a miss's answer to the fill that the core sees in the same cycle."""
    waits: dict[tuple[int, int], list[int]] = {}
    for time, core, line in zip(fills["time"].tolist(), fills["core"].tolist(), fills["line"].tolist(), strict=True):
        waits.setdefault((core, line), []).append(time)
    found = []
    missed = lookups["outcome"] == e.MISS
    for time, core, line in zip(*(lookups[name][missed].tolist() for name in ("time", "core", "line")), strict=True):
        done = next((fill for fill in waits.get((core, line), ()) if fill > time), None)
        if done is not None:
            found.append((min(time + result.config.l2.latency - 1, done), core, line, done))
    rows = np.array(found, np.int64).reshape(-1, 4)
    return dict(zip(("time", "core", "line", "done"), rows.T, strict=True))


def _of_recording(book: r.Recording, lanes: int) -> Tables:
    def table(rows: np.ndarray, *names: str) -> dict[str, np.ndarray]:
        return {name: rows[:, column] for column, name in enumerate(("time", "core", "warp", *names))}

    paths = book.paths
    return {
        "registers": table(book.registers, "register"),
        "scalars": table(book.scalars, "register", "value"),
        "memory": table(book.memory, "word", "old", "new"),
        "shared": table(book.shared, "word", "old", "new"),
        "paths": table(paths, "level", "kind")
        | _masks("mask", paths[:, r.MASK], lanes)
        | {"pc": paths[:, r.PC], "reconvergence_pc": paths[:, r.RECONVERGENCE_PC]},
    }


def _against_before(book: r.Recording) -> np.ndarray:
    """`book.values`, each row exclusive-or the one before it of the same register of the same warp slot."""
    rows, values = book.registers, book.values
    if not len(rows):
        return values
    order = np.lexsort((numbers(len(rows)), rows[:, r.REGISTER], rows[:, r.WARP], rows[:, r.CORE]))
    keys = rows[order][:, (r.CORE, r.WARP, r.REGISTER)]
    same = np.append(False, (keys[1:] == keys[:-1]).all(axis=1))
    found = values.copy()
    found[order[same]] ^= values[order[np.flatnonzero(same) - 1]]
    return found


def _of_signals(signals: Signals) -> Tables:
    changes, memory = signals.changes, signals.memory
    return {
        "changes": {name: changes[:, column] for column, name in enumerate(("signal", "time", "value"))},
        "memory": {name: memory[:, column] for column, name in enumerate(("time", "core", "warp", "word", "old", "new"))},
    }


def _regions(result: RunResult) -> list[dict[str, Any]]:
    """Of a program with regions: what each is called, where its bytes are in `memory`, and at which address they begin."""
    space = result.space
    starts = sorted(zip(space.regions, space.starts, strict=True), key=lambda one: one[1]) if result.program.regions else ()
    return [{"name": region.name, "start": start, "bytes": region.bytes, "base": region.base} for region, start in starts]


def _trimmed(memory: np.ndarray) -> bytes:
    used = np.flatnonzero(memory)
    return memory[: int(used[-1]) + 1 if len(used) else 0].tobytes()
