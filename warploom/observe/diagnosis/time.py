"""Rules about waiting: latency that nothing hides, barriers, instruction fetch, full units, full channels, locks."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from warploom.isa import uop as u
from warploom.isa.analysis.control_flow import Flow
from warploom.machine.config.derived import dram_bytes_a_cycle
from warploom.machine.config.pipes import issued_to, lanes_setting, pipe_of_class
from warploom.machine.config.pipes import latency as of_class
from warploom.machine.run.store_tail import store_tail
from warploom.observe import profile as p
from warploom.observe.diagnosis import finding as d
from warploom.observe.diagnosis.finding import Finding
from warploom.observe.facts.producers import LOADS, awaits_stores, producers
from warploom.observe.profile import Profile

# A reason, the units whose results it waits for, and what is said of them.
RESULTS = (
    ("long_scoreboard", (u.MEMORY, u.TEXTURE), "loads"),
    ("short_scoreboard", (u.SHARED, u.SPECIAL), "brings"),
    ("wait", (u.ALU,), "computes"),
    ("waitcnt", LOADS, "loads"),
)
# A full unit, by its reason: its name, the setting that gives more of it, what else to try.
UNITS = {
    "math_pipe_throttle": ("ALUs", "alu.count", "fewer operations, or cheaper ones (a multiplication for a division)"),
    "special": ("special-function units", "alu.special_count", "fewer square roots, sines and logarithms"),
    "lg_throttle": ("load/store unit", "l1.mshrs", "fewer and wider accesses, or shared memory for what is used again"),
    "mio_throttle": ("queue of shared memory", "", "fewer accesses to shared memory, or registers for what one lane alone uses"),
    "tex_throttle": ("texture unit", "texture.queue", "fewer samples, or a point filter, which takes a quarter of the texels"),
}
# A slow operation, by its class of latency: its name, and what else to try.
SLOW_ONES = {
    "divide": "integer division",
    "float_divide": "division",
    "float_root": "square root",
    "float_reciprocal": "reciprocal",
    "double_divide": "division",
    "special": "special function",
    "mask": "comparison into a mask",
}
SLOW_ADVICE = {
    "divide": "a shift and a mask where the divisor is a power of two, a multiplication and a shift, or one division outside of the loop",
    "float_divide": "multiply by the reciprocal, computed once, or divide outside of the loop",
    "float_root": "compute it once outside of the loop, or take the reciprocal root (rsqrt), which is approximate, times the number",
    "special": "compute it once outside of the loop, or take it from a table",
}
STORES = {"store", "store_scalar", "store_image", *(name for name in u.NUMBER if name.startswith("atomic_"))}
LOCKS = ("atomic_cas", "atomic_exchange")


def latency(found: Profile) -> Iterator[Finding]:
    """Warps that wait for results for LATENCY of their time, while the issue slots are used for less than QUIET_ISSUE."""
    names = [name for name, _, _ in RESULTS]
    if found.share(*names) < d.LATENCY or d.issue_slots_used(found) >= d.QUIET_ISSUE:
        return
    reason, units, verb = max(RESULTS, key=lambda result: found.share(result[0]))
    waits = found.of(reason)
    worst = d.hottest(waits)
    made = list(dict.fromkeys(found.line_of(number) for number in producers(found.program, worst, units)))
    itself = made == [found.line_of(worst)]  # a statement of several instructions waits for its own load
    issues, slots = int(found.counts[:, p.ISSUES].sum()), found.cycles * found.busy_cores * found.config.core.schedulers
    turn = found.config.core.schedulers if found.config.core.issues_per_turn else 1  # cycles from one turn of a scheduler to the next
    needed, there = (found.warp_cycles - int(found.of("not_selected").sum())) / issues / turn, found.warp_cycles / slots
    what = f"for what {'it' if itself else ' or '.join(made) or 'an earlier line'} {verb}"
    if awaits_stores(found.program, worst):
        what = f"{what}, and until memory has their stores" if made else "until memory has their stores"
    what = f"{found.line_of(worst)}: warps wait {what}"
    what += f", {d.number(int(waits[worst]) / max(int(found.counts[worst, p.ISSUES]), 1))} cycles each time; a scheduler has "
    what += f"{d.plural(there, 'warp')} on average, and would need {d.number(needed)} to issue in every {'turn' if turn > 1 else 'cycle'}; "
    here, anywhere = d.percent(int(waits[worst]) / found.warp_cycles), d.percent(found.share(*names))
    what += f"{here} of all warp-cycles are waiting here, {anywhere} anywhere"
    room = found.config.gpu.cores * found.config.core.warps
    if found.warps < room:
        advice = f"more warps: the launch has {found.warps}, the machine has room for {room}; or independent work between the two lines"
    elif found.warps > room:
        more = d.twice(found, "core.warps")
        advice = (f"{more}, more warps per core; or " if more else "") + "independent work between the two lines"
    else:
        advice = "more warps per core (more threads and --set core.warps); or independent work between the two lines"
    yield Finding("latency", (worst,), int(found.of(*names).sum()), what, advice)


def slow_operations(found: Profile) -> Iterator[Finding]:
    """Operations that take SLOW times as long as a simple one, where warps wait for one of them STALLED of their time: a division, mostly.

    More warps would hide it, but the cause is the operation.
    """
    program, config = found.program, found.config
    waits = found.of("wait", "short_scoreboard")
    simple = min(int(config[f"latency.{name}"]) for name in ("alu", "float"))
    slow: dict[int, int] = {}
    for waiting in np.flatnonzero(waits).tolist():
        made = [(_latency(found, number), number) for number in producers(program, waiting, (u.ALU, u.SPECIAL))]
        cycles, number = max(made, default=(0, -1))
        if cycles >= d.SLOW * simple:
            slow[number] = slow.get(number, 0) + int(waits[waiting])
    total = sum(slow.values())
    if not slow or total < d.STALLED * found.warp_cycles or d.issue_slots_used(found) >= d.QUIET_ISSUE:
        return
    worst = max(slow, key=lambda number: slow[number])
    kind = u.LATENCIES[int(program.code[worst, u.ISSUE_LATENCY])]
    name, here = SLOW_ONES.get(kind, "operation"), d.percent(slow[worst] / found.warp_cycles)
    what = f"{found.line_of(worst)}: its {name} takes {_latency(found, worst)} cycles (latency.{kind}), a simple operation {simple}; "
    what += f"warps wait for this line in {here} of all warp-cycles"
    what += f", and for slow operations in {d.percent(total / found.warp_cycles)}" if len(slow) > 1 else ""
    advice = SLOW_ADVICE.get(kind, "work that does not depend on it between the two lines") + "; or more warps, which hide it"
    yield Finding("slow operation", (worst,), total, what, advice)


def _latency(found: Profile, instruction: int) -> int:
    """Cycles from the issue of an arithmetic instruction to its result."""
    kind = u.LATENCIES[int(found.program.code[instruction, u.ISSUE_LATENCY])]
    return of_class(found.config, kind) if kind not in ("control", "memory") else 0


def barriers(found: Profile) -> Iterator[Finding]:
    """Warps that wait at barriers for STALLED of their time."""
    waits = found.of("barrier")
    if found.share("barrier") < d.STALLED:
        return
    worst = d.hottest(waits)
    arrivals = max(int(found.counts[worst, p.ISSUES]), 1)
    what = f"{found.line_of(worst)}: warps wait {d.number(int(waits[worst]) / arrivals)} cycles at this barrier on average, for the "
    what += f"last one of their block; {d.percent(found.share('barrier'))} of all warp-cycles are barriers"
    advice = "give all warps of a block the same work between two barriers, or make blocks smaller"
    yield Finding("barriers", (worst,), int(waits.sum()), what, advice)


def fetch(found: Profile) -> Iterator[Finding]:
    """Warps without an instruction for STALLED of their time."""
    waits = found.of("no_instruction", "imc_miss")
    if waits.sum() < d.STALLED * found.warp_cycles:
        return
    worst, missed = d.hottest(waits), found.counters.get("fetch_misses", 0)
    share, misses = d.percent(waits.sum() / found.warp_cycles), d.plural(missed, "miss", "misses")
    what = f"{found.line_of(worst)} waits longest for its instructions: {share} of all warp-cycles are spent with an empty instruction "
    what += f"buffer ({misses} of the instruction cache)"
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
    yield Finding("fetch", (worst,), int(waits.sum()), what, advice)


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
        here, anywhere = d.percent(int(waits[worst]) / found.warp_cycles), d.percent(found.share(reason))
        what = f"{found.line_of(worst)}: no room in the {unit}; {here} of all warp-cycles wait for it here, {anywhere} anywhere"
        more = f", or {twice}" if (twice := d.twice(found, setting)) else ""
        yield Finding("throttle", (worst,), int(waits.sum()), what, advice + more)


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
        what = f"{found.line_of(locks[0])}: {d.plural(found.warps, 'warp')} made {d.plural(repeated, 'iteration')} of the loop around this "
        what += f"{p.atomic_name(program, locks[0])}, with {d.percent(cycles / found.warp_cycles)} of all warp-cycles"
        advice = "one lane per warp that takes the lock, a shorter time under it, more locks, or an atomic operation in its place"
        yield Finding("spin", (locks[0],), cycles, what, advice)


def stores(found: Profile) -> Iterator[Finding]:
    """A run of which STALLED is after the last warp's end: memory has not taken what was stored."""
    tail = store_tail(found.counters, found.config)
    if tail < d.STALLED * found.cycles:
        return
    stored = [bool(STORES.intersection(p.operations(found.program, number))) for number in range(len(found.program))]
    worst = d.hottest(np.where(stored, found.counts[:, p.TRANSACTIONS], -1))
    what = f"{found.line_of(worst)} stores more than memory takes: the last warp has ended after "
    what += f"{d.number(found.cycles - tail)} cycles, and {d.percent(tail / found.cycles)} of the run wait for its stores"
    full, more = _dram_at_its_limit(found)
    what += f"; {full}" if full else ""
    advice = f"fewer bytes: narrower values, or registers and shared memory for what is stored more than once{more}"
    yield Finding("stores", (worst,), tail * found.busy_cores * found.config.core.schedulers, what, advice)


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
        what = f"{found.line_of(worst)} waits longest for {name} memory: its {d.plural(channels, 'channel')} "
        what += f"{'is' if channels == 1 else 'are'} busy for {d.percent(busy)} of the run"
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
    what = f"{found.line_of(worst)} waits longest for memory: {full}"
    advice = f"fewer bytes: reuse what has been loaded, in registers, shared memory or a cache{more}"
    yield Finding("busy channels", (worst,), int(waits.sum()), what, advice)


