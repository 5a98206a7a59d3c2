"""The executable of a program, made by clang and kept in the user's cache by content.

An entry is named for what was said: the sources' texts and paths, the words, the compiler, our headers and runtime. Beside the executable
lies which headers it was made from, with a digest of each: when one has changed, it is made once more.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from warploom.cuda_cpp.compiler import HEADER, INCLUDE, MACROS, NAMES, OPTIMISED, QUIET, RUNTIME, Compiler, check_there, zig
from warploom.cuda_cpp.words import CUDA, Words
from warploom.isa.host.children import ISOLATED
from warploom.isa.host.user_cache import FORGET_SECONDS, check_trusted, make_directory, user_cache
from warploom.isa.reading import error, read_bytes

FOLDER = "cuda"  # below the user's cache
PROGRAM, MANIFEST, SAID = "program", "made-from.json", "said.txt"
USED_SECONDS = 86400  # so often its use is noted
Told = Callable[[str], None]


class Built(NamedTuple):
    """An executable, and what the compiler has said about the sources."""

    program: Path
    said: str


def build(words: Words, told: Told | None = None) -> Built:
    """The executable that words ask for; it lies in the cache, or in a folder that goes with this process. Raises SourceError.

    told: is told what is being done.
    """
    if (known := kept(words)) is not None:
        return known
    tell = told or (lambda text: None)
    home = home_folder()
    sources, place = _place(words, home)
    with _part(home) as part:
        compiler = Compiler(words, part, home)
        objects, said, depends = compile_all(compiler, sources, part, tell)
        runtime = runtime_object(compiler, home, tell)
        command = part / "command.o"
        command_object(compiler, part, command)
        first_link(home, tell)
        tell("linking")
        compiler.link([*objects, *words.objects, runtime, command], part / PROGRAM, sources[0])
        manifest = {str(path): _digest(path) for path in depends if not path.is_relative_to(INCLUDE) and path.exists()}
        (part / MANIFEST).write_text(json.dumps(manifest), encoding="utf-8")
        (part / SAID).write_text(said, encoding="utf-8")
        for file in part.iterdir():
            if file.name not in (PROGRAM, MANIFEST, SAID):
                file.unlink()
        (part / PROGRAM).chmod(0o700)
        _keep(part, place)
    _forget(home)
    return Built(place / PROGRAM, said)


def kept(words: Words) -> Built | None:
    """The executable, if the cache has it. Raises SourceError where there is no compiler or a source cannot be read."""
    check_there(words.sources[0])
    return _known(_place(words, home_folder())[1])


def _place(words: Words, home: Path) -> tuple[list[Path], Path]:
    """The sources' paths, and the folder of what is made from them."""
    sources = [Path(source).resolve() for source in words.sources]
    return sources, home / _key(words, sources, [read_bytes(source) for source in words.sources])


def compile_all(compiler: Compiler, sources: Sequence[Path], part: Path, tell: Told) -> tuple[list[Path], str, list[Path]]:
    """Object files of sources; what the compiler says; the files that they are made from."""
    objects, said, depends = [], "", []
    for number, source in enumerate(sources):
        of = f" ({number + 1} of {len(sources)})" if len(sources) > 1 else ""
        tell(f"compiling {source.name}{of}")
        made = part / f"{number}.o"
        words, used = compile_one(compiler, source, made)
        objects.append(made)
        said += words
        depends += used
    return objects, said, depends


def compile_one(compiler: Compiler, source: Path, to: Path) -> tuple[str, list[Path]]:
    """An object file of one source. Returns what the compiler says, and the files that it is made from."""
    if source.suffix not in CUDA and compiler.words.language != "cu":
        return compiler.plain(source, to), []
    ptx, listed = to.with_suffix(".ptx"), to.with_suffix(".d")
    said = compiler.device(source, ptx, listed, names=True)
    compiler.host(source, embed(source, ptx, to.with_suffix(".embedded")), to)
    return said, _listed(listed)


def embed(source: Path, ptx: Path, to: Path) -> Path:
    """PTX as a program holds it: with the path of its source."""
    to.write_bytes(f"{HEADER}{source}\n".encode() + ptx.read_bytes() + b"\0")
    return to


def runtime_object(compiler: Compiler, home: Path, tell: Told) -> Path:
    """The runtime as an object file: the same for all programs."""
    kept = home / f"runtime-{_of_ours()}.o"
    if not kept.exists():
        tell("compiling warploom's CUDA runtime, once")
        part = kept.with_suffix(f".{os.getpid()}")
        compiler.runtime(part)
        part.replace(kept)
    return kept


