"""What a unit costs in gates: transistors, flip-flops, lookup tables and depth, by one fixed script of Yosys.

Only units are priced that lockstep compares with the model, or a test with the model's function. The figures are of this description,
by this script: they compare mechanisms with each other, and say nothing of the area or the clock of a product.

Gates are NAND, NOR and NOT, of 4, 4 and 2 transistors; a flip-flop has 16: so Yosys counts. Resets and enables are gates there, and free
beside the lookup tables of an FPGA, whose flip-flops have both. Depth is the longest way through gates, or through lookup tables,
between two registers or ports.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

from warploom.rtl.hardware import Hardware, NoHardware
from warploom.rtl.mechanisms import LANES, MECHANISMS, WARPS, WAYS, choices_of, part_of_machine
from warploom.rtl.merger.blend import BlendStage
from warploom.rtl.model import GPU, Config, cache_directory, nearest
from warploom.rtl.raster.edges import QuadEvaluator
from warploom.rtl.sequencer.alu import Alu
from warploom.rtl.sequencer.controller import Controller
from warploom.rtl.sequencer.core import Core
from warploom.rtl.sequencer.decoder import Decoder
from warploom.rtl.sequencer.dispatcher import Dispatcher
from warploom.rtl.sequencer.fetcher import Fetcher
from warploom.rtl.sequencer.gpu import Gpu
from warploom.rtl.sequencer.lsu import Lsu, PassThrough
from warploom.rtl.sequencer.pc import Advance, Pc
from warploom.rtl.sequencer.registers import Registers
from warploom.rtl.sequencer.sequencer import Sequencer
from warploom.rtl.yosys import all_of, rtlil_text

TOP = "unit"
GATES = (
    f"synth -flatten -top {TOP}",
    "dfflegalize -cell $_DFF_P_ 01",
    "abc -g cmos2",
    "opt_clean",
    "delete t:$scopeinfo",
    "stat -tech cmos -json",
    "ltp -noff",
)
LUTS = (f"synth -flatten -lut 4 -top {TOP}", "delete t:$scopeinfo", "stat -json", "ltp -noff")
FIGURES = 6  # of a circuit: four of gates, two of lookup tables
SIZES: dict[str, tuple[int, ...]] = {WARPS: (8, 32), LANES: (8, 32), WAYS: (4, 16)}  # of mechanisms, where nothing else is said


class Unit(NamedTuple):
    """A unit that can be priced. make: it, for some hardware. count: how many the GPU has.

    by: "", or what a mechanism's size is a number of: then `make` takes the size. slow: it is priced only when it is named.
    """

    name: str
    make: Callable[[Any], Any]
    count: Callable[[Hardware], int]
    by: str = ""
    slow: bool = False


def _one(_: Hardware) -> int:
    return 1


def _cores(h: Hardware) -> int:
    return h.cores


def _threads(h: Hardware) -> int:
    return h.cores * h.threads_per_block


def _advance(h: Hardware) -> Advance:
    return Advance(h.threads_per_block, partial_block=h.partial_block, last_lane_decides=h.last_lane_decides, wrap=h.wrap_pc)


UNITS = (
    Unit("alu", lambda h: Alu(compare_flags=h.compare_flags, divide_zero=h.divide_zero), _threads),
    Unit("registers", lambda h: Registers(0, h.threads_per_block), _threads),
    Unit("lsu", lambda h: Lsu(memory_bytes=h.memory_bytes), _threads),
    Unit("pc", lambda h: Pc(wrap=h.wrap_pc), _threads),
    Unit("advance", _advance, _cores),
    Unit("decoder", lambda h: Decoder(), _cores),
    Unit("fetcher", lambda h: Fetcher(prefetch=h.prefetch), _cores),
    Unit("sequencer", lambda h: Sequencer(skip_wait=h.skip_wait), _cores),
    Unit("core", Core, _cores),
    Unit("data_controller", lambda h: Controller(_threads(h), h.data_channels, 8, writes=True), _one),
    Unit("program_controller", lambda h: Controller(h.cores, h.program_channels, 16, writes=False), _one),
    Unit("pass_through", lambda h: PassThrough(_threads(h)), _one),
    Unit("dispatcher", lambda h: Dispatcher(h.cores, h.threads_per_block), _one),
    Unit("gpu", Gpu, _one, slow=True),
    Unit("blend", lambda h: BlendStage(), lambda h: 0, slow=True),
    Unit("quad", lambda h: QuadEvaluator(), lambda h: 0, slow=True),
    *(Unit(row.name, row.make, lambda h: 0, row.by, row.slow) for row in MECHANISMS),
)
UNIT = {unit.name: unit for unit in UNITS}


@dataclass(frozen=True)
class Cost:
    """The price of one unit. name: `alu`, or `round_robin(32)` for 32 warps. count: how many of it the GPU has; 0: it has none."""

    name: str
    count: int
    transistors: int
    gates: int
    flip_flops: int
    depth: int
    luts: int
    lut_depth: int


def names_and_sizes(names: tuple[str, ...], sizes: Mapping[str, tuple[int, ...]] = SIZES, *, warps: bool = False) -> list[tuple[Unit, int]]:
    """The units that are asked for. A mechanism comes once for each of its sizes, the others with 0.

    names: none for all of a machine but the slow ones: tiny-gpu's units or, with `warps`, the mechanisms of cores with warps.
    """
    unknown = next((name for name in names if name not in UNIT), None)
    if unknown is not None:
        raise NoHardware(f"there is no unit {unknown!r} in hardware{nearest(unknown, UNIT)}; there are {', '.join(UNIT)}")
    chosen = [UNIT[name] for name in names] or [unit for unit in UNITS if bool(unit.by) == warps and not unit.slow]
    return [(unit, size) for unit in chosen for size in (sizes[unit.by] if unit.by else (0,))]


def cost(name: str, gpu: GPU | None = None, *, warps: int = 0, lanes: int = 0, ways: int = 0) -> Cost:
    """The price of a unit in a GPU (the preset `tiny-original`, where none is given), or of a mechanism for some warps, lanes or ways.

    It is kept in the cache. Raises NoHardware for an unknown unit and for what has no hardware, MissingPackage where there is no pyosys.
    """
    given = {WARPS: warps, LANES: lanes, WAYS: ways}
    return costs(names_and_sizes((name,), {by: (count or SIZES[by][0],) for by, count in given.items()}), gpu)[0]


def costs(
    asked: Sequence[tuple[Unit, int]], gpu: GPU | None = None, progress: Callable[[int], None] | None = None,
) -> list[Cost]:  # fmt: skip
    """The prices of units in sizes, as `names_and_sizes` gives them. progress: is told how many are known."""
    hardware = Hardware() if gpu is None or all(unit.by for unit, _ in asked) else Hardware.of(gpu.config)
    circuits = [_text(unit.make(size if unit.by else hardware)) for unit, size in asked]
    names = [f"{unit.name}({size})" if unit.by else unit.name for unit, size in asked]
    counts = [0 if unit.by else unit.count(hardware) for unit, _ in asked]
    found = synthesize(circuits, progress)
    return [Cost(name=name, count=count, **figures) for name, count, figures in zip(names, counts, found, strict=True)]


def cost_of(component: Any, name: str = "") -> Cost:
    """The price of any component."""
    return Cost(name=name, count=1, **_priced(_text(component)))


def cost_of_choices(config: Config, settings: tuple[str, ...] | list[str]) -> list[Cost]:
    """What the mechanisms cost that these settings choose in a machine: one of each, and how many there are.

    Raises NoHardware for a mechanism without a price, and when no setting changes one that has.
    """
    parts = [choice.part(config) for choice in choices_of(settings)]
    return [Cost(name=part.key, count=part.many, **_priced(_text(part.make()))) for part in parts if part is not None]


def cost_of_machine(config: Config, kind: str) -> int:
    """The transistors of all that a machine has of one kind of hardware, of `mechanisms.KINDS`; 0 where it has none."""
    part = part_of_machine(config, kind)
    return 0 if part is None else part.many * _priced(_text(part.make()))["transistors"]


def script() -> tuple[str, str]:
    """The passes that give transistors, gates, flip-flops and depth, and those that give lookup tables and theirs."""
    return "; ".join(GATES), "; ".join(LUTS)


def tool() -> str:
    """What ran the script."""
    return f"Yosys {version('pyosys')}"


def body(found: Cost) -> dict[str, Any]:
    """As an object for JSON."""
    return asdict(found)


def synthesize(circuits: Iterable[str], progress: Callable[[int], None] | None = None) -> list[dict[str, int]]:
    """What circuits cost, from the cache, or by as many processes at a time as there are processors.

    circuits: as RTLIL. progress: is told how many are known. What was synthesized before an interrupt is kept.
    """
    given = list(circuits)
    known = {circuit: found for circuit in given if (found := _kept(circuit)) is not None}
    missing = [circuit for circuit in dict.fromkeys(given) if circuit not in known]
    halves: dict[str, dict[str, int]] = {circuit: {} for circuit in missing}
    runs = [(circuit, script) for circuit in missing for script in (GATES, LUTS)]

    def told() -> None:
        if progress is not None:
            progress(sum(circuit in known for circuit in given))

    def done(number: int, reports: list[str]) -> None:
        circuit, script = runs[number]
        halves[circuit] |= (_gates if script is GATES else _luts)(reports)
        if len(halves[circuit]) == FIGURES:
            known[circuit] = halves[circuit]
            _keep(circuit, known[circuit])
            told()

    told()
    all_of(runs, done)
    return [known[circuit] for circuit in given]


def _text(component: Any) -> str:
    """A component as Yosys reads it. An array's element is a wire `name[0]`, which mapping calls bit 0 of `name` too: it gets a dot."""
    return re.sub(r"(\\[\w$.]+)\[(\d+)\]", r"\1.\2", rtlil_text(component, TOP))


