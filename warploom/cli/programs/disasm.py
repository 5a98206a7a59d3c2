"""`warploom disasm`: instruction words back into source text."""

from __future__ import annotations

import json
import re
from typing import Any

import click

from warploom.cli.common import UserError, json_option, keep_inputs, print_json, say, write_file
from warploom.cli.options import COMPILER, compiler_options
from warploom.isa.c.endings import language_of

CUBINS = (".cubin", ".fatbin")


@click.command()
@click.argument("file", metavar="FILE")
@click.option("-o", "--output", metavar="OUT", help="Write the source text to this file in place of standard output.")
@click.option("--isa", metavar="NAME", help="The instruction set of the words, where the file does not say it.")
@click.option("--gpu", metavar="PRESET|TOML", help="A machine of Vortex: in place of --isa, for its code. What a Python program runs on.")
@click.option("--launch", metavar="N|NAME", help="Which launch of a Python program. [default: all]")
@click.option("--kernel", metavar="N|NAME", help="Which kernel of a cubin. [default: all]")
@click.option("--words", is_flag=True, help="Of a cubin: what each control word says, in words.")
@click.option("--ptx", is_flag=True, help="Of a cubin with -lineinfo: the PTX that each instruction was made of.")
@click.option("--ssa", is_flag=True, help="Of a Python program: the compiler's SSA too, as built and after each pass.")
@click.option("--pass", "pass_", metavar="PASS", help="SSA before and after this pass alone: prune, halves, offsets, sweep or ranges.")
@COMPILER
@compiler_options
@json_option
@click.pass_context
def command(
    ctx: click.Context,
    file: str,
    output: str | None,
    isa: str | None,
    gpu: str | None,
    launch: str | None,
    kernel: str | None,
    words: bool,
    ptx: bool,
    ssa: bool,
    pass_: str | None,
    as_json: bool,
    compiler: str,
    **told: Any,
) -> None:
    """Turn the instruction words in FILE into source text that assembles to the same words.

    FILE holds hexadecimal words as Verilog's $readmemh takes them, or JSON: a list of words, or an object with
    program, threads, block and data. `warploom asm` writes the instruction set's name into both. It may also be
    a code object of GCN, an ELF file of Vortex, RISC-V or AVX-512, an image of Vortex (.vxbin), or bytes of their
    code in a .bin, with --isa or a machine of Vortex.

    A cubin of NVIDIA's is listed kernel by kernel: registers, shared memory, parameters, and each instruction with its
    control word, below the line of source that it was made of.

    A program in C or OpenCL C is compiled first.

    A Python program is run, and the kernels that it launches are shown, each line with the instructions that it has
    become. They have no words: nothing assembles them again.

    \b
    Examples:
      warploom disasm matadd.hex                  print the source text
      warploom disasm matadd.json -o matadd.asm   write it to a file
      warploom disasm words.hex --isa tiny        words of other tools
      warploom disasm kernel.co -o kernel.gcn     a code object of GCN
      warploom disasm examples/vortex/saxpy.elf   an ELF file
      warploom disasm prog.bin --gpu vortex-2022  an image of Vortex of 2022
      warploom disasm saxpy.cl -O 3               what a program in C becomes
      warploom disasm saxpy.py                    kernels of a Python program
      warploom disasm kernels.cubin --kernel saxpy  NVIDIA's machine code
      warploom disasm kernels.cubin --words       with its control words in words
      warploom disasm kernels.cubin --ptx         and the PTX in between
      warploom disasm saxpy.py --ssa              and what each pass makes of them
    """
    from warploom.cli.loading import check_compiler_options, compiled_isa, compiler_words, is_script
    from warploom.cli.programs.machine_code import BYTES, IMAGES, disassembled
    from warploom.isa.frontends import encoding, known, read_text, with_words
    from warploom.isa.reading import ELF_MAGIC, read_bytes

    check_compiler_options(file, **told)
    isa = compiled_isa(file, isa, compiler)
    if is_script(file, isa):
        from warploom.cli.programs import disasm_script

        ctx.exit(disasm_script.disassembled(file, output, launch, gpu, as_json, ssa=disasm_script.passes_of(ssa, pass_), compiler=compiler))
    if ssa or pass_ is not None:
        raise UserError(f"{'--ssa' if ssa else '--pass'}: {file} is not a Python program, and only those are compiled here by way of SSA")
    if launch is not None:
        raise UserError(f"--launch {launch}: {file} is not a Python program, of whose launches one is chosen")
    keep_inputs("-o", output, [file])
    if file.lower().endswith(CUBINS) or isa == "sass":
        from warploom.cli.programs import disasm_cubin

        disasm_cubin.disassembled(file, output, kernel, as_json, words, ptx, gpu=gpu, told=compiler_words(told))
        return
    if words or ptx:
        raise UserError(
            f"{'--words' if words else '--ptx'}: {file} is not a cubin, whose instructions have {'control words' if words else 'PTX'}"
        )
    if kernel is not None:
        raise UserError(f"--kernel {kernel}: {file} is not a cubin, of whose kernels one is chosen")
    if gpu is not None:
        isa = _isa_of(file, isa, gpu)
    row = with_words(file, isa)
    there = ", ".join(row.name for row in known() if row.has_words or row.has_code)
    says_it = isa or language_of(file) or read_bytes(file).startswith(ELF_MAGIC) or file.lower().endswith(IMAGES[1:])
    if says_it and (row.has_code or not row.has_words):
        if not row.has_code:
            raise UserError(f"{file} is a program of {row.name}, whose instructions have no words here; these have: {there}")
        disassembled(file, row, output, as_json, told)
        return
    if isa is None and file.lower().endswith(BYTES):
        raise UserError(f"{file} does not say of which instruction set its bytes are: add --isa NAME, of {there}")
    given = read_text(file)
    said = isa or _stated(given)
    if said is None and given.strip():
        raise UserError(f"{file} does not say of which instruction set its words are: add --isa NAME, of {there}")
    row = with_words("", said)
    if row.has_code:
        disassembled(file, row, output, as_json, told)
        return
    if not row.has_words:
        raise UserError(f"--isa {row.name}: its instructions have no words here; these have: {there}")
    code = encoding(row)
    image = code.read(given, file)
    text = code.source(image)
    if output and output != "-":
        write_file(output, text)
    if as_json:
        body = {"isa": row.name, "file": file, "output": output, "threads": image.threads, "program": image.words}
        print_json(body | {"data": list(image.data), "source": text})
    elif output and output != "-":
        say(f"{len(image.words)} instructions written to {output}", err=True)
    else:
        say(text, nl=False)


