"""`warploom build`: a machine as hardware, in files that other tools read."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import click

from warploom.cli.common import UserError, diagnostic_json, json_option, print_json, print_warnings, say, write_file
from warploom.cli.loading import Launching, load_program
from warploom.cli.options import program_options
from warploom.isa.numbers import grouped

# What is said of the program that is replayed, by the name of its value.
OF_REPLAY = {
    "isa": "--isa",
    "launch": "--launch",
    "threads": "--threads",
    "block": "--block",
    "grid": "--grid",
    "arguments": "--arg",
    "buffers": "--buffer",
}

OF_SHUTTLE = {"author": "--author", "words": "--words", "data_bytes": "--bytes"}


@click.command()
@click.argument("directory", metavar="DIR")
@click.option("--gpu", default="tiny-original", metavar="PRESET|TOML", help="A machine of single instructions. [default: tiny-original]")
@click.option("--set", "changes", multiple=True, metavar="NAME=VALUE", help="Change a setting of the machine, as gpu.cores=4.")
@click.option("--replay", metavar="FILE", help="Write a test bench that runs FILE and expects what the model gave.")
@click.option(
    "--target", type=click.Choice(["verilog", "tinytapeout"]), default="verilog", help="What it is for. [default: verilog, for any tool]"
)
@click.option("--author", metavar="NAME", help="tinytapeout: who submits it.")
@click.option("--words", type=click.IntRange(2, 256), metavar="N", help="tinytapeout: words of program memory. [default: 32]")
@click.option("--bytes", "data_bytes", type=click.IntRange(2, 256), metavar="N", help="tinytapeout: bytes of data memory. [default: 32]")
@program_options
@json_option
def command(directory: str, **options: Any) -> None:
    """Write a machine as hardware into DIR: Verilog, RTLIL, a test bench, and a README that says what to do next.

    DIR is created if it does not exist; files of earlier builds in it are replaced. Parts of a machine that have no hardware are refused
    by name. The exit status is 0 when the files are written, 2 when the input is wrong. It needs the extra rtl: pip install
    'warploom[rtl]'.

    With --target tinytapeout DIR is a submission to that shuttle: the GPU with its memories behind 24 pins, pinout, documentation,
    workflows, and a test that runs the program of --replay through the pins and expects the model's cycles.

    \b
    Examples:
      warploom build chip --replay matmul.asm
      warploom build chip --replay saxpy.asm --buffer memory=x.csv
      warploom build chip --gpu tiny --set gpu.cores=1
      warploom build chip --target tinytapeout --author Ada --replay matadd.asm \\
        --set gpu.cores=1 --set core.threads_per_block=2
    """
    from warploom import rtl
    from warploom.gpu import GPU
    from warploom.machine.config.presets import parse_setting

    make, submit = rtl.build, rtl.submission
    for name, option in OF_REPLAY.items():
        if options[name] not in (None, ()) and options["replay"] is None:
            raise UserError(f"{option} is for the program that is replayed, and there is none: add --replay FILE")
    shuttle = options["target"] == "tinytapeout"
    for name, option in OF_SHUTTLE.items():
        if options[name] is not None and not shuttle:
            raise UserError(f"{option} is for a submission: add --target tinytapeout")
    if shuttle and not (options["author"] or "").strip():
        raise UserError("--target tinytapeout: the shuttle wants to know who submits: add --author NAME")
    if shuttle and options["replay"] is None:
        raise UserError("--target tinytapeout: its test runs a program through the pins: add --replay FILE")
    place = Path(directory)
    if place.exists() and not place.is_dir():
        raise UserError(f"{directory} is a file: name a directory")
    gpu = GPU(options["gpu"], set=dict(parse_setting(text) for text in options["changes"]))
    program, warnings = (None, []) if options["replay"] is None else load_program(options["replay"], Launching.of(options))
    if program is not None and not options["as_json"]:
        print_warnings(warnings, program.source)
    if shuttle and program is not None:
        sizes = {"words_of": options["words"], "bytes_of": options["data_bytes"]}
        files = submit(gpu, program, author=options["author"], **{name: size for name, size in sizes.items() if size is not None})
    else:
        files = make(gpu, program)
    try:
        place.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UserError(f"{directory} cannot be made: {os.strerror(error.errno or 0)}") from None
    for name, text in files.items():
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        write_file(place / name, text)
    if options["as_json"]:
        print_json(
            {"status": "done", "files": [str(place / name) for name in files], "warnings": [diagnostic_json(item) for item in warnings]}
        )
        return
    for name, text in files.items():
        say(f"{place / name}: {grouped(text.count(chr(10)))} lines")
    say(f"what to do next is in {place / 'README.md'}")
