"""The compiler of C and C++: clang, as the PyPI package `ziglang` has it, with warploom's headers, start-up and linker script.

Clang knows nothing of lanes. What it must not do is copy or move the instructions that split and join them; `-fconvergent-functions` tells
it so. Floats are passed in float registers (ilp32f); there are no short instructions on Vortex.

C++ is the language without its library, exceptions and run-time types, and without objects that are constructed before `main`: each core
would do that, at a time of its own.
"""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from warploom.isa.c import gcn
from warploom.isa.c.endings import CPP, OPENCL, C
from warploom.isa.c.runtime_code import key_of, runtime_object
from warploom.isa.diagnostics import nearest
from warploom.isa.elf.lines import RUNTIME as RUNTIME_FOLDER
from warploom.isa.host.children import ISOLATED
from warploom.isa.reading import error, read_bytes

RUNTIME = Path(__file__).parent / "runtime"
SECONDS = 300.0
SCRIPT, RUNTIME_OBJECT = "link.ld", "runtime.o"
ALONE = (C, ".i", ".S", ".s", *CPP)  # C, C++ and assembly, which become an object file each
ENDINGS = (*ALONE, OPENCL, ".o", ".a")  # what clang knows by its name: OpenCL C and code too
UNDEFINED = re.compile(r"undefined symbol: (.+)(?:\n>>> referenced by (\S+:[0-9]+))?")
DUPLICATE = re.compile(r"duplicate symbol: (.+)")
DEFINED = re.compile(r"\n>>> defined at (\S+:[0-9]+)")
FOR_KERNELS = re.compile(r"^ld\.lld: error: .* are for kernels", re.MULTILINE)  # the message of riscv.ld
THREAD_LOCAL = re.compile(r"^ld\.lld: error: .* has an STT_TLS symbol", re.MULTILINE)
UNKNOWN_KERNEL = re.compile(r"error: unknown type name 'kernel'")
ABSENT = re.compile(r"^\S.*: fatal error: '.*' file not found$", re.MULTILINE)
DOUBLE = re.compile(r"undefined symbol: (__[a-z]*(?:df|tf)[a-z]*[0-9]?)\b")  # a routine for floats of 64 or 128 bits
STANDARD = "-std=gnu17"
WITHOUT = ("-fno-exceptions", "-fno-rtti", "-fno-threadsafe-statics", "-Werror=global-constructors")
OF_CPP = ("-std=gnu++17", *WITHOUT)
MAIN_OF_CPP = re.compile(r"_Z4main[^I].*")  # what main is called there, with its parameters; I begins those of a template
NO_LIBRARY = "there is no library of C or C++, only headers of the language (<stdint.h>, <stddef.h>) and of warploom"
HEADER = "add #include <warploom.h>"
LEVELS = ("0", "1", "2", "3", "s")


class Target(NamedTuple):
    """triple, cpu: clang's names. options: what it is told besides. files, script: of the runtime. stack: bytes that a thread has, 0 where
    there is no limit; as in `warploom/isa/vortex/memory_map.py` and `warploom/isa/riscv/launch.py`, which are above this."""

    name: str
    triple: str
    cpu: str
    options: tuple[str, ...]
    files: tuple[str, ...]
    script: str
    meaning: str
    stack: int = 0


