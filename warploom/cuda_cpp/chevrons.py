"""What nvcc takes and clang does not: chevrons with blanks in them (`kernel<< <grid, block> >>(...)`), as some editors write them, and
`extern "C"__global__`, whose string would have a suffix in C++11.

Sources that have one are compiled through an overlay of the file system: the compiler reads a changed text under the source's own
path. The texts have the same lines and columns.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

LAUNCH = re.compile(r"(<<\s*<)([^;{}]*?)(>>\s*>)(?=\s*\()")
LINKAGE = re.compile(r"""extern[ \t]("C")(?=__)""")
INCLUDED = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"([^"]+)"', re.MULTILINE)
MOST_FILES = 200


def closed(text: str) -> str:
    """A text with chevrons as clang wants them; what stood between their characters follows them."""

    def together(found: re.Match[str]) -> str:
        begin, inner, end = found.groups()
        return f"<<<{begin[2:-1]}{inner}>>>{end[2:-1]}"

    return LINKAGE.sub(r"extern\1 ", LAUNCH.sub(together, text))


def changed(source: Path) -> dict[Path, str]:
    """A source and the files beside it that it includes: the new texts of those that have to change."""
    found: dict[Path, str] = {}
    seen, work = {source}, [source]
    while work and len(seen) < MOST_FILES:
        path = work.pop()
        try:
            if not path.is_file():  # a device or a pipe might have no end
                continue
            text = path.read_bytes().decode("latin-1")
        except OSError:
            continue
        if (new := closed(text)) != text:
            found[path] = new
        beside = [Path(path.parent / name).resolve() for name in INCLUDED.findall(text)]
        fresh = [one for one in beside if one not in seen]
        seen.update(fresh)
        work += fresh
    return found


def overlay(source: Path, folder: Path) -> list[str]:
    """What clang is told to read changed texts, which are written to a folder; nothing where all can stay."""
    roots = []
    for number, (path, text) in enumerate(changed(source.resolve()).items()):
        kept = folder / f"chevrons{number}{path.suffix}"
        kept.write_bytes(text.encode("latin-1"))
        roots.append({"name": str(path), "type": "file", "external-contents": str(kept)})
    if not roots:
        return []
    table = folder / "chevrons.yaml"
    table.write_text(json.dumps({"version": 0, "use-external-names": False, "roots": roots}), encoding="utf-8")
    return ["-ivfsoverlay", str(table)]
