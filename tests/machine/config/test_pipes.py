"""Which pipe takes a kind of operation, and for how long: what follows from a configuration."""

import numpy as np
import pytest

from tests.machine.programs import Assembly
from warploom.isa import uop as u
from warploom.isa.uop import IMMEDIATE, LATENCIES, scalar
from warploom.machine.config.pipes import PORTS, interval, intervals, issued_to, lanes_setting, pipe_of_class
from warploom.machine.config.presets import load_config
from warploom.machine.config.schema import Config

OWN = {"core.control": "pipeline", "core.lanes": 32, "pipes.owner": "scheduler"}
FLOAT = ("float", "float_multiply", "fma", "float_divide", "float_compare", "half")
SPECIAL = ("special", "float_root", "float_reciprocal")
DOUBLE = ("double", "double_divide", "double_convert")
KINDS = dict.fromkeys(SPECIAL, "special") | dict.fromkeys(DOUBLE, "double") | dict.fromkeys(FLOAT, "float")


def made(**changes):
    return load_config(Config(), OWN | {f"pipes.{name}": value for name, value in changes.items()})


@pytest.mark.parametrize("chosen", [{}, {"multiply": "float", "bits": "special", "convert": "special"}])
@pytest.mark.parametrize("scalar", [False, True])
def test_each_kind_of_operation_has_its_pipe_and_the_setting_of_its_lanes(scalar, chosen):
    found = made(scalar=scalar, **chosen)
    expected = KINDS | {name: getattr(found.pipes, name) for name in ("multiply", "bits", "convert")}
    expected |= {"scalar": "scalar"} if scalar else {}
    assert pipe_of_class(found) == tuple(expected.get(name, "integer") for name in LATENCIES)
    for number, name in enumerate(LATENCIES):
        kind = expected.get(name, "integer")
        assert lanes_setting(found, number) == ("" if kind == "scalar" else f"pipes.{kind}_lanes")


@pytest.mark.parametrize(("lanes", "cycles"), [(0, 1), (32, 1), (16, 2), (10, 4), (1, 32)])
def test_an_instruction_keeps_its_pipe_until_its_last_lanes_are_in(lanes, cycles):
    assert interval(made(special_lanes=lanes), "special") == cycles
    assert interval(made(special_lanes=lanes, special_interval=7), "special") == 7


def test_an_interval_that_is_given_is_that_of_its_kind_alone():
    given = {"multiply": 3, "convert": 5, "divide": 40, "float_divide": 50, "double_divide": 60}
    found = made(integer_lanes=16, float_lanes=8, double_lanes=4, special_lanes=2, **{f"{name}_interval": n for name, n in given.items()})
    cycles = {"integer": 2, "float": 4, "double": 8, "special": 16}
    pipes = pipe_of_class(found)
    assert intervals(found) == tuple(given.get(name, cycles[pipe]) for name, pipe in zip(LATENCIES, pipes, strict=True))
    for number, name in enumerate(LATENCIES):
        assert lanes_setting(found, number) == ("" if name in given else f"pipes.{pipes[number]}_lanes")


@pytest.mark.parametrize("vector", [False, True])
@pytest.mark.parametrize("scalar_unit", [False, True])
def test_an_instruction_goes_to_the_pipe_of_its_class_and_what_is_for_scalars_alone_to_their_unit(scalar_unit, vector):
    code = Assembly()
    code("add", dst=5, a=6, b=7)
    code("add", dst=scalar(0), a=scalar(1), b=IMMEDIATE, imm=1)
    code("fma", dst=5, a=6, b=7, c=8)
    code("mov", dst=5, a=scalar(0))
    code("fsqrt", dst=5, a=6)
    code.load(5, 6)
    code("load_scalar", dst=scalar(2), a=scalar(1), imm=0)
    code("nop")
    program = code.program()
    port, latency = issued_to(made(scalar=scalar_unit, vector=vector), program)
    classes = program.code[:, u.ISSUE_LATENCY].copy()
    classes[1] = u.L_SCALAR if scalar_unit else classes[1]
    assert latency.tolist() == classes.tolist()
    own = program.code[:, u.ISSUE_UNIT]
    special = PORTS["vector"] if vector else u.SPECIAL
    floats = PORTS["vector"] if vector else u.FLOAT
    expected = [u.ALU, PORTS["scalar"] if scalar_unit else u.ALU, floats, u.ALU, special, u.MEMORY, *own[6:].tolist()]
    assert port.tolist() == expected
    shared = issued_to(load_config(Config(), OWN | {"pipes.owner": "core"}), program)
    assert np.array_equal(shared, [own, program.code[:, u.ISSUE_LATENCY]])


@pytest.mark.parametrize("halves", [{"float_on_integer": True}, {"second_float": True}, {}])
@pytest.mark.parametrize("multiply", ["integer", "float"])
def test_integer_multiplies_and_sequences_wait_for_the_first_half_of_a_float_pipe(multiply, halves):
    code = Assembly()
    for name in ("fma", "mul", "fdiv", "add"):
        code(name, dst=5, a=6, b=7)
    found = made(multiply=multiply, float_divide_sequence="9 fma + 1 special", special_lanes=32, **halves)
    first = u.HEAVY if halves else u.FLOAT
    assert issued_to(found, code.program())[0].tolist() == [u.FLOAT, first if multiply == "float" else u.ALU, first, u.ALU]
