"""Accesses of scalar registers: one for the warp as a whole, at lane 0's address, whatever the mask says.

In hardware: on AMD's GCN a separate path, from the scalar unit to a cache that several compute units share; in a CPU the ordinary path of a
general register. Here this access takes the same path as those of lanes, as one transaction. It lets a warp whose mask is empty read its
own arguments and return from a call. Sources: AMD GCN3 ISA, "Scalar Memory Operations".
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np

from warploom.isa.uop import DST, FLAGS, OP, SCALAR, SIGNED, SIZE, B
from warploom.machine.datapath.predicate import LOAD_SCALAR
from warploom.machine.datapath.register_file import source
from warploom.machine.engine.unit import out_of_line


@out_of_line
def move_scalar(core, place, registers, tables, k, memory):
    """One access of the warp as a whole, at the byte index `place`."""
    index = place >> 2
    shift = np.uint32((place & 3) * 8)
    size = np.int64(tables.uops[k, SIZE])
    keep = np.uint32((np.int64(1) << (8 * size)) - 1)
    if tables.uops[k, OP] == LOAD_SCALAR:
        value = np.uint32(memory[index] >> shift) & keep
        if tables.uops[k, FLAGS] & SIGNED != 0:
            sign = np.uint32(np.int64(1) << (8 * size - 1))
            value = np.uint32((value ^ sign) - sign)
        registers.scalar[tables.uops[k, DST] - SCALAR] = value
        return
    value = registers.lane[source(registers, tables.uops, k, B, 1, 1), 0]
    word = np.uint32(memory[index] & ~np.uint32(keep << shift)) | np.uint32((value & keep) << shift)
    if word != memory[index]:
        core.access.changed = 1
    memory[index] = word