GCN = "gcn"
_RISCV = "riscv32-freestanding"
_VORTEX = ("start.S", "spawn.c", "kernel.c", "library.c", "integer64.c")
_GUARDED = ("-fconvergent-functions", "-fno-jump-tables")  # no split can guard a jump through a table, and no stack knows its end
_SPMD = ("-fno-vectorize", "-fno-slp-vectorize", "-mprefer-vector-width=512", "-fno-pic")  # a kernel is vectors already
TARGETS = {
    target.name: target
    for target in (
        Target("vortex-2024", _RISCV, "generic_rv32+m+a+f+zicond", (*_GUARDED, "-DWARPLOOM_VORTEX=2024"), _VORTEX,
               "vortex.ld", "Vortex from 2023 on: RV32IMAF", 8256),
        Target("vortex-2022", _RISCV, "generic_rv32+m+f", (*_GUARDED, "-DWARPLOOM_VORTEX=2022"), _VORTEX, "vortex.ld",
               "Vortex of 2021 and 2022: RV32IMF", 1024),
        Target("riscv", _RISCV, "generic_rv32+m+a+f+c", _GUARDED, ("riscv.S", "riscv_kernel.c", "library.c", "integer64.c"), "riscv.ld",
               "ordinary RV32IMAFC code, a thread a lane", 4096),
        Target("avx512", "x86_64-freestanding", "x86_64+avx512f+avx512cd+bmi+bmi2+fma+popcnt+lzcnt", _SPMD, ("memory.c",), "avx512.ld",
               "x86 with AVX-512F and CD, a warp a thread of the CPU"),
        Target(GCN, "amdgcn-amd-amdhsa", gcn.PROCESSOR, (), (), "", "AMD's GCN 5, from C or OpenCL C (.cl), a work-item a lane"),
    )
}  # fmt: skip
DEFAULT = "vortex-2024"
WITH_CPP = tuple(name for name, target in TARGETS.items() if target.triple == _RISCV)


class Compiled(NamedTuple):
    """An ELF file's bytes, and what the compiler has said about the user's sources."""

    data: bytes
    said: str


def compile_c(paths: Sequence[str | Path], target: str = DEFAULT, level: str = "2", beside: str | Path | None = None) -> bytes:
    """The ELF file of `compiled`, without what the compiler warns of. Raises SourceError."""
    return compiled(paths, target, level, beside).data


def compiled(
    paths: Sequence[str | Path],
    target: str = DEFAULT,
    level: str = "2",
    beside: str | Path | None = None,
    macros: Sequence[str] = (),
    folders: Sequence[str] = (),
) -> Compiled:
    """An ELF file from C sources (and assembly, .S). Raises SourceError.

    beside: where it will be written; its debugging information calls the sources by their way from there. A user's sources are compiled
    each time, so what the compiler has to say of them is said each time too. macros: as "N=100". folders: where their headers are too.
    """
    first = paths[0]
    if target not in TARGETS:
        raise error(first, f"there is no target {target!r}{nearest(target, TARGETS)}", f"there are {', '.join(TARGETS)}")
    if level not in LEVELS:
        raise error(first, f"there is no level of optimisation {level!r}", f"there are {', '.join(LEVELS)}")
    check_compiler(first)
    for path in paths:
        read_bytes(path)
        known_ending(path)
    with tempfile.TemporaryDirectory(prefix="warploom-cc-") as folder:
        result = Path(folder) / "program.elf"
        sources = [Path(path).resolve() for path in paths]
        headers = [Path(folder).resolve() for folder in folders]
        places = _places(sources, Path(beside if beside is not None else first).resolve().parent, headers)
        places += [*(f"-D{macro}" for macro in macros), *(word for folder in headers for word in ("-I", str(folder)))]
        if target not in WITH_CPP and any(source.suffix in CPP for source in sources):
            raise error(first, f"C++ is not compiled for {target}", f"write C, or choose {', '.join(WITH_CPP)} with --target")
        if target != GCN and any(source.suffix == OPENCL for source in sources):
            raise error(first, f"OpenCL C is not compiled for {target}", f"leave out --target, or choose {GCN}")
        if target == GCN:
            steps = gcn.commands(sources, RUNTIME / "include", [f"-O{level}", *places], result)
        else:
            steps = _commands(TARGETS[target], level, places, sources, result)
        named = dict(zip(reversed(sources), reversed(paths), strict=True))  # as the user calls them
        said = "".join(run_compiler(command, named[source], folder, again=True) for command, source in steps[:-1])
        if target != GCN:
            (result.with_name(SCRIPT)).write_text(_script(TARGETS[target], steps[:-1]), encoding="utf-8")
            _runtime(TARGETS[target], level, result.with_name(RUNTIME_OBJECT), folder)
        command, source = steps[-1]
        run_compiler(command, named[source], folder)
        if target in WITH_CPP:
            _without_constructors(result, first)
        return Compiled(result.read_bytes(), said)


def check_compiler(path: str | Path) -> None:
    """Raise SourceError where there is no compiler."""
    if importlib.util.find_spec("ziglang") is None:
        raise error(path, "compiling C needs the package ziglang, which is not installed", "pip install 'warploom[cc]'")


