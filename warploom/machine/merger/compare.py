"""The comparison of depth and stencil tests.

In hardware: one comparator gives "less" and "equal"; the three bits of the function's number choose among them.
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

from warploom.machine.engine.unit import unit
from warploom.machine.merger.registers import ALWAYS, EQUAL, GREATER, GREATER_EQUAL, LESS, LESS_EQUAL, NEVER


@unit
def passes(function, new, stored):
    """Whether `new function stored` holds, as in "new less stored". function: ALWAYS ... of registers.py."""
    if function == ALWAYS:
        return True
    if function == NEVER:
        return False
    if function == LESS:
        return new < stored
    if function == LESS_EQUAL:
        return new <= stored
    if function == EQUAL:
        return new == stored
    if function == GREATER_EQUAL:
        return new >= stored
    if function == GREATER:
        return new > stored
    return new != stored
