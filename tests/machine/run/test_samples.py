"""Samples of a run: they cover the cycles that are asked for, in one pass, and hold what the run's pieces hold there."""

from tests.places import EXAMPLES
from warploom import GPU, load
from warploom.machine.accounting.events import ISSUE, KIND, TIME
from warploom.machine.run.samples import Stretch, samples

RESULT = GPU("sm", engine="python").run(load(EXAMPLES / "tiny" / "matadd.asm"), tracing=True)


def test_each_covers_its_own_cycles():
    wanted = [Stretch(10, 1), Stretch(11, 40), Stretch(90, 30)]
    found = [(piece.begins, piece.ends) for piece, _ in samples(RESULT, wanted)]
    assert found == [(10, 11), (11, 51), (90, 120)]


def test_what_is_issued_there_is_in_it():
    ((piece, seconds),) = samples(RESULT, [Stretch(40, 100)])
    all_events, events = RESULT.detail.events, piece.result.detail.events
    issued = [row[TIME] for row in all_events.tolist() if row[KIND] == ISSUE and 40 <= row[TIME] < 140]
    assert [row[TIME] for row in events.tolist() if row[KIND] == ISSUE] == issued
    assert seconds >= 0
