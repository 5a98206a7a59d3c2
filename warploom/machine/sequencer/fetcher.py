"""Fetcher: brings the instruction at the core's program counter from program memory.

In hardware: a state machine of three states, an address and an instruction register. It asks a channel of the program
memory controller and waits; alone in the machine that takes 5 cycles, and one more until the core sees it, so
tiny-gpu spends 6 of an instruction's 11 cycles here, for every instruction anew: nothing is kept.

States: IDLE, FETCHING (the request line is up), FETCHED (the instruction register holds what lies at `address`), and, with
an instruction cache, LOOKING_UP.

Two improvements, both off in tiny-gpu. `fetch.sets`: an instruction cache of the core's own; a hit is FETCHED `fetch.latency`
cycles after FETCH begins. A line has a tag and a valid bit for each of its words, and a miss brings one word.
`core.prefetch`: the next instruction is fetched while this one executes, on the guess that no branch is
taken; a fetch on a wrong guess is thrown away when it arrives.

Source: tiny-gpu, src/fetcher.sv. Lines with a valid bit a word: Goodman, "Using cache memory to reduce
processor-memory traffic", ISCA 1983.
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np

from warploom.machine.engine.bits import EMPTY, bit, has
from warploom.machine.engine.unit import inlined, record, unit
from warploom.machine.sequencer.states import DECODE, FETCH, REQUEST

MAX_CACHE_LINES = 1024

IDLE, FETCHING, FETCHED, LOOKING_UP = range(4)

Fetcher = record(
    state=dict(
        state="i8",                            # IDLE ... LOOKING_UP
        address="i8",                          # instruction number that is fetched, or was last
        instruction="u4",                      # instruction register
        countdown="i8",                        # LOOKING_UP: cycles until the cache has answered
        # instruction cache: way w of set s is line s * ways + w
        tag=("i8", MAX_CACHE_LINES),           # by line: its number in program memory
        valid=("u8", MAX_CACHE_LINES),         # by line: bit w = word w is here
        used=("i8", MAX_CACHE_LINES),          # by line: cycle of its last use
        words=("u4", (MAX_CACHE_LINES, 64)),   # by line: its instructions
    ),
    counters=dict(
        fetches="i8",                          # instructions asked of program memory
        hits="i8",                             # instructions found in the cache
        thrown_away="i8",                      # prefetched instructions that were not wanted
    ),
)  # fmt: skip


@inlined
def clock_edge(gpu, core, number):
    """One clock edge. Returns 1 when the fetcher's state has changed."""
    fetcher = core.fetcher
    state = fetcher.state
    if state == FETCHING:
        if not has(gpu.program.read_ready[0], number):
            return 0
        fetcher.instruction = gpu.program.read_data[0, number]
        gpu.fetch_lines = gpu.fetch_lines & ~bit(number)
        fetcher.state = FETCHED
        if gpu.cache_sets != 0:
            fill(gpu, fetcher)
    elif state == FETCHED:
        if core.state == DECODE:
            fetcher.state = IDLE
        elif core.state == FETCH and fetcher.address != core.pc:
            fetcher.thrown_away = fetcher.thrown_away + 1
            begin(gpu, fetcher, number, core.pc)
        else:
            return 0
    elif state == LOOKING_UP:
        fetcher.countdown = fetcher.countdown - 1
        if fetcher.countdown == 0:
            finish_lookup(gpu, fetcher, number)
    elif core.state == FETCH:
        begin(gpu, fetcher, number, core.pc)
    elif gpu.prefetch != 0 and core.state == REQUEST and core.ends == 0 and core.pc + 1 < gpu.program_rows:
        begin(gpu, fetcher, number, core.pc + 1)
    else:
        return 0
    return 1


@unit
def begin(gpu, fetcher, number, address):
    """Start to bring the instruction at `address`: from the cache, or from program memory."""
    fetcher.address = address
    if gpu.cache_sets == 0:
        request(gpu, fetcher, number)
    elif gpu.cache_latency == 1:
        finish_lookup(gpu, fetcher, number)
    else:
        fetcher.countdown = gpu.cache_latency - 1
        fetcher.state = LOOKING_UP


@unit
def request(gpu, fetcher, number):
    """Raise the request line to the program memory controller."""
    gpu.program.read_address[0, number] = fetcher.address
    gpu.fetch_lines = gpu.fetch_lines | bit(number)
    fetcher.fetches = fetcher.fetches + 1
    fetcher.state = FETCHING


@unit
def finish_lookup(gpu, fetcher, number):
    """The cache has answered: the word is here, or it is asked of program memory."""
    line = fetcher.address // gpu.cache_line
    word = fetcher.address - line * gpu.cache_line
    place = find(gpu, fetcher, line)
    if place >= 0 and has(fetcher.valid[place], word):
        fetcher.used[place] = gpu.cycle
        fetcher.instruction = fetcher.words[place, word]
        fetcher.hits = fetcher.hits + 1
        fetcher.state = FETCHED
    else:
        request(gpu, fetcher, number)


@unit
def find(gpu, fetcher, line):
    """Where a line of program memory lies in the cache; -1: nowhere."""
    start = (line % gpu.cache_sets) * gpu.cache_ways
    for place in range(start, start + gpu.cache_ways):
        if fetcher.valid[place] != EMPTY and fetcher.tag[place] == line:
            return np.int64(place)
    return np.int64(-1)


@unit
def fill(gpu, fetcher):
    """Keep the word that has come from program memory; a new line takes the place that was not used for longest."""
    line = fetcher.address // gpu.cache_line
    word = fetcher.address - line * gpu.cache_line
    place = find(gpu, fetcher, line)
    if place < 0:
        start = (line % gpu.cache_sets) * gpu.cache_ways
        place = np.int64(start)
        for way in range(start + 1, start + gpu.cache_ways):
            if fetcher.used[way] < fetcher.used[place]:
                place = np.int64(way)
        fetcher.valid[place] = 0
        fetcher.tag[place] = line
    fetcher.valid[place] |= bit(word)
    fetcher.words[place, word] = fetcher.instruction
    fetcher.used[place] = gpu.cycle


@unit
def reset(gpu, fetcher, number):
    """The core's reset line: the registers are cleared. The cache keeps what it has: program memory does not change."""
    fetcher.state = IDLE
    fetcher.address = 0
    fetcher.instruction = 0
    gpu.fetch_lines = gpu.fetch_lines & ~bit(number)
    gpu.program.read_address[0, number] = 0
