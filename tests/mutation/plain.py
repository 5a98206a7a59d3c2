"""Everything in plain Python: what stands in the place of the native engine, so that no test compiles or loads machine code."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np


class Plain:
    """In the place of `Native`: units run as they are written, on mirrors of the same arrays."""

    untrusted = not_kept = ""

    def entry(self, function: Callable[..., Any], arguments: Iterable[Any], swaps: Any = ()) -> Callable[..., Any]:
        from warploom.machine.run.probe import probed

        if swaps:
            function, _ = probed(function, (), (), lambda: 0, swaps)

        def run(*given: Any) -> Any:
            with np.errstate(all="ignore"):
                result = function(*map(self.place, given))
            return result.item() if isinstance(result, np.generic) else result

        return run

    def declare_units(self, arguments: Iterable[Any]) -> None:
        pass

    def place(self, argument: Any) -> Any:
        from warploom.machine.engine.unit import mirror

        if isinstance(argument, np.void):
            argument = np.asarray(argument)
        return mirror(argument) if isinstance(argument, np.ndarray) and argument.dtype.names else argument

    def is_compiled(self, hook: Any) -> bool:
        return True


def no_native_code() -> None:
    """From now on the native engine of this process is plain Python too. Called before the simulator's front door is imported."""
    import warploom.machine.engine.native.loader as loader
    import warploom.machine.run.compile as compiling

    vars(loader)["Native"] = Plain
    right = compiling.entry_call

    def entry_call(machine: Any, engine: str, notice: Any = None) -> Callable[[int], int]:
        return right(machine, "python", notice)

    vars(compiling)["entry_call"] = entry_call
    vars(compiling)["is_compiled"] = lambda machine: True
