"""Units of a user's own, from Python."""

from __future__ import annotations

import pytest

import warploom
from tests.places import EXAMPLES
from warploom.isa.uop import OPERATIONS, SHARED, UNITS
from warploom.study.ladder import climb
from warploom.units import SLOTS, UnitError, load_unit, lowest, take_units, unit

MATMUL = EXAMPLES / "tiny" / "matmul.asm"


@unit
def lowest_first(s, now):
    return lowest(s.eligible) if s.eligible != 0 else -1


def test_a_function_a_name_and_a_file_fill_a_slot(tmp_path):
    (tmp_path / "mine.py").write_text("from warploom.units import lowest\n\ndef choose(s, now):\n    return -1\n", encoding="utf-8")
    program = warploom.load(MATMUL)
    mine = warploom.GPU("tiny-simt", units={"scheduler": lowest_first}).run(program)
    short = warploom.GPU("tiny-simt", scheduler=lowest_first).run(program)
    assert (mine.status, mine.cycles) == ("done", short.cycles)
    ours = warploom.GPU("tiny-simt", units={"scheduler": "oldest"})
    assert (ours.config["core.scheduler"], ours.units) == ("oldest", {})
    stuck = warploom.GPU("tiny-simt", units={"scheduler": f"{tmp_path / 'mine.py'}:choose"}).run(program, max_cycles=100)
    assert stuck.status == "timeout"


@pytest.mark.parametrize(
    ("units", "message"),
    [
        ({"sheduler": lowest_first}, "there is no slot 'sheduler', did you mean 'scheduler'?; the slots are "),
        ({"scheduler": "oldst"}, "scheduler = 'oldst': take a function, a file and a function in it"),
        ({"scheduler": 5}, "scheduler = 5: take a function, a file and a function in it"),
        ({"scheduler": "nine.py:choose"}, "nine.py:choose: there is no file nine.py"),
    ],
)
def test_what_cannot_be_taken_is_named(units, message):
    with pytest.raises(UnitError) as caught:
        warploom.GPU("sm", units=units)
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize("chosen", [lowest_first, "oldest"])
def test_a_unit_and_a_setting_do_not_choose_for_one_slot(chosen):
    rule = "the unit of the slot {0!r} is chosen twice, by the setting {1} as well: leave one of the two out"
    with pytest.raises(UnitError, match=rule.format("scheduler", "core.scheduler")):
        warploom.GPU("sm", set={"core.scheduler": "round_robin"}, units={"scheduler": chosen})
    with pytest.raises(UnitError, match=rule.format("replacement", "l2.replacement")):
        warploom.compare(MATMUL, {"core.warps": [4, 8]}, gpu="sm", set={"l2.replacement": "fifo"}, units={"replacement": "lru"})
    with pytest.raises(UnitError, match=rule.format("scheduler", "core.scheduler")):
        climb(warploom.load(MATMUL), choices={"core.scheduler": "oldest"}, units={"scheduler": chosen})


def test_a_unit_of_ours_needs_a_machine_with_its_slot_too():
    with pytest.raises(UnitError, match="the slot 'scheduler' is for machines with warps; 'tiny' runs one instruction at a time"):
        warploom.GPU("tiny", units={"scheduler": "oldest"})


LIBRARY = """
def of_number(number):
    def inner(s, now):
        return number

    return inner


def use(s, set, way, now):
    pass


def first(s, set):
    return 0
"""
MINE = """
from library_of_units import first, of_number, use
from warploom.units import Replacement

of_a_lambda = lambda s, now: -1
of_a_closure = of_number(-1)
of_verbs = Replacement(use, use, first)
"""


@pytest.mark.parametrize(("slot", "name"), [("scheduler", "of_a_lambda"), ("scheduler", "of_a_closure"), ("replacement", "of_verbs")])
def test_the_name_of_a_unit_in_a_result_gives_the_unit(slot, name, tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "library_of_units.py").write_text(LIBRARY, encoding="utf-8")
    (tmp_path / "mine.py").write_text(MINE, encoding="utf-8")
    given = f"{tmp_path / 'mine.py'}:{name}"
    result = warploom.GPU("tiny-simt", units={slot: given}, engine="python").run(warploom.load(MATMUL), max_cycles=20)
    assert result.units == {slot: given}