def _priced(circuit: str) -> dict[str, int]:
    return synthesize([circuit])[0]


def _place(circuit: str) -> Path:
    key = hashlib.sha256("|".join([circuit, *GATES, *LUTS, version("pyosys")]).encode()).hexdigest()[:24]
    return Path(cache_directory() / "costs" / f"{key}.json")


def _kept(circuit: str) -> dict[str, int] | None:
    try:
        return {name: int(value) for name, value in json.loads(_place(circuit).read_text()).items()}
    except (OSError, ValueError):
        return None


def _keep(circuit: str, found: dict[str, int]) -> None:
    place = _place(circuit)
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(json.dumps(found))


def _gates(reports: list[str]) -> dict[str, int]:
    *_, statistics, path = reports
    cells = _cells(statistics)
    flip_flops = sum(count for kind, count in cells.items() if "DFF" in kind)
    return {
        "transistors": int(json.loads(statistics)["design"]["estimated_num_transistors"]),
        "gates": sum(cells.values()) - flip_flops,
        "flip_flops": flip_flops,
        "depth": _depth(path),
    }


def _luts(reports: list[str]) -> dict[str, int]:
    *_, statistics, path = reports
    return {"luts": _cells(statistics).get("$lut", 0), "lut_depth": _depth(path)}


def _cells(statistics: str) -> dict[str, int]:
    return dict(json.loads(statistics)["design"]["num_cells_by_type"])


def _depth(path: str) -> int:
    """Yosys counts the steps from the first signal on: a step a cell."""
    found = re.search(r"length=(\d+)", path)
    return int(found[1]) if found else 0
