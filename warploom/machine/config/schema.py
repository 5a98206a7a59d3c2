# mypy: disable-error-code="valid-type, misc"
"""What a machine is made of: every setting, with its meaning, unit and range, and the presets that set them.

A `Config` is frozen. A preset is a TOML file beside this one (`presets/*.toml`), or a user's own; it names
the preset that it starts from (`base = "tiny"`) and the settings that differ. The comment behind a setting
in a preset says where the number comes from; `sources` reads it.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Annotated, Any, NamedTuple, get_args, get_origin, get_type_hints

import msgspec
from msgspec import Meta

from warploom.isa.diagnostics import nearest
from warploom.machine.core.divergence import MECHANISMS
from warploom.machine.core.scheduling.policies import POLICIES
from warploom.machine.engine.sizes import MAX_CORES, MAX_LANES, MAX_SHARED_FETCH_LINES, MAX_WARPS, ConfigError


class Setting(NamedTuple):
    """One setting as `warploom presets` lists it."""

    name: str
    kind: str
    default: Any
    meaning: str
    unit: str
    range: str


def _number(meaning: str, unit: str = "", *, at_least: int = 0, at_most: int | None = None) -> Any:
    return Annotated[int, Meta(ge=at_least, le=at_most, description=meaning, extra={"unit": unit})]


def _choice(meaning: str, *names: str) -> Any:
    return Annotated[str, Meta(description=meaning, extra={"unit": "", "choices": names})]


def _switch(meaning: str) -> Any:
    return Annotated[bool, Meta(description=meaning, extra={"unit": ""})]


class Section(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A group of settings."""


class Gpu(Section):
    cores: _number("cores (NVIDIA: multiprocessors)", "cores", at_least=1, at_most=MAX_CORES) = 2
    dispatch_latency: _number("cycles from a free block slot to the first instruction of the next block", "cycles", at_most=100_000) = 0
    dispatch: _choice(
        "spread: one block a core in turn; fill: a core as full as it gets first; split: the warps of a block go to any free slots",
        "spread", "fill", "split",
    ) = "spread"  # fmt: skip


class Core(Section):
    control: _choice("sequencer: one instruction at a time; pipeline: warps", "sequencer", "pipeline") = "sequencer"
    threads_per_block: _number("sequencer: threads that a core runs, all of one block", "threads", at_least=1, at_most=MAX_LANES) = 4
    lanes: _number("threads a warp", "lanes", at_least=1, at_most=MAX_LANES) = 32
    warps: _number("warps that a core holds at a time", "warps", at_least=1, at_most=MAX_WARPS) = 32
    blocks: _number("blocks that a core holds at a time", "blocks", at_least=1, at_most=MAX_WARPS) = 16
    threads: _number("threads that a core holds at a time; 0: warps x lanes", "threads", at_most=MAX_WARPS * MAX_LANES) = 0
    registers: _number("32-bit registers that a core's threads share; 0: no limit", "registers", at_most=1 << 20) = 0
    register_unit: _number("registers are handed to a warp in multiples of this", "registers", at_least=1, at_most=4096) = 256
    schedulers: _number(
        "warp schedulers; scheduler i owns the warps w with w % schedulers == i", "schedulers", at_least=1, at_most=MAX_WARPS
    ) = 1
    scheduler: Annotated[str, Meta(description="which warp issues: a policy's name", extra={"unit": "", "choices": ()})] = "round_robin"
    fetch_group: _number("two_level: warps of a fetch group", "warps", at_least=1, at_most=MAX_WARPS) = 8
    divergence: Annotated[
        str, Meta(description="what happens when the lanes of a warp disagree at a branch", extra={"unit": "", "choices": ()})
    ] = "stack"
    stack_depth: _number("entries of a warp's mask stack", "entries", at_least=1, at_most=128) = 64
    barriers: _number("barriers a block", "barriers", at_least=1, at_most=16) = 16
    lock: _choice("what the scoreboard locks: a register of the whole warp, or of its active lanes", "register", "lane") = "register"
    branch_latency: _number(
        "cycles from the issue of a control instruction to the next issue of its warp", "cycles", at_least=1, at_most=64
    ) = 1
    skip_wait: _switch("sequencer: an instruction without a memory access skips WAIT") = False
    prefetch: _switch("sequencer: the next instruction is fetched while this one executes") = False


