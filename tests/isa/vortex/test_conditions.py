"""What splits and branches ask for: where their conditions come from."""

from dataclasses import replace

import pytest

from warploom.isa import load
from warploom.isa import uop as u
from warploom.isa.analysis.successors import ways
from warploom.isa.frontend import Options
from warploom.isa.vortex import conditions as module
from warploom.isa.vortex.conditions import Conditions
from warploom.isa.vortex.guards import copied_guards


def conditions(text, isa="vortex-2024"):
    program = load(text.encode(), isa, options=Options(path="k.vx"))
    return Conditions(program, ways(program).successors)


@pytest.mark.parametrize(
    ("before", "constant"),
    [
        ("li t0, 1", True),
        ("li t0, 0", True),
        ("lw t0, 0(a0)", False),
        ("csrr t0, thread_id", False),
        ("li t0, 1\n beqz a0, x\n li t0, 1\n x: nop", True),
        ("li t0, 1\n beqz a0, x\n li t0, 2\n x: nop", False),
        ("li t0, 1\n beqz a0, x\n lw t0, 0(a0)\n x: nop", False),
        ("nop", False),  # what the start has left there
    ],
)
def test_a_condition_is_constant_where_every_way_writes_the_same_number(before, constant):
    text = f"{before}\nvx_split t1, t0\nvx_join t1\nvx_tmc zero\n"
    split = text.splitlines().index("vx_split t1, t0")
    assert conditions(text).is_constant(split) == constant


@pytest.mark.parametrize(
    ("branch", "related"),
    [
        ("beqz t0, end", True),
        ("bge t2, t3, end", True),  # the same, said as a comparison
        ("beqz t4, end", False),  # an item of its own
        ("blt t4, t3, end", False),  # and a constant that both happen to use
    ],
)
def test_branches_are_related_that_ask_for_what_a_condition_is_made_of(branch, related):
    text = f"lw t2, 0(a0)\nli t3, 7\nslt t0, t2, t3\nlw t4, 4(a0)\nvx_split t1, t0\n{branch}\nend: vx_join t1\nvx_tmc zero\n"
    assert conditions(text).related(4, [5]) == related


@pytest.mark.parametrize(
    ("first", "second", "related"),
    [
        ("csrr t0, thread_id", "csrr t2, thread_id", True),
        ("csrr t0, thread_id", "csrr t2, num_threads", False),
        ("csrr t0, 0xB04", "csrr t2, 0xB04", True),  # a performance counter
        ("csrr t0, 0xB04", "csrr t2, 0xB05", False),
        ("lw t0, 0(a0)", "lw t2, 0(a0)", False),  # a store may stand between them
    ],
)
def test_two_reads_of_one_special_register_are_the_same(first, second, related):
    text = f"{first}\n{second}\nbeqz t0, end\nbeqz t2, end\nend: vx_tmc zero\n"
    assert conditions(text, "vortex-2022").related(2, [3]) is related


MANY = "".join(f"lw t2, {4 * number}(a0)\nadd t0, t0, t2\n" for number in range(module.MOST))  # more than a condition is followed to


def test_what_a_condition_of_many_parts_is_made_of_is_not_known():
    text = f"lw t3, 0(a1)\nmv t0, t3\n{MANY}vx_split t1, t0\nbeqz t3, end\nbeqz t2, end\nend: vx_join t1\nvx_tmc zero\n"
    split = 2 + 2 * module.MOST
    found = conditions(text)
    assert found.related(split, [split + 1]) is None and found.related(split + 1, [split]) is None
    assert found.related(split, [split + 2]) is True  # what has been found is known
    assert found.related(split + 1, [split + 2]) is False


def test_nor_is_what_was_written_too_far_away(monkeypatch):
    text = "lw t2, 0(a0)\nli t0, 1\n" + 20 * "nop\n" + "vx_split t1, t0\nbeqz t2, end\nend: vx_join t1\nvx_tmc zero\n"
    found = conditions(text)
    assert found.is_constant(22) and found.related(22, [23]) is False
    monkeypatch.setattr(module, "FARTHEST", 10)
    found = conditions(text)
    assert not found.is_constant(22) and found.related(22, [23]) is None


