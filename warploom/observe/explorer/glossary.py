"""Glossary: a sentence for every term that the explorer shows, from the machine's own tables."""

from __future__ import annotations

from warploom.isa import uop as u
from warploom.isa.frontends import meanings
from warploom.isa.program import Program
from warploom.machine.accounting.counters import COUNTERS
from warploom.machine.config.presets import inherited_sources
from warploom.machine.config.schema import Config, settings
from warploom.observe.facts.lane_states import OFF
from warploom.observe.facts.timeline import STATE_ACTIVITIES, WARP_ACTIVITIES

# The field's words, which no table of the machine has to explain.
WORDS = {
    "cycle": "one tick of the device's clock",
    "core": "the unit that fetches, schedules and executes warps; NVIDIA calls it a streaming multiprocessor (SM)",
    "warp": "the threads that share an instruction stream and issue as one; AMD and Vortex call it a wavefront",
    "lane": "one thread's place in a warp: its column of the registers and its slice of the ALU",
    "block": "threads that start together on one core and can share memory and barriers",
    "rank": "a warp's number in its block",
    "pc": "program counter: the instruction that the warp issues next",
    "mask": "which lanes of a warp execute: a yellow box is a lane that takes part",
    "issue": "an instruction is sent to its execution unit, for all active lanes at once",
    "span": "a stretch of cycles in which a warp did one thing",
    "micro-op": "what an instruction is made of: the one format that the machine executes",
    "heat": "warp-cycles spent at this instruction, issuing or waiting, as a share of the hottest one",
    "scoreboard": "which registers are still to be written: an instruction that needs one of them waits",
    "paths": "the inactive paths: lanes of a warp that wait while others run, and where they continue",
    "stack": "an entry of the reconvergence stack: lanes that continue at a PC and reconverge with the others at a second one",
    "mask stack": "an entry of the mask stack, which the program pushes and pops itself",
    "ready group": "lanes of a warp that could run from their PC, but are not the path that runs",
    "reconvergence group": "lanes that wait at a PC for the others",
    "barrier group": "lanes that wait at a barrier for the rest of their warp",
    "whole-warp group": "lanes that wait for the rest of their warp at an instruction that is for all lanes of it",
    "chain of causes": "what a waiting warp waits for, what that waits for, and so on down to memory",
    "transaction": "what a load or store sends to a cache: one line, for all lanes that touch it",
    "line": "the bytes that a cache holds and moves as one",
    "mshr": "miss-status holding register: a missed line that is in flight",
    "hit": "the line was in the cache",
    "miss": "the line was not in the cache and is asked for",
    "merged": "the line was asked for already: this access waits with the others",
    "store": "a write, which goes to the next level and returns no data",
    "passed": "bypasses the cache and goes to the next level",
    "l1": "a core's own data cache",
    "l2": "the second-level cache that all cores share",
    "texture cache": "the texture unit's own cache",
    "memory channel": "a path to memory that serves one request after the other",
    "bank": "a part of shared memory that serves one word per cycle; lanes that need two words of one bank wait for each other",
    "shared memory": "memory of a core, which the threads of a block share",
    "divergence": "lanes of a warp take different sides of a branch",
    "breakpoint": "playing stops where a warp issues this instruction; click beside its number to set one",
    "quad": "two by two pixels of a triangle; a pixel of it that the triangle does not cover is a helper lane",
    "fragment": "what a triangle adds to a pixel: a colour and a depth, which the output merger tests and blends",
    "fetcher": "fetches an instruction from program memory",
    "decoder": "turns an instruction word into control signals",
    "scheduler": "decides what happens next: here the six states through which a core takes every instruction",
    "registers": "a thread's own values: 13 that it may write, and its block, block size and number",
    "alu": "arithmetic and logic unit: computes",
    "lsu": "load/store unit: asks data memory and waits for the answer",
    "program counter": "the instruction that a thread executes next; all threads of the block must agree",
    "dispatcher": "hands blocks to cores that are free, and knows when all have ended",
    "device control register": "how many threads the host has launched",
    "controller": "shares a few channels to memory among many threads that request them",
    "channel": "carries one request through a controller: accepted, at memory, returned",
    "data memory": "where kernels load from and store to",
    "program memory": "where instructions are stored",
}


def glossary(*configs: Config) -> dict[str, str]:
    """Sentences by term. Settings stand there by their full names, with their unit and where their number comes from."""
    found = {counter.name: f"{counter.meaning} ({counter.unit})" for counter in COUNTERS}
    found |= {operation.name: operation.meaning for operation in u.OPERATIONS}
    for setting in settings():
        found[setting.name] = f"{setting.meaning}{f' ({setting.unit})' if setting.unit else ''}"
    for config in configs:
        found |= {name: f"{found[name]}; {source}" for name, source in _sources(config).items() if source not in found[name]}
    found |= {f"state {activity.name}": activity.meaning for activity in STATE_ACTIVITIES}
    return found | {activity.name: activity.meaning for activity in WARP_ACTIVITIES} | OFF | WORDS


def instructions(program: Program) -> dict[str, tuple[str, str]]:
    """The instructions that a program uses, by the word that stands for each in its text: how it is written, and what it does."""
    known = meanings(program.isa)
    # A mnemonic may carry a suffix (BRnzp): the longest one that a word begins with counts.
    found = {}
    words = [[word for word in text.split() if not word.startswith("@")] for text in program.text]  # without the guard
    for word in sorted({first for first, *_ in filter(None, words)}):
        name = word if word in known else max((one for one in known if word.startswith(one)), key=len, default="")
        if name:
            found[word] = known[name]
    return found


def _sources(config: Config) -> dict[str, str]:
    """Where the numbers of a preset come from; nothing for a machine that is not one."""
    try:
        return inherited_sources(config.name)
    except ValueError:
        return {}
