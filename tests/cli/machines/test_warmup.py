"""`warploom warmup`."""

import json

import pytest
from click.testing import CliRunner

from warploom.cli import main
from warploom.cli.machines.warmup import parts
from warploom.gpu import GPU
from warploom.machine.core.scheduling.policies import POLICIES
from warploom.machine.engine.native.cache import cache_directory
from warploom.machine.engine.native.loader import native
from warploom.machine.run.compile import is_compiled


def test_afterwards_every_kind_of_machine_starts_natively():
    result = CliRunner().invoke(main, ["warmup", "--json"])
    assert result.exit_code == 0
    body = json.loads(result.stdout)
    assert (body["status"], body["cache"]) == ("done", str(cache_directory()))
    assert body["seconds"] >= max(part["seconds"] for part in body["parts"]) > 0
    for part in parts():
        assert is_compiled(GPU(part.preset, set=part.settings).machine(part.program))


def test_it_says_what_it_does_and_how_long_that_took():
    lines = CliRunner().invoke(main, ["warmup"]).stdout.splitlines()
    assert [line[:52].rstrip() for line in lines[:-1]] == [part.name for part in parts()]
    assert all(line.endswith(" s") for line in lines[:-1])
    assert lines[-1].startswith("ready after ") and lines[-1].endswith(f" s; the native code is in {cache_directory()}")


@pytest.fixture
def new_process(monkeypatch):
    native.cache_clear()
    yield monkeypatch
    monkeypatch.undo()
    native.cache_clear()


def test_a_cache_that_cannot_keep_anything_is_said_before_anything_is_compiled(tmp_path, new_process):
    (tmp_path / "file").write_text("")
    new_process.setenv("WARPLOOM_CACHE", str(tmp_path / "file"))
    done = CliRunner().invoke(main, ["warmup"])
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr == f"error: {cache_directory()} cannot be written, so nothing would be kept: Not a directory\n"


def test_a_cache_that_others_may_write_to_is_said_once_and_the_run_goes_on(tmp_path, new_process):
    new_process.setenv("WARPLOOM_CACHE", str(tmp_path))
    cache_directory().mkdir()
    cache_directory().chmod(0o777)
    said = f"the cache of native code, {cache_directory()}, is not used: others may write to it (chmod go-w)"
    assert CliRunner().invoke(main, ["warmup"]).stderr == f"error: nothing would be kept: {said}\n"
    done = CliRunner().invoke(main, ["run", "examples/tiny/matadd.asm", "--engine", "native", "--quiet"])
    assert (done.exit_code, done.stderr) == (0, f"warning: {said}; what is compiled now lasts as long as this process\n")
    assert not list(cache_directory().iterdir())


def test_what_was_compiled_and_could_not_be_kept_is_said_at_the_end(new_process):
    new_process.setattr(
        GPU, "warm_up", lambda *_: setattr(native(), "not_kept", "native code cannot be kept in X: No space left on device")
    )
    done = CliRunner().invoke(main, ["warmup"])
    assert (done.exit_code, done.stderr) == (2, "error: native code cannot be kept in X: No space left on device\n")


def test_every_scheduling_policy_and_unit_is_compiled():
    found = list(parts())
    assert {part.settings.get("core.scheduler") for part in found} >= set(POLICIES)
    units = {
        unit.__name__
        for part in found
        if part.preset != "tiny"
        for unit in GPU(part.preset, set=part.settings).machine(part.program)._units()
    }
    assert units >= {"access_memory", "no_memory", "sample_texture", "no_texture", "serve_events", "no_events"}