def known_ending(path: str | Path) -> None:
    """Raise SourceError where clang would not know by its name what a file is, as .C, which is C++ to it and C to others."""
    if Path(path).suffix not in ENDINGS:
        took = f"it takes C, C++, assembly, OpenCL C and object files: {', '.join(ENDINGS)}"
        raise error(path, "the compiler knows a file by its ending, and this is none of its own", took)


def _commands(target: Target, level: str, places: Sequence[str], sources: Sequence[Path], result: Path) -> list[gcn.Step]:
    """What makes an ELF file: each source alone, and all of it linked with the runtime.

    The linker drops functions that nobody calls, but not what describes them. So the runtime has its lines and nothing else, while a user's
    source has all that a debugger asks for, and the parameters of its kernels. Only a user's functions are held to the size of a stack.
    """
    zig, flags = [sys.executable, *ISOLATED, "-m", "ziglang"], _flags(target, level)
    compiler = {suffix: [*zig, "c++", *flags, *places, *OF_CPP] for suffix in CPP}
    c = [*zig, "cc", *flags, STANDARD]
    objects = [result.with_name(f"{number}.o") if source.suffix in ALONE else source for number, source in enumerate(sources)]
    own = [f"-Wframe-larger-than={target.stack}", "-Werror=frame-larger-than"] if target.stack else []
    made = [
        ([*compiler.get(source.suffix, [*c, *places]), *own, "-g", "-c", str(source), "-o", str(one)], source)
        for source, one in zip(sources, objects, strict=True)
        if one != source
    ]
    linked = ["-g", "-T", str(result.with_name(SCRIPT)), "-Wl,--gc-sections", *map(str, objects), str(result.with_name(RUNTIME_OBJECT))]
    return [*made, ([*c, *linked, "-o", str(result)], sources[0])]


def _runtime(target: Target, level: str, to: Path, folder: str) -> None:
    """The runtime as one object file. Where a user's sources lie is not the business of it: it is the same for all programs."""
    sources = [RUNTIME / name for name in target.files]
    headers = sorted((RUNTIME / "include").iterdir())
    told = [*_flags(target, level), STANDARD, "-gline-tables-only", "-r"]
    command = [sys.executable, *ISOLATED, "-m", "ziglang", "cc", *told, *_places((), Path()), *map(str, sources), "-o", str(to)]
    runtime_object(to, key_of(told, [*sources, *headers], _zig()), lambda: run_compiler(command, sources[0], folder))


def _zig() -> Path:
    """The compiler's file."""
    home = Path(getattr(importlib.util.find_spec("ziglang"), "origin", None) or ".").parent
    return next((path for path in (home / "zig", home / "zig.exe") if path.exists()), home)


def _script(target: Target, compiled: Sequence[gcn.Step]) -> str:
    """The linker script, which also says what `main` is where C++ has given it a longer name."""
    from elftools.elf.elffile import ELFFile

    text = (RUNTIME / target.script).read_text(encoding="utf-8")
    for command, source in compiled:
        if source.suffix in CPP:
            with open(command[-1], "rb") as file:
                symbols = ELFFile(file).get_section_by_name(".symtab").iter_symbols()
                mains = [one.name for one in symbols if MAIN_OF_CPP.fullmatch(one.name) and one["st_info"]["type"] == "STT_FUNC"]
            text += "".join(f"main = {name};\n" for name in mains[:1])
    return text


def _without_constructors(program: Path, source: str | Path) -> None:
    """Raise SourceError for a function that wants to run before main, as C says it by an attribute: nothing here would call it."""
    from elftools.elf.elffile import ELFFile

    with open(program, "rb") as file:
        elf = ELFFile(file)
        listed = elf.get_section_by_name(".init_array")
        if listed is None:
            return
        first = int.from_bytes(listed.data()[:4], "little")
        symbols = elf.get_section_by_name(".symtab").iter_symbols()
        names = [one.name for one in symbols if one["st_value"] == first and one["st_info"]["type"] == "STT_FUNC"]
    named = repr(names[0]) if names else f"a function at {first:#x}"
    said = f"{named} would have to run before main, and every core would run it"
    raise error(source, said, "leave out its attribute (constructor), and call it where its result is used")


