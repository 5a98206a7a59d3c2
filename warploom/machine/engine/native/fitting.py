"""Fitting: native code for some machines, in which settings of theirs are constants.

Not hardware. Native code for all machines reads the settings from the records, tries each feature that may be switched off, and divides by
numbers that it does not know. In silicon a setting is a wire. Code that is *fitted* to one machine has its settings wired in too: a fifth
of the host's instructions are gone, and with them a third of its branches. Between the two are families of machines that have few features
(device/bare.py). What a program and its launch set (`launch` in unit.py: sizes, addresses, scalars) stays as it is.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Any

import numpy as np

from warploom.machine.engine.layout import records_in
from warploom.machine.engine.native.piece import Array, Bundle, Fit, Hook, kind_name
from warploom.machine.engine.swaps import Socket
from warploom.machine.engine.unit import groups_of


def fit_to(arguments: Iterable[Any]) -> Fit:
    """The settings in the arguments of an entry, records and arrays of them, that are one number wherever a record of that kind is."""
    found: dict[str, dict[str, set[int]]] = {}
    for argument in arguments:
        if isinstance(argument, np.void | np.ndarray) and argument.dtype.names:
            _collect(np.asarray(argument), found)
    one = {kind: {name: next(iter(values)) for name, values in settings.items() if len(values) == 1} for kind, settings in found.items()}
    return Fit.of(one, is_of_one=True)


def _collect(records: np.ndarray, found: dict[str, dict[str, set[int]]]) -> None:
    """The settings of some records of a kind, and of the records in them."""
    numbers, inside = _with_settings(records.dtype)
    values = found.setdefault(kind_name(records.dtype), {}) if numbers else {}
    for name in numbers:
        values.setdefault(name, set()).update(records[name].reshape(-1).tolist())
    for name in inside:
        _collect(records[name], found)


@cache
def _with_settings(kind: np.dtype) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Of a kind of record: the settings that are one number, and the fields that are records with settings somewhere in them."""
    own = tuple(name for name in groups_of(kind).get("settings", ()) if kind[name].names is None and not kind[name].shape)
    return own, tuple(name for name in records_in(kind) if any(_with_settings(kind[name].base)))


def fitted(hook: Hook, fit: Fit) -> Hook:
    """A hook for some machines; itself where it is a user's function, and where it is handed no record of which anything is known."""
    handed = {name for kind in hook.arguments for name in _kinds_in(kind.dtype if isinstance(kind, Array) else kind)}
    is_users = isinstance(hook.function, Socket)
    return hook._replace(fit=fit) if not is_users and any(name in handed for name, _ in fit.known) else hook


@cache
def _kinds_in(kind: Any) -> frozenset[str]:
    """The names of the kinds of records with settings in a kind of argument."""
    if not isinstance(kind, np.dtype) or not kind.names:
        return frozenset()
    own, inside = _with_settings(kind)
    return frozenset({kind_name(kind)} if own else ()).union(*(_kinds_in(kind[name].base) for name in inside))


def fitted_arguments(arguments: Iterable[Any], fit: Fit) -> tuple[Any, ...]:
    """The arguments of an entry with the hooks of its bundles fitted."""
    return tuple(_fitted_bundle(each, fit) if isinstance(each, Bundle) else each for each in arguments)


def _fitted_bundle(bundle: Any, fit: Fit) -> Any:
    hooks = {name: fitted(hook, fit) for name, hook in bundle.members().items() if isinstance(hook, Hook)}
    return bundle._replace(**hooks) if hooks else bundle
