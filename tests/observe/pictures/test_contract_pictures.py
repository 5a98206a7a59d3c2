"""What every row of the table of pictures promises: it is drawn, has a caption and facts, stands in the help and in the documentation."""

import click
import pytest

import warploom
from tests.documentation import ROOT
from warploom.cli import main
from warploom.graphics import Mesh, Scene
from warploom.graphics.machine.drawing import draw_on
from warploom.observe.pictures import DrawingError
from warploom.observe.pictures.picture import KINDS, picture

# A kernel with arithmetic, shared memory, conflicts in its banks and traffic: whatever a picture is of, this run has it.
PROGRAM = """.threads 32
.block 16
MUL R0, %blockIdx, %blockDim
ADD R0, R0, %threadIdx
LDR R1, R0
ADD R1, R1, R0
MUL R2, %threadIdx, %blockDim
STS R2, R1
LDS R3, R2
STR R0, R3
RET
"""


OF_DRAWINGS = ("quads", "overdraw", "tiles")


@pytest.fixture(scope="module")
def drawn():
    mesh = Mesh([[0, 1, 0], [-1, -1, 0], [1, -1, 0], [0, -1, -0.5], [1, 1, -0.5], [-1, 1, -0.5]])
    return draw_on(warploom.GPU("vortex-2024", engine="python"), Scene([mesh]), 8, 8, watched=0).results[0][1]


@pytest.fixture(scope="module")
def result():
    return warploom.GPU("tiny-simt", engine="python").run(warploom.load(PROGRAM.encode(), "tiny"), tracing=True)


@pytest.mark.every(3)
@pytest.mark.parametrize("kind", KINDS)
def test_a_kind_is_drawn_and_says_what_it_shows(kind, result, drawn):
    found = picture(drawn if kind in OF_DRAWINGS else result, kind)
    assert found.drawn("png").startswith(b"\x89PNG"), f"draw of {KINDS[kind].drawing}.py gives a sheet"
    assert found.facts()["kind"] == kind
    assert len(found.facts()) > 7, f"facts of {KINDS[kind].data}.py gives what the picture says in numbers"
    assert KINDS[kind].title in found.title
    assert ": " in found.subtitle, f"caption of {KINDS[kind].data}.py is a sentence"


@pytest.mark.parametrize("kind", OF_DRAWINGS)
def test_what_is_drawn_has_pictures_whose_numbers_are_the_counters(kind, result, drawn):
    with pytest.raises(DrawingError, match="the run has drawn nothing"):
        picture(result, kind).facts()
    found, counters = picture(drawn, kind).facts(), drawn.counters
    if kind == "overdraw":
        assert (found["fragments"], found["dropped"]) == (counters["fragments"], counters["fragments_killed_late"])
        assert found["dropped"] > 0 and found["most"] == 2
    else:
        assert found["quads"] == counters["quads"]
    if kind == "quads":
        assert (found["covered_pixels"], found["helper_lanes"]) == (counters["covered_pixels"], counters["helper_lanes"])
    if kind == "tiles":
        assert [tile["tile"] for tile in found["tiles"]] == [[0, 0]]


@pytest.mark.parametrize("kind", KINDS)
def test_a_kind_stands_in_the_help_and_in_the_documentation(kind):
    page = (ROOT / "docs" / "pictures.md").read_text(encoding="utf-8")
    assert f"\n## {kind.capitalize()}: " in page, f"docs/pictures.md needs a section `## {kind.capitalize()}: ...`"
    assert f"$ warploom picture {kind} " in page, f"docs/pictures.md needs an example `$ warploom picture {kind} ...`"
    command = main.get_command(click.Context(main), "picture")
    assert kind in command.get_help(click.Context(command)), f"the help in cli/views/picture.py needs a line for {kind}"
