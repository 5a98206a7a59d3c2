"""AMD's GCN, from its assembly text and from code objects: waves of 64 lanes, a scalar unit, and the mask of lanes in a register, EXEC.

`instruction.py` says what a row is, `table.py` joins the rows of `scalar/`, `vector/` and `memory/`; `decoder.py` and `disassembler.py`
read words, `text/` assembles, `kernels/` reads code objects and starts kernels; `lowering.py` makes a Program, in which a row's function
writes micro-ops through `code.py`; `waits.py` checks `s_waitcnt`. `front_end.py` puts them together.
"""

from warploom.isa.gcn.front_end import load
from warploom.isa.gcn.table import INSTRUCTIONS, meanings
from warploom.isa.gcn.words import CODE

__all__ = ["CODE", "INSTRUCTIONS", "load", "meanings"]
