"""The output merger against a serial model in exact arithmetic: every function of every stage."""

import random
from fractions import Fraction
from math import floor

import numpy as np
import pytest

from tests.machine.two_engines import both
from warploom.machine.engine.unit import unit
from warploom.machine.merger.fragment import merge
from warploom.machine.merger.registers import BLEND_MODES, COMPARES, FACTORS, LOGIC_OPERATIONS, STENCIL_OPERATIONS, Merger

PIXELS, FRAGMENTS = 6, 120
HOLDS = {
    "always": lambda a, b: True, "never": lambda a, b: False, "less": lambda a, b: a < b, "less-equal": lambda a, b: a <= b,
    "equal": lambda a, b: a == b, "greater-equal": lambda a, b: a >= b, "greater": lambda a, b: a > b, "not-equal": lambda a, b: a != b,
}  # fmt: skip
STENCILS = {
    "keep": lambda s, r: s, "zero": lambda s, r: 0, "replace": lambda s, r: r, "increment-clamp": lambda s, r: min(s + 1, 255),
    "decrement-clamp": lambda s, r: max(s - 1, 0), "invert": lambda s, r: 255 - s, "increment-wrap": lambda s, r: (s + 1) % 256,
    "decrement-wrap": lambda s, r: (s - 1) % 256,
}  # fmt: skip
BITS = {
    "clear": lambda s, d: 0, "and": lambda s, d: s & d, "and-reverse": lambda s, d: s & ~d, "copy": lambda s, d: s,
    "and-inverted": lambda s, d: ~s & d, "noop": lambda s, d: d, "xor": lambda s, d: s ^ d, "or": lambda s, d: s | d,
    "nor": lambda s, d: ~(s | d), "equivalent": lambda s, d: ~(s ^ d), "invert": lambda s, d: ~d, "or-reverse": lambda s, d: s | ~d,
    "copy-inverted": lambda s, d: ~s, "or-inverted": lambda s, d: ~s | d, "nand": lambda s, d: ~(s & d), "set": lambda s, d: ~0,
}  # fmt: skip


@unit
def drive(mergers, colors, depths, fragments):
    """Rows of `fragments`: pixel, face, colour, depth. Returns how many have passed."""
    passed = 0
    for n in range(fragments.shape[0]):
        if merge(mergers[0], colors, depths, fragments[n, 0], fragments[n, 1], fragments[n, 2], fragments[n, 3]):
            passed += 1
    return passed


def random_settings(numbers):
    def pair(most):
        return [numbers.randrange(most), numbers.randrange(most)]

    return {
        "color_write": numbers.choice([15, 15, numbers.randrange(16)]), "depth_compare": numbers.randrange(8),
        "depth_write": numbers.randrange(2), "stencil_compare": pair(8), "stencil_pass": pair(8), "stencil_depth_fail": pair(8),
        "stencil_fail": pair(8), "stencil_reference": pair(256), "stencil_mask": pair(256), "stencil_write": pair(256),
        "blend_color": pair(6), "source_factor": pair(15), "destination_factor": pair(15), "blend_constant": numbers.randrange(2**32),
        "logic_operation": numbers.randrange(16),
    }  # fmt: skip


def share(name, source, destination, constant, channel):
    """A factor as a fraction of 255."""
    kind = name.removeprefix("one-minus-")
    value = {
        "zero": 0, "one": 255, "src": source[channel], "dst": destination[channel], "src-alpha": source[3], "dst-alpha": destination[3],
        "constant": constant[channel], "constant-alpha": constant[3],
        "src-alpha-saturated": 255 if channel == 3 else min(source[3], 255 - destination[3]),
    }[kind]  # fmt: skip
    return 255 - value if name.startswith("one-minus-") else value


