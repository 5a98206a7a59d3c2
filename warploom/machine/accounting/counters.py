"""Counters: what a machine counts as it runs, each with its unit and meaning, in one place."""

from __future__ import annotations

from typing import NamedTuple

from warploom.machine.accounting.reasons import REASONS


class Counter(NamedTuple):
    """One counter. unit: what one is of."""

    name: str
    unit: str
    meaning: str


_SEQUENCER_STATES = {
    "idle": "no block in the core, or no thread in the place (a block that is not full)",
    "fetch": "the instruction is fetched from program memory",
    "decode": "the control signals are made",
    "request": "registers are read, load/store units start",
    "wait": "load/store units are at work, or the cycle that is spent even without them",
    "execute": "the ALU and the next program counter",
    "update": "registers are written",
    "done": "the block has ended and the dispatcher has not taken the core back yet",
}

COUNTERS: tuple[Counter, ...] = (
    Counter("cycles", "cycles", "from the start to the last block's end, and until its stores have arrived"),
    Counter("store_tail_cycles", "cycles", "of those, after the last warp has ended, while stores are in flight"),
    Counter("instructions", "instructions", "executed, one for all threads of a block or warp"),
    Counter(
        "issued_instructions",
        "instructions",
        "as executed, and of a sequence (pipes.divide_sequence) each of its own",
    ),
    Counter("thread_instructions", "thread-instructions", "executed, counting each thread"),
    *(Counter(f"{state}_thread_cycles", "thread-cycles", meaning) for state, meaning in _SEQUENCER_STATES.items()),
    Counter("program_wait_thread_cycles", "thread-cycles", "of FETCH: waiting for program memory"),
    Counter("data_wait_thread_cycles", "thread-cycles", "of WAIT: threads whose own access has no answer yet"),
    Counter("loads", "thread-accesses", "loads from data memory"),
    Counter("stores", "thread-accesses", "stores to data memory"),
    Counter("divisions_by_zero", "thread-instructions", "divisions whose divisor was 0"),
    Counter("program_requests", "requests", "taken by the program memory controller"),
    Counter("data_requests", "requests", "taken by the data memory controller"),
    Counter("program_channel_busy_cycles", "channel-cycles", "channels of program memory that were serving a request"),
    Counter("data_channel_busy_cycles", "channel-cycles", "channels of data memory that were serving a request"),
    Counter("fetch_hits", "instructions", "found in the instruction cache"),
    Counter("prefetches_thrown_away", "instructions", "prefetched and not used"),
    Counter("fetch_misses", "instructions", "not found in the instruction cache"),
    Counter("l0_fetch_hits", "instructions", "found in the instruction cache of their scheduler"),
    Counter("l0_fetch_misses", "instructions", "not found there"),
    Counter("shared_fetch_hits", "lines", "of instructions, found in the cache that all cores share, or in flight to it"),
    Counter("shared_fetch_misses", "lines", "of instructions, not found there"),
    Counter("lane_uops", "lane-micro-ops", "executed, counting each lane"),
    Counter("warp_cycles", "warp-cycles", "from the launch to the end of every warp; the reasons below add up to it"),
    *(Counter(f"{reason.name}_warp_cycles", "warp-cycles", reason.meaning) for reason in REASONS),
    Counter("diverged_branches", "warp-instructions", "branches on which the lanes of a warp disagreed"),
    Counter("accesses", "warp-instructions", "accesses to memory, shared memory or textures"),
    Counter("transactions", "transactions", "that the accesses to memory and textures took"),
    Counter("sectors", "sectors", "that they touched"),
    Counter("sectors_needed", "sectors", "that would do for as many bytes"),
    Counter("shared_passes", "passes", "of shared memory; one per access without bank conflicts"),
    Counter("local_accesses", "warp-accesses", "of those, to local memory"),
    Counter("local_transactions", "transactions", "of those, of local memory"),
    Counter("constant_accesses", "warp-accesses", "of those, to constant memory"),
    Counter("constant_hits", "words", "of constant memory that were in the first level of the constant cache"),
    Counter("constant_misses", "words", "that were not, or were in flight"),
    Counter("constant_next_hits", "words", "of those asked of the second level, found there"),
    Counter("constant_next_misses", "words", "that came from memory"),
    Counter("l1_hits", "transactions", "found in a core's first-level or texture cache"),
    Counter("l1_misses", "transactions", "not found there"),
    Counter("l1_evictions", "lines", "evicted from a first-level cache"),
    Counter("l1_prefetches", "lines", "that a prefetcher asked for"),
    Counter("l1_useful_prefetches", "lines", "of those, that a load then found there, or in flight"),
    Counter("l1_dropped_prefetches", "lines", "that a prefetcher named and that were not asked for: no free MSHR, or not in memory"),
    Counter("texture_evictions", "lines", "evicted from a texture cache"),
    Counter("l2_hits", "transactions", "found in the second-level cache"),
    Counter("l2_misses", "transactions", "not found there, or not all sectors"),
    Counter("l2_evictions", "lines", "evicted from it"),
    Counter("l2_write_backs", "lines", "of those, dirty ones"),
    Counter("l2_write_back_bytes", "bytes", "of their dirty sectors"),
    Counter("l2_fill_bytes", "bytes", "that memory delivered to the second-level cache"),
    Counter("l2_passed_on_bytes", "bytes", "of stores that it sent on to memory, in whole sectors"),
    Counter("l2_stalls", "requests", "that waited for an MSHR of their slice, or for memory to take lines of it"),
    Counter("l2_atomics", "operations", "of atomics in the second-level cache; lanes on one word may share one"),
    Counter("dirty_bytes", "bytes", "that caches which write back had not written to memory when the kernel ended, in whole sectors"),
    Counter("dram_requests", "requests", "served by DRAM"),
    Counter("dram_bytes", "bytes", "that they moved"),
    Counter("dram_bytes_written", "bytes", "of those, towards memory"),
    Counter("dram_row_hits", "requests", "that found their row open"),
    Counter("dram_row_misses", "requests", "that did not"),
    Counter("alu_instructions", "warp-instructions", "taken by the ALUs"),
    Counter("stack_peak", "entries", "most entries of a mask stack in use"),
    Counter("raster_tiles", "tiles", "that the raster engines have taken up"),
    Counter("raster_triangles", "triangles", "of tiles that they have walked: one in several tiles counts in each"),
    Counter("quads", "quads", "of 2 x 2 pixels that they have handed out"),
    Counter("covered_pixels", "pixels", "of these quads that their triangle covers"),
    Counter("helper_lanes", "pixels", "of these quads that it does not: they are shaded for nothing, or for derivatives"),
    Counter("raster_squares", "squares", "of tiles, down to quads, that were compared with edges"),
    Counter("raster_idle_cycles", "cycles", "in which a warp waited for a triangle to be fetched, of each engine"),
    Counter("raster_cache_hits", "words", "of triangles found in the raster engines' caches"),
    Counter("raster_cache_misses", "words", "not found there, or in flight"),
    Counter("fragments", "fragments", "handed to the output mergers"),
    Counter("fragments_killed_late", "fragments", "of those, dropped by the stencil or the depth test"),
    Counter("fragments_overtaken", "fragments", "that came while an earlier one of their pixel was in the merger, which did not look"),
    Counter(
        "fragments_out_of_order",
        "fragments",
        "that came after one of a later triangle had changed their pixel; a pixel that was long ago is forgotten",
    ),
    Counter("merger_stalls", "cycles", "in which fragments waited for an earlier one of their pixel, of each merger"),
    Counter("merger_full_cycles", "cycles", "in which fragments waited for room in a merger"),
    Counter("merger_writes", "words", "of colour and depth that the mergers have written"),
    Counter("merger_cache_hits", "words", "of pixels found in the mergers' caches"),
    Counter("merger_cache_misses", "words", "not found there, or in flight"),
    Counter("rays", "rays", "traced by ray units"),
    Counter("ray_nodes", "nodes", "of trees that they have visited"),
    Counter("ray_nodes_again", "nodes", "of those, on the way down after a restart"),
    Counter("ray_boxes", "boxes", "tested"),
    Counter("ray_triangles", "triangles", "tested"),
    Counter("ray_instances", "instances", "entered"),
    Counter("ray_restarts", "restarts", "from the root, of walks whose short stack had forgotten something"),
    Counter("ray_steps", "steps", "of walks: a node, a leaf or a primitive each"),
    Counter("ray_lanes", "lanes", "of the same warp that walk, added over all steps: by steps it is the mean"),
    Counter("ray_idle_cycles", "cycles", "in which rays were walking and no step was made, of each unit"),
    Counter("ray_cache_hits", "sectors", "found in the ray units' caches"),
    Counter("ray_cache_misses", "sectors", "not found there, or in flight"),
    Counter("ray_faults", "rays", "that ended in a damaged tree"),
)
COUNTER = {counter.name: counter for counter in COUNTERS}
STATE_COUNTERS = tuple(f"{state}_thread_cycles" for state in _SEQUENCER_STATES)  # they add up to cycles x cores x threads per block
