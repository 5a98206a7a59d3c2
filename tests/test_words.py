"""Words that people read: one word for one thing, and the field's own.

What is read: README and documentation, the help of every command, and the texts of the tables from which messages, hovers, labels and
documentation are made.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import click
import pytest

from tests.documentation import PAGES, ROOT
from warploom.cli import COMMANDS, main
from warploom.machine.accounting.counters import COUNTERS
from warploom.machine.accounting.faults import FAULTS
from warploom.machine.accounting.reasons import OFF, REASONS
from warploom.machine.config.schema import settings
from warploom.observe.explorer.glossary import WORDS
from warploom.study.experiments import NAMES, find

COUNTED = (
    "cycles|bytes|words|instructions|results|warps|lanes|threads|blocks|sectors|lines|requests|transactions|passes|registers|operations"
)
EACH = "cycle|clock|core|warp|thread|lane|block|access|load|request|path|instruction|barrier|iteration|round|slice|channel|scheduler|launch"

# What is not written, and what is written in its place.
INSTEAD = (
    (rf"\b({COUNTED}) an? ({EACH})\b(?! (needs|has|stores|holds|sends|takes))", "per"),
    (r"\bfor ever\b", "forever"),
    (r"\b(made|make|makes) (it |one |results )?again\b", "reproduce"),
    (r"\banew\b", "again"),
    (r"\bgo(es)? on\b(?! \w+ing)", "continue"),
    (r"\bon (its|their) way\b", "in flight"),
    (r"\bwhat with\b", "stall reasons"),
    (r"\bturns? of (a|the) loop\b|\bnumbers? of turns\b|\bturns to take\b", "iteration"),
    (r"\banother (memory|number|name|order|set-up|machine|final|one)\b", "a different one"),
    (r"\bbehind (the (end|last|program|branch|load|store)|its end|it\b)", "after"),
    (r"\bwait(s|ing)? (its|their) turn\b", "inactive paths"),
    (r"\bkeep(s)? its word\b", "is what it says"),
)
# What error texts, docstrings and comments do not say either. MOST_LEFT places of each kind may be left: lower it, never raise it.
MOST_LEFT = 8
COMPARED = "longer|more|less|fewer|better|worse|larger|smaller|faster|slower|different|later|earlier|wider|higher|lower|further|other"
MASS = "one|such|need|use|way|reason|harm|room|place|time|doubt|limit"
NEGATED = rf"(?<![Tt]here )(?<![Ww]here )\b(is|are|was|were) no (?!(?:{COMPARED}|{MASS})\b)\w+"
IN_FRONT = r"(?:\"\"\"|\. |^|^# |^ *# )Of (?!course)[a-z]+[^.,;:()\"]{0,60}, (?!only|those|and|or)"
INSTEAD_IN_SOURCE = (
    (NEGATED, "'is not a ...'"),
    (IN_FRONT, "what is said first: 'the lanes of a warp are', or 'in a warp'; not 'of a warp, the lanes are'"),
)
SOURCES = {".asm", ".guppy", ".py", ".rv", ".c"}  # of examples


def texts() -> Iterator[tuple[str, str]]:
    """Every text with its place."""
    for page in PAGES:
        yield page.relative_to(ROOT).as_posix(), page.read_text(encoding="utf-8")
    for name in COMMANDS:
        command = main.get_command(click.Context(main), name)
        assert command is not None
        yield f"warploom {name} --help", command.get_help(click.Context(command, info_name=name))
    for setting in settings():
        yield setting.name, f"{setting.meaning} ({setting.unit})"
    for counter in COUNTERS:
        yield counter.name, f"{counter.meaning} ({counter.unit})"
    for reason in (*REASONS, *OFF):
        yield reason.name, reason.meaning
    for fault in FAULTS:
        yield fault.name, fault.sentence
    yield from WORDS.items()
    for study in NAMES:
        found = find(study)
        yield study, f"{found.title}. {found.question} {found.source} {found.setup}"
    for source in sorted(path for path in (ROOT / "examples").glob("*/*.*") if path.suffix in SOURCES):
        yield source.name, source.read_text(encoding="utf-8")


TEXTS = tuple(texts())


def source_texts() -> Iterator[tuple[str, str]]:
    """The source, the page's JavaScript and the documentation, line by line."""
    files = [file for ending in ("py", "js") for file in sorted((ROOT / "warploom").rglob(f"*.{ending}"))]
    for file in (*files, *PAGES):
        text = file.read_text(encoding="utf-8")
        for number, line in enumerate(text.split("\n"), 1):
            yield f"{file.relative_to(ROOT).as_posix()}:{number}", line


@pytest.mark.parametrize(("pattern", "instead"), INSTEAD_IN_SOURCE, ids=["is no", "of in front"])
def test_the_source_says_it_in_the_order_of_english(pattern, instead):
    looked_for = re.compile(pattern)
    found = [f"{place}: {match[0]!r}" for place, line in source_texts() for match in looked_for.finditer(line)]
    assert len(found) <= MOST_LEFT, f"write {instead}: {found}"


@pytest.mark.parametrize(
    ("text", "is_found"),
    [
        ("'x' is no register", True),
        ("words that are no instruction", True),
        ("there is no register", False),
        ("it is no longer than 4", False),
        ("Of a warp, the lanes that run.", True),
        ('    """Of the running lanes, some wait."""', True),
        ("Of course, it waits", False),
        ("one of a warp, and", False),
    ],
)
def test_what_is_looked_for_is_found(text, is_found):
    assert any(re.search(pattern, text) for pattern, _ in INSTEAD_IN_SOURCE) == is_found


@pytest.mark.parametrize(("pattern", "instead"), INSTEAD, ids=[instead for _, instead in INSTEAD])
def test_one_word_for_one_thing(pattern, instead):
    found = [f"{place}: {match[0]!r}" for place, text in TEXTS for match in re.finditer(pattern, text)]
    assert not found, f"write {instead!r}: {found}"


def test_the_words_are_looked_for_where_people_read():
    places = {place for place, _ in TEXTS}
    assert {
        "README.md",
        "docs/simt-core.md",
        "warploom run --help",
        "core.lanes",
        "not_selected",
        "warp",
        "coalescing",
        "matadd.asm",
    } <= places
    assert re.search(INSTEAD[0][0], "128 bytes a cycle") and not re.search(INSTEAD[0][0], "bytes per cycle")
