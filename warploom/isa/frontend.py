"""What a front end is: the row that says where it is and what it takes, and what its module offers.

A front end is a module (or any object) with

    load(source, options) -> Loaded

which makes a Program, or a Kernel that makes Programs when it is known what its arguments are. One whose instructions have an
encoding offers `ENCODING` too, for `warploom asm` and `disasm`. A package from outside registers its row as an entry point of the group
`warploom.frontends`:

    [project.entry-points."warploom.frontends"]
    mine = "my_package.front_end:FRONT_END"
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, Protocol, runtime_checkable

from warploom.isa.diagnostics import Diagnostic
from warploom.isa.launch import Extent
from warploom.isa.program import Program

GROUP = "warploom.frontends"
PATH, BYTES, FUNCTION = KINDS = ("path", "bytes", "function")
Text = Path | bytes
AnySource = Path | bytes | Callable[..., Any]


class FrontEnd(NamedTuple):
    """One instruction set or language.

    suffixes: the endings of its files. module: where `load` is, imported when a source asks for it. gpu: the preset that its programs run
    on; warps_gpu: the one for settings of warps, where `gpu` has none. takes: kinds of sources, of KINDS. has_words: its
    instructions are words of one length, and the module has their `ENCODING`; has_code: it has their `CODE`
    (`machine_code.py`). claims: of files whose ending others have too, a function of a path, as
    "package.module:function", that says whether one is for this front end. extends: the front end whose instructions it adds its own to;
    where `claims` of a path and certain=True says so, a file has those and is refused there. scripts: its files are programs of the host,
    which run until they launch a kernel.
    """

    name: str
    suffixes: tuple[str, ...]
    module: str
    about: str
    gpu: str
    warps_gpu: str = ""
    takes: tuple[str, ...] = (PATH, BYTES)
    has_words: bool = False
    has_code: bool = False
    claims: str = ""
    extends: str = ""
    scripts: bool = False


@dataclass(frozen=True)
class Options:
    """What a user says of a program when it is loaded; None and empty where nothing is said.

    path: what messages call a source that is not a file. threads, block, grid: of the launch. buffers: contents by name. arguments: by
    name; `launching.started` writes these and the launch into a Program, a front end that lays arguments out itself does it instead.
    machine: the one that the program is for, as a Config or a preset's name, which a Python file sees while it runs up to its launch;
    None: the usual one. more: what only this front end knows.
    """

    path: str = ""
    threads: int | None = None
    block: Extent | None = None
    grid: Extent | None = None
    buffers: Mapping[str, Any] = field(default_factory=dict)
    arguments: Mapping[str, Any] = field(default_factory=dict)
    machine: Any = None
    more: Mapping[str, Any] = field(default_factory=dict)


class ArgumentType(NamedTuple):
    """The type of an argument: a NumPy dtype's name, and of an array its dimensions and whether its rows follow one another."""

    dtype: str
    dimensions: int = 0
    contiguous: bool = True


@runtime_checkable
class Kernel(Protocol):
    """A program whose arguments' types are not known yet. It raises SourceError for types that it cannot take."""

    name: str
    parameters: tuple[str, ...]

    def program(self, types: Mapping[str, ArgumentType]) -> Program:
        """The Program for arguments of these types, the same one each time."""
        ...


class Loaded(NamedTuple):
    """What a front end answers with. warnings: what is allowed in the source but most likely not meant."""

    program: Program | Kernel
    warnings: Sequence[Diagnostic] = ()


class Image(Protocol):
    """Instruction words that were read from a file."""

    words: list[int]
    threads: int
    data: tuple[int, ...]


class Encoding(NamedTuple):
    """An instruction set whose instructions are words.

    bits: of a word. words: those of a Program. formats: how they are written to a file, by name; the first is the usual one, and a
    file's ending may name another. read: words from a text and its path, an `Image`. source: an Image back into source text.
    """

    bits: int
    words: Callable[[Program], list[int]]
    formats: Mapping[str, Callable[[Program], str]]
    read: Callable[[str, str], Any]
    source: Callable[[Any], str]


class Module(Protocol):
    """What the module of a front end offers."""

    def load(self, source: Any, options: Options) -> Loaded:
        """A Program or a Kernel. Raises SourceError with every error in the source."""
        ...


def type_of(value: Any) -> ArgumentType:
    """The type of an argument: Python's numbers are 64 bits wide."""
    import numpy as np

    array = np.asarray(value)
    return ArgumentType(array.dtype.name, array.ndim, bool(array.flags.c_contiguous))
