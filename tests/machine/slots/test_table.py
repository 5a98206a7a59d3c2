"""Slots: what a user's unit may answer."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from warploom.machine.config.presets import load_config
from warploom.machine.engine.users import UnitError
from warploom.machine.slots import check_slots, slot_named
from warploom.machine.slots.scheduler import policy_socket
from warploom.machine.slots.table import SLOTS, stand_in
from warploom.machine.slots.verbs import Mechanism, Replacement

SLOTS_64 = SimpleNamespace(warps=64)


@pytest.mark.parametrize("result", [0, 5, -1, np.int64(3), np.uint64(63)])
def test_a_policy_may_name_a_warp_or_none(result):
    assert policy_socket(lambda s, now: result).guarded()(SLOTS_64, 0) == result


@pytest.mark.parametrize("result", [None, 1.5, 2.0, "warp", float("nan"), [1], True, -2, 64, 1 << 40])
def test_anything_else_is_refused_with_the_result(result):
    def choose(s, now):
        return result

    with pytest.raises(UnitError, match=r"choose returned .*; a policy returns the number of a warp slot, 0 to .*"):
        policy_socket(choose).guarded()(SLOTS_64, 0)


def test_a_slot_is_found_by_its_name_or_the_nearest_is_named():
    assert slot_named("scheduler").settings == ("core.scheduler",)
    with pytest.raises(UnitError, match="did you mean 'scheduler'"):
        slot_named("shceduler")


def test_cores_without_warps_have_no_such_slot():
    check_slots(load_config("sm"), {"scheduler": None})
    with pytest.raises(UnitError, match="runs one instruction at a time"):
        check_slots(load_config("tiny"), {"scheduler": None})


def yields(p, line, pc, warp, missed):
    yield line


async def is_awaited(p, line, pc, warp, missed):
    return line


async def does_both(p, line, pc, warp, missed):
    yield line


def hit(s, set, way, now):
    pass


@pytest.mark.parametrize(
    ("slot", "unit", "said"),
    [
        ("prefetcher", yields, "yields is a generator, and a unit is called once for each answer: return the result instead of yield"),
        ("prefetcher", is_awaited, "is_awaited is a coroutine, and a unit is called once for each answer: write def instead of async def"),
        ("prefetcher", does_both, "does_both is an asynchronous generator, and a unit is called once for each answer: write def, and"),
        ("replacement", Replacement(hit, hit, yields), "yields is a generator"),
        ("divergence", Mechanism(is_awaited), "is_awaited is a coroutine"),
    ],
)
def test_a_function_that_does_nothing_yet_when_it_is_called_is_refused(slot, unit, said):
    line = next(verb for verb in (unit if isinstance(unit, tuple) else (unit,)) if verb is not hit).__code__.co_firstlineno
    with pytest.raises(UnitError) as caught:
        slot_named(slot).checked(unit)
    assert f"test_table.py:{line}: {said}" in str(caught.value)


@pytest.mark.parametrize("name", SLOTS)
def test_what_stands_in_for_a_unit_has_its_verbs(name):
    made, verbs = stand_in(name), SLOTS[name].verbs
    assert isinstance(made, verbs) if verbs else callable(made)
    assert [function(1, 2, 3) for function in (made if verbs else [made])] == [-1] * (len(verbs._fields) if verbs else 1)
