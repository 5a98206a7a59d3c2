"""Finding a page or a term of the documentation: a word in, a text out."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from warploom.cli.common import UserError
from warploom.cli.welcome.shipped import folder

ROW = re.compile(r"^\| (?P<term>[^|]+?) \| (?P<meaning>[^|]+?) \| \[[^\]]*\]\((?P<page>[\w/-]+)\.md[^)]*\) \|$", re.MULTILINE)
IN_A_HEADING = 20  # so many times a word in the text is worth one in a heading
LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")


@dataclass(frozen=True)
class Found:
    """A page's text, or a term with its meaning and the page that has more ("" for none)."""

    title: str
    text: str
    page: bool = False
    more: str = ""


def titles() -> dict[str, str]:
    """The pages, by the name under which they are shown, with their titles."""
    docs = folder("docs")
    assert docs is not None
    found = {path.relative_to(docs).with_suffix("").as_posix(): _title(path) for path in sorted(docs.rglob("*.md"))}
    return {"index": found.pop("index", ""), **found}


def find(word: str) -> Found:
    """What a word means: a term, or else a page. Raises UserError, which names the nearest ones."""
    terms = dict(_terms())
    folded = {term.casefold(): term for term in terms}
    plain = word.casefold().removesuffix(".md")
    forms = (plain, plain.replace("-", " "))  # as `bank-conflicts` is typed
    term = next((folded[form] for one in forms for form in (one, one.removesuffix("s")) if form in folded), None)
    if term is not None:
        return terms[term]
    pages = titles()
    name = next((page for page in pages if plain in (page, page.rpartition("/")[2], pages[page].casefold())), None)
    if name is not None:
        docs = folder("docs")
        assert docs is not None
        return Found(pages[name], (docs / f"{name}.md").read_text(encoding="utf-8"), page=True)
    from warploom.isa.diagnostics import nearest

    said = nearest(word, [*terms, *pages])
    raise UserError(f"neither a term nor a page is called {word!r}{said or '; `warploom docs --list` lists the pages'}")


@dataclass(frozen=True)
class Place:
    """Where a word stands: the page, the heading of the section that has it most, and the first sentence with it there."""

    page: str
    heading: str
    sentence: str


def places(word: str) -> list[Place]:
    """The pages in which a word stands, or else words that begin as it does; the best first. [] for none, and without documentation."""
    plain = word.casefold()
    stem = plain.removesuffix("s") if len(plain) > 3 else plain
    whole = _places(re.compile(rf"(?<!\w){re.escape(stem)}s?(?!\w)", re.IGNORECASE)) if stem else []
    begun = re.sub("(e|es|ed|ing|ion)$", "", stem)
    return whole or (_places(re.compile(rf"(?<!\w){re.escape(begun)}\w*", re.IGNORECASE)) if len(begun) > 4 else [])


def _places(wanted: re.Pattern[str]) -> list[Place]:
    docs = folder("docs")
    found = []
    for page in titles() if docs is not None else ():
        text = (docs / f"{page}.md").read_text(encoding="utf-8") if docs is not None else ""
        if not wanted.search(text):
            continue
        sections = [
            (len(wanted.findall(body)) + IN_A_HEADING * bool(wanted.search(heading)), heading, body) for heading, body in _sections(text)
        ]
        score, heading, body = max(sections, key=lambda row: row[0])
        found.append((score, Place(page, heading, _sentence(body, wanted))))
    return [place for _, place in sorted(found, key=lambda row: -row[0])]


def _sentence(body: str, wanted: re.Pattern[str]) -> str:
    """The first sentence with a word; of a table or a list its line."""
    for paragraph in re.split(r"\n\s*\n|\n(?=\||[-*] |\d+\. |    |```)", body):
        if wanted.search(paragraph):
            plain = LINK.sub(r"\1", " ".join(paragraph.split())).replace("*", "").removeprefix("```console ")
            return next((one for one in re.split(r"(?<=[a-z)`][.:!?]) ", plain) if wanted.search(one)), plain).strip(" |-")
    return ""


def _sections(text: str) -> Iterator[tuple[str, str]]:
    """A page's headings, each with what stands below it up to the next; a line of a block of code is none."""
    heading, body, code = "", list[str](), False
    for line in text.splitlines():
        code ^= line.startswith("```")
        if not code and re.match("#{1,4} ", line):
            yield heading, "\n".join(body)
            heading, body = line.lstrip("# "), []
        else:
            body.append(line)
    yield heading, "\n".join(body)


def _terms() -> Iterator[tuple[str, Found]]:
    """Every term with its meaning. Terms of the glossary win over names of the machine's tables."""
    from warploom.isa.uop import OPERATIONS
    from warploom.machine.accounting.counters import COUNTERS
    from warploom.machine.accounting.reasons import OFF, REASONS
    from warploom.machine.config.schema import settings

    for operation in OPERATIONS:
        yield operation.name, Found(f"micro-op {operation.name}", operation.meaning, more="operations")
    for setting in settings():
        yield setting.name, Found(f"setting {setting.name}", f"{setting.meaning} ({setting.unit}), {setting.range}", more="presets")
    for counter in COUNTERS:
        yield counter.name, Found(f"counter {counter.name}", f"{counter.meaning} ({counter.unit})", more="counters")
    for reason in (*REASONS, *OFF):
        yield reason.name, Found(f"stall reason {reason.name}", reason.meaning, more="counters")
    docs = folder("docs")
    assert docs is not None
    for row in ROW.finditer((docs / "glossary.md").read_text(encoding="utf-8")):
        yield row["term"], Found(row["term"], LINK.sub(r"\1", row["meaning"]).replace("*", ""), more=row["page"])


def _title(path: Path) -> str:
    """A page's first heading."""
    return next((line[2:].strip() for line in path.read_text(encoding="utf-8").splitlines() if line.startswith("# ")), path.stem)
