"""`warploom study`."""

import json

import pytest
from click.testing import CliRunner

from warploom.cli import main
from warploom.study.experiments import NAMES


def run(*arguments):
    return CliRunner().invoke(main, ["study", *map(str, arguments)])


def test_without_a_name_it_lists_all():
    lines = run().stdout.splitlines()
    assert [line.split("  ")[0] for line in lines[: len(NAMES)]] == list(NAMES)
    assert [study["name"] for study in json.loads(run("--json").stdout)["studies"]] == list(NAMES)


def test_a_study_prints_its_table_and_what_was_published():
    result = run("bank-conflicts")
    assert (result.exit_code, result.stderr) == (0, "")
    assert "stride (words)  passes per load  gcd(stride, 32)  cycles  cycles per load" in result.stdout
    assert "  published  32 passes\n  here       32 passes\n" in result.stdout


def test_json_has_rows_and_claims():
    body = json.loads(run("bank-conflicts", "--json").stdout)
    assert [row["passes"] for row in body["rows"]][:5] == [1, 1, 2, 1, 4]
    assert set(body["claims"][0]) == {"what", "published", "ours", "why"}
    assert {"name", "title", "question", "source", "setup", "notes"} < set(body)


def test_the_figure_goes_into_a_file(tmp_path):
    pytest.importorskip("matplotlib")
    path = tmp_path / "figure.svg"
    result = run("bank-conflicts", "-o", path, "--quiet")
    assert (result.exit_code, result.stdout) == (0, "")
    assert "published: gcd(stride, 32)" in path.read_text()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("bank",), "error: there is no study 'bank'; there are divergence-width, "),
        (("coalescin",), "error: there is no study 'coalescin', did you mean 'coalescing'?; there are divergence-width, "),
        (("coalescing", "-o", "/nowhere/x.png"), "error: /nowhere/x.png cannot be written: No such file or directory\n"),
        (("coalescing", "-o", "x.jpg"), "error: x.jpg: a figure is drawn into a file that ends in .png, .svg, .pdf\n"),
        (
            ("-o", "x.png"),
            "error: -o x.png: a figure is of one study: name it, as in `warploom study divergence-width -o x.png`\n",
        ),
        (("--unit", "replacement=a.py:b"), "error: --unit replacement=a.py:b: name the study that it is for, as in `warploom study "),
        (
            ("two-level", "--unit", "replacement=a.py:b"),
            "error: --unit replacement=a.py:b: the study 'two-level' compares units of the slot 'scheduler': write scheduler=mine.py:N",
        ),
        (("coalescing", "--unit", "coalescer=a.py:b"), "error: --unit coalescer=a.py:b: the study 'coalescing' compares no units\n"),
        (("replacement", "--unit", "replacement=a.py:b"), "error: a.py:b: there is no file a.py\n"),
        (
            ("replacement", "--unit", "replacement=lru"),
            "error: --unit replacement=lru: lru is a unit of ours; --unit puts one of your own ",
        ),
    ],
)
def test_bad_input_is_one_error_and_exit_status_2(arguments, message):
    result = run(*arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith(message)


def test_help_has_examples():
    assert "warploom study two-level" in run("--help").stdout
