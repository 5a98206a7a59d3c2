"""AVX-512: x86's vectors of 16 lanes and their opmasks, with the general registers around them. A warp is a thread of a CPU.

`instruction.py` says what a row is, `table.py` joins the rows of `scalar/` and `vector/`; `decoder.py`, `disassembler.py` and `elf.py`
read bytes, `text/` assembles, `launch.py` and `kernels.py` start a thread; `lowering.py` makes a Program, in which a row's function
writes micro-ops through `code.py`. `front_end.py` puts them together.
"""

from warploom.isa.avx512.front_end import load
from warploom.isa.avx512.table import INSTRUCTIONS, meanings
from warploom.isa.avx512.words import CODE

__all__ = ["CODE", "INSTRUCTIONS", "load", "meanings"]
