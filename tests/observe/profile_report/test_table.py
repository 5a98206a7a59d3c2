"""The profile as text: it keeps to its width, needs no colour and no unicode, and orders lines as it is asked to."""

import re
from dataclasses import replace

import pytest

import warploom
from tests.places import EXAMPLES
from warploom.isa.program import Source
from warploom.observe.diagnosis.diagnosis import diagnose
from warploom.observe.profile_report.table import SORTS, access, ordered, profile_table
from warploom.observe.text.styled import plain


@pytest.fixture(scope="module", params=["guppy/load_strided.guppy", "guppy/nested_loop.guppy", "tiny/matmul.asm", "tiny/slow_banks.asm"])
def found(request):
    preset = "guppy" if "guppy" in request.param else "tiny-simt" if "slow" in request.param else "tiny"
    return warploom.GPU(preset, engine="python").run(warploom.load(EXAMPLES / request.param)).profile()


def text(found, **options):
    return [plain(line) for line in profile_table(found, found.lines(), diagnose(found), **options)]


@pytest.mark.parametrize("width", [60, 80, 99, 100, 120, 160])
def test_no_line_is_wider_than_the_terminal(found, width):
    assert max(len(line) for line in text(found, width=width)) <= width


@pytest.mark.parametrize("width", [60, 80, 120])
def test_every_line_of_the_source_that_has_instructions_is_there(found, width):
    lines = text(found, width=width)
    head = next(index for index, line in enumerate(lines) if line.startswith("line"))
    numbers = [int(line.split()[0]) for line in lines[head + 1 : head + 1 + len(found.lines())]]
    assert numbers == [line.number for line in found.lines()]


def test_without_unicode_it_is_ascii(found):
    assert "\n".join(text(found, unicode=False)).isascii()


def test_what_there_is_no_room_for_is_named():
    found = warploom.GPU("guppy", engine="python").run(warploom.load(EXAMPLES / "guppy/load_strided.guppy")).profile()
    assert "not shown: hits, lost to; --wide" in text(found, width=60)
    assert not any("lack of room" in line for line in text(found, width=120))


def test_how_many_transactions_a_texture_needs_is_not_said():
    found = (
        warploom.GPU("guppy", set={"core.warps": 2}, engine="python")
        .run(warploom.load(EXAMPLES / "guppy/texture.guppy"), threads=64)
        .profile()
    )
    cells = {line.text.split()[0]: access(line) for line in found.lines() if access(line)}
    assert "/" not in cells["sample"]
    assert "/" in cells["st"]


def test_where_no_cause_stands_out_the_largest_wait_is_named():
    found = warploom.GPU("guppy", engine="python").run(warploom.load(EXAMPLES / "guppy/fast.guppy")).profile()
    said = next(line for line in text(found) if line.startswith("  1. "))
    assert re.match(r"  1\. \d+ % of the time warps wait for the loads of t0 at line 10, the largest of", said), said


def test_a_source_cannot_command_the_terminal():
    found = warploom.GPU("guppy", engine="python").run(warploom.load(EXAMPLES / "guppy/fast.guppy")).profile()
    source = Source("\n".join("\x1b[2J\x07 evil" for _ in range(40)), "evil")
    evil = text(replace(found, program=replace(found.program, sources=(source,))))
    assert any("?[2J? evil" in line for line in evil)
    assert "\x1b" not in "".join(evil)


@pytest.mark.parametrize("sort", SORTS)
def test_lines_are_ordered_by_any_of_the_keys(found, sort):
    lines = ordered(found.lines(), sort)
    values = [SORTS[sort](line) for line in lines]
    assert values == sorted(values, reverse=True)
    assert {line.number for line in lines} == {line.number for line in found.lines()}


def test_the_top_lines_are_the_hottest_and_stay_in_the_order_of_the_source(found):
    top = ordered(found.lines(), "line", 3)
    assert [line.number for line in top] == sorted(line.number for line in top)
    assert min(line.cycles for line in top) >= sorted((line.cycles for line in found.lines()), reverse=True)[2]
    assert ordered(found.lines(), "cycles", 1)[0].cycles == max(line.cycles for line in found.lines())
