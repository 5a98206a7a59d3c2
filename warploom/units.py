"""Units of your own: what a unit is written with, which slots of a machine it may fill, and how it is loaded from a file.

    from warploom.units import EMPTY, bit, lowest, rest

    def youngest(s, now):
        ...

    warploom.GPU("sm", units={"scheduler": youngest})

A unit is a plain Python function over numbers and the fields of its record; for a long run it is compiled. Functions of your own that it
calls are marked with `@unit`. A file that is named, as `mine.py:youngest`, is executed with your rights, as any Python file is.
"""

from __future__ import annotations

import hashlib
import importlib.util
import sys
import traceback
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import Any, TypeVar

from warploom.isa.diagnostics import nearest
from warploom.isa.uop import ALU, BUFFER, CONTROL, LATENCIES, MEMORY, MERGER, RASTER, RAY_ANSWERS, RAYS, SHARED, SPECIAL, TEXTURE
from warploom.machine.config.presets import load_config
from warploom.machine.config.schema import Config
from warploom.machine.core.divergence.path_table import AT_BARRIER, READY, merge, put, put_aside, remove, run_group, split_group
from warploom.machine.engine.bits import EMPTY, after, below, bit, has, lowest, ones, popcount, rest
from warploom.machine.engine.loop_bound import bounded
from warploom.machine.engine.unit import FOREVER
from warploom.machine.engine.unit import unit as machine_unit
from warploom.machine.engine.users import LOADED, UnitError, in_words, shown_file, unit_name, unit_place
from warploom.machine.slots import SLOTS, Slot, slot_named
from warploom.machine.slots.verbs import Mechanism, Replacement

__all__ = [
    "ALU",
    "AT_BARRIER",
    "BUFFER",
    "CONTROL",
    "EMPTY",
    "FOREVER",
    "LATENCIES",
    "MEMORY",
    "MERGER",
    "RASTER",
    "RAYS",
    "RAY_ANSWERS",
    "READY",
    "SHARED",
    "SLOTS",
    "SPECIAL",
    "TEXTURE",
    "Mechanism",
    "Replacement",
    "Slot",
    "UnitError",
    "after",
    "below",
    "bit",
    "has",
    "load_unit",
    "lowest",
    "merge",
    "ones",
    "popcount",
    "put",
    "put_aside",
    "remove",
    "rest",
    "run_group",
    "split_group",
    "take_units",
    "unit",
    "unit_name",
    "unit_place",
]  # fmt: skip

Unit = Any  # a function, or for a slot with several verbs an object of its class, as `Replacement`
UserUnit = Unit | str
F = TypeVar("F", bound=Callable[..., Any])


def unit(function: F) -> F:
    """Mark a function of your own that a unit calls, so that it becomes native code with it."""
    return machine_unit(bounded(function, called=True))  # type: ignore[return-value]


def take_units(config: Config, units: Mapping[str, UserUnit], changes: Collection[str] = ()) -> tuple[Config, dict[str, Unit]]:
    """The machine with ours where a unit is one of our names, and the user's own units by slot.

    units: by slot: a function, or what the slot takes; one of our names, as "oldest"; or a file and a name in it, as "mine.py:youngest".
    changes: names of settings that the user gave as well; one that chooses a unit of these slots would be of no effect.
    Raises UnitError for a slot that does not exist, for a unit that cannot be had, and for one that is chosen twice.
    """
    own: dict[str, Unit] = {}
    for name, given in units.items():
        slot = slot_named(name)
        if twice := next((setting for setting in slot.settings if setting in changes), None):
            raise UnitError(f"the unit of the slot {name!r} is chosen twice, by the setting {twice} as well: leave one of the two out")
        if isinstance(given, str) and ":" in given:
            own[name] = slot.checked(load_unit(given))
            config = load_config(config, slot.base)
        elif isinstance(given, str) and given in slot.ours:
            if slot.settings:
                config = load_config(config, dict.fromkeys(slot.settings, given))
            elif given != slot.usual:
                own[name] = slot.door().units[given]
        elif callable(given) or isinstance(given, tuple):
            own[name] = slot.checked(given)
            config = load_config(config, slot.base)
        else:
            what = "function" if slot.verbs is None else slot.verbs.__name__
            rule = f"take a {what}, a file and a {what} in it as mine.py:choose, or one of {', '.join(slot.ours)}"
            near = nearest(given, slot.ours) if isinstance(given, str) else ""
            raise UnitError(f"{name} = {given!r}: {rule}{near}")
    return config, own


def load_unit(text: str) -> Unit:
    """The unit that `FILE.py:NAME` names. The file is executed. Raises UnitError."""
    file, colon, name = text.rpartition(":")
    if not colon or not file or not name:
        raise UnitError(f"{text!r}: write a file and a function in it, as mine.py:choose")
    path = Path(file)
    if not path.is_file():
        raise UnitError(f"{text}: there is no file {file}")
    module = _module(path, text)
    found = getattr(module, name, None)
    if not callable(found) and not isinstance(found, tuple):
        if found is not None:
            raise UnitError(f"{name!r} of {file} is {found!r}, and a unit is a function, or what its slot takes, as a Replacement")
        there = [key for key, value in vars(module).items() if _is_own(value, module.__name__)]
        raise UnitError(f"{file} has no unit {name!r}; it has {', '.join(there) or 'none'}")
    return found


def _is_own(value: Any, module: str) -> bool:
    """Whether a value may be a unit that a module defines."""
    return isinstance(value, Replacement | Mechanism) or (callable(value) and getattr(value, "__module__", "") == module)


def _module(path: Path, text: str) -> Any:
    """The file as a module, executed once as long as it stays the same."""
    content = hashlib.sha256(f"{path.resolve()}\n".encode() + path.read_bytes()).hexdigest()[:12]
    name = f"{LOADED}{path.stem}_{content}"
    if name in sys.modules:
        return sys.modules[name]
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise UnitError(f"{text}: {path} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    try:
        spec.loader.exec_module(module)
    except SyntaxError as error:
        del sys.modules[name]
        line = f"{shown_file(str(error.filename))}:{error.lineno}" if error.lineno else str(path)
        raise UnitError(f"{text}: {line}: {error.msg}") from None
    except (Exception, SystemExit) as error:  # the file is the user's: what it raises is shown with its place, not as a stack trace of ours
        del sys.modules[name]
        place = traceback.extract_tb(error.__traceback__)[-1]
        if place.filename.startswith("<frozen"):  # what is not text: before Python 3.11.4 that is not a mistake of syntax
            raise UnitError(f"{text}: {path}: {error}") from None
        raise UnitError(f"{text}: {shown_file(place.filename)}:{place.lineno}: {in_words(error)}") from None
    except BaseException:  # as Ctrl-C: half a module is none
        del sys.modules[name]
        raise
    return module
