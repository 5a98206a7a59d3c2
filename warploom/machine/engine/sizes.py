"""The largest sizes that the state records have room for. Every room of the hardware needs them, so they lie at the bottom."""

from __future__ import annotations

MAX_CORES = 144
MAX_LANES = 64
MAX_WARPS = 64
MAX_SCHEDULERS = 64
MAX_SLICES = 128
MAX_RASTERS, MAX_MERGERS = 12, 20
MAX_RAY_UNITS, MAX_RAY_SLOTS = 8, 64  # units; warps whose rays one of them has
MAX_CLIENTS = MAX_RASTERS + MAX_MERGERS + MAX_RAY_UNITS + MAX_RASTERS  # units with a cache of their own; a raster engine has two
MAX_FETCH_LINES = 4096
BANK_BYTES = 4  # of a word of the first-level cache
MAX_L0_LINES = 512
MAX_SHARED_FETCH_LINES = 1024
WHEEL_EVENTS = 1 << 18  # what the memory system has before it

# Sizes in KiB that the shared part of a unified L1 can have, by compute capability: CUDA Programming Guide, cuda_occupancy.h.
CARVEOUTS = {
    "7.0": (0, 8, 16, 32, 64, 96),
    "7.5": (32, 64),
    "8.0": (0, 8, 16, 32, 64, 100, 132, 164),
    "8.6": (0, 8, 16, 32, 64, 100),
    "9.0": (0, 8, 16, 32, 64, 100, 132, 164, 196, 228),
}


class ConfigError(ValueError):
    """A setting that does not exist or cannot be. The message names it, its range, and the nearest name."""
