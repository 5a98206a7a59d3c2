"""What ray units have counted."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from warploom.isa.numbers import grouped
from warploom.machine.device.ray_unit import FIRST_CLIENT
from warploom.machine.engine.sizes import MAX_RAY_UNITS


def ray_counters(gpu: np.ndarray) -> dict[str, int]:
    """The counters of ray units, by their names in `counters.COUNTERS`; none where the machine has none."""
    if not gpu["ray_count"]:
        return {}
    units, reading = gpu["rays"], gpu["clients"][FIRST_CLIENT : FIRST_CLIENT + MAX_RAY_UNITS]
    walks = units["walk"]
    busy = units["busy"].sum() + np.where(units["walking"] > 0, int(gpu["now"]) - units["since"], 0).sum()
    return {
        "rays": int(units["rays"].sum()),
        "ray_nodes": int(walks["nodes"].sum()),
        "ray_nodes_again": int(walks["again"].sum()),
        "ray_boxes": int(walks["boxes"].sum()),
        "ray_triangles": int(walks["triangles"].sum()),
        "ray_instances": int(walks["instances"].sum()),
        "ray_restarts": int(walks["restarts"].sum()),
        "ray_steps": int(units["steps"].sum()),
        "ray_lanes": int(units["walkers"].sum()),
        "ray_idle_cycles": max(int(busy) - int(units["steps"].sum()), 0),
        "ray_cache_hits": int(reading["hits"].sum()),
        "ray_cache_misses": int(reading["misses"].sum() + reading["merged"].sum()),
        "ray_faults": int(units["faults"].sum()),
    }


def ray_remarks(gpu: np.ndarray) -> Iterator[str]:
    """Where rays met a damaged tree."""
    count = int(gpu["rays"]["faults"].sum())
    if count:
        yield (
            f"{grouped(count)} ray{'s' if count != 1 else ''} met a damaged tree: the status that vx_rt_wait gives them is 128 and more, "
            "1 for a place without memory, 2 for no scene, 3 for no node, 4 for too many levels, 5 for more visits than nodes"
        )
