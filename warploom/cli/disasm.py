"""`warploom disasm`: instruction words back into source text."""

from __future__ import annotations

import click

from warploom.cli.common import UserError, json_option, print_json, say, write_file


@click.command()
@click.argument("file", metavar="FILE")
@click.option("-o", "--output", metavar="OUT", help="Write the source text to this file in place of standard output.")
@click.option("--isa", metavar="NAME", help="The instruction set of the words. [default: tiny]")
@json_option
def command(file: str, output: str | None, isa: str | None, as_json: bool) -> None:
    """Turn the instruction words in FILE into source text that assembles to the same words.

    FILE holds hexadecimal words as Verilog's $readmemh takes them, or JSON: a list of words, or an object with
    program, threads and data.

    \b
    Examples:
      warploom disasm matadd.hex                  print the source text
      warploom disasm matadd.json -o matadd.asm   write it to a file
    """
    from warploom.isa.frontends import encoding, read_text, with_words

    row = with_words("", isa)
    if not row.has_words:
        raise UserError(f"--isa {row.name}: its instructions have no words")
    code = encoding(row)
    image = code.read(read_text(file), file)
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
