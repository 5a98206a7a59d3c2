"""How a finding names the lines that it is about."""

from types import SimpleNamespace

import pytest

from warploom.observe.diagnosis.finding import places


def found(lines, runtime=()):
    """A profile of instructions of some lines, of which some are of the run-time."""
    program = SimpleNamespace(position=lambda number: SimpleNamespace(line=lines[number]), in_runtime=lambda number: number in runtime)
    return SimpleNamespace(program=program, line_of=lambda number: f"k.c:{lines[number]}" if runtime else f"line {lines[number]}")


@pytest.mark.parametrize(
    ("lines", "runtime", "said"),
    [
        ([4], (), "line 4"),
        ([4, 4], (), "line 4"),
        ([4, 5, 9], (), "lines 4, 5 and 9"),
        ([4, 0], (), "instructions 0 and 1"),
        ([4, 4], (1,), "k.c:4"),
        ([4, 5], (1,), "k.c:4 and k.c:5"),
        ([4, 5, 9], (1,), "k.c:4, k.c:5 and k.c:9"),
    ],
)
def test_lines_are_named_once_each(lines, runtime, said):
    assert places(found(lines, runtime), list(range(len(lines)))) == said
