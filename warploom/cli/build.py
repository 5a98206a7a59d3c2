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


@click.command()
@click.argument("directory", metavar="DIR")
@click.option("--gpu", default="tiny-original", metavar="PRESET|TOML", help="A machine of single instructions. [default: tiny-original]")
@click.option("--set", "changes", multiple=True, metavar="NAME=VALUE", help="Change a setting of the machine, as gpu.cores=4.")
@click.option("--replay", metavar="FILE", help="Write a test bench that runs FILE and expects what the model gave.")
@program_options
@json_option
def command(directory: str, **options: Any) -> None:
    """Write a machine as hardware into DIR: Verilog, RTLIL, a test bench, and a README that says what to do next.

    DIR is created if it does not exist; files of earlier builds in it are replaced. Parts of a machine that have no hardware are refused
    by name. The exit status is 0 when the files are written, 2 when the input is wrong. It needs the extra rtl: pip install
    'warploom[rtl]'.

    \b
    Examples:
      warploom build chip --replay matmul.asm
      warploom build chip --replay saxpy.asm --buffer memory=x.csv
      warploom build chip --gpu tiny --set gpu.cores=1
    """
    from warploom import rtl
    from warploom.gpu import GPU
    from warploom.machine.config.presets import parse_setting

    make = rtl.build
    for name, option in OF_REPLAY.items():
        if options[name] not in (None, ()) and options["replay"] is None:
            raise UserError(f"{option} is for the program that is replayed, and there is none: add --replay FILE")
    place = Path(directory)
    if place.exists() and not place.is_dir():
        raise UserError(f"{directory} is a file: name a directory")
    gpu = GPU(options["gpu"], set=dict(parse_setting(text) for text in options["changes"]))
    program, warnings = (None, []) if options["replay"] is None else load_program(options["replay"], Launching.of(options))
    if program is not None and not options["as_json"]:
        print_warnings(warnings, program.source)
    files = make(gpu, program)
    try:
        place.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UserError(f"{directory} cannot be made: {os.strerror(error.errno or 0)}") from None
    for name, text in files.items():
        write_file(place / name, text)
    if options["as_json"]:
        print_json(
            {"status": "done", "files": [str(place / name) for name in files], "warnings": [diagnostic_json(item) for item in warnings]}
        )
        return
    for name, text in files.items():
        say(f"{place / name}: {grouped(text.count(chr(10)))} lines")
    say(f"what to do next is in {place / 'README.md'}")
