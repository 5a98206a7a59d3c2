"""Control words in words."""

import pytest

from warploom.isa.sass.control.words import in_words
from warploom.isa.sass.word import Control


@pytest.mark.parametrize(
    ("word", "text"),
    [
        (Control(1, True, 7, 7, 0, 0), "next"),
        (Control(4, False, 7, 7, 0, 0), "stall 4, yields"),
        (Control(2, True, 2, 7, 0b11, 0), "stall 2, sets B2 for its result, waits for B0 B1"),
        (Control(12, True, 7, 1, 0, 0b101), "stall 12 (counts as 1), sets B1 for its operands, keeps a, c"),
    ],
)
def test_a_word_in_words(word, text):
    assert in_words(word) == text
