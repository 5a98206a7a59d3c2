"""Yosys in processes of its own: what ends them, and what they report."""

import sys
from concurrent.futures import CancelledError

import pytest

from warploom.rtl import yosys

QUICK, SLOW = "# quick, and the larger of the two, so that it begins first", "# slow"
STAND_IN = """import json, sys, time
design = open(json.load(sys.stdin)[0].split()[1]).read()
time.sleep(600 if "slow" in design else 0)"""


def test_an_interrupt_ends_the_processes_that_run(monkeypatch):
    pytest.importorskip("pyosys")
    monkeypatch.setattr(yosys, "_RUNNER", STAND_IN)
    monkeypatch.setattr(yosys.os, "cpu_count", lambda: 2)
    begun = []
    begin = yosys.subprocess.Popen

    def noted(*arguments, **options):
        begun.append(begin(*arguments, **options))
        return begun[-1]

    monkeypatch.setattr(yosys.subprocess, "Popen", noted)

    def interrupt(number, reports):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        yosys.all_of([(SLOW, ()), (QUICK, ()), (SLOW, ())], interrupt)
    assert 1 <= len(begun) <= 3
    assert [process.wait(timeout=60) for process in begun if process.returncode != 0] == [-15] * (len(begun) - 1)


def test_after_the_end_no_process_begins():
    processes = yosys.Processes()
    with processes.begin(sys.executable, "-c", "") as process:
        assert processes.running == {process}
    assert not processes.running
    processes.end()
    with pytest.raises(CancelledError), processes.begin(sys.executable, "-c", ""):
        pass


def test_what_yosys_says_when_it_stops_is_the_error():
    pytest.importorskip("pyosys")
    with pytest.raises(RuntimeError, match=r"(?s)Yosys has stopped: .*no_such_pass"):
        yosys.run("", ["no_such_pass"])
