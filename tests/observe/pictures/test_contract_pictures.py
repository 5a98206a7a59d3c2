"""What every row of the table of pictures promises: it is drawn, has a caption and facts, stands in the help and in the documentation."""

import click
import pytest

import warploom
from tests.documentation import ROOT
from warploom.cli import main
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


@pytest.fixture(scope="module")
def result():
    return warploom.GPU("tiny-simt", engine="python").run(warploom.load(PROGRAM.encode(), "tiny"), tracing=True)


@pytest.mark.parametrize("kind", KINDS)
def test_a_kind_is_drawn_and_says_what_it_shows(kind, result):
    found = picture(result, kind)
    assert found.drawn("png").startswith(b"\x89PNG"), f"draw of {KINDS[kind].drawing}.py gives a sheet"
    assert found.facts()["kind"] == kind
    assert len(found.facts()) > 7, f"facts of {KINDS[kind].data}.py gives what the picture says in numbers"
    assert KINDS[kind].title in found.title
    assert ": " in found.subtitle, f"caption of {KINDS[kind].data}.py is a sentence"


@pytest.mark.parametrize("kind", KINDS)
def test_a_kind_stands_in_the_help_and_in_the_documentation(kind):
    page = (ROOT / "docs" / "pictures.md").read_text(encoding="utf-8")
    assert f"\n## {kind.capitalize()}: " in page, f"docs/pictures.md needs a section `## {kind.capitalize()}: ...`"
    assert f"$ warploom picture {kind} " in page, f"docs/pictures.md needs an example `$ warploom picture {kind} ...`"
    command = main.get_command(click.Context(main), "picture")
    assert kind in command.get_help(click.Context(command)), f"the help in cli/views/picture.py needs a line for {kind}"
