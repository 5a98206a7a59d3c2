"""Where native code is kept: which files it depends on, and when it is forgotten."""

import importlib
import os
from pathlib import Path

import warploom
from warploom.machine.engine.native import cache
from warploom.machine.engine.native.cache import MAKES_UNITS, cache_directory, files_of_units

PACKAGE = Path(warploom.__file__).parent


def names():
    return {path.relative_to(PACKAGE).as_posix() for path in files_of_units()}


def test_the_cache_depends_on_every_file_with_units_and_on_their_constants():
    for path in PACKAGE.glob("machine/**/*.py"):
        found = importlib.import_module(".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts))
        if any(getattr(value, "__warploom_unit__", False) and value.__module__ == found.__name__ for value in vars(found).values()):
            assert path in files_of_units(), path
    assert names() >= {
        "isa/uop.py",
        "isa/program.py",
        "machine/engine/sizes.py",
        "machine/accounting/reasons.py",
        "machine/engine/native/rules.py",
    }


def test_a_change_of_a_report_compiles_nothing_anew():
    assert not names() & {"machine/device/report.py", "machine/run/result.py", "gpu.py", "machine/debug/session.py", "cli/run.py"}


def test_an_import_of_several_lines_is_seen():
    assert MAKES_UNITS.search("from warploom.machine.engine.unit import (\n    mirror,\n    record,\n)\n")
    assert not MAKES_UNITS.search("from warploom.machine.engine.unit import (\n    mirror,\n)\nunit = 1\n")


def test_old_versions_are_forgotten(tmp_path, monkeypatch):
    monkeypatch.setenv("WARPLOOM_CACHE", str(tmp_path))
    key = cache_directory().name
    for name in (key, "0" * len(key), "1" * len(key), "mine"):
        (tmp_path / name).mkdir()
    monkeypatch.setattr(cache.time, "time", lambda: (tmp_path / key).stat().st_mtime + cache.FORGET_SECONDS + 1)
    (tmp_path / ("1" * len(key))).touch()
    later = (tmp_path / key).stat().st_mtime + 10
    os.utime(tmp_path / ("1" * len(key)), (later, later))
    cache.forget_old_caches()
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([key, "1" * len(key), "mine"])
