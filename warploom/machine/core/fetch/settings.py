"""The settings of instruction fetch, and of the caches that it reads."""

# mypy: disable-error-code="valid-type, misc"

from warploom.machine.engine.fields import Section, number, switch
from warploom.machine.engine.sizes import MAX_L0_LINES, MAX_SHARED_FETCH_LINES


class Fetch(Section):
    """How instructions come to the warps."""

    buffer: number("instructions that a warp's buffer holds; 0: instructions are always there", "instructions", at_most=16) = 0
    per_cycle: number("warps for which a core fetches in one cycle", "fetches", at_least=1, at_most=8) = 1
    waits: switch("a warp fetches nothing after a control instruction until that is executed") = False
    line: number("instructions in a line of the instruction cache", "instructions", at_least=1, at_most=64) = 4
    sets: number("sets of the instruction cache; 0: no cache, every fetch goes to program memory", "sets", at_most=4096) = 0
    ways: number("ways of the instruction cache", "ways", at_least=1, at_most=64) = 1
    latency: number("cycles of a hit", "cycles", at_least=1, at_most=1024) = 1
    miss_latency: number("cycles of a miss where program memory has no channels of its own", "cycles", at_least=1, at_most=4096) = 20
    l0_sets: number(
        "sets of an instruction cache that each scheduler has for itself, before that of the core; 0: none", "sets", at_most=MAX_L0_LINES
    ) = 0
    l0_ways: number("ways of a scheduler's instruction cache", "ways", at_least=1, at_most=16) = 1
    l0_latency: number("cycles of a hit in a scheduler's instruction cache", "cycles", at_least=1, at_most=64) = 1
    stream: number("lines in flight ahead of one that is read in a scheduler's cache", "lines", at_most=16) = 0
    l0_ahead: number("lines that a miss in a scheduler's instruction cache prefetches", "lines", at_most=16) = 0
    shared: number(
        "pipeline: lines of an instruction cache that all cores share, after their own; 0: none", "lines", at_most=MAX_SHARED_FETCH_LINES
    ) = 0
    ahead: number("lines that the shared instruction cache prefetches after one that is wanted", "lines", at_most=16) = 0
