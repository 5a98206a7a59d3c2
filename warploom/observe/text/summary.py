"""What a run gave, for a person: kernel and machine, how it ended, where the time went, how busy memory was.

Every function reads a Result and gives lines; what a kind of machine does not count is left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from warploom.isa.regions import CONSOLE, KINDS
from warploom.machine.accounting.counters import STATE_COUNTERS
from warploom.machine.accounting.reasons import LANES_DIVERGED, LANES_ENDED, OFF, REASONS
from warploom.machine.config.presets import load_config, preset_names
from warploom.machine.config.schema import Config
from warploom.machine.run.result import RunResult
from warploom.machine.run.store_tail import store_tail
from warploom.observe.text.memory_table import memory_table
from warploom.observe.text.styled import QUIET, TITLE, Line, bar, counted, folded, grouped, percent
from warploom.observe.text.views import MOST_REGION_ROWS, region_table, view_tables

EMPTY = ("idle", "done")  # states of a core in which its places for threads stand empty
PARTS = {"fetch": ("program_wait", "waiting for program memory"), "wait": ("data_wait", "waiting for data memory")}
MOST_TABLES = 8  # of memory, where a program has regions
MOST_CHANGES = 3  # settings that the headline names
LABEL, NUMBER = 28, 14  # characters of a row's name and number
PIXELS = 4  # of a quad
BAR = 40  # characters of the longest bar


def summary(result: RunResult, *, width: int = 80, unicode: bool = True, memory: bool = True) -> Iterator[Line]:
    """Everything, in the order in which a person asks. memory: with the tables of memory."""
    yield from folded(headline(result), width)
    yield from folded(outcome(result), width)
    yield []
    if memory:
        if result.program.view_names:
            yield from view_tables(result.program, result.initial_memory, result.memory, width=width)
        else:
            yield from memory_tables(result, width=width)
        yield []
    if result.console:
        yield [("console", TITLE)]
        yield from ([(f"  {line}", "")] for line in result.console)
        yield []
    sections = [threads_time, warps_time, lanes, channels, caches, graphics]
    for section in sections:
        lines = [part for line in section(result, width, unicode) for part in folded(line, width, "    ")]
        yield from lines
        if lines:
            yield []


def memory_tables(result: RunResult, *, width: int = 80) -> Iterator[Line]:
    """A table of memory; where a program has regions, one for each of the first that the run has changed, or that a user gave something.

    Of stacks there is the heading alone, and nothing of consoles: what they print is shown by itself.
    """
    if not result.program.regions:
        yield from memory_table(result.initial_memory, result.memory, width=width)
        return
    held = []
    for region in result.space.regions:
        part = result.space.slice_of(region)
        before, after = result.initial_memory[part], result.memory[part]
        if (region.name in result.program.launch.buffers or (before != after).any()) and region.kind != KINDS[CONSOLE]:
            held.append((region, before, after))
    if not held:
        yield [("memory", TITLE), ("  nothing changed", "")]
    for region, before, after in held[:MOST_TABLES]:
        rows = 0 if region.thread_bytes else MOST_REGION_ROWS
        yield from region_table(region.name, region.base, before, after, width=width, most_rows=rows)
    rest = held[MOST_TABLES:]
    if rest:
        changed = sum(int(np.count_nonzero(before != after)) for _, before, after in rest)
        said = f"... and {counted(len(rest), 'more region')}, {rest[0][0].base:#x} to {rest[-1][0].end - 1:#x}"
        yield [(f"{said}: {counted(changed, 'byte')} changed", QUIET)]


def headline(result: RunResult) -> Line:
    """The kernel and the machine."""
    program = result.program
    threads = "starts its threads itself" if program.launch.whole_device else counted(program.launch.threads, "thread")
    kernel = f"{program.name}: {counted(len(program), 'instruction')}, {threads}"
    return [(kernel, TITLE), (f"; {machine(result.config, result.units)}", "")]


def machine(config: Config, units: Mapping[str, str] | None = None) -> str:
    """A machine in a few words: its name, its size, its units of a user's, what is changed against the preset of that name."""
    cores, core, memory = counted(config.gpu.cores, "core"), config.core, config.memory
    if not config.has.warps:
        size = f"{cores} x {counted(core.threads_per_block, 'thread')}, {counted(memory.data_channels, 'data channel')}"
    else:
        size = f"{cores} x {counted(core.warps, 'warp')} x {counted(core.lanes, 'lane')}"
    return f"{config.name}: {size}{_changes(config, units or {})}"


