"""The entry of a machine in plain Python.

Not hardware. It begins without delay, so a short run never waits for native code (compile.py), nor imports what makes and loads it.
"""

from __future__ import annotations

from collections.abc import Callable

from warploom.machine.run.runnable import Runnable


def plain_call(machine: Runnable) -> Callable[[int], int]:
    """The entry with all arguments but the limit in place. Raises ValueError for a probe of a unit that the machine does not reach."""
    entry, arguments = machine.entry, machine.arguments(native=False)
    if machine.probes or machine.swaps:
        from warploom.machine.run.probe import probed

        entry, arguments = probed(entry, arguments, machine.probes, lambda: machine.cycle, machine.swaps)
    return lambda limit: entry(*arguments, limit)
