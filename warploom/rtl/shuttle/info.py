"""Tiny Tapeout's info.yaml: writing it, and checking it by the shuttle's own rules.

The rules are those of tt-support-tools: which fields there must be, and all 24 pins by name. The reader knows the subset of YAML that such
a file is made of: mappings by indentation, lists, and scalars.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from warploom.rtl.shuttle.area import TILES

YAML_VERSION = 6
PINS = tuple(f"{bus}[{bit}]" for bus in ("ui", "uo", "uio") for bit in range(8))
PROJECT = ("title", "author", "description", "language", "clock_hz", "tiles", "top_module", "source_files")
NOT_EMPTY = ("title", "author", "description", "language")
TOP_PREFIX = "tt_um_"


def written(info: Mapping[str, Any]) -> str:
    """An info.yaml."""
    return "\n".join(_lines(info, 0)) + "\n"


def _lines(value: Mapping[str, Any], depth: int) -> list[str]:
    lines = []
    for name, item in value.items():
        key = f"{'  ' * depth}{_scalar(name) if '[' in name else name}:"
        if isinstance(item, Mapping):
            lines += [key, *_lines(item, depth + 1)]
        elif isinstance(item, list | tuple):
            lines += [key, *(f"{'  ' * (depth + 1)}- {_scalar(one)}" for one in item)]
        else:
            lines.append(f"{key} {_scalar(item)}")
    return lines


def _scalar(value: Any) -> str:
    if isinstance(value, int):
        return str(value)
    escaped = str(value).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def parsed(text: str) -> dict[str, Any]:
    """An info.yaml as mappings, lists and scalars. Raises ValueError for a line that it cannot read."""
    root: dict[str, Any] = {}
    open_: list[tuple[int, dict[str, Any]]] = [(0, root)]  # mappings that the lines are in, by their indentation
    last: tuple[dict[str, Any], str] | None = None  # the mapping and the name of the line before
    for number, line in enumerate(text.splitlines(), 1):
        bare, indent = line.strip(), len(line) - len(line.lstrip())
        if not bare or bare.startswith("#"):
            continue
        if bare.startswith("- "):
            if last is None or not isinstance(last[0][last[1]], list | None):
                raise ValueError(f"line {number}: a list without a name")
            last[0][last[1]] = [*(last[0][last[1]] or []), _value(bare[2:])]
            continue
        name, colon, rest = _key(bare)
        if not colon:
            raise ValueError(f"line {number}: {bare!r} is neither a name with a value nor an item of a list")
        if indent > open_[-1][0] and last is not None:
            inner: dict[str, Any] = {}
            last[0][last[1]] = inner
            open_.append((indent, inner))
        open_ = [level for level in open_ if level[0] <= indent] or open_[:1]
        mapping = open_[-1][1]
        mapping[name] = _value(rest) if rest else None
        last = mapping, name
    return root


def _key(text: str) -> tuple[str, bool, str]:
    """(name, whether there is one, what follows it)."""
    if text.startswith('"'):
        name, quote, rest = text[1:].partition('"')
        return name, bool(quote) and rest.lstrip().startswith(":"), _without_comment(rest.lstrip()[1:])
    name, colon, rest = text.partition(":")
    return name.strip(), bool(colon), _without_comment(rest)


def _without_comment(text: str) -> str:
    bare = text.strip()
    return bare if bare.startswith('"') else bare.partition(" #")[0].strip()


def _value(text: str) -> Any:
    if text.startswith('"'):
        return text[1:].rpartition('"')[0].replace('\\"', '"').replace("\\\\", "\\")
    return int(text) if text.lstrip("-").isdigit() else text


def problems(folder: str | Path) -> list[str]:
    """What is wrong with a submission, a sentence each; none for one that the shuttle's check takes."""
    place = Path(folder)
    try:
        info = parsed((place / "info.yaml").read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        return [f"info.yaml cannot be read: {error}"]
    found = []
    if info.get("yaml_version") != YAML_VERSION:
        found.append(f"yaml_version is {info.get('yaml_version')!r}: it is {YAML_VERSION}")
    project, pinout = info.get("project"), info.get("pinout")
    found += _of_project(project, place) if isinstance(project, dict) else ["there is no section project"]
    found += _of_pinout(pinout) if isinstance(pinout, dict) else ["there is no section pinout"]
    for file in ("docs/info.md", "src/config.json", "test/Makefile", "LICENSE"):
        if not (place / file).is_file():
            found.append(f"there is no {file}")
    return found


def _of_project(project: Mapping[str, Any], place: Path) -> list[str]:
    found = [f"project.{name} is missing" for name in PROJECT if name not in project]
    found += [f"project.{name} is empty" for name in NOT_EMPTY if name in project and not str(project[name] or "").strip()]
    top, tiles, clock = project.get("top_module"), project.get("tiles"), project.get("clock_hz")
    if top is not None and not str(top).startswith(TOP_PREFIX):
        found.append(f"project.top_module is {top!r}: it begins with {TOP_PREFIX}")
    if tiles is not None and tiles not in TILES:
        found.append(f"project.tiles is {tiles!r}: it is one of {', '.join(TILES)}")
    if clock is not None and not isinstance(clock, int):
        found.append(f"project.clock_hz is {clock!r}: it is a whole number")
    sources = project.get("source_files")
    if "source_files" in project and not sources:
        found.append("project.source_files names no file")
    for file in sources if isinstance(sources, list) else []:
        if not str(file).endswith((".v", ".sv")):
            found.append(f"project.source_files: {file} is not Verilog")
        elif not (place / "src" / str(file)).is_file():
            found.append(f"project.source_files: there is no src/{file}")
    return found


def _of_pinout(pinout: Mapping[str, Any]) -> list[str]:
    missing = [pin for pin in PINS if pin not in pinout]
    extra = [pin for pin in pinout if pin not in PINS]
    found = [f"pinout: {', '.join(missing)} missing"] if missing else []
    return found + ([f"pinout: there are no pins {', '.join(extra)}"] if extra else [])
