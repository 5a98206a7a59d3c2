"""A submission: its text, whether it is a file of Python, of another language, or a notebook."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path

MOST_BYTES = 4 << 20
NOTEBOOK = ".ipynb"
MAGIC = ("%", "!")


# Directives of C and assembly that read files of the machine that judges, for systems that cannot keep a compiler from them.
BLANK = rb"(?:[ \t]|/\*.*?\*/|\\\n)*"
OUTSIDE = re.compile(
    rb"(?:#|%:)" + BLANK + rb"((?:include|include_next|import)(?=" + BLANK + rb"(?:[<\"]/|[<\"][^>\"\n]*\.\.))|embed)|(\.incbin)", re.DOTALL
)


class Unreadable(ValueError):
    """A submission that cannot be read. One sentence."""


@dataclass(frozen=True)
class Submission:
    """path: of the file. text: of a notebook its cells of code, one after the other; "" for a file that is not text."""

    path: Path
    text: str
    data: bytes

    @property
    def suffix(self) -> str:
        """The ending that says which language it is in: of a notebook .py."""
        suffix = self.path.suffix.lower()
        return ".py" if suffix == NOTEBOOK else suffix


def read_submission(path: str | Path) -> Submission:
    """Read it. Raises Unreadable."""
    file = Path(path)
    if file.is_symlink():  # it might lead to the reference
        raise Unreadable(f"{file} is a symbolic link: hand in the file itself")
    try:
        with file.open("rb") as stream:
            data = stream.read(MOST_BYTES + 1)
    except OSError as error:
        raise Unreadable(f"{file} cannot be read: {error.strerror}") from None
    if len(data) > MOST_BYTES:
        raise Unreadable(f"{file} has more than {MOST_BYTES >> 20} MiB")
    try:
        text = data.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError:
        text = ""
        if file.suffix.lower() in (".py", NOTEBOOK):
            raise Unreadable(f"{file} is not text in UTF-8") from None
    return Submission(file, _cells(file, text) if file.suffix.lower() == NOTEBOOK else text, data)


def check_inside(submission: Submission) -> None:
    """Raises Unreadable for a text to compile that names a file outside of it."""
    if found := OUTSIDE.search(submission.data):
        name = f"#{found[1].decode()}" if found[1] else found[2].decode()
        raise Unreadable(f"{submission.path.name}: {name} of a file outside is not allowed in a graded program")


def _cells(file: Path, text: str) -> str:
    """The code of a notebook. Magics are for the notebook alone; their lines stay, empty, so that numbers of lines fit."""
    try:
        cells = json.loads(text)["cells"]
        code = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    except (ValueError, KeyError, TypeError, RecursionError):
        raise Unreadable(f"{file} is not a notebook of format 4") from None
    kept = []
    for cell in code:
        if cell.lstrip().startswith("%%") and not cell.lstrip().startswith("%%warploom"):
            continue  # it is for a shell, or for a different language
        kept.append("\n".join("" if line.lstrip().startswith(MAGIC) else line for line in cell.splitlines()))
    return "\n\n".join(kept) + "\n"
