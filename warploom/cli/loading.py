"""From the command line to a Program: the source file, and what the user says of its launch, its arguments and its buffers."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from warploom.cli.common import UserError
from warploom.cli.drawing.programs import is_scene
from warploom.cli.terminal.own_output import on_standard_error
from warploom.isa.c.endings import language_of

if TYPE_CHECKING:
    import numpy as np

    from warploom.isa.diagnostics import Diagnostic
    from warploom.isa.frontend import Options
    from warploom.isa.program import Program
    from warploom.machine.config.schema import Config

MOST_THREADS = (1 << 31) - 1
VORTEX, GENERATION = "vortex", "vortex.isa"  # the front end of its programs, and the setting that says of which generation they are
IMAGE = ".bin"  # bytes of which only the machine says what they are
PYTHON = "python"
OWN, NVIDIA = "own", "nvidia"  # compilers
KERNELS, MACHINE_CODE = (".cu", ".ptx"), "sass"  # files that NVIDIA's compilers make machine code of, and its front end
PROGRAMS = {".py": PYTHON, ".ipynb": PYTHON, ".cu": "cuda"}  # programs with their own main: the front end has chosen a launch
PROGRAM_GPU = "sm"  # what their front ends say too: looking for those takes a second
LAUNCH_NUMBER = re.compile(r"[0-9]{1,9}")
EXTENT = re.compile(r"[0-9]{1,10}(?:[x,][0-9]{1,10}){0,2}")


@dataclass(frozen=True, eq=False)
class Launching:
    """What is said on the command line about how a program starts; None and () where nothing is said.

    check: it runs with checks. apart: a Python program prints on standard error, since something else is written on standard output.
    machine: the one that a Python program sees up to its launch; None: the usual one.
    """

    isa: str | None = None
    launch: str | None = None
    threads: int | None = None
    block: str | None = None
    grid: str | None = None
    arguments: tuple[str, ...] = ()
    buffers: tuple[str, ...] = ()
    if_convert: int | None = None
    optimise: str | None = None
    macros: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()
    own_arguments: str | None = None
    nvcc_words: str | None = None
    program_arguments: tuple[str, ...] = ()
    kernel_name: str | None = None
    patches: tuple[str, ...] = ()
    mufu: str | None = None
    compiler: str = OWN
    gpu: str | None = None
    changes: tuple[str, ...] = ()
    check: bool = False
    apart: bool = False
    machine: Config | None = None

    @classmethod
    def of(cls, options: dict[str, Any], machine: Config | None = None) -> Launching:
        """What the options of a command say; those that it does not have are None and ()."""
        given = {field.name: options[field.name] for field in fields(cls) if field.name in options}
        return cls(**given, apart=bool(options.get("as_json")) or "-" in options.values(), machine=machine)


def is_script(file: str, isa: str | None) -> bool:
    """Whether a file is a program with its own main, which launches kernels: Python, a notebook, CUDA C++. isa: as `with_isa` has it."""
    return isa in PROGRAMS.values() or (isa is None and program_isa(file) is not None and not is_scene(file, isa))


def compiled_isa(file: str, isa: str | None, compiler: str) -> str | None:
    """The instruction set that is asked for, or what the chosen compiler makes of a file. Raises UserError where it takes no such file."""
    if compiler == NVIDIA and isa is None and file.lower().endswith(KERNELS):
        return MACHINE_CODE
    if compiler == NVIDIA and not is_script(file, isa) and not (isa == MACHINE_CODE and file.lower().endswith(KERNELS)):
        raise UserError(
            f"--compiler nvidia: {file} is not a program in Python, CUDA C++ or PTX, which NVIDIA's compilers take: leave it out"
        )
    return isa


def with_isa(file: str, options: dict[str, Any]) -> dict[str, Any]:
    """A command's options, with the instruction set that the chosen compiler makes of a file as the one that is asked for.

    A command asks so before anything else is done with its options. Raises UserError.
    """
    return options | {"isa": compiled_isa(file, options["isa"], options["compiler"])}


def program_isa(file: str) -> str | None:
    """The front end of a program with its own main; None for any other file."""
    path = Path(file)
    found = PROGRAMS.get(path.suffix.lower())
    if found is None and path.is_file() and path.suffix in ("", ".out", ".exe"):
        from warploom.cuda_cpp.program import is_host_program

        return "cuda" if is_host_program(path) else None
    return found


def load_program(file: str, said: Launching) -> tuple[Program, list[Diagnostic]]:
    """The program and the warnings about its text. Raises SourceError, BindingError, BufferError, UserError."""
    from warploom.isa.frontends import open_source
    from warploom.isa.launching import launch_of, launched
    from warploom.isa.program import Program

    there_is(file)
    if said.if_convert is not None and said.if_convert < 0:
        raise UserError(f"--if-convert {said.if_convert}: write how many instructions a branch may skip, 0 or more")
    check_compiler_options(file, optimise=said.optimise, macros=said.macros, folders=said.folders)
    asked = _generation_asked(said)
    said = replace(said, machine=said.machine or _machine(said, asked))
    isa = said.isa or (VORTEX if said.machine is not None and file.lower().endswith(IMAGE) and said.machine["vortex.isa"] else None)
    with on_standard_error(said.apart and is_script(file, isa)):
        loaded = open_source(file, isa, _options(file, said, asked))
    if said.patches and not getattr(loaded.program, "isa", "").startswith("sass"):
        raise UserError(f"--patch {said.patches[0]}: {file} is not a cubin, whose words are patched")
    if said.mufu and not getattr(loaded.program, "isa", "").startswith("sass"):
        raise UserError(f"--mufu {said.mufu}: {file} is not a cubin, whose approximate functions are looked up")
    program = loaded.program if isinstance(loaded.program, Program) else _of_types(loaded.program, _arguments(said.arguments))
    if asked and not program.isa.startswith(VORTEX):
        other = f"add --isa vortex-{asked} if it is for Vortex" if program.isa == "riscv" else "leave it out"
        raise UserError(f"--set vortex.isa={asked} has no effect here: {file} is a program of {program.isa}; {other}")
    chosen = is_script(file, isa) or (program.launch.name and not program.launches)  # by the front end: a kernel of several
    if said.launch is not None and not chosen:
        launch = launch_of(program, int(said.launch) if LAUNCH_NUMBER.fullmatch(said.launch) else said.launch)
        program = program if launch is program.launch else launched(program, launch)
    if isinstance(program.launch.threads, int) and program.launch.threads > MOST_THREADS:
        raise UserError(f"{program.launch.threads} threads, grid x block: a launch has at most {MOST_THREADS}")
    if said.if_convert:
        from warploom.isa.analysis.if_conversion import if_convert
        from warploom.isa.diagnostics import Diagnostic, Severity

        converted = if_convert(program, said.if_convert)
        if converted is program:
            found = f"--if-convert {said.if_convert} changes nothing: no branch leads over at most so many instructions that only compute"
            return program, [*loaded.warnings, Diagnostic(Severity.WARNING, found)]
        program = converted
    return program, [*loaded.warnings, *_alone(program, said)]


def _alone(program: Program, said: Launching) -> list[Diagnostic]:
    """A remark about a later launch of a Python program, which is run without those before it."""
    from warploom.isa.diagnostics import Diagnostic, Severity

    number = getattr(program, "number", 0)  # of a launch that the front end for Python has captured
    if not number or said.check:
        return []
    before = "launch 0" if number == 1 else f"launches 0 to {number - 1}"
    found = f"launch {number} starts cold, without {before}"
    return [Diagnostic(Severity.NOTE, found, fix="its second-level cache is empty: `warploom run` without --launch counts it in its place")]


def _generation_asked(said: Launching) -> int:
    """The generation of Vortex that --set asks for; 0 where it does not. Raises ConfigError, UserError."""
    from warploom.machine.config.presets import parse_setting

    asked = dict(parse_setting(text) for text in said.changes).get(GENERATION, 0)
    if asked and said.isa is not None and said.isa not in (VORTEX, f"{VORTEX}-{asked}"):
        raise UserError(f"--isa {said.isa} and --set {GENERATION}={asked} say different things: leave one of them out")
    return int(asked) if isinstance(asked, int) else 0


def _machine(said: Launching, asked: int) -> Config | None:
    """The machine that is named, where it may say of which generation of Vortex a program is. Raises ConfigError."""
    from warploom.machine.config.check import WARPS_MACHINE
    from warploom.machine.config.presets import load_config

    if said.gpu is None and not asked:
        return None
    return load_config(said.gpu or WARPS_MACHINE, {GENERATION: asked} if asked else {})


def there_is(file: str) -> None:
    """Raise SourceError where no file has this name, before anything is said about the name's ending."""
    from warploom.isa.frontends import read_text

    if Path(file).is_dir() or not Path(file).exists():
        read_text(file)


