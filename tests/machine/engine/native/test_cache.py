"""Where native code is kept: which files it depends on, and when it is forgotten."""

import importlib
import os
import stat
from pathlib import Path

import pytest

import warploom
from warploom.isa.host.user_cache import make_directory, read
from warploom.machine.engine.native import cache
from warploom.machine.engine.native.cache import MAKES_UNITS, cache_directory, files_of_units, keep, untrusted

PACKAGE = Path(warploom.__file__).parent


def names():
    return {path.relative_to(PACKAGE).as_posix() for path in files_of_units()}


def test_the_cache_depends_on_every_file_with_units_and_on_their_constants():
    files = files_of_units()
    for path in [*PACKAGE.glob("machine/**/*.py"), *PACKAGE.glob("checks/*.py")]:
        found = importlib.import_module(".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts))
        if any(getattr(value, "__warploom_unit__", False) and value.__module__ == found.__name__ for value in vars(found).values()):
            assert path in files, path
    assert names() >= {
        "isa/uop.py",
        "isa/program.py",
        "machine/run/tables.py",
        "machine/engine/sizes.py",
        "machine/accounting/reasons.py",
        "machine/engine/native/rules.py",
    }


def test_a_change_of_a_report_compiles_nothing_anew():
    reports = {"machine/device/report.py", "machine/run/result.py", "checks/report/findings.py"}
    assert not names() & {*reports, "gpu.py", "machine/debug/session.py", "cli/run.py"}


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
    assert sorted(path.name for path in tmp_path.iterdir() if path.name != cache.KEYS) == sorted([key, "1" * len(key), "mine"])


def test_files_are_read_again_only_where_one_has_changed(tmp_path, monkeypatch):
    monkeypatch.setenv("WARPLOOM_CACHE", str(tmp_path))
    read_ones = []
    monkeypatch.setattr(cache, "files_of_units", lambda: read_ones.append(1) or {PACKAGE / "isa" / "uop.py": str(len(read_ones))})
    asked = cache._cache_key.__wrapped__
    first = asked()
    assert asked() == first and len(read_ones) == 1
    monkeypatch.setattr(cache, "_state", lambda versions: "of another day")
    assert asked() != first and len(read_ones) == 2
    (noted,) = (tmp_path / cache.KEYS).iterdir()
    noted.write_text("half")
    asked()
    assert len(read_ones) == 3
    noted.chmod(0o666)  # anybody may have written that
    asked()
    assert len(read_ones) == 4


def test_a_file_that_is_written_again_changes_the_state(tmp_path):
    one = tmp_path / "version.py"
    one.write_text("1")
    before = cache._state([one])
    assert cache._state([one]) == before
    one.write_text("22")
    assert cache._state([one]) != before


def test_every_room_that_native_code_depends_on_is_looked_through():
    assert {name.partition("/")[0] for name in names()} <= set(cache.READ)


@pytest.fixture
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("WARPLOOM_CACHE", str(tmp_path / "kept" / "here"))
    return cache_directory()


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


def test_what_is_kept_is_for_the_user_alone(home):
    before = os.umask(0)
    try:
        assert keep(home / "a.piece", b"code") == ""
    finally:
        os.umask(before)
    assert [mode(path) for path in (home, home.parent, home / "a.piece")] == [0o700, 0o700, 0o600]
    assert read(home / "a.piece") == b"code"
    assert [path.name for path in home.iterdir()] == ["a.piece"]


def test_a_cache_that_others_may_write_to_is_not_used(home):
    make_directory(home)
    assert untrusted() == ""
    home.chmod(0o777)
    sentence = f"the cache of native code, {home}, is not used: others may write to it (chmod go-w)"
    assert (untrusted(), keep(home / "a.piece", b"code")) == (sentence, sentence)
    assert not list(home.iterdir())


@pytest.mark.parametrize("which", ["directory", "above"])
def test_a_cache_of_somebody_elses_is_not_used(home, monkeypatch, which):
    make_directory(home)
    place, real = home if which == "directory" else home.parent, Path.stat

    def stat_of_another(path, **options):
        found = real(path, **options)
        return os.stat_result((*found[:4], 4711, *found[5:])) if path == place else found

    monkeypatch.setattr(Path, "stat", stat_of_another)
    assert untrusted() == f"the cache of native code, {place}, is not used: it belongs to somebody else"


def test_what_cannot_be_kept_is_said(home, tmp_path):
    (tmp_path / "kept").write_text("a file in the way")
    assert keep(home / "a.piece", b"code") == f"native code cannot be kept in {home}: Not a directory"
