"""The contracts: our own units keep them, and a unit that breaks a promise is told which, with the smallest example."""

from __future__ import annotations

import itertools

import pytest
from click.testing import CliRunner

from warploom.cli import main
from warploom.contracts import SUITES, check_unit, runs
from warploom.machine.core.divergence.minpc import select_path
from warploom.machine.core.load_store.coalescer import coalesce
from warploom.machine.core.scheduling.policies import POLICIES
from warploom.machine.engine.unit import unit
from warploom.machine.memory.replacement import oldest_way
from warploom.machine.slots import SLOTS
from warploom.units import EMPTY, READY, Mechanism, Replacement, UnitError, lowest, run_group, unit_place


def stamped(s, set, way, now):
    s.stamp[set * s.ways + way] = now


def untouched(s, set, way, now):
    pass


@unit
def newest(s, set):
    found = 0
    for way in range(1, s.ways):
        if s.stamp[set * s.ways + way] > s.stamp[set * s.ways + found]:
            found = way
    return found


def first_place(hash, line):
    return line // 3 % hash.places


def lowest_pc(paths, warps, warp):
    select_path(paths, warps, warp)


def in_turn(paths, warps, warp):
    """No reconvergence: a path runs until it ends."""
    if warps.mask[warp] == EMPTY:
        for row in range(paths.count[warp]):
            if paths.state[warp, row] == READY:
                run_group(paths, warps, warp, row)
                return


KEPT = [
    *(("scheduler", name, policy.choose) for name, policy in POLICIES.items()),
    ("replacement", "lru", Replacement(stamped, stamped, oldest_way)),
    ("replacement", "fifo", Replacement(untouched, stamped, oldest_way)),
    ("replacement", "mru", Replacement(stamped, stamped, newest)),
    *(("prefetcher", name, each) for name, each in SLOTS["prefetcher"].door().units.items()),
    *(("coalescer", name, each) for name, each in SLOTS["coalescer"].door().units.items()),
    ("coalescer", "whole_warp", coalesce),
    ("set_hash", "thirds", first_place),
    ("channel_hash", "thirds", first_place),
    ("divergence", "minpc", Mechanism(lowest_pc)),
    ("divergence", "in turn", Mechanism(in_turn)),
]


# In every run the first of each slot; the others take a minute together.
FIRST = {slot: name for slot, name, _ in reversed(KEPT)}
CASES = [pytest.param(*row, marks=() if FIRST[row[0]] == row[1] else pytest.mark.slow) for row in KEPT]


def test_every_slot_has_a_suite_and_a_unit_that_keeps_it():
    assert SUITES.keys() == SLOTS.keys() == {slot for slot, _, _ in KEPT}


@pytest.mark.every(2)
@pytest.mark.parametrize(("slot", "name", "one"), CASES, ids=lambda value: value if isinstance(value, str) else "")
def test_a_unit_that_keeps_its_contract(slot, name, one):
    assert [verdict.broken for verdict in check_unit(one, slot)] == [""] * len(SUITES[slot])


# ---- units that break one promise each


def idle(s, now):
    return -1


calls = itertools.count()


def forgetful(s, now):
    """Depends on what happened in this process before."""
    if s.eligible == 0:
        return -1
    return lowest(s.eligible) if next(calls) % 7 != 0 else -1


def asks_for_the_lowest(s, now):
    """Right as long as some warp can issue."""
    return lowest(s.eligible)


def counts_slots_from_one(s, now):
    return s.last + 1 if s.eligible != 0 else -1


def takes_back(s, now):
    s.eligible = s.eligible & ~s.at_barrier & ~s.active
    return -1


def says_who_was_last(s, now):
    s.last = 0
    return 0


def row_of_an_instruction(p, line, pc, warp, missed):
    p.memory[pc] = line
    return -1


def before_it(p, line, pc, warp, missed):
    return line - 2 if missed != 0 and p.memory[0] == line else remember(p, line)


def remember(p, line):
    p.memory[0] = line
    return -1


def counts_its_own(p, line, pc, warp, missed):
    p.useful += missed
    return -1


def one_too_far(s, set):
    return s.ways


def one_too_far_in_time(s, set):
    """Right, but for the fourth access."""
    return 0 if s.stamp[set * s.ways] < 2 else 9


