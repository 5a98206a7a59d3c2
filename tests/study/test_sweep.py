"""Many runs: outcomes, order, processes, a cluster."""

import dataclasses
import multiprocessing
import time

import numpy as np
import pytest

import warploom
from warploom.machine.config.presets import load_config
from warploom.study import sweep
from warploom.study.needs import StudyError
from warploom.study.sweep import Outcome, Task, measure, spread

ADD = """
.threads 4
.data 1 2 3 4
LDR R0, %threadIdx
ADD R0, R0, R0
STR %threadIdx, R0
RET
"""
DIVERGE = ".threads 4\nCMP %threadIdx, R0\nBRz END\nNOP\nEND:\nRET\n"
FOR_EVER = ".threads 1\nAGAIN:\nCMP R0, R0\nBRnzp AGAIN\nRET\n"


def task(text=ADD, gpu="tiny", max_cycles=10_000, **changes):
    changes = {name.replace("__", "."): value for name, value in changes.items()}
    return Task(warploom.tiny.assemble(text, path="x.asm"), load_config(gpu, changes), max_cycles, "python")


def double(number, notice=None):
    return 2 * number


def slow(number, notice=None):
    time.sleep(0.02)
    return number


def die(number, notice=None):
    import os

    time.sleep(0.02)
    if number == 3:
        os._exit(1)
    return number


def test_a_task_that_watches_a_buffer_gives_its_bytes_and_every_issue():
    program = warploom.guppy.assemble(".threads 4\n.buffer u0 4\nmul.u32 r0.x, thread_id, u(4)\nst u0.x, r0.x, thread_id\nret\n", path="x")
    plain = Task(program, load_config("guppy"), engine="python")
    assert (measure(plain).contents, measure(plain).issues) == (b"", ())
    outcome = measure(dataclasses.replace(plain, watched="u0"))
    assert np.frombuffer(outcome.contents, "<u4").tolist() == [0, 1, 2, 3]
    assert [(issue.pc, issue.lanes) for issue in outcome.issues] == [(0, 0b1111), (1, 0b1111), (2, 0b1111)]
    assert [issue.cycle for issue in outcome.issues] == sorted(issue.cycle for issue in outcome.issues)


def test_a_run_that_ends_well_has_metrics_counters_and_a_digest_of_its_memory():
    found = measure(task())
    result = warploom.GPU("tiny").run(warploom.tiny.assemble(ADD))
    assert (found.status, found.message, found.cycles) == ("done", "", result.cycles)
    assert found.counters == result.counters
    assert found.metrics["ipc"] == result.instructions / result.cycles
    assert found.memory == measure(task(memory__data_channels=1)).memory != measure(task(DIVERGE, "tiny-simt")).memory


def test_the_digest_of_a_memory_does_not_depend_on_its_size():
    assert measure(task()).memory == measure(task(gpu="tiny-simt", memory__bytes=1024)).memory


def test_faults_timeouts_and_impossible_launches_are_outcomes():
    fault = measure(task(DIVERGE))
    assert fault.status == "error"
    assert fault.message.startswith("x.asm:3 (BRz END): ")
    endless = measure(task(FOR_EVER, max_cycles=100))
    assert (endless.status, endless.message, endless.cycles) == ("timeout", "still running after 100 cycles", 100)
    big = Task(warploom.tiny.assemble(ADD).with_launch(block=64), load_config("tiny-simt", {"core.warps": 1}), engine="python")
    assert measure(big).status == "impossible"
    assert measure(big).message
    assert not measure(big).done


def test_results_come_in_the_order_of_the_tasks():
    assert spread(double, range(100), jobs=1) == [2 * number for number in range(100)]


def test_a_long_sweep_goes_on_in_processes_and_says_how_far_it_is(monkeypatch):
    monkeypatch.setattr(sweep, "ALONE", 0.05)
    said = []
    assert spread(slow, range(12), jobs=2, progress=lambda done, total: said.append((done, total))) == list(range(12))
    assert said == sorted(said)
    assert said[-1] == (12, 12)
    assert len(said) > 1


def test_runs_in_processes_give_what_runs_here_give(monkeypatch):
    tasks = [task(gpu__cores=cores) for cores in (1, 2, 3)]
    here = spread(measure, tasks, jobs=1)
    monkeypatch.setattr(sweep, "ALONE", -1.0)
    assert spread(measure, tasks, jobs=2) == here


def test_no_process_is_left_behind(monkeypatch):
    monkeypatch.setattr(sweep, "ALONE", 0.0)
    assert spread(slow, range(6), jobs=2) == list(range(6))
    assert multiprocessing.active_children() == []


def test_a_process_that_dies_is_told_in_a_sentence(monkeypatch):
    monkeypatch.setattr(sweep, "ALONE", 0.0)
    message = "^a process that ran a part of the sweep has died, most likely for lack of memory: use fewer with --jobs$"
    with pytest.raises(StudyError, match=message):
        spread(die, range(6), jobs=2)


def test_at_least_one_process():
    with pytest.raises(StudyError, match=r"^jobs = 0: at least one process runs$"):
        spread(double, [1], jobs=0)


@pytest.fixture(scope="module")
def cluster():
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as made:
        yield made


def test_a_cluster_gives_what_runs_here_give(cluster):
    tasks = [task(gpu__cores=cores) for cores in (1, 2, 3)]
    said = []
    found = spread(measure, tasks, dask=cluster.scheduler_address, progress=lambda done, total: said.append((done, total)))
    assert found == [measure(one) for one in tasks]
    assert said == [(1, 3), (2, 3), (3, 3)]


def test_compare_spreads_over_a_cluster(cluster):
    program = warploom.tiny.assemble(ADD)
    over = {"gpu.cores": "1..3", "memory.data_channels": [1, 4]}
    here = warploom.compare(program, over)
    there = warploom.compare(program, over, dask=cluster.scheduler_address)
    assert there.to_dict() == here.to_dict()


def test_a_scheduler_that_is_not_there_is_told_in_a_sentence(monkeypatch):
    pytest.importorskip("distributed")
    monkeypatch.setattr(sweep, "CLUSTER_SECONDS", 0.3)
    with pytest.raises(StudyError, match=r"^there is no Dask scheduler at 'tcp://127.0.0.1:9': "):
        spread(double, [1], dask="tcp://127.0.0.1:9")


def test_an_outcome_without_a_run_has_no_metrics():
    assert Outcome("impossible", "why").metrics == {}
