"""NVRTC and nvJitLink: a text of CUDA C++ or of PTX becomes a cubin, and what they complain of stands at the user's line.

Both are libraries with Python bindings (`cuda.bindings`); neither needs a GPU or a driver.
"""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from warploom.isa.diagnostics import Diagnostic, Diagnostics, Severity, SourceError, in_order
from warploom.isa.program import Position, Source
from warploom.isa.reading import error

EXTRA = "pip install 'warploom[nvidia]'"
BRING = "or bring a cubin: `nvcc -cubin -lineinfo -arch=sm_90` where the CUDA toolkit is"
ONLY_THERE = "a"  # ends the name of an architecture with what no later one has, as sm_90a
HEADERS = ("nvidia.cuda_runtime", "nvidia.cuda_nvcc", "nvidia.cuda_cccl")  # packages whose folder `include` CUDA C++ may want
# `kernels.cu(3): error: identifier "y" is undefined`, and at the end of ptxas's lines the place in the PTX
_SAID_OF_CUDA = re.compile(r"^(?P<path>[^\n(]+)\((?P<line>\d+)\): (?P<kind>error|warning|catastrophic error)(?: #[\w-]+)?: (?P<text>.*)$")
_SAID_OF_PTX = re.compile(r"^ptxas .*?, line (?P<line>\d+); (?P<kind>error|warning)\s*: (?P<text>.*)$")
_FATAL = re.compile(r"^ptxas (?:fatal|error)\s*: (?P<text>.*)$")


class Compiled(NamedTuple):
    """A cubin. maker: what made it, as a run says. warnings: about the text."""

    cubin: bytes
    maker: str
    warnings: tuple[Diagnostic, ...] = ()


def from_cuda(text: str, path: str, architecture: int, words: Sequence[str] = (), suffix: str = "") -> Compiled:
    """CUDA C++ without host code, by NVRTC. words: of the compiler, as NVRTC takes them. suffix: of the architecture.

    Raises SourceError.
    """
    nvrtc = _nvrtc(path)
    told = [f"--gpu-architecture=sm_{architecture}{suffix}", "-lineinfo", "-default-device", *_headers(path), *words]
    _, program = nvrtc.nvrtcCreateProgram(text.encode(), path.encode(), 0, [], [])
    try:
        (failed,) = nvrtc.nvrtcCompileProgram(program, len(told), [word.encode() for word in told])
        found = _log(nvrtc, program)
        source = Source(text, path)
        said = list(_complaints(found, path, text))
        if failed:
            raise SourceError(in_order(said) if any(one.severity is Severity.ERROR for one in said) else [_whole(found)], source)
        _, size = nvrtc.nvrtcGetCUBINSize(program)
        cubin = bytearray(size)
        nvrtc.nvrtcGetCUBIN(program, cubin)
    finally:
        nvrtc.nvrtcDestroyProgram(program)
    _, major, minor = nvrtc.nvrtcVersion()
    return Compiled(bytes(cubin), f"NVRTC {major}.{minor}", tuple(said))


def from_ptx(text: str, path: str, architecture: int, words: Sequence[str] = (), suffix: str = "") -> Compiled:
    """PTX by nvJitLink. suffix: of the architecture, if the PTX does not say it itself. Raises SourceError."""
    link = _nvjitlink(path)
    asked = re.search(r"^\s*\.target\s+sm_(\d+)(a?)\b", text, re.MULTILINE)
    if asked is not None and int(asked[1]) > architecture:
        said = f"the PTX is for sm_{asked[1]} or higher (.target), and the machine is sm_{architecture}"
        raise error(path, said, "choose another --gpu, or compile the PTX for a lower architecture")
    if asked is not None and int(asked[1]) == architecture:
        suffix = suffix or asked[2]
    told = [f"-arch=sm_{architecture}{suffix}", "-lineinfo", *words]
    try:
        handle = link.create(len(told), told)
    except link.nvJitLinkError as failure:
        raise error(path, f"nvJitLink does not take {' '.join(told)}: {failure}", "") from None
    try:
        try:
            data = text.encode()
            link.add_data(handle, link.InputType.PTX, data, len(data), path)
            link.complete(handle)
        except link.nvJitLinkError as failure:
            log = bytearray(link.get_error_log_size(handle))
            link.get_error_log(handle, log)
            raise _refused_ptx(log.decode("utf-8", "replace").rstrip("\0\n "), Source(text, path), str(failure)) from None
        cubin = bytearray(link.get_linked_cubin_size(handle))
        link.get_linked_cubin(handle, cubin)
    finally:
        link.destroy(handle)
    major, minor = link.version()
    return Compiled(bytes(cubin), f"nvJitLink {major}.{minor}")


