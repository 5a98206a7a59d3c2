"""Rules about waiting: barriers, instruction fetch, full units, full channels, locks."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from warploom.isa import uop as u
from warploom.isa.analysis.control_flow import Flow
from warploom.machine.config.derived import dram_bytes_a_cycle
from warploom.machine.config.pipes import intervals, issued_to, lanes_setting, pipe_of_class
from warploom.machine.run.store_tail import store_tail
from warploom.observe import profile as p
from warploom.observe.diagnosis import finding as d
from warploom.observe.diagnosis.blame import before_barrier, behind_barriers
from warploom.observe.diagnosis.finding import Finding
from warploom.observe.diagnosis.memory import FEWER_ATOMICS, turns
from warploom.observe.profile import Profile

# A full unit, by its reason: its name, the setting that gives more of it, what else to try.
UNITS = {
    "math_pipe_throttle": ("ALUs", "alu.count", "fewer operations, or cheaper ones (a multiplication for a division)"),
    "special": ("special-function units", "alu.special_count", "fewer square roots, sines and logarithms"),
    "lg_throttle": ("load/store unit", "l1.mshrs", "fewer and wider accesses, or shared memory for what is used again"),
    "mio_throttle": ("queue of shared memory", "", "fewer accesses to shared memory, or registers for what one lane alone uses"),
    "tex_throttle": ("texture unit", "texture.queue", "fewer samples, or a point filter, which takes a quarter of the texels"),
}
STORES = {"store", "store_scalar", "store_image", *(name for name in u.NUMBER if name.startswith("atomic_"))}
LOCKS = ("atomic_cas", "atomic_exchange")


def barriers(found: Profile) -> Iterator[Finding]:
    """Warps that wait at barriers for STALLED of their time."""
    waits = found.of("barrier")
    own = float(waits.sum()) - sum(behind_barriers(found).values())
    if own < d.STALLED * found.warp_cycles:
        return
    worst = d.hottest(waits)
    arrivals = max(int(found.counts[worst, p.ISSUES]), 1)
    what = f"{d.waiting(found, waits.sum())} at barriers, most at {found.line_of(worst)}: {d.number(int(waits[worst]) / arrivals)} cycles "
    what += f"each, for the last warp of their block{_late(found, worst)}"
    advice = "give all warps of a block the same work between two barriers, or make blocks smaller"
    yield Finding("barriers", (worst,), int(own), what, advice, ("barrier",))


def _late(found: Profile, barrier: int) -> str:
    """Where the last warp is meanwhile: the line before the barrier with most time; "" where there is none."""
    before = [number for number in before_barrier(found, barrier) if found.spent[number].any()]
    if not before:
        return ""
    spent = found.spent.sum(axis=1) - found.of("barrier")
    lines: dict[str, int] = {}
    for number in before:
        lines[found.line_of(number)] = lines.get(found.line_of(number), 0) + int(spent[number])
    line = max(lines, key=lambda name: lines[name])
    mine = [number for number in before if found.line_of(number) == line and found.counts[number, p.ISSUES]]
    lanes = max((d.ratio(found, number, p.LANES, p.ISSUES) for number in mine), default=0.0)
    alone = f", with {d.plural(lanes, 'lane')} of {found.config.core.lanes}" if lanes < found.config.core.lanes / 2 else ""
    return f", which is at {line}{alone}"


def fetch(found: Profile) -> Iterator[Finding]:
    """Warps without an instruction for STALLED of their time."""
    waits = found.of("no_instruction", "imc_miss")
    if waits.sum() < d.STALLED * found.warp_cycles:
        return
    worst, missed = d.hottest(waits), found.counters.get("fetch_misses", 0)
    share, misses = d.percent(waits.sum() / found.warp_cycles), d.plural(missed, "miss", "misses")
    what = f"{share} of the time warps have no instruction, most at {found.line_of(worst)}: they are fetched too slowly "
    what += f"({misses} of the instruction cache)"
    settings = found.config.fetch
    lines = max(settings.sets * settings.ways, settings.shared)
    bringing = missed * max(settings.miss_latency, found.config.dram.latency)  # at most, for a warp that misses
    if settings.sets and 2 * bringing < waits.sum():
        advice = (
            f"fewer instructions (unrolled loops), or more lanes a warp: it is hits that take this time, {settings.latency} cycles each, "
        )
        advice += f"of which a core begins {settings.per_cycle} in a cycle"
    elif lines * settings.line >= len(found.program):  # then every line is brought once
        advice = "more work with the same instructions (more threads per launch): the program fits into the cache and is fetched once"
    elif settings.sets:
        advice = f"a shorter loop, or a larger instruction cache ({d.twice(found, 'fetch.sets')})"
    else:
        advice = "an instruction cache (--set fetch.sets=64)"
    yield Finding("fetch", (worst,), int(waits.sum()), what, advice, ("no_instruction", "imc_miss"))


def throttle(found: Profile) -> Iterator[Finding]:
    """Warps that could issue but for a full unit, for STALLED of their time."""
    for reason in ("math_pipe_throttle", "lg_throttle", "mio_throttle", "tex_throttle"):
        if found.share(reason) < d.STALLED:
            continue
        waits = found.of(reason)
        worst = d.hottest(waits)
        special = reason == "math_pipe_throttle" and found.program.code[worst, u.ISSUE_UNIT] == u.SPECIAL
        unit, setting, advice = UNITS["special"] if special else UNITS[reason]
        if reason == "lg_throttle" and found.config.l1.bytes and found.counts[:, p.MISSES].sum() > found.counts[:, p.HITS].sum():
            setting = "l1.mshrs"  # what fills the unit are misses, and it holds as many as the cache has registers for
        if reason == "math_pipe_throttle" and found.config.pipes.owner == "scheduler":
            kind = issued_to(found.config, found.program)[1, worst]
            unit, setting = f"{pipe_of_class(found.config)[kind]} pipe", lanes_setting(found.config, kind)
        taking = _takes(found, worst, reason)
        what = f"{d.waiting(found, waits.sum())} for room in the {unit}, most of which {found.line_of(taking)} takes"
        more = f", or {twice}" if (twice := d.twice(found, setting)) else ""
        yield Finding("throttle", (taking,), int(waits.sum()), what, advice + more, (reason,))


def _takes(found: Profile, waiting: int, reason: str) -> int:
    """The instruction that takes most of the room that one waits for: it need not be the one that waits."""
    config, code = found.config, found.program.code
    if reason == "math_pipe_throttle" and config.pipes.owner == "core":  # ALUs that take anything: how long each keeps one is not counted
        return waiting
    taken = found.counts[:, p.ISSUES].astype(float)
    if reason == "math_pipe_throttle" and config.pipes.owner == "scheduler":
        ports, classes = issued_to(config, found.program)
        same = ports == ports[waiting]
        taken *= np.array(intervals(config), float)[classes]
    else:
        same = code[:, u.ISSUE_UNIT] == code[waiting, u.ISSUE_UNIT]
        moved = found.counts[:, p.PASSES if reason == "mio_throttle" else p.TRANSACTIONS]
        taken = np.where(moved > 0, moved, taken)
    lines: dict[str, list[int]] = {}
    for number in np.flatnonzero(same).tolist():
        lines.setdefault(found.line_of(number), []).append(number)
    mine = max(lines.values(), key=lambda numbers: float(taken[numbers].sum()))
    return max(mine, key=lambda number: (taken[number], found.spent[number].sum()))


def issue(found: Profile) -> Iterator[Finding]:
    """Schedulers that issue in BUSY of their cycles: the kernel has too many instructions, and nothing else holds it up."""
    used = d.issue_slots_used(found)
    if used < d.BUSY:
        return
    lines: dict[str, list[int]] = {}
    for number in np.flatnonzero(found.counts[:, p.ISSUES]).tolist():
        lines.setdefault(found.line_of(number), []).append(number)
    issues = found.counts[:, p.ISSUES]
    where, mine = max(lines.items(), key=lambda item: int(issues[item[1]].sum()))
    what = (
        f"{d.percent(used)} of the issue slots are used, {d.percent(issues[mine].sum() / issues.sum())} of them by {where}: the kernel is "
    )
    what += "as fast as its number of instructions lets it be"
    worst = max(mine, key=lambda number: int(issues[number]))
    yield Finding(
        "issue", (worst,), int(used * found.warp_cycles), what, "fewer instructions for the same work", ("selected", "not_selected")
    )


def spin(found: Profile) -> Iterator[Finding]:
    """Loops around an atomic exchange or compare-and-swap that a warp repeats ITERATIONS times, with STALLED of all warp-cycles."""
    program = found.program
    flow = Flow(program)
    for loop in flow.loops:
        inside = [number for block in loop.blocks for number in range(flow.blocks[block].first, flow.blocks[block].last + 1)]
        locks = [number for number in inside if p.atomic_name(program, number) in LOCKS]
        cycles, repeated = int(found.spent[inside].sum()), int(found.counts[loop.header, p.ISSUES])
        if not locks or repeated < d.ITERATIONS * found.warps or cycles < d.STALLED * found.warp_cycles:
            continue
        what = f"{d.of_time(found, cycles)} goes to the loop around the {p.atomic_name(program, locks[0])} at {found.line_of(locks[0])}: "
        what += f"{d.plural(found.warps, 'warp')} made {d.plural(repeated, 'iteration')} of it"
        advice = "one lane per warp that takes the lock, a shorter time under it, more locks, or an atomic operation in its place"
        yield Finding("spin", (locks[0],), cycles, what, advice)


def stores(found: Profile) -> Iterator[Finding]:
    """A run of which STALLED is after the last warp's end: memory has not taken what was stored."""
    tail = store_tail(found.counters, found.config)
    if tail < d.STALLED * found.cycles:
        return
    stored = [bool(STORES.intersection(p.operations(found.program, number))) for number in range(len(found.program))]
    worst = d.hottest(np.where(stored, found.counts[:, p.TRANSACTIONS], -1))
    share = f"{d.percent(tail / found.cycles)} of the run waits for"
    ended = f"the last warp has ended after {d.number(found.cycles - tail)} cycles"
    name, concerned = p.atomic_name(found.program, worst), tail * found.busy_cores * found.config.core.schedulers
    if name and (meet := turns(found, worst, True)):
        what = f"{share} the atomic operations at {found.line_of(worst)} ({name}): {meet}; {ended}"
        yield Finding("atomics", (worst,), concerned, what, FEWER_ATOMICS, after=tail / found.cycles)
        return
    what = f"{share} the stores of {found.line_of(worst)}, which are more than memory takes: {ended}"
    full, more = _dram_at_its_limit(found)
    what += f"; {full}" if full else ""
    advice = f"fewer bytes: narrower values, or registers and shared memory for what is stored more than once{more}"
    yield Finding("stores", (worst,), concerned, what, advice, after=tail / found.cycles)