class Divergence(Section):
    first: _choice(
        "stack, its: which side of a branch runs first; smaller: the one with fewer lanes (AMD's fork and join)",
        "fall_through", "taken", "smaller",
    ) = "fall_through"  # fmt: skip
    barriers: _number("its: convergence barriers of a warp; 0: lanes meet only where they happen to", "barriers", at_most=MAX_LANES) = 16
    patience: _number(
        "its: jumps back of the running lanes, since one last came to a convergence barrier, after which those that wait there go on",
        "jumps", at_least=1, at_most=1 << 30,
    ) = 256  # fmt: skip
    heuristic: _choice(
        "dwf, in the place of core.scheduler: the warp that issues stands at the PC of most threads, has waited longest, or is furthest behind",
        "majority", "time_stamp", "pc",
    ) = "majority"  # fmt: skip


class Alu(Section):
    count: _number("ALUs of a core; an instruction takes the first free one", "ALUs", at_least=1, at_most=64) = 1
    width: _number("lanes that one ALU takes a cycle; 0: a whole warp", "lanes", at_most=MAX_LANES) = 0
    depth: _number(
        "slots of an ALU's pipe; a slow operation in the last slot stops those behind it; 0: never stops", "slots", at_most=32
    ) = 0
    special_count: _number("special-function units of a core", "units", at_least=1, at_most=16) = 1
    special_width: _number("lanes that a special-function unit takes a cycle; 0: a whole warp", "lanes", at_most=MAX_LANES) = 0


class Latency(Section):
    """Cycles from issue to the first cycle in which a dependent instruction may issue, by latency class."""

    alu: _number("integer and logic", "cycles", at_least=1, at_most=4096) = 1
    multiply: _number("integer multiply", "cycles", at_least=1, at_most=4096) = 1
    divide: _number("integer divide", "cycles", at_least=1, at_most=4096) = 1
    float: _number("float add, compare, minimum", "cycles", at_least=1, at_most=4096) = 1
    float_multiply: _number("float multiply", "cycles", at_least=1, at_most=4096) = 1
    fma: _number("multiply-add", "cycles", at_least=1, at_most=4096) = 1
    float_divide: _number("float divide", "cycles", at_least=1, at_most=4096) = 1
    special: _number("square root, reciprocal, sine, logarithm", "cycles", at_least=1, at_most=4096) = 1
    convert: _number("between integer and float", "cycles", at_least=1, at_most=4096) = 1


class Fetch(Section):
    buffer: _number("instructions that a warp's buffer holds; 0: instructions are always there", "instructions", at_most=16) = 0
    per_cycle: _number("warps for which a core fetches in one cycle", "fetches", at_least=1, at_most=8) = 1
    line: _number("instructions in a line of the instruction cache", "instructions", at_least=1, at_most=64) = 4
    sets: _number("sets of the instruction cache; 0: no cache, every fetch goes to program memory", "sets", at_most=4096) = 0
    ways: _number("ways of the instruction cache", "ways", at_least=1, at_most=64) = 1
    latency: _number("cycles of a hit", "cycles", at_least=1, at_most=1024) = 1
    miss_latency: _number("cycles of a miss where program memory has no channels of its own", "cycles", at_least=1, at_most=4096) = 20
    shared: _number(
        "pipeline: lines of an instruction cache that all cores share, behind their own; 0: none", "lines", at_most=MAX_SHARED_FETCH_LINES
    ) = 0
    ahead: _number("lines that the shared instruction cache brings ahead of one that is wanted", "lines", at_most=16) = 0


