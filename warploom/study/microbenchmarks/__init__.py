"""Microbenchmarks: small programs that recover a machine's parameters from the times they take. `warploom probe` runs them.

A machine is a black box here. A microbenchmark knows what a device tells of itself (`bench.Properties`), runs programs, and reads
clocks; what the machine was configured to be is only compared with afterwards. One
file a family: `core/` has those of issue, pipes and launches, `memory/` those of caches, shared memory and DRAM.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from warploom.study.catalogue import find_in

if TYPE_CHECKING:
    from warploom.study.microbenchmarks.microbenchmark import Microbenchmark

# Name on the command line, and the file that has it: from the pipes of a core outwards.
NAMES: dict[str, str] = {
    "latency": "core.arithmetic_latency",
    "throughput": "core.throughput",
    "mixed": "core.mixed_issue",
    "banks": "core.operand_banks",
    "instruction-cache": "core.instruction_cache",
    "barrier": "core.barrier",
    "shared": "memory.shared_memory",
    "constant": "memory.constant_memory",
    "chase": "memory.pointer_chase",
    "sectors": "memory.sectors",
    "ways": "memory.associativity",
    "l1": "memory.l1_bandwidth",
    "width": "memory.access_width",
    "l2": "memory.l2_bandwidth",
    "dram": "memory.dram_bandwidth",
    "atomics": "memory.atomics",
    "fence": "memory.fence",
    "limits": "core.limits",
    "launch": "core.launch",
}


def find(name: str) -> Microbenchmark:
    """A microbenchmark by its name. Raises StudyError with the nearest name and the list of all."""
    found: Microbenchmark = find_in(__name__, NAMES, name, what="probe", attribute="MICROBENCHMARK")
    return found
