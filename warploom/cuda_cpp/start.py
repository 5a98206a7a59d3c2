"""The process of a program: built if need be, and begun.

A program that lies in the cache begins before the simulator is imported (`begun`): what it does before its first call of CUDA does not
wait for that. So nothing here imports the device's side.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from warploom.cuda_cpp.build import build, kept
from warploom.cuda_cpp.host import Host
from warploom.cuda_cpp.words import CUDA, BadWord, Words, parse
from warploom.isa.diagnostics import SourceError

Said = Callable[[str], None]


class Started(NamedTuple):
    """A process that runs. program: its executable, with the places of its sources."""

    program: Path
    host: Host


def begun(path: str, arguments: Sequence[str], texts: Sequence[str]) -> Started | None:
    """A program of the cache, begun; None where it is not there, or where something is wrong with it: `start` says what.

    texts: for the compiler, as nvcc takes them.
    """
    if Path(path).suffix not in CUDA:
        return None
    with contextlib.suppress(SourceError, BadWord, OSError):
        words = _with(parse(texts), path)
        if (found := kept(words)) is not None:
            return _host(found.program, found.said, str(Path(path).with_suffix("")), arguments)
    return None


def start(path: str | Path, arguments: Sequence[str], words: Words | None, told: Said | None) -> Started:
    """Build a program, if it is a source, and begin it. told: is told what is being done. Raises SourceError for what does not compile."""
    if Path(path).suffix not in CUDA:
        return _host(Path(path).resolve(), "", str(path), arguments)
    built = build(_with(words or Words(), str(path)), told)
    return _host(built.program, built.said, str(Path(path).with_suffix("")), arguments)


def say(text: str) -> None:
    """A sentence on standard error, after all that has been printed."""
    sys.stdout.flush()
    print(text, file=sys.stderr, flush=True)


def _with(words: Words, path: str) -> Words:
    words.sources = [path, *(source for source in words.sources if source != path)]
    return words


def _host(program: Path, said: str, name: str, arguments: Sequence[str]) -> Started:
    if said.strip():
        say(said.rstrip())
    return Started(program, Host(program, [name, *arguments]))
