"""Microbenchmarks: small programs that recover a machine's parameters from the times they take. `warploom probe` runs them.

A machine is a black box here. A microbenchmark knows what a device tells of itself (`bench.Properties`), runs programs, and reads
clocks; what the machine was configured to be is only compared with afterwards. One file a family.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from warploom.study.catalogue import find_in

if TYPE_CHECKING:
    from warploom.study.microbenchmarks.microbenchmark import Microbenchmark

# Name on the command line, and the file that has it: from the pipes of a core outwards.
NAMES: dict[str, str] = {
    "latency": "arithmetic_latency",
    "throughput": "throughput",
    "mixed": "mixed_issue",
    "banks": "operand_banks",
    "instruction-cache": "instruction_cache",
    "barrier": "barrier",
    "shared": "shared_memory",
    "constant": "constant_memory",
    "chase": "pointer_chase",
    "sectors": "sectors",
    "ways": "associativity",
    "l1": "l1_bandwidth",
    "width": "access_width",
    "l2": "l2_bandwidth",
    "dram": "dram_bandwidth",
    "atomics": "atomics",
    "fence": "fence",
    "limits": "limits",
    "launch": "launch",
}


def find(name: str) -> Microbenchmark:
    """A microbenchmark by its name. Raises StudyError with the nearest name and the list of all."""
    found: Microbenchmark = find_in(__name__, NAMES, name, what="probe", attribute="MICROBENCHMARK")
    return found
