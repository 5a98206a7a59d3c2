"""Where things are in Vortex's address space, and how a program is started.

Every core begins at the image's first address with lane 0 of warp 0. Until 2022 the image lies at 0x80000000, arguments at 0x7FFFF000, and
the core's shared memory, below 0xFF000000, holds a stack of 1 KiB a thread. From 2024 on MSCRATCH holds the arguments' address, the stacks
lie in ordinary memory below 0xFFFF0000, 8 KiB and a line of a cache a thread, and the core's local memory above it. A byte that is stored
to the console's window is printed; its address says whose line it belongs to.

The originals have memory at every address. A program with a start of its own has it here too: pages appear where it uses an address
between its regions, as many as the machine's `memory.bytes` holds, and a sentence says so. For a kernel of `<warploom.h>` such an access
is an error.
Source: github.com/vortexgpgpu/vortex, hw/rtl/VX_config.vh, 2022-01 and 2024-08.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from warploom.isa.regions import KINDS, PAGE_BYTES, SCRATCHPAD, SPACE_BYTES, Region
from warploom.isa.vortex.csr import WINDOW, WINDOW_BYTES
from warploom.isa.vortex.generation import Generation

START = 0x80000000
CONSOLE_BYTES = 64
ARGUMENT_BYTES = 4096
COUNTER_BYTES = 256  # that each core stores when its program ends
MOST_CORES = 64  # also of spawn.c
OLD_ARGUMENTS, ARGUMENTS = 0x7FFFF000, 0x8000
OLD_STACKS_END, STACKS_END = 0xFF000000, 0xFFFF0000
OLD_STACK, STACK = 1024, 8192 + 64  # the originals have no such line: see start.S
LOCAL_BYTES = 16 << 10
OLD_CONSOLE, CONSOLE_AT = 0xFFFFFFC0, 0x40
COUNTERS_AT = 0x80
EXIT_CODE = 0x88
PAGES = SPACE_BYTES // PAGE_BYTES  # that may appear: memory is everywhere, as much of it as the machine has
GP = 3  # the register that holds the exit code until 2022


def argument_address(generation: Generation) -> int:
    """Where arguments lie unless something else is said."""
    return OLD_ARGUMENTS if generation.old else ARGUMENTS


def own_regions(generation: Generation, argument: int, others: Sequence[Region] = ()) -> list[Region]:
    """What there is beside the image and the buffers. argument: where arguments lie. others: the buffers."""
    scratchpad = KINDS[SCRATCHPAD]
    if generation.old:
        found = [
            Region("stacks", OLD_STACKS_END - OLD_STACK, OLD_STACK, of_core=True, thread_bytes=OLD_STACK, kind=scratchpad),
            Region("counters", OLD_STACKS_END, COUNTER_BYTES * MOST_CORES, cached=False),
            Region("console", OLD_CONSOLE, CONSOLE_BYTES, cached=False, kind="console"),
        ]
    else:
        words = np.zeros(WINDOW_BYTES // 4, "<u4")
        words[0] = argument
        found = [
            Region("console", CONSOLE_AT, CONSOLE_BYTES, cached=False, kind="console"),
            Region("counters", COUNTERS_AT, ARGUMENTS - COUNTERS_AT, cached=False),
            Region("stacks", STACKS_END - STACK, STACK, thread_bytes=STACK),
            Region("local", STACKS_END, LOCAL_BYTES, of_core=True, kind=scratchpad),
            Region("registers", WINDOW, WINDOW_BYTES, of_core=True, kind=scratchpad, data=words.view(np.uint8)),
        ]
    if not any(region.base <= argument < region.end for region in others):
        found.append(Region("arguments", argument, ARGUMENT_BYTES))
    return found
