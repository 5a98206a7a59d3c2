"""Which settings switch something on that cannot act, because what it is a part of is not there, or because the machine has something
else in its place: one row for each such part, and for each such replacement.

A latency or a size of a part that is left out says nothing either, but promises nothing: it is there for when the part is. And who leaves
the part out by hand, as one of several machines that are compared, knows that it is not there.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from warploom.machine.config.schema import Config, settings
from warploom.machine.engine.sizes import ConfigError


class Part(NamedTuple):
    """A part of a machine with warps that may be left out."""

    settings: tuple[str, ...]  # that switch on what it does; their default is off
    by: tuple[str, ...]  # the settings that bring it: it is not there while one of them has its default
    without: str  # what a machine is like without it, and what to set


PARTS = (
    Part(
        ("lsu.group", "l1.banks", "l1.merges", "l1.allocate"),
        ("l1.bytes",),
        "with l1.bytes = 0 there is no L1; set l1.bytes",
    ),
    Part(
        ("l2.atomic_latency", "l2.atomic_pass", "l2.atomic_sum", "l2.write_buffer", "l2.allocate"),
        ("l2.bytes",),
        "with l2.bytes = 0 there is no L2; set l2.bytes",
    ),
    Part(
        ("crossbar.pass_out", "crossbar.pass_back"),
        ("crossbar.core",),
        "with crossbar.core = 0 nothing keeps a core's port; set crossbar.core",
    ),
    Part(
        ("lsu.drain",),
        ("lsu.stores",),
        "with lsu.stores = 0 no store is answered, so a warp waits for none; set lsu.stores",
    ),
    Part(
        ("operands.reuse", "operands.collectors"),
        ("operands.banks",),
        "with operands.banks = 0 all registers are read at once; set operands.banks",
    ),
    Part(
        ("dram.overtakes",),
        ("dram.banks", "dram.queue"),
        "requests of a channel are served in order; set dram.banks, and dram.queue above 1",
    ),
    Part(
        ("dram.activate_window", "dram.refresh_interval"),
        ("dram.banks",),
        "with dram.banks = 0 a channel has none, which open rows and are refreshed; set dram.banks",
    ),
    Part(
        ("dram.refresh_time", "dram.refresh_of"),
        ("dram.banks", "dram.refresh_interval"),
        "nothing is refreshed; set dram.banks and dram.refresh_interval",
    ),
    Part(("dram.clock",), ("gpu.clock",), "with gpu.clock = 0 a memory clock is a cycle; set gpu.clock"),
    Part(
        ("latency.to_float", "latency.to_integer"),
        ("pipes.owner",),
        "with pipes.owner = 'core' one kind of ALU does both; set pipes.owner=scheduler",
    ),
    Part(
        ("fetch.sets", "fetch.l0_sets", "fetch.shared", "fetch.waits"),
        ("fetch.buffer",),
        "with fetch.buffer = 0 instructions are always there; set fetch.buffer",
    ),
    Part(
        ("fetch.l0_ahead", "fetch.stream"),
        ("fetch.l0_sets",),
        "with fetch.l0_sets = 0 schedulers have no instruction cache of their own; set fetch.l0_sets",
    ),
    Part(
        ("fetch.ahead",),
        ("fetch.shared",),
        "with fetch.shared = 0 cores share no instruction cache; set fetch.shared",
    ),
    Part(
        ("shared.carveout",),
        ("shared.unified",),
        "with shared.unified = 0 shared memory and L1 divide nothing; set shared.unified",
    ),
)


class Replaced(NamedTuple):
    """A setting that has no effect where another one decides the same in its place."""

    name: str
    by: str  # the setting that takes its place, unless that one has its default
    instead: str  # what decides then, and what to set; {} is the value of `by`


REPLACED = (
    Replaced("memory.data_channels", "memory.kind", "with memory.kind = {} data memory has DRAM's channels; set dram.channels"),
    Replaced("memory.channel_bytes", "memory.kind", "with memory.kind = {} data memory has DRAM's channels; set dram.bandwidth"),
    Replaced(
        "dram.row_miss",
        "dram.banks",
        "with dram.banks = {} a bank's row takes dram.rp and dram.rcd to open; set those, or dram.banks=0",
    ),
)


@lru_cache(maxsize=1)
def _off() -> dict[str, Any]:
    return {setting.name: setting.default for setting in settings()}


def why_without_effect(config: Config, name: str) -> str:
    """Why what a setting switches on cannot act on a machine with warps, and what to set; "" where it can, or is off."""
    off = _off()
    missing = (part.without for part in PARTS if name in part.settings and any(config[other] == off[other] for other in part.by))
    return "" if config[name] == off[name] else next(missing, "")


def why_replaced(config: Config, name: str) -> str:
    """Why a setting decides nothing, and what to set in its place; "" where it does, or is 0."""
    off = _off()
    found = (row.instead.format(repr(config[row.by])) for row in REPLACED if row.name == name and config[row.by] != off[row.by])
    return next(found, "") if config[name] else ""


def check_replaced(config: Config, changed: Sequence[str]) -> None:
    """Raises ConfigError when a setting that is changed by hand decides nothing here. Not where what replaces it is set by hand, too."""
    chosen = {row.name for row in REPLACED if row.by in changed}
    for name in changed:
        if name not in chosen and (why := why_replaced(config, name)):
            raise ConfigError(f"{name} has no effect here: {why}")


def check_parts(config: Config, changed: Sequence[str]) -> None:
    """Raises ConfigError when a setting that is changed by hand switches on what cannot act on a machine with warps.

    Not where the part that it belongs to is left out by hand, too.
    """
    chosen = {name for part in PARTS if not set(part.by).isdisjoint(changed) for name in part.settings}
    for name in changed:
        why = why_without_effect(config, name)
        if why and name not in chosen:
            raise ConfigError(f"{name} has no effect here: {why}")