def busy_channels(found: Profile) -> Iterator[Finding]:
    """A memory whose channels serve requests for BUSY of the run, or move BUSY of the bytes that they can: it is the limit."""
    memory = found.config.memory
    if memory.kind == "dram":
        yield from _full_dram(found)
        return
    for name, channels in (("data", memory.data_channels), ("program", memory.program_channels)):
        busy = min(found.counters.get(f"{name}_channel_busy_cycles", 0) / (found.cycles * channels), 1.0)
        if busy < d.BUSY:
            continue
        waits = found.of(*("wait", "long_scoreboard") if name == "data" else ("fetch", "no_instruction"))
        worst = d.hottest(waits)
        what = f"{d.percent(busy)} of the run the {d.plural(channels, 'channel')} of {name} memory "
        what += f"{'is' if channels == 1 else 'are'} busy: {found.line_of(worst)} waits longest"
        less = "fewer accesses or a cache" if name == "data" else "a shorter loop or an instruction cache (--set fetch.sets=64)"
        more = f", or {twice}" if (twice := d.twice(found, f"memory.{name}_channels")) else ""
        advice = less + more
        yield Finding("busy channels", (worst,), int(waits.sum()), what, advice)


def _dram_at_its_limit(found: Profile) -> tuple[str, str]:
    """(what DRAM moves, the setting that would let it move more) where that is BUSY of what it can, else two empty texts."""
    moved, room = found.counters.get("dram_bytes", 0), found.cycles * dram_bytes_a_cycle(found.config)
    if not room or moved < d.BUSY * room:
        return "", ""
    full = f"DRAM moves {d.number(moved / found.cycles)} bytes per cycle, "
    full += f"{d.percent(moved / room)} of what its {d.plural(found.config.dram.channels, 'channel')} can"
    return full, f", or {twice}" if (twice := d.twice(found, "dram.bandwidth")) else ""


