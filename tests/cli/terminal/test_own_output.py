"""What a program prints while a command writes JSON."""

import io
import sys

from warploom.cli.terminal.own_output import OwnOutput, on_standard_error


def test_lines_are_kept_and_standard_output_comes_back():
    before = sys.stdout
    with OwnOutput() as own:
        print("é", end="")
        sys.stdout.buffer.write(b"\xff\n")
        print("last")
    assert own.lines == ["é\\xff", "last"]
    assert sys.stdout is before


def test_they_are_kept_where_the_program_fails():
    own = OwnOutput()
    try:
        with own:
            print("first")
            raise KeyError("x")
    except KeyError:
        pass
    assert own.lines == ["first"]


def test_a_stand_in_for_standard_output_is_left_alone(monkeypatch):
    out, err = io.StringIO(), io.StringIO()
    monkeypatch.setattr(sys, "stdout", out)
    monkeypatch.setattr(sys, "stderr", err)
    with on_standard_error():
        print("aside")
    with on_standard_error(apart=False):
        print("as usual")
    assert (out.getvalue(), err.getvalue()) == ("as usual\n", "aside\n")
