"""Launches with blanks in their chevrons, and other texts that only nvcc takes."""

import json
import os

import pytest

from warploom.cuda_cpp.chevrons import changed, closed, overlay


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("k << < g, b >> > (x);", "k <<<  g, b >>>  (x);"),
        ("k<< <g, b>>>(x);", "k<<< g, b>>>(x);"),
        ("k << <\n  g,\n b >> >(x);", "k <<< \n  g,\n b >>> (x);"),
        ('extern "C"__global__ void f();', 'extern"C" __global__ void f();'),
        ("k<<<g, b>>>(x);", "k<<<g, b>>>(x);"),
        ("std::cout << x; f<g<h> >(y);", "std::cout << x; f<g<h> >(y);"),
        ("int y = a << b; if (c << d) { e<f<int> > (x); }", "int y = a << b; if (c << d) { e<f<int> > (x); }"),
    ],
)
def test_chevrons_are_closed_and_lines_stay(text, right):
    assert closed(text) == right
    assert (len(right), right.count("\n")) == (len(text), text.count("\n"))


def test_an_included_file_is_read_changed_and_the_source_stays_as_it_is(tmp_path):
    (tmp_path / "a.cu").write_text('#include "b.cuh"\nint main() {}\n')
    (tmp_path / "b.cuh").write_text('#include "a.cu"\n#include "absent.h"\nvoid f() { k << <1, 2 >> >(); }\n')
    made = tmp_path / "made"
    made.mkdir()
    assert list(changed(tmp_path / "a.cu")) == [tmp_path / "b.cuh"]
    flag, table = overlay(tmp_path / "a.cu", made)
    (row,) = json.loads((made / "chevrons.yaml").read_text())["roots"]
    assert (flag, table, row["name"]) == ("-ivfsoverlay", str(made / "chevrons.yaml"), str(tmp_path / "b.cuh"))
    with open(row["external-contents"]) as file:
        assert "k <<< 1, 2 >>> ();" in file.read()


def test_a_source_of_clangs_own_form_has_no_overlay(tmp_path):
    (tmp_path / "a.cu").write_text("void f() { k<<<1, 2>>>(); }\n")
    assert overlay(tmp_path / "a.cu", tmp_path) == []


def test_only_regular_files_are_read(tmp_path):
    """A named pipe that nobody writes to would be waited for, a device read for ever."""
    os.mkfifo(tmp_path / "pipe.h")
    (tmp_path / "a.cu").write_text('#include "pipe.h"\n#include "/dev/zero"\nvoid f() { k << <1, 2>>>(); }\n')
    assert list(changed(tmp_path / "a.cu")) == [tmp_path / "a.cu"]