def _options(file: str, said: Launching, asked: int) -> Options:
    from warploom.isa.frontend import Options

    if said.threads is not None and not 0 <= said.threads <= MOST_THREADS:
        raise UserError(f"--threads {said.threads}: a program is started with 0 to {MOST_THREADS} threads")
    if said.threads is not None and said.grid is not None:
        raise UserError("--threads and --grid say the same thing: leave one of them out")
    buffers: dict[str, np.ndarray] = {}
    for text in said.buffers:
        name, path = named("--buffer", text, "memory=x.csv")
        if name in buffers:
            raise UserError(f"--buffer {text}: {name} has its contents already")
        from warploom.cli.data import read_buffer_file

        buffers[name] = read_buffer_file(name, path)
    block, grid = _extent("--block", said.block), _extent("--grid", said.grid)
    return Options(file, said.threads, block, grid, buffers, _arguments(said.arguments), said.machine, _more(said, asked))


def _more(said: Launching, asked: int) -> dict[str, Any]:
    """What only some front ends ask for. asked: a generation of Vortex."""
    told: dict[str, Any] = {"optimise": said.optimise, "macros": said.macros, "folders": said.folders}
    options = vars(said)
    told |= {"arguments": own_arguments(options), "words": compiler_words(options)}
    of_cubins = {"patches": said.patches, "mufu": said.mufu, "compiler": said.compiler}
    return {"launch": said.launch, "kernel": said.kernel_name, **of_cubins, "check": said.check, "generation": asked, **told}


