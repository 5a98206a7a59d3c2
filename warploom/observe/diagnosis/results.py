"""Rules about results that warps wait for: latency that nothing hides, chains, slow operations, 64-bit floats that nobody wanted."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

from warploom.isa import uop as u
from warploom.observe import profile as p
from warploom.observe.diagnosis import finding as d
from warploom.observe.diagnosis.blame import FROM_MEMORY, RESULTS, blame, loops
from warploom.observe.diagnosis.finding import Finding
from warploom.observe.diagnosis.memory import array_of
from warploom.observe.diagnosis.room import blocks_of
from warploom.observe.diagnosis.words import by_word
from warploom.observe.facts.producers import awaits_stores
from warploom.observe.profile import Profile

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
FEW = 0.5  # share of the room for warps below which a launch is called small
DOUBLES = ("double", "double_divide", "double_convert")
# A number with a point or an exponent and no mark of 32 bits, outside of a name and of a string.
LITERAL = re.compile(r"(?<![\w.\"'])(?:\d+\.\d*|\.\d+|\d+(?=[eE][-+]?\d))(?:[eE][-+]?\d+)?(?![\w.])")
CAST = re.compile(r"float32\s*\(\s*$")


def latency(found: Profile) -> Iterator[Finding]:
    """Warps that wait for results for LATENCY of their time, while the issue slots are used for less than QUIET_ISSUE."""
    names = tuple(RESULTS)
    if found.share(*names) < d.LATENCY or d.issue_slots_used(found) >= d.QUIET_ISSUE:
        return
    reason = max(RESULTS, key=found.share)
    waits = found.of(reason)
    worst = d.hottest(waits)
    told = by_word(found, worst, reason)
    where, whose = (told, "") if told else _chain(found) or (_awaited(found, worst, reason), "")
    each = d.number(int(waits[worst]) / max(int(found.counts[worst, p.ISSUES]), 1))
    issues, slots = int(found.counts[:, p.ISSUES].sum()), found.cycles * found.busy_cores * found.config.core.schedulers
    turn = found.config.core.schedulers if found.config.core.issues_per_turn else 1  # cycles from one turn of a scheduler to the next
    needed, there = (found.warp_cycles - int(found.of("not_selected").sum())) / issues / turn, found.warp_cycles / slots
    what = f"{d.waiting(found, found.of(*names).sum())} {where}"
    here = "" if where.endswith(f"at {found.line_of(worst)}") else f" at {found.line_of(worst)}"
    what += f": {whose}" if whose else f", {each} cycles each time{here}"
    room = found.config.gpu.cores * found.config.core.warps
    few = found.warps < FEW * room and not found.program.launch.whole_device
    blocks = f"the launch has only {d.plural(blocks_of(found), 'block')} ({d.plural(found.warps, 'warp')}, where {room} fit), so "
    what += f"; {blocks if few else ''}a scheduler has {d.plural(there, 'warp')} on average, and would need {d.number(needed)} to issue in "
    what += f"every {'turn' if turn > 1 else 'cycle'}"
    if found.warps < room:
        advice = f"more warps: the launch has {found.warps}, the machine has room for {room}; or independent work between the two lines"
    elif found.warps > room:
        more = d.twice(found, "core.warps")
        advice = (f"{more}, more warps per core; or " if more else "") + "independent work between the two lines"
    else:
        advice = "more warps per core (more threads and --set core.warps); or independent work between the two lines"
    yield Finding("latency", (worst,), int(found.of(*names).sum()), what, advice, names)


def largest(found: Profile) -> Iterator[Finding]:
    """Where no cause stands out: the largest of the waits, and its line."""
    spent = {activity.name: int(found.of(activity.name).sum()) for activity in found.activities}
    reason = max((name for name in spent if name not in ("selected", "not_selected")), key=lambda name: spent[name])
    if not spent[reason]:
        return
    worst = d.hottest(found.of(reason))
    meaning = next(activity.meaning for activity in found.activities if activity.name == reason)
    told = by_word(found, worst, reason) if reason in RESULTS else ""
    where = told or _awaited(found, worst, reason) if reason in RESULTS else f"at {found.line_of(worst)} ({reason}: {meaning})"
    what = f"{d.waiting(found, spent[reason])} {where}, the largest of several waits: no single cause stands out; "
    what += f"{d.percent(min(d.issue_slots_used(found), 1.0))} of the issue slots are used"
    advice = "more warps, or independent work between a load and what needs it; the lines below say where the rest goes"
    yield Finding("largest wait", (worst,), spent[reason], what, advice, (reason,))


def _awaited(found: Profile, worst: int, reason: str) -> str:
    """What an instruction waits for: `for the loads of a at line 7`."""
    made = blame(found).producers.of(worst, RESULTS[reason])
    names = list(dict.fromkeys(name for number in made if (name := array_of(found, number))))
    slowest = {blame(found).latency(number) for number in made}
    verb = "loads" if FROM_MEMORY in slowest or reason == "waitcnt" else "results"
    places = d.places(found, made) if made else "an earlier line"
    what = f"for the {verb}{f' of {d.together(names)}' if names and verb == 'loads' else ''} at {places}"
    if awaits_stores(found.program, worst):
        return f"{what}, and until memory has their stores" if made else "until memory has their stores"
    return what


def _chain(found: Profile) -> tuple[str, str] | None:
    """Of the loop with most of the waits: what each turn needs of the one before it, where that is what takes the time; else None."""
    caused = blame(found).caused
    for inside in loops(found):
        if caused[inside].sum() < caused.sum() / 2:
            continue
        way = blame(found).recurrence([number for number in inside if found.counts[number, p.ISSUES]])
        if not way:
            continue
        places = d.places(found, sorted(way))
        if any(blame(found).latency(number) == FROM_MEMORY for number in way):
            return f"for a chain of loads at {places}", "each address needs what the turn of the loop before it has loaded"
        cycles = sum(map(blame(found).latency, way))
        turns = max(int(found.counts[way[0], p.ISSUES]), 1)
        turn = float(found.spent[inside].sum() - found.of("not_selected")[inside].sum()) / turns
        if cycles < turn / 4:  # what takes the time of a turn is something else
            continue
        said = f"each turn of the loop needs what the one before it computed, {cycles} of the {d.number(turn)} cycles of a turn"
        return f"for results of the chain at {places}", said
    return None


def slow_operations(found: Profile) -> Iterator[Finding]:
    """Operations that take SLOW times as long as a simple one, where warps wait for one of them STALLED of their time: a division, mostly.

    More warps would hide it, but the cause is the operation.
    """
    program, config = found.program, found.config
    waits = found.of("wait", "short_scoreboard")
    simple = min(int(config[f"latency.{name}"]) for name in ("alu", "float"))
    slow: dict[int, int] = {}
    for waiting in np.flatnonzero(waits).tolist():
        made = [(_latency(found, number), number) for number in blame(found).producers.of(waiting, (u.ALU, u.SPECIAL))]
        cycles, number = max(made, default=(0, -1))
        if cycles >= d.SLOW * simple:
            slow[number] = slow.get(number, 0) + int(waits[waiting])
    total = sum(slow.values())
    if not slow or total < d.STALLED * found.warp_cycles or d.issue_slots_used(found) >= d.QUIET_ISSUE:
        return
    worst = max(slow, key=lambda number: slow[number])
    kind = u.LATENCIES[int(program.code[worst, u.ISSUE_LATENCY])]
    name = SLOW_ONES.get(kind, "operation")
    what = f"{d.waiting(found, slow[worst])} for the {name} at {found.line_of(worst)}: it takes {_latency(found, worst)} cycles "
    what += f"(latency.{kind}), a simple operation {simple}"
    what += f"; for slow operations anywhere, {d.percent(total / found.warp_cycles)}" if len(slow) > 1 else ""
    advice = SLOW_ADVICE.get(kind, "work that does not depend on it between the two lines") + "; or more warps, which hide it"
    yield Finding("slow operation", (worst,), total, what, advice, ("wait", "short_scoreboard"))


def _latency(found: Profile, instruction: int) -> int:
    cycles = blame(found).latency(instruction)
    return cycles if cycles < FROM_MEMORY and found.program.code[instruction, u.ISSUE_UNIT] != u.SHARED else 0


def doubles(found: Profile) -> Iterator[Finding]:
    """64-bit floats that 32-bit numbers are turned into, where DOUBLE of the time goes to them: they issue, wait for room, are waited for.

    A kernel whose data have 64 bits gets no such word.
    """
    program = found.program
    kinds = [u.LATENCIES.index(name) for name in DOUBLES]
    wide = np.isin(program.code[:, u.ISSUE_LATENCY], kinds) & (found.counts[:, p.ISSUES] > 0)
    widened = [number for number in np.flatnonzero(wide).tolist() if "f2d" in p.operations(program, number)]
    if not widened:
        return
    full = found.of("selected", "math_pipe_throttle", "dispatch_stall")
    cycles = np.where(wide, full + blame(found).caused, 0.0)
    if cycles.sum() < d.DOUBLE * found.warp_cycles:
        return
    lines: dict[str, list[int]] = {}
    for number in np.flatnonzero(wide).tolist():
        lines.setdefault(found.line_of(number), []).append(number)
    mine = max(lines.values(), key=lambda numbers: float(cycles[numbers].sum()))
    worst = max(mine, key=lambda number: float(cycles[number]))
    literal = _literal(found, worst)
    what = f"{d.of_time(found, cycles.sum())} goes to 64-bit floats, most at {found.line_of(worst)}"
    what += (
        f": {literal} is a float64, which makes the 32-bit numbers beside it 64 bits wide" if literal else ", which 32-bit numbers become"
    )
    conversions = sum("convert" in u.LATENCIES[int(program.code[number, u.ISSUE_LATENCY])] for number in mine)
    what += f" ({d.plural(conversions, 'conversion')} each time)" if conversions else ""
    advice = (
        f"write float32({literal})"
        if literal and program.language.python
        else f"write {literal}f"
        if literal
        else "stay with 32-bit floats"
    )
    yield Finding("doubles", (worst,), int(cycles.sum()), what, advice, ("math_pipe_throttle", "short_scoreboard", "wait"))


def _literal(found: Profile, instruction: int) -> str:
    """The first number in the text of an instruction's line that has 64 bits since nothing says otherwise; "" where there is none."""
    place = found.program.position(instruction)
    lines = found.program.source_of(place).lines
    text = lines[place.line - 1] if 0 < place.line <= len(lines) else ""
    return next((one[0] for one in LITERAL.finditer(text) if not CAST.search(text[: one.start()])), "")
