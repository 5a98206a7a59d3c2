"""Kanata logs, read with a reader of our own that follows the format's description, and compared with the run's counters."""

import io
from collections import Counter, defaultdict

import pytest

import warploom
from tests.observe.traces.conftest import EXAMPLES, RUNS, WARPS
from tests.observe.traces.kanata import read
from warploom.machine.accounting import reasons
from warploom.observe.traces.konata import konata


def log(result):
    file = io.StringIO()
    konata.write(result, file)
    return read(file.getvalue())


def program(tmp_path, text):
    path = tmp_path / "kernel.guppy"
    path.write_text(text)
    return warploom.load(path)


@pytest.mark.parametrize("name", RUNS)
def test_every_instruction_is_there_once_and_ends(run, name):
    result = run(name)
    found, cycles = log(result)
    assert cycles == result.cycles
    assert len(found) == result.counters["instructions"]
    assert sorted(operation.retired for operation in found) == list(range(len(found)))
    for operation in found:
        assert not operation.flushed
        assert operation.begin < operation.end <= cycles
        stages = operation.lane(0)
        assert stages[0][1] == operation.begin
        assert all(start < stop for _, start, stop in stages)
        assert [start for _, start, _ in stages[1:]] == [stop for _, _, stop in stages[:-1]]


@pytest.mark.parametrize("name", WARPS)
def test_stalls_in_lane_1_add_up_to_the_counters(run, name):
    result = run(name)
    found, _ = log(result)
    waited = Counter()
    for operation in found:
        for reason, start, stop in operation.lane(1):
            waited[reason] += stop - start
    for reason in reasons.REASONS[1:]:
        assert waited[reason.name] == result.counters[f"{reason.name}_warp_cycles"]


@pytest.mark.parametrize("name", WARPS)
def test_a_warp_executes_in_the_order_of_its_issues_and_begins_the_next_one_then(run, name):
    found, _ = log(run(name))
    warps = defaultdict(list)
    for operation in found:
        warps[operation.thread].append(operation)
    for mine in warps.values():
        issues = [next(start for stage, start, _ in operation.lane(0) if "X" in stage) for operation in mine]
        assert issues == sorted(set(issues))
        for operation, before in zip(mine[1:], issues, strict=False):
            assert operation.begin > before
    places = {(operation.thread, operation.label.split(" @")[0]) for operation in found}
    slots = run(name).config.core.warps
    assert all(place == f"warp {thread // slots}:{thread % slots}" for thread, place in places)


def test_labels_say_where_and_what(run):
    result = run("memory")
    found, _ = log(result)
    assert Counter(operation.label.split(": ")[1] for operation in found) == dict.fromkeys(result.program.text, 8)
    load = next(operation for operation in found if ": ld " in operation.label)
    assert load.label == "warp 0:0 @1: ld r1.x, t0.x, r0.x"
    assert load.detail.splitlines()[:2] == ["block 0, warp 0", "lanes 0xffffffff (32)"]
    assert load.detail.splitlines()[2].endswith("load_strided.guppy:10")


def test_an_instruction_points_back_at_the_load_that_it_waited_for(run):
    """In load_strided the load uses the product, the sum the load, the store the sum and a second product; r1.x + 7 waits for memory."""
    result = run("memory")
    found, _ = log(result)
    arrows = {(operation.number, producer) for operation in found for producer in operation.producers}
    named = Counter(
        (found[consumer].label.split(": ")[1].split()[0], found[producer].label.split(": ")[1].split()[0]) for consumer, producer in arrows
    )
    assert named["add.u32", "ld"] == 8
    assert set(named) <= {("ld", "mul.u32"), ("add.u32", "ld"), ("st", "add.u32"), ("st", "mul.u32")}
    for consumer, producer in arrows:
        assert found[consumer].thread == found[producer].thread
        (stage,) = [stage for stage in found[producer].lane(0) if "X" in stage[0]]
        issue = next(start for name, start, _ in found[consumer].lane(0) if "X" in name)
        assert found[consumer].begin < stage[2] <= issue


def test_a_load_executes_until_its_last_answer(run):
    result = run("memory")
    found, _ = log(result)
    loads = {(operation.thread, issue): stop for operation in found for stage, issue, stop in operation.lane(0) if stage == "XM"}
    done = result.detail.events[result.detail.events[:, 1] == 8]  # accesses that are complete
    slots = result.config.core.warps
    assert loads == {(core * slots + warp, issued): min(last + 1, result.cycles) for _, _, core, warp, _, _, issued, last in done.tolist()}


def test_the_six_states_of_a_core_of_one_instruction_at_a_time(run):
    result = run("one instruction at a time")
    found, _ = log(result)
    spent, waited = Counter(), Counter()
    for operation in found:
        names = "".join(name for name, _, _ in operation.lane(0))
        assert names == "FDRWXU"
        for name, start, stop in operation.lane(0):
            spent[name] += 4 * (stop - start)
        for name, start, stop in operation.lane(1):
            waited[name] += 4 * (stop - start)
    names = dict(zip("FDRWXU", ("fetch", "decode", "request", "wait", "execute", "update"), strict=True))
    assert spent == {short: result.counters[f"{name}_thread_cycles"] for short, name in names.items()}
    assert waited == {"program_memory": result.counters["fetch_thread_cycles"], "data_memory": result.counters["wait_thread_cycles"]}
    assert {operation.label.split(": ")[1] for operation in found} == set(result.program.text)


@pytest.mark.parametrize("name", RUNS)
def test_what_was_not_done_when_the_run_was_stopped_is_flushed(name):
    file, preset, changes = RUNS[name]
    gpu = warploom.GPU(preset, set=changes, engine="python")
    result = gpu.run(warploom.load(EXAMPLES / file), tracing=True, max_cycles=50)
    assert result.status == "timeout"
    found, _ = log(result)
    assert sum(not operation.flushed for operation in found) <= result.counters["instructions"]
    assert all(operation.end >= 0 for operation in found)


def test_a_tab_in_a_label_does_not_break_the_line():
    file = io.StringIO()
    written = konata.Log(file)
    written.label(written.begin(0), "a\tb", "c\nd")
    assert file.getvalue().splitlines()[-2:] == ["L\t0\t0\ta b", "L\t0\t1\tc\\nd"]


@pytest.mark.parametrize("name", WARPS)
def test_windows_of_any_length_say_the_same(run, monkeypatch, name):
    from warploom.observe.traces import windows

    def text():
        file = io.StringIO()
        konata.write(run(name), file)
        return file.getvalue()

    whole = text()
    for rows in (7, 50, 1000):
        monkeypatch.setattr(windows, "WINDOW_ROWS", rows)
        assert text() == whole
