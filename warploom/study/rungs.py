"""The rungs of the ladder: from tiny-gpu's machine to a modern core, one switch at a time.

A rung is data: a name, the settings that it turns on, and a sentence that says what it is in hardware and what it costs. The numbers
in the settings follow from the machine at the foot of the ladder: as many lanes as its blocks have threads, as many data
channels as it has lanes.

The order is that of tiny-gpu's own list of next steps (its README, "Advanced functionality" and "Next steps"), after the
three improvements that its state machine leaves room for.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from warploom.isa.numbers import grouped
from warploom.machine.config.schema import Config
from warploom.machine.engine.sizes import ConfigError

# Wires of tiny-gpu's memory channels (its src/gpu.sv): valid, ready, address and data, for reading and, data only, for writing.
DATA_CHANNEL_WIRES = 36
PROGRAM_CHANNEL_WIRES = 26
BYTE_WIRES = 17  # of a further byte in a data channel: 8 to read, 8 to write, 1 that says whether it is written

MOST_CHANNELS = 64
CACHE_LINES = 16  # of a core's data cache
SHARED_CACHE_LINES = 32  # of the cache that all cores share
SHARED_CACHE_WAYS = 4
RESIDENT = 4  # blocks that a core holds, each a warp
BLOCK_SHARED = 256  # bytes of shared memory a block: tiny-gpu's addresses have 8 bits

INSTRUCTION_CACHE = "instruction cache"
COALESCING = "coalescing"
SHARED_MEMORY = "shared memory"
DIVERGENCE = "divergence"
PIPELINING = "pipelining"
SEVERAL_WARPS = "several warps"

# A user may choose what these rungs put in, but not switch them: that is what the ladder does.
SWITCHES = ("core.control", "core.lanes", "core.skip_wait", "core.prefetch", "lsu.coalesce", "lsu.sector", "l1.line")
# A user's number of channels is that of the first rung; what the later ones have follows from it.
FOOT = ("memory.data_channels", "memory.program_channels", "memory.channel_bytes")


@dataclass(frozen=True)
class Rung:
    """One rung.

    settings: what it turns on, by full setting name. about: what it is in hardware and what it costs, one sentence.
    wires: what the settings that add wires to memory are without it, for the column in which the channels stay as they are.
    needs: the rungs without which nothing is to be seen of it, for trying it alone.
    """

    name: str
    settings: Mapping[str, Any]
    about: str
    wires: Mapping[str, Any] = field(default_factory=dict)
    needs: tuple[str, ...] = ()


def rungs(start: Config, choices: Mapping[str, Any] | None = None) -> tuple[Rung, ...]:
    """The ladder that begins with a machine.

    start: cores that run one instruction at a time, without quirks. choices: settings that take the place of a rung's own, as
    {"l1.replacement": "fifo"}. Raises ConfigError for a start that is another machine, and for a choice that is a switch.
    """
    _check(start)
    threads, cores = start.core.threads_per_block, start.gpu.cores
    channel_bytes = start.memory.channel_bytes
    line = 1 << (max(threads, channel_bytes) - 1).bit_length()
    data = max(start.memory.data_channels, min(MOST_CHANNELS, cores * threads))
    program = max(start.memory.program_channels, cores)
    piped, warped = (INSTRUCTION_CACHE, PIPELINING), (INSTRUCTION_CACHE, PIPELINING, SEVERAL_WARPS)
    found = (
        Rung("tiny-gpu", {}, "one instruction at a time through six states; nothing is kept, nothing overlaps"),
        Rung(
            INSTRUCTION_CACHE,
            {"fetch.sets": 64, "fetch.ways": 1, "fetch.line": 1, "fetch.latency": 1},
            "each core keeps the instructions that it has fetched; "
            "costs an SRAM of <fetch.sets> x <fetch.ways> x <fetch.line> instructions with tags per core",
        ),
        Rung(
            "no idle WAIT",
            {"core.skip_wait": True},
            "an instruction without a memory access goes from REQUEST to EXECUTE; costs one more transition in the state machine",
        ),
        Rung(
            "fetch ahead",
            {"core.prefetch": True},
            "the next instruction is fetched while this one executes; costs a comparator for the guess that no branch is taken",
        ),
        Rung(
            PIPELINING,
            {
                "core.control": "pipeline", "core.lanes": threads, "core.warps": 1, "core.blocks": 1, "core.branch_latency": 2,
                "fetch.buffer": 2, "lsu.coalesce": False, "lsu.ports": min(64, threads), "l1.line": 1, "lsu.sector": 1,
            },
            "an instruction issues in every cycle in which its registers are there, after a load too; costs registers between the "
            "stages, a buffer of <fetch.buffer> instructions, a scoreboard of a bit per register, and forwarding",
        ),
        Rung(
            "fetch once for all",
            {"fetch.shared": 64, "fetch.ahead": 2},
            "an instruction cache that all cores share, which prefetches <fetch.ahead> lines; costs an SRAM of <fetch.shared>, once",
            needs=piped,
        ),
        Rung(
            "more channels",
            {"memory.data_channels": data, "memory.program_channels": program},
            f"a data channel per thread and a program channel per core; costs {_added(start, data, program)} more wires to memory",
            {"memory.data_channels": start.memory.data_channels, "memory.program_channels": start.memory.program_channels},
            needs=piped,
        ),
        Rung(
            COALESCING,
            {"lsu.coalesce": True, "l1.line": line, "lsu.sector": line, "memory.channel_bytes": line},
            f"threads that touch the same {line} bytes share one request, and a channel carries them at once; costs comparators between "
            f"the threads' addresses, and {BYTE_WIRES * (line - channel_bytes)} more wires per channel",
            {"memory.channel_bytes": channel_bytes, "lsu.sector": 1},
            needs=piped,
        ),
        Rung(
            "data cache",
            {
                "l1.bytes": CACHE_LINES * line, "l1.ways": 2, "l1.replacement": "lru", "l1.write": "through", "l1.latency": 2,
                "l1.mshrs": 4,
            },
            "each core keeps <l1.bytes> bytes of what it has loaded; costs that SRAM with tags, and <l1.latency> cycles for every access "
            "that misses",
            needs=piped,
        ),
        Rung(
            "second-level cache",
            {
                "l2.bytes": SHARED_CACHE_LINES * line, "l2.line": line, "l2.ways": SHARED_CACHE_WAYS,
                "l2.replacement": "lru", "l2.write": "through",
                "l2.latency": 4, "l2.mshrs": 4, "l2.slices": _slices(line, cores),
            },
            "<l2.bytes> bytes that all cores share, behind their own; costs that SRAM with tags, and <l2.latency> cycles more for what is "
            "not there either",
            needs=piped,
        ),
        Rung(
            SEVERAL_WARPS,
            {"core.warps": RESIDENT, "core.blocks": RESIDENT},
            "a core holds <core.blocks> blocks and issues for one while another waits; costs <core.warps> times the registers, PCs, "
            "buffers and scoreboards",
            needs=piped,
        ),
        Rung(
            "better scheduler",
            {"core.scheduler": "greedy_oldest"},
            "<core.scheduler> chooses the warp that issues, in place of round robin; costs an age per warp and comparators",
            needs=warped,
        ),
        Rung(
            DIVERGENCE,
            {"core.divergence": "stack", "core.stack_depth": 16},
            "threads of a block may diverge at a branch, and reconverge where their paths meet; costs a stack of <core.stack_depth> masks "
            "and PCs per warp",
            needs=piped,
        ),
        Rung(
            SHARED_MEMORY,
            {
                "shared.bytes": BLOCK_SHARED * RESIDENT, "shared.unit": BLOCK_SHARED, "shared.banks": min(64, threads),
                "shared.bank_bytes": 1, "shared.latency": 1,
            },
            "a memory of <shared.bytes> bytes in each core for the blocks to share, and barriers; costs that SRAM in <shared.banks> banks, "
            "and a crossbar in front",
            needs=piped,
        ),
    )  # fmt: skip
    return _chosen(found, choices or {})


def _slices(line: int, cores: int) -> int:
    """Slices of the second-level cache: one a core, as far as each has whole sets."""
    return max(count for count in range(1, min(64, cores) + 1) if SHARED_CACHE_LINES % (SHARED_CACHE_WAYS * count) == 0)


def is_rung_setting(name: str, start: Config) -> bool:
    """Whether a user's choice of this setting belongs to a rung, and not to the machine at the foot of the ladder."""
    return name not in FOOT and any(name in rung.settings for rung in rungs(start))