def model_blend(chosen, source_word, stored_word):
    source, stored, constant = (word.to_bytes(4, "little") for word in (source_word, stored_word, chosen["blend_constant"]))
    result = []
    for channel in range(4):
        part = channel == 3
        mode, s, d = BLEND_MODES[chosen["blend_color"][part]], source[channel], stored[channel]
        first = Fraction(s * share(FACTORS[chosen["source_factor"][part]], source, stored, constant, channel), 255)
        second = Fraction(d * share(FACTORS[chosen["destination_factor"][part]], source, stored, constant, channel), 255)
        value = {
            "add": first + second, "subtract": first - second, "reverse-subtract": second - first, "min": min(s, d), "max": max(s, d),
            "logic": BITS[LOGIC_OPERATIONS[chosen["logic_operation"]]](s, d) & 255,
        }[mode]  # fmt: skip
        result.append(min(max(floor(value + Fraction(1, 2)), 0), 255))
    return int.from_bytes(bytes(result), "little")


def model(chosen, colors, depths, fragments):
    passed_count = 0
    for pixel, face, color, depth in fragments:
        stencil, stored = depths[pixel] >> 24, depths[pixel] & 0xFFFFFF
        reference, mask = chosen["stencil_reference"][face], chosen["stencil_mask"][face]
        operation = "stencil_fail"
        passed = HOLDS[COMPARES[chosen["stencil_compare"][face]]](reference & mask, stencil & mask)
        if passed:
            passed = HOLDS[COMPARES[chosen["depth_compare"]]](depth & 0xFFFFFF, stored)
            operation = "stencil_pass" if passed else "stencil_depth_fail"
        after = STENCILS[STENCIL_OPERATIONS[chosen[operation][face]]](stencil, reference)
        written = chosen["stencil_write"][face]
        if chosen["stencil_compare"][face] == 0 and chosen["stencil_pass"][face] == 0 and chosen["stencil_depth_fail"][face] == 0:
            after = stencil  # the test is off
        stencil = (stencil & ~written) | (after & written)
        if passed and chosen["depth_write"]:
            stored = depth & 0xFFFFFF
        depths[pixel] = stencil << 24 | stored
        if passed:
            passed_count += 1
            new, old = model_blend(chosen, color, colors[pixel]).to_bytes(4, "little"), colors[pixel].to_bytes(4, "little")
            kept = [new[c] if chosen["color_write"] >> c & 1 else old[c] for c in range(4)]
            colors[pixel] = int.from_bytes(bytes(kept), "little")
    return passed_count


def compared(chosen, numbers):
    made = np.zeros(1, Merger)
    for name, value in chosen.items():
        made[name][0] = value
    colors, depths = ([numbers.randrange(2**32) for _ in range(PIXELS)] for _ in range(2))
    near = [numbers.randrange(2**24) for _ in range(3)]  # depths that are met again
    fragments = []
    for _ in range(FRAGMENTS):
        depth = numbers.choice([*near, numbers.randrange(2**32)])
        fragments.append((numbers.randrange(PIXELS), numbers.randrange(2), numbers.randrange(2**32), depth))
    arrays = [np.array(words, np.uint32) for words in (colors, depths)]
    passed, after = both(drive, made, *arrays, np.array(fragments, np.int64))
    assert passed == model(chosen, colors, depths, fragments)
    assert (after[1].tolist(), after[2].tolist()) == (colors, depths)


EVERY = [
    ("depth_compare", list(range(8)), 1), ("stencil_compare", list(range(8)), 2), ("stencil_pass", list(range(8)), 2),
    ("stencil_depth_fail", list(range(8)), 2), ("stencil_fail", list(range(8)), 2), ("blend_color", list(range(6)), 2),
    ("source_factor", list(range(15)), 2), ("destination_factor", list(range(15)), 2), ("color_write", list(range(16)), 1),
]  # fmt: skip


@pytest.mark.parametrize(("name", "values", "parts"), EVERY, ids=[row[0] for row in EVERY])
def test_every_value_of_a_setting(name, values, parts):
    """One setting runs through its values, the others are drawn by lot."""
    numbers = random.Random(name)
    for value in values:
        chosen = random_settings(numbers) | {name: [value, (value + 1) % len(values)] if parts == 2 else value}
        if name.endswith("factor"):
            chosen["blend_color"] = [numbers.randrange(3), numbers.randrange(3)]
        compared(chosen, numbers)


@pytest.mark.parametrize("operation", range(16), ids=LOGIC_OPERATIONS)
def test_every_logic_operation(operation):
    numbers = random.Random(operation)
    compared(random_settings(numbers) | {"blend_color": [5, 5], "logic_operation": operation, "color_write": 15}, numbers)
