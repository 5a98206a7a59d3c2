"""What machines have: every kind of control has a row, and what it offers is what its runs give."""

import pytest

import warploom
from warploom.machine.config.features import FEATURES
from warploom.machine.config.presets import load_config, preset_names

PROGRAM = ".threads 4\nMUL R0, %blockIdx, %blockDim\nADD R0, R0, %threadIdx\nSTR R0, R0\nRET\n"


def test_every_kind_of_control_says_what_it_has():
    assert {load_config(name).core.control for name in preset_names()} == set(FEATURES)
    for kind in FEATURES:
        assert load_config("tiny", {"core.control": kind}).has is FEATURES[kind]


@pytest.mark.parametrize("gpu", ["tiny", "tiny-simt"])
def test_a_run_gives_what_its_machine_has(gpu):
    program = warploom.load(PROGRAM.encode(), "tiny")
    result = warploom.GPU(gpu, engine="python").run(program, tracing=True)
    assert result.has is result.config.has
    assert result.has.events == bool(result.detail.events is not None and len(result.detail.events))
    assert result.has.profile == (result.detail.profile is not None)
    assert result.has.steps == (result.has.events is False)
    if result.has.steps:
        assert len(list(result.trace())) == result.cycles
    else:
        with pytest.raises(ValueError, match=r"core\.control = 'pipeline'"):
            next(result.trace())
