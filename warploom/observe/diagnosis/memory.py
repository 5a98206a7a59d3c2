"""Rules about memory: scattered accesses, bank conflicts, atomics on one address."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from warploom.isa import uop as u
from warploom.observe import profile as p
from warploom.observe.diagnosis import finding as d
from warploom.observe.diagnosis.finding import Finding
from warploom.observe.facts.lane_addresses import lanes_at_one_address, stride
from warploom.observe.profile import Profile


def scattered(found: Profile) -> Iterator[Finding]:
    """Accesses that take at least SCATTERED times the transactions that would do, where memory holds the warps up."""
    cycles = int(d.memory_waits(found).sum())
    if cycles < d.MEMORY * found.warp_cycles:
        return
    said: dict[tuple[str, str], list[int]] = {}
    for instruction in _wasteful(found, p.TRANSACTIONS, p.TRANSACTIONS_NEEDED):
        if not _would_gain(found, instruction):
            continue
        took, needed = (d.ratio(found, instruction, count, p.ACCESSES) for count in (p.TRANSACTIONS, p.TRANSACTIONS_NEEDED))
        step, size, line = stride(found.addresses.get(instruction, [])), _bytes(found, instruction), found.config.l1.line
        what = f"{_stride_text(found, instruction, step)}{d.plural(took, 'transaction')} per access where {d.number(needed)} would do"
        if not found.config.lsu.coalesce:
            advice = "--set lsu.coalesce=true, so that lanes that touch a line share a transaction"
        elif step is not None and abs(step) == size:
            advice = f"let the data of a warp begin at a multiple of {line} bytes, a line: here they begin in the middle of one"
        else:
            advice = "give neighbouring lanes neighbouring addresses: index by the lane first, or change the layout of the data"
        said.setdefault((what, advice), []).append(instruction)
    yield from _together(found, "scattered", said, p.TRANSACTIONS, p.TRANSACTIONS_NEEDED, cycles)


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
    cycles = int(d.shared_waits(found).sum())
    if cycles < d.MEMORY * found.warp_cycles:
        return
    banks = found.config.shared.banks
    advice = f"make a row one element longer, so that the stride shares no factor with the {banks} banks"
    said: dict[tuple[str, str], list[int]] = {}
    for instruction in _wasteful(found, p.PASSES, p.PASSES_NEEDED):
        if p.atomic_name(found.program, instruction):
            continue
        took, needed = (d.ratio(found, instruction, count, p.SHARED_ACCESSES) for count in (p.PASSES, p.PASSES_NEEDED))
        step = _stride_text(found, instruction, stride(found.addresses.get(instruction, [])))
        what = f"{step}{d.plural(took, 'pass', 'passes')} of shared memory per access where {d.number(needed)} would do: lanes want "
        what += "different words of one bank"
        said.setdefault((what, advice), []).append(instruction)
    yield from _together(found, "bank conflicts", said, p.PASSES, p.PASSES_NEEDED, cycles)


def _wasteful(found: Profile, took: int, needed: int) -> list[int]:
    """Instructions whose excess is at least SMALL of all that was taken, and that took SCATTERED times what would do."""
    counts = found.counts
    excess = counts[:, took] - counts[:, needed]
    large = (excess >= d.SMALL * counts[:, took].sum()) & (counts[:, took] >= d.SCATTERED * counts[:, needed])
    return np.flatnonzero(large & (excess > 0) & (counts[:, needed] > 0)).tolist()


def _together(found: Profile, rule: str, said: dict[tuple[str, str], list[int]], took: int, needed: int, cycles: int) -> Iterator[Finding]:
    """One finding for all instructions of which the same is said. cycles: that warps spent on such waits, all over the run."""
    counts = found.counts
    for (what, advice), instructions in said.items():
        excess = int((counts[instructions, took] - counts[instructions, needed]).sum())
        concerned = int(cycles * excess / counts[:, took].sum())
        yield Finding(rule, tuple(instructions), concerned, f"{d.places(found, instructions)}: {what}", advice)


def atomics(found: Profile) -> Iterator[Finding]:
    """Atomic operations in which SCATTERED lanes of a warp or more meet at one address: they take turns. Where memory holds the warps up.

    Those of at least SMALL of all accesses; an access whose addresses are not known is not judged.
    """
    accesses = found.counts[:, p.ACCESSES] + found.counts[:, p.SHARED_ACCESSES]
    waits = int(found.of(*d.MEMORY_REASONS, *d.SHARED_REASONS, "waitcnt").sum())
    if waits < d.MEMORY * found.warp_cycles:
        return
    said: dict[str, list[int]] = {}
    for instruction, looked in found.addresses.items():
        name, most = p.atomic_name(found.program, instruction), lanes_at_one_address(looked)
        if name and most >= d.SCATTERED and accesses[instruction] >= d.SMALL * accesses.sum():
            what = f"{name} with up to {most} lanes of a warp at one address{_looked(found, instruction)}; it serves them one by one"
            said.setdefault(what, []).append(instruction)
    advice = "add up within the warp or in shared memory first, then one atomic for all; or spread over several addresses"
    for what, instructions in said.items():
        concerned = int(waits * accesses[instructions].sum() / accesses.sum())
        yield Finding("atomics", tuple(instructions), concerned, f"{d.places(found, instructions)}: {what}", advice)


def _stride_text(found: Profile, instruction: int, step: int | None) -> str:
    """`stride of 16 words; `, where the lanes' addresses are known and have one."""
    if step is None:
        return ""
    size = _bytes(found, instruction)
    apart = d.plural(abs(step) / 4, "word") if size == 4 and step % 4 == 0 else d.plural(abs(step), "byte")
    return f"stride of {apart}{' downwards' if step < 0 else ''}{_looked(found, instruction)}; "


def _looked(found: Profile, instruction: int) -> str:
    """Of how many accesses that is said, where it is not all of them."""
    looked, made = len(found.addresses[instruction]), int(found.counts[instruction, [p.ACCESSES, p.SHARED_ACCESSES]].sum())
    return "" if looked >= made else f" in the first {looked} of {d.plural(made, 'access', 'accesses')}"


def _bytes(found: Profile, instruction: int) -> int:
    first, count = (int(found.program.code[instruction, column]) for column in (u.FIRST_UOP, u.COUNT))
    rows = found.program.uops[first : first + count]
    sizes = rows[np.isin(rows[:, u.UNIT], (u.MEMORY, u.SHARED)), u.SIZE]
    return int(sizes.min()) if len(sizes) else 0
