"""Slots: what a user's unit may answer."""

from __future__ import annotations

import numpy as np
import pytest

from warploom.machine.config.presets import load_config
from warploom.machine.engine.users import UnitError
from warploom.machine.slots import check_slots, slot_named
from warploom.machine.slots.scheduler import policy_socket


@pytest.mark.parametrize("result", [0, 5, -1, np.int64(3), np.uint64(63)])
def test_a_policy_may_name_a_warp_or_none(result):
    assert policy_socket(lambda s, now: result).guarded()(None, 0) == result


@pytest.mark.parametrize("result", [None, 1.5, 2.0, "warp", float("nan"), [1], True])
def test_anything_else_is_refused_with_the_result(result):
    def choose(s, now):
        return result

    with pytest.raises(UnitError, match=r"choose returned .*; a policy returns the number of a warp slot, or -1 for none$"):
        policy_socket(choose).guarded()(None, 0)


def test_a_slot_is_found_by_its_name_or_the_nearest_is_named():
    assert slot_named("scheduler").settings == ("core.scheduler",)
    with pytest.raises(UnitError, match="did you mean 'scheduler'"):
        slot_named("shceduler")


def test_cores_without_warps_have_no_such_slot():
    check_slots(load_config("sm"), {"scheduler": None})
    with pytest.raises(UnitError, match="runs one instruction at a time"):
        check_slots(load_config("tiny"), {"scheduler": None})
