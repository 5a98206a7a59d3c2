"""`warploom examples`: the programs that ship with warploom, to list, to read and to copy."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from warploom.cli.common import UserError, json_option, print_json, say, write_file

if TYPE_CHECKING:
    from warploom.cli.welcome.shipped import Example
    from warploom.observe.text.styled import Line

ABOUT = {
    "tiny": "the smallest GPU, in its assembly",
    "python": "kernels in Python, in the dialect of numba.cuda",
    "cuda": "CUDA C++ with its host code",
    "guppy": "the mask language: registers of four components, branches by masks",
    "vortex": "C for Vortex, a RISC-V GPU",
    "gcn": "AMD's GCN",
    "avx512": "x86's AVX-512, 16 lanes a warp",
    "riscv": "RISC-V, ordinary code in every lane",
    "graphics": "scenes to draw, and pictures by rays",
}


# Words that people look for, each row with those that stand in the examples.
SAME = (
    "multiply multiplies multiplying multiplication multiplied product products matmul gemm sgemm",
    "matrix matrices matmul gemm",
    "vector vectors",
    "sum sums summing reduce reduces reduction",
    "prefix cumsum scan scans",
    "sort sorts sorting sorted",
    "histogram histograms occurs counting bins",
    "transpose transposes transposing",
    "notebook notebooks jupyter ipynb",
    "graph bfs search traversal",
    "picture image fractal mandelbrot",
    "race races racing",
)


@click.command()
@click.argument("words", metavar="[WORD]...", nargs=-1)
@click.option("--show", is_flag=True, help="Print the program's text.")
@click.option(
    "--copy",
    "target",
    metavar="FILE|FOLDER",
    help="Copy the program, or all of a folder, there, to be changed; an existing file is not overwritten.",
)
@json_option
def command(words: tuple[str, ...], show: bool, target: str | None, as_json: bool) -> None:
    """List the programs and scenes that ship, with the command that runs or draws one.

    WORDs choose: a folder, a file's name, or any word of its description. Every command finds an example by its name, from any folder:
    `warploom profile python/matmul.py`.

    \b
    Examples:
      warploom examples                          all of them
      warploom examples python                   those in Python
      warploom examples product                  those that multiply
      warploom examples tiny/matmul --show       read one
      warploom examples tiny/matmul --copy .     have a copy, to change it
      warploom examples graphics --copy .        have all of a folder
      warploom run tiny/matmul                   run it
    """
    from warploom.cli.welcome.shipped import examples, folder

    if folder("examples") is None:
        raise UserError(
            "the examples are not there: this installation was made without them; `warploom new kernel.py` writes a first program"
        )
    chosen = [example for example in examples() if all(_is_meant(example, word) for word in words)]
    exact = [
        example for example in chosen if words and words[0] in (example.name, example.path.name, str(Path(example.name).with_suffix("")))
    ]
    chosen = exact or chosen
    if not chosen:
        raise UserError(f"no example has {' and '.join(map(repr, words))} in its name or description; `warploom examples` lists all")
    if target is not None:
        _copy(chosen if _is_folder(chosen, words) else [_one(chosen)], Path(target))
        return
    if show:
        say(_one(chosen).path.read_text(encoding="utf-8").rstrip("\n"))
        return
    if as_json:
        rows = [
            {"name": one.name, "about": one.about, "path": str(one.path), "needs_arguments": one.asks, "command": one.command}
            for one in chosen
        ]
        print_json({"examples": rows})
        return
    from warploom.cli.terminal import screen

    screen.show(_listed(chosen, words))


def _is_meant(example: Example, word: str) -> bool:
    from warploom.cli.welcome.shipped import find

    plain = word.lower().rstrip("/")
    if plain in ABOUT:
        return plain == example.folder
    text = f"{example.name} {example.about}".lower()
    return any(one in text for one in _also(plain)) or example.path in find(word)


def _names(example: Example, word: str) -> bool:
    """Whether an example's own name has a word, or one that means the same."""
    return any(one in example.path.stem for one in _also(word.lower()))


def _also(word: str) -> list[str]:
    """The words that mean the same in the description of an example, and the word itself."""
    return [one for row in map(str.split, SAME) if word in row for one in row] or [word]


def _one(chosen: list[Example]) -> Example:
    if len(chosen) > 1:
        names = ", ".join(example.name for example in chosen[:8])
        raise UserError(f"this means {len(chosen)} examples: {names}{' ...' if len(chosen) > 8 else ''}; name one")
    return chosen[0]


def _is_folder(chosen: list[Example], words: tuple[str, ...]) -> bool:
    """Whether a folder was named, alone."""
    return len(words) == 1 and words[0].lower().rstrip("/") == chosen[0].folder


def _copy(chosen: list[Example], target: Path) -> None:
    """Copy all or none."""
    if len(chosen) > 1 and not target.is_dir():
        raise UserError(
            f"{len(chosen)} examples are copied into a folder, and there is no folder {target}: make it, or name a different one"
        )
    places = {example: target / example.path.name if target.is_dir() else target for example in chosen}
    for place in places.values():
        if place.exists():
            raise UserError(f"{place} exists already: name a different {'folder' if len(chosen) > 1 else 'file'}, or remove it")
    for example, place in places.items():
        write_file(place, example.path.read_bytes())
        say(f"{place} is written: `{example.command.replace(example.name, str(place), 1)}`", err=True)


def _listed(chosen: list[Example], words: tuple[str, ...]) -> list[Line]:
    from warploom.cli.terminal import screen
    from warploom.cli.welcome.shipped import SCENES
    from warploom.observe.text.styled import in_lines

    longest = max(len(example.name) for example in chosen)
    lines: list[Line] = []
    last = ""
    for example in chosen:
        if example.folder != last:
            lines += [[]] if lines else []
            lines.append([(f"{example.folder}: {ABOUT[example.folder]}", "bold")])
            last = example.folder
        about = f"{example.about} (needs arguments: run names them)" if example.asks else example.about
        if example.folder == SCENES:
            about = f"{about} ({' '.join(example.command.split()[:2])})"
        first, *rest = in_lines(about, screen.width() - longest - 4, "", "")
        lines.append([(f"  {example.name:<{longest}}  ", ""), (first, "")])
        lines += [[(" " * (longest + 4) + text, "")] for text in rest]
    one = min(chosen, key=lambda example: not any(_names(example, word) for word in words))
    how = one.command.split()[1]
    lines += [[], [(f"{how}: {one.command}", "dim")], [(f"read: warploom examples {one.name} --show; copy: --copy .", "dim")]]
    return lines
