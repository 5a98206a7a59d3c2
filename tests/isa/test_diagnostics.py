import pytest

from warploom.isa.diagnostics import MOST_SHOWN, Diagnostics, SourceError, closest, nearest, render, render_all
from warploom.isa.program import Position, Source


def collect(text, path="kernel.asm"):
    return Diagnostics(Source(text, path))


def test_a_diagnostic_shows_place_line_caret_and_fix():
    diagnostics = collect("first\n  ADDD R1, R2\n")
    diagnostics.error(Position(2, 3), "there is no instruction 'ADDD'", 4, "write ADD")
    assert render(diagnostics.items[0], diagnostics.source) == (
        "kernel.asm:2:3: error: there is no instruction 'ADDD'\n      ADDD R1, R2\n      ^~~~\n    fix: write ADD"
    )


@pytest.mark.parametrize(
    ("line", "column", "length", "shown", "caret"),
    [
        ("\tADD", 2, 3, "    ADD", "    ^~~"),
        ("ab\tADD", 4, 3, "ab  ADD", "    ^~~"),
        ("\t\tx\ty", 5, 1, "        x   y", "            ^"),
        ("漢字 ADD", 4, 3, "漢字 ADD", "     ^~~"),
        ("a\x1b[31mb", 7, 1, "a?[31mb", "      ^"),
        ("ADD", 4, 1, "ADD", "   ^"),
        ("ADD", 1, 99, "ADD", "^~~"),
    ],
)
def test_the_caret_stands_below_the_word(line, column, length, shown, caret):
    diagnostics = collect(line)
    diagnostics.error(Position(1, column), "wrong", length)
    assert render(diagnostics.items[0], diagnostics.source).splitlines()[1:] == ["    " + shown, "    " + caret]


def test_a_long_line_is_cut_around_the_caret():
    diagnostics = collect("x" * 5000 + "HERE" + "y" * 5000)
    diagnostics.error(Position(1, 5001), "wrong", 4)
    _, line, caret = render(diagnostics.items[0], diagnostics.source).splitlines()
    assert len(line) < 140
    assert line[caret.index("^") : caret.index("^") + 4] == "HERE"
    assert line.strip().startswith("...x") and line.endswith("y...")


def test_a_diagnostic_about_the_whole_file_has_no_line():
    diagnostics = collect("text")
    diagnostics.error(Position(), "this file cannot be read")
    assert render(diagnostics.items[0], diagnostics.source) == "kernel.asm: error: this file cannot be read"


def test_errors_come_together_in_the_order_of_the_text():
    diagnostics = collect("a\nb\nc\n")
    diagnostics.error(Position(3, 1), "third")
    diagnostics.warning(Position(2, 1), "second")
    diagnostics.error(Position(1, 1), "first")
    with pytest.raises(SourceError) as caught:
        diagnostics.raise_if_errors()
    assert [item.message for item in caught.value.diagnostics] == ["first", "second", "third"]
    assert [line for line in str(caught.value).splitlines() if "kernel.asm" in line] == [
        "kernel.asm:1:1: error: first",
        "kernel.asm:2:1: warning: second",
        "kernel.asm:3:1: error: third",
    ]


def test_warnings_alone_do_not_raise():
    diagnostics = collect("a")
    diagnostics.warning(Position(1, 1), "odd")
    diagnostics.raise_if_errors()
    assert [item.message for item in diagnostics.warnings] == ["odd"]
    assert diagnostics.errors == []


def test_very_many_diagnostics_are_cut():
    diagnostics = collect("x\n" * 500)
    for line in range(1, 501):
        diagnostics.error(Position(line, 1), "wrong")
    shown = render_all(diagnostics.items, diagnostics.source)
    assert shown.count("error: wrong") == MOST_SHOWN
    assert shown.endswith("kernel.asm: ... and 400 more")


def test_the_nearest_word_is_found_in_any_case():
    assert closest("constt", ["CONST", "CMP"]) == "CONST"
    assert closest("%BLOCKIDX", ["%blockIdx"]) == "%blockIdx"
    assert closest("zzz", ["CONST"]) == ""
    assert nearest("gpu.core", ["gpu.cores", "core.warps"]) == ", did you mean 'gpu.cores'?"
    assert nearest("zzz", ["CONST"]) == ""


def test_of_a_file_that_is_not_here_no_line_is_shown():
    diagnostics = collect("\n\n\n", "runtime.c")
    diagnostics.warning(Position(2, 4), "there is no such register", 3)
    assert render_all(diagnostics.warnings, diagnostics.source) == "runtime.c:2:4: warning: there is no such register"
