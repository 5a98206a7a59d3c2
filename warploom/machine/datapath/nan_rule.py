# mypy: disable-error-code="no-untyped-def"
"""Which NaN a result is: RISC-V's canonical one, or NVIDIA's, as the micro-op says (`nvidia_nan` in `isa/uop.py`).

In hardware: a constant at the output of each unit. A rule is a number: 0 RISC-V's, 1 NVIDIA's; of 64 bits NVIDIA's is an operand's, which
`double_precision.py` finds.
"""

from __future__ import annotations

import numpy as np

from warploom.isa.uop import FLAGS, NVIDIA_NAN
from warploom.machine.engine.unit import inlined

NAN_WORDS = np.array([0x7FC00000, 0x7FFFFFFF], np.uint32)  # by rule
NANS = NAN_WORDS.view(np.float32)
HALF_NANS = np.array([0x7E00, 0x7FFF], np.uint32)  # of 16 bits


@inlined
def nan_rule(uops, k):
    """The rule of micro-op `k`."""
    return np.int64(1 if uops[k, FLAGS] & NVIDIA_NAN != 0 else 0)