def _changes(config: Config, units: Mapping[str, str]) -> str:
    changes = [f"unit.{slot}={name}" for slot, name in units.items()]
    if config.name in preset_names():
        preset = load_config(config.name).flat()
        changes += [f"{name}={value}".lower() for name, value in config.flat().items() if value != preset[name]]
    more = f" and {len(changes) - MOST_CHANGES} more" if len(changes) > MOST_CHANGES else ""
    return f", with {', '.join(changes[:MOST_CHANGES])}{more}" if changes else ""


def outcome(result: RunResult) -> Line:
    """How the run ended, and how much was executed."""
    ended, style = {
        "done": ("done in", "bold green"),
        "timeout": ("still running after", "bold yellow"),
        "error": ("stopped by a fault after", "bold red"),
    }[result.status]
    executed = f", {counted(result.instructions, 'instruction')} executed"
    threads = result.counters.get("thread_instructions")
    each = f", {grouped(threads)} counting each thread" if threads is not None else ""
    return [(f"{ended} {counted(result.cycles, 'cycle')}", style), (executed + each, "")]


def _share_row(name: str, value: int, share: float, width: int, unicode: bool, *, part: bool = False) -> Line:
    """`  fetch     984  50.0 %  ██████████`, a part of another row further in."""
    label = f"    {name}" if part else f"  {name}"
    room = min(max(width - LABEL - NUMBER - 14, 8), BAR)
    style = QUIET if part else ""
    return [
        (f"{label:<{LABEL}}{grouped(value):>{NUMBER}}  {percent(share)}  ", style),
        (bar(share, room, unicode=unicode), style or "cyan"),
    ]


def threads_time(result: RunResult, width: int, unicode: bool) -> Iterator[Line]:
    """How the threads of cores that run one instruction at a time spent their cycles, state by state."""
    counters = result.counters
    if STATE_COUNTERS[0] not in counters:
        return
    states = [name.removesuffix("_thread_cycles") for name in STATE_COUNTERS]
    places = sum(counters[name] for name in STATE_COUNTERS)
    empty = sum(counters[f"{state}_thread_cycles"] for state in EMPTY)
    total = places - empty
    yield [("how the threads spent their cycles", TITLE), (f"  {grouped(total)} thread-cycles", "")]
    for state in states:
        if state in EMPTY:
            continue
        value = counters[f"{state}_thread_cycles"]
        yield _share_row(state, value, _share(value, total), width, unicode)
        if state in PARTS:
            name, meaning = PARTS[state]
            value = counters[f"{name}_thread_cycles"]
            yield _share_row(meaning, value, _share(value, total), width, unicode, part=True)
    if empty:
        said = f"  {percent(_share(empty, places)).strip()} of the machine was idle: "
        yield [(f"{said}{grouped(empty)} of {grouped(places)} thread-cycles had no thread", QUIET)]


def warps_time(result: RunResult, width: int, unicode: bool) -> Iterator[Line]:
    """Why the warps issued or did not, the most frequent reason first."""
    total = result.counters.get("warp_cycles", 0)
    if not total:
        return
    yield [("how the warps spent their cycles", TITLE), (f"  {grouped(total)} warp-cycles", "")]
    found = [(result.counters[f"{reason.name}_warp_cycles"], reason) for reason in REASONS]
    for value, reason in sorted(found, key=lambda item: -item[0]):
        if value:
            yield _share_row(reason.name, value, value / total, width, unicode)
            yield [(f"    {reason.meaning}", QUIET)]
    tail = store_tail(result.counters, result.config)
    if tail:
        share = percent(tail / result.cycles).strip()
        yield [
            (f"  no warp is left in {share} of the run: its last {grouped(tail)} of {grouped(result.cycles)} cycles wait for stores", QUIET)
        ]


