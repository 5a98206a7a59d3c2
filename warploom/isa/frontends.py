"""Front ends: from a file, bytes or a Python function to a Program, whatever it is written in.

What a front end is says `frontend.py`. Those of this package are a table; those of other packages are looked for when none of
these is meant, so that a start costs nothing for them.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, cast

from warploom.isa.c.endings import FOR_RISCV, language_of
from warploom.isa.diagnostics import Diagnostic, nearest
from warploom.isa.frontend import BYTES, FUNCTION, GROUP, PATH, Encoding, FrontEnd, Loaded, Module, Options
from warploom.isa.machine_code import MachineCode
from warploom.isa.numbers import whole_number
from warploom.isa.program import Program
from warploom.isa.reading import MOST_BYTES, error, read_bytes, read_text

__all__ = [
    "FRONT_ENDS",
    "MOST_BYTES",
    "FrontEnd",
    "encoding",
    "front_end",
    "known",
    "load",
    "load_with_warnings",
    "open_source",
    "read_text",
    "with_words",
]

AnyInput = str | os.PathLike[str] | bytes | Callable[..., Any]

FRONT_ENDS: tuple[FrontEnd, ...] = (
    FrontEnd("tiny", (".asm",), "warploom.isa.tiny", "tiny-gpu", "tiny", warps_gpu="tiny-simt", has_words=True),
    FrontEnd("guppy", (".guppy", ".s"), "warploom.isa.guppy", "guppy's language of four-component registers and masks", "guppy"),
    FrontEnd("riscv", (".rv", ".elf"), "warploom.isa.riscv", "RISC-V: ordinary RV32IMAFC code in every lane", "sm", has_code=True),
    FrontEnd(
        "vortex",
        (".elf", ".vxbin", ".vx", *FOR_RISCV),
        "warploom.isa.vortex",
        "Vortex, whichever generation a file is of",
        "vortex-2024",
        has_code=True,
        claims="warploom.isa.vortex.recognise:is_vortex",
        extends="riscv",
    ),
    *(
        FrontEnd(f"vortex-{number}", (), f"warploom.isa.vortex.v{number}", f"Vortex, the RISC-V GPGPU, as of {number}", gpu, has_code=True)
        for number, gpu in ((2021, "vortex-2022"), (2022, "vortex-2022"), (2024, "vortex-2024"), (2026, "vortex-2024"))
    ),
    FrontEnd(
        "avx512",
        (".avx512", ".o", ".elf", ".s", ".c"),
        "warploom.isa.avx512",
        "AVX-512: x86's vectors of 16 lanes and their masks",
        "avx512",
        has_code=True,
        claims="warploom.isa.avx512.recognise:is_x86",
    ),
    FrontEnd(
        "gcn",
        (".gcn", ".co", ".hsaco", ".o", ".cl", ".c"),
        "warploom.isa.gcn",
        "AMD's GCN: waves of 64 lanes, a scalar unit, and the mask of lanes in a register",
        "gcn",
        has_code=True,
        claims="warploom.isa.gcn.kernels.code_object:is_code_object",
    ),
    FrontEnd("sass", (".cubin", ".fatbin"), "warploom.isa.sass.front_end", "NVIDIA's machine code: cubins of sm_70 to sm_90", "h100"),
    *(
        FrontEnd(f"sass-{number}", (), "warploom.isa.sass.front_end", f"NVIDIA's machine code for sm_{number}", gpu)
        for number, gpu in ((70, "v100"), (72, "sm"), (75, "t4"), (80, "a100"), (86, "a40"), (87, "sm"), (89, "rtx4090"), (90, "h100"))
    ),
)

_CUDA = (
    "write the kernel in Python (`warploom new kernel.py`: the dialect of numba.cuda), in CUDA C++ (.cu), in C (.c, for Vortex) or in "
    "OpenCL C (.cl, for GCN)"
)
_BINARY = "run the kernel's source instead: in Python (.py), in C (.c, for Vortex) or in OpenCL C (.cl, for GCN)"
# Files of other tools, by ending: what they are, and what to do.
NOT_YET: dict[str, tuple[str, str]] = {
    ".cuh": ("it is a header of CUDA C++, which does not run by itself", "name the .cu file that includes it"),
    ".hip": ("it is HIP, which does not run here", _CUDA),
    ".ptx": (
        "it is PTX, which NVIDIA's compiler makes machine code of",
        "add --compiler nvidia (extra nvidia), or run the kernel's source",
    ),
    ".sass": ("it is a listing of NVIDIA's machine code", "run the file that it was made from: a .cubin, or its source"),
    **dict.fromkeys(
        (".metal", ".wgsl", ".glsl", ".comp", ".frag", ".vert", ".hlsl", ".spv"), ("it is a shader, which does not run here", _CUDA)
    ),
    **dict.fromkeys((".h", ".hpp"), ("it is a header, which does not run by itself", "name the file that includes it")),
    **dict.fromkeys((".ll", ".bc"), ("it is LLVM's intermediate code, which does not run here", _BINARY)),
}


def load(source: AnyInput, isa: str | None = None, *, if_convert: int = 0, options: Options | None = None) -> Program:
    """The Program in a source: a file's path, bytes or a Python function.

    isa: a front end's name; None: the one for the file's ending, or for functions. if_convert: branches over at most so many
    instructions become predicates, see `analysis/if_conversion.py`; such a program is for machines with warps.
    Raises SourceError, with every error in the source, also when it cannot be read, or when it is a kernel whose arguments' types are not
    known; ValueError when if_convert is negative or no whole number.
    """
    program = load_with_warnings(source, isa, options)[0]
    if whole_number("if_convert", if_convert, 0):
        from warploom.isa.analysis.if_conversion import if_convert as convert

        program = convert(program, if_convert)
    return program


def load_with_warnings(source: AnyInput, isa: str | None = None, options: Options | None = None) -> tuple[Program, list[Diagnostic]]:
    """As `load`, with what is allowed in the source but most likely not meant."""
    loaded = open_source(source, isa, options)
    if not isinstance(loaded.program, Program):
        kernel = loaded.program
        said = f"the types of the arguments of {kernel.name!r} are not known: {', '.join(kernel.parameters)}"
        raise error(_name(source), said, "give the arguments, or open it with open_source")
    return loaded.program, list(loaded.warnings)


def open_source(source: AnyInput, isa: str | None = None, options: Options | None = None) -> Loaded:
    """What the front end of a source makes of it: a Program or a Kernel, and warnings. Raises SourceError."""
    chosen = front_end(source, isa)
    options = options or Options(path=_name(source))
    module = cast(Module, importlib.import_module(chosen.module))
    if callable(source) or isinstance(source, bytes):
        kind = FUNCTION if callable(source) else BYTES
        if kind not in chosen.takes:
            raise error(_name(source), f"the front end {chosen.name!r} takes no {kind}, it takes {', '.join(chosen.takes)}", "")
        return module.load(source, options)
    check_language(chosen, source)
    if isa is not None:
        check_extension(chosen, source)
    return module.load(Path(source) if PATH in chosen.takes else read_bytes(source), options)


def check_language(row: FrontEnd, path: str | os.PathLike[str]) -> None:
    """Raise SourceError for a file of a language that a front end of ours does not compile."""
    language = language_of(os.fspath(path))
    if language and row in FRONT_ENDS and row.name.partition("-")[0] not in language.isas:
        raise error(path, f"it is {language.name}, which {row.name} does not take", f"choose --isa {' or '.join(language.isas)}")


def check_extension(row: FrontEnd, path: str | os.PathLike[str]) -> None:
    """Raise SourceError for a file that is certain to have instructions which only a front end that extends this one knows."""
    suffix = Path(path).suffix.lower()
    for other in FRONT_ENDS:
        if other.extends == row.name and suffix in row.suffixes and suffix in other.suffixes and _claims(other, path, certain=True):
            said = f"it is a program for {other.name.capitalize()}: it has instructions of its own, which {row.name} does not have"
            raise error(path, said, f"leave out --isa {row.name}")


def known() -> tuple[FrontEnd, ...]:
    """All front ends, those of other packages too. One of a name or an ending that is there already is left out, as is a broken one."""
    return FRONT_ENDS + _outside()[0]


def named(name: str | None) -> FrontEnd | None:
    """The front end of a name. Other packages are asked only for one that is not ours: to look for them takes a tenth of a short run."""
    ours = next((one for one in FRONT_ENDS if one.name == name), None)
    return ours or next((one for one in _outside()[0] if one.name == name), None)


@lru_cache(maxsize=1)
def _outside() -> tuple[tuple[FrontEnd, ...], tuple[str, ...]]:
    """The front ends of other packages, and a sentence for each that cannot be had."""
    from importlib.metadata import entry_points

    found: list[FrontEnd] = []
    broken: list[str] = []
    for point in sorted(entry_points(group=GROUP), key=lambda point: point.name):
        try:
            row = point.load()
        except Exception as failure:  # another package's file: whatever it raises is said where its front end is asked for
            broken.append(f"the front end {point.name!r} ({point.value}) cannot be loaded: {type(failure).__name__}: {failure}")
            continue
        if not isinstance(row, FrontEnd):
            broken.append(f"the front end {point.name!r} ({point.value}) is a {type(row).__name__}, not a warploom.isa.frontend.FrontEnd")
        elif row.name not in {other.name for other in (*FRONT_ENDS, *found)}:
            found.append(row)
    return tuple(found), tuple(broken)


def front_end(source: AnyInput, isa: str | None = None) -> FrontEnd:
    """The front end of a name, or else of a file's ending, or for functions. Raises SourceError."""
    found = _among(FRONT_ENDS, source, isa) or _among(known(), source, isa)
    if found is not None:
        return found
    rows, broken = known(), "; ".join(_outside()[1])
    if isa is not None:
        names = [row.name for row in rows]
        raise error(_name(source), f"there is no instruction set {isa!r}{nearest(isa, names)}", broken or f"there are {', '.join(names)}")
    if callable(source):
        raise error(_name(source), "there is no front end for Python functions", broken)
    if isinstance(source, bytes):
        raise error(
            _name(source),
            "bytes do not say which instruction set they are",
            f"name one: {', '.join(row.name for row in rows if BYTES in row.takes)}",
        )
    suffix = Path(source).suffix.lower()
    if suffix in NOT_YET:
        raise error(source, *NOT_YET[suffix])
    endings = ", ".join(f"{'/'.join(row.suffixes)} for {row.name}" for row in rows if row.suffixes)
    said = (
        f"the ending {suffix!r} belongs to no instruction set" if suffix else "the name has no ending that says which instruction set it is"
    )
    raise error(source, said, broken or f"name the file {endings}, or say which instruction set it is: --isa NAME")