def own_arguments(options: Mapping[str, Any]) -> list[str]:
    """The arguments of a program with its own main. Raises UserError."""
    return [*options.get("program_arguments", ()), *_split("--args", options.get("own_arguments"))]


SOURCES = (".cu", ".cpp", ".cc", ".cxx", ".c", ".o", ".a")  # that may stand behind a CUDA program


def with_its_files(file: str, options: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """A CUDA program of several files: those that stand behind the first one are sources, up to the first argument that is not a file.

    Returns its first file in CUDA C++, and the options with the others among the compiler's words.
    """
    given = [file, *options.get("program_arguments", ())]
    count = next((place for place, word in enumerate(given) if not (word.endswith(SOURCES) and Path(word).is_file())), len(given))
    first = next((word for word in given[:count] if word.endswith(".cu")), None)
    if first is None or count < 2:
        return file, options
    words = [options.get("nvcc_words") or "", shlex.join(word for word in given[:count] if word != first)]
    return first, options | {"program_arguments": tuple(given[count:]), "nvcc_words": " ".join(words).strip()}


def compiler_words(options: Mapping[str, Any]) -> list[str]:
    """What the compiler of CUDA C++ is told, in nvcc's words. Raises UserError."""
    level = options.get("optimise")
    return [
        *_split("--nvcc", options.get("nvcc_words")),
        *([f"-O{level}"] if level is not None else []),
        *(f"-D{macro}" for macro in options.get("macros", ())),
        *(f"-I{folder}" for folder in options.get("folders", ())),
    ]


def _split(option: str, text: str | None) -> list[str]:
    try:
        return shlex.split(text or "")
    except ValueError as error:
        raise UserError(f"{option} {text!r}: it is not what a shell would take: {str(error).lower()}") from None


def check_compiler_options(file: str, *, optimise: str | None, macros: tuple[str, ...], folders: tuple[str, ...]) -> None:
    """Raise UserError where something is said to a compiler that this file does not need."""
    given = [*([f"-O {optimise}"] if optimise is not None else []), *(f"-D {one}" for one in macros), *(f"-I {one}" for one in folders)]
    if given and language_of(file) is None and program_isa(file) != "cuda" and not file.lower().endswith(KERNELS):
        raise UserError(f"{given[0]} is for programs in C, and {file} is none: leave it out")


def named(option: str, text: str, example: str) -> tuple[str, str]:
    """The two halves of NAME=WHAT. Raises UserError."""
    name, equals, what = text.partition("=")
    if not (name and equals and what):
        raise UserError(f"{option} {text!r}: write a name and what it gets, as in {option} {example}")
    return name, what


def _extent(option: str, text: str | None) -> int | tuple[int, ...] | None:
    if text is None:
        return None
    if not EXTENT.fullmatch(text):
        raise UserError(f"{option} {text!r}: write a number, or one per dimension, as in {option} 16x16")
    sizes = tuple(int(part) for part in re.split("[x,]", text))
    if 0 in sizes or max(sizes) > MOST_THREADS:
        raise UserError(f"{option} {text}: each is 1 to {MOST_THREADS}")
    return sizes[0] if len(sizes) == 1 else sizes


def _arguments(texts: tuple[str, ...]) -> dict[str, Any]:
    from warploom.isa.launching import arguments_of

    given: dict[str, str] = {}
    for text in texts:
        name, value = named("--arg", text, "n=100")
        if name in given:
            raise UserError(f"--arg {text}: {name} has its value already")
        given[name] = value
    return arguments_of(given)


def _of_types(kernel: Any, given: dict[str, Any]) -> Program:
    """The program of a kernel, for the types of what it is given, and with it."""
    from warploom.isa.frontend import type_of
    from warploom.isa.launching import launched

    missing = [name for name in kernel.parameters if name not in given]
    if missing:
        raise UserError(f"the kernel {kernel.name!r} needs a value for {', '.join(missing)}: write --arg {missing[0]}=VALUE")
    program = kernel.program({name: type_of(given[name]) for name in kernel.parameters})
    return launched(program, program.launch.changed(arguments=given))
