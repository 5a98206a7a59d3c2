"""Compiling a machine: which pieces it has, and that what is compiled is found again."""

import re

import pytest

from tests.machine.programs import FREE, Assembly, config
from tests.machine.run.counting import Counting
from tests.places import ROOT
from warploom import GPU
from warploom.machine.engine.native.cache import cache_directory
from warploom.machine.run import compile as compiling
from warploom.machine.run.compile import compile_native, entry_call, is_compiled
from warploom.machine.run.probe import Probe


@pytest.mark.parametrize("engine", ["python", "native"])
def test_an_entry_takes_the_limit_alone(engine):
    machine = Counting(100)
    call = entry_call(machine, engine)
    call(40)
    assert machine.cycle == 40
    call(1000)
    assert machine.cycle == 100


def test_what_is_compiled_is_found_again(cache):
    said = []
    assert not is_compiled(Counting(1))
    compile_native(Counting(1), said.append)
    assert is_compiled(Counting(1))
    compile_native(Counting(1), said.append)
    assert said == ["compiling the native engine, once; about 3 s"]


def test_a_machine_with_probes_is_none_to_run_natively(cache):
    machine = Counting(1)
    compile_native(machine)
    machine.probes = [Probe("policy", print)]
    assert not is_compiled(machine)


def arithmetic():
    code = Assembly()
    code.op("add", FREE, FREE, imm=1)
    code("exit")
    return code.program()


def names(machine):
    return [hook.function.__name__ for hook in compiling._pieces(machine, machine.arguments(native=True))]


def test_the_longest_pieces_come_first_and_the_entry_last():
    machine = GPU(config()).machine(arithmetic())
    units = machine.arguments(native=True)[-1]
    first = [getattr(units, name).function.__name__ for name in compiling.LONGEST_FIRST if getattr(units, name, None) is not None]
    found = names(machine)
    assert found[: len(first)] == first
    assert found[-1] == machine.entry.__name__
    assert len(found) == sum(unit is not None for unit in units) + 1


def test_a_users_own_function_is_none_of_the_pieces_that_are_kept():
    def first(s, now):
        return 0

    gpu = GPU(config(), scheduler=first)
    assert len(names(gpu.machine(arithmetic()))) == len(names(GPU(config()).machine(arithmetic()))) - 1


def test_a_piece_is_claimed_once(cache):
    (cache_directory() / "claims").mkdir(parents=True)
    piece = compiling._pieces(Counting(1), Counting(1).arguments(native=True))[-1]
    assert compiling._claim(piece)
    assert not compiling._claim(piece)


def test_it_is_told_which_piece_is_compiled_and_how_many_are_there(cache, monkeypatch):
    machine = GPU(config()).machine(arithmetic())
    pieces = compiling._pieces(machine, machine.arguments(native=True))
    made = set()

    class Code:
        untrusted = ""

        def is_compiled(self, piece):
            return piece in made

        def pointer(self, piece):
            made.add(piece)

    monkeypatch.setattr(compiling, "_helpers", lambda machine, count: [])
    said = []
    compiling._compile_pieces(machine, Code(), pieces, said.append)
    assert said == [
        f"compiled {done} of {len(pieces)} pieces; now {piece.function.__name__.replace('_', ' ')}" for done, piece in enumerate(pieces)
    ]


def test_the_first_compile_takes_one_time_wherever_it_is_named():
    from warploom.machine.device.machine import PipelineMachine

    pages = [ROOT / "README.md", ROOT / "docs" / "two-speeds.md", ROOT / "warploom" / "cli" / "warmup.py"]
    named = {path.name: re.findall(r"for\s+(\d+) to \d+ seconds", path.read_text(encoding="utf-8")) for path in pages}
    assert named == {path.name: [f"{PipelineMachine.compile_seconds:.0f}"] for path in pages}
