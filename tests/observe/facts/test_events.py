"""What is said where a view has no events to be made of: which of the two reasons it is."""

import pytest

import warploom
from tests.places import EXAMPLES
from warploom.observe.facts.events import events_of

MATADD = (EXAMPLES / "tiny/matadd.asm").read_text()


def run(text, **options):
    return warploom.GPU("tiny-simt", engine="python").run(warploom.tiny.assemble(text, path="matadd.asm"), **options)


def test_a_run_that_was_not_traced_has_to_be_run_again():
    with pytest.raises(ValueError, match=r"^this view needs the events of the run: run it with tracing=True$"):
        events_of(run(MATADD), "this view")


def test_a_launch_without_threads_has_nothing_to_show_however_it_is_run():
    assert ".threads 8" in MATADD
    with pytest.raises(ValueError, match=r"^no warp has run, so there is nothing to show$"):
        events_of(run(MATADD.replace(".threads 8", ".threads 0"), tracing=True), "this view")
