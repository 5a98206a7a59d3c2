"""What has no hardware is refused by name, and what there is has the model's numbers."""

import pytest

from warploom import GPU, guppy, rtl, tiny
from warploom.machine.accounting.faults import FAULT_NUMBER
from warploom.machine.sequencer import controller, fetcher, states
from warploom.rtl.accounting.faults import FaultKind
from warploom.rtl.sequencer.decoder import Opcode
from warploom.rtl.sequencer.states import ChannelState, CoreState, FetcherState

PROGRAM = tiny.assemble(".threads 1\nRET")


@pytest.mark.parametrize(
    ("preset", "changes", "sentence"),
    [
        ("sm", {}, "core.control = 'pipeline' has no hardware"),
        ("tiny", {"fetch.sets": 4}, "fetch.sets = 4: the instruction cache has no hardware; set fetch.sets=0"),
        ("tiny-original", {"memory.program_words": 100}, "memory.program_words = 100: with quirks.wrap_pc the program counter has 8 bits"),
    ],
)
def test_a_setting_without_hardware_is_named(preset, changes, sentence):
    with pytest.raises(rtl.NoHardware, match=sentence.replace("(", r"\(")):
        rtl.lockstep(PROGRAM, GPU(preset, set=changes))


def test_a_program_of_another_instruction_set_is_named():
    program = guppy.assemble("ret\n", path="nothing.guppy")
    with pytest.raises(rtl.NoHardware, match="nothing is a program for guppy: the decoder that there is in hardware reads"):
        rtl.lockstep(program, GPU("tiny"))


def test_an_unknown_simulator_is_named():
    with pytest.raises(ValueError, match="simulator = 'vcs': it is one of pysim, verilator"):
        rtl.lockstep(PROGRAM, GPU("tiny"), simulator="vcs")


def test_states_have_the_models_numbers_under_the_models_names():
    assert {state.name.lower(): state.value for state in CoreState} == {name: number for number, name in enumerate(states.STATES)}
    assert all(getattr(fetcher, state.name) == state.value for state in FetcherState)
    assert all(getattr(controller, state.name) == state.value for state in ChannelState)
    assert all(FAULT_NUMBER[kind.name.lower()] == kind.value for kind in FaultKind)


def test_opcodes_are_those_of_the_instruction_set():
    from warploom.isa.tiny.table import INSTRUCTIONS

    assert {opcode.name: opcode.value for opcode in Opcode} == {row.mnemonic: row.opcode for row in INSTRUCTIONS if not row.extension}


def test_every_unit_lies_where_the_model_has_it():
    from tests.places import ROOT

    rooms = ("accounting", "core", "sequencer")
    twins = {path.relative_to(ROOT / "warploom" / "rtl") for room in rooms for path in (ROOT / "warploom" / "rtl" / room).rglob("*.py")}
    models = {path.relative_to(ROOT / "warploom" / "machine") for path in (ROOT / "warploom" / "machine").rglob("*.py")}
    made_of_units = {"core.py", "gpu.py"}  # in the model these are functions of the sequencer's file
    assert {str(path) for path in twins - models} == {f"sequencer/{name}" for name in made_of_units}
