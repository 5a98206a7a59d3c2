"""What raster engines and output mergers have counted, and what a user should know of a run that has drawn."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from warploom.isa.numbers import grouped
from warploom.machine.device.raster.early_depth import FIRST_DEPTH_CLIENT
from warploom.machine.engine.sizes import MAX_MERGERS, MAX_RASTERS
from warploom.machine.merger.registers import ADD, F_ONE, F_ZERO

PIXELS = 4  # of a quad


def graphics_counters(gpu: np.ndarray) -> dict[str, int]:
    """The counters of graphics, by their names in `counters.COUNTERS`; none where the machine has neither unit."""
    rasters, mergers = gpu["rasters"], gpu["mergers"]
    reading, merging = gpu["clients"][:MAX_RASTERS], gpu["clients"][MAX_RASTERS : MAX_RASTERS + MAX_MERGERS]
    found: dict[str, int] = {}
    if gpu["raster_count"]:
        quads, covered = int(rasters["raster"]["quads"].sum()), int(rasters["raster"]["covered"].sum())
        found |= {
            "raster_tiles": int(rasters["engine"]["headers"].sum()),
            "raster_triangles": int(rasters["engine"]["triangles"].sum()),
            "quads": quads,
            "covered_pixels": covered,
            "helper_lanes": PIXELS * quads - covered,
            "raster_squares": int(rasters["raster"]["squares"].sum()),
            "raster_idle_cycles": int(rasters["idle"].sum()),
            "raster_held_cycles": int(rasters["quads"]["held"].sum()),
            "raster_passed_quads": int(rasters["quads"]["passed"].sum()),
            "raster_empty_quads": int(rasters["quads"]["empty"].sum()),
            "raster_cache_hits": int(reading["hits"].sum()),
            "raster_cache_misses": int(reading["misses"].sum() + reading["merged"].sum()),
        }
        early = gpu["clients"][FIRST_DEPTH_CLIENT : FIRST_DEPTH_CLIENT + MAX_RASTERS]
        found |= {
            "fragments_killed_early": int(rasters["quads"]["killed"].sum()),
            "quads_killed_early": int(rasters["quads"]["killed_quads"].sum()),
            "early_depth_cache_hits": int(early["hits"].sum()),
            "early_depth_cache_misses": int(early["misses"].sum() + early["merged"].sum()),
        }
    if gpu["merger_count"]:
        found |= {
            "fragments": int(gpu["fragments"]),
            "fragments_killed_late": int(gpu["killed_late"]),
            "fragments_overtaken": int(mergers["overtaken"].sum()),
            "fragments_out_of_order": int(gpu["out_of_order"]),
            "merger_stalls": int(mergers["stalls"].sum()),
            "merger_full_cycles": int(mergers["full"].sum()),
            "merger_writes": int(merging["writes"].sum()),
            "merger_cache_hits": int(merging["hits"].sum()),
            "merger_cache_misses": int(merging["misses"].sum() + merging["merged"].sum()),
        }
    return found


def graphics_remarks(gpu: np.ndarray) -> Iterator[str]:
    """Where the picture may depend on time: fragments of one pixel that do not keep their order."""
    overtaken, out_of_order = int(gpu["mergers"]["overtaken"].sum()), int(gpu["out_of_order"])
    if overtaken:
        yield (
            f"{_fragments(overtaken)} came to the output merger while an earlier one of the same pixel was in it, and this merger does "
            "not look: hardware would have tested and blended with old values, the picture here has the right ones; "
            "--set merger.interlock=64 makes them wait"
        )
    if out_of_order and _order_matters(gpu["merging"]):
        yield (
            f"{_fragments(out_of_order)} came to the output merger after one of a later triangle had changed the same pixel: "
            "the order of blending depends on which warp is faster; --set raster.interlock=64 keeps it"
        )


def _order_matters(merging: Any) -> bool:
    """Whether blending, or no depth test, makes the picture depend on the order of fragments. Equal depths are left out."""
    blends = bool((merging["blend_color"] != ADD).any() or (merging["source_factor"] != F_ONE).any())
    return blends or bool((merging["destination_factor"] != F_ZERO).any()) or not merging["depth_write"]


def _fragments(count: int) -> str:
    return f"{grouped(count)} fragment{'s' if count != 1 else ''}"