def changes_its_mind(hash, line):
    turn_on(hash)
    return hash.shift % hash.places


def turn_on(hash):
    """Written by what a unit calls: the engine looks at the unit alone, so it is the suite that has to see this."""
    hash.shift += 1


def forgets_the_second_lane(lsu, addresses, active, size, lanes, lines, sectors):
    if lanes == 1 or active[0] == 0:
        return coalesce(lsu, addresses, active, size, lanes, lines, sectors)
    return coalesce(lsu, addresses[:1], active[:1], size, 1, lines, sectors)


def asks_idle_lanes(lsu, addresses, active, size, lanes, lines, sectors):
    count = coalesce(lsu, addresses, active, size, lanes, lines, sectors)
    for lane in range(lanes):
        if active[lane] == 0:
            lines[count] = addresses[lane] >> lsu.line_shift
            sectors[count] = 1
            count += 1
    return count


def has_one_place(hash, line):
    leave_one(hash)
    return 0


def leave_one(hash):
    hash.places = 1


def has_one_place_itself(hash, line):
    hash.places = 1
    return 0


def notes_what_it_is_asked(hash, line):
    hash.asked[0] = 3
    return line % hash.places


def corrects_what_is_noted(hash, line):
    if hash.asked[5] != 0:
        hash.asked[5] = 0
    return line % hash.places


def starts_its_own_time(s, set, way, now):
    s.since = now + 1


def starts_again(s, set):
    s.since = 1
    return 0


def has_one_way(s, set):
    s.ways = 1
    return 0


def has_long_lines(lsu, addresses, active, size, lanes, lines, sectors):
    double_lines(lsu)
    return coalesce(lsu, addresses, active, size, lanes, lines, sectors)


def double_lines(lsu):
    lsu.line_shift += 1


def has_long_lines_itself(lsu, addresses, active, size, lanes, lines, sectors):
    lsu.line_shift += 1
    return coalesce(lsu, addresses, active, size, lanes, lines, sectors)


def looks_into_the_cache(lsu, addresses, active, size, lanes, lines, sectors):
    lsu.cache.tag[0] = 1
    return coalesce(lsu, addresses, active, size, lanes, lines, sectors)


def wrong_side(paths, warps, warp, taken, target, reconvergence_pc):
    """All lanes go where some want to: no lane is lost, and the kernel computes something else."""
    warps.pc[warp] = target


def passes_barriers(paths, warps, warp):
    """The path that has waited longest runs, whatever it waits for."""
    if warps.mask[warp] == EMPTY and paths.count[warp] > 0:
        run_group(paths, warps, warp, 0)


BROKEN = [
    ("scheduler", idle, "ends", "one in all of them; a policy returns the number of a warp in s.eligible"),
    ("scheduler", forgetful, "repeatable", "1-store.rv takes "),
    ("scheduler", asks_for_the_lowest, "pick", "1 warp slot: warp 0 waits for its unit: "),
    ("scheduler", counts_slots_from_one, "pick", "1 warp slot: warp 0 can issue, and in the next cycle warp 0 can issue: "),
    ("scheduler", takes_back, "pick", "1 warp slot: warp 0 can issue: "),
    ("scheduler", says_who_was_last, "pick", " writes s.last; of this record a unit writes s.memory and s.visible alone"),
    ("prefetcher", row_of_an_instruction, "line", "line 0 by instruction 300 of warp 0 (missed): "),
    ("prefetcher", before_it, "line", "line 0 by instruction 0 of warp 0 (missed): "),
    ("prefetcher", counts_its_own, "line", " writes p.useful; of this record a unit writes p.memory alone"),
    ("replacement", Replacement(stamped, stamped, one_too_far), "victim", "a set of 2 ways is asked for the lines 0, 1, 2: "),
    ("replacement", Replacement(stamped, stamped, one_too_far_in_time), "victim", "a set of 2 ways is asked for the lines 0, 1, 0, 2: "),
    ("replacement", Replacement(untouched, untouched, starts_again), "victim", " writes s.since; of this record a unit writes s.stamp"),
    ("replacement", Replacement(untouched, untouched, has_one_way), "victim", " writes s.ways, a setting of the machine, which "),
    ("set_hash", has_one_place, "place", " writes hash.places; of this record a unit writes nothing"),
    ("set_hash", has_one_place_itself, "place", " writes hash.places, a setting of the machine, which "),
    ("coalescer", has_long_lines, "covers", "lanes at 0, active 1: "),
    ("coalescer", has_long_lines, "covers", " writes lsu.line_shift; of this record a unit writes nothing"),
    ("coalescer", has_long_lines_itself, "covers", " writes lsu.line_shift, a setting of the machine, which "),
    ("coalescer", looks_into_the_cache, "covers", " writes lsu.cache; of this record a unit writes nothing"),
    ("set_hash", changes_its_mind, "place", "2 places: line 0 has place 0, and place "),
    ("coalescer", forgets_the_second_lane, "covers", "lanes at 0, 30, active 1, 1: sector 1 of line 0 is in no transaction"),
    ("coalescer", asks_idle_lanes, "covers", "lanes at 0, active 0: the transactions change with the address of a lane that takes no part"),
    ("divergence", Mechanism(lowest_pc, wrong_side), "memory", "2-branch.rv: byte 0x"),
    ("divergence", Mechanism(passes_barriers), "memory", "5-meet.asm: byte 0x"),
]


