"""What a comparison varies: the values that are tried of each setting, and the units of each slot.

`unit.SLOT` is a setting here: its values are ours by name, and units of a user's (`warploom.units`).
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

from warploom.isa.numbers import digits
from warploom.machine.config.presets import load_config, parse_setting
from warploom.machine.config.schema import FOR_LOADING, Config
from warploom.machine.engine.sizes import ConfigError
from warploom.machine.slots import SLOTS
from warploom.units import Mechanism, Replacement, take_units

MOST_RUNS = 10_000
MACHINE = "gpu"  # presets are varied under this name
UNIT = "unit."  # before a slot's name, where a unit is varied as a setting is
RANGE = re.compile(r"(?P<first>\d+)\.\.(?P<last>\d+)(?:(?P<how>[:*])(?P<step>\d+))?")

Over = Mapping[str, Sequence[Any] | str]


def values_of(name: str, text: str) -> tuple[Any, ...]:
    """The values in `uniform,stack`, `1,2,8..16`, `8..64:8` (steps of 8), `1..64*2` (doubling). Raises ConfigError."""
    found: list[Any] = []
    for word in text.split(","):
        matched = RANGE.fullmatch(word.strip())
        if matched:
            found += _range(name, matched)
        elif ".." in word:
            raise ConfigError(f"{name}={text}: a range is written first..last, first..last:step or first..last*factor, as in 1..64*2")
        elif not word.strip():
            raise ConfigError(f"{name}={text}: write values with commas between them, as in 1,2,8..16")
        else:
            found.append(parse_setting(f"{name}={word.strip()}")[1])
        if len(found) > MOST_RUNS:
            raise ConfigError(f"{name}={text}: more than {MOST_RUNS} values; take fewer")
    return tuple(dict.fromkeys(found))


def _range(name: str, matched: re.Match[str]) -> list[int]:
    first, last, step = digits(matched["first"]), digits(matched["last"]), digits(matched["step"] or "1")
    if first > last:
        raise ConfigError(f"{name}={matched[0]}: the range {first}..{last} ends before it begins")
    if matched["how"] == "*":
        if step < 2 or first < 1:
            raise ConfigError(f"{name}={matched[0]}: a range that is multiplied begins at 1 or more, with a factor of 2 or more")
        return [first * step**power for power in range(int(math.log(last / first, step) + 1e-9) + 1)]
    if step < 1:
        raise ConfigError(f"{name}={matched[0]}: the step of a range is at least 1")
    return list(range(first, min(last, first + step * MOST_RUNS) + 1, step))


def checked_values(name: str, given: Sequence[Any] | str) -> tuple[Any, ...]:
    """The values of a setting, each of which some machine can have. Raises ConfigError, UnitError."""
    if name.startswith(UNIT):
        units = _units_of(given)
        if not units:
            raise ConfigError(f"{name}: there is no unit to try; write some, as {name}=oldest,mine.py:choose")
        for unit in units:
            take_units(Config(), {name.removeprefix(UNIT): unit})  # refuses a slot or a unit that does not exist
        return units
    if name == MACHINE:
        presets = tuple(dict.fromkeys(word.strip() for word in given.split(",")) if isinstance(given, str) else dict.fromkeys(given))
        if not presets or "" in presets:
            raise ConfigError(f"{name}: write presets with commas between them, as {name}=a100,h100")
        for preset in presets:
            load_config(preset)
        return presets
    if name in SLOTS:
        raise ConfigError(f"there is no setting {name!r}, did you mean {UNIT + name!r}? A slot's units are compared under that name")
    if name in FOR_LOADING:
        raise ConfigError(
            f"{name} does not vary in a comparison: it says how a program is loaded, and all runs have the same one; run it once for each"
        )
    load_config(Config())[name]  # refuses a name that does not exist
    found = values_of(name, given) if isinstance(given, str) else tuple(dict.fromkeys(given))
    if not found:
        raise ConfigError(f"{name}: there is no value to try; write some, as {name}=1,2,4")
    for value in found:
        load_config(Config(), {name: value})  # refuses a value that no machine can have; together with others it may still be impossible
    return found


def _units_of(given: Any) -> tuple[Any, ...]:
    """The units to try of a slot. given: names with commas between them, several units, or one."""
    if isinstance(given, str):
        return tuple(dict.fromkeys(word.strip() for word in given.split(",")))
    one = callable(given) or isinstance(given, Replacement | Mechanism)
    return (given,) if one else tuple(given)