def _chosen(found: tuple[Rung, ...], choices: Mapping[str, Any]) -> tuple[Rung, ...]:
    for name in choices:
        if name in SWITCHES:
            raise ConfigError(f"{name} is what the ladder itself switches: leave it out, or use `warploom run --set {name}=...`")
    return tuple(with_settings(rung, {name: choices.get(name, value) for name, value in rung.settings.items()}) for rung in found)


def _said(value: Any) -> str:
    """A setting's value in a sentence."""
    return grouped(value) if isinstance(value, int) and not isinstance(value, bool) else str(value)


def with_settings(rung: Rung, settings: Mapping[str, Any], of: Config | None = None) -> Rung:
    """A rung with these settings, whose values, or those of a machine, stand in its sentence in place of their <names>."""
    values: Any = settings if of is None else of
    about = re.sub(r"<([\w.]+)>", lambda found: _said(values[found[1]]), rung.about)
    return Rung(rung.name, settings, about, rung.wires, rung.needs)


def _added(start: Config, data: int, program: int) -> int:
    """Wires of the channels that are added."""
    wires = DATA_CHANNEL_WIRES + BYTE_WIRES * (start.memory.channel_bytes - 1)
    return (data - start.memory.data_channels) * wires + (program - start.memory.program_channels) * PROGRAM_CHANNEL_WIRES


def _check(start: Config) -> None:
    if start.has.warps:
        raise ConfigError(
            f"the ladder begins with cores that run one instruction at a time, and {start.name!r} has warps; begin with --gpu tiny, or "
            "change it with --set gpu.cores=4 and the like"
        )
    quirks = [name for name, value in start.flat().items() if name.startswith("quirks.") and value]
    if quirks:
        raise ConfigError(
            f"{start.name!r} has quirks that no other rung has ({', '.join(quirks)}); begin with --gpu tiny, which has the same timing"
        )