def _full_dram(found: Profile) -> Iterator[Finding]:
    full, more = _dram_at_its_limit(found)
    waits = d.memory_waits(found)
    if not full or ((stored := [*stores(found)]) and stored[0].cycles > waits.sum()):  # then that rule says so
        return
    worst = d.hottest(waits)
    what = f"{d.waiting(found, waits.sum())} for memory, longest at {found.line_of(worst)}: {full}"
    advice = f"fewer bytes: reuse what has been loaded, in registers, shared memory or a cache{more}"
    yield Finding("busy channels", (worst,), int(waits.sum()), what, advice, d.MEMORY_REASONS)


def sequencer(found: Profile) -> Iterator[Finding]:
    """Cores that run one instruction at a time: FETCHING of their time in FETCH, DATA_WAIT of it in WAIT."""
    if found.share("fetch") >= d.FETCHING:
        worst = d.hottest(found.of("fetch"))
        what = f"{d.percent(found.share('fetch'))} of the time the cores fetch instructions, most at {found.line_of(worst)}"
        cache = (
            f"a shorter loop, {d.twice(found, 'fetch.sets')}" if found.config.fetch.sets else "an instruction cache (--set fetch.sets=64)"
        )
        advice = cache + ("" if found.config.core.prefetch else ", or fetch ahead (--set core.prefetch=true)")
        yield Finding("fetch", (worst,), int(found.of("fetch").sum()), what, advice)
    if found.share("wait") >= d.DATA_WAIT:
        worst = d.hottest(found.of("wait"))
        each = int(found.of("wait")[worst]) / max(int(found.counts[worst, p.ISSUES]), 1)
        what = (
            f"{d.percent(found.share('wait'))} of the time the cores are in WAIT, most at {found.line_of(worst)}: {d.number(each)} cycles "
        )
        what += "each time"
        advice = "fewer loads and stores"
        advice += "" if found.config.core.skip_wait else ", --set core.skip_wait=true for the other instructions"
        advice += f", or {twice}" if (twice := d.twice(found, "memory.data_channels")) else ""
        yield Finding("data memory", (worst,), int(found.of("wait").sum()), what, advice)
