"""Writing trace files: formats by the file's name, files that are whole or not there."""

import gzip
import sys

import pytest

import warploom
from tests.observe.traces.conftest import EXAMPLES, RUNS
from warploom.observe.text.needs import MissingPackage
from warploom.observe.traces import FORMATS, format_of, write_trace


@pytest.mark.parametrize("form", FORMATS, ids=lambda form: form.name)
@pytest.mark.parametrize("name", RUNS)
def test_every_format_writes_every_run_and_tells_how_far_it_is(run, tmp_path, form, name):
    heard = []
    for ending in form.endings:
        write_trace(run(name), tmp_path / f"run{ending}", heard.append)
        assert (tmp_path / f"run{ending}").stat().st_size > 500
    assert heard[-1] == 100
    assert all(0 <= percent <= 100 for percent in heard)
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".")]


def test_a_result_writes_itself_and_compresses_for_gz(run, tmp_path):
    result = run("warps")
    for name in ("a.pftrace", "b.perfetto-trace.gz"):
        result.write_trace(tmp_path / name)
    assert gzip.decompress((tmp_path / "b.perfetto-trace.gz").read_bytes()) == (tmp_path / "a.pftrace").read_bytes()


def test_another_ending_is_refused():
    with pytest.raises(ValueError, match=r"^run\.txt: the ending of the name says which format is written, one of \.perfetto-trace, "):
        format_of("run.txt")


@pytest.mark.parametrize("form", FORMATS, ids=lambda form: form.name)
def test_without_events_it_says_what_to_do_and_leaves_nothing(tmp_path, form):
    result = warploom.GPU("guppy", engine="python").run(warploom.load(EXAMPLES / "guppy/if_else.guppy"))
    with pytest.raises(ValueError, match=r"run it with tracing=True$"):
        result.write_trace(tmp_path / f"x{form.endings[0]}")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("form", FORMATS, ids=lambda form: form.name)
@pytest.mark.parametrize("name", ["one instruction at a time", "memory"])
def test_an_interrupted_file_is_not_there_and_the_one_before_it_stays(run, tmp_path, form, name):
    path = tmp_path / f"x{form.endings[0]}"
    path.write_text("before")

    def interrupt(percent):
        if percent > 10:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_trace(run(name), path, interrupt)
    assert list(tmp_path.iterdir()) == [path]
    assert path.read_text() == "before"


@pytest.mark.parametrize("form", FORMATS, ids=lambda form: form.name)
def test_a_run_that_was_stopped_is_written_too(tmp_path, form):
    for file, preset, _ in RUNS.values():
        result = warploom.GPU(preset, engine="python").run(warploom.load(EXAMPLES / file), tracing=True, max_cycles=60)
        result.write_trace(tmp_path / f"x{form.endings[0]}")


@pytest.mark.parametrize("form", [form for form in FORMATS if form.package], ids=lambda form: form.name)
def test_a_missing_package_is_named(monkeypatch, form):
    monkeypatch.setitem(sys.modules, form.package, None)
    said = rf"^the format {form.name} needs the package {form.package}, .*pip install 'warploom\[traces\]'$"
    with pytest.raises(MissingPackage, match=said):
        form.check()
