"""A control word in words: what the compiler told the hardware about an instruction's time."""

from __future__ import annotations

from warploom.isa.sass.word import NO_SCOREBOARD, Control
from warploom.isa.schedule import MOST_WITHOUT_YIELD

OPERANDS = "abc"
COUNTERS = 6


def in_words(word: Control) -> str:
    """As `stall 4, yields, sets B2 for its result, waits for B0 B1, keeps a`; a stall of 1 alone is "next"."""
    parts = [f"stall {word.stall}" if word.stall != 1 or not word.runs_on else "next"]
    if word.runs_on and word.stall > MOST_WITHOUT_YIELD:
        parts[0] += " (counts as 1)"
    parts += [] if word.runs_on else ["yields"]
    parts += [f"sets B{word.write} for its result"] if word.write != NO_SCOREBOARD else []
    parts += [f"sets B{word.read} for its operands"] if word.read != NO_SCOREBOARD else []
    waits = [f"B{number}" for number in range(COUNTERS) if word.wait >> number & 1]
    parts += [f"waits for {' '.join(waits)}"] if waits else []
    kept = [name for place, name in enumerate(OPERANDS) if word.reuse >> place & 1]
    parts += [f"keeps {', '.join(kept)}"] if kept else []
    return ", ".join(parts)
