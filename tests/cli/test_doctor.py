"""`warploom doctor`."""

import json

from click.testing import CliRunner

from warploom.cli import main
from warploom.cli.doctor import EXTRAS, NEEDED


def test_it_says_what_is_there_and_what_each_extra_gives():
    done = CliRunner().invoke(main, ["doctor", "--json"])
    assert done.exit_code == 0, done.output
    body = json.loads(done.stdout)
    assert {row["what"] for row in body["Python and packages"]} == {"python", "warploom", *NEEDED}
    assert [row["what"] for row in body["Extras"]] == [extra for extra, _, _ in EXTRAS]
    assert {row["what"] for row in body["This machine"]} == {"system", "native code", "terminal", "browser"}


def test_a_missing_package_is_wrong_and_a_missing_extra_is_not(monkeypatch):
    import importlib.metadata
    import importlib.util

    found, spec = importlib.metadata.version, importlib.util.find_spec

    def version(name):
        if name == "msgspec":
            raise importlib.metadata.PackageNotFoundError(name)
        return found(name)

    monkeypatch.setattr(importlib.util, "find_spec", lambda name, package=None: None if name == "perfetto" else spec(name, package))
    done = CliRunner().invoke(main, ["doctor"])
    assert (done.exit_code, done.stdout.splitlines()[-1]) == (0, "all is well")
    assert "pip install 'warploom[traces]'" in done.stdout.replace("\n", " ").replace("                ", " ")
    monkeypatch.setattr(importlib.metadata, "version", version)
    done = CliRunner().invoke(main, ["doctor"])
    assert (done.exit_code, done.stdout.splitlines()[-1]) == (1, "1 of these is wrong, marked !")


def test_extras_are_those_of_the_package():
    import tomllib

    from tests.places import ROOT

    known = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    assert {extra for extra, _, _ in EXTRAS} == set(known) - {"test"}
