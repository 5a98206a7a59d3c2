"""What a piece of native code shows: its entry alone, so that LLVM may change the units that it reaches as it likes."""

import numpy as np

from warploom.machine.core.operand_banks import OperandBanks, read_operands
from warploom.machine.engine.native.compiler import Compiler
from warploom.machine.engine.native.library import EntryLibrary
from warploom.machine.engine.native.piece import entry_hook


def test_only_the_entry_of_a_piece_is_seen_from_outside(monkeypatch):
    linkages = {}
    optimise = EntryLibrary._optimize_final_module

    def optimise_and_look(library):
        optimise(library)
        linkages.update({function.name: function.linkage.name for function in library._final_module.functions})

    monkeypatch.setattr(EntryLibrary, "_optimize_final_module", optimise_and_look)
    numbers = [np.int64(0)] * 3
    piece = Compiler().compile(entry_hook(read_operands, (np.zeros(1, OperandBanks)[0], *numbers)), ())
    assert linkages.pop(piece.symbol) == "external"
    assert {name.split("13operand_banks")[1].split("B")[0]: linkage for name, linkage in linkages.items() if "13operand_banks" in name} == {
        "5_hold": "internal",
        "15_take_collector": "internal",
    }