def sequencer(found: Profile) -> Iterator[Finding]:
    """Cores that run one instruction at a time: FETCHING of their time in FETCH, DATA_WAIT of it in WAIT."""
    if found.share("fetch") >= d.FETCHING:
        worst = d.hottest(found.of("fetch"))
        what = f"{found.line_of(worst)}: {d.percent(found.share('fetch'))} of the cores' cycles fetch instructions, most of them here"
        cache = (
            f"a shorter loop, {d.twice(found, 'fetch.sets')}" if found.config.fetch.sets else "an instruction cache (--set fetch.sets=64)"
        )
        advice = cache + ("" if found.config.core.prefetch else ", or fetch ahead (--set core.prefetch=true)")
        yield Finding("fetch", (worst,), int(found.of("fetch").sum()), what, advice)
    if found.share("wait") >= d.DATA_WAIT:
        worst = d.hottest(found.of("wait"))
        each = int(found.of("wait")[worst]) / max(int(found.counts[worst, p.ISSUES]), 1)
        what = f"{found.line_of(worst)}: {d.number(each)} cycles in WAIT each time; {d.percent(found.share('wait'))} of all cycles are WAIT"
        advice = "fewer loads and stores"
        advice += "" if found.config.core.skip_wait else ", --set core.skip_wait=true for the other instructions"
        advice += f", or {twice}" if (twice := d.twice(found, "memory.data_channels")) else ""
        yield Finding("data memory", (worst,), int(found.of("wait").sum()), what, advice)
