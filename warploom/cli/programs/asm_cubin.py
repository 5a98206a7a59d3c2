"""`warploom asm kernel.cubin`: the words of NVIDIA's machine code, 128 bits each, kernel by kernel."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from warploom.cli.common import UserError, print_json, say, write_file
from warploom.isa.reading import read_bytes

if TYPE_CHECKING:
    from warploom.isa.sass.cubin import Cubin, Kernel
    from warploom.isa.sass.instruction import Instruction

FORMATS = ("hex", "json", "bin")


def assembled(file: str, output: str | None, form: str | None, kernel: str | None, as_json: bool, told: Sequence[str] = ()) -> None:
    """The listing of the words, and the words into a file. told: of a text the compiler's. Raises SourceError, BufferError, UserError."""
    from warploom.isa.sass.front_end import chosen
    from warploom.isa.sass.nvidia.sources import opened

    named = Path(output).suffix.lower()[1:] if output else ""
    how = form or (named if named in FORMATS else "hex")
    if how not in FORMATS:
        raise UserError(f"--format {how}: sass writes {', '.join(FORMATS)}")
    shown = output == "-" or (form is not None and output is None)
    if shown and how == "bin":
        raise UserError("--format bin: bytes are for a file; name one with -o")
    found, _ = opened(read_bytes(file), file, None, kernel, told)
    kernels = [chosen(found, kernel)] if kernel is not None else [*found.kernels.values(), *found.functions.values()]
    words = {one.name: _instructions(found, one) for one in kernels}
    data = _bytes(found, words) if how == "bin" else _json(found, words) if how == "json" else _hexadecimal(found, words)
    if output and output != "-":
        write_file(output, data)
    if as_json:
        click.echo(_json(found, words), nl=False) if not output else print_json(json.loads(_json(found, words)) | {"output": output})
    elif shown:
        click.echo(data, nl=False)
    else:
        say("\n".join(_listing(file, found, kernels, words)))
    if output and output != "-" and not as_json:
        say(f"{sum(map(len, words.values()))} instructions written to {output} ({how})", err=True)


def _instructions(found: Cubin, kernel: Kernel) -> Sequence[Instruction]:
    from warploom.isa.sass.lowering import useful

    return useful(kernel.code, found.architecture)


def _hexadecimal(found: Cubin, words: dict[str, Sequence[Instruction]]) -> str:
    rows = [f"// .isa sass-{found.architecture}"]
    for name, instructions in words.items():
        rows += [f"// {name}", *(f"{one.word:032x}" for one in instructions)]
    return "\n".join(rows) + "\n"


def _json(found: Cubin, words: dict[str, Sequence[Instruction]]) -> str:
    kernels = {
        name: [{"address": one.address, "word": f"{one.word:#034x}", "text": one.text()} for one in instructions]
        for name, instructions in words.items()
    }
    return json.dumps({"isa": f"sass-{found.architecture}", "file": found.path, "kernels": kernels}, indent=1) + "\n"


def _bytes(found: Cubin, words: dict[str, Sequence[Instruction]]) -> bytes:
    return b"".join(one.word.to_bytes(16, "little") for instructions in words.values() for one in instructions)


def _listing(file: str, found: Cubin, kernels: list[Kernel], words: dict[str, Sequence[Instruction]]) -> Iterator[str]:
    from warploom.isa.sass.launch import short_name

    yield f"{file}: {sum(map(len, words.values()))} instructions of sm_{found.architecture}"
    for kernel in kernels:
        yield ""
        yield f"{short_name(kernel.name)}:"
        yield f"{'address':>8}  {'word: bits 127 to 64, 63 to 0':34}  line  instruction"
        for one in words[kernel.name]:
            line = kernel.lines[one.address].line if one.address in kernel.lines else ""
            halves = f"{one.word >> 64:016x} {one.word % (1 << 64):016x}"
            yield f"{one.address:8x}  {halves:34}  {line:>4}  {one.text()}"
