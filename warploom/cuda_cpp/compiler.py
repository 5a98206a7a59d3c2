"""Clang, as the PyPI package `ziglang` has it: device code to PTX, host code to an executable, with warploom's headers first.

Both passes see the same headers: ours, and those of C and C++ that Zig brings for the host. Nothing of NVIDIA's is needed.
"""

from __future__ import annotations

import functools
import importlib.util
import os
import platform
import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from warploom.cuda_cpp.chevrons import overlay
from warploom.cuda_cpp.words import Words
from warploom.isa.diagnostics import SourceError
from warploom.isa.reading import error

HERE = Path(__file__).parent
INCLUDE, RUNTIME = HERE / "include", HERE / "runtime"
SAMPLES, LIBRARY = INCLUDE / "samples", INCLUDE / "std"  # the samples' helper headers; C++'s that bring others along
HEADER = "// warploom: "  # in front of PTX in a program: where it comes from
ARCHITECTURE, PTX_VERSION = "sm_80", 80
GLIBC = "2.28"  # the oldest that a host program is linked for
SECONDS = 900.0
# nvcc's -O is about host code; device code is optimised as far as goes unless -G says otherwise. Loops of a count that only the run knows
# are unrolled four times, as ptxas does it, those of a known count wholly up to the size that nvcc 12.9 was seen to unroll.
OPTIMISED = ("-O3", "-mllvm", "-unroll-max-count=4", "-mllvm", "-unroll-threshold=600")
NAMES = ("-Xclang", "-debug-info-kind=limited")  # -g would say lines alone of what is optimised
MACROS = ("-D__CUDACC__", "-D__NVCC__", "-D__CUDACC_VER_MAJOR__=13", "-D__CUDACC_VER_MINOR__=0", "-D__CUDACC_VER_BUILD__=0",
          "-D__CUDACC_RELAXED_CONSTEXPR__", "-D__CUDACC_EXTENDED_LAMBDA__", "-D__CUDA_ARCH_LIST__=800")  # fmt: skip
QUIET = ("-Wno-unknown-cuda-version", "-Wno-nullability-completeness", "-Wno-unused-command-line-argument", "-Wno-format-security",
         "-Wno-unused-result", "-Wno-writable-strings", "-Wno-deprecated-declarations", "-Wno-c++11-narrowing", "-Wno-pass-failed",
         "-Wno-invalid-offsetof", "-Wno-reserved-user-defined-literal", "-Wno-pragma-once-outside-header", "-Wno-implicit-const-int-float-conversion", "-Wno-non-c-typedef-for-linkage", "-fno-caret-diagnostics-max-lines")[:-1]  # fmt: skip
