"""The command that writes tables and outputs of the documentation anew."""

import os
import subprocess

import pytest
from click.testing import CliRunner

from tests import warm
from tests.documentation import ROOT, execute, main


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


needs_forks = pytest.mark.skipif(not warm.FORKS, reason="commands are run in forks on Linux alone")


@needs_forks
@pytest.mark.parametrize("command", ["--version", "run nothing.asm", "asm one.asm", "run one.asm --gpu sm", "run raises.py"])
def test_a_command_in_a_fork_says_what_it_says_as_a_process_of_its_own(command, tmp_path):
    (tmp_path / "one.asm").write_text(".threads 4\n    RET\n")
    (tmp_path / "raises.py").write_text("import sys\nprint('first')\nprint('second', file=sys.stderr)\nraise SystemExit(3)\n")
    assert execute(f"warploom {command}", tmp_path, warm=True) == execute(f"warploom {command}", tmp_path) != []


@needs_forks
def test_a_command_in_a_fork_that_does_not_end_is_stopped_and_the_next_one_runs(tmp_path):
    (tmp_path / "waits.py").write_text("import time\nprint('here', flush=True)\ntime.sleep(600)\n")
    with pytest.raises(subprocess.TimeoutExpired):
        warm.run(["run", "waits.py"], tmp_path, dict(os.environ), 2)
    assert warm.run(["--version"], tmp_path, dict(os.environ), 60).startswith(b"warploom, version ")
