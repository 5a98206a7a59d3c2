"""Occupancy: how full a multiprocessor of a real NVIDIA GPU can be with a given kernel.

A GPU hides the latency of memory behind other warps, so the number of warps that a multiprocessor holds at a time is the
first thing to know of a kernel. `residency.py` has the arithmetic, `capabilities.py` the numbers of each compute capability.
"""

from __future__ import annotations

from pathlib import Path

from warploom.machine.config.presets import load_config
from warploom.machine.config.schema import Config
from warploom.machine.engine.sizes import ConfigError
from warploom.machine.occupancy.capabilities import ALSO_CHECKED, CAPABILITIES
from warploom.machine.occupancy.residency import Demand, Limits, Occupancy, limits_of, residency

__all__ = ["Demand", "Limits", "Occupancy", "curve", "limits_of", "machine_curve", "machine_occupancy", "occupancy", "residency"]


def occupancy(
    cc: str,
    threads: int,
    registers: int = 0,
    shared: int = 0,
    dynamic_shared: int = 0,
    carveout: int | None = None,
) -> Occupancy:
    """How many blocks of a kernel a multiprocessor of compute capability `cc` ("8.6") holds at a time.

    threads: of a block. registers: of a thread; 0: not counted. shared, dynamic_shared: bytes of a block, static and given at
    the launch. carveout: percent of the shared memory that the kernel prefers (CUDA's
    PreferredSharedMemoryCarveout), rounded up to the next size that the multiprocessor can be set to and ignored where that does
    not hold a block; None: as much as there is. Raises ConfigError for an unknown cc and for impossible numbers; a block
    that is too large gives 0 blocks and a reason. Source: cuda_occupancy.h of the CUDA toolkit.
    """
    limits = CAPABILITIES[capability(cc)]
    for name, value in (("shared", shared), ("dynamic_shared", dynamic_shared)):
        if value < 0:
            raise ConfigError(f"{name} = {value}: a block has 0 bytes of shared memory or more")
    demand = Demand(threads, registers, shared + dynamic_shared)
    found = residency(limits, demand, carveout)
    also = ALSO_CHECKED.get(capability(cc))
    if also is None or found.limits["registers"] == 0:
        return found
    check = residency(CAPABILITIES[also], Demand(threads, registers))
    if check.limits["registers"] != 0:
        return found
    counts = found.limits | {"registers": 0}
    limiting = tuple(name for name, count in counts.items() if count == 0)
    return Occupancy(0, 0, 0.0, counts, found.needs, found.room, limiting, found.reason or check.reason, found.exceeded or check.exceeded)


def curve(cc: str, registers: int = 0, shared: int = 0, dynamic_shared: int = 0, carveout: int | None = None) -> dict[int, Occupancy]:
    """Occupancy by threads per block, for every whole number of warps up to the largest block. Raises ConfigError."""
    limits = CAPABILITIES[capability(cc)]
    sizes = range(limits.lanes, limits.block_threads + 1, limits.lanes)
    return {threads: occupancy(cc, threads, registers, shared, dynamic_shared, carveout) for threads in sizes}


def machine_occupancy(
    gpu: str | Path | Config, threads: int | None = None, registers: int = 0, shared: int = 0, scalars: int = 0
) -> Occupancy:  # fmt: skip
    """How many blocks of a kernel one core of a simulated machine holds at a time.

    gpu: a preset's name, a TOML file or a Config. threads: of a block; None: one warp. registers: of a thread, scalars: of a warp; 0: not
    counted. shared: bytes of a block. Raises ConfigError for an unknown machine, for impossible numbers, and for scalar registers where
    the machine does not count them.
    """
    limits = limits_of(load_config(gpu))
    if scalars and not limits.scalars:
        raise ConfigError(f"scalars = {scalars}: this machine does not count scalar registers; one that does: gcn")
    return residency(limits, Demand(limits.lanes if threads is None else threads, registers, shared, scalars))


def machine_curve(gpu: str | Path | Config, registers: int = 0, shared: int = 0, scalars: int = 0) -> dict[int, Occupancy]:
    """`machine_occupancy` by threads per block, for every whole number of warps up to the largest block. Raises ConfigError."""
    limits = limits_of(load_config(gpu))
    most = limits.block_threads or limits.lanes * limits.warps
    return {threads: machine_occupancy(gpu, threads, registers, shared, scalars) for threads in range(limits.lanes, most + 1, limits.lanes)}


def capability(cc: str) -> str:
    """A compute capability's name in the table, also from `sm_86`, `compute_86` and `86`; `12.x` where all of 12 are alike.

    Raises ConfigError.
    """
    name = str(cc).strip().lower().removeprefix("sm_").removeprefix("compute_").removesuffix("a")
    if name.isdigit() and len(name) > 1:
        name = f"{name[:-1]}.{name[-1]}"
    family = [known for known in CAPABILITIES if name == f"{known.partition('.')[0]}.x"]
    if family and all(CAPABILITIES[known] == CAPABILITIES[family[0]] for known in family):
        return family[0]
    if name not in CAPABILITIES:
        known = ", ".join(CAPABILITIES)
        raise ConfigError(f"there is no compute capability {str(cc)!r} in the table{_nearest(name)}; there are {known}")
    return name


def _nearest(name: str) -> str:
    major, _, minor = name.partition(".")
    if not (major.isascii() and major.isdigit()) or (minor and minor not in {*"0123456789", "x"}):
        return ""
    wanted = int(major) + (0 if minor in {"", "x"} else int(minor) / 10)
    near = min(CAPABILITIES, key=lambda known: abs(float(known) - wanted))
    return f", did you mean {near!r}?"
