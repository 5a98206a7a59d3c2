"""The explorer's page: one HTML file with everything in it, made of the files beside this one.

Modules are inlined as `data:` addresses behind an import map, so that they stay the plain ES modules that they are in the package; a page
that was opened from a file may load no others. Text from a kernel reaches the page only inside the packed data, and the modules put
it into text nodes and canvases, never into markup.
"""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

from warploom.machine.run import recording
from warploom.machine.run.result import RunResult
from warploom.machine.sequencer import states as core_states
from warploom.observe.diagnosis.finding import Finding
from warploom.observe.explorer.answers import answer
from warploom.observe.explorer.data import VERSION, Part, packed
from warploom.observe.explorer.glossary import glossary, instructions
from warploom.observe.facts import timeline as t
from warploom.observe.text import palette
from warploom.observe.text.whole_file import whole_file

FILES = Path(__file__).parent


Pieces = Iterable[tuple[RunResult, Part]]  # of a run, in the order of time


def page(*results: RunResult, names: Sequence[str] = (), progress: Callable[[int], None] | None = None) -> str:
    """The page of one run, or of two runs side by side, as text: of one program, or of two.

    names: what the runs are called, where there are two. progress: called with cycles, while a sequencer's run is repeated.
    Raises ValueError for cores with warps whose run has written down no events (run it with tracing=True, recording=True).
    """
    return "".join(page_parts(results, [whole(result) for result in results], names=names, progress=progress))


def whole(result: RunResult) -> Pieces:
    """A run as its only piece."""
    return [(result, Part(0, result.cycles, 0, result.cycles))]


def page_parts(
    results: Sequence[RunResult],
    runs: Sequence[Pieces],
    *,
    names: Sequence[str] = (),
    progress: Callable[[int], None] | None = None,
    trials: Sequence[Callable[[list[Finding]], list[Finding]]] = (),
    profile: str = "",
    launches: dict[str, Any] | None = None,
) -> Iterator[str]:
    """The same, text by text: a run's pieces are taken, packed and forgotten one after the other. runs: the pieces of each result.

    trials: of each result what adds to its findings how changes of the machine turned out; () for none.
    profile: the address of the profile's page, which the page leads to. launches: `rows` of all launches of the program, and `shown`.
    names, progress, and what is raised: see `page`.
    """
    if not 1 <= len(results) <= 2:
        raise ValueError(f"a page shows one run or two, not {len(results)}")
    common = {
        "version": VERSION,
        "profile": profile,
        "launches": launches,
        "names": list(names) or [result.config.name for result in results],
        "answers": [answer(result, progress, trials[number] if trials else None) for number, result in enumerate(results)],
        "glossary": glossary(*(result.config for result in results)),
        "instructions": {name: said for result in results for name, said in instructions(result.program).items()},
        "palette": {name: _looks(getattr(palette, name)) for name in ("LANES", "REASONS", "STATES", "LOOKUPS")}
        | {"WARPS": [_look(look) for look in palette.WARPS]},
        "kinds": list(t.KINDS),
        "paths": list(recording.PATHS),
        "states": list(core_states.STATES),
    }
    programs, machines = (dict.fromkeys(names) for names in zip(*((one.program.name, one.config.name) for one in results), strict=True))
    parts = {
        "title": escape(f"{' and '.join(programs)} on {' and '.join(machines)}"),
        "style": (FILES / "style.css").read_text(encoding="utf-8"),
        "modules": _json({"imports": {f"explorer/{path.name}": _address(path) for path in sorted(FILES.glob("*.js"))}}),
        "common": _json(common),
    }
    text = (FILES / "page.html").read_text(encoding="utf-8")
    for name, inner in parts.items():
        text = text.replace(f"<!-- {name} -->", inner, 1)
    head, tail = text.split("<!-- runs -->")
    yield head
    for number, pieces in enumerate(runs):
        for result, part in pieces:
            about = f'data-run="{number}" data-first="{part.first}" data-stop="{part.stop}"'
            yield f'<script type="text/plain" class="packed" {about}>{packed(result, progress, part)}</script>\n'
    yield tail


@dataclass(frozen=True)
class Explorer:
    """A page, as `Result.explorer` gives it: it shows itself in a notebook, in a frame of `height` pixels."""

    text: str
    height: int = 760

    def save(self, path: str | Path) -> None:
        """Write the page into a file."""
        with whole_file(path, binary=False) as file:
            file.write(self.text)

    def __repr__(self) -> str:
        return f"Explorer({len(self.text):,} characters of HTML; .save(path) writes them)".replace(",", " ")

    def _repr_html_(self) -> str:
        return (
            f'<iframe srcdoc="{escape(self.text, quote=True)}" style="width:100%;height:{self.height}px;border:0" '
            'sandbox="allow-scripts" title="warploom explorer"></iframe>'
        )


def _json(value: Any) -> str:
    """JSON that may stand inside a script element."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")


def _address(path: Path) -> str:
    text = path.read_bytes() + f"\n//# sourceURL=explorer/{path.name}\n".encode()
    return "data:text/javascript;base64," + b64encode(text).decode()


def _look(look: palette.Look) -> list[str]:
    return [look.light, look.dark, look.pattern]


def _looks(table: dict[str, palette.Look]) -> dict[str, list[str]]:
    return {name: _look(look) for name, look in table.items()}
