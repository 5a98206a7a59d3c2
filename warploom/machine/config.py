# mypy: disable-error-code="valid-type, misc"
"""What a machine is made of: every setting, with its meaning, unit and range, and the presets that set them.

A `Config` is frozen. A preset is a TOML file beside this one (`presets/*.toml`), or a user's own; it names
the preset that it starts from (`base = "tiny"`) and the settings that differ. The comment behind a setting
in a preset says where the number comes from; `sources` reads it.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any, NamedTuple, get_args, get_origin, get_type_hints

import msgspec
from msgspec import Meta

from warploom.isa.diagnostics import nearest

PRESETS = Path(__file__).parent / "presets"

# Largest sizes that the state records have room for.
MAX_CORES = 64
MAX_LANES = 64
MAX_WARPS = 64
MAX_FETCH_LINES = 4096
MAX_SHARED_FETCH_LINES = 1024


class ConfigError(ValueError):
    """A setting that does not exist or cannot be. The message names it, its range, and the nearest name."""


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
        _check_name(setting)
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
        from warploom.machine.divergence import MECHANISMS

        return tuple(MECHANISMS)
    if setting == "core.scheduler":
        from warploom.machine.scheduler import POLICIES

        return tuple(POLICIES)
    return ()


def _names() -> list[str]:
    return [setting.name for setting in settings()]


def _check_name(name: str) -> None:
    if name not in _names():
        near = nearest(name, _names())
        raise ConfigError(f"there is no setting {name!r}{near}; `warploom presets --settings` lists them all")


def preset_names() -> tuple[str, ...]:
    """The presets that come with the package."""
    return tuple(sorted(path.stem for path in PRESETS.glob("*.toml")))


def load_config(name: str | Path | Config = "tiny", changes: Mapping[str, Any] | None = None) -> Config:
    """A preset's name, a TOML file's path or another Config, with `changes` by full setting name. Raises ConfigError."""
    flat, title = (name.flat(), name.name) if isinstance(name, Config) else _read(name, ())
    for setting, value in (changes or {}).items():
        _check_name(setting)
        flat[setting] = value
    config = _build(flat, title)
    _check_together(config)
    return config


def _read(name: str | Path, seen: tuple[str, ...]) -> tuple[dict[str, Any], str]:
    path = _preset_path(name)
    if str(path) in seen:
        raise ConfigError(f"{path}: its `base` leads back to itself")
    tree = _tree(path)
    flat: dict[str, Any] = {}
    base = tree.pop("base", None)
    tree.pop("about", None)
    if base is not None:
        if not isinstance(base, str):
            raise ConfigError(f"{path}: base must be the name of a preset")
        flat, _ = _read(_base_path(path, base), (*seen, str(path)))
    for section, values in tree.items():
        if not isinstance(values, dict):
            raise ConfigError(f"{path}: {section!r} stands outside a section; write [section] above its settings")
        for setting, value in values.items():
            full = f"{section}.{setting}"
            try:
                _check_name(full)
            except ConfigError as error:
                raise ConfigError(f"{path}: {error}") from None
            flat[full] = value
    return flat, path.stem


def _tree(path: Path) -> dict[str, Any]:
    """A preset's file, read."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        said = "not TOML" if isinstance(error, tomllib.TOMLDecodeError) else "cannot be read"
        raise ConfigError(f"{path}: {said}: {reason}") from None


def _base_path(path: Path, base: str) -> str | Path:
    """What a preset starts from: a file beside it, or another preset's name."""
    near = path.parent / base
    return near if base.endswith(".toml") and near.exists() else base


def _preset_path(name: str | Path) -> Path:
    text = str(name)
    if text.endswith(".toml") or "/" in text:
        return Path(text)
    if text not in preset_names():
        raise ConfigError(f"there is no preset {text!r}{nearest(text, preset_names())}; there are {', '.join(preset_names())}")
    return PRESETS / f"{text}.toml"


def _build(flat: Mapping[str, Any], title: str) -> Config:
    by_name = {setting.name: setting for setting in settings()}
    tree: dict[str, Any] = {"name": title}
    for full, value in flat.items():
        section, name = full.split(".")
        setting = by_name[full]
        choices = setting.range.split(" | ") if setting.kind == "str" else []
        if choices and value not in choices and not callable(value):
            raise ConfigError(f"{full} = {value!r}: it is one of {', '.join(choices)}{nearest(str(value), choices)}")
        tree.setdefault(section, {})[name] = value
    try:
        return msgspec.convert(tree, Config)
    except msgspec.ValidationError as error:
        _, _, place = str(error).partition(" - at `$.")
        full = place.rstrip("`")
        setting = by_name.get(full, Setting(full, "", None, "", "", ""))
        raise ConfigError(f"{full} = {flat.get(full)!r}: it takes {_article(setting)} ({setting.meaning})") from None