def needed(path: object, module: str = "cuda.bindings") -> None:
    """Raise SourceError, which says what to install, where a package of the extra is not there."""
    try:
        there = importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:
        there = False
    if not there:
        raise error(str(path), "NVIDIA's compilers, which --compiler nvidia asks for, are not installed", f"{EXTRA}, {BRING}")


def _nvrtc(path: str) -> Any:
    """The bindings of NVRTC, whose library is there. Raises SourceError."""
    needed(path)
    from cuda.bindings import nvrtc

    _loaded(nvrtc.nvrtcVersion, "NVRTC", path)
    return nvrtc


def _nvjitlink(path: str) -> Any:
    """The bindings of nvJitLink, whose library is there. Raises SourceError."""
    needed(path)
    from cuda.bindings import nvjitlink

    _loaded(nvjitlink.version, "nvJitLink", path)
    return nvjitlink


def _loaded(call: Callable[[], Any], name: str, path: str) -> None:
    try:
        call()
    except Exception as failure:  # the bindings are there, and the library is not: each version says so in its own way
        raise error(path, f"NVIDIA's library {name} cannot be loaded: {str(failure).splitlines()[0]}", f"{EXTRA}, {BRING}") from None


def _headers(path: str) -> Iterator[str]:
    """Where headers are: beside the source, and in the packages that hold CUDA's own."""
    yield f"-I{Path(path).parent}"
    for name in HEADERS:
        try:
            spec = importlib.util.find_spec(name)
        except ModuleNotFoundError:
            continue
        for folder in (spec.submodule_search_locations or ()) if spec is not None else ():
            if (Path(folder) / "include").is_dir():
                yield f"-I{Path(folder) / 'include'}"


def _log(nvrtc: Any, program: Any) -> str:
    _, size = nvrtc.nvrtcGetProgramLogSize(program)
    log = bytearray(size)
    nvrtc.nvrtcGetProgramLog(program, log)
    return log.decode("utf-8", "replace").rstrip("\0\n ")


def _complaints(log: str, path: str, text: str) -> Iterator[Diagnostic]:
    """What NVRTC says, each at its line; of a header the file stands in the message."""
    lines = log.splitlines()
    for number, line in enumerate(lines):
        found = _SAID_OF_CUDA.match(line)
        if found is None:
            continue
        severity = Severity.WARNING if found["kind"] == "warning" else Severity.ERROR
        more = [after.strip() for after in lines[number + 1 : number + 3]]
        caret = lines[number + 2].find("^") if len(more) == 2 and more[1] == "^" else -1
        if found["path"] != path:
            yield Diagnostic(severity, f"{found['text']} (at {found['path']}:{found['line']})")
            continue
        quoted = lines[number + 1] if caret >= 0 else ""
        yield Diagnostic(severity, found["text"], Position(int(found["line"]), _column(text, int(found["line"]), quoted, caret)))


def _column(text: str, line: int, quoted: str, caret: int) -> int:
    """The column of a caret below a quoted line, which is indented by the compiler."""
    own = Source(text).lines
    written = own[line - 1] if 0 < line <= len(own) else ""
    indent = len(written) - len(written.lstrip())
    if caret < 0:
        return indent + 1
    return max(caret - (len(quoted) - len(quoted.lstrip())), 0) + indent + 1


def _refused_ptx(log: str, source: Source, failure: str) -> SourceError:
    said = Diagnostics(source)
    for line in log.splitlines():
        if found := _SAID_OF_PTX.match(line):
            said.error(Position(int(found["line"]), _column(source.text, int(found["line"]), "", -1)), found["text"].strip())
    if not said.items:
        fatal = next((found["text"] for line in log.splitlines() if (found := _FATAL.match(line))), log.splitlines()[0] if log else failure)
        said.error(Position(), f"nvJitLink: {fatal.strip()}")
    return SourceError(in_order(said.items), source)


def _whole(log: str) -> Diagnostic:
    """What NVRTC says where nothing of it has a line."""
    lines = [line for line in log.splitlines() if line.strip()]
    return Diagnostic(Severity.ERROR, f"NVRTC: {lines[0].removeprefix('nvrtc: error: ') if lines else 'it says nothing'}")
