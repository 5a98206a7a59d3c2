"""`warploom new`: a first program, or a unit of one's own, that runs as it is and is there to be changed."""

from __future__ import annotations

from pathlib import Path

import click

from warploom.cli.common import UserError, say, write_file
from warploom.cli.welcome.skeletons import SKELETONS, kind_of

LONGEST = max(map(len, SKELETONS))
LISTED = "\n".join(f"      {name:<{LONGEST}}  {row.ending:<6}  {row.about}" for name, row in SKELETONS.items())


@click.command(
    help=f"""Write FILE: a program that runs as it is, to be changed.

    Its ending says what it is to be, and where several have the same ending a word in its name, as my_prefetcher.py, or --kind; the first
    of them is meant otherwise:

    \b
{LISTED}

    A file that exists is not overwritten.

    \b
    Examples:
      warploom new kernel.py
      warploom new kernel.cu
      warploom new kernel.asm
      warploom new prefetcher.py
      warploom new vertex.c
      warploom new task.toml
      warploom new mine.py --kind scheduler
    """
)
@click.argument("file", metavar="[FILE]", required=False, type=click.Path())
@click.option("--kind", type=click.Choice(list(SKELETONS)), metavar="KIND", help="What it is to be.")
def command(file: str | None, kind: str | None) -> None:
    """Write the skeleton's files, all or none."""
    if file is None:
        chosen = kind or "python"
        raise UserError(
            f"name the file: `warploom new {'kernel' if kind is None else kind}{SKELETONS[chosen].ending}`; --help lists all kinds"
        )
    path = Path(file)
    found = kind or kind_of(path)
    if found is None:
        endings = ", ".join(dict.fromkeys(row.ending for row in SKELETONS.values()))
        known = f"the ending {path.suffix!r}" if path.suffix else "a name without an ending"
        raise UserError(f"{file}: {known} does not say what to write; there are {endings}, or say --kind, of {', '.join(SKELETONS)}")
    row = SKELETONS[found]
    if path.suffix.lower() != row.ending:
        raise UserError(f"{file}: a skeleton of kind {found} is a file that ends in {row.ending}: {path.with_suffix(row.ending)}")
    files = row.files(found, path)
    for place in files:
        if place.exists():
            raise UserError(f"{place} exists already: name a different file, or remove it")
    for place, text in files.items():
        write_file(place, text)
    more = f" (and {', '.join(place.name for place in list(files)[1:])})" if len(files) > 1 else ""
    said = row.then.format(file=path, stem=path.with_suffix(""))
    say(f"{path} is written{more}: {row.about}\nnext: {said}")
