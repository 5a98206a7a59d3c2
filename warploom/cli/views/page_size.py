"""How large an explorer's page becomes, and how long it takes: measured on short stretches of the run, not guessed.

What a cycle takes on a page depends on how many lanes and registers change in it and on how well that packs: kernels differ by a factor of
three. So short stretches, spread over the cycles that are asked for, are written down and packed as the page's pieces are. Before each
there is one of a single cycle: it tells what a piece takes in any case, the state that it begins with, from what its cycles take.
Runs that are ready in a moment are judged by means.
"""

from __future__ import annotations

import time
import zlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from warploom.isa.numbers import grouped

if TYPE_CHECKING:
    from warploom.machine.run.pieces import Piece
    from warploom.machine.run.recording import Selection
    from warploom.result import Result

# Means over the examples, on one processor of 2.5 GHz.
CYCLE_SECONDS, ISSUE_SECONDS, SEQUENCER_SECONDS = 20e-6, 110e-6, 250e-6
ISSUE_CHARACTERS, SEQUENCER_CHARACTERS = 80, 250
PATIENCE = 5.0  # seconds from which on the time is told beforehand
LARGE = 20_000_000  # characters from which on the size is told
LARGEST = 60_000_000  # characters of a page, unless a part is asked for
STRETCHES = 6
LEAST_CYCLES, MOST_CYCLES = 64, 2048  # of a stretch
SHARE = 8  # the stretches are at most one cycle in so many
BASE64 = 4 / 3


class Size(NamedTuple):
    """characters, seconds: of the page. cycles: that it shows."""

    characters: float
    seconds: float
    cycles: int


def size_of(results: Sequence[Result], stretch: tuple[int, int], selection: Selection | None = None) -> Size | None:
    """What a page of these cycles takes, the last not included; None where it is ready in a moment."""
    from warploom.observe.explorer.page import page_parts

    spans = [(min(stretch[0], result.cycles), min(stretch[1], result.cycles)) for result in results]
    found = [_mean(result, *span) for result, span in zip(results, spans, strict=True)]
    if sum(one.seconds for one in found) < PATIENCE and sum(one.characters for one in found) < LARGE:
        return None
    found = [_measured(result, *span, selection) or one for result, span, one in zip(results, spans, found, strict=True)]
    fixed = sum(map(len, page_parts(results[:1], [[]])))  # code, style and explanations
    return Size(fixed + sum(one.characters for one in found), sum(one.seconds for one in found), stretch[1] - stretch[0])


def part_of(size: Size, stretch: tuple[int, int]) -> tuple[int, int]:
    """The first cycles of a run that is too large a page: as many as make one of LARGEST characters."""
    return stretch[0], stretch[0] + max(int(size.cycles * LARGEST / size.characters), 1)


def told(size: Size) -> str:
    """The size in a sentence."""
    return (
        f"the page has {grouped(size.cycles)} cycles: about {_bytes(size.characters)}, in about {_time(size)}; "
        "--cycles A:B, --cores and --warps make it smaller"
    )


def told_of_part(size: Size, part: tuple[int, int], end: int) -> str:
    """The size of the whole run, and which part of it the page has. end: the run's cycles."""
    return (
        f"a page of all {grouped(size.cycles)} cycles would have about {_bytes(size.characters)}, in about {_time(size)}: this one has the "
        f"cycles {part[0]} to {part[1] - 1}, about {_bytes(LARGEST)}; --cycles A:B chooses others, --cycles 0:{end - 1} all, "
        "--cores and --warps make it smaller"
    )


def _bytes(characters: float) -> str:
    return f"{max(characters / 1e6, 1):.0f} MB"


def _time(size: Size) -> str:
    return f"{size.seconds / 60:.0f} min" if size.seconds > 100 else f"{size.seconds:.0f} s"


def _mean(result: Result, first: int, stop: int) -> Size:
    """By means over kernels."""
    warps = result.has.warps
    issues = result.instructions * (stop - first) / max(result.cycles, 1)
    seconds = (stop - first) * (CYCLE_SECONDS if warps else SEQUENCER_SECONDS) + issues * ISSUE_SECONDS
    return Size(issues * (ISSUE_CHARACTERS if warps else SEQUENCER_CHARACTERS), seconds, stop - first)


def _measured(result: Result, first: int, stop: int, selection: Selection | None) -> Size | None:
    """By stretches of the run; None where it is too short for them, or is repeated in plain Python (a machine of single instructions)."""
    from warploom.machine.run.pieces import LEAD, PIECE_BYTES
    from warploom.machine.run.samples import Stretch, samples
    from warploom.observe.explorer.data import Part, packed

    cycles = stop - first
    length = min(cycles // (SHARE * STRETCHES), MOST_CYCLES)
    if not result.has.recording or length < LEAST_CYCLES:
        return None
    places = [first + cycles * (2 * number + 1) // (2 * STRETCHES) for number in range(STRETCHES)]
    stretches = [one for place in places for one in (Stretch(place - 1, 1), Stretch(place, length))]
    found: list[Size] = []
    held = 0
    for stretch, (piece, recording) in zip(stretches, samples(result, stretches, selection), strict=True):
        begun = time.process_time()
        part = Part(piece.begins, piece.ends, piece.begins, piece.ends, result.initial_memory, selection is not None)
        characters = len(packed(piece.result, None, part))
        found.append(Size(characters, recording + time.process_time() - begun, stretch.cycles))
        held += _bytes_of(piece) if stretch.cycles > 1 else 0
    count = max(held / (STRETCHES * length) * cycles / PIECE_BYTES, 1.0)  # pieces of the page
    written = cycles + 2 * LEAD * (count - 1)
    begins, whole = _sum(found[::2]), _sum(found[1::2])
    held_before = result.initial_memory[: int(np.flatnonzero(result.initial_memory)[-1:].sum()) + 1]
    memory = BASE64 * len(zlib.compress(held_before.tobytes()))
    each = [max(of_whole - of_begins, of_whole / 8) / whole.cycles for of_whole, of_begins in zip(whole[:2], begins[:2], strict=True)]
    return Size(
        each[0] * written + begins.characters / STRETCHES * count + memory,
        each[1] * written + begins.seconds / STRETCHES * count + result.seconds * stop / max(result.cycles, 1),
        cycles,
    )


def _sum(sizes: Sequence[Size]) -> Size:
    return Size(sum(one.characters for one in sizes), sum(one.seconds for one in sizes), sum(one.cycles for one in sizes))


def _bytes_of(piece: Piece) -> int:
    """What a piece takes, of which there is room for a number of bytes."""
    detail = piece.result.detail
    recorded = (getattr(detail.recording, name) for name in ("registers", "values", "scalars", "memory", "shared", "paths"))
    events = 0 if detail.events is None else detail.events.nbytes
    return int(events + sum(rows.nbytes for rows in recorded))
