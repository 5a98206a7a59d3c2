"""The examples and the documentation that ship with the package, found by name from any folder.

In a wheel they lie inside the package, in a clone beside it.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path

PACKAGE = Path(__file__).parents[2]
FOLDERS = ("tiny", "python", "cuda", "guppy", "vortex", "gcn", "avx512", "riscv")  # a name that stands in several is that of the first
SCENES = "graphics"  # scenes, which are drawn, and programs that make pictures: each says in its first words how it is run
PROGRAMS = (".py", ".cu", ".asm", ".guppy", ".c", ".cl", ".gcn", ".avx512", ".rv", ".ipynb")  # with a text of their own: no binaries
OPENINGS = (
    re.compile(r"/\* *(.*?)\*/", re.DOTALL),
    re.compile(r'"""(.*?)"""', re.DOTALL),
    re.compile(r"((?:[;#].*\n)+)"),
    re.compile(r"((?://.*\n)+)"),
)
SENTENCE = re.compile(r"(?<=[^. ][.!])\s+(?=[A-Z]|$)")
SAID = re.compile(r"`(warploom [^`]+)`")
HOSTS = {("vortex", ".py")}  # scripts that make or draw something and launch nothing
KERNEL_IN_C = re.compile(r"^kernel void \w+\((?!\s*(?:void)?\s*\))", re.MULTILINE)  # with arguments


@dataclass(frozen=True)
class Example:
    """A program that ships. name: folder and file, as `tiny/matmul.asm`. about: its first sentence. asks: its run needs arguments.

    command: that runs or draws it, wherever one is.
    """

    name: str
    path: Path
    about: str
    asks: bool
    command: str

    @property
    def folder(self) -> str:
        """The front end's folder."""
        return self.name.partition("/")[0]


def folder(what: str) -> Path | None:
    """Where `examples` or `docs` lies; None where neither the wheel nor a clone has it."""
    return next((place for place in (PACKAGE / what, PACKAGE.parent / what) if place.is_dir()), None)


def examples() -> list[Example]:
    """All that can be run, by folder and name."""
    root = folder("examples")
    if root is None:
        return []
    paths = [path for name in (*FOLDERS, SCENES) for path in sorted((root / name).glob("*")) if path.suffix in PROGRAMS]
    return [_example(path, root) for path in paths if (path.parent.name, path.suffix) not in HOSTS]


def find(word: str) -> list[Path]:
    """The shipped programs and scenes that a word names, the one that is meant first: `matmul`, `matmul.asm`, `tiny/matmul`."""
    root = folder("examples")
    parts = Path(word).parts
    if root is None or not parts or parts[0] in ("/", "..", "."):
        return []
    wanted = parts[1:] if parts[0] == "examples" else parts
    folders = (*FOLDERS, SCENES)
    if len(wanted) == 2 and wanted[0] in folders:
        places = [root / wanted[0]]
    elif len(wanted) == 1:
        places = [root / name for name in folders]
    else:
        return []
    files = [path for place in places for path in sorted(place.glob("*")) if path.suffix in (*PROGRAMS, ".elf")]
    return [path for path in files if wanted[-1] in (path.name, path.stem) and (path.parent.name, path.suffix) not in HOSTS]


def _example(path: Path, root: Path) -> Example:
    text, name = path.read_text(encoding="utf-8"), path.relative_to(root).as_posix()
    asks = bool(KERNEL_IN_C.search(text)) and path.suffix == ".c"
    return Example(name, path, _about(path, text), asks, _command(path, text, name))


def _command(path: Path, text: str, name: str) -> str:
    said = SAID.search(text) if path.parent.name == SCENES else None
    return said[1].replace(path.name, name, 1) if said else f"warploom run {name}"


def _about(path: Path, text: str) -> str:
    """What a program's first words say it is; a notebook says it in its first cell."""
    if path.suffix == ".ipynb":
        return "".join(json.loads(text)["cells"][0]["source"]).splitlines()[0].lstrip("# ")
    said = _first_sentence(text).removeprefix(f"{path.stem}: ")
    return SAID.sub("", said).rstrip(" .:") if path.parent.name == SCENES else said


def _first_sentence(text: str) -> str:
    """What the comment or the docstring that a text begins with says first."""
    opened = next(filter(None, (form.match(text) for form in OPENINGS)), None)
    if opened is None:
        return ""
    lines = [line.strip(" ;#*/\t") for line in opened.group(1).splitlines()]
    paragraph = " ".join(lines[: lines.index("")] if "" in lines else lines)
    return SENTENCE.split(paragraph, maxsplit=1)[0].rstrip(".")