# What GCC only warns of in C, as programs of before 1999 have it.
OLD_C = ("-Wno-implicit-function-declaration", "-Wno-implicit-int", "-Wno-int-conversion", "-Wno-incompatible-pointer-types")
# Names of CUDA's that the compiler does not find: the place, the name.
NOT_THERE = re.compile(
    r"^(\S+:\d+):\d+: error: (?:use of undeclared identifier|unknown type name|no (?:type|template|member) named|"
    r"no matching function for call to) "
    r"'((?:cuda|cu)[A-Z]\w*|CU_\w+|__nv_\w+|tex\w+|surf\w+|texture|surface)'",
    re.MULTILINE,
)
INNER_LAUNCH = re.compile(r"^(\S+:\d+):\d+: error: kernel launch from __device__ or __global__ function", re.MULTILINE)
FAMILIES = {
    "cudaGraphics|cudaGL|cuGraphics|cuGL": "sharing with OpenGL or another library of graphics",
    "cudaGraph|cudaStream(Begin|End|Update|GetCapture)|cuGraph": "graphs",
    "texture|surface|cuda(Bind|Unbind)(Texture|Surface)|cuTexRef|cuSurfRef": (
        "texture and surface references, which CUDA 12 has removed: use objects"
    ),
    "cudaIpc|cuIpc": "memory of several processes",
    "cudaExternal|cudaImportExternal": "memory of other libraries",
    "cuMem(Create|Map|AddressReserve|Export|Import|SetAccess)": "virtual memory",
    "cuTensorMap|cudaLaunchKernelEx|cudaLaunchAttribute": "clusters and tensor maps",
    "cudaOccupancyMaxActiveClusters": "clusters and tensor maps",
}
NO_FILE = re.compile(r"^(\S+:\d+):\d+: fatal error: '([^']+)' file not found", re.MULTILINE)
UNDEFINED = re.compile(r"undefined symbol: (.+)")
LIBRARIES = {"thrust/": "Thrust", "cub/": "CUB", "cuda/std": "libcu++", "cuda/": "libcu++", "cublas": "cuBLAS", "cufft": "cuFFT",
             "curand.h": "cuRAND's host library", "cusparse": "cuSPARSE", "cusolver": "cuSOLVER", "cudnn": "cuDNN", "nvrtc": "NVRTC",
             "nccl": "NCCL", "npp": "NPP", "GL/": "OpenGL", "mma.h": "the tensor cores' wmma", "mpi.h": "MPI",
             "opencv": "OpenCV"}  # fmt: skip


def check_there(path: str | Path) -> None:
    """Raise SourceError where there is no compiler, or no host programs for this system."""
    if importlib.util.find_spec("ziglang") is None:
        raise error(path, "compiling CUDA C++ needs the package ziglang, which is not installed", "pip install 'warploom[cc]'")
    if sys.platform != "linux" or platform.machine() not in ("x86_64", "aarch64"):
        said = f"host programs of CUDA C++ run on Linux so far, on x86-64 and AArch64, and this is {sys.platform} on {platform.machine()}"
        raise error(path, said, "run it in a Linux container, or write the kernel in Python (`warploom new kernel.py`)")


def zig() -> str:
    """The compiler's file."""
    home = Path(getattr(importlib.util.find_spec("ziglang"), "origin", None) or ".").parent
    return str(next((path for path in (home / "zig", home / "zig.exe") if path.exists()), home))


def target() -> str:
    """The host, as Zig names it."""
    return f"{platform.machine()}-linux-gnu.{GLIBC}"


def run(command: Sequence[str], source: str | Path, environment: Mapping[str, str]) -> str:
    """What the compiler says when it succeeds. Raises SourceError with what it says when it does not."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False, env=environment, errors="replace")
    except subprocess.TimeoutExpired:
        raise error(source, f"the compiler has not ended after {SECONDS:.0f} seconds", "") from None
    if done.returncode:
        raise explained(source, done.stderr, done.returncode)
    return done.stderr


def explained(source: str | Path, said: str, status: int) -> SourceError:
    """An error of the compiler, and what to do about it."""
    if absent := NO_FILE.search(said):
        library = next((name for start, name in LIBRARIES.items() if absent[2].startswith(start)), None)
        if library is not None:
            return error(
                source, f"{absent[1]}: it includes <{absent[2]}>: {library} is not there yet", "use CUDA C++ and its runtime alone"
            )
        return error(source, f"it does not compile:\n{cleaned(said)}", "-I DIR adds a folder with headers")
    if found := UNDEFINED.findall(said):
        names = " and ".join(dict.fromkeys(repr(name) for name in found))
        calls = [name for name in found if re.match(r"(cuda|cu)[A-Z]", name)]
        fix = "a call of CUDA that is not there yet" if calls else "add the file that defines it"
        return error(source, f"it uses {names}, and nothing here defines that", fix)
    if missing := _missing(said):
        return error(source, "\n".join(["it uses what is not there yet:", *missing]), "")
    return error(source, f"it does not compile:\n{cleaned(said) or f'the compiler ended with status {status}'}", "")


def _missing(said: str) -> list[str]:
    """Names of CUDA's that are not there, each with its first place and what it belongs to. Other errors may follow from them."""
    found = {name: place for place, name in reversed(NOT_THERE.findall(said))}
    rows = [f"  {place}: {name}{_family(name)}" for name, place in reversed(found.items())]
    return rows + [f"  {place}: a launch from a kernel (dynamic parallelism)" for place in dict.fromkeys(INNER_LAUNCH.findall(said))]


