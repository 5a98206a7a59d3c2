"""`warploom explore`."""

import importlib
import json

import pytest
from click.testing import CliRunner

from tests.observe.explorer import reader
from tests.places import EXAMPLES
from warploom.cli import main

MATADD, MATMUL, DIVERGE = EXAMPLES / "tiny" / "matadd.asm", EXAMPLES / "tiny" / "matmul.asm", EXAMPLES / "tiny" / "diverge.asm"


def explore(*arguments):
    return CliRunner().invoke(main, ["explore", *(str(argument) for argument in arguments), "--engine", "python"])


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_page_is_called_as_the_kernel(here):
    result = explore(MATADD)
    assert (result.exit_code, result.stdout, result.stderr) == (0, "", "matadd.html is written: open it in a browser\n")
    [(header, tables, _)] = reader.runs((here / "matadd.html").read_text())
    assert (header["machine"]["name"], header["run"]["cycles"]) == ("tiny", 178)
    assert tables["changes"]["time"]


def test_a_machine_with_warps_is_recorded(here):
    assert explore(DIVERGE, "--gpu", "tiny-simt", "-o", "page.html", "--quiet").exit_code == 0
    [(header, tables, _)] = reader.runs((here / "page.html").read_text())
    assert header["run"]["until"] == header["run"]["cycles"]
    assert tables["registers"]["time"]
    assert tables["paths"]["time"]


def test_a_second_run_stands_beside_the_first(here):
    result = explore(DIVERGE, "--gpu", "tiny-simt", "--against", "core.divergence=minpc", "--json")
    body = json.loads(result.stdout)
    assert [run["name"] for run in body["runs"]] == ["core.divergence=stack", "core.divergence=minpc"]
    assert [header["machine"]["config"]["core.divergence"] for header, _, _ in reader.runs((here / body["page"]).read_text())] == [
        "stack",
        "minpc",
    ]


def test_what_changes_of_the_machine_give_stands_in_the_page_when_it_is_asked_for(here):
    assert explore(MATMUL, "--what-if", "--quiet").exit_code == 0
    [answer] = reader.common((here / "matmul.html").read_text())["answers"]
    told = {trial["change"]: trial["told"] for trial in answer["findings"][0]["what_if"]}
    assert "times as fast" in told["core.prefetch=true"]
    assert explore(MATMUL, "--quiet").exit_code == 0
    [answer] = reader.common((here / "matmul.html").read_text())["answers"]
    assert answer["findings"][0]["what_if"] == [] and "core.prefetch=true" in answer["findings"][0]["changes"]


SLOW = """
from warploom.units import lowest


def slow(s, now):
    return lowest(s.eligible) if s.eligible != 0 and now % 8 == 0 else -1
"""


@pytest.mark.parametrize(
    ("arguments", "names", "second_is"),
    [
        (
            ["--unit", "scheduler=own.py:slow", "--against", "core.scheduler=oldest"],
            "unit.scheduler=own.py:slow core.scheduler=oldest",
            "faster",
        ),
        (["--against", "unit.scheduler=own.py:slow"], "unit.scheduler=greedy_oldest unit.scheduler=own.py:slow", "slower"),
        (
            ["--unit", "scheduler=own.py:slow", "--against", "unit.scheduler=oldest"],
            "unit.scheduler=own.py:slow unit.scheduler=oldest",
            "faster",
        ),
        (["--unit", "scheduler=own.py:slow", "--against", "core.stack_depth=32"], "core.stack_depth=64 core.stack_depth=32", "as slow"),
        (["--against", "unit.prefetcher=stride"], "unit.prefetcher=none unit.prefetcher=stride", "as slow"),
    ],
)
def test_the_second_run_has_the_unit_that_its_name_says(here, arguments, names, second_is):
    (here / "own.py").write_text(SLOW)
    runs = json.loads(explore(DIVERGE, "--gpu", "sm", *arguments, "--json").stdout)["runs"]
    assert [run["name"] for run in runs] == names.split()
    first, second = (run["cycles"] for run in runs)
    assert second_is == ("faster" if second < first else "slower" if second > first else "as slow")


def test_a_fault_is_told_and_shown(here):
    result = explore(DIVERGE)
    assert result.exit_code == 1
    assert "the threads of a block disagree on this branch" in result.stderr
    [(header, _, _)] = reader.runs((here / "diverge.html").read_text())
    assert header["run"]["status"] == "error"


def test_a_part_of_a_run(here):
    assert explore(DIVERGE, "--gpu", "tiny-simt", "--cycles", "10:19", "--warps", "0", "--cores", "0").exit_code == 0
    [(header, _, _)] = reader.runs((here / "diverge.html").read_text())
    assert (header["run"]["first"], header["run"]["stop"], header["run"]["partial"]) == (10, 20, True)
    assert explore(MATADD, "--cycles", "100:").exit_code == 0
    [(header, tables, _)] = reader.runs((here / "matadd.html").read_text())
    assert (header["run"]["first"], header["run"]["stop"]) == (100, 178)
    assert min(tables["changes"]["time"]) == 99  # what holds at the first cycle


def test_what_a_long_run_takes_is_told_beforehand(here, monkeypatch):
    module = importlib.import_module("warploom.cli.views.page_size")
    assert explore(DIVERGE, "--gpu", "tiny-simt").stderr == "diverge.html is written: open it in a browser\n"
    monkeypatch.setattr(module, "PATIENCE", 0.0)
    said = explore(DIVERGE, "--gpu", "tiny-simt").stderr.splitlines()
    assert said[0].startswith("the page has 50 cycles: about 1 MB, in about 0 s; --cycles A:B, --cores and --warps make it smaller")
    assert explore(DIVERGE, "--gpu", "tiny-simt", "--quiet").stderr == ""


