"""What is proved of the units, and wrong lines that are refuted by an example."""

import pytest
import pywellen

from tests.rtl.mutants import mutate
from warploom.rtl.proofs.properties import AluIsRight, ControllerServes, DecoderIsTotal, RoundRobinIsFair
from warploom.rtl.proofs.prover import prove

PROPERTIES = {
    "the ALU of the published hardware": AluIsRight,
    "the ALU as documented": lambda: AluIsRight(compare_flags=False, divide_zero=False),
    "the decoder": DecoderIsTotal,
    "the controller, 4 consumers of 2 channels": ControllerServes,
    "the controller, 3 consumers of 3 channels": lambda: ControllerServes(3, 3),
    "round robin among 8 warps": RoundRobinIsFair,
    "round robin among 5 warps": lambda: RoundRobinIsFair(5),
}


@pytest.mark.every(2)
@pytest.mark.parametrize("name", PROPERTIES)
def test_it_is_proved(name):
    proof = prove(PROPERTIES[name]())
    assert proof.verdict == "proved", str(proof)
    assert str(proof).startswith("proved with ")


@pytest.mark.slow
def test_a_controller_of_eight_consumers_and_four_channels_is_proved():
    assert prove(ControllerServes(8, 4)).verdict == "proved"


FAULTS = {
    "a difference the wrong way round": ("sequencer.alu.Alu.elaborate", "self.rs - self.rt", "self.rt - self.rs", AluIsRight),
    "one quotient that is wrong": ("sequencer.alu.Alu.quotient", "self.rs // self.rt", "self.rs // self.rt ^ (self.rs == 251)", AluIsRight),
    "more opcodes that end a block": ("sequencer.decoder.Decoder.elaborate", "opcode == Opcode.RET", "word[14:16] == 3", DecoderIsTotal),
    "a consumer with two channels": ("sequencer.controller.Controller.take", "~serving", "~self.serving", ControllerServes),
    "a consumer that is served for ever": (
        "sequencer.controller.Controller.channel", "after.eq(serving & ~line)", "after.eq(serving)", ControllerServes,
    ),
    "a policy that stays with its warp": (
        "core.scheduling.policies.RoundRobin.elaborate", "self.last < warp", "self.last <= warp", RoundRobinIsFair,
    ),
}  # fmt: skip


@pytest.mark.every(2)
@pytest.mark.parametrize("name", FAULTS)
def test_a_planted_fault_is_refuted_with_an_example(name, monkeypatch, tmp_path):
    place, right, wrong, component = FAULTS[name]
    mutate(monkeypatch, place, right, wrong)
    proof = prove(component(), steps=10)
    assert proof.verdict == "refuted"
    lines = str(proof).splitlines()
    assert lines[0] == f"refuted by these {proof.steps} cycles from reset:"
    assert lines[2].split() == ["cycle", *map(str, range(proof.steps))]
    assert {line.split()[0] for line in lines[3:]} == set(proof.example.signals) - {"clk", "rst"}
    proof.example.write_vcd(tmp_path / "example.vcd")
    waveform = pywellen.Waveform(str(tmp_path / "example.vcd"))
    names = {variable.full_name for variable in waveform.all_vars()}
    assert names == {f"property.{signal}" for signal in proof.example.signals}


def test_an_example_shows_the_wrong_result(monkeypatch):
    mutate(monkeypatch, *FAULTS["one quotient that is wrong"][:3])
    example = prove(AluIsRight()).example
    rs, rt = example.signals["rs"][-2], example.signals["rt"][-2]
    assert rs == 251
    assert example.signals["alu.out"][-1] == ((rs // rt if rt else 0) ^ 1)


def test_what_needs_more_steps_stays_open():
    assert prove(ControllerServes(), steps=1).verdict == "open"