def test_a_machine_without_the_slot_refuses_it():
    with pytest.raises(
        UnitError, match=r"^the slot 'scheduler' is for machines with warps; 'tiny' runs one instruction at a time; add --gpu sm$"
    ):
        warploom.GPU("tiny", units={"scheduler": lowest_first})


def test_a_file_that_is_no_python_is_named_with_its_line(tmp_path):
    (tmp_path / "mine.py").write_text("def choose(s, now)\n    return -1\n", encoding="utf-8")
    with pytest.raises(UnitError, match=rf"{tmp_path}/mine.py:1: expected ':'$"):
        load_unit(f"{tmp_path / 'mine.py'}:choose")


def test_a_binary_file_is_named_without_a_line(tmp_path):
    (tmp_path / "mine.py").write_bytes(b"\0")
    with pytest.raises(UnitError, match=rf"choose: {tmp_path}/mine.py: source code string cannot contain null bytes$"):
        load_unit(f"{tmp_path / 'mine.py'}:choose")


def test_a_file_that_ends_the_program_is_named_with_its_line_each_time(tmp_path):
    (tmp_path / "mine.py").write_text("import sys\n\nsys.exit(3)\n\ndef choose(s, now):\n    return -1\n", encoding="utf-8")
    for _ in range(2):
        with pytest.raises(UnitError, match=rf"{tmp_path}/mine.py:3: SystemExit: 3$"):
            load_unit(f"{tmp_path / 'mine.py'}:choose")


def test_a_name_that_is_no_unit_is_shown_with_what_it_is(tmp_path):
    (tmp_path / "mine.py").write_text("choose = 3\n", encoding="utf-8")
    with pytest.raises(UnitError, match=rf"^'choose' of {tmp_path}/mine.py is 3, and a unit is a function, or what its slot takes, as a "):
        load_unit(f"{tmp_path / 'mine.py'}:choose")


def test_a_line_of_a_file_is_shown_from_the_working_directory(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text("import nothing_of_this_name\n", encoding="utf-8")
    with pytest.raises(UnitError, match=r"^mine.py:choose: mine.py:1: ModuleNotFoundError: No module named 'nothing_of_this_name'$"):
        load_unit("mine.py:choose")


def test_two_files_of_the_same_name_are_told_apart(tmp_path):
    """Natively too, where what is compiled is remembered."""
    found = []
    for folder, result in (("a", "-1"), ("b", "lowest(s.eligible) if s.eligible != 0 else -1")):
        (tmp_path / folder).mkdir()
        file = tmp_path / folder / "mine.py"
        file.write_text(f"from warploom.units import lowest\n\ndef choose(s, now):\n    return {result}\n", encoding="utf-8")
        gpu = warploom.GPU("tiny-simt", units={"scheduler": f"{file}:choose"}, engine="native")
        found.append(gpu.run(warploom.load(MATMUL), max_cycles=10_000).status)
    assert found == ["error", "done"]  # the first one picks nothing, and is told so


def test_the_same_unit_again_gives_the_same_run():
    """`rebuild`, which stepping back and replays use, takes the user's units along."""
    result = warploom.GPU("tiny-simt", units={"scheduler": lowest_first}).run(warploom.load(MATMUL))
    machine = result.rebuild()
    assert machine.users_units == {"scheduler": lowest_first}


def test_every_slot_says_what_it_is():
    for name, slot in SLOTS.items():
        assert slot.name == name
        assert slot.meaning and slot.signature and slot.ours


def test_no_units_leave_the_machine_as_it_is():
    config = warploom.load_config("sm")
    assert take_units(config, {}) == (config, {})


def test_every_functional_unit_that_a_policy_sees_has_its_name():
    used = {row.unit for row in OPERATIONS} | {SHARED}
    assert [getattr(warploom.units, UNITS[unit].upper()) for unit in sorted(used)] == sorted(used)
    assert {UNITS[unit].upper() for unit in used} <= set(warploom.units.__all__)
