"""The options that commands share: one vocabulary, and the old names that are refused with their new ones."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

import click

from warploom.cli.common import UserError

F = TypeVar("F", bound=Callable[..., Any])

_ISA = click.option("--isa", metavar="NAME", help="The instruction set, where the file's ending does not say it.")
_UNITS = (
    click.option(
        "--unit",
        "units",
        multiple=True,
        metavar="SLOT=FILE.py:NAME",
        help="A unit of your own, as scheduler=mine.py:choose, or a built-in one by name. The file is executed with your rights.",
    ),
    click.option("--scheduler", metavar="FILE.py:NAME", help="Short for --unit scheduler=FILE.py:NAME."),
)
COMPILER = click.option(
    "--compiler",
    type=click.Choice(["own", "nvidia"]),
    default="own",
    help="What compiles kernels in Python, CUDA C++ and PTX: warploom, or NVIDIA's compilers (extra nvidia), whose machine code runs then. "
    "[default: own]",
)
_C = (
    click.option(
        "-O", "optimise", type=click.Choice(["0", "1", "2", "3", "s"]), help="How a program in C or CUDA C++ is optimised. [default: 2]"
    ),
    click.option("-D", "macros", multiple=True, metavar="NAME[=VALUE]", help="Define a macro for a program in C or CUDA C++."),
    click.option("-I", "folders", multiple=True, metavar="DIR", help="Look for the headers of a program in C or CUDA C++ there too."),
)
_PROGRAM = (
    click.option("--launch", metavar="N|NAME", help="Which launch, where the source has several. [default: 0, the first]"),
    click.option("--kernel", "kernel_name", metavar="N|NAME", help="Which kernel of a code object or a cubin, where it has several."),
    click.option(
        "--patch",
        "patches",
        multiple=True,
        metavar="ADDRESS:FIELD=N",
        help="Of a cubin: change a field of an instruction's word before it runs, as 0x120:stall=2.",
    ),
    click.option(
        "--mufu",
        metavar="FILE",
        help="Of a cubin: what approximate functions give, as recorded on hardware; see `warploom docs machine-code`. "
        "[default: mufu.zip in the cache directory, if it is there]",
    ),
    COMPILER,
    click.option("--threads", type=int, metavar="N", help="Threads of the whole launch, instead of the program's own."),
    click.option("--block", metavar="N", help="Threads per block, instead of the program's own."),
    click.option("--grid", metavar="N", help="Blocks of the launch, in place of --threads."),
    *_C,
    click.option("--args", "own_arguments", metavar="TEXT", help="Arguments of a program with its own main, as a shell takes them."),
    click.option("--nvcc", "nvcc_words", metavar="TEXT", help="Options of nvcc for a program in CUDA C++, as '-std=c++20 -use_fast_math'."),
    click.option("--arg", "arguments", multiple=True, metavar="NAME=VALUE", help="An argument of the program."),
    click.option(
        "--buffer",
        "buffers",
        multiple=True,
        metavar="NAME=FILE",
        help="First contents of a buffer: text, .csv, .json, .npy, .bin, .png. tiny-gpu's data memory is the buffer memory.",
    ),
)
_MACHINE = (
    click.option(
        "--gpu", metavar="PRESET|TOML", help="The machine: a preset's name or a TOML file. [default: that of the instruction set]"
    ),
    click.option("--set", "changes", multiple=True, metavar="NAME=VALUE", help="Change a setting of the machine, as gpu.cores=4."),
    *_UNITS,
    _ISA,
    *_PROGRAM,
    click.option(
        "--if-convert",
        type=int,
        metavar="N",
        help="Turn branches over up to N instructions that only compute into predicates (machines with warps).",
    ),
)
_RUN = (
    *_MACHINE,
    click.option(
        "--max-cycles",
        type=int,
        metavar="N",
        help="Stop a run that takes longer. [default: 10000000; of each launch of a Python program 1000000000]",
    ),
    click.option("--memory", metavar="SIZE", help="Memory of the device of a Python program, as 2G, at most 4095M. [default: 256M]"),
    click.option("--engine", type=click.Choice(["auto", "python", "native"]), default="auto", help="[default: auto, native for long runs]"),
)
RENAMED = {"--data": "--buffer memory=FILE", "--bind": "--buffer NAME=FILE", "--group-size": "--block", "--groups": "--grid"}


def machine_options(command: F) -> F:
    """The options that say on which machine a program runs, how it is launched, and over which data."""
    return renamed(**RENAMED)(_with(_RUN, command))


def machine_program_options(command: F) -> F:
    """The options that are about the machine and the program, and not about the run."""
    return renamed(**RENAMED)(_with(_MACHINE, command))


def program_options(command: F) -> F:
    """Of those the ones that are about the program."""
    return renamed(**RENAMED)(_with((_ISA, *_PROGRAM), command))


def compiler_options(command: F) -> F:
    """The options that say how a program in C is compiled."""
    return _with(_C, command)


def unit_options(command: F) -> F:
    """The options that put units of a user's into a machine."""
    return _with(_UNITS, command)


def renamed(**names: str) -> Callable[[F], F]:
    """Options that have another name now: an old one is refused with what takes its place."""

    def add(command: F) -> F:
        for old, new in names.items():
            refuse = partial(_refuse, old, new)
            command = click.option(old, hidden=True, expose_value=False, multiple=True, callback=refuse)(command)
        return command

    return add


def _with(options: tuple[Callable[[F], F], ...], command: F) -> F:
    for option in reversed(options):
        command = option(command)
    return command


def _refuse(old: str, new: str, _context: click.Context, _option: click.Parameter, values: tuple[str, ...]) -> None:
    if values:
        raise UserError(f"{old} is called {new}")
