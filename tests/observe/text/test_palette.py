"""The palette, measured by others' formulas: CIE L*a*b* and the colour-blindness matrices of Machado, Oliveira and Fernandes (2009)."""

import itertools
import re

import numpy as np
import pytest

from warploom.machine.accounting.reasons import REASONS as WARP_REASONS
from warploom.machine.sequencer.states import STATES as CORE_STATES
from warploom.observe.text import palette

TO_XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
WHITE = np.array([0.95047, 1.0, 1.08883])
EYES = {
    "usual": np.eye(3),
    "no red": np.array([[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]),
    "no green": np.array([[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]),
    "no blue": np.array([[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]]),
}
TOGETHER = {
    "warps": {**palette.LANES, **{name: look for name, look in palette.REASONS.items() if name != "selected"}},
    "sequencer": {
        **palette.LANES,
        **{name: look for name, look in palette.STATES.items() if name not in ("idle", "done", "execute")},
    },
    "lookups": palette.LOOKUPS,
    "slots": {str(number): look for number, look in enumerate(palette.WARPS)},
}
LEAST_LIGHTNESS, LEAST_DISTANCE, LEAST_OF_A_COLOUR = 10, 18, 12


def lab(colour, eyes=EYES["usual"]):
    part = np.array([int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)])
    linear = eyes @ np.where(part <= 0.04045, part / 12.92, ((part + 0.055) / 1.055) ** 2.4)
    x = TO_XYZ @ np.clip(linear, 0, 1) / WHITE
    f = np.where(x > 0.008856, np.cbrt(x), 7.787 * x + 16 / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


@pytest.mark.parametrize("ground", ["light", "dark"])
@pytest.mark.parametrize("table", TOGETHER)
def test_any_two_looks_differ_in_pattern_or_in_lightness_and_colour_for_all_eyes(table, ground):
    for (one, a), (other, b) in itertools.combinations(TOGETHER[table].items(), 2):
        if a.pattern != b.pattern:
            continue
        first, second = getattr(a, ground), getattr(b, ground)
        assert abs(lab(first)[0] - lab(second)[0]) >= LEAST_LIGHTNESS, (one, other)
        for name, eyes in EYES.items():
            assert np.linalg.norm(lab(first, eyes) - lab(second, eyes)) >= LEAST_DISTANCE, (one, other, name)


@pytest.mark.parametrize("ground", ["light", "dark"])
def test_active_is_lightest_and_diverged_darkest(ground):
    lightness = {name: lab(getattr(look, ground))[0] for name, look in TOGETHER["warps"].items() if name != "no thread"}
    assert max(lightness, key=lightness.get) == "active"
    assert min(lightness, key=lightness.get) == "diverged"


@pytest.mark.parametrize("ground", ["light", "dark"])
@pytest.mark.parametrize("table", ["warps", "sequencer", "lookups"])
def test_no_two_looks_share_a_colour(table, ground):
    """A terminal has no patterns, and a cell of a few points has none either."""
    for (one, a), (other, b) in itertools.combinations(TOGETHER[table].items(), 2):
        assert np.linalg.norm(lab(getattr(a, ground)) - lab(getattr(b, ground))) >= LEAST_OF_A_COLOUR, (one, other)


def test_every_reason_and_every_state_has_a_look():
    assert set(palette.REASONS) == {reason.name for reason in WARP_REASONS}
    assert set(palette.STATES) == set(CORE_STATES)
    assert palette.look_of("wait") is not palette.look_of("wait", sequencer=True)


@pytest.mark.parametrize("table", TOGETHER)
def test_looks_are_hex_colours_with_a_pattern_and_a_letter_of_their_own(table):
    looks = TOGETHER[table].values()
    for look in looks:
        assert re.fullmatch(r"#[0-9A-F]{6}", look.light)
        assert re.fullmatch(r"#[0-9A-F]{6}", look.dark)
        assert look.pattern in palette.PATTERNS
    assert len({look.letter for look in looks}) == len(looks)


@pytest.mark.parametrize(("ground", "dark"), [(palette.LIGHT, False), (palette.DARK, True)])
def test_text_can_be_read_on_its_ground(ground, dark):
    """WCAG 2: a contrast of 4.5 to 1 for text."""
    for text in (ground.text, ground.quiet):
        light, deep = sorted(((lab(colour)[0] + 16) / 116) ** 3 for colour in (ground.background, text))[::-1]
        assert (light + 0.05) / (deep + 0.05) >= 4.5
    assert (lab(ground.background)[0] < 50) == dark
