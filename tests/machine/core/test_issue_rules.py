"""Issue rules: what stands in the place of what, and that other machines run what they ran."""

import inspect

import pytest

from tests.h100_words import program
from warploom import GPU
from warploom.machine.core.issue_rules import ISSUE_RULES
from warploom.machine.device.machine import PipelineMachine


@pytest.mark.parametrize("rule", ISSUE_RULES)
def test_what_stands_in_a_place_is_called_in_the_same_way(rule):
    for unit, other in ISSUE_RULES[rule]:
        assert len(inspect.signature(unit).parameters) == len(inspect.signature(other).parameters), unit.__name__
        assert hasattr(other, "__warploom_unit__")


def test_a_machine_has_what_its_rule_says_and_nothing_where_it_compares_registers():
    for rule, swaps in ISSUE_RULES.items():
        config = GPU("h100-sxm", set={"gpu.cores": 1, "core.issue": rule, "core.divergence": "stack"}).config
        assert PipelineMachine(config, program(0)).swaps == swaps
