"""What a piece of native code holds: its entry, and nothing of the units that it reaches where they are inlined everywhere."""

import re

import numpy as np

from warploom.machine.engine.native.compiler import Compiler
from warploom.machine.engine.native.piece import entry_hook
from warploom.machine.engine.unit import unit


@unit
def inlined_everywhere(row, at):
    return row[at] + 1


@unit
def entered(row, at):
    return inlined_everywhere(row, at) + inlined_everywhere(row, at + 1)


def test_a_unit_that_is_inlined_everywhere_leaves_no_code_behind():
    piece = Compiler().compile(entry_hook(entered, (np.zeros(4, np.int64), np.int64(0))), ())
    start = piece.symbol.split("entered")[0][:-1].encode()  # of the names of this module's functions, up to their length
    found = {name for name in (b"entered", b"inlined_everywhere") if re.search(start + rb"\d+" + name, piece.code)}
    assert found == {b"entered"}
