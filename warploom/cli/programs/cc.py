"""`warploom cc`: a program in C or C++ into an ELF file."""

from __future__ import annotations

import click

from warploom.cli.common import diagnostic_json, json_option, keep_inputs, print_json, print_warnings, say, write_file
from warploom.cli.options import compiler_options


@click.command()
@click.argument("files", metavar="FILE...", nargs=-1, required=True)
@click.option("-o", "--output", metavar="OUT", required=True, help="The ELF file.")
@click.option("--target", metavar="NAME", help="vortex-2024, vortex-2022, riscv, avx512 or gcn. [default: vortex-2024; of OpenCL C gcn]")
@compiler_options
@json_option
def command(
    files: tuple[str, ...], output: str, target: str | None, optimise: str | None, macros: tuple[str, ...], folders: tuple[str, ...],
    as_json: bool,
) -> None:  # fmt: skip
    """Compile each FILE, C, C++ (.cpp) or assembly (.S), and link them with warploom's start-up and headers.

    A function marked `kernel` of <warploom.h> is what `warploom run` calls for each thread; a program with a main of its own is started by
    every core. A kernel for AVX-512 includes <lanes.h>, one for GCN <gcn.h>; for GCN there is OpenCL C too, in a .cl file. C++ is for
    Vortex and RISC-V, without its library. The compiler is clang, as the package ziglang has it: pip
    install 'warploom[cc]'. `warploom run kernel.c` compiles too.

    \b
    Examples:
      warploom cc saxpy.c -o saxpy.elf
      warploom cc saxpy.c -o saxpy.elf --target vortex-2022 -O 0
      warploom cc tile.c -o tile.elf -D TILE=16 -I include
      warploom cc sgemm.cpp -o sgemm.elf
      warploom cc collatz.c -o collatz.elf --target riscv
      warploom cc mandelbrot.c -o mandelbrot.elf --target avx512
      warploom cc saxpy.cl -o saxpy.co
    """
    from warploom.isa.c.compiler import GCN, WITH_CPP, compiled
    from warploom.isa.c.endings import OPENCL
    from warploom.isa.c.parameters import kernels_of
    from warploom.isa.c.settings import USUAL_LEVEL, check_told
    from warploom.isa.c.warnings import compiler_warnings, texts_of
    from warploom.isa.riscv import elf
    from warploom.isa.vortex.front_end import guard_warnings

    keep_inputs("-o", output, files)
    check_told(files[0], macros, folders)
    level = optimise or USUAL_LEVEL
    target = target or (GCN if any(file.endswith(OPENCL) for file in files) else "vortex-2024")
    data, said = compiled(files, target, level, beside=output, macros=macros, folders=folders)
    if target in WITH_CPP:
        elf.startable(data, files[0], kernels_of(data, elf.read(data, files[0], lines=False)[0].symbols), None)
    write_file(output, data)
    texts = texts_of(said, files)
    of_compiler = compiler_warnings(said, texts)
    warnings, sources = guard_warnings(data, output) if target.startswith("vortex") else ([], ())
    if as_json:
        listed = [diagnostic_json(warning) for warning in [*of_compiler, *warnings]]
        print_json({"files": list(files), "target": target, "optimise": level, "output": output, "bytes": len(data), "warnings": listed})
    else:
        if of_compiler:
            print_warnings(of_compiler, *texts)
        if warnings:
            print_warnings(warnings, *sources)
        say(f"{len(data)} bytes written to {output}", err=True)
