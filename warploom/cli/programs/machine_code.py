"""`warploom asm` and `disasm` of instruction sets that compilers know: RISC-V, Vortex, GCN and AVX-512."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from warploom.cli.common import UserError, print_json, print_warnings, say, write_file
from warploom.isa.c.endings import language_of

if TYPE_CHECKING:
    from warploom.isa.frontend import FrontEnd

FORMATS = ("hex", "json", "bin")
BYTES = ".bin"  # a file of nothing but instructions
IMAGES = (BYTES, ".vxbin")  # and one that says before them where they lie


def assembled(file: str, row: FrontEnd, output: str | None, form: str | None, as_json: bool, told: Mapping[str, Any]) -> None:
    """The listing of a text or a binary, and its words into a file. told: to a compiler, where it is a program in C."""
    from warploom.isa import machine_code as m
    from warploom.isa.frontends import machine_code

    named = Path(output).suffix.lower()[1:] if output else ""
    chosen = form or (named if named in FORMATS else "hex")
    if chosen not in FORMATS:
        raise UserError(f"--format {chosen}: {row.name} writes {', '.join(FORMATS)}")
    data = code_of(file, row, told)
    code = machine_code(row, data, file)
    image = code.read(data, file)
    found = m.lines(code, image)
    written = [(line, m.hexadecimal(code, line.words)) for line in found]
    writers: dict[str, Any] = {
        "hex": lambda: m.to_hex(code, row.name, file, found),
        "json": lambda: m.to_json(row.name, file, found),
        "bin": lambda: b"".join(line.data for line in found),
    }
    shown = output == "-" or (form is not None and output is None)
    if shown and chosen == "bin":
        raise UserError("--format bin: bytes are for a file; name one with -o")
    if output and output != "-":
        write_file(output, writers[chosen]())
    if as_json:
        rows = [
            {"address": line.address, "words": line.words, "hex": words, "line": line.position.line, "text": line.text}
            for line, words in written
        ]
        words = [word for line in found for word in line.words]
        print_json({"isa": row.name, "file": file, "output": output, "program": words, "labels": dict(image.symbols), "listing": rows})
    elif shown:
        click.echo(writers[chosen](), nl=False)
    else:
        say(listing(file, row.name, written, image.names()))
    if output and output != "-" and not as_json:
        say(f"{len(found)} instructions written to {output} ({chosen})", err=True)


def listing(file: str, isa: str, found: list[tuple[Any, str]], names: dict[int, str]) -> str:
    """A row for each instruction, below the label that names it."""
    widest = max((len(words) for _, words in found), default=0)
    rows = [f"{file}: {len(found)} instructions of {isa}", "", f"{'address':>8}  {'words':{widest}}  line  instruction"]
    for line, words in found:
        if line.address in names:
            rows.append(f"{'':{widest + 18}}{names[line.address]}:")
        rows.append(f"{line.address:8x}  {words:{widest}}  {line.position.line or '':>4}  {line.text}")
    return "\n".join(rows)


def code_of(file: str, row: FrontEnd, told: Mapping[str, Any]) -> bytes:
    """What is in a file, or the ELF file that a program in C becomes, with what the compiler warns of. Raises SourceError, UserError."""
    from warploom.cli.loading import check_compiler_options
    from warploom.isa.frontends import check_language
    from warploom.isa.reading import read_bytes

    check_compiler_options(file, **told)
    if language_of(file) is None:
        return read_bytes(file)
    from warploom.isa.c.compiler import TARGETS, known_ending
    from warploom.isa.c.settings import compile_source
    from warploom.isa.c.warnings import compiler_warnings, texts_of

    read_bytes(file)
    known_ending(file)
    check_language(row, file)
    data, said = compile_source(file, row.name if row.name in TARGETS else row.gpu, told)
    texts = texts_of(said, [file])
    print_warnings(compiler_warnings(said, texts), *texts)
    return data


def disassembled(file: str, row: FrontEnd, output: str | None, as_json: bool, told: Mapping[str, Any]) -> None:
    """Text from a file of words, a code object or an ELF file, from bytes of code, or from what a program in C becomes."""
    from warploom.isa import machine_code as m
    from warploom.isa.frontends import machine_code
    from warploom.isa.reading import ELF_MAGIC, decoded

    data = code_of(file, row, told)
    if file.lower().endswith(IMAGES[1:]) and not row.module.startswith("warploom.isa.vortex"):
        raise UserError(f"{file} is an image of Vortex, not code of {row.name}: leave out --isa, or give --isa vortex")
    code = machine_code(row, data, file)
    if data.startswith(ELF_MAGIC):
        image = code.read(data, file)
    elif file.lower().endswith(IMAGES):
        image = code.raw(data, file)
    else:
        image = code.raw(m.from_words(code, decoded(data, file), file), file)
    found = m.lines(code, image)
    if not found:
        raise UserError(f"{file}: there is no code in it")
    text = m.source(code, image)
    if output and output != "-":
        write_file(output, text)
    if as_json:
        words = [word for line in found for word in line.words]
        print_json({"isa": row.name, "file": file, "output": output, "program": words, "source": text})
    elif output and output != "-":
        say(f"{len(found)} instructions written to {output}", err=True)
    else:
        say(text, nl=False)
