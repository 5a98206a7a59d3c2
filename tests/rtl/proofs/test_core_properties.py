"""Units of the modern core: what is proved of them, and that wrong ones are refuted."""

import pytest

from tests.rtl.mutants import mutate
from warploom import rtl
from warploom.rtl.proofs.core_properties import BanksServeOneWord, OneIsTheOldest, ScoreboardHolds, TreeSparesTheLastUsed

PROPERTIES = {
    "age matrix": OneIsTheOldest,
    "bank conflicts": BanksServeOneWord,
    "tree pseudo-LRU": TreeSparesTheLastUsed,
    "scoreboard": ScoreboardHolds,
}
FAULTS = {
    "age matrix": ("parts.AgeMatrix.elaborate", "m.Elif(self.youngest[low])", "m.Elif(self.youngest[low] & ~self.candidates[high])"),
    "bank conflicts": ("core.load_store.shared_memory.BankConflicts.elaborate", "shares = ~self.atomic & ", "shares = "),
    "tree pseudo-LRU": ("memory.replacement.TreePlru.elaborate", "m.If(low | high)", "m.If(low)"),
    "scoreboard": ("core.warps.scoreboard.Scoreboard.elaborate", "(self.done_warp[port] == warp)", "(self.done_warp[port] <= warp)"),
}  # fmt: skip


@pytest.mark.parametrize("name", PROPERTIES)
def test_it_is_proved(name):
    proof = rtl.prove(PROPERTIES[name]())
    assert proof.verdict == "proved", str(proof)


@pytest.mark.parametrize("name", PROPERTIES)
def test_a_wrong_one_is_refuted_with_an_example(name, monkeypatch):
    mutate(monkeypatch, *FAULTS[name])
    proof = rtl.prove(PROPERTIES[name]())
    assert proof.verdict == "refuted"
    assert len(proof.example) >= 1
