"""Vortex's machine performance counters (MPM): which counter of the core each of the control registers 0xB03 to 0xB1F shows.

In hardware: counters beside the units and a multiplexer. Until 2022 all have numbers of their own; from 2023 on the host chooses a class
before the start, by device configuration register 5: 0 none, 1 of the core, 2 of the memory, 3 to 5 of the graphics units. What the
originals count inside units that are built differently here reads as 0: full instruction buffers, bank conflicts and pipeline stalls
of caches, the time of fetches and of DRAM. Whether whole numbers or floats write a register is not known: both are
under the ALU. The second level does not tell loads from stores: both are its reads.
Source: github.com/vortexgpgpu/vortex, hw/rtl/VX_define.vh of 2021-10 and 2022-01, VX_types.vh of 2024-08.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from warploom.isa.riscv.csr import Reads, value
from warploom.isa.uop import COUNTER_NUMBER, HIGH_HALF, PERFORMANCE_COUNTERS, Uop
from warploom.isa.vortex.generation import Generation

FIRST, LAST, HIGH = 0xB00, 0xB1F, 0x80  # the number of a counter's high half is so much larger
DCR_CLASS = 5
NO_CLASS, CORE_CLASS, MEMORY_CLASS, CLASSES = 0, 1, 2, 6
EVERY_GENERATION = {0: ("mcycle", "cycles"), 2: ("minstret", "thread_instructions")}
_STALLS = [("ibuf_st", ""), ("scrb_st", "scoreboard_stalls"), ("alu_st", "alu_stalls"), ("lsu_st", "load_store_stalls"), ("csr_st", ""),
           ("fpu_st", "special_stalls"), ("gpu_st", "texture_stalls")]  # fmt: skip
_THREADS = [("loads", "loads"), ("stores", "stores"), ("branches", "branches")]
_CACHES = [
    ("icache_reads", "fetches"), ("icache_misses", "fetch_misses"), ("icache_pipe_st", ""), ("icache_rsp_st", ""),
    ("dcache_reads", "cache_reads"), ("dcache_writes", "cache_writes"), ("dcache_miss_r", "cache_read_misses"),
    ("dcache_miss_w", "cache_write_misses"), ("dcache_bank_st", ""), ("dcache_mshr_st", "cache_stalls"), ("dcache_pipe_st", ""),
    ("dcache_rsp_st", ""), ("smem_reads", "scratchpad_reads"), ("smem_writes", "scratchpad_writes"), ("smem_bank_st", "scratchpad_stalls"),
    ("mem_reads", "memory_reads"), ("mem_writes", "memory_writes"), ("mem_st", ""), ("mem_lat", ""),
]  # fmt: skip
_CORE = {
    0xB03: ("sched_id", "idle"), 0xB04: ("sched_st", ""), 0xB05: ("ibuf_st", ""), 0xB06: ("scrb_st", "scoreboard_stalls"),
    0xB07: ("scrb_alu", "arithmetic_stalls"), 0xB08: ("scrb_fpu", ""), 0xB09: ("scrb_lsu", "load_stalls"), 0xB0A: ("scrb_sfu", ""),
    0xB0B: ("opds_st", "operand_stalls"), 0xB0C: ("ifetches", "fetches"), 0xB0D: ("loads", "loads"), 0xB0E: ("stores", "stores"),
    0xB0F: ("ifetch_lt", ""), 0xB10: ("load_lt", "load_latency"), 0xB11: ("scrb_wctl", ""), 0xB12: ("scrb_csrs", ""),
}  # fmt: skip
_MEMORY = [
    ("icache_reads", "fetches"), ("icache_miss_r", "fetch_misses"), ("icache_mshr_st", ""),
    ("dcache_reads", "cache_reads"), ("dcache_writes", "cache_writes"), ("dcache_miss_r", "cache_read_misses"),
    ("dcache_miss_w", "cache_write_misses"), ("dcache_bank_st", ""), ("dcache_mshr_st", "cache_stalls"),
    ("l2cache_reads", "next_reads"), ("l2cache_writes", ""), ("l2cache_miss_r", "next_read_misses"), ("l2cache_miss_w", ""),
    ("l2cache_bank_st", ""), ("l2cache_mshr_st", ""),
    *((f"l3cache_{what}", "") for what in ("reads", "writes", "miss_r", "miss_w", "bank_st", "mshr_st")),
    ("mem_reads", "memory_reads"), ("mem_writes", "memory_writes"), ("mem_lt", ""),
    ("lmem_reads", "scratchpad_reads"), ("lmem_writes", "scratchpad_writes"), ("lmem_bank_st", "scratchpad_stalls"),
]  # fmt: skip


def counter_class(dcr: Sequence[int] | np.ndarray) -> int:
    """The class that a host chooses among its device configuration registers: pairs of a number and a value."""
    given = np.asarray(dcr).ravel().astype(np.int64)
    pairs = given[: len(given) // 2 * 2].reshape(-1, 2)
    chosen = pairs[pairs[:, 0] == DCR_CLASS, 1]
    return int(chosen[-1]) if len(chosen) else NO_CLASS


def layout(generation: Generation, chosen: int = NO_CLASS) -> dict[int, tuple[str, str]]:
    """(the original's name, that of PERFORMANCE_COUNTERS or "" where there is none) of the numbers that have a meaning."""
    if generation.old:
        rows = [*_STALLS, *(_THREADS if generation.number > 2021 else ()), *_CACHES]
        return {FIRST + 3 + place: row for place, row in enumerate(rows)}
    if chosen == CORE_CLASS:
        return _CORE
    return {FIRST + 3 + place: row for place, row in enumerate(_MEMORY)} if chosen == MEMORY_CLASS else {}


def csrs(generation: Generation, chosen: int, cycle: Reads, instructions: Reads) -> list[tuple[int, str, str, Reads]]:
    """(number, name, meaning, how it is read) of all of them. cycle, instructions: how the low halves of those are read."""
    named = layout(generation, chosen)
    found: list[tuple[int, str, str, Reads]] = []
    for number in range(FIRST, LAST + 1):
        place = number - FIRST
        name, counter = EVERY_GENERATION.get(place) or named.get(number, ("", ""))
        low = {0: cycle, 2: instructions}.get(place) or _reads(counter, 0)
        said = PERFORMANCE_COUNTERS.get(counter, "")
        own = name if place in EVERY_GENERATION else f"mpm_{name}" if name else f"mpm_{place}"
        found += [
            (number, own, f"{said}, low 32 bits" if said else "0", low),
            (number + HIGH, f"{own}h", f"{said}, high 32 bits" if said else "0", _reads(counter, HIGH_HALF)),
        ]
    return found


def _reads(counter: str, half: int) -> Reads:
    if not counter:
        return value(0)
    return lambda to: [Uop("read_counter", dst=to, imm=COUNTER_NUMBER[counter] + half)]