def _flags(target: Target, level: str) -> list[str]:
    """Everything that the compiler is told in each step."""
    found = ["-target", target.triple, f"-mcpu={target.cpu}", f"-O{level}", "-Wall"]
    found += ["-Xclang", f"-O{level}"]  # ziglang's driver makes -O2 of -O1 and of -O3
    if level != "0":
        found += ["-fomit-frame-pointer"]  # as clang does by itself; ziglang's driver keeps one
    found += ["-fno-math-errno"]  # a square root is an instruction; else clang adds a call for the case that it fails
    found += ["-nostdlib", "-ffreestanding", "-fno-sanitize=undefined", "-fno-stack-protector", "-ffunction-sections", *target.options]
    return [*found, "-I", str(RUNTIME / "include")]


def _places(sources: Sequence[Path], beside: Path, folders: Sequence[Path] = ()) -> list[str]:
    """What the debugging information calls files: sources by their way from the ELF file, so that it holds nothing of this machine."""
    compiler = importlib.util.find_spec("ziglang")
    home = Path(compiler.origin or ".").parent if compiler else Path()
    named = {str(RUNTIME): RUNTIME_FOLDER, str(home): "ziglang", os.path.relpath(home): "ziglang"}  # it names itself by its way from here
    named |= {str(folder): os.path.relpath(folder, beside) for folder in (*folders, *(source.parent for source in sources))}
    return [f"-ffile-prefix-map={path}={name}" for path, name in named.items()] + ["-fdebug-compilation-dir=."]


def run_compiler(command: Sequence[str], source: str | Path, folder: str, again: bool = False) -> str:
    """What the compiler says of a source that it compiles. Raises SourceError with what it says of any other.

    again: also where Zig has kept the object, for then it says nothing of what it compiles.
    """
    environment = dict(os.environ)
    environment["ZIG_LOCAL_CACHE_DIR"] = folder if again else environment.get("ZIG_LOCAL_CACHE_DIR", folder)
    environment.setdefault("ZIG_GLOBAL_CACHE_DIR", folder)  # else Zig wants a home that it can write to
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False, env=environment, errors="replace")
    except subprocess.TimeoutExpired:
        raise error(source, f"the compiler has not ended after {SECONDS:.0f} seconds", "") from None
    if done.returncode != 0:
        missing = DOUBLE.search(done.stderr)
        if missing:
            said = f"it computes with double, which this target has not ({missing[1]})"
            raise error(source, said, "write float, constants as 1.0f, and the functions of float")
        if found := UNDEFINED.findall(done.stderr):
            names = " and ".join(dict.fromkeys(repr(name) for name, _ in found))
            place = f" (at {found[0][1]})" if found[0][1] else ""
            said = f"it uses {names}{place}, and nothing here defines that"
            raise error(source, said, "there is no library of C or C++: add the file that has it")
        if twice := DUPLICATE.search(done.stderr):
            places = " and ".join(DEFINED.findall(done.stderr, twice.end())[:2])
            raise error(source, f"{twice[1]!r} is defined twice{f' (at {places})' if places else ''}", "keep one, or make them static")
        if FOR_KERNELS.search(done.stderr):
            said = "it has a main of its own, and a function asks for local_size, global_size, group_id or local_id, for kernels"
            raise error(
                source, said, "main(int thread, int threads, void *arguments) is told what there is; or leave main out: then kernels run"
            )
        if THREAD_LOCAL.search(done.stderr):
            raise error(
                source,
                "it has variables of a thread's own (_Thread_local), for which there is no memory",
                "keep them in a struct on the stack",
            )
        if "stack frame size" in done.stderr:
            said = f"a function has more variables than a thread's stack has room for:\n{done.stderr.strip()}"
            raise error(source, said, "keep tables in a buffer or in local_memory(bytes)")
        said = done.stderr.strip() or f"the compiler ended with status {done.returncode}"
        fix = f"{NO_LIBRARY}; -I DIR adds a folder of yours" if ABSENT.search(said) else HEADER if UNKNOWN_KERNEL.search(said) else ""
        raise error(source, f"it does not compile:\n{said}", fix)
    return done.stderr
