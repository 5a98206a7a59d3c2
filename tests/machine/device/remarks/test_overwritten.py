"""A program that stores over its own instructions is told so; one that stores beside them is not."""

import pytest

from tests.isa.vortex.programs import END, run

OVER = "la t4, here\nli t5, 0x00500593\nsw t5, {place}(t4)\nhere: li a1, 1\nli a2, 2\n"  # addi a1, zero, 5


def test_stores_over_an_instruction_are_said():
    _, result = run(OVER.format(place=0) + END, 2024, core__warps=1)
    (remark,) = result.remarks
    assert "li a1, 1): the program has stored over this instruction; what it stored there never ran" in remark


def test_of_several_the_first_is_named():
    _, result = run(OVER.format(place=0) + "sw t5, 4(t4)\n" + END, 2024, core__warps=1)
    (remark,) = result.remarks
    assert "li a1, 1): the program has stored over this instruction, and 1 more;" in remark


@pytest.mark.parametrize(
    "text",
    [
        "la t4, here\nlw t5, 0(t4)\nsw t5, 0(t4)\nhere: li a1, 1\n",  # the same bytes
        OVER.format(place=4).replace("li a2, 2", "j past\nli a2, 2\npast: li a3, 3").replace("4(t4)", "8(t4)"),  # one that never ran
    ],
)
def test_what_changes_nothing_that_ran_is_no_remark(text):
    _, result = run(text + END, 2024, core__warps=1)
    assert (result.status, result.remarks) == ("done", ())
