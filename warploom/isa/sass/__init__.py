"""NVIDIA's machine code: cubins of sm_70 to sm_90, read, listed and executed.

`front_end.py` loads one; `table.py` is the instruction set.
"""

from warploom.isa.sass.front_end import load
from warploom.isa.sass.table import meanings

__all__ = ["load", "meanings"]
