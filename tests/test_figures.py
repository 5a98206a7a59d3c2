"""The figures of docs/ are what `python -m tests.figures` draws from the machine as it is."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

from tests.figures import EXPLORER_PAGE, FIGURES, PICTURES, drawings, explorer_page, issues
from tests.places import ROOT

DRAWINGS = drawings()


@pytest.mark.parametrize("file", DRAWINGS)
def test_a_figure_shows_the_machine_as_it_is(file: str) -> None:
    drawn = DRAWINGS[file]()
    ElementTree.fromstring(drawn)
    assert (PICTURES / file).read_text() == drawn, "python -m tests.figures draws it again"


def test_the_explorers_page_is_the_one_that_would_be_written_now() -> None:
    assert EXPLORER_PAGE.read_text() == explorer_page(), "python -m tests.figures writes it again"


@pytest.mark.parametrize("file", DRAWINGS)
def test_a_figure_is_in_a_chapter(file: str) -> None:
    pages = [page.read_text() for page in PICTURES.parent.glob("*.md")]
    assert any(f"pictures/{file}" in page for page in pages)


def issued(name: str, run: int = 0) -> tuple[str, list[int]]:
    """How a figure's run ends, and the number of active lanes of each of its issues."""
    figure = FIGURES[name]
    found, status = issues(figure, *figure.runs[run][1:])
    return status, [mask.bit_count() for _, mask, _ in found]


def test_the_figures_show_what_their_notes_say() -> None:
    assert issued("uniform")[0] == "error"
    assert issued("stack") == ("done", [8, 8, 8, 6, 6, 6, 3, 3, 2, 2, 8, 8])
    assert issued("minpc") == ("done", [8, 8, 8, 6, 6, 6, 5, 5, 8, 8])
    assert issued("its")[0] == "done"
    halves, full = issued("dwf", 0)[1], issued("dwf", 1)[1]
    assert halves.count(4) == 10 and set(full) == {8}


@pytest.mark.parametrize(("figure", "folder"), [("machine.svg", "sequencer"), ("core.svg", "")])
def test_the_block_diagrams_name_files_that_exist(figure: str, folder: str) -> None:
    names = re.findall(r"[\w/]+\.py", (PICTURES / figure).read_text())
    files = {path.relative_to(ROOT / "warploom" / "machine").as_posix() for path in (ROOT / "warploom" / "machine" / folder).rglob("*.py")}
    assert names
    for name in names:
        assert any(f"/{file}".endswith(f"/{name}") for file in files), name