class Lsu(Section):
    queue: _number("memory instructions that the load/store unit holds", "instructions", at_least=1, at_most=64) = 16
    ports: _number("transactions that it sends to the cache in a cycle", "transactions", at_least=1, at_most=64) = 1
    coalesce: _switch("lanes that touch the same line share one transaction") = True
    sector: _number("bytes that a transaction moves at least; divides the line", "bytes", at_least=1, at_most=128) = 32


class Cache(Section):
    """The settings that all data caches share."""

    bytes: _number("capacity; 0: absent", "bytes", at_most=1 << 23) = 0
    line: _number("bytes of a line, a power of two", "bytes", at_least=1, at_most=256) = 128
    ways: _number("lines that a set holds", "ways", at_least=1, at_most=64) = 4
    replacement: _choice("which line of a full set goes", "lru", "fifo", "plru", "random") = "lru"
    write: _choice("through: a store goes on to the next level; back: it stays until the line goes", "through", "back") = "through"
    allocate: _switch("a store that misses fetches the line") = False
    mshrs: _number("misses that may be outstanding; a miss to an outstanding line waits with it", "lines", at_least=1, at_most=256) = 16
    banks: _number("banks, chosen by the line number; one lookup a bank and cycle", "banks", at_least=1, at_most=64) = 1
    latency: _number("cycles of a lookup", "cycles", at_least=1, at_most=4096) = 20


class Shared(Section):
    bytes: _number("shared memory of a core", "bytes", at_most=1 << 18) = 0
    unit: _number("it is handed to a block in multiples of this", "bytes", at_least=1, at_most=4096) = 256
    banks: _number("banks", "banks", at_least=1, at_most=64) = 32
    bank_bytes: _number("bytes of a bank's word", "bytes", at_least=1, at_most=8) = 4
    latency: _number("cycles of an access without conflicts", "cycles", at_least=1, at_most=1024) = 1


class Memory(Section):
    kind: _choice("channels: tiny-gpu's controllers; dram: channels with rows and bandwidth", "channels", "dram") = "channels"
    bytes: _number("size of data memory", "bytes", at_least=1, at_most=1 << 31) = 256
    data_channels: _number("requests that data memory serves at a time", "channels", at_least=1, at_most=64) = 4
    program_channels: _number("requests that program memory serves at a time", "channels", at_least=1, at_most=64) = 1
    channel_bytes: _number("bytes that one request of a data channel moves", "bytes", at_least=1, at_most=256) = 1
    program_words: _number("instructions that program memory holds", "instructions", at_least=1, at_most=1 << 20) = 256


class Dram(Section):
    channels: _number("channels, chosen by the line number", "channels", at_least=1, at_most=64) = 4
    latency: _number("cycles of an access to an open row", "cycles", at_least=1, at_most=65536) = 100
    bandwidth: _number("bytes a cycle and channel; 0: no limit", "bytes a cycle", at_most=65536) = 32
    row: _number("bytes of a row; 0: no row buffers", "bytes", at_most=1 << 20) = 0
    row_miss: _number("further cycles when the row is not open", "cycles", at_most=65536) = 0


class Texture(Section):
    count: _number("texture units of a core; 0: none", "units", at_most=8) = 0
    latency: _number("cycles from the request to the lookup of its texels", "cycles", at_least=1, at_most=4096) = 16
    queue: _number("warp samples that it holds; 0: one for each warp slot of the core", "instructions", at_most=64) = 16
    bytes: _number("capacity of the texture cache, with lines of l1.line bytes; 0: absent", "bytes", at_most=1 << 23) = 0
    ways: _number("ways", "ways", at_least=1, at_most=64) = 2
    mshrs: _number("lines of the texture cache that may be outstanding", "lines", at_least=1, at_most=256) = 64
    ports: _number("transactions that a texture unit sends to its cache in a cycle", "transactions", at_least=1, at_most=64) = 4


