"""What a change of the machine would give: which are tried, and what is said of a run with each."""

from types import SimpleNamespace

import pytest

from warploom.machine.config.presets import load_config
from warploom.machine.config.schema import settings
from warploom.observe.diagnosis.diagnosis import OTHERWISE, RULES, SEQUENCER
from warploom.observe.diagnosis.finding import Finding, Trial
from warploom.observe.diagnosis.what_if import LEVERS, OF_ONE, changed, changes, tried


def finding(rule: str, advice: str = "") -> Finding:
    return Finding(rule, (0,), 10, "so it is", advice)


def test_each_lever_belongs_to_a_rule_and_pulls_a_setting() -> None:
    assert set(LEVERS) <= {rule.name for rule in (*RULES, OTHERWISE, SEQUENCER)}
    known = {setting.name for setting in settings()}
    assert {lever.setting for levers in LEVERS.values() for lever in levers} <= known


def test_other_mechanisms_are_tried_where_lanes_diverge() -> None:
    found = changes(load_config("sm"), finding("divergence"))
    assert {"core.divergence=minpc", "core.divergence=dwf"} <= set(found)
    assert f"core.divergence={load_config('sm').core.divergence}" not in found  # it has this one already


def test_what_the_advice_names_comes_first() -> None:
    assert changes(load_config("sm"), finding("latency", "more warps, or --set dram.channels=64"))[0] == "dram.channels=64"


@pytest.mark.parametrize("name", ["sm", "tiny", "guppy", "h100", "vortex-2024", "gcn"])
def test_each_change_makes_a_machine_that_differs(name: str) -> None:
    config = load_config(name)
    for rule in LEVERS:
        found = changes(config, finding(rule))
        assert len(found) <= OF_ONE
        for text in found:
            machine = changed(config, text)
            assert machine is not None and machine != config


def test_a_change_that_a_machine_has_no_use_for_is_left_out() -> None:
    assert changed(load_config("tiny"), "core.divergence=its") is None
    assert changed(load_config("sm"), "core.warps=100000") is None


def test_a_change_runs_once_and_no_more_often_than_allowed() -> None:
    asked: list[str] = []

    def run(config: object, limit: int, change: str) -> SimpleNamespace:
        asked.append(change)
        assert limit == 200
        return SimpleNamespace(status="done", cycles=80)

    found = tried(load_config("sm"), [finding("divergence"), finding("spin"), finding("latency")], 100, run, most=4)
    assert len(asked) == len(set(asked)) == 4
    assert found[0].trials == found[1].trials and found[0].trials  # the same changes bear on both
    assert found[0].trials[0].told == "80 cycles, 1.25 times as fast"


@pytest.mark.parametrize(
    ("status", "cycles", "told"),
    [
        ("done", 100, "no difference"),
        ("done", 50, "50 cycles, 2.00 times as fast"),
        ("done", 96, "96 cycles, 4.0 % fewer"),
        ("done", 130, "130 cycles, 30.0 % more"),
        ("timeout", 200, "still running after 200 cycles, 2 times as many"),
        ("error", 7, "the run ends with a fault after 7 cycles"),
    ],
)
def test_what_a_trial_says(status: str, cycles: int, told: str) -> None:
    assert Trial("core.warps=8", status, cycles, 100).told == told
