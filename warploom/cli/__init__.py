"""The command `warploom`. One file per command; a file is imported when its command is used, so that each starts fast.

`entry.py` is the process, `group.py` finds a command and is where users' mistakes end. Commands lie in rooms: `views/` (what a run did),
`programs/` (words and files), `studies/` (many runs), `machines/`; `run.py` and what is about the package itself are here. What they share:
`common.py`, `options.py`, `loading.py` and `running.py`, and `terminal/` for everything that is written to a terminal or a file.
"""

from __future__ import annotations

import click

from warploom.cli.group import LazyGroup

# A command's name is the name of its file, in which it is called `command`. By the folder that the file is in, in the order of the help.
ROOMS: tuple[tuple[str, dict[str, str]], ...] = (
    (
        "",
        {
            "run": "Run a program on a simulated GPU and show what came out.",
        },
    ),
    (
        "views",
        {
            "picture": "Draw what a run did: lanes, warps, memory, the roofline.",
            "explore": "Write a page to walk through a run, cycle by cycle.",
            "profile": "Show what each line of a program costs, why, and what to try.",
            "check": "Find what goes wrong in some order of a kernel's threads.",
            "debug": "Step through a run, forwards and backwards, and change it.",
        },
    ),
    (
        "programs",
        {
            "asm": "Show a program's instruction words, and write them to a file.",
            "cc": "Compile a program in C for Vortex or RISC-V.",
            "nvcc": "Compile CUDA C++ as nvcc does: stands in for it in a Makefile.",
            "disasm": "Turn words back into source text; show what Python kernels become.",
        },
    ),
    (
        "studies",
        {
            "ladder": "Climb from tiny-gpu's machine to a modern core, one switch at a time.",
            "compare": "Run a program on many machines that differ in a few settings.",
            "study": "Reproduce a published result: a figure, a table, and what differs.",
            "probe": "Recover a machine's parameters by microbenchmarks, beside its preset.",
            "grade": "Grade submissions, and solve the puzzles that ship.",
            "unit": "Ask a unit of your own what its slot promises, in both engines.",
        },
    ),
    (
        "machines",
        {
            "presets": "List the machines that there are, and every setting of a machine.",
            "occupancy": "Show how full a multiprocessor of a real GPU can be with a kernel.",
            "lockstep": "Compare the hardware with the model, every field of every cycle.",
            "cost": "Show what the units of a machine cost in gates.",
            "build": "Write a machine as hardware: Verilog, RTLIL and a test bench.",
            "fit": "Compile native code for one machine: long runs of it are faster.",
            "warmup": "Compile the native engine now, so that no later run has to.",
        },
    ),
    (
        "drawing",
        {
            "draw": "Draw a scene of triangles, through raster engine, shader and output merger.",
        },
    ),
    (
        "",
        {
            "examples": "List the programs that ship; read and copy them.",
            "new": "Write a first program, or a unit of your own, that runs as it is.",
            "docs": "Open the documentation, or show what a word means.",
            "doctor": "Show what is installed, and what each extra gives.",
            "completion": "Install completion in the shell.",
            "help": "Show the help of a command.",
        },
    ),
)
COMMANDS = {name: summary for _, commands in ROOMS for name, summary in commands.items()}
MODULES = {name: ".".join(filter(None, ("warploom.cli", room, name))) for room, commands in ROOMS for name in commands}


@click.group(cls=LazyGroup, modules=MODULES, summaries=COMMANDS, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="warploom", prog_name="warploom")
def main() -> None:
    """A GPU you can read, run, watch and build."""
