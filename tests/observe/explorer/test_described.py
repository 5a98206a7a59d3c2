"""Lines of several files have the numbers of their files, and machine code is explained by its opcodes."""

import numpy as np

from tests.isa.sass.places import path_of
from warploom.cli.debugger.source import rows
from warploom.isa.frontend import Options
from warploom.isa.frontends import open_source
from warploom.isa.program import Source
from warploom.observe.explorer.described import described
from warploom.observe.explorer.glossary import instructions


def cubin():
    zeros = np.zeros(32, np.float32)
    options = Options(
        str(path_of(80)), grid=1, block=32, arguments={"n": 8, "a": 2.0}, buffers={"x": zeros, "y": zeros}, more={"kernel": "saxpy"}
    )
    return open_source(options.path, None, options)[0]


def test_lines_have_the_numbers_of_their_own_files():
    program = cubin()
    two = program.sources[1]
    program = type(program)(**{**vars_of(program), "sources": (Source("first\nlines\n", "first.cu"), two)})
    page = described(program)
    line = next(row["line"] for row in page["instructions"] if row["text"].startswith("FFMA"))
    number = next(program.position(pc).line for pc, text in enumerate(program.text) if text.startswith("FFMA"))
    assert page["numbers"][line - 1] == number != line
    assert next(row for row in rows(program) if any(program.text[pc].startswith("FFMA") for pc in row.instructions)).number == number


def vars_of(program):
    return {name: value for name, value in vars(program).items() if name not in ("listing", "_worked_out")}


def test_opcodes_are_explained_guards_left_out():
    told = instructions(cubin())
    assert told["FFMA"][1] == "d = a * b + c, rounded once"
    assert told["EXIT"][1] == "lanes end"
    assert not any(word.startswith("@") for word in told)


def test_an_instruction_has_what_its_control_word_says():
    told = {row["text"].split()[0].split(".")[0]: row["word"] for row in described(cubin())["instructions"]}
    assert told["LDG"]["result"] >= 0 and told["LDG"]["result"] in told["FFMA"]["waits"]
    assert told["FFMA"]["result"] == -1 and told["FFMA"]["stall"] >= 1
