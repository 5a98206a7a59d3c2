"""Promises about single calls: all short traces, the shortest first, in plain Python."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np

from warploom.contracts.promise import Promise
from warploom.machine.core.load_store.coalescer import coalesce
from warploom.machine.core.load_store.lsu import Lsu
from warploom.machine.engine.swaps import Socket, Swaps
from warploom.machine.engine.unit import mirror, zeros
from warploom.machine.engine.users import UnitError, unit_name, unit_place
from warploom.machine.memory import address_hash, replacement
from warploom.machine.slots.coalescer import swaps as coalescer_swaps
from warploom.machine.slots.hashes import channel_swaps
from warploom.machine.slots.replacement import swaps as replacement_swaps

WAYS, LINES, LONGEST = 2, 3, 6  # of a set; that a trace is about; accesses of a trace
PLACES, NUMBERS = (1, 2, 3, 4, 7, 16), 64
SIZE, SHIFT, SECTOR = 4, 7, 5  # bytes a lane; log2 of the bytes of a line and a sector
WIRES = tuple(name for name in address_hash.AddressHash.names or () if name != "asked")  # the machine notes there what a hash has said
NUMBERS_OF_LSU = tuple(name for name in Lsu.names or () if Lsu[name] == np.int64)  # after each access; its tables, once
ADDRESSES = (0, 4, 28, 30, 126, 128, 256)


def takes_a_way(policy: Any, slot: str) -> str:
    """Whether a full set always gives up one of its ways, whatever was used before."""
    calls = sockets(replacement_swaps(policy))
    for length in range(1, LONGEST + 1):
        for trace in product(range(LINES), repeat=length):
            memory = zeros((), replacement.Replacement)
            state = mirror(memory)
            lines: list[int] = []
            state.ways = WAYS
            hit, fill, victim = _watched(policy, calls, memory)
            try:
                for now, line in enumerate(trace):
                    if line in lines:
                        hit(state, 0, lines.index(line), now)
                        continue
                    way = len(lines)
                    if way < WAYS:
                        lines.append(line)
                    else:
                        way = int(victim(state, 0))
                        lines[way] = line
                    fill(state, 0, way, now)
            except UnitError as error:
                return f"a set of {WAYS} ways is asked for the lines {', '.join(map(str, trace))}: {error}"
    return ""


def _watched(policy: Any, calls: Sequence[Any], memory: Any) -> list[Any]:
    """The verbs of a policy, called as before; each raises UnitError where it writes a field that is not a policy's own."""
    before = memory.copy()

    def watched(verb: Any, call: Any) -> Any:
        def called(*arguments: Any) -> Any:
            result = call(*arguments)
            if wrong := written(policy, "s", memory, before, ("stamp", "bits"), at=verb):
                raise UnitError(wrong)
            return result

        return called

    return [watched(verb, call) for verb, call in zip(policy, calls, strict=True)]


def sockets(swaps: Swaps) -> list[Any]:
    """A user's functions as plain Python calls them, in the order of the swaps."""
    return [instead.guarded() for _, instead in swaps if isinstance(instead, Socket)]


def written(unit: Any, record: str, memory: Any, before: Any, own: tuple[str, ...] = (), among: Iterable[str] = (), at: Any = None) -> str:
    """Which field that is not a unit's own it has written; "" for none.

    among: the fields that are looked at, where not all are. at: the function that has written it, of a unit that has several.
    """
    for name in among or memory.dtype.names:
        if name not in own and _differ(memory[name], before[name]):
            owned = f"{' and '.join(f'{record}.{each}' for each in own)} alone" if own else "nothing"
            return f"{unit_place(at or unit)}: {unit_name(unit)} writes {record}.{name}; of this record a unit writes {owned}"
    return ""


def _differ(one: Any, other: Any) -> bool:
    """Whether two values of a field differ. Between the fields of a record in it there are bytes that mean nothing."""
    if one.dtype.names:
        return any(_differ(one[name], other[name]) for name in one.dtype.names)
    return bool(one.tobytes() != other.tobytes())