def command_object(compiler: Compiler, part: Path, to: Path) -> None:
    """What runs the program when it is started by itself."""
    words = [sys.executable, *ISOLATED, "-m", "warploom", "run", "--quiet"]
    text = ", ".join('"' + word.replace("\\", "\\\\").replace('"', '\\"') + '"' for word in words)
    source = part / "command.c"
    source.write_text(f"const char *__warploom_command[] = {{{text}, 0}};\n", encoding="utf-8")
    compiler.plain(source, to)


def first_link(home: Path, tell: Told) -> None:
    """Say what takes long at the very first link."""
    libraries = Path(os.environ.get("ZIG_GLOBAL_CACHE_DIR", home / "zig")) / "o"
    if not any(libraries.glob("*/libc++.a")):
        tell("building the C++ library for host programs, once: one to three minutes")


# ---- the cache


def home_folder() -> Path:
    """The folder of all programs; one that goes with this process where nothing can be kept or what is kept cannot be trusted."""
    try:
        home = user_cache() / FOLDER
        make_directory(home)
        check_trusted(home)
    except (OSError, RuntimeError):
        return _temporary()
    return home


@cache
def _temporary() -> Path:
    import atexit

    folder = tempfile.mkdtemp(prefix="warploom-cuda-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return Path(folder)


@contextlib.contextmanager
def _part(home: Path) -> Iterator[Path]:
    """A folder in which an entry is made."""
    folder = Path(tempfile.mkdtemp(prefix=".", dir=home))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _key(words: Words, sources: Sequence[Path], texts: Sequence[bytes]) -> str:
    said = [
        words.both,
        words.device,
        words.host,
        words.link,
        words.level,
        words.standard,
        words.fast,
        words.debug,
        words.separate,
        words.language,
    ]
    digest = hashlib.sha256(json.dumps([said, sys.executable, os.getcwd()]).encode())
    for path, text in zip(sources, texts, strict=True):
        digest.update(f"\0{path}\0".encode() + text)
    for file in words.objects:
        digest.update(_digest(Path(file)).encode() if Path(file).exists() else b"")
    compiler = Path(zig()).stat()
    digest.update(f"\0{zig()} {compiler.st_size} {compiler.st_mtime_ns} {_of_ours()}".encode())
    return digest.hexdigest()[:32]


@cache
def _of_ours() -> str:
    """A digest of our headers and runtime, and of what the compiler is told."""
    digest = hashlib.sha256(repr((NAMES, OPTIMISED, MACROS, QUIET)).encode())
    for folder in (INCLUDE, RUNTIME):
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                digest.update(f"\0{path.name}\0".encode() + path.read_bytes())
    return digest.hexdigest()[:16]


def _digest(path: Path) -> str:
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()[:32]
    except OSError:
        return ""


def _listed(path: Path) -> list[Path]:
    """The files of a list for make."""
    words = path.read_text(encoding="utf-8").partition(":")[2].replace("\\\n", " ").replace("\\ ", "\0").split()
    return [Path(word.replace("\0", " ")) for word in words]


def _known(place: Path) -> Built | None:
    try:
        manifest = json.loads((place / MANIFEST).read_text(encoding="utf-8"))
        said = (place / SAID).read_text(encoding="utf-8")
    except (OSError, ValueError):
        return None
    home = str(Path(zig()).parent)
    if any(_digest(Path(path)) != digest for path, digest in manifest.items() if not path.startswith(home)):
        return None  # the compiler's own headers go with the compiler, which the name is made from
    with contextlib.suppress(OSError):
        if time.time() - place.stat().st_mtime > USED_SECONDS:
            os.utime(place)
    return Built(place / PROGRAM, said) if (place / PROGRAM).exists() else None


def _keep(part: Path, place: Path) -> None:
    """Move an entry to its place; one that another process has put there meanwhile is as good."""
    if place.exists():
        shutil.rmtree(place, ignore_errors=True)
    try:
        part.rename(place)
    except OSError as failure:
        if not (place / PROGRAM).exists():
            raise error(place, f"the program cannot be kept: {failure.strerror or failure}", "") from None


def _forget(home: Path) -> None:
    """Delete programs that nobody has run in a month."""
    for path in home.glob(f"*/{MANIFEST}"):
        with contextlib.suppress(OSError):
            if time.time() - path.parent.stat().st_mtime > FORGET_SECONDS:
                shutil.rmtree(path.parent, ignore_errors=True)
