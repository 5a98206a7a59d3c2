import pytest

from warploom.observe.text.styled import bar, counted, folded, grouped, in_lines, percent, plain


def test_a_plain_line_has_no_styles_and_no_blanks_at_its_end():
    assert plain([("a ", "bold"), ("b  ", "")]) == "a b"


@pytest.mark.parametrize(
    ("share", "shown"), [(0, ""), (0.001, "▏"), (0.5, "████"), (0.53125, "████▎"), (1, "████████"), (2, "████████"), (-1, "")]
)
def test_a_bar_is_as_long_as_its_share(share, shown):
    assert bar(share, 8) == shown


@pytest.mark.parametrize(("share", "shown"), [(0, ""), (0.001, "#"), (0.5, "####"), (1, "########")])
def test_a_bar_without_unicode(share, shown):
    assert bar(share, 8, unicode=False) == shown


@pytest.mark.parametrize(("share", "shown"), [(0, "  0.0 %"), (0.0001, " <0.1 %"), (0.458, " 45.8 %"), (1, "100.0 %")])
def test_percentages_have_one_width_and_hide_nothing(share, shown):
    assert percent(share) == shown


def test_numbers_are_grouped_and_nouns_agree():
    assert (grouped(1234567), counted(1, "core"), counted(2048, "core")) == ("1 234 567", "1 core", "2 048 cores")


@pytest.mark.parametrize("width", [24, 27, 28, 29, 30, 38, 39, 40, 44, 45])
def test_no_line_ends_inside_a_number(width):
    said = "a block has at most 1 024 threads, and 12 345 678 lanes or 45.8 % of them"
    lines = [plain(line) for line in folded([(said, "")], width)]
    for found in (lines, in_lines(said, width)):
        assert " ".join(line.strip() for line in found) == said
        assert not any(number in line for line in found for number in (" 024", "345 678", "%") if line.strip().startswith(number.strip()))
    assert in_lines(said, width, "- ", "  ")[0].startswith("- a block")
