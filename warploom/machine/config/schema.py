"""What a machine is made of: every setting, and the presets that set them.

The settings of a unit stand beside it, in its room's `settings.py`, each with its meaning, unit, range and default; those of the device as
a whole stand here. A `Config` is frozen. A preset is a TOML file beside this one (`presets/*.toml`), or a user's own; it names
the preset that it starts from (`base = "tiny"`) and the settings that differ. The comment after a setting
in a preset says where the number comes from; `sources` reads it.
"""

# mypy: disable-error-code="valid-type, misc"

from collections.abc import Iterator
from functools import lru_cache
from typing import Annotated, Any, NamedTuple, get_args, get_origin, get_type_hints

from msgspec import Meta

from warploom.isa.diagnostics import nearest
from warploom.machine.config.features import FEATURES, Features
from warploom.machine.core.divergence import MECHANISMS
from warploom.machine.core.fetch.settings import Fetch
from warploom.machine.core.load_store.settings import Constant, Lsu, Shared
from warploom.machine.core.scheduling.policies import POLICIES
from warploom.machine.core.settings import Alu, Core, Divergence, Latency, Operands, Pipes
from warploom.machine.core.texture.settings import Texture
from warploom.machine.engine.fields import Section, choice, number, switch
from warploom.machine.engine.sizes import MAX_CORES, ConfigError
from warploom.machine.memory.settings import L1, L2, Crossbar, Dram, Memory
from warploom.machine.merger.settings import Merger
from warploom.machine.raster.settings import Raster
from warploom.machine.rays.settings import Rays


class Setting(NamedTuple):
    """One setting as `warploom presets` lists it."""

    name: str
    kind: str
    default: Any
    meaning: str
    unit: str
    range: str


class Gpu(Section):
    """The whole device: its cores, and how it hands out blocks."""

    clock: number("core clock, to which dram.clock is related; 0: one memory clock per cycle", "MHz", at_most=100_000) = 0
    cores: number("cores (NVIDIA: multiprocessors)", "cores", at_least=1, at_most=MAX_CORES) = 2
    grid_y: number("blocks that a grid may have in y; 0: no limit", "blocks", at_most=(1 << 31) - 1) = 0
    grid_z: number("blocks that a grid may have in z; 0: no limit", "blocks", at_most=(1 << 31) - 1) = 0
    launch_latency: number("cycles from the start of a launch until the first block is handed out", "cycles", at_most=100_000) = 0
    dispatch_latency: number(
        "cycles from the end of a block until the next one that takes its slot begins; those that find a slot at the launch begin at once",
        "cycles", at_most=100_000,
    ) = 0  # fmt: skip
    dispatch: choice(
        "spread: one block per core in turn; fill: one core as full as it gets before the next; split: the warps of a block go to any free slots",
        "spread", "fill", "split",
    ) = "spread"  # fmt: skip


class Quirks(Section):
    """Behaviour of tiny-gpu's published hardware that its documentation does not promise."""

    partial_block: switch("the last lane's next PC decides, so a block that is not full never ends") = False
    last_lane_decides: switch("a branch on which threads disagree follows the last lane, without a message") = False
    compare_flags: switch("compare gives 4 where unequal, 2 where equal, never 1") = False
    divide_zero: switch("division by zero gives 0 (one simulator's choice; the hardware defines nothing)") = False
    free_opcodes: switch("instruction words that tiny-gpu gives no meaning do nothing, and extensions are refused") = False
    wrap_pc: switch("the program counter wraps and runs NOPs past the program; otherwise that is a fault") = False


class Vortex(Section):
    """What only machines of Vortex's have."""

    isa: Annotated[
        int,
        Meta(
            description="the generation of Vortex whose instructions a program has that does not say it itself; 0: no machine of Vortex's",
            extra={"unit": "", "choices": ("0", "2021", "2022", "2024", "2026")},
        ),
    ] = 0


class Config(Section):
    """A whole machine. Settings are named `section.setting`, as in `--set gpu.cores=4`."""

    name: str = "custom"
    gpu: Gpu = Gpu()
    core: Core = Core()
    divergence: Divergence = Divergence()
    alu: Alu = Alu()
    pipes: Pipes = Pipes()
    operands: Operands = Operands()
    latency: Latency = Latency()
    fetch: Fetch = Fetch()
    lsu: Lsu = Lsu()
    l1: L1 = L1()
    l2: L2 = L2()
    crossbar: Crossbar = Crossbar()
    shared: Shared = Shared()
    constant: Constant = Constant()
    memory: Memory = Memory()
    dram: Dram = Dram()
    texture: Texture = Texture()
    raster: Raster = Raster()
    merger: Merger = Merger()
    rays: Rays = Rays()
    quirks: Quirks = Quirks()
    vortex: Vortex = Vortex()

    @property
    def has(self) -> Features:
        """What the machine has, for views and commands."""
        return FEATURES[self.core.control]

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
            elif base is str:
                limits = extra["shape"]
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


@lru_cache(maxsize=1)
def _names() -> dict[str, None]:
    return dict.fromkeys(setting.name for setting in settings())


FOR_LOADING = ("vortex.isa",)  # say how a program is read, before a machine runs it: a program that is loaded does not change with them

SLOT_NAMES = ("scheduler", "divergence", "coalescer", "replacement", "prefetcher", "set_hash", "channel_hash")  # of units, not of settings


def check_name(name: str) -> None:
    """Raises ConfigError, with the nearest name, when there is no such setting."""
    if name not in _names():
        slot = name.removeprefix("unit.")
        if slot != name and slot in SLOT_NAMES:
            raise ConfigError(f"there is no setting {name!r}; a unit of your own is `--unit {slot}=...`, in Python units={{{slot!r}: ...}}")
        near = nearest(name, [*_names(), *(f"unit.{each}" for each in SLOT_NAMES)])
        raise ConfigError(f"there is no setting {name!r}{near}; `warploom presets --settings` lists them all")
