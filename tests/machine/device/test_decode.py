"""Decoding: the port of every instruction, on a machine whose schedulers share their ALUs and on one where each has its own."""

from tests.machine.programs import Assembly
from warploom.isa import uop as u
from warploom.machine.config.presets import load_config
from warploom.machine.device.decode import decode

NAMES = ("add", "mul", "fma", "fsqrt", "i2f", "popc", "branch")
PROGRAM = Assembly()
for name in NAMES:
    PROGRAM(name, dst=5, a=6, b=7, c=8, target=0)
PROGRAM.load(5, 6, space=u.SHARED_SPACE)


def ports(**settings):
    config = load_config("sm", {name.replace("__", "."): value for name, value in settings.items()})
    return decode(config, PROGRAM.program())[:, u.PORT].tolist()


def test_shared_alus_take_all_arithmetic_but_special_functions():
    assert ports(pipes__owner="core") == [u.ALU, u.ALU, u.ALU, u.SPECIAL, u.ALU, u.ALU, u.CONTROL, u.SHARED]


def test_pipes_take_what_the_configuration_says():
    assert ports() == [u.ALU, u.FLOAT, u.FLOAT, u.SPECIAL, u.SPECIAL, u.SPECIAL, u.CONTROL, u.SHARED]
    assert ports(pipes__multiply="integer", pipes__convert="float", pipes__bits="integer")[1:6] == [
        u.ALU, u.FLOAT, u.SPECIAL, u.FLOAT, u.ALU,
    ]  # fmt: skip


def test_the_program_is_left_as_it_is():
    program = PROGRAM.program()
    before = program.code.copy()
    decode(load_config("sm"), program)
    assert (program.code == before).all()
