"""Random kernels leave what plain Python leaves, thread by thread: nested branches and loops, over numbers of a thread and of a warp."""

import importlib.util
import random
from types import SimpleNamespace

import numpy as np
import pytest

import warploom
from warploom import cuda

THREADS, VARIABLES = 40, "abcd"  # a warp and a part of one


class Writer:
    """Writes the body of a kernel line by line, as a source of random numbers chooses."""

    def __init__(self, seed):
        self.of = random.Random(seed)
        self.lines = []
        self.loops = 0

    def number(self, depth=2):
        choice = self.of.choice
        if depth == 0 or self.of.random() < 0.35:
            return choice(["t", "n", "m", *VARIABLES, str(self.of.randint(-9, 9))])
        one, other = self.number(depth - 1), self.number(depth - 1)
        several = [f"({one} + {other})", f"({one} - {other})", f"min({one}, {other})", f"max({one}, {other})", f"abs({one})"]
        bits = [f"({one} & {other})", f"({one} ^ {other})", f"({one} >> {self.of.randint(0, 5)})"]
        parts = [f"({one} // {self.of.choice([-7, -2, 3, 8])})", f"({one} % {self.of.choice([-5, 4, 9])})", f"({one} % (abs({other}) + 1))"]
        return choice([*several, *bits, *parts, f"({one} if {self.condition(0)} else {other})"])

    def condition(self, depth=1):
        one = f"{self.number(depth)} {self.of.choice(['<', '<=', '==', '!=', '>'])} {self.number(depth)}"
        return one if depth == 0 or self.of.random() < 0.6 else f"{one} {self.of.choice(['and', 'or'])} {self.condition(0)}"

    def block(self, indent, depth, in_loop):
        for _ in range(self.of.randint(1, 3)):
            self.statement(indent, depth, in_loop)

    def statement(self, indent, depth, in_loop):
        space, what = "    " * indent, self.of.random()
        if depth == 0 or what < 0.4:
            self.lines.append(f"{space}{self.of.choice(VARIABLES)} = {self.number()} % 1000")
        elif what < 0.45:
            one, *others = self.of.sample(VARIABLES, 3)
            self.lines.append(f"{space}{one}, {', '.join(others)} = {', '.join([*others, one])}")
        elif what < 0.7:
            self.lines.append(f"{space}if {self.condition()}:")
            self.block(indent + 1, depth - 1, in_loop)
            if self.of.random() < 0.5:
                self.lines.append(f"{space}else:")
                self.block(indent + 1, depth - 1, in_loop)
        elif in_loop and what < 0.8:
            self.lines += [f"{space}if {self.condition()}:", f"{space}    {self.of.choice(['break', 'continue'])}"]
        else:
            self.loop(indent, depth)

    def loop(self, indent, depth):
        space, name = "    " * indent, f"i{self.loops}"
        self.loops += 1
        over = ["3", "n % 4", "t % 3", "a % 4", "1, 6, 2", "t % 5, -1, -2"]
        self.lines.append(f"{space}for {name} in range({self.of.choice(over)}):")
        self.lines.append(f"{space}    {self.of.choice(VARIABLES)} += {name}")
        self.block(indent + 1, depth - 1, True)
        if self.of.random() < 0.3:
            self.lines.append(f"{space}else:")
            self.block(indent + 1, depth - 1, False)


def written(seed):
    writer = Writer(seed)
    writer.block(2, 3, False)
    head = "def kernel(out, n, m):\n    t = cuda.threadIdx.x\n    a, b, c, d = t, n, 3, m - t\n    if t != 7:\n"
    return f"{head}{chr(10).join(writer.lines)}\n    out[t, 0], out[t, 1], out[t, 2], out[t, 3] = a, b, c, d\n"


def function_of(path, text):
    path.write_text(f"from warploom import cuda\n\n\n{text}")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.every(3)
@pytest.mark.parametrize("seed", [*range(24), *(pytest.param(one, marks=pytest.mark.slow) for one in range(24, 400))])
def test_a_random_kernel_leaves_what_each_thread_leaves_alone(tmp_path, seed):
    module = function_of(tmp_path / f"random{seed}.py", written(seed))
    n, m = np.int32(seed * 7 - 90), np.int32(13 - seed)
    wanted, out = np.zeros((2, THREADS, 4), np.int64)
    for thread in range(THREADS):
        module.cuda = SimpleNamespace(threadIdx=SimpleNamespace(x=thread))
        module.kernel(wanted, int(n), int(m))
    module.cuda = cuda
    mechanism = ("stack", "minpc", "its")[seed % 3]
    gpu = warploom.GPU("sm", set={"core.divergence": mechanism}, engine="python")
    cuda.jit(module.kernel).on(gpu)[1, THREADS](out, n, m)
    assert out.tolist() == wanted.tolist(), written(seed)