def names_a_place(unit: Any, slot: str) -> str:
    """Whether a line has a place, and the same one whenever it is asked for."""
    written_too = ""
    for places in PLACES:
        said = f"{places} place{'s' * (places != 1)}"
        memory = zeros((), address_hash.AddressHash)
        state = mirror(memory)
        address_hash.configure(state, places, "modulo")
        before = memory.copy()
        try:
            first = _places(unit, memory, range(NUMBERS))
            state.asked[:] = 0  # what differs is said here with both places
            back = _places(unit, memory, range(NUMBERS - 1, -1, -1))[::-1]
            wrong = _moved(first, back)
        except UnitError as error:
            wrong = str(error)
        if wrong:
            return f"{said}: {wrong}"
        if not written_too and (field := written(unit, "hash", memory, before, among=WIRES)):
            written_too = f"{said}: {field}"
    return written_too


def _places(unit: Any, memory: Any, lines: Iterable[int]) -> list[int]:
    """The places of lines. Raises UnitError where a hash writes what it has been asked, which the machine notes after each call."""
    ((_, socket),) = channel_swaps(unit)
    assert isinstance(socket, Socket) and socket.accepts is not None
    accepts, noted = socket.accepts, memory.copy()

    def watched(result: int, state: Any, line: int) -> bool:
        if wrong := written(unit, "hash", memory, noted, among=("asked",)):
            raise UnitError(wrong)
        fits = accepts(result, state, line)
        noted["asked"] = memory["asked"]
        return fits

    call, state = socket._replace(accepts=watched).guarded(), mirror(memory)
    return [int(call(state, line)) for line in lines]


def _moved(first: Sequence[int], again: Sequence[int]) -> str:
    """The first line that has a second place when it is asked for again; "" for none."""
    for line, (one, other) in enumerate(zip(first, again, strict=True)):
        if one != other:
            return f"line {line} has place {one}, and place {other} when it is asked for again"
    return ""


def _accesses() -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
    """(addresses, active lanes) of all accesses of one lane, then of two, then of three."""
    for lanes in range(1, 4):
        for addresses in product(ADDRESSES, repeat=lanes):
            for active in product((1, 0), repeat=lanes):
                yield addresses, active


def covers(unit: Any, slot: str) -> str:
    """Whether every sector that an active lane touches is in some transaction, and idle lanes change nothing."""
    (call,) = sockets(coalescer_swaps(unit))
    memory = zeros((), Lsu)
    lsu = mirror(memory)
    lsu.line_shift, lsu.sector_shift, lsu.merge = SHIFT, SECTOR, 1
    before = memory.copy()
    for addresses, active in _accesses():
        said = f"lanes at {', '.join(map(str, addresses))}, active {', '.join(map(str, active))}"
        wanted = _sent(coalesce, lsu, addresses, active)
        try:
            found = _sent(call, lsu, addresses, active)
            other = _sent(call, lsu, tuple(a if on else 999 for a, on in zip(addresses, active, strict=True)), active)
            wrong = _not_sent(wanted, found, other) or written(unit, "lsu", memory, before, among=NUMBERS_OF_LSU)
        except UnitError as error:
            wrong = str(error)
        if wrong:
            return f"{said}: {wrong}"
    return written(unit, "lsu", memory, before)


def _not_sent(wanted: Mapping[int, int], found: Mapping[int, int], other: Mapping[int, int]) -> str:
    """Which sector is not among those sent; or whether they differ from those of other addresses of idle lanes. "" for neither."""
    for line, sectors in wanted.items():
        missing = sectors & ~found.get(line, 0)
        if missing:
            return f"sector {(missing & -missing).bit_length() - 1} of line {line} is in no transaction"
    return "" if other == found else "the transactions change with the address of a lane that takes no part"


def _sent(call: Any, lsu: Any, addresses: tuple[int, ...], active: tuple[int, ...]) -> dict[int, int]:
    """The sectors of each line that is sent."""
    lines, sectors = np.zeros(64, np.int64), np.zeros(64, np.uint64)
    where, on = np.array(addresses, np.uint32), np.array(active, np.uint32)
    count = int(call(lsu, where, on, SIZE, len(addresses), lines, sectors))
    found: dict[int, int] = {}
    for line, mask in zip(lines[:count].tolist(), sectors[:count].tolist(), strict=True):
        found[line] = found.get(line, 0) | mask
    return found


TAKES_A_WAY = Promise("victim", "a full set gives up one of its ways, whatever was used before", takes_a_way)
NAMES_A_PLACE = Promise("place", "a line has one of the places, and the same one whenever it is asked for", names_a_place)
COVERS = Promise("covers", "each sector that an active lane touches is sent, and idle lanes change nothing", covers)
