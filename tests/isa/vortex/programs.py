"""Programs in Vortex's assembly for the tests: start-up, a body that every thread runs, and what is in the buffer `out` afterwards."""

import numpy as np

from warploom.gpu import GPU
from warploom.isa import load
from warploom.isa.frontend import Options
from warploom.isa.launching import launched, read_buffer

START = {
    2024: """
    csrr t0, num_warps
    la t1, init
    vx_wspawn t0, t1
init:
    li t0, -1
    vx_tmc t0
    csrr s0, mhartid        # s0: the thread
    slli s1, s0, 2
    csrr t3, mscratch
    lw t2, 0(t3)
    add s1, s1, t2          # s1: its word of `out`
    csrr s2, thread_id      # s2: the lane
    csrr s3, warp_id        # s3: the warp
""",
    2022: """
    csrr t0, num_warps
    la t1, init
    vx_wspawn t0, t1
init:
    li t0, -1
    vx_tmc t0
    csrr s0, global_thread_id
    slli s1, s0, 2
    li t3, 0x7ffff000
    lw t2, 0(t3)
    add s1, s1, t2
    csrr s2, thread_id
    csrr s3, local_warp_id
""",
}
END = "vx_tmc zero\n"

# So many warps of all lanes, without a buffer that is handed over; a0: the lane, a1: the warp, or the core.
ALL_LANES = """
    li t0, {warps}
    la t1, start
    vx_wspawn t0, t1
start:
    li t0, -1
    vx_tmc t0
    csrr a0, thread_id
    csrr a1, {of}
"""
SMALL = {"core.lanes": 4, "core.warps": 4, "gpu.cores": 1, "core.schedulers": 1, "core.divergence": "masks", "core.barriers": 4}


def program(text, number=2024, words=256, **options):
    """The program of a text, for one generation."""
    loaded = load(
        text.encode(),
        f"vortex-{number}",
        options=Options(path="test.vx", buffers={"out": np.zeros(words, np.uint32)}, arguments={"out": "out"}, **options),
    )
    return launched(loaded, loaded.launch.changed(arguments={"out": "out"}))


def run(body, number=2024, *, words=256, engine="python", whole=False, **settings):
    """(out, the result) of a body between start-up and end. whole: the text is all there is."""
    text = body if whole else START[number] + body + END
    changes = SMALL | {name.replace("__", "."): value for name, value in settings.items()}
    result = GPU("sm", set=changes, engine=engine).run(program(text, number, words), max_cycles=200_000)
    return read_buffer(result.program, result.memory, "out").view(np.uint32), result
