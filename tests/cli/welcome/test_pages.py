"""Words and pages of the documentation, without a browser."""

import pytest
from click.testing import CliRunner

from tests.places import ROOT
from warploom.cli import main
from warploom.cli.common import UserError
from warploom.cli.welcome.pages import find, places, titles


def test_a_word_of_the_glossary_and_names_of_the_machines_tables():
    assert find("Warps").text.startswith("A group of threads that share an instruction stream")
    assert find("long_scoreboard").title == "stall reason long_scoreboard"
    assert find("core.warps").title == "setting core.warps"
    assert find("add").title.startswith("micro-op")


def test_every_row_of_the_glossary_is_a_term():
    rows = [
        line for line in (ROOT / "docs" / "glossary.md").read_text().splitlines() if line.startswith("| ") and not line.startswith("| term")
    ]
    assert len(rows) > 60
    for row in rows:
        assert find(row.split("|")[1].strip()).text


def test_pages_by_name():
    assert find("scheduler").page or find("scheduler").more
    assert find("your-own-kernel").text.startswith("# Your own kernel")
    assert find("command-line").page
    assert next(iter(titles())) == "index"
    with pytest.raises(UserError, match="neither a term nor a page is called 'wrp', did you mean 'warp'"):
        find("wrp")


def test_the_command():
    done = CliRunner().invoke(main, ["docs", "warp"], env={"COLUMNS": "80"})
    assert done.stdout.splitlines()[0] == "warp: A group of threads that share an instruction stream and issue together."
    assert "your-own-kernel" in CliRunner().invoke(main, ["docs", "--list"]).stdout
    assert CliRunner().invoke(main, ["docs", "your-own-kernel"]).stdout.startswith("# Your own kernel")


def test_where_a_word_stands():
    first = places("seed")[0]
    assert (first.page, first.heading) == ("compare", "Error bars") and "--seeds" in first.sentence
    assert "contributing" in [place.page for place in places("contribute")]
    assert places("xyzzy") == places("") == []
    done = CliRunner().invoke(main, ["docs", "licence"], env={"COLUMNS": "80"})
    assert done.exit_code == 0 and "index: Licence, and how to cite it\n  The licence is MIT's" in done.stdout
    assert done.stdout.endswith("read one: warploom docs index\n")


def test_the_site_is_made_once(tmp_path, monkeypatch):
    pytest.importorskip("zensical")
    monkeypatch.setenv("WARPLOOM_CACHE", str(tmp_path))
    first = CliRunner().invoke(main, ["docs", "--path"])
    assert first.exit_code == 0, first.output
    from pathlib import Path

    page = Path(first.stdout.strip())
    assert "one-instruction.html" in page.read_text(encoding="utf-8")
    before = page.stat().st_mtime_ns
    assert CliRunner().invoke(main, ["docs", "--path"]).stdout == first.stdout and page.stat().st_mtime_ns == before


def test_without_the_extra_the_pages_are_listed(monkeypatch, tmp_path):
    import sys

    monkeypatch.setenv("WARPLOOM_CACHE", str(tmp_path))
    monkeypatch.setitem(sys.modules, "zensical", None)
    done = CliRunner().invoke(main, ["docs"])
    assert done.exit_code == 0 and "your-own-kernel" in done.stdout
    assert "pip install 'warploom[docs]'" in done.stderr
