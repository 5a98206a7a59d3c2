"""The largest sizes that the state records have room for. Every room of the hardware needs them, so they lie at the bottom."""

from __future__ import annotations

MAX_CORES = 64
MAX_LANES = 64
MAX_WARPS = 64
MAX_SCHEDULERS = 64
MAX_FETCH_LINES = 4096
MAX_L0_LINES = 512
MAX_SHARED_FETCH_LINES = 1024
WHEEL_EVENTS = 1 << 16  # what the memory system has before it


class ConfigError(ValueError):
    """A setting that does not exist or cannot be. The message names it, its range, and the nearest name."""
