"""Mechanisms of cores with warps that have a price, and what of a machine each setting chooses among them.

Only what stands beside the running model is here. A mechanism is priced in a size: warps that a policy chooses from, lanes of a warp, ways
of a set. Where its size has more numbers, they are the defaults of its component.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from warploom.rtl.core.divergence.minpc import MinimumPc
from warploom.rtl.core.divergence.split_join import SplitJoin
from warploom.rtl.core.divergence.stack import ReconvergenceStack
from warploom.rtl.core.load_store.coalescer import Coalescer
from warploom.rtl.core.load_store.shared_memory import BankConflicts
from warploom.rtl.core.scheduling.policies import GreedyOldest, Oldest, RoundRobin, TwoLevel, Vortex
from warploom.rtl.core.warps.barrier import BarrierTable
from warploom.rtl.core.warps.scoreboard import Scoreboard
from warploom.rtl.hardware import Hardware, NoHardware
from warploom.rtl.memory.cache import Tags
from warploom.rtl.memory.mshr import Mshr
from warploom.rtl.memory.replacement import POLICIES
from warploom.rtl.model import Config
from warploom.rtl.sequencer.controller import Controller
from warploom.rtl.sequencer.fetcher import Fetcher
from warploom.rtl.sequencer.sequencer import Sequencer

WARPS, LANES, WAYS = "warps", "lanes", "ways"
MOST_WAYS = 16  # of a set whose replacement is priced: an age matrix grows with their square
SCHEDULERS = {"round_robin": RoundRobin, "oldest": Oldest, "greedy_oldest": GreedyOldest, "two_level": TwoLevel, "vortex": Vortex}


class Mechanism(NamedTuple):
    """A row. by: what its size is a number of. make: it, in a size. slow: it takes minutes, and is priced only when it is named."""

    name: str
    by: str
    make: Callable[[int], Any]
    slow: bool = False


MECHANISMS = (
    *(Mechanism(name, WARPS, policy) for name, policy in SCHEDULERS.items()),
    Mechanism("scoreboard", WARPS, Scoreboard),
    Mechanism("barriers", WARPS, BarrierTable),
    Mechanism("stack", LANES, ReconvergenceStack),
    Mechanism("minpc", LANES, MinimumPc),
    Mechanism("split_join", LANES, SplitJoin),
    Mechanism("coalescer", LANES, Coalescer),
    Mechanism("banks", LANES, lambda lanes: BankConflicts(lanes, 1 << (lanes - 1).bit_length()), slow=True),
    *(Mechanism(name, WAYS, policy) for name, policy in POLICIES.items()),
    Mechanism("tags", WAYS, lambda ways: Tags(4, ways)),
    Mechanism("mshrs", WAYS, Mshr),
)


class Part(NamedTuple):
    """What a machine has of a mechanism: how many, and one of them. key: what it is, in words."""

    key: str
    many: int
    make: Callable[[], Any]


class Choice(NamedTuple):
    """A mechanism that settings choose. settings: those that change its price. part: of a configuration; None: it costs nothing.

    Raises NoHardware for a value that has no price.
    """

    name: str
    settings: tuple[str, ...]
    part: Callable[[Config], Part | None]


def choices_of(settings: tuple[str, ...] | list[str]) -> list[Choice]:
    """The mechanisms whose price depends on any of these settings. Raises NoHardware when that is none."""
    found = [choice for choice in CHOICES if set(choice.settings) & set(settings)]
    if not found:
        known = ", ".join(sorted({setting for choice in CHOICES for setting in choice.settings}))
        raise NoHardware(f"none of {', '.join(settings)} changes a mechanism that has a price; these do: {known}")
    return found


def _scheduler(config: Config) -> Part | None:
    core = _warps(config).core
    if core.scheduler not in SCHEDULERS or core.divergence == "dwf":
        raise NoHardware(f"core.scheduler = {core.scheduler!r} has no hardware")
    warps = -(-core.warps // core.schedulers)
    count = config.gpu.cores * core.schedulers
    if core.scheduler == "two_level":
        return Part(f"two_level({warps})", count, lambda: TwoLevel(warps, core.fetch_group))
    return Part(f"{core.scheduler}({warps})", count, lambda: SCHEDULERS[core.scheduler](warps))


def _divergence(config: Config) -> Part | None:
    core = _warps(config).core
    count = config.gpu.cores * core.warps
    if core.divergence in ("uniform", "masks"):
        return None  # lanes agree, or the program sees to it
    if core.divergence == "stack":
        depth, first = core.stack_depth, config.divergence.first
        return Part(f"stack({core.lanes}, depth {depth})", count, lambda: ReconvergenceStack(core.lanes, depth, first=first))
    if core.divergence == "minpc":
        return Part(f"minpc({core.lanes})", count, lambda: MinimumPc(core.lanes))
    raise NoHardware(f"core.divergence = {core.divergence!r} has no hardware")


def _replacement(config: Config) -> Part | None:
    l1 = _warps(config).l1
    if not l1.bytes:
        return None
    lines = l1.bytes // l1.line
    sets = l1.sets or max(lines // l1.ways, 1)
    ways = lines // sets
    if ways > MOST_WAYS:
        raise NoHardware(f"l1 has {ways} ways in a set, and replacement is priced for {MOST_WAYS} at most")
    count = config.gpu.cores * (1 if l1.replacement == "random" else sets)
    return Part(f"{l1.replacement}({ways})", count, lambda: POLICIES[l1.replacement](ways))


def _channels(config: Config) -> Part | None:
    hardware = Hardware.of(config)
    consumers, channels = hardware.cores * hardware.threads_per_block, hardware.data_channels
    return Part(f"data_controller({consumers}, {channels} channels)", 1, lambda: Controller(consumers, channels, 8, writes=True))


def _banks(config: Config) -> Part | None:
    shared, lanes = _warps(config).shared, config.core.lanes
    if not shared.bytes:
        return None
    if shared.banks & (shared.banks - 1):
        raise NoHardware(f"shared.banks = {shared.banks} has no hardware: it is a power of two there")
    bits = max((shared.bytes // shared.bank_bytes - 1).bit_length(), shared.banks.bit_length())
    return Part(f"banks({lanes}, {shared.banks} banks)", config.gpu.cores, lambda: BankConflicts(lanes, shared.banks, bits))


def _coalescer(config: Config) -> Part | None:
    core, line = _warps(config).core, config.l1.line.bit_length() - 1
    sector = min(config.lsu.sector.bit_length() - 1, line)
    merge = config.lsu.coalesce
    key = f"coalescer({core.lanes})" if merge else f"no coalescing({core.lanes})"
    return Part(key, config.gpu.cores, lambda: Coalescer(core.lanes, line, sector, merge=merge))


def _warps(config: Config) -> Config:
    if not config.has.warps:
        raise NoHardware(f"core.control = {config.core.control!r} has no warps")
    return config


CHOICES = (
    Choice("scheduler", ("core.scheduler", "core.warps", "core.schedulers", "core.fetch_group"), _scheduler),
    Choice("divergence", ("core.divergence", "core.stack_depth", "core.warps", "core.lanes"), _divergence),
    Choice("replacement", ("l1.replacement", "l1.ways", "l1.sets"), _replacement),
    Choice("channels", ("memory.data_channels", "core.threads_per_block"), _channels),
    Choice("banks", ("shared.banks",), _banks),
    Choice("coalescer", ("lsu.coalesce",), _coalescer),
)


# ---------------------------------------------------------------------------------------------------------
# The ladder's machines: what they have of each kind


def part_of_machine(config: Config, kind: str) -> Part | None:
    """What a machine has of a kind of `KINDS`; None where it has none."""
    warps = config.has.warps
    return KINDS[kind](config) if warps != (kind in ("sequencer", "fetcher")) else None


def _tags(config: Config) -> Part | None:
    lines = config.l1.bytes // config.l1.line
    ways = config.l1.ways
    return None if not lines else Part("tags", config.gpu.cores, lambda: Tags(max(lines // ways, 1), ways, sectors=1))


def _mshrs(config: Config) -> Part | None:
    return None if not config.l1.bytes else Part("mshrs", config.gpu.cores, lambda: Mshr(config.l1.mshrs, sectors=1))


def _barriers(config: Config) -> Part | None:
    core = config.core
    return None if not config.shared.bytes else Part("barriers", config.gpu.cores, lambda: BarrierTable(core.warps, core.blocks))


KINDS: dict[str, Callable[[Config], Part | None]] = {
    "sequencer": lambda config: Part("sequencer", config.gpu.cores, lambda: Sequencer(skip_wait=config.core.skip_wait)),
    "fetcher": lambda config: Part("fetcher", config.gpu.cores, lambda: Fetcher(prefetch=config.core.prefetch)),
    "scoreboard": lambda config: Part("scoreboard", config.gpu.cores, lambda: Scoreboard(config.core.warps, 16)),
    "scheduler": _scheduler,
    "divergence": _divergence,
    "coalescer": _coalescer,
    "tags": _tags,
    "mshrs": _mshrs,
    "banks": _banks,
    "barriers": _barriers,
}
