"""Several processes that compile: none does what another is doing, and what one leaves the others do."""

import subprocess
import sys
from types import SimpleNamespace

import pytest

from tests.machine.run.counting import Counting
from warploom.machine.run import helpers
from warploom.machine.run.compile import HELPER, compile_beside, compile_native, is_compiled
from warploom.machine.run.helpers import Beside, Report, compile_if_free, compile_pieces


class Code:
    """In the place of native code: pieces are words."""

    untrusted = ""

    def __init__(self):
        self.made = []

    def is_compiled(self, piece):
        return piece in self.made

    def pointer(self, piece):
        self.made.append(piece)

    def file_name(self, piece):
        return piece.function.__name__


class Orders:
    """In the place of an order: each time a helper is asked for, what it does; the last one again and again."""

    def __init__(self, *helpers):
        self.helpers, self.asked = list(helpers), []

    def start(self, count):
        self.asked.append(count)
        return self.helpers


class Helper:
    """Another process: at each look it does what comes next, and then it has ended."""

    def __init__(self, *steps, status=0):
        self.steps, self.returncode, self.status = list(steps), None, status

    def poll(self):
        if self.steps:
            self.steps.pop(0)()
        elif self.returncode is None:
            self.returncode = self.status
        return self.returncode

    def wait(self):
        return 0


def piece(name):
    return SimpleNamespace(function=SimpleNamespace(__name__=name))


class Pieces(list):
    def __init__(self, *names):
        super().__init__(map(piece, names))


@pytest.fixture(autouse=True)
def no_waiting(monkeypatch, cache):
    monkeypatch.setattr(helpers, "WAIT_SECONDS", 0.0)


HOLDER = """
import sys
from pathlib import Path
from warploom.isa.host.lock import lock
with lock(Path(sys.argv[1])) as mine:
    print(mine, flush=True)
    sys.stdin.readline()
"""


@pytest.fixture
def elsewhere():
    """Another process that holds the lock of a piece; what is called to have it end."""
    started = []

    def hold(name):
        path = helpers.cache_directory() / "claims" / name
        holder = subprocess.Popen([sys.executable, "-c", HOLDER, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        started.append(holder)
        assert holder.stdout.readline().strip() == b"True"
        return holder.kill, holder.wait

    yield hold
    for holder in started:
        holder.kill()
        holder.communicate()


def test_a_piece_that_another_process_compiles_is_left_to_it_until_that_one_is_gone(elsewhere):
    code, first = Code(), piece("execute")
    kill, wait = elsewhere("execute")
    compile_if_free(code, first)
    assert code.made == []
    kill()
    wait()
    compile_if_free(code, first)
    compile_if_free(code, first)
    assert code.made == [first]


def test_it_says_which_piece_is_compiled_how_many_are_there_and_how_long_it_takes(monkeypatch):
    seconds = iter(range(0, 1000, 7))
    monkeypatch.setattr(helpers, "time", SimpleNamespace(monotonic=lambda: next(seconds), sleep=None))
    code, pieces, said = Code(), Pieces("execute", "load_store"), []
    report = Report(code, pieces, 15.0, said.append)
    report.begin("the native engine")
    compile_pieces(code, pieces, Orders(), report)
    assert said == [
        "compiling the native engine, once; about 15 s",
        "compiled 0 of 2 pieces in 7 s; now execute",
        "compiled 1 of 2 pieces in 14 s; now load store",
    ]


def test_what_a_helper_makes_is_counted_and_what_it_leaves_is_compiled_here(elsewhere):
    code, pieces, said = Code(), Pieces("a", "b", "c"), []
    kill_first, _ = elsewhere("a")
    kill_second, wait = elsewhere("b")
    helper = Helper(lambda: code.made.append(pieces[0]), lambda: (kill_second(), wait(), kill_first()), status=-9)
    compile_pieces(code, pieces, Orders(helper), Report(code, pieces, 1.0, said.append))
    assert code.made == [pieces[2], pieces[0], pieces[1]]
    assert [text.partition(" in ")[0] for text in said[:2]] == ["compiled 0 of 3 pieces", "compiled 2 of 3 pieces"]
    assert "a process that helped to compile has ended with status -9; its part is compiled here" in said


def test_who_stops_the_process_that_is_helped_stops_its_helpers(monkeypatch):
    def interrupted(*given):
        raise KeyboardInterrupt

    helper = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    monkeypatch.setattr(helpers, "compile_if_free", interrupted)
    with pytest.raises(KeyboardInterrupt):
        compile_pieces(Code(), Pieces("a"), SimpleNamespace(start=lambda count: [helper]), None)
    assert helper.wait(30) != 0


def beside(code, pieces, order, said):
    return Beside(code, pieces, order, Report(code, pieces, 15.0, said.append, beside=True))


def test_beside_a_run_others_compile_and_it_is_told_how_far_they_are():
    code, pieces, said = Code(), Pieces("a", "b"), []
    order = Orders(Helper(lambda: code.made.append(pieces[0]), lambda: code.made.append(pieces[1])))
    compiling = beside(code, pieces, order, said)
    assert said == ["compiling the native engine, once; about 15 s; the run continues in plain Python meanwhile"]
    assert len(order.asked) == 1
    assert not compiling.has_ended() and not compiling.has_ended()
    assert compiling.has_ended() and len(order.asked) == 1
    assert [text.partition(" in ")[0] for text in said[1:]] == ["compiled 1 of 2 pieces", "compiled 2 of 2 pieces"]


def test_where_another_command_compiles_no_process_is_started_until_it_is_stopped(elsewhere):
    code, pieces, said = Code(), Pieces("a", "b"), []
    kill, wait = elsewhere("b")
    order = Orders(Helper(lambda: None))
    compiling = beside(code, pieces, order, said)
    assert not compiling.has_ended() and order.asked == []
    kill()
    wait()
    assert not compiling.has_ended() and len(order.asked) == 1


def test_where_no_process_can_be_started_or_all_were_stopped_it_has_ended():
    for order in (Orders(), Orders(Helper(status=-9))):
        assert beside(Code(), Pieces("a"), order, []).has_ended()


def test_nothing_is_said_or_started_where_all_is_compiled_or_nothing_is_kept():
    code, pieces, said, order = Code(), Pieces("a", "b"), [], Orders()
    code.made += pieces
    assert beside(code, pieces, order, said).has_ended()
    code.made, code.untrusted = [], "not ours"
    assert beside(code, pieces, order, said).has_ended()
    assert (said, order.asked) == ([], [])


def test_a_machine_that_cannot_be_told_to_another_process_is_compiled_here():
    machine = Counting(1)
    machine.units = {"policy": lambda s, now: 0}
    assert helpers.Order(machine, (), HELPER).start(2) == []
    assert compile_beside(machine).has_ended() and not is_compiled(machine)
    compile_native(machine)
    assert is_compiled(machine)
