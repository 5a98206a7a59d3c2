"""What is shown while something takes long: on a terminal only, after a second, and gone at the end."""

import io
import sys
from types import SimpleNamespace

import pytest

from tests.places import EXAMPLES
from warploom.cli.studies import ladder
from warploom.cli.terminal import progress
from warploom.isa import load
from warploom.study.ladder import climb


class Terminal(io.StringIO):
    def isatty(self):
        return True


def terminal_of(monkeypatch):
    """A terminal in place of standard error. In the test itself: pytest puts its own there before it."""
    shown = Terminal()
    monkeypatch.setattr(sys, "stderr", shown)
    monkeypatch.setattr(progress, "PATIENCE", 0.0)
    return shown


def test_what_nobody_can_measure_is_named_and_goes(monkeypatch):
    terminal = terminal_of(monkeypatch)
    busy = progress.Busy("drawing the picture")
    with busy:
        busy._timer.join()
    assert terminal.getvalue() == "\r\033[Kdrawing the picture ...\r\033[K"


@pytest.mark.parametrize("quiet", [True, False])
def test_where_it_is_over_at_once_or_nobody_looks_nothing_is_shown(monkeypatch, quiet):
    shown = Terminal() if quiet else io.StringIO()
    monkeypatch.setattr(sys, "stderr", shown)
    with progress.Busy("drawing the picture", quiet=quiet):
        pass
    assert shown.getvalue() == ""


def test_a_ladder_tells_its_rung_its_cycle_and_what_is_compiled(monkeypatch):
    terminal = terminal_of(monkeypatch)
    told = ladder._Progress(quiet=False)
    told(1, 9, "caches")
    told.cycles(12345)
    told.notice("compiled 1 of 3 pieces; now execute")
    told.end()
    assert terminal.getvalue().split("\r\033[K") == [
        "", "rung 2 of 9: caches", "rung 2 of 9: caches, cycle 12 345", "rung 2 of 9: caches; compiled 1 of 3 pieces; now execute", ""
    ]  # fmt: skip


def test_climbing_tells_of_every_rung_and_of_the_cycles_of_its_runs(monkeypatch):
    monkeypatch.setattr("warploom.machine.run.driver.SLICE_SECONDS", 1e-9)
    rungs, cycles = [], []
    climb(load(EXAMPLES / "tiny/matadd.asm"), progress=lambda done, total, name: rungs.append(done), cycles=cycles.append, engine="python")
    assert rungs == list(range(len(rungs)))
    assert len(cycles) > len(rungs)


def test_a_run_tells_its_cycles_its_blocks_and_its_rate(monkeypatch):
    terminal_of(monkeypatch)
    monkeypatch.setattr(progress, "time", SimpleNamespace(monotonic=iter([0.0, 1.0, 2.0, 2.0, 5.0, 5.0]).__next__))
    bar = progress.Progress("launch 0, saxpy", 10**9, limit=True)
    bar.blocks(0, 4096)
    with bar:
        bar(0)
        assert bar._text() == "0 of at most 1 000 000 000 cycles, 0 of 4 096 blocks, 0 cycles/s"
        bar.blocks(120, 4096)
        monkeypatch.setattr(progress, "time", SimpleNamespace(monotonic=lambda: 10.0))
        bar(12_345_678)
        assert bar._text() == "12 345 678 of at most 1 000 000 000 cycles, 120 of 4 096 blocks, 1 234 568 cycles/s"
        assert bar._bar.tasks[0].completed == pytest.approx(10**9 * 120 / 4096)


def test_other_counts_have_neither(monkeypatch):
    terminal_of(monkeypatch)
    with progress.Progress("comparing", 12, unit="runs") as bar:
        bar(3)
        assert bar._text() == "3 of 12 runs"
