"""What the hardware is compared with: the one place that says where the model has it."""

from warploom.gpu import GPU
from warploom.isa.diagnostics import nearest
from warploom.isa.program import Program
from warploom.isa.tiny.lowering import words
from warploom.isa.tiny.table import Fields, row_of
from warploom.machine.config.schema import Config
from warploom.machine.engine.native.cache import cache_directory
from warploom.machine.run.compile import entry_call
from warploom.machine.run.driver import DEFAULT_MAX_CYCLES, cycle_limit, drive
from warploom.machine.sequencer.flat_trace import FlatTrace
from warploom.machine.sequencer.machine import SequencerMachine

__all__ = [
    "DEFAULT_MAX_CYCLES",
    "GPU",
    "Config",
    "Fields",
    "FlatTrace",
    "Program",
    "SequencerMachine",
    "cache_directory",
    "cycle_limit",
    "drive",
    "entry_call",
    "nearest",
    "row_of",
    "words",
]