def with_words(path: str | os.PathLike[str], isa: str | None = None) -> FrontEnd:
    """The front end whose words a file is about: that of a name or an ending, or else the first that has words. Raises SourceError."""
    if isa is None and _among(known(), path, None) is None:
        return next(row for row in FRONT_ENDS if row.has_words)
    return front_end(path, isa)


def machine_code(row: FrontEnd, data: bytes = b"", path: str = "") -> MachineCode:
    """The machine code of a front end that has some. data, path: a file, where it says of which generation it is. Raises SourceError."""
    code = importlib.import_module(row.module).CODE
    return cast(MachineCode, code(data, path) if callable(code) else code)


def encoding(row: FrontEnd) -> Encoding:
    """The encoding of a front end that has words."""
    return cast(Encoding, importlib.import_module(row.module).ENCODING)


def meanings(isa: str) -> dict[str, tuple[str, str]]:
    """Of an instruction set the instructions by mnemonic: how each is written, and what it does. Nothing for one that does not say."""
    row = named(isa)
    told = getattr(importlib.import_module(row.module), "meanings", None) if row is not None else None
    return dict(told()) if told is not None else {}


def _among(rows: Sequence[FrontEnd], source: AnyInput, isa: str | None) -> FrontEnd | None:
    if isa is not None:
        return next((row for row in rows if row.name == isa), None)
    if callable(source):
        return next((row for row in rows if FUNCTION in row.takes), None)
    if isinstance(source, bytes):
        return None
    suffix = Path(source).suffix.lower()
    found = [row for row in rows if suffix in row.suffixes]
    return next((row for row in found if len(found) > 1 and row.claims and _claims(row, source)), found[0] if found else None)


def _claims(row: FrontEnd, source: str | os.PathLike[str], **how: bool) -> bool:
    """Whether a front end says that a file is its own."""
    module, _, name = row.claims.partition(":")
    return bool(getattr(importlib.import_module(module), name)(source, **how))


def _name(source: AnyInput) -> str:
    """What messages call a source."""
    if isinstance(source, bytes):
        return "<bytes>"
    return getattr(source, "__name__", "<function>") if callable(source) else os.fspath(source)
