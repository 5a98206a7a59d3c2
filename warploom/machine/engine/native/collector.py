"""Compiling without Python's garbage collector.

Not hardware. Compiling makes millions of objects and little garbage: looking for it takes a tenth of the time, and a look at the end of
each piece another twentieth.
"""

from __future__ import annotations

import contextlib
import gc
from collections.abc import Iterator


@contextlib.contextmanager
def no_collector() -> Iterator[None]:
    """Nobody looks for garbage. May be nested: the outermost one switches the collector on again."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()
