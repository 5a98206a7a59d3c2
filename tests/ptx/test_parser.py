"""Texts that are cut off, mixed up or nonsense end in a SourceError or in a kernel, and never in anything else."""

import random

import pytest

from tests.ptx.conftest import HEADER
from tests.ptx.test_kernel import CALLS, GENERIC, LOOP, PARTS, SWITCH, WARPS
from warploom import SourceError
from warploom.compiler.allocate import OutOfRegisters
from warploom.ptx import read

TEXTS = (LOOP, CALLS, GENERIC, WARPS, PARTS, SWITCH)
PIECES = (
    ";",
    "}",
    "{",
    "[",
    "]",
    ",",
    ".reg",
    "bra",
    "@p",
    "0xFFFFFFFFFFFFFFFFF",
    ".param",
    "call",
    "%tid",
    '"',
    "ret;",
    "-",
    "|",
    ".b64",
    "st.param.b32",
    "Done",
    "(",
)


def mixed(number):
    rng = random.Random(number)
    text = HEADER + rng.choice(TEXTS)
    for _ in range(rng.randint(1, 4)):
        at = rng.randrange(len(text))
        how = rng.randrange(4)
        if how == 0:
            text = text[:at] + text[at + rng.randint(1, 12) :]
        elif how == 1:
            text = text[:at] + rng.choice(PIECES) + text[at:]
        elif how == 2:
            text = text[:at]
        else:
            other = rng.randrange(len(text))
            text = text[:at] + text[other : other + rng.randint(1, 30)] + text[at:]
    return text


@pytest.mark.parametrize("first", range(0, 240, 40))
def test_mixed_up_texts(first):
    for number in range(first, first + 40):
        try:
            module = read(mixed(number), "mixed.ptx")
            for name in module.kernels:
                module.compile(name, dict.fromkeys(module.variables, 256))
        except (SourceError, OutOfRegisters):
            pass


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (".visible .entry k() { bra Nowhere; }", "there is no label Nowhere"),
        (".visible .entry k() { .reg .b32 %r<9999999999>; }", "at most 1048576 can be declared together"),
        (".visible .entry k() { mov.u32 %r1 09; }", "is wanted"),
        (".global .b8 x[99999999999999];", "no memory is like that"),
        ("hello", "does not begin a declaration"),
        (".visible .entry k() { ret;", "the text ends"),
        ("§", "does not belong here"),
    ],
)
def test_the_sentence(text, said):
    with pytest.raises(SourceError, match=said):
        module = read(HEADER + text, "wrong.ptx")
        for name in module.kernels:
            module.compile(name, {})
