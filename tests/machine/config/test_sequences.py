"""What a sequence is made of, as a setting says it."""

import pytest

from warploom.isa import uop as u
from warploom.machine.config.pipes import intervals, latency, loads_beside, pipe_of_class
from warploom.machine.config.presets import load_config, preset_names
from warploom.machine.config.sequences import PARTS, SEQUENCES, parts_of, slots_of


def test_the_parts_are_read_in_their_order():
    config = load_config("sm", {"pipes.divide_sequence": " 2 convert+12   alu + 1 control "})
    assert parts_of(config, "divide") == ((2, "convert"), (12, "alu"), (1, "control"))
    assert slots_of(config, "divide") == 15
    assert parts_of(config, "fma") == () and slots_of(config, "fma") == 1
    assert slots_of(load_config(config, {"core.issues_per_turn": 2}), "divide") == 1


@pytest.mark.parametrize("name", SEQUENCES)
def test_no_part_is_a_sequence_itself(name):
    assert name in u.LATENCIES and name not in PARTS


def test_the_pipes_follow_from_the_classes():
    """Of two pipes that are kept as long the first one takes it."""
    changes = {"pipes.divide_sequence": "1 special + 2 multiply + 2 alu", "pipes.special_interval": 4, "pipes.multiply": "float"}
    config = load_config("sm", changes)
    divide = u.L_DIVIDE
    assert (pipe_of_class(config)[divide], intervals(config)[divide]) == ("special", 4)
    assert loads_beside(config, "divide") == {u.FLOAT: 4, u.ALU: 4}
    config = load_config(config, {"pipes.multiply": "integer"})
    assert (pipe_of_class(config)[divide], intervals(config)[divide]) == ("integer", 8)
    assert loads_beside(config, "divide") == {u.SPECIAL: 4}


@pytest.mark.parametrize("gpu", preset_names())
def test_classes_without_a_latency_have_that_of_the_one_that_they_are_a_part_of(gpu):
    config = load_config(gpu)
    for name, like in (("float_compare", "float"), ("float_root", "special"), ("float_reciprocal", "special"), ("mask", "alu")):
        assert latency(config, name) == (config[f"latency.{name}"] or config[f"latency.{like}"])