def _family(name: str) -> str:
    return next((f" ({what})" for pattern, what in FAMILIES.items() if re.match(pattern, name)), "")


def cleaned(said: str) -> str:
    """What the compiler says, without lines about our headers' insides and about the passes."""
    kept = []
    for line in said.strip().splitlines():
        if line.startswith("In file included from <built-in>") or re.match(r"\d+ (?:warning|error)s? generated", line):
            continue
        if "and 1 error" in line and "generated" in line:
            continue
        kept.append(line)
    return "\n".join(kept)


@functools.lru_cache(maxsize=2)
def _host_words(compiler: str, folder: str) -> tuple[str, ...]:
    """The include paths and macros that Zig's driver gives clang for the host: asked once, of an empty file."""
    empty = Path(folder) / "empty.cpp"
    empty.write_text("", encoding="utf-8")
    command = [compiler, "c++", "-target", target(), "-v", "-c", str(empty), "-o", str(empty.with_suffix(".o"))]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=SECONDS, env=environment(Path(folder)))
    line = next((line for line in done.stderr.splitlines() if "-cc1" in line), "")
    words = line.split()
    found = [part for place, word in enumerate(words) for part in ((word, words[place + 1]) if word in ("-isystem", "-D") else ())]
    if not found:
        raise error(compiler, f"the compiler does not say where its headers are:\n{done.stderr[-1000:]}", "")
    return tuple(found)


def environment(folder: Path) -> dict[str, str]:
    """For Zig, whose own caches lie in a folder."""
    found = dict(os.environ)
    found.setdefault("ZIG_GLOBAL_CACHE_DIR", str(folder / "zig"))
    found.setdefault("ZIG_LOCAL_CACHE_DIR", str(folder / "zig"))
    return found


