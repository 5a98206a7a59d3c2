"""SSA as text: what is printed is parsed again into the same function, and a mistake is said with its line."""

import re

import numpy as np
import pytest

from warploom import cuda
from warploom.compiler.compiler import PASSES, compile_function
from warploom.compiler.ssa import prune
from warploom.compiler.text import TextError, parsed, printed
from warploom.kernel.launch.compile import build
from warploom.kernel.launch.signature import kind_of

LOOP = """\
param $n i64 4  ; 0 .. 1000
b0:
    jump b1
b1:  ; from b0, b2
    %1 = phi i64 0, %3  ; 0 .. 1000
    %2 = lt i1 %1, $n  ; 0 .. 1
    branch %2, b2, b3
b2:  ; from b1
    store[8] global.4@0 %1, %1
    %3 = add i64 %1, 1  ; 1 .. 1001
    jump b1
b3:  ; from b1
    exit"""


@cuda.jit
def saxpy(a, x, y, out):
    i = cuda.grid(1)
    if i < x.size:
        out[i] = a * x[i] + y[i]


@cuda.jit
def sums(x, out):
    held = cuda.shared.array(32, np.float32)
    place = cuda.threadIdx.x
    total = np.float32(0)
    for i in range(place, x.size, 32):
        total += x[i] if x[i] > 0 else -x[i]
    held[place] = total
    cuda.syncthreads()
    if place == 0:
        cuda.atomic.add(out, 0, held[1] if x.size > 2 else held[0])


@cuda.jit
def halves(x, y):
    i = cuda.grid(1)
    if i < x.size:
        y[i] = x[i] * y[i] + x[i] if x[i] < y[i] else abs(x[i])


KERNELS = [
    (saxpy, (2.0, np.ones(8, np.float32), np.ones(8), np.ones(8))),
    (sums, (np.ones(70, np.float32), np.zeros(1, np.float32))),
    (halves, (np.ones(8, np.float16), np.ones(8, np.float16))),
]


def stages(kernel, args):
    return build(kernel.py_func, [kind_of(one) for one in args], kernel.options, printing=True).compiled.stages


def test_a_text_is_printed_as_it_was_written():
    assert "\n".join(printed(parsed(LOOP))) == LOOP


@pytest.mark.parametrize(("kernel", "args"), KERNELS, ids=lambda one: getattr(one, "__name__", ""))
def test_every_stage_of_a_kernel_is_parsed_into_itself(kernel, args):
    for name, text in stages(kernel, args).items():
        assert "\n".join(printed(parsed(text))) == text, name


@pytest.mark.parametrize(("kernel", "args"), KERNELS, ids=lambda one: getattr(one, "__name__", ""))
def test_a_parsed_kernel_becomes_the_same_machine_code(kernel, args):
    built = build(kernel.py_func, [kind_of(one) for one in args], kernel.options, printing=True)
    again = compile_function(parsed(built.compiled.stages["built"]), scalars=100, local_bytes=0)
    # Scalar registers are others: which ones the launch writes is not in the text.
    texts = [[re.sub(r"\bs\d+", "s", line) for line in lines] for lines in (again.builder.arrays()[2], built.program.text)]
    assert texts[0] == texts[1]


def test_places_in_the_source_are_kept_where_they_are_wanted():
    text = "b0:\n    %1 = special[thread_x] i64  ; 0 .. 1023 | 0:3:5+9\n    store global.4 %1, 7:u64 | 0:4:1+2\n    exit"
    assert "\n".join(printed(parsed(text), places=True)) == text


def test_bounds_and_blocks_that_are_left_out_are_worked_out():
    first, *_ = blocks = parsed("b0:\n%1 = special[thread_x] i64\n%2 = add i64 %1, 5\nstore global.4 %2, %2\njump b1\nb1:\nexit")
    assert [(value.lo, value.hi) for value in first.code[:2]] == [(0, 1023), (5, 1028)]
    assert blocks[1].before == [first]


