"""Palette: one table of colours for what lanes and warps do, used by pictures, by pages and in terminals.

A colour alone is not enough: people with any of the common kinds of colour-blindness read these pictures, and printers without
colours print them. So any two looks of a table differ in their pattern, or else in lightness (10 steps of CIE L* and more) and in colour
under each kind of colour-blindness. What a lane is bought for is lightest (active), what divergence takes away is black (diverged).
"""

from __future__ import annotations

from typing import NamedTuple

PATTERNS = ("", "/", "\\", "-", "|", "x", "+", ".")  # as matplotlib writes hatches
SOLID, RISING, FALLING, ACROSS, UPRIGHT, CROSSED, SQUARED, DOTTED = PATTERNS


class Look(NamedTuple):
    """How one thing looks. light, dark: hex strings, for that background. pattern: of PATTERNS. letter: where neither shows."""

    light: str
    dark: str
    pattern: str
    letter: str


class Ground(NamedTuple):
    """What a picture is drawn on: hex strings."""

    background: str
    text: str
    quiet: str  # secondary text
    line: str  # grid and frames


LIGHT = Ground("#FFFFFF", "#1A1C20", "#5A616B", "#D5D9DE")
DARK = Ground("#14171B", "#E8EAED", "#A3AAB4", "#3A414A")

NONE, ACTIVE = "none", "active"

# Of a lane: what holds whatever its warp does (`facts/lane_states.py`). "none": no warp in the slot.
LANES = {
    NONE: Look("#BFC5CD", "#2C323A", SOLID, " "),
    "no thread": Look("#E9ECEF", "#4C5561", FALLING, "-"),
    "ended": Look("#8C7A6B", "#85725F", RISING, "x"),
    "diverged": Look("#1A1A1A", "#000000", SOLID, "."),
    ACTIVE: Look("#FBE98B", "#FFE873", SOLID, "#"),
}

# Colours of a warp, by the name of its reason (`machine/accounting/reasons.py`); "selected" is a warp that issues.
REASONS = {
    "selected": LANES[ACTIVE],
    "not_selected": Look("#C8442B", "#D9573C", SOLID, "n"),
    "math_pipe_throttle": Look("#F4B6AB", "#F6CCC4", RISING, "m"),
    "tex_throttle": Look("#8F1D2C", "#B02A3C", DOTTED, "t"),
    "lg_throttle": Look("#E58A1F", "#F09A33", RISING, "g"),
    "mio_throttle": Look("#BC7620", "#D08C40", SQUARED, "o"),
    "dispatch_stall": Look("#F3CE8E", "#F5D7A1", DOTTED, "p"),
    "long_scoreboard": Look("#174F94", "#2A62B0", SOLID, "L"),
    "imc_miss": Look("#6F7FC4", "#8391D6", ACROSS, "c"),
    "short_scoreboard": Look("#4FA3D9", "#62B2E6", SOLID, "S"),
    "waitcnt": Look("#0D5F69", "#17818D", SQUARED, "W"),
    "drain": Look("#A9D5E8", "#B5DDEE", ACROSS, "d"),
    "wait": Look("#B68AC9", "#C79FDB", FALLING, "w"),
    "barrier": Look("#7A2E7F", "#93429A", CROSSED, "B"),
    "membar": Look("#C64C9C", "#DD78B7", DOTTED, "M"),
    "branch_resolving": Look("#1B7F5C", "#2A9D74", UPRIGHT, "b"),
    "no_instruction": Look("#8CCB9B", "#93D4A3", UPRIGHT, "f"),
}

# Colours of a core that runs one instruction at a time, by the name of its state (`machine/sequencer/states.py`).
STATES = {
    "idle": LANES[NONE],
    "fetch": Look("#8CCB9B", "#93D4A3", UPRIGHT, "f"),
    "decode": Look("#E58A1F", "#F09A33", DOTTED, "d"),
    "request": Look("#4FA3D9", "#62B2E6", RISING, "r"),
    "wait": Look("#174F94", "#2A62B0", SOLID, "w"),
    "execute": LANES[ACTIVE],
    "update": Look("#B68AC9", "#C79FDB", FALLING, "u"),
    "done": LANES[NONE],
}

# Of a lookup in a cache.
LOOKUPS = {
    "hit": Look("#1B7F5C", "#2A9D74", SOLID, "h"),
    "miss": Look("#C8442B", "#F2B8A6", RISING, "m"),
    "merged": Look("#E58A1F", "#F09A33", DOTTED, "j"),
    "store": Look("#174F94", "#2A62B0", FALLING, "s"),
    "passed on": Look("#5E636B", "#767D88", SQUARED, "p"),
}

# Colours of warps that have to be told apart, such as those in an ALU: warp slot modulo their number.
WARPS = (
    Look("#174F94", "#2A62B0", SOLID, "0"),
    Look("#E58A1F", "#F09A33", SOLID, "1"),
    Look("#1B7F5C", "#2A9D74", SOLID, "2"),
    Look("#D9BEE6", "#EBD7F5", SOLID, "3"),
    Look("#C8442B", "#D9573C", RISING, "4"),
    Look("#8CCB9B", "#93D4A3", RISING, "5"),
    Look("#7A2E7F", "#93429A", DOTTED, "6"),
    Look("#4FA3D9", "#62B2E6", DOTTED, "7"),
)


def look_of(activity: str, *, sequencer: bool = False) -> Look:
    """The look of an activity of a timeline. sequencer: of a core that runs one instruction at a time, where "wait" is a state."""
    return (STATES if sequencer else REASONS)[activity]
