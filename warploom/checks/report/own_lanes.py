"""Lanes that wait for other lanes of their warp: does the kernel end where each lane runs on its own, as on Volta and later?

A spin lock taken by the lanes of one warp never ends on a reconvergence stack: no lane runs on while another one of its warp spins. On
hardware of today it does: on an H100, 32 lanes take such a lock one after the other. So a kernel that comes to a standstill is run once
more with a program counter a lane (`its`). If that ends it is what is checked, and the standstill is a warning.
"""

from __future__ import annotations

from dataclasses import replace

from warploom.checks.checker import knows_lanes
from warploom.checks.report.findings import Fault, Finding
from warploom.isa.program import Program
from warploom.machine.config.presets import load_config
from warploom.machine.config.schema import Config
from warploom.machine.engine.sizes import ConfigError

STANDSTILLS = ("deadlock", "livelock")
ROOM = 1_000_000  # cycles that the second run may take beside a multiple of the first one's


def with_own_lanes(config: Config, program: Program, fault: Fault | None) -> Config | None:
    """The machine on which a kernel is run once more; None where that says nothing of it."""
    if fault is None or fault.name not in STANDSTILLS or not knows_lanes(program) or config.core.divergence in ("its", "dwf"):
        return None
    try:
        return load_config(config, {"core.divergence": "its"})
    except ConfigError:
        return None


def most_cycles(cycles: int, limit: int) -> int:
    """How many the second run may take. cycles: of the first one."""
    return min(limit, 20 * cycles + ROOM)


def as_warning(found: Finding, divergence: str) -> Finding:
    """A standstill under a mechanism that ends where lanes run on their own. found: as it was found there."""
    message = (
        "lanes wait here for other lanes of their warp: that ends where each lane runs on its own, as on Volta and later, "
        f"and was checked so; with core.divergence={divergence} it never ends"
    )
    fix = "--set core.divergence=its runs it; to run it everywhere, let no lane wait for another one of its warp"
    return replace(found, kind="forward-progress", message=message, fix=fix, runs_today=True)
