"""Random programs of many threads, what they leave in memory, and random machines to run them on.

A program is a list of statements, which every thread runs. It has no races, so whatever the machine its memory is the same. It can be
written with branches or with masks; `expected` says what it leaves, one thread after the other, without any machine.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from hypothesis import strategies as st

from tests.machine.programs import BLOCK, FREE, GLOBAL, SMALL, THREAD, Assembly
from warploom.isa import uop as u
from warploom.isa.program import Program
from warploom.machine.config.effective import why_without_effect
from warploom.machine.config.presets import _build
from warploom.machine.config.schema import Config
from warploom.machine.core.scheduling.policies import POLICIES
from warploom.machine.memory.address_hash import HASHES
from warploom.machine.memory.cache import SET_HASHES

# Memory: a table that is only read, counters for atomic operations, and 16 bytes a thread of its own.
TABLE, COUNTERS, OWN, BYTES = 0, 256, 512, 2048
PAIRS, SUMS, LARGEST = COUNTERS + 16, COUNTERS + 48, COUNTERS + 64  # counters of 8 bytes, floats that are added, one of 8 bytes
REDUCTIONS = ("barrier_count", "barrier_and", "barrier_or")
VALUES = range(FREE, FREE + 5)  # registers that statements compute with
UNIFORM = FREE + 5  # a register that is the same in all threads of a block
SCRATCH = FREE + 6
LOOPS = FREE + 8  # counters of loops, by depth
PAIR = FREE + 12  # a register and the next: 8 bytes

OPERATIONS = {
    "add": lambda a, b: a + b, "sub": lambda a, b: a - b, "mul": lambda a, b: a * b, "xor": lambda a, b: a ^ b, "and": lambda a, b: a & b,
    "shr": lambda a, b: a >> (b & 31), "sltu": lambda a, b: int(a < b), "divu": lambda a, b: a // b if b else 0xFFFFFFFF,
}  # fmt: skip
WORD = 0xFFFFFFFF

values = st.sampled_from(VALUES)
simple = st.one_of(
    st.tuples(st.just("compute"), st.sampled_from(sorted(OPERATIONS)), values, values, values),
    st.tuples(st.just("constant"), values, st.integers(0, 1000)),
    st.tuples(st.just("root"), values),
    st.tuples(st.just("look_up"), values, values),
    st.tuples(st.just("keep"), values, st.integers(0, 3)),
    st.tuples(st.just("recall"), values, st.integers(0, 3)),
    st.tuples(st.just("byte"), values, st.integers(0, 15)),
    st.tuples(st.just("count"), values, values),
    st.tuples(st.just("fence"), st.sampled_from([u.FENCE_DEVICE, u.FENCE_BLOCK])),
    st.tuples(st.just("keep_pair"), values, values, st.integers(0, 1)),
    st.tuples(st.just("recall_pair"), st.sampled_from(VALUES[:-1]), st.integers(0, 1)),
    st.tuples(st.just("count_pair"), values, values),
    st.tuples(st.just("sum"), values, values),
    st.tuples(st.just("largest"), values),
)


def _nested(depth: int, conditions: st.SearchStrategy[int]) -> st.SearchStrategy[Any]:
    if depth == 0:
        return simple
    body = st.lists(_nested(depth - 1, conditions), min_size=1, max_size=3)
    return st.one_of(
        simple,
        st.tuples(st.just("if"), conditions, body, st.just([]) | body),
        st.tuples(st.just("repeat"), conditions, body, st.just(depth)),
    )


def statements(*, uniform: bool = False, exchanges: bool = True) -> st.SearchStrategy[list[Any]]:
    """Programs. uniform: all threads of a block take every branch the same way. exchanges: blocks use shared memory and barriers."""
    one = _nested(2, st.just(UNIFORM) if uniform else values)
    together = st.one_of(st.tuples(st.just("exchange"), values), st.tuples(st.just("tally"), st.sampled_from(REDUCTIONS), values))
    top = st.one_of(one, one, together) if exchanges else one
    leave = st.tuples(st.just("leave"), st.just(UNIFORM) if uniform else values)
    return st.tuples(st.lists(top, min_size=1, max_size=5), st.lists(st.one_of(one, leave), max_size=2)).map(
        lambda parts: parts[0] + parts[1]
    )


# ---------------------------------------------------------------------------------------------------------
# What a program means


def expected(program: list[Any], threads: int, block: int, data: np.ndarray) -> np.ndarray:
    """Memory (uint32 words) behind a program that `threads` threads in blocks of `block` run."""
    memory = np.zeros(BYTES // 4, np.uint64)
    memory[: len(data)] = data
    for number in range(-(-threads // block)):
        size = min(block, threads - number * block)
        shared: dict[Any, int] = {}
        running = [_thread(program, number, thread, number * block + thread, size, memory, shared) for thread in range(size)]
        while running:  # each step takes a thread to its next barrier
            running = [thread for thread in running if next(thread, None) is not None]
    return memory.astype(np.uint32)


def _thread(
    program: list[Any], block: int, thread: int, number: int, size: int, memory: np.ndarray, shared: dict[Any, int]
) -> Iterator[int]:
    registers = dict.fromkeys(VALUES, number)
    registers[UNIFORM] = block + 1
    own = (OWN + 16 * number) // 4

    def run(body: list[Any]) -> Iterator[int]:
        for statement in body:
            kind, *rest = statement
            if kind == "compute":
                operation, to, a, b = rest
                registers[to] = OPERATIONS[operation](registers[a], registers[b]) & WORD
            elif kind == "constant":
                registers[rest[0]] = rest[1]
            elif kind == "root":
                registers[rest[0]] = int(np.float32(np.sqrt(np.float32(registers[rest[0]] & 0xFFFF))))
            elif kind == "look_up":
                registers[rest[0]] = int(memory[TABLE // 4 + (registers[rest[1]] & 63)])
            elif kind == "keep":
                memory[own + rest[1]] = registers[rest[0]]
            elif kind == "recall":
                registers[rest[0]] = int(memory[own + rest[1]])
            elif kind == "byte":
                word, shift = own + rest[1] // 4, 8 * (rest[1] % 4)
                memory[word] = int(memory[word]) & ~(0xFF << shift) & WORD | (registers[rest[0]] & 0xFF) << shift
            elif kind == "count":
                place = COUNTERS // 4 + (registers[rest[0]] & 3)
                memory[place] = (int(memory[place]) + registers[rest[1]]) & WORD
            elif kind == "keep_pair":
                memory[own + 2 * rest[2] : own + 2 * rest[2] + 2] = registers[rest[0]], registers[rest[1]]
            elif kind == "recall_pair":
                low, high = memory[own + 2 * rest[1] : own + 2 * rest[1] + 2].tolist()
                registers[rest[0]], registers[rest[0] + 1] = low, high
            elif kind == "count_pair":
                place = PAIRS // 4 + 2 * (registers[rest[0]] & 3)
                total = (int(memory[place]) | int(memory[place + 1]) << 32) + (registers[rest[1]] << 32 | registers[rest[0]])
                memory[place : place + 2] = total & WORD, total >> 32 & WORD
            elif kind == "sum":
                place = SUMS // 4 + (registers[rest[0]] & 3)
                total = float(np.uint32(memory[place]).view(np.float32)) + (registers[rest[1]] & 255)
                memory[place] = int(np.float32(total).view(np.uint32))  # a whole number below 2^24: not rounded in any order
            elif kind == "largest":
                place = LARGEST // 4
                held = int(memory[place]) | int(memory[place + 1]) << 32
                held = max(held, (registers[rest[0]] << 32) + 1)
                memory[place : place + 2] = held & WORD, held >> 32
            elif kind == "if":
                yield from run(rest[1] if registers[rest[0]] & 1 else rest[2])
            elif kind == "repeat":
                for _ in range(registers[rest[0]] & 3):
                    yield from run(rest[1])
            elif kind == "exchange":
                shared[thread] = registers[rest[0]]
                yield 1
                registers[rest[0]] = shared[(thread + 1) % size]
                yield 1
            elif kind == "tally":
                shared["bit", thread] = registers[rest[1]] & 1
                yield 1
                bits = [value for key, value in shared.items() if isinstance(key, tuple)]
                found = {"barrier_count": sum(bits), "barrier_and": int(all(bits)), "barrier_or": int(any(bits))}[rest[0]]
                yield 1
                shared.pop(("bit", thread), None)
                registers[rest[1]] = found
                yield 1
            elif kind == "leave" and registers[rest[0]] & 1:
                raise _LeftError

    try:
        yield from run(program)
        for index, register in enumerate(VALUES[:4]):
            memory[own + index] = (int(memory[own + index]) + registers[register]) & WORD
    except _LeftError:
        return


class _LeftError(Exception):
    """A thread has ended early."""


# ---------------------------------------------------------------------------------------------------------
# How it is written for a machine


class Writer(Assembly):
    """Writes statements with branches, which the machine's divergence mechanism has to manage."""

    def __init__(self) -> None:
        super().__init__()
        self.names = 0

    def name(self) -> str:
        self.names += 1
        return f"L{self.names}"

    def write(self, body: list[Any], threads: int, block: int) -> Program:
        for register in VALUES:
            self.op("mov", register, GLOBAL)
        self.op("add", UNIFORM, BLOCK, imm=1)
        self.mov(SCRATCH, threads)
        self.block_of(body, block)
        self.op("shl", SCRATCH, GLOBAL, imm=4)
        for index, register in enumerate(VALUES[:4]):
            self.load(SCRATCH + 1, SCRATCH, OWN + 4 * index)
            self.op("add", SCRATCH + 1, SCRATCH + 1, register)
            self.store(SCRATCH, SCRATCH + 1, OWN + 4 * index)
        self("exit")
        return self.program(threads=threads, block=block, shared_bytes=4 * block, registers=PAIR + 2)

    def block_of(self, body: list[Any], block: int) -> None:
        for kind, *rest in body:
            if kind == "compute":
                self.op(rest[0], rest[1], rest[2], rest[3])
            elif kind == "constant":
                self.mov(*rest)
            elif kind == "root":
                self.op("and", SCRATCH, rest[0], imm=0xFFFF)
                self.op("u2f", SCRATCH, SCRATCH)
                self.op("fsqrt", SCRATCH, SCRATCH)
                self.op("f2u", rest[0], SCRATCH)
            elif kind == "look_up":
                self.op("and", SCRATCH, rest[1], imm=63)
                self.op("shl", SCRATCH, SCRATCH, imm=2)
                self.load(rest[0], SCRATCH, TABLE)
            elif kind == "keep" or kind == "recall" or kind == "byte":
                self.op("shl", SCRATCH, GLOBAL, imm=4)
                if kind == "recall":
                    self.load(rest[0], SCRATCH, OWN + 4 * rest[1])
                else:
                    self.store(SCRATCH, rest[0], OWN + rest[1] * (1 if kind == "byte" else 4), size=1 if kind == "byte" else 4)
            elif kind == "count":
                self.op("and", SCRATCH, rest[0], imm=3)
                self.op("shl", SCRATCH, SCRATCH, imm=2)
                self("atomic_add", dst=SCRATCH + 1, a=SCRATCH, b=rest[1], imm=COUNTERS)
            elif kind == "keep_pair":
                self.op("shl", SCRATCH, GLOBAL, imm=4)
                self.op("mov", PAIR, rest[0])
                self.op("mov", PAIR + 1, rest[1])
                self.store(SCRATCH, PAIR, OWN + 8 * rest[2], size=8)
            elif kind == "recall_pair":
                self.op("shl", SCRATCH, GLOBAL, imm=4)
                self.load(rest[0], SCRATCH, OWN + 8 * rest[1], size=8)
            elif kind == "count_pair":
                self.op("and", SCRATCH, rest[0], imm=3)
                self.op("shl", SCRATCH, SCRATCH, imm=3)
                self.op("mov", PAIR, rest[0])
                self.op("mov", PAIR + 1, rest[1])
                self("atomic_add", dst=PAIR, a=SCRATCH, b=PAIR, imm=PAIRS, size=8)
            elif kind == "sum":
                self.op("and", SCRATCH, rest[0], imm=3)
                self.op("shl", SCRATCH, SCRATCH, imm=2)
                self.op("and", PAIR, rest[1], imm=255)
                self.op("u2f", PAIR, PAIR)
                self("atomic_fadd", dst=PAIR, a=SCRATCH, b=PAIR, imm=SUMS)
            elif kind == "largest":
                self.mov(PAIR, 1)
                self.op("mov", PAIR + 1, rest[0])
                self("atomic_maxu", dst=u.NONE, a=u.NONE, b=PAIR, imm=LARGEST, size=8)
            elif kind == "tally":
                self.op("and", SCRATCH, rest[1], imm=1)
                self(rest[0], dst=rest[1], c=SCRATCH, imm=2)
            elif kind == "fence":
                self("fence", imm=rest[0])
            elif kind == "exchange":
                self.exchange(rest[0], block)
            elif kind == "if":
                self.choose(rest[0], rest[1], rest[2], block)
            elif kind == "repeat":
                self.repeat(*rest, block)
            elif kind == "leave":
                self.leave(rest[0])

    def exchange(self, register: int, block: int) -> None:
        """Give the register to the thread before this one; the last block may have fewer threads."""
        self.op("shl", SCRATCH, THREAD, imm=2)
        self.store(SCRATCH, register, space=u.SHARED_SPACE)
        self("barrier", imm=1)
        # size of this block = min(block, threads - block number * block); next = (thread + 1) where that is smaller, else 0
        self.op("mul", SCRATCH, BLOCK, imm=block)
        self("special", dst=SCRATCH + 1, imm=u.SPECIAL_NUMBER["grid_threads"])
        self.op("sub", SCRATCH + 1, SCRATCH + 1, SCRATCH)
        self.op("minu", SCRATCH + 1, SCRATCH + 1, imm=block)
        self.op("add", SCRATCH, THREAD, imm=1)
        self.op("sltu", SCRATCH + 1, SCRATCH, SCRATCH + 1)
        self.op("mul", SCRATCH, SCRATCH, SCRATCH + 1)
        self.op("shl", SCRATCH, SCRATCH, imm=2)
        self.load(register, SCRATCH, space=u.SHARED_SPACE)
        self("barrier", imm=0)

    def choose(self, condition: int, body: list[Any], other: list[Any], block: int) -> None:
        other_side, behind = self.name(), self.name()
        self("branch", a=condition, imm=1, target=other_side, flags=u.NEGATE)
        self.block_of(body, block)
        self("jump", target=behind)
        self.label(other_side)
        self.block_of(other, block)
        self.label(behind)

    def repeat(self, register: int, body: list[Any], depth: int, block: int) -> None:
        top, behind, counter = self.name(), self.name(), LOOPS + depth
        self.op("and", counter, register, imm=3)
        self.label(top)
        self.branch(counter, behind, negate=True)
        self.block_of(body, block)
        self.op("sub", counter, counter, imm=1)
        self("jump", target=top)
        self.label(behind)

    def leave(self, register: int) -> None:
        behind = self.name()
        self("branch", a=register, imm=1, target=behind, flags=u.NEGATE)
        self("exit")
        self.label(behind)


