"""From which of a user's instructions the run-time is entered."""

from dataclasses import replace

from tests.machine.programs import Assembly
from warploom.isa import uop as u
from warploom.isa.analysis.entrances import entrances, only_caller
from warploom.isa.program import Source

USER, RUNTIME = 0, 1


def program(*rows):
    """A program of rows (file, operation, target)."""
    assembly = Assembly()
    for _, name, target in rows:
        if target is None:
            assembly(name)
        else:
            assembly(name, target=target)
    made = assembly.program()
    code = made.code.copy()
    code[:, u.FILE] = [file for file, _, _ in rows]
    code[:, u.LINE] = range(1, len(rows) + 1)
    return replace(made, code=code, sources=(Source("", "a.c"), Source("", "warploom/library.c", of_runtime=True)))


def test_each_instruction_of_the_runtime_has_those_that_lead_to_it():
    made = program(
        (USER, "jump", 3), (USER, "jump", 5), (USER, "exit", None),
        (RUNTIME, "nop", None), (RUNTIME, "jump", 6),
        (RUNTIME, "nop", None), (RUNTIME, "exit", None),
        (RUNTIME, "exit", None),
    )  # fmt: skip
    assert entrances(made) == {3: (0,), 4: (0,), 5: (1,), 6: (0, 1)}
    assert [only_caller(made, number) for number in range(8)] == [-1, -1, -1, 0, 0, 1, -1, -1]


def test_without_a_runtime_there_is_nothing():
    made = program((USER, "jump", 1), (RUNTIME, "exit", None))
    assert entrances(replace(made, sources=(Source("", "a.c"), Source("", "b.c")))) == {}


def test_a_user_without_lines_leads_nowhere():
    made = program((USER, "jump", 1), (RUNTIME, "exit", None))
    code = made.code.copy()
    code[0, u.LINE] = 0
    assert entrances(replace(made, code=code)) == {}