def test_a_register_is_followed_back_from_an_instruction_once(monkeypatch):
    walks, walk_back = [], Conditions._walk_back
    monkeypatch.setattr(Conditions, "_walk_back", lambda self, *asked: walks.append(asked) or walk_back(self, *asked))
    found = conditions("lw t2, 0(a0)\nslti t0, t2, 7\nvx_split t1, t0\nbeqz t0, end\nbeqz t2, end\nend: vx_join t1\nvx_tmc zero\n")
    walks.clear()  # loading has looked for copied guards
    assert all(found.related(2, [3, 4]) and found.related(4, [2]) and not found.is_constant(2) for _ in range(3))
    assert len(walks) == len(set(walks)) and walks


GUARD = "vx_split t1, t0\nbnez t3, {0}\nnop\n{0}: vx_join t1\n"  # whose branch does not ask for its condition


def copied(text):
    """A program in which all splits come from one line, as a compiler's copies do."""
    program = replace(load(text.encode(), "vortex-2024", options=Options(path="k.vx")), labels={})
    code = program.code.copy()
    splits = [number for number, line in enumerate(text.splitlines()) if "vx_split" in line]
    code[splits, u.LINE], code[splits, u.COLUMN] = 5, 1
    return replace(program, code=code)


def test_of_three_copies_the_two_that_the_branch_of_their_condition_parts_are_found():
    """The first two stand on the sides of a branch that has nothing to do with them."""
    first, second, third = (f"{GUARD.format(name)}j end\n" for name in ("one", "two", "three"))
    loads = "lw t0, 0(a0)\nlw t3, 4(a0)\nlw t4, 8(a0)\n"
    program = copied(f"{loads}beqz t0, c\nbeqz t4, b\n{first}b: {second}c: {third}end: vx_tmc zero\n")
    (warning,) = copied_guards(program)
    assert f"its copies stand on both sides of the branch at {int(program.code[3, u.ADDRESS]) & 0xFFFFFFFF:#x}" in warning.message


@pytest.mark.parametrize("long", ["guard", "in front"])
def test_nothing_is_said_of_guards_where_it_is_not_known_what_a_condition_is_made_of(long):
    """t3, which the branches of the guards ask for, is the part of t0 that is found last; or t4 is, of the branch in front."""
    asks = {"guard": "t2", "in front": "t0"}[long]
    guards = GUARD if long == "guard" else GUARD.replace("t1, t0", "t1, t4")
    text = f"lw t3, 0(a1)\nlw t4, 4(a1)\nadd t0, t3, t4\n{MANY}beqz {asks}, b\n"
    text += f"{guards.format('one')}j end\nb: {guards.format('two')}end: vx_tmc zero\n"
    assert copied_guards(copied(text)) == []


def test_copies_of_a_guard_on_both_sides_of_what_all_lanes_agree_about_are_sound():
    """A loop made two by a condition that is not a lane's own, with the guard whole in both."""
    guard = "vx_split t1, t0\n beqz t0, {0}\n bnez t3, {0}\n nop\n{0}: vx_join t1\n"
    text = (
        f"lw t0, 0(a0)\n lw t3, 4(a0)\n lw t4, 8(a0)\n beqz t4, b\n{guard.format('one')} j end\nb: {guard.format('two')}end: vx_tmc zero\n"
    )
    program = replace(load(text.encode(), "vortex-2024", options=Options(path="k.vx")), labels={})
    code = program.code.copy()
    code[[4, 10], u.LINE], code[[4, 10], u.COLUMN] = 5, 1  # as if both came from one line
    assert copied_guards(replace(program, code=code)) == []
    uops = program.uops.copy()
    uops[code[[5, 11], u.FIRST_UOP], u.A] = uops[code[6, u.FIRST_UOP], u.A]  # neither asks for t0 any more
    assert copied_guards(replace(program, code=code, uops=uops)) == []  # but nor does the branch in front of both
    uops[code[3, u.FIRST_UOP], u.A] = uops[code[4, u.FIRST_UOP], u.A]
    assert len(copied_guards(replace(program, code=code, uops=uops))) == 1
