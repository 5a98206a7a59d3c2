"""`warploom fit`."""

import json
import re

from click.testing import CliRunner

from warploom.cli import main
from warploom.machine.engine.native.cache import cache_directory, fits_directory

FILE = "examples/tiny/matadd.asm"


def fit(*arguments):
    return CliRunner().invoke(main, ["fit", *arguments])


def test_a_machine_is_fitted_once_and_runs_of_it_take_that_code(cache):
    first = fit(FILE)
    assert first.exit_code == 0
    assert re.fullmatch(r"tiny is fitted after \d+\.\d s: runs of matadd on it take that code from now on\n", first.stdout)
    assert fit(FILE).stdout == "tiny has been fitted already: runs of matadd on it take that code\n"
    body = json.loads(fit(FILE, "--json").stdout)
    assert body.pop("seconds") >= 0
    assert body == {"status": "done", "program": "matadd", "gpu": "tiny", "compiled": False, "cache": str(cache_directory())}
    assert fit(FILE, "--quiet").stdout == ""
    kept = sorted(cache_directory().rglob("*.piece"))
    assert {path.parent for path in kept} == {cache_directory(), fits_directory()}  # what knows of no setting is for all machines
    done = CliRunner().invoke(main, ["run", FILE, "--engine", "native", "--json"])
    assert json.loads(done.stdout)["cycles"] == 178
    assert sorted(cache_directory().rglob("*.piece")) == kept  # nothing was missing


def test_where_nothing_can_be_kept_nothing_is_compiled(cache):
    cache_directory().mkdir()
    cache_directory().chmod(0o777)
    done = fit(FILE)
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr.startswith(f"error: nothing would be kept: the cache of native code, {cache_directory()}, is not used")
    assert not fits_directory().exists()


def test_a_file_that_is_not_there_is_said():
    done = fit("nothing.asm")
    assert (done.exit_code, done.stderr) == (2, "nothing.asm: error: there is no such file\n")
