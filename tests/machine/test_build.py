"""Which kind of machine a configuration and a program become."""

import pytest

from tests.machine.programs import Assembly, config
from tests.machine.tiny_kernels import assemble
from warploom import LaunchError, load_config
from warploom.machine.build import build
from warploom.machine.device.machine import PipelineMachine
from warploom.machine.run.recording import Recorder
from warploom.machine.sequencer.machine import SequencerMachine


def program():
    code = Assembly()
    code("exit")
    return code.program()


def test_the_control_of_a_core_says_which_kind_it_is():
    assert isinstance(build(load_config("tiny"), assemble("RET")), SequencerMachine)
    assert isinstance(build(config(), program()), PipelineMachine)


def test_what_is_to_be_written_down_is_asked_for():
    quiet, loud = build(config(), program()), build(config(), program(), recording=True)
    assert (quiet.recorder, quiet.gpu["log"]["tracing"]) == (None, 0)
    assert isinstance(loud.recorder, Recorder)
    assert loud.gpu["log"]["tracing"] == 1


def test_a_program_that_it_cannot_run_is_refused():
    with pytest.raises(LaunchError, match="the program has no instructions"):
        build(config(), Assembly().program())


@pytest.mark.parametrize(("configuration", "code"), [(load_config("tiny"), assemble("RET")), (config(), program())])
def test_every_kind_answers_for_itself(configuration, code):
    machine = build(configuration, code)
    inspection = machine.inspection
    cores = len(machine.cores)
    assert inspection.places().mask.shape == (cores, inspection.slots)
    assert inspection.registers(0, 0).shape[1] == inspection.lanes
    assert len(inspection.memory) == len(machine.initial_memory)
    assert (inspection.warp_states(), inspection.fault_text()) == ([], "")
