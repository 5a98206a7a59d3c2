"""What a run is handed by pointer. Which form of it a program needs is in test_machine.py."""

import inspect

import pytest

from tests.machine.programs import FREE, Assembly, machine
from warploom.isa import uop as u
from warploom.machine.device.handed import KINDS, OF_ROWS, SIGNATURES, Units, hooks_of


def programs():
    plain, memory, doubles = Assembly(), Assembly(), Assembly()
    memory.load(FREE, FREE + 1)
    memory.load(FREE, FREE + 1, space=u.SHARED_SPACE)
    doubles("i2d", dst=4, a=FREE)
    for code in (plain, memory, doubles):
        code("exit")
        yield code.program()


@pytest.mark.parametrize("program", list(programs()))
def test_each_function_takes_what_its_signature_says(program):
    made = machine(program)
    units = made._units()
    assert list(units.members()) == list(Units._fields) and set(SIGNATURES) == set(Units._fields)
    for name, hook in hooks_of(units, lambda function: ()).members().items():
        returns, arguments = SIGNATURES[name]
        assert hook.function is getattr(units, name)
        assert (hook.returns, hook.arguments) == (KINDS[returns], tuple(KINDS[kind] for kind in arguments))
        assert len(inspect.signature(hook.function).parameters) == len(arguments), name


def test_what_stands_in_takes_what_it_stands_for_does():
    for apart in OF_ROWS:
        expected = list(inspect.signature(apart.function).parameters)
        assert list(inspect.signature(apart.stand_in).parameters) == expected and len(apart.arguments) == len(expected)
