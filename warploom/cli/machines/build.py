"""`warploom build`: a machine as hardware, in files that other tools read."""

from __future__ import annotations

import contextlib
import os
import textwrap
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import click

from warploom.cli.common import UserError, diagnostic_json, json_option, print_json, print_warnings, say, write_file
from warploom.cli.loading import Launching, load_program, with_isa
from warploom.cli.options import program_options
from warploom.cli.terminal.screen import width
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
    "optimise": "-O",
    "macros": "-D",
    "folders": "-I",
}

README = "README.md"
WRITTEN = ".warploom-build"  # in DIR: the names of what builds have written there
HEADING = "# Written by `warploom build`, which may replace it:"
FPGAS = ("ice40up5k", "ecp5")
# What only some targets have, by the name of its value: the option, what it is for, the targets.
OF_TARGETS = {
    "author": ("--author", "a submission", ("tinytapeout",)),
    "words": ("--words", "memories on the chip", ("tinytapeout", *FPGAS)),
    "data_bytes": ("--bytes", "memories on the chip", ("tinytapeout", *FPGAS)),
    "pins": ("--pins", "an FPGA", FPGAS),
}
REMARK = "The figures are of this description, by these tools; the clock is nextpnr's estimate. They are never those of a product."


@click.command()
@click.argument("directory", metavar="DIR")
@click.option("--gpu", default="tiny-original", metavar="PRESET|TOML", help="A machine of single instructions. [default: tiny-original]")
@click.option("--set", "changes", multiple=True, metavar="NAME=VALUE", help="Change a setting of the machine, as gpu.cores=4.")
@click.option("--replay", metavar="FILE", help="Write a test bench that runs FILE and expects what the model gave.")
@click.option(
    "--target",
    type=click.Choice(["verilog", "tinytapeout", *FPGAS]),
    default="verilog",
    help="What it is for. [default: verilog, for any tool]",
)
@click.option("--author", metavar="NAME", help="tinytapeout: who submits it.")
@click.option("--words", type=click.IntRange(2, 256), metavar="N", help="Words of program memory. [default: 32; FPGAs 256]")
@click.option(
    "--bytes",
    "data_bytes",
    type=click.IntRange(2, 256),
    metavar="N",
    help="Bytes of data memory. [default: 32; FPGAs 256 with one data channel]",
)
@click.option("--pins", metavar="FILE", help="ice40up5k, ecp5: the pins of a board, a PCF or an LPF file. [default: nextpnr chooses them]")
@program_options
@json_option
def command(directory: str, **options: Any) -> None:
    """Write a machine as hardware into DIR: Verilog, RTLIL, a test bench, and a README that says what to do next.

    DIR is created if it does not exist; files of earlier builds in it, as its .warploom-build lists them, are replaced, others are not.
    Parts of a machine that have no hardware are refused by name. The exit status is 0 when the files are written, 2 when the input is
    wrong. It needs the extra rtl: pip install 'warploom[rtl]'.

    With --target tinytapeout DIR is a submission to that shuttle: the GPU with its memories behind 24 pins, pinout, documentation,
    workflows, and a test that runs the program of --replay through the pins and expects the model's cycles.

    With --target ice40up5k or ecp5 DIR holds a bitstream for that FPGA: the same pins and protocol, memories in block RAM. What it
    takes is printed: lookup tables, flip-flops, block RAMs, and the clock that nextpnr estimates. It needs the extra fpga: pip install
    'warploom[fpga]'; or nextpnr and its packer on the path.

    \b
    Examples:
      warploom build chip --replay matmul.asm
      warploom build chip --replay saxpy.asm --buffer memory=x.csv
      warploom build chip --gpu tiny --set gpu.cores=1
      warploom build chip --target tinytapeout --author Ada --replay matadd.asm \\
        --set gpu.cores=1 --set core.threads_per_block=2
      warploom build board --target ice40up5k --set gpu.cores=1 \\
        --set core.threads_per_block=2 --set memory.data_channels=1
    """
    from warploom import rtl
    from warploom.cli.terminal.progress import Busy
    from warploom.gpu import GPU
    from warploom.machine.config.presets import parse_setting

    make, submit, synthesize = rtl.build, rtl.submission, rtl.bitstream
    target, found = options["target"], None
    for name, option in OF_REPLAY.items():
        if options[name] not in (None, ()) and options["replay"] is None:
            raise UserError(f"{option} is for the program that is replayed, and there is none: add --replay FILE")
    shuttle = target == "tinytapeout"
    for name, (option, purpose, targets) in OF_TARGETS.items():
        if options[name] is not None and target not in targets:
            raise UserError(f"{option} is for {purpose}: add --target {' or '.join(targets)}")
    if target in FPGAS and options["replay"] is not None:
        raise UserError(f"--replay is for a test bench, and --target {target} has none: its programs come through the pins; leave it out")
    if shuttle and not (options["author"] or "").strip():
        raise UserError("--target tinytapeout: the shuttle wants to know who submits: add --author NAME")
    if shuttle and options["replay"] is None:
        raise UserError("--target tinytapeout: its test runs a program through the pins: add --replay FILE")
    place = Path(directory)
    if place.exists() and not place.is_dir():
        raise UserError(f"{directory} is a file: name a directory")
    _spare(place, [README])
    gpu = GPU(options["gpu"], set=dict(parse_setting(text) for text in options["changes"]))
    replay = options["replay"]
    program, warnings = (None, []) if replay is None else load_program(replay, Launching.of(with_isa(replay, options)))
    if program is not None and not options["as_json"]:
        print_warnings(warnings, program.source)
    sizes = {name: size for name, size in (("words_of", options["words"]), ("bytes_of", options["data_bytes"])) if size is not None}
    files: Mapping[str, str | bytes]
    if shuttle and program is not None:
        files = submit(gpu, program, author=options["author"], **sizes)
    elif target in FPGAS:
        pins = None if options["pins"] is None else _text(options["pins"])
        with Busy("synthesizing, placing and routing; half a minute or more", quiet=options["as_json"]):
            found = synthesize(gpu, target, pins=pins, **sizes)
        files = found.files
    else:
        files = make(gpu, program)
    earlier = _spare(place, files)
    try:
        place.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UserError(f"{directory} cannot be made: {os.strerror(error.errno or 0)}") from None
    # First: a build that is interrupted leaves nothing behind that the next one would not know.
    write_file(place / WRITTEN, "\n".join([HEADING, *sorted(earlier | files.keys()), ""]))
    for name, text in files.items():
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        write_file(place / name, text)
    if options["as_json"]:
        print_json(
            {"status": "done", "files": [str(place / name) for name in files], "warnings": [diagnostic_json(item) for item in warnings]}
            | ({} if found is None else found.body())
        )
        return
    for name, text in files.items():
        size = f"{grouped(len(text))} bytes" if isinstance(text, bytes) else f"{grouped(text.count(chr(10)))} lines"
        say(f"{place / name}: {size}")
    if found is not None:
        say(f"\n{found}\n")
        for line in textwrap.wrap(REMARK, width()):
            say(line)
        say()
    say(f"what to do next is in {place / README}")


def _spare(place: Path, names: Iterable[str]) -> set[str]:
    """What earlier builds have written there. Raises UserError where one of the names is there and is none of that."""
    heading, earlier = "", set[str]()
    with contextlib.suppress(OSError, UnicodeDecodeError):
        heading, *lines = (place / WRITTEN).read_text(encoding="utf-8").splitlines() or [""]
        earlier = set(lines) if heading == HEADING else set()
    ours = earlier | {WRITTEN} if heading == HEADING else earlier
    for name in (WRITTEN, *names):
        if name not in ours and os.path.lexists(place / name):
            raise UserError(f"{place / name} exists and no build has written it: name a directory of its own, as {place / 'chip'}")
    return earlier


def _text(path: str) -> str:
    try:
        return Path(path).read_text()
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"{path} cannot be read: {getattr(error, 'strerror', None) or 'it is not text'}") from None
