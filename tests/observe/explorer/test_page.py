"""The page as text: whole, closed against what a kernel's text says, and refused where it cannot be made."""

import html.parser
import json

import pytest

import warploom
from tests.observe.explorer import reader
from warploom.observe.explorer.page import Explorer, page

HOSTILE = "</script><script>alert(1)</script><!-- <img src=x onerror=alert(2)> & \" ' é"


class Elements(html.parser.HTMLParser):
    """The elements of a page, with their attributes and text, as a parser of HTML sees them."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.found = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.found.append([tag, dict(attributes), ""])

    def handle_data(self, data):
        if self.found:
            self.found[-1][2] += data


def run(text, path="kernel.asm", preset="tiny"):
    program = warploom.tiny.assemble(text, path=path)
    keep = {} if preset == "tiny" else {"tracing": True, "recording": True}
    return warploom.GPU(preset, engine="python").run(program, **keep)


@pytest.fixture(scope="module")
def plain():
    return run(".threads 4\nCONST R1, #7\nSTR %threadIdx, R1\nRET\n")


def test_hostile_text_and_names_add_no_element(plain):
    evil = run(f".threads 4 ; {HOSTILE}\nCONST R1, #7\nSTR %threadIdx, R1\nRET\n", path=f"{HOSTILE}.asm")
    elements, expected = Elements(page(evil)).found, Elements(page(plain)).found
    assert [tag for tag, _, _ in elements] == [tag for tag, _, _ in expected]
    title = next(text for tag, _, text in elements if tag == "title")
    assert evil.program.name in title
    header, _, _ = reader.runs(page(evil))[0]
    assert HOSTILE in "".join(header["program"]["source"])


def test_the_page_names_no_place_outside_of_itself(plain):
    for tag, attributes, _ in Elements(page(plain)).found:
        assert not {"src", "href"} & set(attributes), tag
    policy = next(attributes["content"] for tag, attributes, _ in Elements(page(plain)).found if "http-equiv" in attributes)
    assert policy.startswith("default-src 'none'")


def test_every_module_is_there_and_every_import_leads_to_one(plain):
    import base64
    import re

    text = next(text for tag, attributes, text in Elements(page(plain)).found if attributes.get("type") == "importmap")
    modules = {name: base64.b64decode(address.partition(",")[2]).decode() for name, address in json.loads(text)["imports"].items()}
    assert "explorer/main.js" in modules
    for source in modules.values():
        assert set(re.findall(r'from "([^"]+)"', source)) <= set(modules)
        assert len(source.splitlines()) < 300


def test_two_runs_stand_in_one_page():
    runs = [run(".threads 4\nRET\n", preset="tiny-simt") for _ in range(2)]
    assert len(reader.runs(page(*runs, names=["one", "other"]))) == 2


def test_two_programs_stand_in_one_page_with_a_text_each(plain):
    both = reader.runs(page(plain, run(".threads 4\nRET\n"), names=["one", "other"]))
    assert both[0][0]["program"]["source"] != both[1][0]["program"]["source"]


def test_three_runs_are_refused(plain):
    with pytest.raises(ValueError, match="one run or two, not 3"):
        page(plain, plain, plain)


def test_a_result_shows_itself_in_a_frame(plain, tmp_path):
    explorer = plain.explorer(height=500)
    assert isinstance(explorer, Explorer)
    [(tag, attributes, _)] = Elements(explorer._repr_html_()).found
    assert (tag, attributes["srcdoc"], attributes["sandbox"]) == ("iframe", explorer.text, "allow-scripts")
    assert "height:500px" in attributes["style"]
    explorer.save(tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text(encoding="utf-8") == explorer.text
    assert len(repr(explorer)) < 100
