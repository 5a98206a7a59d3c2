"""`warploom warmup`."""

import json

from click.testing import CliRunner

from warploom.cli import main
from warploom.cli.warmup import parts
from warploom.gpu import GPU
from warploom.machine.core.scheduling.policies import POLICIES
from warploom.machine.engine.native.cache import cache_directory
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
