"""CSV and Parquet, read with pandas and pyarrow, and compared with the run's counters and profile."""

import io

import pandas
import pyarrow.parquet
import pytest

from tests.observe.traces.conftest import RUNS, WARPS
from warploom.machine.accounting import reasons
from warploom.machine.accounting.event_kinds import EVENT_KINDS
from warploom.observe.traces import rows, table

REASONS = [reason.name for reason in reasons.REASONS]


def parquet(result):
    file = io.BytesIO()
    table.write_parquet(result, file)
    return pyarrow.parquet.read_table(io.BytesIO(file.getvalue()))


def csv(result):
    file = io.StringIO()
    table.write_csv(result, file)
    return pandas.read_csv(io.StringIO(file.getvalue()))


@pytest.fixture(params=[csv, lambda result: parquet(result).to_pandas()], ids=["csv", "parquet"])
def read(request):
    return request.param


@pytest.mark.parametrize("name", WARPS)
def test_issues_lanes_and_waits_are_those_of_the_counters(run, read, name):
    result = run(name)
    events = read(result)
    issues = events[events.kind == "issue"]
    assert len(issues) == result.counters["instructions"]
    assert issues.active_lanes.sum() == result.counters["thread_instructions"]
    stalls = events[events.kind == "stall"]
    waited = (stalls.cycle - stalls.since).groupby(stalls.reason).sum()
    for reason in REASONS[1:]:
        assert waited.get(reason, 0) == result.counters[f"{reason}_warp_cycles"]


def test_every_instruction_issues_as_often_as_the_profile_says(run, read):
    result = run("divergent")
    events = read(result)
    issues = events[events.kind == "issue"].groupby("pc").size()
    assert [issues.get(pc, 0) for pc in range(len(result.program))] == result.detail.profile[:, reasons.ISSUES].tolist()
    assert set(events.instruction.dropna()) == set(result.program.text)
    # In the source the first instruction stands in the line that holds its text.
    first = events[events.kind == "issue"].iloc[0]
    assert result.program.source.text.splitlines()[int(first.line) - 1].split(";")[0].split() == first.instruction.split()


def test_memory_traffic_is_that_of_the_counters(run, read):
    result = run("memory")
    events = read(result)
    requests, lookups = events[events.kind == "request"], events[events.kind == "l2"]
    assert len(requests) == result.counters["transactions"]
    assert requests.outcome.isin(["miss", "merged"]).sum() == result.counters["l1_misses"]
    assert (requests.outcome == "hit").sum() == result.counters["l1_hits"]
    assert (lookups.outcome == "hit").sum() == result.counters["l2_hits"]
    assert (events.kind == "complete").sum() == result.counters["accesses"]
    # 256 threads, 64 bytes apart from byte 256 on, where the buffer begins, in lines of 128 bytes.
    assert set(requests[requests.outcome == "miss"].address) == {(256 + 64 * thread) // 128 * 128 for thread in range(256)}


def test_a_core_of_one_instruction_at_a_time(run, read):
    result = run("one instruction at a time")
    events = read(result)
    states = events[events.kind == "state"]
    spent = ((states.cycle - states.since) * 4).groupby(states.state).sum()
    for state in ("fetch", "decode", "request", "wait", "execute", "update"):
        assert spent[state] == result.counters[f"{state}_thread_cycles"]
    data = events[events.kind == "data request"]
    assert len(data) == result.counters["data_requests"]
    assert (data.cycle - data.since).sum() == result.counters["data_channel_busy_cycles"]
    # matadd: thread i of 8 reads i from each of two arrays of 8 and writes 2 i behind them.
    written = data[data.outcome == "write"]
    assert dict(zip(written.address, written.value, strict=True)) == {16 + index: 2 * index for index in range(8)}
    consumers = {(core, thread) for core, thread in zip(data.core, data.thread, strict=True)}
    assert consumers == {(core, thread) for core in range(2) for thread in range(4)}


@pytest.mark.parametrize("name", RUNS)
def test_columns_have_types_and_say_what_they_mean(run, name):
    result = run(name)
    found = parquet(result)
    for column, wanted in zip(found.schema, rows.columns(result), strict=True):
        assert (column.name, str(column.type)) == (wanted.name, wanted.kind)
        assert column.metadata[b"meaning"].decode() == wanted.meaning
    assert found.schema.metadata[b"machine"].decode() == result.config.name


def test_columns_are_those_of_the_fields_of_events_in_the_order_that_readers_know():
    names = [column.name for column in rows.WARP_COLUMNS]
    first = "cycle since kind core warp_slot pc instruction line lanes active_lanes lanes_after"
    rest = "reason until outcome address sectors unit block warp lane triangle pixel value before after"
    assert " ".join(names) == f"{first} {rest}"
    fields = {field.column for kind in EVENT_KINDS for field in kind.fields}
    assert fields == set(names) - {"kind", "instruction", "line", "active_lanes"}
    said = {column.name: column.meaning for column in rows.WARP_COLUMNS}
    assert said["lanes_after"] == "issue: mask of the warp after the instruction"
    assert said["cycle"] == "when it happened; stall: first cycle after it"


@pytest.mark.parametrize("name", RUNS)
def test_both_formats_say_the_same(run, name):
    plain, typed = csv(run(name)), parquet(run(name)).to_pandas()
    assert len(plain) == len(typed) > 20
    for column in plain:
        assert plain[column].astype(object).fillna("").tolist() == typed[column].astype(object).fillna("").tolist()


def test_a_long_table_is_written_in_pieces(run, monkeypatch):
    monkeypatch.setattr(table, "GROUP", 50)
    file = io.BytesIO()
    table.write_parquet(run("memory"), file)
    found = pyarrow.parquet.ParquetFile(io.BytesIO(file.getvalue()))
    events = run("memory").detail.events
    assert found.metadata.num_row_groups == -(-len(events) // 50)
    assert found.read().column("cycle").to_pylist() == events[:, 0].tolist()
