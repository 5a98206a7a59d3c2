"""Native code: how units are compiled (`compiler.py`, `library.py`, `rules.py`, `types.py`),
kept (`cache.py`), and called (`loader.py`)."""

from __future__ import annotations

import sys


def is_loaded() -> bool:
    """Whether this process has begun to use native code, so that a run has next to nothing to load."""
    loader = sys.modules.get(f"{__name__}.loader")
    return loader is not None and loader.native.cache_info().currsize > 0