def lanes(result: RunResult, width: int, unicode: bool) -> Iterator[Line]:
    """How many lanes of the instructions were active, and why the others were not, where there are warps."""
    counters = result.counters
    if not counters.get("warp_cycles") or not result.instructions:
        return
    full = result.instructions * result.config.core.lanes
    yield [("lanes", TITLE), (f"  {grouped(full)} of all instructions", "")]
    yield _share_row("active", counters["thread_instructions"], counters["thread_instructions"] / full, width, unicode)
    profile = result.detail.profile
    if profile is not None:
        diverged, ended = (int(profile[:, column].sum()) for column in (LANES_DIVERGED, LANES_ENDED))
        never = full - counters["thread_instructions"] - diverged - ended
        for state, count in zip(OFF, (diverged, ended, never), strict=True):
            if count:
                yield _share_row(state.name, count, count / full, width, unicode)
    if counters.get("diverged_branches"):
        yield [(f"  {'branches that diverged':<{LABEL - 2}}{grouped(counters['diverged_branches']):>{NUMBER}}", "")]


def channels(result: RunResult, width: int, unicode: bool) -> Iterator[Line]:
    """How busy the channels of the memory controllers were, where memory has channels."""
    counters, memory = result.counters, result.config.memory
    if "data_requests" not in counters or memory.kind != "channels" or not result.cycles:
        return
    yield [("memory channels", TITLE), ("  requests, and how much of the time a channel was busy", "")]
    for name, count in (("data", memory.data_channels), ("program", memory.program_channels)):
        busy = counters[f"{name}_channel_busy_cycles"] / (count * result.cycles)
        yield _share_row(f"{name}, {counted(count, 'channel')}", counters[f"{name}_requests"], busy, width, unicode)


def caches(result: RunResult, width: int, unicode: bool) -> Iterator[Line]:
    """What the memory system of a machine with warps did: transactions, the part of them that each cache had, DRAM."""
    counters = result.counters
    if not counters.get("transactions"):
        return
    yield [("memory", TITLE), (f"  {grouped(counters['accesses'])} accesses of warps", "")]
    yield [(f"  {'transactions':<{LABEL - 2}}{grouped(counters['transactions']):>{NUMBER}}", "")]
    for level in ("l1", "l2"):
        looked = counters[f"{level}_hits"] + counters[f"{level}_misses"]
        if looked:
            hits = counters[f"{level}_hits"]
            yield _share_row(f"{level} hits, of {grouped(looked)}", hits, hits / looked, width, unicode)
    if said := prefetches_text(counters):
        yield [(f"  {said}", "")]
    if counters.get("dram_requests"):
        yield [(f"  {'DRAM bytes':<{LABEL - 2}}{grouped(counters['dram_bytes']):>{NUMBER}}", "")]
    if counters.get("dirty_bytes"):
        yield [(f"  {'bytes not yet in DRAM':<{LABEL - 2}}{grouped(counters['dirty_bytes']):>{NUMBER}}  they stay in the cache", "")]


def graphics(result: RunResult, width: int, unicode: bool) -> Iterator[Line]:
    """What raster engines and output mergers did, where a program draws."""
    counters = result.counters
    quads, fragments = counters.get("quads", 0), counters.get("fragments", 0)
    if not quads + fragments:
        return
    yield [("graphics", TITLE), (f"  {grouped(quads)} quads, {grouped(fragments)} fragments", "")]
    if quads:
        covered = counters["covered_pixels"]
        yield _share_row("pixels of quads covered", covered, covered / (PIXELS * quads), width, unicode)
    if fragments:
        killed = counters["fragments_killed_late"]
        yield _share_row("fragments dropped", killed, killed / fragments, width, unicode)
    for unit, read in (("raster", "triangles"), ("merger", "pixels")):
        looked = counters.get(f"{unit}_cache_hits", 0) + counters.get(f"{unit}_cache_misses", 0)
        if looked:
            hits = counters[f"{unit}_cache_hits"]
            yield _share_row(f"{read} cached, of {grouped(looked)}", hits, hits / looked, width, unicode)


def prefetches_text(counters: Mapping[str, int]) -> str:
    """What a prefetcher did, in half a sentence; "" where there is none, or none that named a line."""
    sent, dropped = counters.get("l1_prefetches", 0), counters.get("l1_dropped_prefetches", 0)
    if not sent + dropped:
        return ""
    useful = counters["l1_useful_prefetches"]
    of_them = f", {grouped(useful)} of them useful ({percent(_share(useful, sent)).strip()})" if sent else ""
    return f"prefetches: {grouped(sent)} issued{of_them}, {grouped(dropped)} dropped"


def _share(value: int, total: int) -> float:
    return value / total if total else 0.0