class Quirks(Section):
    """Behaviour of tiny-gpu's published hardware that its documentation does not promise."""

    partial_block: _switch("the last lane's next PC decides, so a block that is not full never ends") = False
    last_lane_decides: _switch("a branch on which threads disagree follows the last lane, silently") = False
    compare_flags: _switch("compare gives 4 where unequal, 2 where equal, never 1") = False
    divide_zero: _switch("division by zero gives 0 (one simulator's choice; the hardware defines nothing)") = False
    free_opcodes: _switch("instruction words that tiny-gpu gives no meaning do nothing, and extensions are refused") = False
    wrap_pc: _switch("the program counter wraps and runs NOPs past the program; otherwise that is a fault") = False


class Config(Section):
    """A whole machine. Settings are named `section.setting`, as in `--set gpu.cores=4`."""

    name: str = "custom"
    gpu: Gpu = Gpu()
    core: Core = Core()
    divergence: Divergence = Divergence()
    alu: Alu = Alu()
    latency: Latency = Latency()
    fetch: Fetch = Fetch()
    lsu: Lsu = Lsu()
    l1: Cache = Cache()
    l2: Cache = Cache()
    shared: Shared = Shared()
    memory: Memory = Memory()
    dram: Dram = Dram()
    texture: Texture = Texture()
    quirks: Quirks = Quirks()

    def __getitem__(self, setting: str) -> Any:
        """The value of `section.setting`."""
        section, _, name = setting.partition(".")
        check_name(setting)
        return getattr(getattr(self, section), name)

    def flat(self) -> dict[str, Any]:
        """Every setting by its full name."""
        return {setting.name: self[setting.name] for setting in settings()}


@lru_cache(maxsize=1)
def settings() -> tuple[Setting, ...]:
    """Every setting there is, in order."""
    return tuple(_settings())


def _settings() -> Iterator[Setting]:
    defaults = Config()
    for section, kind in get_type_hints(Config).items():
        if not (isinstance(kind, type) and issubclass(kind, Section)):
            continue
        for name, hint in get_type_hints(kind, include_extras=True).items():
            base, meta = (get_args(hint)[0], get_args(hint)[1]) if get_origin(hint) is Annotated else (hint, Meta())
            extra = meta.extra or {}
            choices = extra.get("choices") or choices_of(f"{section}.{name}")
            if choices:
                limits = " | ".join(choices)
            elif base is bool:
                limits = "true | false"
            else:
                limits = f"{meta.ge} .. {meta.le}"
            default = getattr(getattr(defaults, section), name)
            yield Setting(f"{section}.{name}", base.__name__, default, meta.description or "", extra.get("unit", ""), limits)


def choices_of(setting: str) -> tuple[str, ...]:
    """Names that a setting may have where another file defines them (schedulers, divergence mechanisms)."""
    if setting == "core.divergence":
        return tuple(MECHANISMS)
    if setting == "core.scheduler":
        return tuple(POLICIES)
    return ()


# What cores that run one instruction at a time have; and of it what cores with warps do without. A name with a dot at its end: all of it.
_OF_STEPS = (
    *("gpu.cores", "core.control", "core.threads_per_block", "core.skip_wait", "core.prefetch", "quirks."),
    *("fetch.sets", "fetch.ways", "fetch.line", "fetch.latency"),
    *("memory.kind", "memory.bytes", "memory.data_channels", "memory.program_channels", "memory.program_words"),
)
_STEPS_ALONE = ("core.skip_wait", "core.prefetch", "quirks.")


def ignored(config: Config) -> frozenset[str]:
    """The settings, by full name, that the kind of machine of a configuration has no use for, whatever their values."""
    if config.core.control == "sequencer":
        return frozenset(name for name in _names() if not name.startswith(_OF_STEPS))
    return frozenset(name for name in _names() if name.startswith(_STEPS_ALONE))


def _names() -> list[str]:
    return [setting.name for setting in settings()]


def check_name(name: str) -> None:
    """Raises ConfigError, with the nearest name, when there is no such setting."""
    if name not in _names():
        near = nearest(name, _names())
        raise ConfigError(f"there is no setting {name!r}{near}; `warploom presets --settings` lists them all")
