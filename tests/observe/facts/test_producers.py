"""Where a value comes from: the last writer on every way that leads there."""

from tests.machine.programs import GLOBAL, Assembly
from warploom.isa import uop as u
from warploom.observe.facts.producers import producers

LOADS = (u.MEMORY,)


def test_the_last_writer_before_it():
    assembly = Assembly()
    assembly.load(5, GLOBAL)
    assembly.load(5, GLOBAL)
    assembly.op("add", 6, 5, imm=1)
    assembly("exit")
    assert producers(assembly.program(), 2, LOADS) == [1]


def test_one_on_each_way_and_none_of_another_unit():
    assembly = Assembly()
    assembly.branch(GLOBAL, "else")
    assembly.load(5, GLOBAL)
    assembly("jump", target="meet")
    assembly.label("else")
    assembly.load(5, GLOBAL)
    assembly.label("meet")
    assembly.mov(7, 1)
    assembly.op("add", 6, 5, 7)
    assembly("exit")
    assert producers(assembly.program(), 5, LOADS) == [1, 3]
    assert producers(assembly.program(), 5, (u.ALU,)) == [4]


def test_round_a_loop():
    assembly = Assembly()
    assembly.label("turn")
    assembly.op("add", 6, 5, imm=1)
    assembly.load(5, 6)
    assembly.branch(5, "turn")
    assembly("exit")
    assert producers(assembly.program(), 0, LOADS) == [1]
