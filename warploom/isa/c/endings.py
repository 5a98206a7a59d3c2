"""The languages of sources that clang compiles, by the endings of files, and which front ends take them."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

C = ".c"
CPP = (".cpp", ".cc", ".cxx")
OPENCL = ".cl"
FOR_RISCV = (C, *CPP)
OF_C = (*FOR_RISCV, OPENCL)


class Language(NamedTuple):
    """isas: the front ends that take it, without their generations."""

    name: str
    isas: tuple[str, ...]


_CPP = Language("C++", ("vortex", "riscv"))
LANGUAGES = {C: Language("C", ("vortex", "riscv", "avx512", "gcn")), **dict.fromkeys(CPP, _CPP), OPENCL: Language("OpenCL C", ("gcn",))}


def for_riscv(path: str | Path) -> bool:
    """Whether a file is C or C++, which RISC-V and Vortex take."""
    return Path(path).suffix.lower() in FOR_RISCV


def language_of(path: str | Path) -> Language | None:
    """The language of a file with such an ending; None for all others."""
    return LANGUAGES.get(Path(path).suffix.lower())