def _article(setting: Setting) -> str:
    return f"a whole number from {setting.range.replace(' .. ', ' to ')}" if setting.kind == "int" else setting.range.replace(" | ", " or ")


def _check_together(config: Config) -> None:
    """Settings that are each possible but not together."""
    from warploom.machine.cache import check as check_cache

    def refuse(message: str) -> None:
        raise ConfigError(message)

    for level in ("l1", "l2"):
        cache = getattr(config, level)
        if cache.line & (cache.line - 1):
            refuse(f"{level}.line = {cache.line}: a line is a power of two bytes")
        if cache.bytes and cache.bytes % (cache.line * cache.ways):
            refuse(f"{level}.bytes = {cache.bytes}: not a multiple of line x ways = {cache.line * cache.ways}")
        if cache.bytes:
            check_cache(level, cache.bytes // (cache.line * cache.ways), cache.ways, cache.replacement)
        if (cache.bytes or level == "l1") and cache.line // config.lsu.sector > 64:
            refuse(f"{level}.line = {cache.line}: more than 64 sectors of lsu.sector = {config.lsu.sector} bytes")
    if config.lsu.sector & (config.lsu.sector - 1) or config.lsu.sector > config.l1.line:
        refuse(f"lsu.sector = {config.lsu.sector}: a sector is a power of two bytes, at most l1.line = {config.l1.line}")
    if config.shared.bank_bytes & (config.shared.bank_bytes - 1):
        refuse(f"shared.bank_bytes = {config.shared.bank_bytes}: a bank's word is a power of two bytes")
    if config.l2.bytes and config.l2.line % config.l1.line:
        refuse(f"l2.line = {config.l2.line}: not a multiple of l1.line = {config.l1.line}, the most that a core asks for at once")
    if config.memory.kind == "dram":
        line = max(config.l1.line, config.l2.line if config.l2.bytes else 1)
        if config.dram.row % line:
            refuse(f"dram.row = {config.dram.row}: a row holds whole lines, so it is a multiple of {line}")
    if config.texture.bytes:
        line_of_ways = config.l1.line * config.texture.ways
        if config.texture.bytes % line_of_ways:
            refuse(f"texture.bytes = {config.texture.bytes}: not a multiple of l1.line x texture.ways = {line_of_ways}")
        check_cache("texture", config.texture.bytes // line_of_ways, config.texture.ways, "fifo")
    if config.fetch.sets * config.fetch.ways > MAX_FETCH_LINES:
        refuse(
            f"fetch.sets = {config.fetch.sets}: with fetch.ways = {config.fetch.ways} the instruction cache has "
            f"{config.fetch.sets * config.fetch.ways} lines; there is room for {MAX_FETCH_LINES}"
        )
    if config.core.schedulers > config.core.warps:
        refuse(f"core.schedulers = {config.core.schedulers}: more than core.warps = {config.core.warps}")


def parse_setting(text: str) -> tuple[str, Any]:
    """`gpu.cores=4` as (name, value); the value is written as in TOML, quotes may be left out. Raises ConfigError."""
    name, equals, value = text.partition("=")
    name, value = name.strip(), value.strip()
    if not equals or not name or not value:
        raise ConfigError(f"{text!r}: a setting is written section.name=value, as in gpu.cores=4")
    try:
        return name, tomllib.loads(f"value = {value}")["value"]
    except tomllib.TOMLDecodeError:
        return name, value


def about(name: str | Path) -> str:
    """What a preset says of itself, in one line; "" when it says nothing. Raises ConfigError."""
    return str(_tree(_preset_path(name)).get("about", ""))


def sources(name: str | Path) -> dict[str, str]:
    """Where each number of a preset comes from: the comment behind it, by full setting name. Raises ConfigError."""
    return {setting: comment for setting, comment in _comments(_preset_path(name)) if comment}


def inherited_sources(name: str | Path) -> dict[str, str]:
    """As `sources`, with those of the presets that it starts from, where it does not change the number. Raises ConfigError."""
    path, found = _preset_path(name), {}
    base = _tree(path).get("base")
    if isinstance(base, str):
        found = inherited_sources(_base_path(path, base))
    return {setting: comment for setting, comment in (found | dict(_comments(path))).items() if comment}


def _comments(path: Path) -> Iterator[tuple[str, str]]:
    """(full setting name, the comment behind it or "") of every setting in a preset's file."""
    section = ""
    for line in path.read_text(encoding="utf-8").splitlines():
        text, _, comment = line.partition("#")
        text = text.strip()
        if text.startswith("["):
            section = text.strip("[]")
        elif "=" in text and section:
            yield f"{section}.{text.partition('=')[0].strip()}", comment.strip()
