"""What nvcc's command line says, in words for clang (CUDA Compiler Driver NVCC, "NVCC command options").

Every option of nvcc's is taken, left out because nothing here depends on it, or refused in a sentence.
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

CUDA = (".cu",)
HOST = (".cpp", ".cc", ".cxx", ".c++", ".C", ".c")
OBJECTS = (".o", ".a", ".so", ".obj", ".lib")
STANDARDS = ("c++03", "c++11", "c++14", "c++17", "c++20", "c++23")
BY_OUTPUT = "by its output"  # where a rule for make lies that no option names
LEAST_STANDARD = "c++17"  # that the headers need

# Options with a value, by what becomes of it; the value follows after a blank or "=".
LEFT_OUT_WITH_VALUE = (
    "-arch", "--gpu-architecture", "-code", "--gpu-code", "-gencode", "--generate-code", "-maxrregcount", "--maxrregcount", "-ccbin",
    "--compiler-bindir", "-t", "--threads", "-cudart", "--cudart", "--ptxas-options", "-Xptxas", "-Xnvlink", "--nvlink-options", "-Xfatbin",
    "--fatbin-options", "--diag-suppress", "-diag-suppress", "--diag-error", "--diag-warn", "-Werror", "--Werror", "--relocatable-device-code-opt", "-Xarchive", "-odir",
    "--output-directory", "-prec-div", "--prec-div", "-prec-sqrt", "--prec-sqrt", "-m", "--machine", "-target-dir",
    "--cudadevrt", "-cudadevrt", "-keep-dir", "--keep-dir", "-split-compile", "--split-compile",
)  # fmt: skip
LEFT_OUT = (
    "--expt-relaxed-constexpr", "-expt-relaxed-constexpr", "--expt-extended-lambda", "-expt-extended-lambda", "--extended-lambda",
    "-extended-lambda", "-lineinfo", "--generate-line-info", "-m64", "-res-usage", "--resource-usage", "-Xcudafe", "-restrict", "--restrict",
    "-keep", "--keep", "-w", "--disable-warnings", "-Wno-deprecated-gpu-targets", "--source-in-ptx", "-src-in-ptx",
    "-forward-unknown-to-host-compiler", "--forward-unknown-to-host-compiler", "-allow-unsupported-compiler", "--allow-unsupported-compiler",
    "-dlto", "--dlink-time-opt", "-extra-device-vectorization", "-noeh", "-pg", "-MP", "-compress-mode=size",
    "--display-error-number", "-display-error-number", "--default-stream=legacy", "-lcuda", "-lcudart", "-lcudart_static", "-lcudadevrt",
    "-lrt", "-lnvidia-ml", "-fPIC", "-fpic", "-Wall", "-Wextra", "-pthread", "-rdynamic", "-static-libgcc", "-static-libstdc++",
)  # fmt: skip
ABSENT_LIBRARIES = {
    "cublas": "cuBLAS", "cublasLt": "cuBLASLt", "cufft": "cuFFT", "curand": "cuRAND's host library", "cusparse": "cuSPARSE",
    "cusolver": "cuSOLVER", "cudnn": "cuDNN", "nvrtc": "NVRTC", "nccl": "NCCL", "npp": "NPP", "nppc": "NPP", "GL": "OpenGL", "glut": "GLUT",
}  # fmt: skip

OURS = (
    "cuda",
    "cudart",
    "cudart_static",
    "cudadevrt",
    "rt",
    "stdc++",
    "gomp",
    "nvToolsExt",
)  # libraries that the program has without asking


class BadWord(ValueError):
    """An option that cannot be followed. One sentence."""


@dataclass
class Words:
    """What is to be built, and how.

    stage: "link" for an executable; "compile" for an object file a source (-c), "ptx", "fatbin", "preprocess", "library", "device link". both: words for clang in both passes;
    device, host, link: for one. level: 0 to 3. debug: code as the source has it (-G).
    """

    sources: list[str] = field(default_factory=list)
    objects: list[str] = field(default_factory=list)
    output: str | None = None
    stage: str = "link"
    both: list[str] = field(default_factory=list)
    device: list[str] = field(default_factory=list)
    host: list[str] = field(default_factory=list)
    link: list[str] = field(default_factory=list)
    level: str = "2"
    standard: str = LEAST_STANDARD
    fast: bool = False
    debug: bool = False
    separate: bool = False  # -rdc=true: device code of several files is one program
    language: str = ""  # -x
    depends: str = ""  # where to write which files an object file is made from (-MD, -MF), as a rule for make
    target: str = ""  # what that rule makes (-MT)
    verbose: bool = False
    left_out: list[str] = field(default_factory=list)


STAGES = {"-c": "compile", "--compile": "compile", "-dc": "compile", "--device-c": "compile", "-ptx": "ptx", "--ptx": "ptx", "-E": "preprocess",
          "-link": "link", "--link": "link", "-fatbin": "fatbin", "--fatbin": "fatbin", "-lib": "library", "--lib": "library",
          "-dlink": "device link", "--device-link": "device link"}  # fmt: skip
REFUSED = {"-cubin": "a cubin", "--cubin": "a cubin", "-optix-ir": "OptiX' code", "-shared": "a shared library",
           "--shared": "a shared library"}  # fmt: skip


def is_word(text: str) -> bool:
    """Whether a word is one of nvcc's: where a program's arguments may follow as well."""
    name = text.partition("=")[0]
    known = (*LEFT_OUT, *LEFT_OUT_WITH_VALUE, *STAGES, *REFUSED, "-std", "--std", "-use_fast_math", "--use_fast_math", "-G", "--device-debug", "-g",
             "-rdc", "--relocatable-device-code", "-Xcompiler", "--compiler-options", "-Xlinker", "-x", "-include", "-isystem", "-ftz", "--ftz", "-v", "--verbose", "-MD", "-MMD", "-MF", "-MT")  # fmt: skip
    return name in known or text in known or text[:2] in ("-I", "-D", "-U", "-O", "-l", "-L", "-W")


def parse(arguments: Sequence[str]) -> Words:
    """What a command line says. Raises BadWord."""
    found = Words()
    words = list(arguments)
    while words:
        _take(found, words.pop(0), words)
    return found


def _take(found: Words, word: str, rest: list[str]) -> None:
    name, equals, value = word.partition("=")

    def needed() -> str:
        if equals:
            return value
        if not rest:
            raise BadWord(f"{word} needs a value")
        return rest.pop(0)

    if word[:1] == "@" or name in ("--options-file", "-optf"):
        rest[:0] = _of_file(word[1:] if word[:1] == "@" else needed())
    elif not word.startswith("-"):
        _file(found, word)
    elif word in REFUSED:
        raise BadWord(
            f"{word}: {REFUSED[word]} is not made here; executables, object files (-c), libraries (-lib) and PTX (-ptx, -fatbin) are"
        )
    elif word in STAGES:
        found.stage = STAGES[word]
        found.separate = found.separate or word in ("-dc", "--device-c")
    elif name in ("-o", "--output-file"):
        found.output = needed()
    elif name in ("-std", "--std"):
        found.standard = _standard(needed())
    elif name in ("-use_fast_math", "--use_fast_math"):
        found.fast = True
    elif name in ("-G", "--device-debug"):
        found.debug = True
    elif name in ("-g", "--debug"):
        pass  # lines are always there
    elif word in ("-v", "--verbose"):
        found.verbose = True
    elif word in ("-MD", "-MMD", "--generate-dependencies-with-compile", "--generate-nonsystem-dependencies-with-compile"):
        found.depends = found.depends or BY_OUTPUT
    elif name in ("-MF", "--dependency-output"):
        found.depends = needed()
    elif name in ("-MT", "-MQ", "--dependency-target-name"):
        found.target = needed()
    elif name in ("-ftz", "--ftz"):
        found.device += ["-fgpu-flush-denormals-to-zero"] if needed() == "true" else []
    elif name in ("-fmad", "--fmad"):
        if needed() == "false":
            found.device.append("-ffp-contract=off")
    elif name in ("-rdc", "--relocatable-device-code"):
        found.separate = needed() == "true"
    elif name in ("-x", "--x"):
        found.language = needed()
    elif name in ("-O", "--optimize"):
        found.level = _level(needed())
    elif word[:2] == "-O":
        found.level = _level(word[2:])
    elif name in ("-I", "--include-path", "-D", "--define-macro", "-U", "--undefine-macro"):
        short = {"--include-path": "-I", "--define-macro": "-D", "--undefine-macro": "-U"}.get(name, name)
        found.both += [f"{short}{one}" for one in (needed().split(",") if short == "-I" else [needed()])]
    elif word[:2] in ("-I", "-D", "-U"):
        found.both.append(word)
    elif name in ("-isystem", "--system-include", "-include", "--pre-include"):
        found.both += [{"--system-include": "-isystem", "--pre-include": "-include"}.get(name, name), needed()]
    elif name in ("-Xcompiler", "--compiler-options"):
        for one in shlex.split(needed().replace(",", " ")):
            _of_host(found, one)
    elif name in ("-Xlinker", "--linker-options"):
        found.link += [f"-Wl,{one}" for one in needed().split(",")]
    elif name in ("-L", "--library-path"):
        found.link.append(f"-L{needed()}")
    elif name in ("-l", "--library"):
        _library(found, needed())
    elif word in LEFT_OUT:
        found.left_out.append(word)
        if word == "-Xcudafe" and rest:
            rest.pop(0)
    elif name in LEFT_OUT_WITH_VALUE:
        found.left_out.append(word)
        if not equals and rest and name != "-Werror":
            rest.pop(0)
    elif word[:2] == "-l":
        _library(found, word[2:])
    elif word[:2] == "-L":
        found.link.append(word)
    elif word.startswith(("-gencode", "-arch", "--generate", "-W", "-f", "-m")):
        found.left_out.append(word)
    else:
        raise BadWord(f"{word} is not an option of nvcc that is known here")


def _of_file(path: str) -> list[str]:
    """The words in a file, as CMake writes them where there are many."""
    try:
        return shlex.split(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError) as wrong:
        raise BadWord(f"--options-file {path}: it cannot be read: {getattr(wrong, 'strerror', None) or wrong}") from None


def _file(found: Words, word: str) -> None:
    suffix = Path(word).suffix
    if (name := Path(word).name.partition(".")[0].removeprefix("lib")) in (*OURS, *ABSENT_LIBRARIES) and suffix in OBJECTS[1:3]:
        _library(found, name)
    elif suffix in OBJECTS or ".so." in word:
        found.objects.append(word)
    elif suffix in (*CUDA, *HOST) or found.language:
        found.sources.append(word)
    else:
        raise BadWord(f"{word}: its ending is not one of {', '.join((*CUDA, *HOST, *OBJECTS[:3]))}")


def _standard(text: str) -> str:
    name = text.replace("gnu++", "c++").replace("c++0x", "c++11")
    if name not in STANDARDS:
        raise BadWord(f"-std={text}: there are {', '.join(STANDARDS)}")
    return max(name, LEAST_STANDARD, key=STANDARDS.index)


def _level(text: str) -> str:
    if text not in ("0", "1", "2", "3", "s", "fast", ""):
        raise BadWord(f"-O{text}: there are -O0 to -O3")
    return {"fast": "3", "": "2"}.get(text, text)


def _library(found: Words, name: str) -> None:
    if name in ABSENT_LIBRARIES:
        raise BadWord(f"-l{name}: {ABSENT_LIBRARIES[name]} is not there yet")
    if name in OURS:
        found.left_out.append(f"-l{name}")
    else:
        found.link.append(f"-l{name}")


def _of_host(found: Words, word: str) -> None:
    """A word for the host's compiler: clang takes most of GCC's."""
    if word in ("-fopenmp", "/openmp"):
        found.left_out.append(word)  # OpenMP's pragmas are comments then
    elif word[:2] == "-O":
        pass  # one level for both
    elif word.startswith(("-march", "-mtune", "-msse", "-mavx", "/")):
        found.left_out.append(word)
    elif word.startswith("-l"):
        _library(found, word[2:])
    elif word.startswith("-Wl,"):
        found.link.append(word)
    else:
        found.host.append(word)
