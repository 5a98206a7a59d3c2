"""The page of a profile: whole, on its own, and no text of a program in it is markup."""

from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pytest

import warploom
from tests.places import EXAMPLES
from warploom.isa.frontend import Options
from warploom.isa.program import Source
from warploom.observe.diagnosis.diagnosis import diagnose
from warploom.observe.profile_report.page import profile_page
from warploom.observe.profile_report.table import ordered

EVIL = "<script>alert('1')</script> & \"quoted\" <b>"


class Reader(HTMLParser):
    """Collects tags, texts and the ids of rows; notes tags that are not closed in their order."""

    def __init__(self, page):
        super().__init__()
        self.open, self.wrong, self.tags, self.ids, self.links, self.texts = [], [], set(), set(), set(), []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.tags.add(tag)
        self.ids.add(attributes.get("id"))
        self.links |= {value for name, value in attributes.items() if name in ("href", "src")}
        if tag not in ("meta", "br"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.wrong.append(tag)

    def handle_data(self, data):
        self.texts.append(data)


def profiled(file, preset, **changes):
    return warploom.GPU(preset, set=changes, engine="python").run(warploom.load(EXAMPLES / file)).profile()


@pytest.mark.parametrize(
    ("file", "preset"), [("guppy/load_strided.guppy", "guppy"), ("tiny/matmul.asm", "tiny"), ("guppy/fast.guppy", "guppy")]
)
def test_it_is_whole_and_needs_nothing_else(file, preset):
    found = profiled(file, preset)
    findings = diagnose(found)
    page = Reader(profile_page(found, found.lines(), findings))
    assert (page.open, page.wrong) == ([], [])
    assert not page.tags & {"script", "link", "img", "iframe"}
    assert all(link.startswith("#") and link[1:] in page.ids for link in page.links)
    assert {f"line-{line.number}" for line in found.lines()} <= page.ids
    for finding in findings:
        assert finding.what in page.texts
    assert len(page.links) == len({found.program.position(number).line for finding in findings for number in finding.instructions})


def test_it_follows_the_readers_choice_of_light_and_dark():
    page = profile_page(found := profiled("guppy/fast.guppy", "guppy"), found.lines(), [])
    assert "color-scheme: light dark" in page
    assert "@media (prefers-color-scheme: dark)" in page
    assert "No rule finds fault with this run." in page


def test_text_of_a_program_is_never_markup():
    found = profiled("guppy/load_strided.guppy", "guppy")
    program = replace(found.program, name=EVIL, sources=(Source("\n".join([EVIL] * 20), EVIL),))
    evil = replace(found, program=program)
    page = Reader(profile_page(evil, evil.lines(), diagnose(evil)))
    assert (page.open, page.wrong) == ([], [])
    assert not page.tags & {"script"}
    assert page.texts.count(EVIL) == len(found.lines())


def test_some_of_the_lines_come_without_what_lies_between_them():
    found = profiled("tiny/matmul.asm", "tiny")
    whole = Reader(profile_page(found, found.lines(), []))
    part = Reader(profile_page(found, ordered(found.lines(), "cycles", 2), []))
    assert "next:" in whole.texts
    assert "next:" not in part.texts
    assert len([name for name in part.ids if name]) == 2


def test_of_several_files_each_row_has_the_number_of_its_line():
    path = EXAMPLES / "vortex" / "saxpy.elf"
    options = Options(path=str(path), threads=4, arguments={"a": 2}, buffers={"x": np.ones(4), "y": np.ones(4)})
    found = warploom.GPU("vortex-2024", engine="python").run(warploom.load(path, options=options)).profile()
    line = next(line for line in found.lines() if "y[i] += a * x[i]" in line.text)
    assert line.file and line.number == 6
    assert f"<tr id='file-{line.file}-line-6'><td>6</td>" in profile_page(found, found.lines(), [])
    sources = [
        replace(one, text=one.text if one.text.strip() else "int other;\n" * 900, path=one.path.replace("saxpy", "<a&b>"))
        for one in found.program.sources
    ]
    several = replace(found, program=replace(found.program, sources=tuple(sources)))  # the texts of several files are here
    assert f"<tr id='file-{line.file}-line-6'><td>&lt;a&amp;b&gt;.c:6</td>" in profile_page(several, several.lines(), [])
