"""Figures: drawn from data, in every format, always the same."""

import pytest

from warploom.study.figure import Figure, Panel, Series, doubling, drawn, form_of
from warploom.study.needs import StudyError, needed

pytest.importorskip("matplotlib")
FIGURE = Figure(
    "title",
    (
        Panel(
            "lines", "x (words)", "y (cycles)", (Series("ours", (1, 2, 4), (1, None, 3)), Series("theirs", (1, 4), (1, 3), published=True))
        ),
        Panel("bars", "", "times", (Series("a", ("one", "two"), (1, 2)), Series("b", ("one", "two"), (2, 3), published=True)), kind="bar"),
        Panel("area", "cycle", "rate", (Series("ours", (0, 10, 20), (0.0, 1.0, 0.5)),), kind="area"),
    ),
)


@pytest.mark.parametrize(("form", "start"), [("png", b"\x89PNG"), ("svg", b"<?xml"), ("pdf", b"%PDF")])
def test_a_figure_is_drawn_in_every_format(form, start):
    assert drawn(FIGURE, form).startswith(start)


def test_labels_and_names_are_text_in_an_svg_and_the_file_is_always_the_same():
    first = drawn(FIGURE, "svg")
    assert first == drawn(FIGURE, "svg")
    for text in (b"x (words)", b"y (cycles)", b"theirs", b"title"):
        assert text in first


def test_what_others_published_is_black_and_ours_is_not():
    text = drawn(
        Figure("", (Panel("", "x", "y", (Series("ours", (1, 2), (1, 2)), Series("theirs", (1, 2), (2, 1), published=True))),)), "svg"
    )
    assert b"#0072b2" in text.lower()
    assert b"stroke: #000000" in text


def test_the_ending_says_the_format():
    assert form_of("a.b/figure.SVG") == "svg"
    with pytest.raises(StudyError, match=r"^figure: a figure is drawn into a file that ends in \.png, \.svg, \.pdf$"):
        form_of("figure")


def test_far_apart_numbers_want_a_logarithmic_axis():
    assert doubling((1, 2, 4, 8))
    assert not doubling((1, 2, 3, 4))
    assert not doubling((0, 8, 64))
    assert not doubling(("a", "b", "c"))


def test_a_package_that_is_missing_is_named():
    with pytest.raises(
        StudyError, match=r"^drawing needs the package no_such_package, which is not installed: pip install 'warploom\[study\]'$"
    ):
        needed("no_such_package", "drawing")