def _isa_of(file: str, isa: str | None, gpu: str) -> str:
    """The instruction set of code for a machine of Vortex: of the generation that a run takes it for."""
    from warploom.isa.reading import read_bytes
    from warploom.isa.vortex.generation import GENERATIONS
    from warploom.isa.vortex.words import generation_in
    from warploom.machine.config.presets import load_config

    if isa is not None:
        raise UserError(f"--isa {isa} and --gpu {gpu} both say what {file} is: leave one of them out")
    machine = GENERATIONS.get(load_config(gpu)["vortex.isa"])
    if machine is None:
        raise UserError(
            f"--gpu {gpu} is not a machine of Vortex, and does not say of which instruction set {file} is: add --isa NAME instead"
        )
    return machine.name if language_of(file) else generation_in(read_bytes(file), file, machine).name


def _stated(words: str) -> str | None:
    """The instruction set that a file of words says it is of: a comment `// .isa tiny`, or the member `isa` of an object in JSON."""
    if words.lstrip()[:1] not in ("[", "{"):
        found = re.search(r"^//[ \t]*\.isa[ \t]+([\w-]+)[ \t]*\r?$", words, re.MULTILINE)
        return found[1] if found else None
    try:
        body = json.loads(words)
    except (ValueError, RecursionError):
        return None
    isa = body.get("isa") if isinstance(body, dict) else None
    return isa if isinstance(isa, str) else None
