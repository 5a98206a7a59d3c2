"""The same mistakes in a unit of every slot: each ends in a sentence with the unit's file and line."""

from __future__ import annotations

import pytest

from tests.machine.slots.running import ran
from warploom.machine.slots import SLOTS
from warploom.units import UnitError, load_unit

ARGUMENTS = {
    "scheduler": "s, now",
    "replacement": "s, set",
    "prefetcher": "p, line, pc, warp, missed",
    "coalescer": "lsu, addresses, active, size, lanes, lines, sectors",
    "set_hash": "hash, line",
    "channel_hash": "hash, line",
    "divergence": "paths, warps, warp",
}
WITH_LATER_VERBS = {"replacement": "mine = Replacement(use, use, choose)", "divergence": "mine = Mechanism(choose)"}
# (body of a function whose first argument is {record}, which line of it, what is said)
MISTAKES = {
    "no field": ("return {record}.nofield", 1, "AttributeError: the record has no field 'nofield'"),
    "endless": ("while True:\n        pass", 1, "RuntimeError: this loop has run 1 000 000 times in one call, and has not ended"),
    "division": ("return 1 // len(())", 1, "ZeroDivisionError: division by zero"),
    "a name": ("return nothing", 1, "NameError: name 'nothing' is not defined"),
}


def written(slot, body, arguments):
    units = f"def choose({arguments}):\n    {body}\n\n\ndef use(s, set, way, now):\n    pass\n\n\n"
    return "from warploom.units import Mechanism, Replacement\n\n\n" + units + WITH_LATER_VERBS.get(slot, "mine = choose") + "\n"


def said(slot, body, tmp_path, arguments=None):
    file = tmp_path / "mine.py"
    file.write_text(written(slot, body, arguments or ARGUMENTS[slot]), encoding="utf-8")
    with pytest.raises(UnitError) as caught:
        ran({slot: load_unit(f"{file}:mine")}, program="tiny/diverge.asm" if slot == "divergence" else "guppy/load_strided.guppy")
    assert str(caught.value).startswith(f"{file}:")
    return str(caught.value).removeprefix(f"{file}:")


def test_every_slot_is_here():
    assert ARGUMENTS.keys() == SLOTS.keys()


@pytest.mark.every(3)
@pytest.mark.parametrize("slot", SLOTS)
@pytest.mark.parametrize("kind", MISTAKES)
def test_a_mistake_is_a_sentence_with_its_line(slot, kind, tmp_path):
    body, line, sentence = MISTAKES[kind]
    record = ARGUMENTS[slot].split(", ")[0]
    assert said(slot, body.format(record=record), tmp_path) == f"{4 + line}: {sentence}"


@pytest.mark.parametrize("slot", SLOTS)
def test_a_function_of_too_few_arguments_is_refused_before_the_first_cycle(slot, tmp_path):
    count = len(ARGUMENTS[slot].split(", "))
    assert said(slot, "return 0", tmp_path, "one") == f"4: choose takes 1 argument, and is called with {count}"


@pytest.mark.parametrize("slot", [name for name in SLOTS if name != "divergence"])
def test_a_result_that_is_none_is_shown(slot, tmp_path):
    assert said(slot, "return -7", tmp_path).startswith("4: choose returned -7; a")
    assert said(slot, "pass", tmp_path).startswith("4: choose returned None; a")


def test_a_number_of_numpy_s_is_shown_as_python_s(tmp_path):
    assert said("prefetcher", "return line * 0 - 7", tmp_path).startswith("4: choose returned -7; a prefetcher returns ")


def test_a_float_by_accident_is_explained(tmp_path):
    body = "return range(s.visible % len(s.memory[:1] + 1) + s.memory[0])"
    assert said("scheduler", body, tmp_path).endswith(
        "; a mask and a signed number together give a float: write int(mask), or np.uint64(number)"
    )


def test_a_function_in_a_slot_for_several_is_refused_with_its_line():
    def idle(paths, warps, warp):
        pass

    with pytest.raises(UnitError, match=rf"test_slot.py:{idle.__code__.co_firstlineno}: idle is not a unit for the slot 'divergence'"):
        SLOTS["divergence"].checked(idle)
