"""The run beside the first one: the same order with other settings or another unit in a slot; or another file, machine or launch."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from warploom.cli.common import UserError

if TYPE_CHECKING:
    from warploom.cli.running import Order

LAUNCH = "launch="  # before the other launch of the same program
UNIT = "unit."  # before a slot's name, where its unit is changed as a setting is


def other_run(file: str, order: Order, options: dict[str, Any]) -> tuple[list[Order], list[str]] | None:
    """The run and another one, of a file, on a machine or of a launch that `--against` names, and what they are called.

    None where it names settings and units. Raises what `take_order` raises, and UserError where it names two things.
    """
    texts = [text.strip() for text in options["against"]]
    settings = order.config.flat()
    changes = [text for text in texts if "=" in text or text.startswith(UNIT) or text in settings]
    others = [text for text in texts if text not in changes or text.startswith(LAUNCH) or Path(text).is_file()]
    if not others:
        return None
    if len(texts) > 1:
        raise UserError(f"--against {others[0]}: a page has two runs; leave {' and '.join(one for one in texts if one != others[0])} out")
    from warploom.cli.running import take_order

    (text,) = others
    if text.startswith(LAUNCH):
        second = take_order(file, {**options, "launch": text.removeprefix(LAUNCH)})
        names = [f"launch {options['launch'] or 0}, {order.program.name}", f"{text.replace('=', ' ')}, {second.program.name}"]
    elif Path(text).suffix.lower() == ".toml" or is_machine(text):
        second = take_order(file, {**options, "gpu": text})
        names = [order.config.name, second.config.name]
    else:
        second = take_order(text, options)
        short = Path(file).name != Path(text).name
        names = [Path(file).name, Path(text).name] if short else [file, text]
    if names[0] == names[1]:
        raise UserError(f"--against {text}: the first run is the same; give a different one")
    if second.config.has.warps != order.config.has.warps:
        raise UserError(f"--against {text}: {order.config.name} and {second.config.name} have no time axis in common: one has warps")
    return [order, second], names


def is_machine(text: str) -> bool:
    """Whether a word names a preset and no file."""
    from warploom.machine.config.presets import preset_names

    return not Path(text).exists() and text in preset_names()


def beside(order: Order, texts: Sequence[str]) -> tuple[list[Order], list[str]]:
    """The run and the one beside it, and what they are called.

    texts: what differs, as core.divergence=minpc or unit.scheduler=mine.py:choose. A setting that chooses a unit of ours takes the place
    of a user's unit in the first run. Raises ConfigError, UnitError, and UserError where a change changes nothing.
    """
    from warploom.machine.config.check import check_used
    from warploom.machine.config.presets import load_config, parse_setting
    from warploom.machine.config.schema import FOR_LOADING
    from warploom.machine.slots import check_slots, slot_named
    from warploom.units import take_units

    theirs = dict(_split(text) for text in texts if text.lstrip().startswith(UNIT))
    changes = dict(parse_setting(text) for text in texts if not text.lstrip().startswith(UNIT))
    for name in FOR_LOADING:
        if name in changes:
            raise UserError(
                f"--against {name}: it says how the program is loaded, and both runs have the same one; run the command once for each"
            )
    config, own = take_units(load_config(order.config, changes), theirs, changes)
    for slot in order.units:
        settings = slot_named(slot).settings
        left = [setting for setting in settings if setting not in changes]
        if slot not in theirs and 0 < len(left) < len(settings):
            raise UserError(f"--against: the unit of the slot {slot!r} stands for {' and '.join(settings)}; change {left[0]} too")
    gone = {slot for slot in order.units if slot in theirs or any(setting in changes for setting in slot_named(slot).settings)}
    units = {**{slot: unit for slot, unit in order.units.items() if slot not in gone}, **own}
    check_used(config, changes, before="--against ", add="add --gpu {}")
    check_slots(config, {**units, **theirs})
    orders = [order, replace(order, config=config, units=units)]
    first, second = ([_label(each, name) for name in (*changes, *(UNIT + slot for slot in theirs))] for each in orders)
    if first == second:
        raise UserError(f"--against {second[0]}: the first run has this {'value' if changes else 'unit'} too; give a different one")
    return orders, [", ".join(dict.fromkeys(names)) for names in (first, second)]


def _split(text: str) -> tuple[str, str]:
    name, equals, unit = (part.strip() for part in text.partition("="))
    if not (equals and unit):
        raise UserError(f"--against {text!r}: write a slot and a unit, as {UNIT}scheduler=mine.py:choose")
    return name.removeprefix(UNIT), unit


def _label(order: Order, name: str) -> str:
    """What a run has of a setting, or in a slot: `core.divergence=stack`, or `unit.scheduler=mine.py:choose`."""
    from warploom.machine.device.report import names_of_units
    from warploom.machine.slots import SLOTS

    own: dict[str, Any] = names_of_units(order.units)
    filled: Collection[str] = [slot for slot in own if name == UNIT + slot or name in SLOTS[slot].settings]
    if filled:
        return ", ".join(f"{UNIT}{slot}={own[slot]}" for slot in filled)
    if not name.startswith(UNIT):
        return f"{name}={str(order.config[name]).lower()}"
    slot = SLOTS[name.removeprefix(UNIT)]
    ours = dict.fromkeys(str(order.config[setting]) for setting in slot.settings)
    return f"{name}={' and '.join(ours) or slot.usual}"