class MaskWriter(Writer):
    """The same with masks that the program pushes and pops."""

    def choose(self, condition: int, body: list[Any], other: list[Any], block: int) -> None:
        other_side, behind = self.name(), self.name()
        self.op("and", SCRATCH, condition, imm=1)
        self("branch_push", a=SCRATCH, target=other_side, reconverge=behind)
        self.block_of(body, block)
        self("pop_mask")
        self.label(other_side)
        self.block_of(other, block)
        self("pop_mask")
        self.label(behind)

    def repeat(self, register: int, body: list[Any], depth: int, block: int) -> None:
        top, behind, counter = self.name(), self.name(), LOOPS + depth
        self.op("and", counter, register, imm=3)
        self("push_mask", target=behind)
        self.label(top)
        self("mask_nonzero", a=counter)
        self.block_of(body, block)
        self.op("sub", counter, counter, imm=1)
        self("jump", target=top)
        self.label(behind)

    def leave(self, register: int) -> None:
        behind = self.name()
        self.op("and", SCRATCH, register, imm=1)
        self("push_mask", target=behind)
        self("mask_nonzero", a=SCRATCH)
        self("exit")
        self.label(behind)


def written(program: list[Any], threads: int, block: int, data: np.ndarray, *, masks: bool = False) -> Program:
    """A program for a machine. data: uint32 words of initial memory."""
    made = (MaskWriter() if masks else Writer()).write(program, threads, block)
    whole = np.zeros(BYTES // 4, np.uint32)
    whole[: len(data)] = data
    return made.with_data(whole.view(np.uint8))


def table(seed: int) -> np.ndarray:
    """The table that programs look things up in."""
    return np.random.default_rng(seed).integers(0, 1 << 12, 64, dtype=np.uint32)


# ---------------------------------------------------------------------------------------------------------
# Machines


def machines(**fixed: Any) -> st.SearchStrategy[dict[str, Any]]:
    """Settings of machines that can run any program of this file with blocks of up to 24 threads."""
    choices: dict[str, Any] = {
        "gpu.cores": [1, 1, 2, 3], "gpu.dispatch": ["spread", "fill"], "gpu.dispatch_latency": [0, 0, 3],
        "core.warp_slots": ["warp", "block"],
        "core.lanes": [1, 4, 8, 16], "core.warps": [24, 40], "core.blocks": [1, 2, 8], "core.schedulers": [1, 1, 2, 4],
        "core.scheduler": [*POLICIES], "core.fetch_group": [1, 2, 8],
        "core.lock": ["register", "lane"], "core.branch_latency": [1, 2, 5], "core.stack_depth": [64],
        "alu.count": [1, 2, 4], "alu.width": [0, 2, 3], "alu.depth": [0, 0, 1, 4], "alu.special_width": [0, 1],
        "latency.alu": [1, 4], "latency.multiply": [2, 5], "latency.divide": [4, 70], "latency.special": [1, 20],
        "fetch.buffer": [0, 0, 1, 3], "fetch.sets": [0, 1, 4], "fetch.ways": [1, 2], "fetch.line": [1, 4], "fetch.per_cycle": [1, 2],
        "lsu.queue": [1, 2, 16], "lsu.ports": [1, 4], "lsu.coalesce": [True, True, False], "lsu.sector": [4, 16, 32],
        "l1.bytes": [0, 64, 512], "l1.line": [32, 64], "l1.ways": [1], "l1.write": ["through", "back"], "l1.allocate": [False, True],
        "l1.mshrs": [1, 2, 16], "l1.latency": [1, 4, 30], "l1.replacement": ["lru", "fifo", "random"],
        "l2.bytes": [0, 512, 2048], "l2.line": [64, 128], "l2.ways": [1], "l2.write": ["through", "back"], "l2.allocate": [False, True],
        "l2.mshrs": [1, 2, 16], "l2.slices": [1, 4], "l2.latency": [1, 8, 90],
        "shared.banks": [1, 4, 32], "shared.latency": [1, 19],
        "memory.kind": ["dram", "channels"], "memory.data_channels": [1, 4], "memory.channel_bytes": [4, 32],
        "memory.program_channels": [1, 2],
        "dram.channels": [1, 3], "dram.latency": [1, 20, 150], "dram.bandwidth": [0, 4, 32], "dram.row": [0, 256], "dram.row_miss": [0, 11],
        "lsu.stores": [0, 0, 1, 4, 64], "lsu.drain": ["answered", "sent"], "l1.merges": [0, 0, 1, 3],
        "lsu.group": [0, 0, 2, 8], "l1.banks": [0, 0, 4, 32], "l2.write_buffer": [0, 0, 1, 8], "l2.hash": [*HASHES],
        "l2.ports": [0, 1], "l2.atomic_lanes": [1, 4], "memory.hash": [*HASHES], "crossbar.core": [0, 8, 64], "crossbar.slice": [0, 8, 64],
        "dram.banks": [0, 2, 4], "dram.queue": [1, 8], "dram.write_queue": [1, 6], "dram.clock": [0, 700], "gpu.clock": [0, 1000],
        "dram.rcd": [0, 3], "dram.rp": [0, 4], "dram.ras": [0, 9], "dram.cl": [0, 5], "dram.wtr": [0, 2], "dram.wr": [0, 6],
        "dram.activate_window": [0, 0, 20],
        "dram.refresh_interval": [0, 0, 40, 300], "dram.refresh_time": [0, 9, 30], "dram.refresh_of": ["channel", "bank"],
        "operands.banks": [0, 0, 2, 4], "operands.reads": [1, 2], "operands.window": [1, 3], "operands.collectors": [0, 1, 3],
        "fetch.l0_sets": [0, 1, 2], "fetch.l0_ways": [1, 2], "fetch.l0_ahead": [0, 2], "fetch.l0_latency": [1, 2],
        "core.barrier_interval": [0, 0, 2], "core.barrier_latency": [0, 0, 20], "gpu.launch_latency": [0, 0, 50],
        "pipes.owner": ["core", "core", "scheduler"], "pipes.integer_lanes": [0, 1], "pipes.float_lanes": [0, 2],
        "pipes.float_on_integer": [False, True], "pipes.second_float": [False, True], "pipes.half": ["float", "half"],
        "pipes.special_interval": [0, 5], "pipes.load_store_lanes": [0, 2],
        "pipes.load_store_queue": [1, 3], "pipes.multiply": ["integer", "float"], "pipes.divide_interval": [0, 9],
        "pipes.divide_sequence": ["", "2 convert + 3 multiply + 4 alu"],
        "pipes.float_divide_sequence": ["", "1 special + 5 fma + 1 control"],
        "pipes.float_root_sequence": ["", "3 fma + 1 special"], "pipes.compare": ["integer", "float"],
        "latency.float_root": [0, 9], "latency.float_compare": [0, 6],
        "latency.to_float": [0, 1], "latency.to_integer": [0, 3], "latency.scalar": [1, 3],
        "pipes.vector": [False, False, True], "pipes.scalar": [False, True], "pipes.multiply_interval": [0, 7],
        "core.issues_per_turn": [0, 0, 1, 3], "core.fence_device": [0, 0, 40], "core.fence_block": [0, 0, 7],
        "operands.reuse": [False, True], "dram.overtakes": [0, 1, 3], "dram.rrd": [0, 3], "dram.wl": [0, 2], "l2.atomic_latency": [0, 50],
        "l2.replacement": ["lru", "plru", "random"], "l1.hash": [*SET_HASHES], "memory.lookup": ["begin", "begin", "end"],
        "fetch.latency": [1, 3], "fetch.miss_latency": [1, 20], "fetch.waits": [False, True],
        "fetch.shared": [0, 0, 8], "fetch.ahead": [0, 2],
        "pipes.shuffle": ["integer", "load_store"], "pipes.load_store_interval": [0, 4],
    }  # fmt: skip
    picks = {name: st.just(fixed[name]) if name in fixed else st.sampled_from(options) for name, options in choices.items()}
    base = {**SMALL, "memory.bytes": BYTES, "shared.bytes": 1024}
    return st.fixed_dictionaries(picks).map(lambda made: _effective({**base, **_of_one_kind({**_with_rows(made), **fixed}), **fixed}))


def _effective(settings: dict[str, Any]) -> dict[str, Any]:
    """What cannot act is off, and what is a part of that with it."""
    config = _build(Config().flat() | settings, "random")
    found = {name: Config()[name] if why_without_effect(config, name) else value for name, value in settings.items()}
    return found if found == settings else _effective(found)


def _of_one_kind(settings: dict[str, Any]) -> dict[str, Any]:
    """ALUs that schedulers share, or pipes of each; what is not there has no settings. A scheduler's cache is filled from the core's."""
    other = "alu." if settings["pipes.owner"] == "scheduler" else "pipes."
    left = {name: value for name, value in settings.items() if not name.startswith(other) or name == "pipes.owner"}
    if settings["core.lock"] == "lane":
        left |= {"latency.to_float": 0, "latency.to_integer": 0}
    if left.get("pipes.vector"):
        left |= {"latency.to_float": 0, "latency.to_integer": 0, "pipes.float_on_integer": False, "pipes.second_float": False}
    if left.get("pipes.float_on_integer"):
        left |= {"pipes.second_float": False}
    if settings.get("core.divergence") == "dwf":
        left |= {"core.issues_per_turn": 0}
    return left if settings["fetch.sets"] else left | {"fetch.l0_sets": 0}


def _with_rows(settings: dict[str, Any]) -> dict[str, Any]:
    """Banks have rows and a bus."""
    return {**settings, "dram.row": 256, "dram.bandwidth": settings["dram.bandwidth"] or 32} if settings["dram.banks"] else settings


launches = st.tuples(st.integers(1, 80), st.integers(1, 24))  # threads, threads a block
seeds = st.integers(0, 3)