class Compiler:
    """Commands for one set of words. folder: for what is in between; cache: where Zig keeps the libraries that it has built."""

    def __init__(self, words: Words, folder: Path, cache: Path) -> None:
        self.words, self.folder, self.environment = words, folder, environment(cache)
        self.cache = cache

    def flags(self) -> list[str]:
        """The options of both passes over CUDA C++, without places of this machine."""
        words = self.words
        fast = ["-D__WARPLOOM_FAST_MATH"] if words.fast else []
        rdc = ["-D__CUDACC_RDC__"] if words.separate else []  # files are linked when a kernel is compiled, whether they say so or not
        old = ["-D__WARPLOOM_OLD_WARP_FUNCTIONS"]
        return [f"-std={words.standard}", *MACROS, *fast, *old, *rdc, *QUIET]

    def _level(self) -> str:
        return "-O0" if self.words.debug else f"-O{self.words.level}"

    def _cuda(self) -> list[str]:
        """The command in front of what one pass says."""
        return [
            zig(), "clang", "-x", "cuda", "--cuda-path=/nonexistent", "-nocudainc", "-nocudalib", f"--cuda-gpu-arch={ARCHITECTURE}", "-fdeclspec",
            "-nostdinc", "-target", f"{platform.machine()}-linux-gnu", "-fno-color-diagnostics", "-Xclang", "-target-sdk-version=12.8",
            "-I", str(INCLUDE), *self.words.both, "-isystem", str(LIBRARY), *_host_words(zig(), str(self.cache)), "-idirafter", str(SAMPLES),
            "-include", "cuda_runtime.h", *self.flags(),
        ]  # fmt: skip

    def device(self, source: Path, to: Path, depends: Path | None = None, *, names: bool = False) -> str:
        """PTX from a source. depends: where to write which files it is made from. names: say where variables are."""
        fast = (
            ["-fgpu-flush-denormals-to-zero", "-mllvm", "-nvptx-prec-divf32=0", "-mllvm", "-nvptx-prec-sqrtf32=0"]
            if self.words.fast
            else []
        )
        listed = ["-MD", "-MF", str(depends), "-MT", "x"] if depends else []
        level = [self._level()] if self._level() == "-O0" else OPTIMISED
        return self._run(
            [*self._cuda(), *overlay(source, self.folder), "--cuda-device-only", f"--cuda-feature=+ptx{PTX_VERSION}", *(NAMES if names else ("-gline-tables-only",)), *level, *fast, *self.words.device, *listed,
             "-S", str(source), "-o", str(to)],
            source,
        )  # fmt: skip

    def host(self, source: Path, ptx: Path, to: Path) -> str:
        """An object file from a source, with PTX inside. clang keeps that only where a kernel or a variable is registered with it: where
        other files call the functions of one that has neither, there is a variable for it (see `cuda_runtime.h`)."""
        text = ptx.read_text(encoding="utf-8", errors="replace")
        alone = ["-D__WARPLOOM_FUNCTIONS_ALONE"] if ".visible .func" in text and ".visible .entry" not in text else []
        return self._run(
            [*self._cuda(), *overlay(source, self.folder), "--cuda-host-only", "-Xclang", "-fcuda-include-gpubinary", "-Xclang", str(ptx), "-fPIC", "-gline-tables-only",
             self._level(), *alone, "-Wno-everything", *self.words.host, "-c", str(source), "-o", str(to)],
            source,
        )  # fmt: skip

    def plain(self, source: Path, to: Path, *, preprocess: bool = False) -> str:
        """An object file from C or C++ without device code."""
        c = source.suffix == ".c"
        language = [*OLD_C] if c else [f"-std={self.words.standard}", "-include", "stdlib.h"]  # GCC's <math.h> brings it along
        return self._run(
            [zig(), "cc" if c else "c++", "-target", target(), "-I", str(INCLUDE), *self.words.both, "-isystem", str(LIBRARY), "-idirafter", str(SAMPLES), *language,
             f"-O{self.words.level}", "-fno-sanitize=undefined", "-gline-tables-only", "-fPIC", *QUIET, *self.words.host,
             "-E" if preprocess else "-c", str(source), "-o", str(to)],
            source,
        )  # fmt: skip

    def preprocessed(self, source: Path, to: Path) -> str:
        """A source as the device pass sees it."""
        return self._run([*self._cuda(), *overlay(source, self.folder), "--cuda-device-only", "-E", str(source), "-o", str(to)], source)

    def runtime(self, to: Path) -> None:
        """The runtime's object file."""
        self._run(
            [zig(), "c++", "-target", target(), "-std=c++17", "-O1", "-fPIC", "-fno-sanitize=undefined", "-I", str(INCLUDE), "-c",
             str(RUNTIME / "runtime.cpp"), "-o", str(to)],
            RUNTIME / "runtime.cpp",
        )  # fmt: skip

    def link(self, objects: Sequence[Path | str], to: Path, source: Path) -> None:
        """An executable."""
        self._run(
            [zig(), "c++", "-target", target(), "-O1", "-fno-sanitize=undefined", "-pie", *map(str, objects), *self.words.link, "-lpthread", "-lm",
             "-ldl", "-o", str(to)],
            source,
        )  # fmt: skip

    def archive(self, objects: Sequence[Path | str], to: Path) -> None:
        """A library."""
        to.unlink(missing_ok=True)
        self._run([zig(), "ar", "rcs", str(to), *map(str, objects)], to)

    def _run(self, command: list[str], source: Path) -> str:
        return run(command, source, self.environment)
