"""What a machine has: what a view, a command or a study asks before it uses it.

Nobody outside of `machine/` asks which kind of control a core has; a new kind is a row here, and says for itself what it offers.
"""

from __future__ import annotations

from typing import NamedTuple


class Features(NamedTuple):
    """What a machine, and every run on it, has.

    warps: cores hold warps of lanes, in slots, and a scheduler picks one; else a core executes one instruction at a time for all threads of
    its block. events: a run with tracing writes down what every warp did in each cycle. steps: a run can be shown as the state of
    every unit after each cycle, by repeating it. recording: changes of registers and memory can be written down. profile: cycles and lanes
    are counted by instruction while it runs. shared_memory: blocks have a memory of their own, in banks. overlap: arithmetic and
    memory accesses of a core work side by side. kept_memory: memory can be kept from one launch to the next. checks: a watch can be put
    before each micro-op. twin: the whole machine exists as hardware too.
    """

    warps: bool = False
    events: bool = False
    steps: bool = False
    recording: bool = False
    profile: bool = False
    shared_memory: bool = False
    overlap: bool = False
    kept_memory: bool = False
    checks: bool = False
    twin: bool = False


# By `core.control`.
FEATURES = {
    "sequencer": Features(steps=True, twin=True),
    "pipeline": Features(
        warps=True, events=True, recording=True, profile=True, shared_memory=True, overlap=True, kept_memory=True, checks=True
    ),
}
