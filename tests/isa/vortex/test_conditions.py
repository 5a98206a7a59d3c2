"""What splits and branches ask for: where their conditions come from."""

from dataclasses import replace

import pytest

from warploom.isa import load
from warploom.isa import uop as u
from warploom.isa.analysis.successors import ways
from warploom.isa.frontend import Options
from warploom.isa.vortex.conditions import Conditions
from warploom.isa.vortex.guards import copied_guards


def conditions(text):
    program = load(text.encode(), "vortex-2024", options=Options(path="k.vx"))
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


def test_copies_of_a_guard_on_both_sides_of_what_all_lanes_agree_about_are_sound():
    """A loop made two by a condition that is no lane's own, with the guard whole in both."""
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
