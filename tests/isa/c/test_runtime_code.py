"""The runtime's object: made once, kept, and made again where what is kept cannot be used."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from warploom.isa.c import compiler, runtime_code
from warploom.isa.c.runtime_code import FOLDER, FORGET_SECONDS, key_of, runtime_object

OBJECT = b"\x7fELF and so on"


@pytest.fixture
def kept(tmp_path, monkeypatch):
    monkeypatch.setenv("WARPLOOM_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache" / FOLDER


class Made:
    """Asks for the object `key`, and counts how often it is compiled."""

    def __init__(self, folder):
        self.to, self.times = folder / "runtime.o", 0

    def compiled(self):
        self.times += 1
        self.to.write_bytes(OBJECT)

    def ask(self, key="key"):
        self.to.unlink(missing_ok=True)
        runtime_object(self.to, key, self.compiled)
        assert self.to.read_bytes() == OBJECT
        return self.times


@pytest.fixture
def made(tmp_path):
    return Made(tmp_path)


def test_it_is_compiled_once(kept, made):
    assert [made.ask(), made.ask(), made.ask("other"), made.ask()] == [1, 1, 2, 2]
    assert sorted(path.name for path in kept.iterdir()) == ["key.o", "other.o"]


@pytest.mark.parametrize("damage", [lambda data: data[:-1], lambda data: b"", lambda data: data[:40] + b"x" + data[41:]])
def test_a_damaged_one_is_compiled_again(damage, kept, made):
    made.ask()
    (kept / "key.o").write_bytes(damage((kept / "key.o").read_bytes()))
    assert [made.ask(), made.ask()] == [2, 2]


def test_one_that_others_could_have_written_is_compiled_again(kept, made):
    made.ask()
    kept.chmod(0o777)
    assert [made.ask(), made.ask()] == [2, 3]


def test_where_nothing_can_be_kept_it_is_compiled_each_time(tmp_path, monkeypatch, made):
    (tmp_path / "cache").write_text("a file in the way")
    monkeypatch.setenv("WARPLOOM_CACHE", str(tmp_path / "cache"))
    assert [made.ask(), made.ask()] == [1, 2]


def test_where_the_user_has_no_home_too(monkeypatch, made):
    for name in ("WARPLOOM_CACHE", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)

    def none():
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "home", none)
    assert [made.ask(), made.ask()] == [1, 2]


def test_one_that_nobody_has_used_in_a_month_is_deleted(kept, made):
    for name in ("old", "used"):
        made.ask(name)
        path, long_ago = kept / f"{name}.o", (kept / f"{name}.o").stat().st_mtime - FORGET_SECONDS - 60
        os.utime(path, (long_ago, long_ago))
    made.ask("used")
    made.ask("new")
    assert sorted(path.name for path in kept.iterdir()) == ["new.o", "used.o"]


def test_its_name_depends_on_command_texts_and_compiler(tmp_path):
    texts = [tmp_path / "a.c", tmp_path / "b.h"]
    for path in (*texts, tmp_path / "zig", tmp_path / "zig2"):
        path.write_text(path.name)
    first = key_of(["-O2"], texts, tmp_path / "zig")
    assert first == key_of(["-O2"], texts, tmp_path / "zig")
    others = {
        key_of(["-O1"], texts, tmp_path / "zig"),
        key_of(["-O2"], texts[:1], tmp_path / "zig"),
        key_of(["-O2"], texts, tmp_path / "zig2"),
    }
    texts[1].write_text("changed")
    others.add(key_of(["-O2"], texts, tmp_path / "zig"))
    (tmp_path / "zig").write_text("a later one")
    others.add(key_of(["-O2"], texts, tmp_path / "zig"))
    assert len(others) == 5 and first not in others


def commands_of(monkeypatch):
    """The commands that are run from now on."""
    found, real = [], compiler.run_compiler
    monkeypatch.setattr(compiler, "run_compiler", lambda command, *rest, **more: (found.append(command), real(command, *rest, **more))[1])
    return found


@pytest.mark.parametrize("target", ["vortex-2024", "vortex-2022", "riscv", "avx512"])
def test_the_same_file_with_a_kept_runtime(target, kept, tmp_path, monkeypatch):
    pytest.importorskip("ziglang", reason="C is compiled by the package ziglang: pip install 'warploom[cc]'")
    source = tmp_path / "kernel.c"
    kernel = "#include <lanes.h>\nkernel void k(mask active, vint thread, int *x) { x[first(thread)] = 1; }" if target == "avx512" else None
    source.write_text(kernel or "#include <warploom.h>\nkernel void k(int *x) { x[global_id()] = 1; }")
    commands = commands_of(monkeypatch)
    made = compiler.compile_c([source], target)
    assert len(commands) == 3
    assert compiler.compile_c([source], target) == made
    assert len(commands) == 5
    compiler.compile_c([source], target, "1")
    assert len(commands) == 8


def test_many_at_once(kept, tmp_path):
    pytest.importorskip("ziglang", reason="C is compiled by the package ziglang: pip install 'warploom[cc]'")
    source = tmp_path / "kernel.c"
    source.write_text("#include <warploom.h>\nkernel void k(int *x) { x[global_id()] = 1; }")
    cc = [sys.executable, "-m", "warploom", "cc", str(source), "-o"]
    running = [subprocess.Popen([*cc, str(tmp_path / f"{number}.elf")], stdout=subprocess.DEVNULL) for number in range(3)]
    assert [one.wait() for one in running] == [0, 0, 0]
    assert len({(tmp_path / f"{number}.elf").read_bytes() for number in range(3)}) == 1
    assert len([path for path in kept.iterdir() if path.suffix == runtime_code.SUFFIX]) == len(list(kept.iterdir())) == 1