@pytest.mark.parametrize(
    ("slot", "one", "at", "example"),
    [
        ("replacement", Replacement(untouched, stamped, starts_again), starts_again, "the lines 0, 1, 2: "),
        ("replacement", Replacement(untouched, starts_its_own_time, newest), starts_its_own_time, "the lines 0: "),
        ("set_hash", notes_what_it_is_asked, notes_what_it_is_asked, "1 place: "),
        ("channel_hash", corrects_what_is_noted, corrects_what_is_noted, "1 place: "),
    ],
)
def test_what_a_function_writes_that_is_not_its_own_is_said_with_its_line(slot, one, at, example):
    (asked,) = (each for each in SUITES[slot] if each.name in ("victim", "place"))
    field = "s.since" if slot == "replacement" else "hash.asked"
    said = asked.test(one, slot)
    assert f"{unit_place(at)}: " in said and f" writes {field}; of this record a unit writes " in said
    assert example in said


@pytest.mark.parametrize(("slot", "one", "promise", "example"), BROKEN)
def test_a_unit_that_breaks_a_promise_is_told_which_with_the_smallest_example(slot, one, promise, example, monkeypatch):
    monkeypatch.setattr(runs, "ENGINES", ("python",))
    (asked,) = (each for each in SUITES[slot] if each.name == promise)
    assert example in _asked(asked, one, slot)


def _asked(promise, one, slot):
    try:
        return promise.test(one, slot)
    except UnitError as error:
        return str(error)


def test_a_mistake_names_the_program_and_the_engine():
    verdicts = check_unit(Mechanism(lambda paths, warps, warp: 1 // 0), "divergence")
    assert verdicts[0].broken.startswith("warploom/contracts/programs/1-store.rv (python): ")
    assert len(verdicts) == 1


def test_the_command(tmp_path):
    (tmp_path / "mine.py").write_text("def idle(s, now):\n    return -1\n", encoding="utf-8")
    done = CliRunner().invoke(main, ["unit", "check", f"{tmp_path / 'mine.py'}:idle", "--slot", "scheduler"])
    assert done.exit_code == 1
    assert done.output.startswith("kept    pick: a warp slot or none is named, and nothing is written but s.memory\n")
    assert "\nbroken  ends: a kernel ends\n        warploom/contracts/programs/1-store.rv" in done.output
    assert "a policy returns the number of a warp in s.eligible" in " ".join(done.output.split())
    assert all(len(line) <= 80 for line in done.output.splitlines())
    none = CliRunner().invoke(main, ["unit", "check", "idle"])
    assert (none.exit_code, none.stderr) == (2, f"error: say for which slot it is: --slot NAME, of {', '.join(SLOTS)}\n")
    wrong = CliRunner().invoke(main, ["unit", "check", f"{tmp_path / 'mine.py'}:idle", "--slot", "replacement"])
    assert wrong.exit_code == 2
    assert "idle is not a unit for the slot 'replacement', which takes a Replacement" in wrong.output
