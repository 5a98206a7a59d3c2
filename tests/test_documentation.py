"""The command that writes tables and outputs of the documentation anew."""

import pytest
from click.testing import CliRunner

from tests.documentation import ROOT, main


def test_help_says_what_it_does_and_touches_nothing():
    done = CliRunner().invoke(main, ["--help"])
    assert done.exit_code == 0
    assert "Write the tables of documentation pages" in done.output


@pytest.mark.parametrize(
    ("page", "said"),
    [
        ("docs/no-such-page.md", "does not exist"),
        ("CHANGELOG.md", "CHANGELOG.md is no page of the documentation, which is README.md and docs/"),
        ("--all", "No such option"),
    ],
)
def test_what_is_no_page_is_refused(page, said, monkeypatch):
    monkeypatch.chdir(ROOT)
    done = CliRunner().invoke(main, [page])
    assert done.exit_code == 2
    assert said in " ".join(done.output.split())


def test_a_page_that_is_up_to_date_stays_as_it_is(monkeypatch):
    monkeypatch.chdir(ROOT)
    page = ROOT / "docs" / "glossary.md"
    before = page.read_text(encoding="utf-8")
    done = CliRunner().invoke(main, ["docs/glossary.md"])
    assert (done.exit_code, done.output) == (0, "")
    assert page.read_text(encoding="utf-8") == before
