"""The table of latency classes, and the settings that follow from it."""

import pytest

from warploom.isa.uop import LATENCIES
from warploom.machine.config.pipes import PORTS, intervals, latency, pipe_of_class
from warploom.machine.config.presets import load_config
from warploom.machine.config.schema import Config, settings
from warploom.machine.core.latency_classes import CLASS_OF, CLASSES, SCALAR, SEQUENCES

NAMES = {setting.name: setting for setting in settings()}


def test_every_class_of_the_micro_ops_has_a_row_but_those_that_no_pipe_computes():
    assert set(LATENCIES) - set(CLASS_OF) == {"memory", "control"}
    assert set(CLASS_OF) <= set(LATENCIES)
    assert [one.name for one in CLASSES if one.sequence] == list(SEQUENCES)


@pytest.mark.parametrize("one", CLASSES, ids=lambda one: one.name)
def test_a_row_is_complete(one):
    assert one.like == "" or CLASS_OF[one.like].like == ""  # one step: no chain of defaults
    assert one.pipe in PORTS and set(one.pipes) <= set(PORTS)
    assert bool(one.choice[0]) == bool(one.choice[1]) == bool(one.pipes)
    assert not one.pipes or one.pipe in one.pipes


@pytest.mark.parametrize("one", CLASSES, ids=lambda one: one.name)
def test_its_settings_are_there_and_say_what_it_is(one):
    own = NAMES[f"latency.{one.name}"]
    assert (own.default, own.unit) == (0 if one.like else 1, "cycles")
    assert own.meaning == one.takes + (f"; 0: as {one.like}" if one.like else "")
    assert not one.interval or one.interval in NAMES[f"pipes.{one.name}_interval"].meaning
    assert (f"pipes.{one.name}_sequence" in NAMES) == bool(one.sequence)
    if one.pipes:
        assert NAMES[f"pipes.{one.choice[0]}"].range == " | ".join(one.pipes)
        assert NAMES[f"pipes.{one.choice[0]}"].default == one.pipe


@pytest.mark.parametrize("one", CLASSES, ids=lambda one: one.name)
def test_its_settings_decide(one):
    def machine(**changes):
        return load_config(Config(), {"pipes.owner": "scheduler", **changes})

    number = LATENCIES.index(one.name)
    assert latency(machine(**{f"latency.{one.name}": 77}), one.name) == 77
    if one.like:
        assert latency(machine(**{f"latency.{one.name}": 0, f"latency.{one.like}": 55}), one.name) == 55
    if one.interval:
        assert intervals(machine(**{f"pipes.{one.name}_interval": 13}))[number] == 13
    for pipe in one.pipes:
        assert pipe_of_class(machine(**{f"pipes.{one.choice[0]}": pipe}))[number] == pipe
    if not one.pipes and one.name != SCALAR:
        assert pipe_of_class(machine())[number] == one.pipe


def test_a_class_that_no_pipe_computes_takes_a_cycle():
    assert [latency(Config(), name) for name in ("memory", "control")] == [1, 1]
