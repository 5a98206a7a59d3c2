import pytest

from tests.observe.pictures.runs import run
from warploom.observe.pictures import small

pytest.importorskip("matplotlib")


def test_a_result_shows_its_masks_in_a_notebook():
    text = run("guppy/if.guppy", "guppy")._repr_html_()
    assert "<img alt='if on guppy: execution masks, 11 cycles'" in text
    assert "src='data:image/png;base64,iVBOR" in text


def test_so_does_one_of_a_core_that_runs_one_instruction_at_a_time():
    assert "<img" in small.small_picture(run("tiny/matadd.asm", "tiny"))


def test_not_without_events_and_not_when_it_would_take_long(monkeypatch):
    assert small.small_picture(run("guppy/if.guppy", "guppy", tracing=False)) == ""
    assert "<img" not in run("guppy/if.guppy", "guppy", tracing=False)._repr_html_()
    monkeypatch.setattr(small, "MOST_EVENTS", 5)
    monkeypatch.setattr(small, "MOST_REPEATED", 100)
    assert small.small_picture(run("guppy/if.guppy", "guppy")) == ""
    assert small.small_picture(run("tiny/matadd.asm", "tiny")) == ""
