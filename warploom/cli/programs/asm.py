"""`warploom asm`: a program's instruction words, as a listing and as a file."""

from __future__ import annotations

from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING, Any

import click

from warploom.cli.common import UserError, diagnostic_json, json_option, keep_inputs, print_json, print_warnings, say, write_file
from warploom.cli.options import COMPILER, compiler_options
from warploom.cli.programs.disasm import CUBINS

if TYPE_CHECKING:
    from warploom.isa.frontend import Encoding
    from warploom.isa.program import Program


@click.command()
@click.argument("file", metavar="FILE")
@click.option(
    "-o", "--output", metavar="OUT", help="Write the words to this file; - writes them to standard output in place of the listing."
)
@click.option("--format", "form", metavar="hex|json|bin", help="How the words are written. [default: as the file's ending says, else hex]")
@click.option("--isa", metavar="NAME", help="The instruction set, where the file's ending does not say it.")
@click.option("--kernel", metavar="N|NAME", help="Which kernel of a cubin. [default: all]")
@COMPILER
@compiler_options
@json_option
def command(
    file: str, output: str | None, form: str | None, isa: str | None, kernel: str | None, as_json: bool, compiler: str, **told: Any
) -> None:
    """Show FILE as a listing: address, word in hexadecimal and binary, source.

    Of tiny, hex is what Verilog's $readmemh takes, and JSON holds the words, the number of threads and the data.
    Of RISC-V, Vortex, GCN and AVX-512, FILE may be a code object or an ELF file too, or a program in C, and bin is the bytes of the code.
    Of a cubin of NVIDIA's the words have 128 bits; the last of them are the control word, which `warploom disasm` explains.

    \b
    Examples:
      warploom asm matadd.asm                  print the listing
      warploom asm matadd.asm -o matadd.hex    and write the words for Verilog
      warploom asm matadd.asm --format json    print the words as JSON
      warploom asm saxpy.gcn -o saxpy.hex      words of GCN
      warploom asm kernel.s --isa gcn          what a compiler has printed
      warploom asm kernel.cl -O 3 -D TILE=16   what a program in C becomes
      warploom asm kernels.cubin --kernel saxpy  words of NVIDIA's machine code
    """
    from warploom.cli.loading import check_compiler_options, compiled_isa, compiler_words
    from warploom.cli.programs.machine_code import assembled
    from warploom.cli.terminal import screen
    from warploom.isa.frontends import encoding, known, load_with_warnings, with_words

    keep_inputs("-o", output, [file])
    isa = compiled_isa(file, isa, compiler)
    if file.lower().endswith(CUBINS) or isa == "sass":
        from warploom.cli.programs.asm_cubin import assembled as assembled_cubin

        check_compiler_options(file, **told)
        assembled_cubin(file, output, form, kernel, as_json, compiler_words(told))
        return
    if kernel is not None:
        raise UserError(f"--kernel {kernel}: {file} is not a cubin, of whose kernels one is chosen")
    row = with_words(file, isa)
    if row.has_code:
        assembled(file, row, output, form, as_json, told)
        return
    check_compiler_options(file, **told)
    if not row.has_words:
        others = ", ".join(
            f"{other.name} ({'/'.join(other.suffixes)})" if other.suffixes else other.name
            for other in known()
            if other.has_words or other.has_code
        )
        listed = f"; `warploom disasm {file}` shows the instructions of its kernels" if row.scripts else ""
        raise UserError(f"{file} is a program of {row.name}, which has no instruction words; these have: {others}{listed}")
    code = encoding(row)
    program, warnings = load_with_warnings(file, row.name)
    named = Path(output).suffix.lower()[1:] if output else ""
    chosen = form or (named if named in code.formats else next(iter(code.formats)))
    if chosen not in code.formats:
        raise UserError(f"--format {chosen}: {row.name} writes {', '.join(code.formats)}")
    words = code.formats[chosen](program)
    if output and output != "-":
        write_file(output, words)
    if as_json:
        print_json(_body(file, program, code, output) | {"warnings": [diagnostic_json(item) for item in warnings]})
        return
    print_warnings(warnings, *program.sources)
    if output == "-" or (form and not output):
        click.echo(words, nl=False)
        return
    say(listing(file, program, code, screen.width()))
    if output:
        say(f"{len(program)} words written to {output} ({chosen})", err=True)


def listing(file: str, program: Program, code: Encoding, width: int) -> str:
    """A program as a table: each instruction below the labels that name it."""
    lines = program.source.lines
    head = f"{file}: {len(program)} instructions, {program.launch.threads} threads, {len(program.data)} bytes of data"
    rows = [*wrap(head, width, subsequent_indent="  ", break_long_words=False), ""]
    rows.append("address  word  binary               line  source")
    written = 0
    for address, word in enumerate(code.words(program)):
        line = program.position(address).line
        bits = f"{word:0{code.bits}b}"
        binary = " ".join(bits[start : start + 4] for start in range(0, code.bits, 4))
        rows += [f"{'':40s}{name}:" for name, there in program.labels.items() if there == address]
        source = _statement(lines[line - 1]) if line != written else ""
        head = f"{address:7d}  {word:0{code.bits // 4}x}  {binary}  {line:4d}  "
        first, *others = _folded(source, width - len(head))
        rows += [f"{head}{first}".rstrip(), *(f"{'':{len(head)}}{text}" for text in others)]
        written = line
    return "\n".join(rows)


def _folded(source: str, room: int) -> list[str]:
    """A statement in lines that fit: without the blanks that line up its comment, then with the comment in lines of its own."""
    code, mark, comment = source.partition(";")
    if len(source) > room and mark:
        source = f"{code.rstrip()}  ;{comment}" if code.strip() else source
    if len(source) <= room or not mark:
        return [source]
    return [*([code.rstrip()] if code.strip() else []), *wrap(f";{comment}", max(room, 20), subsequent_indent="; ")]


def _statement(line: str) -> str:
    """A source line without what its own row of the listing says: labels stand above it."""
    code = line.expandtabs(4).strip()
    head, colon, rest = code.partition(":")
    while colon and not any(char in head for char in " ;'\"") and rest.strip():
        code = rest.strip()
        head, colon, rest = code.partition(":")
    return code


def _body(file: str, program: Program, code: Encoding, output: str | None) -> dict[str, Any]:
    words = code.words(program)
    rows = [
        {
            "address": address,
            "word": word,
            "hex": f"{word:0{code.bits // 4}x}",
            "binary": f"{word:0{code.bits}b}",
            "line": program.position(address).line,
            "text": text,
        }
        for address, (word, text) in enumerate(zip(words, program.text, strict=True))
    ]
    body = {"isa": program.isa, "file": file, "output": output, "threads": program.launch.threads, "program": words}
    return body | {"data": program.data.tolist(), "labels": program.labels, "listing": rows}