UNEVEN = """
import numpy as np
from numba import cuda

@cuda.jit
def uneven(out):
    i = cuda.grid(1)
    total = np.float32(0)
    if cuda.blockIdx.x % 2:
        for n in range(150):
            total += np.float32(n) * out[(i + 32 * n) % out.size]
    else:
        for n in range(600):
            total = total * np.float32(0.5) + n
    out[i] = total

uneven[32, 256](np.arange(8192, dtype=np.float32))
"""


@pytest.mark.slow
def test_what_is_told_of_a_long_page_is_measured_on_the_run_itself(here, monkeypatch):
    """Within a fifth, although half of the blocks wait for memory and the others compute."""
    (here / "uneven.py").write_text(UNEVEN)
    module = importlib.import_module("warploom.cli.views.page_size")
    told = []
    monkeypatch.setattr(module, "PATIENCE", 0.0)
    monkeypatch.setattr(module, "told", lambda size: told.append(size) or "")
    done = explore("uneven.py", "--cycles", "0:4999")
    assert done.exit_code == 0, done.output
    assert told[0].cycles == 5000
    written = len((here / "uneven.html").read_text(encoding="utf-8"))
    assert told[0].characters == pytest.approx(written, rel=0.2)


def test_a_run_that_is_too_long_for_a_page_is_shown_in_part_and_that_is_said(here, monkeypatch):
    module = importlib.import_module("warploom.cli.views.page_size")
    monkeypatch.setattr(module, "LARGEST", 160_000)
    monkeypatch.setattr(module, "PATIENCE", 0.0)
    done = explore(DIVERGE, "--gpu", "tiny-simt", "--json")
    body = json.loads(done.stdout)
    last, end = body["last_cycle"], body["runs"][0]["cycles"]
    assert (done.exit_code, body["first_cycle"]) == (0, 0) and 0 < last < end - 1
    said = f"this one has the cycles 0 to {last}, about 1 MB; --cycles A:B chooses others, --cycles 0:{end - 1} all, --cores and --warps"
    assert said in done.stderr
    [(header, _, _)] = reader.runs((here / "diverge.html").read_text())
    assert (header["run"]["first"], header["run"]["stop"]) == (0, last + 1)
    chosen = json.loads(explore(DIVERGE, "--gpu", "tiny-simt", "--cycles", f"0:{end - 1}", "--json").stdout)
    assert (chosen["first_cycle"], chosen["last_cycle"]) == (0, end - 1)


def test_the_page_can_go_to_standard_output(here):
    result = explore(MATADD, "-o", "-")
    assert result.stdout.startswith("<!doctype html>")
    assert not list(here.iterdir())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--against", "gpu.cores=2"], "--against gpu.cores=2: the first run has this value too; give a different one"),
        (["--against", "gpu.coress=1"], "there is no setting 'gpu.coress', did you mean 'gpu.cores'?"),
        (["--gpu", "sm", "--against", "unit.prefetcher=none"], "--against unit.prefetcher=none: the first run has this unit too; give a"),
        (["--against", "unit.scheduler"], "--against 'unit.scheduler': write a slot and a unit, as unit.scheduler=mine.py:choose"),
        (["--against", "unit.scheduler=oldest"], "the slot 'scheduler' is for machines with warps; 'tiny' runs one instruction at a time"),
        (["-o", str(MATADD)], f"-o {MATADD}: this file is an input; name a different one"),
        (["-o", "-", "--json"], "--json and the page would both be written to standard output: name a file with -o"),
        (["--gpu", "tiny-simt", "--threads", "0"], "no warp has run, so there is nothing to walk through"),
        (["--cycles", "200:"], "--cycles: there is no cycle 200: the run has 178 cycles, numbered from 0"),
        (["--warps", "0"], "--cores and --warps are for machines with warps; 'tiny' runs one instruction at a time, add --gpu sm"),
        (["--gpu", "tiny-simt", "--cores", "7"], "--cores '7': there is no core 7, they are numbered 0 to 1"),
        (["-o", "x.png"], "-o x.png: the explorer is a page; name a file that ends in .html. `warploom picture` draws pictures"),
        (["-o", "nowhere/page.html"], "nowhere/page.html cannot be written: No such file or directory"),
    ],
)
def test_mistakes_are_named_and_leave_no_file(here, arguments, message):
    before = MATADD.read_bytes()
    result = explore(MATADD, *arguments)
    assert result.exit_code == 2
    assert message in result.stderr + result.stdout
    assert not list(here.iterdir())
    assert MATADD.read_bytes() == before


def test_the_profile_of_the_same_run_is_a_page_that_leads_here_and_back(here):
    (here / "pages").mkdir()
    done = explore(DIVERGE, "--gpu", "tiny-simt", "-o", "pages/run.html", "--profile", "table.html", "--quiet")
    assert done.exit_code == 0, done.output
    assert '"profile":"../table.html"' in (here / "pages" / "run.html").read_text()
    page = (here / "table.html").read_text()
    assert "<a href='pages/run.html#line=" in page and "<a href='pages/run.html'>the explorer</a>" in page


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("-o", "-", "--profile", "table.html"), "the pages lead to each other, so both are files: name one with -o"),
        (("--profile", "table.txt"), "--profile table.txt: a profile is a page; name a file that ends in .html"),
        (("--profile", "table.html", "--against", "core.divergence=minpc"), "--profile shows one run, and --against makes two"),
        (("--profile", "diverge.html"), "--profile diverge.html"),
    ],
)
def test_a_profile_that_cannot_stand_beside_the_page(here, words, said):
    done = explore(DIVERGE, "--gpu", "tiny-simt", *words)
    assert (done.exit_code, said in done.stderr) == (2, True), done.stderr
