"""What settings must hold together: the rules that concern more than one of them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from warploom.machine.config.effective import check_parts, check_replaced
from warploom.machine.config.schema import Config, ignored
from warploom.machine.config.sequences import parts_of
from warploom.machine.core.latency_classes import SEQUENCES
from warploom.machine.core.load_store.constant_cache import MAX_CONSTANT_LINES
from warploom.machine.engine.sizes import (
    CARVEOUTS,
    MAX_FETCH_LINES,
    MAX_L0_LINES,
    MAX_MERGERS,
    MAX_RASTERS,
    MAX_RAY_SLOTS,
    MAX_RAY_UNITS,
    ConfigError,
)
from warploom.machine.memory.block import L2_LINES, LINES
from warploom.machine.memory.cache import check as check_cache
from warploom.machine.memory.client import CLIENT_LINES
from warploom.machine.memory.line_table import ENTRIES
from warploom.machine.memory.settings import L2, Cache


def _check_shape(level: str, cache: Cache) -> None:
    """A cache consists of whole sets. Raises ConfigError."""
    slices = cache.slices if isinstance(cache, L2) else 1
    named = "sets" if cache.sets else "ways"
    unit = cache.line * (cache.sets or cache.ways) * slices
    if cache.bytes % unit:
        parts = f"line x {named}{' x slices' if slices > 1 else ''}"
        raise ConfigError(f"{level}.bytes = {cache.bytes}: not a multiple of {parts} = {unit}")
    sets, ways = cache.shape(slices)
    check_cache(level, sets * slices, ways, cache.replacement, L2_LINES if level == "l2" else LINES)
    if slices * cache.mshrs > ENTRIES and level == "l2":
        raise ConfigError(
            f"l2.mshrs = {cache.mshrs}: with l2.slices = {slices} there are {slices * cache.mshrs}; there is room for {ENTRIES}"
        )


WARPS_MACHINE, STEPS_MACHINE = "sm", "tiny"  # presets of the two kinds of machine

# What an older name of a shared ALU is called where each scheduler has its own pipes.
OWN = {
    "alu.width": "pipes.integer_lanes and pipes.float_lanes",
    "alu.special_width": "pipes.special_lanes",
}


def check_effective(config: Config, changed: Iterable[str]) -> None:
    """Raises ConfigError when a setting that is changed by hand says nothing on this machine: that is a mistake, or an older name."""
    own = config.pipes.owner == "scheduler"
    changed = tuple(changed)
    if config.core.control == "pipeline":
        check_parts(config, changed)
    check_replaced(config, changed)
    for name in changed:
        if own and name.startswith("alu."):
            instead = f"set {OWN[name]}, or pipes.owner=core" if name in OWN else "set pipes.owner=core"
            raise ConfigError(f"{name} has no effect here: with pipes.owner = 'scheduler' each scheduler has its own pipes; {instead}")
        if not own and name.startswith("pipes.") and name != "pipes.owner":
            raise ConfigError(f"{name} has no effect here: with pipes.owner = 'core' the schedulers share ALUs; set pipes.owner=scheduler")
        level, _, setting = name.partition(".")
        if setting == "ways" and level in ("l1", "l2"):
            _check_ways(level, config.l2 if level == "l2" else config.l1)


def _check_ways(level: str, cache: Cache) -> None:
    """The ways of a cache decide nothing where its sets do. Raises ConfigError."""
    if cache.sets and cache.bytes:
        _, ways = cache.shape(cache.slices if isinstance(cache, L2) else 1)
        if ways != cache.ways:
            raise ConfigError(
                f"{level}.ways has no effect here: with {level}.sets = {cache.sets} the bytes give {ways} ways; "
                f"set {level}.sets=0, and the ways decide"
            )


def check_used(config: Config, named: Iterable[str], *, before: str = "", add: str) -> None:
    """Raises ConfigError when the machine has no use for a setting that somebody has named, whatever its value.

    before: what stands in front of the setting's name. add: how another machine is asked for, with {} for its name.
    """
    unused = ignored(config)
    steps = config.core.control == "sequencer"
    for name in named:
        if name in unused:
            why = "runs one instruction at a time" if steps else "has warps"
            other = add.format(WARPS_MACHINE if steps else STEPS_MACHINE)
            raise ConfigError(f"{before}{name}: {config.name!r} {why} and does without it; a machine that has it: {other}")


def check_together(config: Config) -> None:
    """Settings that are each possible but not together."""

    def refuse(message: str) -> None:
        raise ConfigError(message)

    for level in ("l1", "l2"):
        cache = getattr(config, level)
        if cache.line & (cache.line - 1):
            refuse(f"{level}.line = {cache.line}: a line is a power of two bytes")
        if cache.bytes:
            _check_shape(level, cache)
        if (cache.bytes or level == "l1") and cache.line // config.lsu.sector > 64:
            refuse(f"{level}.line = {cache.line}: more than 64 sectors of lsu.sector = {config.lsu.sector} bytes")
    if config.lsu.sector & (config.lsu.sector - 1) or config.lsu.sector > config.l1.line:
        refuse(f"lsu.sector = {config.lsu.sector}: a sector is a power of two bytes, at most l1.line = {config.l1.line}")
    if config.gpu.dispatch == "split" and config.gpu.dispatch_latency:
        refuse(f"gpu.dispatch_latency = {config.gpu.dispatch_latency}: gpu.dispatch = 'split' fills warp slots at once; set it to 0")
    if config.gpu.dispatch == "split" and config.core.warp_slots == "block":
        refuse("core.warp_slots = 'block': gpu.dispatch = 'split' gives a block single warp slots, on several cores; set it to warp")
    if config.lsu.group & (config.lsu.group - 1):
        refuse(f"lsu.group = {config.lsu.group}: the lanes of a group are a power of two")
    if config.shared.bank_bytes & (config.shared.bank_bytes - 1):
        refuse(f"shared.bank_bytes = {config.shared.bank_bytes}: a bank's word is a power of two bytes")
    if config.l2.bytes and config.l2.line % config.l1.line:
        refuse(f"l2.line = {config.l2.line}: not a multiple of l1.line = {config.l1.line}, the most that a core asks for at once")
    if config.shared.carveout > (config.shared.unified or config.shared.carveout):
        refuse(f"shared.carveout = {config.shared.carveout}: more than shared.unified = {config.shared.unified}")
    sizes = [size << 10 for size in CARVEOUTS.get(config.shared.carveouts, ())]
    if sizes and config.shared.carveout and config.shared.carveout not in sizes:
        known = ", ".join(str(size) for size in sizes if size)
        refuse(f"shared.carveout = {config.shared.carveout}: with shared.carveouts = {config.shared.carveouts!r} it is one of {known}")
    if config.shared.unified and config.shared.bytes > config.shared.unified:
        refuse(f"shared.bytes = {config.shared.bytes}: more than shared.unified = {config.shared.unified}, of which it is a part")
    if config.dram.banks and not (config.dram.row and config.dram.bandwidth):
        refuse(f"dram.banks = {config.dram.banks}: banks have rows and a bus; set dram.row and dram.bandwidth")
    if config.memory.kind == "dram":
        line = max(config.l1.line, config.l2.line if config.l2.bytes else 1)
        if config.dram.row % line:
            refuse(f"dram.row = {config.dram.row}: a row holds whole lines, so it is a multiple of {line}")
    if config.texture.bytes:
        line_of_ways = config.l1.line * config.texture.ways
        if config.texture.bytes % line_of_ways:
            refuse(f"texture.bytes = {config.texture.bytes}: not a multiple of l1.line x texture.ways = {line_of_ways}")
        check_cache("texture", config.texture.bytes // line_of_ways, config.texture.ways, "fifo")
    _check_graphics(config)
    if config.fetch.sets * config.fetch.ways > MAX_FETCH_LINES:
        refuse(
            f"fetch.sets = {config.fetch.sets}: with fetch.ways = {config.fetch.ways} the instruction cache has "
            f"{config.fetch.sets * config.fetch.ways} lines; there is room for {MAX_FETCH_LINES}"
        )
    if config.core.lock == "lane" and (config.latency.to_float or config.latency.to_integer):
        refuse(
            "core.lock = 'lane': such a scoreboard does not know which pipe wrote a register; set latency.to_float=0 latency.to_integer=0"
        )
    if config.fetch.l0_sets * config.fetch.l0_ways > MAX_L0_LINES:
        refuse(
            f"fetch.l0_sets = {config.fetch.l0_sets}: with fetch.l0_ways = {config.fetch.l0_ways} a scheduler's instruction cache has "
            f"{config.fetch.l0_sets * config.fetch.l0_ways} lines; there is room for {MAX_L0_LINES}"
        )
    if config.fetch.l0_sets and not config.fetch.sets:
        refuse("fetch.l0_sets is set, and fetch.sets = 0: a scheduler's instruction cache is filled from the core's; set fetch.sets")
    for name in ("", "next_"):
        size, line, ways = (getattr(config.constant, f"{name}{field}") for field in ("bytes", "line", "ways"))
        if line & (line - 1):
            refuse(f"constant.{name}line = {line}: a line is a power of two bytes")
        if size % (line * ways):
            refuse(f"constant.{name}bytes = {size}: not a multiple of line x ways = {line * ways}")
        if size // line > MAX_CONSTANT_LINES:
            refuse(f"constant.{name}bytes = {size}: that is {size // line} lines; there is room for {MAX_CONSTANT_LINES}")
    if config.operands.reuse and config.operands.banks & (config.operands.banks - 1):
        refuse(f"operands.reuse: an entry for each of operands.banks = {config.operands.banks}, which has to be a power of two")
    if config.core.schedulers > config.core.warps:
        refuse(f"core.schedulers = {config.core.schedulers}: more than core.warps = {config.core.warps}")
    if config.core.issues_per_turn and config.core.divergence == "dwf":
        refuse(
            f"core.issues_per_turn = {config.core.issues_per_turn}: core.divergence = 'dwf' forms warps for schedulers that issue in every "
            "cycle; set core.issues_per_turn=0"
        )
    for name in SEQUENCES:
        parts_of(config, name)
    halves = config.pipes.float_on_integer or config.pipes.second_float
    if config.pipes.vector and (halves or config.latency.to_float or config.latency.to_integer):
        refuse(
            "pipes.vector: one pipe takes all arithmetic, so there is no other one to go to; set pipes.float_on_integer=false "
            "pipes.second_float=false latency.to_float=0 latency.to_integer=0"
        )
    if config.pipes.float_on_integer and config.pipes.second_float:
        refuse("pipes.second_float: the float pipe has another half, the integer pipe; set pipes.float_on_integer=false")


def _check_graphics(config: Config) -> None:
    """Raster engines and output mergers: how many there are, their caches, and tiles."""
    if config.raster.tile & (config.raster.tile - 1):
        raise ConfigError(f"raster.tile = {config.raster.tile}: a tile is a power of two pixels wide")
    rays = config.rays
    if rays.cores and rays.warps * min(rays.cores, config.gpu.cores) > MAX_RAY_SLOTS:
        raise ConfigError(f"rays.warps = {rays.warps}: a ray unit has the rays of {MAX_RAY_SLOTS} warps at most; let fewer cores share one")
    for name, own, most in (("raster", config.raster, MAX_RASTERS), ("merger", config.merger, MAX_MERGERS), ("rays", rays, MAX_RAY_UNITS)):
        if own.cores and -(-config.gpu.cores // own.cores) > most:
            raise ConfigError(f"{name}.cores = {own.cores}: {config.gpu.cores} cores would need more than {most}; let more cores share one")
        _check_client(config, name, own, "bytes")
    if config.raster.early_depth:
        _check_client(config, "raster", config.raster, "depth_bytes")


def _check_client(config: Config, name: str, own: Any, size: str) -> None:
    """A cache of a unit of the device. size: the setting that says how large it is."""
    held, line_of_ways = getattr(own, size), config.l1.line * own.ways
    if own.cores and held:
        if held % line_of_ways:
            raise ConfigError(f"{name}.{size} = {held}: not a multiple of l1.line x {name}.ways = {line_of_ways}")
        check_cache(name, held // line_of_ways, own.ways, "fifo", CLIENT_LINES)
