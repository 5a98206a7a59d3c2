"""What is said of functions, where it is said at all."""

from tests.ptx.debug.conftest import KERNEL, TEXT
from warploom.ptx.debug.descriptions import Descriptions


def test_a_text_says_nothing_of_functions_that_it_does_not_have_or_without_debug_information() -> None:
    assert Descriptions(TEXT).of("other").pieces == ()
    assert Descriptions(".target sm_80\n").of(KERNEL).parameters == ()


def test_debug_information_that_cannot_be_read_says_nothing() -> None:
    torn = TEXT[: TEXT.index(".section\t.debug_info") + 900]
    assert Descriptions(torn).of(KERNEL).pieces == ()
