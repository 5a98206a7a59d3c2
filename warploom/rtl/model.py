"""What the hardware is compared with: the one place that says where the model has it."""

from warploom.gpu import GPU
from warploom.isa.diagnostics import nearest
from warploom.isa.program import Program
from warploom.isa.tiny.lowering import words
from warploom.isa.tiny.table import Fields, row_of
from warploom.isa.uop import NUMBER, OP, USE, USES, WRITES
from warploom.machine.config.schema import Config
from warploom.machine.core.cycle import step
from warploom.machine.core.divergence import minpc, path_table, split_join, stack
from warploom.machine.core.load_store.coalescer import coalesce, coalesce_run
from warploom.machine.core.load_store.shared_memory import conflicts
from warploom.machine.core.scheduling.scheduler import add_warp
from warploom.machine.core.warps import barrier, scoreboard
from warploom.machine.engine.native.cache import cache_directory
from warploom.machine.engine.unit import FOREVER
from warploom.machine.memory import cache, mshr, tag_match
from warploom.machine.merger import registers as merger
from warploom.machine.run.compile import entry_call
from warploom.machine.run.driver import DEFAULT_MAX_CYCLES, cycle_limit, drive
from warploom.machine.run.probe import Probe
from warploom.machine.sequencer.flat_trace import FlatTrace
from warploom.machine.sequencer.machine import SequencerMachine

__all__ = [
    "DEFAULT_MAX_CYCLES",
    "FOREVER",
    "GPU",
    "NUMBER",
    "OP",
    "USE",
    "USES",
    "WRITES",
    "Config",
    "Fields",
    "FlatTrace",
    "Probe",
    "Program",
    "SequencerMachine",
    "add_warp",
    "barrier",
    "cache",
    "cache_directory",
    "coalesce",
    "coalesce_run",
    "conflicts",
    "cycle_limit",
    "drive",
    "entry_call",
    "merger",
    "minpc",
    "mshr",
    "nearest",
    "path_table",
    "row_of",
    "scoreboard",
    "split_join",
    "stack",
    "step",
    "tag_match",
    "words",
]