WRONG = {
    "": "line 1: there is no block; a function begins with b0:",
    "%1 = add i64 1, 2": "line 1: '%1 = add i64 1, 2' stands before the first block; write b0: above it",
    "b0:\n%1 = add 1, 2\nexit": "line 2: %1 has no type: write one of f32, f64, i1, i64, u64",
    "b0:\nstore i64 1, 2\nexit": "line 2: store has a type and no result",
    "b0:\n%1 = add i64 %9, 2\nexit": "line 2: nothing is called %9",
    "b0:\n%1 = add i64 1, 2\n%1 = add i64 1, 2\nexit": "line 3: %1 is computed twice",
    "b0:\njump b7": "line 2: there is no block b7",
    "b0:\nexit\nexit": "line 3: b0 has ended already",
    "b0:\nbranch 1:i1, b0": "line 2: branch takes 3 names, 2 are given",
    "b0:\n%1 = add i64 1, 2  ; few\nexit": "line 2: 'few' are not bounds; write lowest .. highest",
    "b0:\njump b1\nb1:\n%1 = phi i64 1, 2\nexit": "line 4: a phi here has 1 operands, one for each block that leads here",
    "b0:\njump b1\nb1:  ; from b1\nexit": "line 3: b1 is come to from b0",
    "param n i64 4\nb0:\nexit": "line 1: a param is written `param $name type register`, as param $n i64 4",
}


@pytest.mark.parametrize("text", WRONG)
def test_a_mistake_is_said_with_its_line(text):
    with pytest.raises(TextError) as caught:
        parsed(text)
    assert str(caught.value) == WRONG[text]


# ---- passes, on text: before, and after

BEFORE_AND_AFTER = {
    "prune": (
        "b0:\n%1 = special[thread_x] i64\n%2 = add i64 %1, 1\nstore global.4 0, %1\nexit\nb1:\nexit",
        "b0:\n    %1 = special[thread_x] i64  ; 0 .. 1023\n    store global.4 0, %1\n    exit",
    ),
    "halves": (
        "b0:\n%1 = load global.2 u64 0 ; 0 .. 65535\n%2 = h2f f32 %1\n%3 = fadd f32 %2, 1.5:f32\n%4 = f2h u64 %3 ; 0 .. 65535\n"
        "store global.2 0, %4\nexit",
        "b0:\n    %1 = load global.2 u64 0  ; 0 .. 65535\n    %2 = h2f f32 %1\n    %3 = fadd f32 %2, 1.5:f32\n"
        "    %4 = half[fadd] u64 %1, 15872:u64  ; 0 .. 65535\n    store global.2 0, %4\n    exit",
    ),
    "offsets": (
        "b0:\n%1 = special[thread_x] i64\n%2 = add i64 %1, 12\nstore global.4 %2, %1\nexit",
        "b0:\n    %1 = special[thread_x] i64  ; 0 .. 1023\n    %2 = add i64 %1, 12  ; 12 .. 1035\n    store[12] global.4 %1, %1\n    exit",
    ),
    "neighbours": (
        "b0:\n%1 = special[thread_y] i64\n%2 = shl i64 %1, 3\n%3 = load[4] shared.4 i64 %2\n%4 = load[12] shared.4 i64 %2\n"
        "%5 = load shared.4 i64 %2\nstore shared.4 %2, %3\nstore shared.4 %2, %4\nstore shared.4 %2, %5\nexit",
        "b0:\n    %1 = special[thread_y] i64  ; 0 .. 1023\n    %2 = shl i64 %1, 3  ; 0 .. 8184\n    %5 = load shared.4/8 i64 %2BOUNDS\n"
        "    %3 = load[4] shared.4/8 i64 %2BOUNDS\n    %4 = load[12] shared.4 i64 %2BOUNDS\n    store shared.4 %2, %3\n"
        "    store shared.4 %2, %4\n    store shared.4 %2, %5\n    exit".replace(
            "BOUNDS", "  ; -9223372036854775808 .. 9223372036854775807"
        ),
    ),
    "ranges": (
        LOOP.replace("0 .. 1000\n    %2", "-9223372036854775808 .. 9223372036854775807\n    %2").replace("1 .. 1001", "-5 .. 5000"),
        LOOP.replace("1 .. 1001", "1 .. 1000"),
    ),
}


@pytest.mark.parametrize("name", [one.name for one in PASSES])
def test_a_pass_does_to_a_text_what_it_is_there_for(name):
    pass_ = next(one for one in PASSES if one.name == name)
    text, after = BEFORE_AND_AFTER["prune" if name == "sweep" else name]
    blocks = parsed(text)
    found = pass_.work(blocks)
    assert "\n".join(printed(blocks if found is None else found)) == after


def test_what_is_pruned_already_stays():
    assert "\n".join(printed(prune(parsed(LOOP)))) == LOOP
