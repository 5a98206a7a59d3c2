"""What an instruction waits for on a machine that issues by control words: the word of the one before it, or counters that others set."""

from __future__ import annotations

from warploom.isa.schedule import NO_COUNTER, READ, STALL_BITS, WRITE, Schedule
from warploom.machine.config.roles import obeys_words
from warploom.observe.profile import Profile

OF_COUNTERS = ("short_scoreboard", "long_scoreboard")
FIELDS = ((WRITE, "for its result"), (READ, "for its operands"))


def by_word(found: Profile, number: int, reason: str) -> str:
    """As `for B2, which the load at line 12 sets for its result` or `for the stall count of 13 after the compare at line 9`; "" where the
    machine does not issue by control words."""
    schedule = found.program.schedule
    if schedule is None or not obeys_words(found.config, found.program):
        return ""
    if reason in OF_COUNTERS:
        setters = [text for counter in schedule.waited_for(number) if (text := _setter(found, schedule, number, counter))]
        return f"for {' and '.join(setters)}" if setters else ""
    if number == 0:
        return ""
    stall = int(schedule.words[number - 1]) & STALL_BITS
    return f"for the stall count of {stall} after the {_role(schedule, number - 1)} at {found.line_of(number - 1)}"


def setter(schedule: Schedule, number: int, counter: int) -> tuple[int, str] | None:
    """(instruction, what for) of the last one before an instruction, in the order of addresses, that sets a counter; else of the last after
    it, which a loop leads back from. None where no one does."""
    for other in (*range(number - 1, -1, -1), *range(len(schedule.words) - 1, number - 1, -1)):
        for place, what in FIELDS:
            if int(schedule.words[other]) >> place & NO_COUNTER == counter:
                return other, what
    return None


def _setter(found: Profile, schedule: Schedule, number: int, counter: int) -> str:
    made = setter(schedule, number, counter)
    if made is None:
        return ""
    return f"B{counter}, which the {_role(schedule, made[0])} at {found.line_of(made[0])} sets {made[1]}"


def _role(schedule: Schedule, number: int) -> str:
    return schedule.role(number).replace("_", " ")
