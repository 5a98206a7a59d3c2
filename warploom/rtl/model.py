"""What the hardware is compared with: the one place that says where the model has it."""

from warploom.isa.program import Program
from warploom.isa.tiny.lowering import words
from warploom.machine.config import Config
from warploom.machine.decoder import ALU_OUT
from warploom.machine.driver import DEFAULT_MAX_CYCLES, entry_call
from warploom.machine.gpu import GPU
from warploom.machine.native import cache_directory
from warploom.machine.sequencer import SequencerCore, SequencerGpu
from warploom.machine.sequencer_machine import SequencerMachine
from warploom.machine.sequencer_trace import VISIBLE_REGISTERS

__all__ = [
    "ALU_OUT",
    "DEFAULT_MAX_CYCLES",
    "GPU",
    "VISIBLE_REGISTERS",
    "Config",
    "Program",
    "SequencerCore",
    "SequencerGpu",
    "SequencerMachine",
    "cache_directory",
    "entry_call",
    "words",
]
