"""Why a warp did not issue: one reason for every warp and cycle.

The names are those of NVIDIA's Nsight Compute (its "warp states"), so what is learned here applies there. One is AMD's: `waitcnt`, after
the instruction with which a program of theirs waits (`s_waitcnt`; AMD "Vega" Instruction Set Architecture, 4.4), because NVIDIA's hardware
waits by itself.
A unit accounts a whole span of cycles at once, when the span ends; the spans of a warp join without gap or
overlap from its launch to its end, so the reasons add up to the warp's cycles.
"""

from __future__ import annotations

from typing import NamedTuple


class Reason(NamedTuple):
    """A reason: its name, and what it means here."""

    name: str
    meaning: str


REASONS = (
    Reason("selected", "the warp issued"),
    Reason("not_selected", "the warp could issue, but the scheduler picked another"),
    Reason("long_scoreboard", "waits for a register that a load from global memory or a texture writes"),
    Reason("short_scoreboard", "waits for a register that shared memory or a special function writes"),
    Reason("wait", "waits for a register that an operation of fixed latency writes, or for its scheduler's turn"),
    Reason("barrier", "waits at a barrier for other warps of its block"),
    Reason("branch_resolving", "waits for the target of its own control instruction"),
    Reason("no_instruction", "its instruction buffer is empty"),
    Reason("lg_throttle", "the load/store unit's queue is full"),
    Reason("mio_throttle", "the queue for shared memory is full"),
    Reason("tex_throttle", "the texture unit's queue is full"),
    Reason("math_pipe_throttle", "every ALU, or every special-function unit, is taken"),
    Reason("membar", "waits at a fence (memory barrier) for its own memory accesses"),
    Reason("drain", "has ended, but its accesses or results are still in flight"),
    Reason("dispatch_stall", "waits for the dispatcher of blocks, or for registers of an earlier instruction that are still being read"),
    Reason("imc_miss", "waits for a constant that the first level of the constant cache did not have"),
    Reason("waitcnt", "waits until at most as many of its accesses are in flight as the program says (AMD's s_waitcnt)"),
)
(SELECTED, NOT_SELECTED, LONG_SCOREBOARD, SHORT_SCOREBOARD, WAIT, BARRIER, BRANCH_RESOLVING, NO_INSTRUCTION,
 LG_THROTTLE, MIO_THROTTLE, TEX_THROTTLE, MATH_PIPE_THROTTLE, MEMBAR, DRAIN, DISPATCH_STALL,
 IMC_MISS, WAITCNT) = range(len(REASONS))  # fmt: skip

# What a lane is that does not execute an instruction of its warp.
OFF = (
    Reason("diverged", "other lanes of its warp run; it continues later"),
    Reason("ended", "its thread has ended; other lanes of its warp have not"),
    Reason("no thread", "there never was a thread for it: the block does not fill the warp"),
)

# Reasons for which a warp whose registers are there does not issue: it lacks a unit, or the scheduler's choice.
READY = (NOT_SELECTED, LG_THROTTLE, MIO_THROTTLE, TEX_THROTTLE, MATH_PIPE_THROTTLE, DISPATCH_STALL)

# Columns of the profile: int64[instructions, PROFILE_COLUMNS]. The first len(REASONS) are warp-cycles by reason.
ISSUES = SELECTED  # warp-instructions issued: an issue takes one cycle
LANES = len(REASONS)  # active lanes, summed over the issues
LANES_DIVERGED = LANES + 1  # lanes of the issues whose thread waits while others of the warp run
LANES_ENDED = LANES + 2  # lanes of the issues whose thread has ended; the rest of a warp's lanes never had one
DIVERGED = LANES + 3  # branches on which lanes disagreed
ACCESSES = LANES + 4  # warp accesses to memory, shared memory or textures
TRANSACTIONS = LANES + 5  # transactions that they took
SECTORS = LANES + 6  # sectors that they touched
SECTORS_NEEDED = LANES + 7  # sectors that would do for as many bytes
PASSES = LANES + 8  # passes of shared-memory accesses (1 a conflict-free access)
HITS = LANES + 9  # transactions that hit the first cache
MISSES = LANES + 10  # transactions that missed it
PROFILE_COLUMNS = 32  # so that what every issue counts lies in two lines of the host's cache; the last ones are zero
