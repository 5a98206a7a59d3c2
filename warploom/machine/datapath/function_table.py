"""Tables of functions: what a special function unit gives for each argument, as it was recorded on hardware.

Not hardware: a unit has a small table of coefficients and computes the rest (`special_function.py`). The bits that a vendor's unit gives
are not published; where they were recorded, a program brings them along, and a lane looks its argument up.
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np

from warploom.machine.engine.unit import out_of_line


@out_of_line
def look_up(result, row, first, functions, wide):
    """Result = the words of `functions` (uint32) at `first` + the lanes' numbers; 0 outside of it."""
    for lane in range(wide):
        place = first + np.int64(row[lane])
        result[lane] = functions[place] if 0 <= place < len(functions) else np.uint32(0)
