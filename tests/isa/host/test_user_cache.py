"""What is kept from run to run, and whom it is taken from."""

import os
import stat
from pathlib import Path

import pytest

from warploom.isa.host.user_cache import Untrusted, check_trusted, keep, make_directory, read, user_cache


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("WARPLOOM_CACHE", str(tmp_path / "cache"))
    return user_cache() / "part"


def test_where_it_is(tmp_path, monkeypatch):
    for name in ("WARPLOOM_CACHE", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    assert user_cache() == tmp_path / ".cache" / "warploom"
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert user_cache() == tmp_path / "xdg" / "warploom"
    monkeypatch.setenv("WARPLOOM_CACHE", str(tmp_path / "own"))
    assert user_cache() == tmp_path / "own"


def test_a_file_is_there_whole_and_for_the_user_alone(folder):
    keep(folder / "a", b"first")
    keep(folder / "a", b"second")
    assert read(folder / "a") == b"second"
    assert [stat.S_IMODE(path.stat().st_mode) for path in (folder.parent, folder, folder / "a")] == [0o700, 0o700, 0o600]
    assert [path.name for path in folder.iterdir()] == ["a"]


def test_a_file_that_somebody_else_can_have_written_is_not_read(folder, tmp_path):
    keep(folder / "a", b"code")
    (folder / "a").chmod(0o666)
    with pytest.raises(PermissionError, match="others may write to it"):
        read(folder / "a")
    (folder / "link").symlink_to(tmp_path / "elsewhere")
    (tmp_path / "elsewhere").write_bytes(b"code")
    os.mkfifo(folder / "pipe", 0o600)
    for name in ("link", "pipe"):
        with pytest.raises(OSError):
            read(folder / name)


def test_nothing_is_kept_where_others_may_write(folder):
    make_directory(folder)
    folder.chmod(0o777)
    with pytest.raises(Untrusted) as found:
        keep(folder / "a", b"code")
    assert (found.value.place, found.value.why) == (folder, "others may write to it (chmod go-w)")
    assert not list(folder.iterdir())


def test_nor_below_what_belongs_to_somebody_else(folder, monkeypatch):
    make_directory(folder)
    real = Path.stat

    def stat_of_another(path, **options):
        found = real(path, **options)
        return os.stat_result((*found[:4], 4711, *found[5:])) if path == folder.parent else found

    monkeypatch.setattr(Path, "stat", stat_of_another)
    with pytest.raises(Untrusted, match="it belongs to somebody else"):
        check_trusted(folder)


def test_a_part_that_is_not_there_yet_is_trusted(folder):
    check_trusted(folder)


def test_a_file_that_cannot_be_written_leaves_nothing_behind(folder):
    (folder / "a").mkdir(parents=True, mode=0o700)
    folder.chmod(0o700)
    with pytest.raises(OSError):
        keep(folder / "a", b"code")
    assert [path.name for path in folder.iterdir()] == ["a"]
