"""The judge's side of a Python program: what a guest may send, and what bounds its launches."""

from contextlib import nullcontext
from types import SimpleNamespace

import pytest

from warploom.grade.described import NotPlain
from warploom.grade.host import python
from warploom.grade.host.child import Limits
from warploom.grade.host.launches import Launches
from warploom.grade.host.python import PythonProgram
from warploom.grade.runs import Stopped


@pytest.fixture
def program(tmp_path):
    made = PythonProgram.__new__(PythonProgram)
    made.task = SimpleNamespace(folder=tmp_path, machine=SimpleNamespace(gpu="sm", set={}, max_cycles=1000))
    made.submission = SimpleNamespace(text="", path=tmp_path / "a.py")
    made.gpu = made.locked = None
    return made


def test_a_guest_ends_once(program, monkeypatch):
    """Each further message would stay in the judge's memory."""

    def serve(take, answer, give):
        assert answer({"end": 0}) is None
        for again in ({"end": 0}, {"locked": []}, {"functions": []}):
            with pytest.raises(Stopped, match="it wrote to the judge's pipe"):
                answer(again)

    child = SimpleNamespace(wire=None, serve=serve, printed=b"1", told=b"", status=0)
    monkeypatch.setattr(python, "Child", lambda *given: nullcontext(child))
    monkeypatch.setattr(python, "send", lambda *given: None)
    monkeypatch.setattr(python, "Context", lambda *given: None)
    assert program.run("", [], Limits(1, 1, 1), Launches(1000), checked=False) == ("1", "")


@pytest.mark.parametrize("error", [AssertionError(), AttributeError("x"), IndexError(), ZeroDivisionError()])
def test_whatever_a_kernel_leads_to_is_not_the_judges_end(program, monkeypatch, error):
    def fails(*given):
        raise error

    def serve(take, answer, give):
        answer({"functions": [], "first": 0})

    child = SimpleNamespace(wire=None, serve=serve)
    monkeypatch.setattr(python, "Child", lambda *given: nullcontext(child))
    monkeypatch.setattr(python, "send", lambda *given: None)
    monkeypatch.setattr(python, "Context", lambda *given: None)
    monkeypatch.setattr(program, "_launched", fails, raising=False)
    with pytest.raises(Stopped, match=f"what was handed over cannot be run: {type(error).__name__}"):
        program.run("", [], Limits(1, 1, 1), Launches(1000), checked=False)


def test_a_kernels_text_is_bounded(program, monkeypatch):
    monkeypatch.setattr(python, "MOST_BYTES", 20)
    program._kernels = {}
    with pytest.raises(NotPlain, match="20 are the most"):
        program._kernel({"functions": ["x" * 20], "first": 0}, None)


@pytest.mark.parametrize("checked", [False, True])
def test_a_launch_has_the_cycles_that_are_left_to_all(program, monkeypatch, checked):
    given = []

    class Kernel:
        def launch(self, *arguments, **options):
            given.append(options["max_cycles"])

        def launch_checked(self, *arguments, **options):
            given.append(options["max_cycles"])
            return SimpleNamespace(findings=[], result=None)

    launches = Launches(1000)
    launches.figures["cycles"] = 900
    monkeypatch.setattr(Launches, "ran", lambda self, result: None)
    monkeypatch.setattr(program, "_kernel", lambda body, context: (None, Kernel()), raising=False)
    body = {"grid": [1], "block": [1], "shared": 0, "arguments": []}
    assert program._launched(body, None, launches, checked) == []
    assert given == [100]
