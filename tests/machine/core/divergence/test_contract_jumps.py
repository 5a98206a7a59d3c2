"""Lanes that jump through registers to different places: what each leaves is what it leaves alone, under every mechanism that lets them.

Random programs of a few functions: calls through pointers and by name, jumps through tables, returns from inside, all as numbers of the
thread decide. Calls end when a thread has used up its fuel.
"""

import random

import numpy as np
import pytest

from warploom.gpu import GPU
from warploom.isa import load
from warploom.isa.frontend import Options

THREADS, FUNCTIONS = 12, 3
WAYS = ("stack", "stack smaller", "minpc", "its", "dwf")
FRAME = ["addi sp, sp, -8", "sw ra, 0(sp)"]
LEAVE = ["lw ra, 0(sp)", "addi sp, sp, 8", "ret"]
MAIN = """
.threads 12
main:
    li s0, 0x10000000
    slli t0, a0, 4
    add s0, s0, t0
    li sp, 0x20001000
    slli t0, a0, 12
    add sp, sp, t0
    mv s2, ra
    li s1, 6
    xori a1, a0, 5
    li a2, 77
    call f0
    call f1
    sw a0, 0(s0)
    sw a1, 4(s0)
    sw a2, 8(s0)
    jr s2
"""


class Writer:
    """Writes the functions of one program."""

    def __init__(self, seed):
        self.chosen, self.labels = random.Random(seed), 0

    def register(self):
        return self.chosen.choice(("a0", "a1", "a2"))

    def compute(self):
        name = self.chosen.choice(("add", "sub", "xor", "mul"))
        return [f"{name} {self.register()}, {self.register()}, {self.register()}", f"addi {self.register()}, {self.register()}, 13"]

    def branch(self, label, depth):
        return [f"andi t0, {self.register()}, 1", f"beqz t0, else{label}", *self.block(depth), f"else{label}:", *self.block(depth)]

    def switch(self, label, depth):
        where = [f"andi t0, {self.register()}, 3", "slli t0, t0, 2", f"la t1, table{label}", "add t1, t1, t0", "jr t1", f"table{label}:"]
        where += [f"j case{label}_{case}" for case in range(4)]
        for case in range(4):
            where += [f"case{label}_{case}:", *self.compute(), *([f"j end{label}"] if self.chosen.random() < 0.7 else [])]
        return [*where, f"end{label}:"]

    def call(self, label, depth):
        first, second = (self.chosen.randrange(FUNCTIONS) for _ in range(2))
        pointer = [
            f"la t1, f{first}",
            f"la t2, f{second}",
            "sub t2, t2, t1",
            f"andi t0, {self.register()}, 1",
            "mul t2, t2, t0",
            "add t1, t1, t2",
        ]
        called = [*pointer, "jalr t1"] if self.chosen.random() < 0.7 else [f"call f{first}"]
        return [f"blez s1, spent{label}", "addi s1, s1, -1", *called, f"spent{label}:"]

    def early_return(self, label, depth):
        return [f"andi t0, {self.register()}, 7", f"bnez t0, stay{label}", *LEAVE, f"stay{label}:"]

    def block(self, depth):
        lines = self.compute()
        for _ in range(self.chosen.randint(1, 3) if depth else 0):
            self.labels += 1
            lines += self.chosen.choice((self.branch, self.switch, self.call, self.call, self.early_return))(self.labels, depth - 1)
        return lines

    def text(self):
        functions = [[f"f{number}:", *FRAME, *self.block(2), *LEAVE] for number in range(FUNCTIONS)]
        return MAIN + "\n".join(line for function in functions for line in function) + "\n"


def left_by(text, **changes):
    buffers = {"out@0x10000000": np.zeros(4 * THREADS, np.uint32), "stacks@0x20000000": np.zeros(1024 * (THREADS + 1), np.uint32)}
    program = load(text.encode(), "riscv", options=Options(path="jumps.rv", buffers=buffers))
    settings = {"core.stack_depth": 128, "core.warps": 32, "gpu.cores": 1} | {
        name.replace("__", "."): value for name, value in changes.items()
    }
    result = GPU("sm", set=settings, engine="native").run(program)
    assert result.status == "done", result.fault
    return result.read(0x10000000, 16 * THREADS).tolist()


@pytest.mark.parametrize("way", WAYS)
def test_each_lane_leaves_what_it_leaves_alone(way):
    mechanism, _, first = way.partition(" ")
    chosen = {"divergence__first": first} if first else {}
    for seed in range(12):
        text = Writer(seed).text()
        alone = left_by(text, core__lanes=1, core__divergence="uniform")
        assert left_by(text, core__lanes=6, core__divergence=mechanism, **chosen) == alone, seed
