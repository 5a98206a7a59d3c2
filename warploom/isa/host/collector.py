"""Decoding and compiling without Python's garbage collector.

Not hardware. Both make very many objects and little garbage, and what they make is kept: the collector would walk through it again and
again, which takes a tenth of a compilation's time; a look at the end of each piece takes another twentieth.
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
