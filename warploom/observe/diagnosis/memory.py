"""Rules about memory: scattered accesses, bank conflicts, atomics on one address."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from warploom.isa import uop as u
from warploom.isa.elements import element_at, name_of, view_at, views_of
from warploom.observe import profile as p
from warploom.observe.diagnosis import finding as d
from warploom.observe.diagnosis.blame import behind_barriers, blame
from warploom.observe.diagnosis.finding import Finding
from warploom.observe.facts.lane_addresses import Access, lanes_at_one_address, stride
from warploom.observe.facts.variables import shared_array
from warploom.observe.profile import Profile

ARRIVING = ("drain", "membar")  # a warp waits until memory has what it has written


def scattered(found: Profile) -> Iterator[Finding]:
    """Accesses that take at least SCATTERED times the transactions that would do, where memory holds the warps up."""
    if int(d.memory_waits(found).sum()) < d.MEMORY * found.warp_cycles:
        return
    said: dict[tuple[str, str], list[int]] = {}
    wasteful = _wasteful(found, p.TRANSACTIONS, p.TRANSACTIONS_NEEDED)
    examined = _examined(found, wasteful)
    for instruction in wasteful:
        if not _would_gain(found, instruction):
            continue
        took, needed = (d.ratio(found, instruction, count, p.ACCESSES) for count in (p.TRANSACTIONS, p.TRANSACTIONS_NEEDED))
        like = examined[instruction]
        step, size, line = stride(found.addresses.get(like, [])), _bytes(found, instruction), found.config.l1.line
        what = f"each moves {d.plural(took, 'line')}" if found.config.lsu.coalesce else f"each takes {d.plural(took, 'transaction')}"
        what += f" where {d.number(needed)} would do{_stride_text(found, like, step)}"
        if not found.config.lsu.coalesce:
            advice = "--set lsu.coalesce=true, so that lanes that touch a line share a transaction"
        elif step is not None and abs(step) == size:
            advice = f"let the data of a warp begin at a multiple of {line} bytes, a line: here they begin in the middle of one"
        else:
            advice = "give neighbouring lanes neighbouring addresses: index by the lane first, or change the layout of the data"
        said.setdefault((what, advice), []).append(instruction)
    yield from _costs(found, "scattered", said, p.TRANSACTIONS, p.TRANSACTIONS_NEEDED)


def _would_gain(found: Profile, instruction: int) -> bool:
    """Whether fewer transactions would make an instruction faster, and not only tidier.

    Behind a cache a transaction costs time when it misses: lanes that walk through a line each, turn after turn, find it there, and fetch
    no more than lanes side by side would. Otherwise its only price is its turn at the cache's ports, which matters where the load/store
    unit is full.
    """
    if not (found.config.l1.bytes and found.config.lsu.coalesce):
        return True
    misses, hits = (int(found.counts[instruction, count]) for count in (p.MISSES, p.HITS))
    if misses + hits and misses > found.counts[instruction, p.TRANSACTIONS_NEEDED]:
        return True
    return found.share("lg_throttle", "drain") >= d.MEMORY


def bank_conflicts(found: Profile) -> Iterator[Finding]:
    """Accesses to shared memory that take at least SCATTERED times the passes that would do, where it holds the warps up."""
    if int(d.shared_waits(found).sum()) < d.MEMORY * found.warp_cycles:
        return
    banks = found.config.shared.banks
    advice = f"make a row one element longer, so that the stride shares no factor with the {banks} banks"
    said: dict[tuple[str, str], list[int]] = {}
    wasteful = _wasteful(found, p.PASSES, p.PASSES_NEEDED)
    examined = _examined(found, wasteful)
    for instruction in wasteful:
        if p.atomic_name(found.program, instruction):
            continue
        took, needed = (d.ratio(found, instruction, count, p.SHARED_ACCESSES) for count in (p.PASSES, p.PASSES_NEEDED))
        like = examined[instruction]
        step = _stride_text(found, like, stride(found.addresses.get(like, [])))
        what = f"each takes {d.plural(took, 'pass', 'passes')} where {d.number(needed)} would do, since lanes want different words of one "
        said.setdefault((f"{what}bank{step}", advice), []).append(instruction)
    yield from _costs(found, "bank conflicts", said, p.PASSES, p.PASSES_NEEDED)


def _wasteful(found: Profile, took: int, needed: int) -> list[int]:
    """Instructions that took SCATTERED times what would do, of lines whose excess is at least SMALL of all that was taken.

    A line is many instructions where its loop was unrolled, none of which takes much.
    """
    counts = found.counts
    excess = counts[:, took] - counts[:, needed]
    wasteful = np.flatnonzero((counts[:, took] >= d.SCATTERED * counts[:, needed]) & (excess > 0) & (counts[:, needed] > 0)).tolist()
    return _of_lines_with(found, wasteful, excess, d.SMALL * counts[:, took].sum())


def _of_lines_with(found: Profile, instructions: list[int], values: np.ndarray, least: float) -> list[int]:
    """Those of lines whose instructions among these have so much together."""
    lines = {number: _line(found, number) for number in instructions}
    sums: dict[tuple[int, int], float] = {}
    for number, line in lines.items():
        sums[line] = sums.get(line, 0.0) + float(values[number])
    return [number for number, line in lines.items() if sums[line] >= least]


def _line(found: Profile, instruction: int) -> tuple[int, int]:
    """The line that an instruction came from: file and number; itself, where there is no text."""
    place = found.program.position(instruction)
    return (place.file, place.line) if place.line else (-1, instruction)


def _examined(found: Profile, instructions: list[int]) -> dict[int, int]:
    """For each instruction one of its line whose stride is known, itself where it can be: of an unrolled loop those of the first turns."""
    known = [number for number in instructions if stride(found.addresses.get(number, [])) is not None]
    of_lines = {_line(found, number): number for number in reversed(known)}
    return {number: number if number in known else of_lines.get(_line(found, number), number) for number in instructions}


def _costs(found: Profile, rule: str, said: dict[tuple[str, str], list[int]], took: int, needed: int) -> Iterator[Finding]:
    """One finding for all instructions of which the same is said; what it costs is the part of the waits for them that the excess makes."""
    counts, waits = found.counts, _waits_for(found, took)
    for (each, advice), instructions in said.items():
        excess = (counts[instructions, took] - counts[instructions, needed]) / np.maximum(counts[instructions, took], 1)
        concerned, whole = int((waits[instructions] * excess).sum()), float(waits[instructions].sum())
        if whole < d.MEMORY / 2 * found.warp_cycles:
            continue
        what = f"{d.waiting(found, whole)} for {_accesses(found, instructions)}: {each}"
        reasons = d.SHARED_REASONS if took == p.PASSES else d.MEMORY_REASONS
        yield Finding(rule, tuple(instructions), concerned, what, advice, (*reasons, "waitcnt"))


def _waits_for(found: Profile, took: int) -> np.ndarray:
    """float64[instructions]: the warp-cycles of waiting that each access causes, of memory's or of shared memory's by what is counted.

    A result is waited for by name. Room in a unit is taken by all accesses, by their transactions or passes; that stores have not arrived
    is the matter of stores, and of atomic operations, which take a turn for each lane.
    """
    counts = found.counts[:, took].astype(float)
    of_unit = np.where(counts > 0, blame(found).caused, 0.0)
    if took == p.PASSES:
        waits, arriving = d.shared_waits(found), 0.0
    else:
        waits, arriving = d.memory_waits(found), float(found.of(*ARRIVING).sum())
    rest = max(float(waits.sum()) - arriving - float(of_unit.sum()), 0.0)
    rest += behind_barriers(found)["shared" if took == p.PASSES else "memory"]
    writes = np.array([_turns(found, number) if counts[number] else 0.0 for number in range(len(counts))], np.float64)
    return of_unit + rest * counts / max(counts.sum(), 1) + arriving * writes / max(writes.sum(), 1)


def _turns(found: Profile, instruction: int) -> float:
    """The turns that memory takes for all that an instruction writes; 0 for a load."""
    if p.atomic_name(found.program, instruction):
        return float(found.counts[instruction, p.LANES])
    stores = any(name.startswith("store") for name in p.operations(found.program, instruction))
    return float(found.counts[instruction, p.TRANSACTIONS]) if stores else 0.0


def _accesses(found: Profile, instructions: list[int]) -> str:
    """`the loads of a at line 17`, `the stores to out at lines 4 and 9`, `the accesses to shared memory at line 14`."""
    program, places = found.program, d.places(found, instructions)
    if all(program.code[number, u.ISSUE_UNIT] == u.SHARED for number in instructions):
        names = list(dict.fromkeys(name for number in instructions if (name := shared_array(program, number))))
        return f"the accesses to {f'{d.together(names)} in ' if names else ''}shared memory at {places}"
    stores = [any(name.startswith("store") for name in p.operations(program, number)) for number in instructions]
    verb, word = ("stores", "to") if all(stores) else ("accesses", "to") if any(stores) else ("loads", "of")
    names = list(dict.fromkeys(name for number in instructions if (name := array_of(found, number))))
    return f"the {verb} {word} {d.together(names)} at {places}" if names else f"the {verb} at {places}"


def array_of(found: Profile, instruction: int) -> str:
    """The name of the array that an access to global memory is to; "" where it is not known, or where there are several."""
    program = found.program
    views = views_of(program, instruction)
    if not views:
        seen = [int(access.addresses[0]) for access in found.addresses.get(instruction, []) if len(access.addresses)]
        if program.code[instruction, u.ISSUE_UNIT] != u.MEMORY or not program.view_names:
            return ""
        views = list({view_at(program, address) for address in seen} - {u.NONE})
    return name_of(program, views[0]) if len(views) == 1 else ""


FEWER_ATOMICS = "add up within the warp or in shared memory first, then one atomic for all; or spread over several addresses"


def atomics(found: Profile) -> Iterator[Finding]:
    """Atomic operations in which SCATTERED lanes of a warp or more meet at one address: they take turns. Where memory holds the warps up.

    Those of at least SMALL of all accesses, or of one lane a warp where all warps meet; where addresses are not known, and between warps,
    those that STALLED of the time is waited for.
    """
    accesses = found.counts[:, p.ACCESSES] + found.counts[:, p.SHARED_ACCESSES]
    if int(found.of(*d.MEMORY_REASONS, *d.SHARED_REASONS, "waitcnt").sum()) < d.MEMORY * found.warp_cycles:
        return
    waits = _waits_for(found, p.TRANSACTIONS) + _waits_for(found, p.PASSES)
    said: dict[str, list[int]] = {}
    operations = [number for number in np.flatnonzero(accesses).tolist() if p.atomic_name(found.program, number)]
    for instruction in _of_lines_with(found, operations, accesses, d.SMALL * accesses.sum()):
        if meet := turns(found, instruction, waits[instruction] >= d.STALLED * found.warp_cycles):
            said.setdefault(meet, []).append(instruction)
    for meet, instructions in said.items():
        concerned = int(waits[instructions].sum())
        if concerned < d.MEMORY / 2 * found.warp_cycles:
            continue
        name = p.atomic_name(found.program, instructions[0])
        what = f"{d.waiting(found, concerned)} for the atomic operations at {d.places(found, instructions)} ({name}): {meet}"
        yield Finding("atomics", tuple(instructions), concerned, what, FEWER_ATOMICS, (*d.MEMORY_REASONS, *d.SHARED_REASONS, "waitcnt"))


def turns(found: Profile, instruction: int, long: bool) -> str:
    """Why those that execute an atomic operation take turns; "" where they do not. long: it is waited for so long that they may."""
    looked = found.addresses.get(instruction, [])
    most = lanes_at_one_address(looked)
    if most >= d.SCATTERED:
        at = _meeting(found, instruction, looked)
        return f"up to {most} lanes of a warp{_looked(found, instruction)} meet at {at}, and they are served one by one"
    if long and looked and len({int(address) for access in looked for address in access.addresses}) == 1:
        return f"all warps meet at {_meeting(found, instruction, looked)}, and they are served one by one"
    if long and not looked:
        array = array_of(found, instruction)
        return f"memory serves those of one {f'element of {array}' if array else 'address'} one by one"
    return ""


def _meeting(found: Profile, instruction: int, looked: list[Access]) -> str:
    """The element at which most lanes of one access meet: `out[0]`; `one address` where no array is known."""
    if found.program.code[instruction, u.ISSUE_UNIT] == u.SHARED:
        return "one word of shared memory"
    best, where = 0, -1
    for access in looked:
        addresses, counts = np.unique(access.addresses, return_counts=True)
        if len(counts) and counts.max() > best:
            best, where = int(counts.max()), int(addresses[counts.argmax()])
    return (where >= 0 and element_at(found.program, where)) or "one address"


def _stride_text(found: Profile, instruction: int, step: int | None) -> str:
    """` (stride of 16 words)`, where the lanes' addresses are known and have one."""
    if step is None:
        return ""
    size = _bytes(found, instruction)
    apart = d.plural(abs(step) / 4, "word") if size == 4 and step % 4 == 0 else d.plural(abs(step), "byte")
    return f" (stride of {apart}{' downwards' if step < 0 else ''}{_looked(found, instruction)})"


def _looked(found: Profile, instruction: int) -> str:
    """How many accesses that is said of, if it is not all of them."""
    looked, made = len(found.addresses.get(instruction, ())), int(found.counts[instruction, [p.ACCESSES, p.SHARED_ACCESSES]].sum())
    return "" if looked >= made else f" in the first {looked} of {d.plural(made, 'access', 'accesses')}"


def _bytes(found: Profile, instruction: int) -> int:
    first, count = (int(found.program.code[instruction, column]) for column in (u.FIRST_UOP, u.COUNT))
    rows = found.program.uops[first : first + count]
    sizes = rows[np.isin(rows[:, u.UNIT], (u.MEMORY, u.SHARED)), u.SIZE]
    return int(sizes.min()) if len(sizes) else 0
