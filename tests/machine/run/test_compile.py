"""Compiling a machine: which pieces it has, and that what is compiled is found again."""

import io
import pickle
import re
import shutil
import subprocess
import sys
from types import SimpleNamespace

import numpy as np
import pytest

import warploom
from tests.machine.programs import FREE, Assembly, config
from tests.machine.run.counting import Counting
from tests.places import EXAMPLES, ROOT
from warploom import GPU
from warploom.isa.frontend import Options
from warploom.machine.accounting.status import DONE, FAULT
from warploom.machine.engine.native.cache import cache_directory, fits_directory
from warploom.machine.engine.native.loader import native
from warploom.machine.engine.native.piece import ANY, Piece
from warploom.machine.engine.users import UnitError
from warploom.machine.run import compile as compiling
from warploom.machine.run import helpers
from warploom.machine.run.compile import compile_fitted, compile_native, entry_call, is_compiled, is_fitted
from warploom.machine.run.driver import drive
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


def test_a_mistake_in_a_users_function_is_said_before_anything_of_the_machine_is_compiled(cache, monkeypatch):
    def unknown(s, now):
        return s.activ

    def compiled(*arguments):
        raise AssertionError("a piece of the machine is compiled")

    monkeypatch.setattr(compiling, "compile_pieces", compiled)
    machine = GPU(config(), scheduler=unknown).machine(arithmetic())
    with pytest.raises(UnitError, match=r"unknown cannot become native code: .*the record has no field 'activ'"):
        compiling.compile_native(machine)
    assert not list(cache.rglob("*.piece"))


def test_the_first_compile_takes_one_time_wherever_it_is_named():
    from warploom.machine.device.machine import PipelineMachine

    pages = [ROOT / "README.md", ROOT / "docs" / "two-speeds.md", ROOT / "warploom" / "cli" / "machines" / "warmup.py"]
    named = {path.name: re.findall(r"for\s+(\d+) to \d+ seconds", path.read_text(encoding="utf-8")) for path in pages}
    assert named == {path.name: [f"{PipelineMachine.compile_seconds:.0f}"] for path in pages}


def test_fitted_code_is_taken_where_it_lies_ready_and_the_machine_is_that_one(cache):
    compile_native(Counting(1))
    assert is_compiled(Counting(1)) and not is_fitted(Counting(1))
    said = []
    compile_fitted(Counting(1), said.append)
    compile_fitted(Counting(1), said.append)
    assert said == ["compiling native code for this machine, once; about 3 s"]
    assert is_fitted(Counting(1)) and is_fitted(Counting(1000))  # over any data
    assert not is_fitted(Counting(1, code=FAULT))
    for machine in (Counting(100), Counting(100, code=FAULT)):
        call = entry_call(machine, "native")
        assert call(1000) == machine.state["code"]
        assert machine.cycle == 100


def test_a_machine_may_be_fitted_before_the_native_engine_is_compiled(cache):
    compile_fitted(Counting(1))
    assert is_compiled(Counting(1)) and not is_compiled(Counting(1, code=FAULT))
    assert entry_call(Counting(5), "native", fitted=False)(9) == DONE
    assert is_compiled(Counting(1, code=FAULT))


def test_a_machine_that_traces_takes_the_code_for_all_machines(cache):
    compile_fitted(Counting(1))
    traced = Counting(1)
    traced.tracing = True
    assert not is_fitted(traced) and not is_compiled(traced)
    with pytest.raises(ValueError, match="a traced run takes no code for one machine: fit one that is not traced"):
        compile_fitted(traced)


@pytest.mark.parametrize("form", ["_form", "_fitted_form"])
@pytest.mark.parametrize("traced", [False, True])
def test_other_processes_compile_the_same_pieces(cache, monkeypatch, form, traced):
    machine, orders, made = GPU("vortex-2024", set={"gpu.cores": 1}).machine(vortex_program(), tracing=traced), [], []
    asked = getattr(compiling, form)(machine)
    assert (asked.fit == ANY) == (traced and form == "_form")
    monkeypatch.setattr(subprocess, "Popen", lambda *arguments, **more: orders.append(SimpleNamespace(stdin=Kept())) or orders[-1])
    assert helpers.Order(machine, asked.fit, compiling.HELPER).start(1) == orders
    monkeypatch.setattr(type(native()), "pointer", lambda self, piece: made.append(piece))
    order = orders[0].stdin.getvalue()
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(order[len(pickle.dumps(sys.path)) :])))
    compiling.help_to_compile()
    assert made == asked.pieces


class Kept(io.BytesIO):
    """A stream whose bytes can be read when it is closed."""

    def close(self):
        pass


def test_a_fitted_piece_that_is_damaged_is_compiled_again(cache):
    compile_fitted(Counting(1))
    (kept,) = fits_directory().glob("*.piece")
    symbol = Piece.read(kept.read_bytes()).symbol
    kept.write_bytes(b"no piece")
    native.cache_clear()
    compile_fitted(Counting(1))
    assert symbol.split("count")[0] == Piece.read(kept.read_bytes()).symbol.split("count")[0]


def test_code_for_one_machine_is_not_taken_from_where_others_may_write(cache):
    compile_fitted(Counting(1))
    fits_directory().chmod(0o777)
    native.cache_clear()
    assert native().untrusted == f"the cache of native code, {fits_directory()}, is not used: others may write to it (chmod go-w)"
    assert not is_compiled(Counting(1))


@pytest.mark.parametrize("name", ["tiny", "tiny-simt", "sm", "v100", "guppy"])
def test_what_is_known_of_a_machine_is_the_same_for_every_launch(name):
    programs = [warploom.load(EXAMPLES / "tiny" / "matmul.asm"), *(warploom.load(EXAMPLES / "tiny" / "matadd.asm") for _ in range(2))]
    machines = [GPU(name).machine(program, threads=threads) for program, threads in zip(programs, (4, 8, 12), strict=True)]
    assert len({compiling._fitted_form(machine).fit for machine in machines}) == 1


@pytest.fixture
def copied_cache(tmp_path, monkeypatch):
    """A cache with what the tests have compiled so far, to which only this test adds."""
    kept = cache_directory()
    monkeypatch.setenv("WARPLOOM_CACHE", str(tmp_path))
    shutil.copytree(kept, cache_directory(), ignore=shutil.ignore_patterns("fitted", "claims"))
    native.cache_clear()
    yield
    native.cache_clear()


def vortex_program():
    buffers = {"in": np.arange(300, dtype=np.int32), "out": np.zeros(300, np.int32)}
    return warploom.load(EXAMPLES / "vortex" / "diverge.elf", options=Options(threads=300, buffers=buffers))


@pytest.mark.slow  # each machine is compiled anew
@pytest.mark.parametrize("name", ["tiny", "sm", "guppy", "vortex-2024"])
def test_a_fitted_machine_runs_as_any_other(copied_cache, name):
    file = "guppy/load_strided.guppy" if name == "guppy" else "tiny/matmul.asm"
    program, gpu = vortex_program() if name == "vortex-2024" else warploom.load(EXAMPLES / file), GPU(name)
    machines = [gpu.machine(program) for _ in range(2)]
    compile_fitted(gpu.machine(program))
    assert is_fitted(machines[1])
    for machine, fitted in zip(machines, (False, True), strict=True):
        call = entry_call(machine, "native", fitted=fitted)
        assert drive(machine, call=call, max_cycles=1 << 30).status == "done"
    assert machines[0].state() == machines[1].state()
