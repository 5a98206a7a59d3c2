"""A CUDA program: built, run as a process of its own, and answered by a device until it ends."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from warploom.cuda_cpp.host import Host
from warploom.cuda_cpp.places import Places
from warploom.cuda_cpp.protocol import Closed, receive, reply
from warploom.cuda_cpp.server import Launch, Server
from warploom.cuda_cpp.start import Said, Started, say, start
from warploom.cuda_cpp.words import Words, parse
from warploom.device import Device
from warploom.isa.diagnostics import SourceError
from warploom.isa.reading import ELF_MAGIC
from warploom.result import Result

MARK = b"__warploom_command"  # a symbol of every host program
# How programs ask whether a launch could be: by the runtime's calls, or the samples' macro.
ASKS_FOR_ERRORS = re.compile(r"\b(?:cudaGetLastError|cudaPeekAtLastError|getLastCudaError|cudaLaunchKernel|cuLaunchKernel)\b")
LAUNCHES = re.compile(r"<<<")


class Ended(NamedTuple):
    """How a program has ended. status: its exit status. failed: the first launch with a fault. how: where a signal has ended it."""

    status: int
    failed: Result | None
    how: str


def run(
    path: str | Path,
    arguments: Sequence[str],
    words: Words | None,
    device: Device,
    launch: Launch,
    *,
    checked: bool = False,
    started: Started | None = None,
) -> Ended:
    """Build a program, if it is a source, and run it. Raises SourceError for what does not compile.

    path: of a .cu file, or of a host program that was built before. launch: runs a Program and gives its Result.
    checked: its launches are checked, and so is what it has not freed. started: its process, where that has begun already.
    Sentences for the user go to standard error.
    """
    program, process = started or start(path, arguments, words, _telling())
    with process as host:
        places = Places(program)
        server = Server(device, launch, places.line, say, checked)
        serve(server, host)
        status = host.wait()
    for one in server.allocations.left() if checked and status == 0 else ():
        if one.line and not one.shared:
            say(f"{one.line}: note: {one.size} bytes{f' of `{one.name}`' if one.name else ''} are never freed: call cudaFree [leak]")
    if checked and server.launches and words is not None and (hint := unasked_errors(words.sources)):
        say(hint)
    return Ended(status, server.failed, host.ending)


def unasked_errors(sources: Sequence[str]) -> str:
    """A hint at the first launch of sources that never ask whether a launch could be; "" where they do, or have no launch."""
    texts = {path: Path(path).read_text(encoding="utf-8", errors="replace") for path in sources}
    if any(ASKS_FOR_ERRORS.search(text) for text in texts.values()):
        return ""
    for path, text in texts.items():
        if found := LAUNCHES.search(text):
            line = text.count("\n", 0, found.start()) + 1
            return f"{path}:{line}: note: a launch that cannot be is not noticed: ask for cudaGetLastError() after it [unchecked]"
    return ""


def serve(server: Server, host: Host) -> None:
    """Answer a program until it closes its end."""
    try:
        while host.wait_for_request():
            reply(host.wire, server.answer(receive(host.wire)))
    except Closed:
        pass


def is_host_program(path: str | Path) -> bool:
    """Whether a file is an executable with the runtime of CUDA programs in it."""
    if not Path(path).is_file():  # a pipe can be read once only
        return False
    try:
        with open(path, "rb") as file:
            data = file.read(len(ELF_MAGIC))
            return data == ELF_MAGIC and MARK in file.read()
    except OSError:
        return False


def words_of(texts: Sequence[str]) -> Words:
    """What nvcc's words say. Raises BadWord."""
    return parse(texts)


def _telling() -> Said | None:
    """Says on a terminal what a build is doing."""
    if not sys.stderr.isatty():
        return None
    return lambda text: print(f"{text} ...", file=sys.stderr, flush=True)


__all__ = ["Ended", "SourceError", "is_host_program", "run", "say", "serve", "words_of"]
