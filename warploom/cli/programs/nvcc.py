"""`warploom nvcc`: in the place of nvcc in a Makefile."""

from __future__ import annotations

import sys

import click

from warploom.cli.common import UserError, say

VERSION = "--version", "-V"


@click.command(context_settings={"ignore_unknown_options": True, "help_option_names": ["--help"], "allow_interspersed_args": False})
@click.argument("words", metavar="FILES...", nargs=-1, type=click.UNPROCESSED)
def command(words: tuple[str, ...]) -> None:
    """Compile and link CUDA C++ as nvcc does, for this simulator: stands in for nvcc in a Makefile.

    Takes nvcc's own options: -c, -dc, -o, -I, -D, -O, -std, -l, -L, -Xcompiler, -rdc, -ptx, -fatbin, -lib and what else needs nothing
    here, such as -arch. The executable runs by itself on the usual machine; `warploom run`, `profile` and the others take it too, with
    their options. The compiler is clang, as the package ziglang has it: pip install 'warploom[cc]'.

    \b
    Examples:
      warploom nvcc saxpy.cu -o saxpy && ./saxpy
      warploom nvcc -c -O3 -DN=256 kernels.cu -o kernels.o
      warploom nvcc main.o kernels.o -o program
      make NVCC='warploom nvcc'
      warploom profile ./saxpy
      warploom run ./saxpy --gpu h100-sxm
    """
    from importlib.metadata import version

    from warploom.cuda_cpp.nvcc import make
    from warploom.cuda_cpp.words import BadWord, parse

    if set(words) & set(VERSION):
        say(f"warploom nvcc: CUDA C++ for a simulated GPU\nCuda compilation tools, release 13.0, V13.0.0 (warploom {version('warploom')})")
        return
    try:
        said = make(parse(words), lambda text: say(f"{text} ...", err=True) if sys.stderr.isatty() else None)
    except BadWord as wrong:
        raise UserError(f"nvcc: {wrong}") from None
    if said.strip():
        say(said.rstrip(), err=True)
