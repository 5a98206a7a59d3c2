"""Perfetto traces, read with the message classes of Perfetto's authors as Perfetto reads them, and compared with the run's counters."""

import io
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from itertools import pairwise

import pytest
from perfetto.protos.perfetto.trace.perfetto_trace_pb2 import Trace, TrackEvent

from tests.observe.traces.conftest import WARPS
from warploom.machine.accounting import reasons
from warploom.observe.traces.perfetto import perfetto

CYCLE = 1000


@dataclass
class Slice:
    path: tuple
    depth: int
    name: str
    start: int
    stop: int = -1
    said: dict = field(default_factory=dict)
    flows: tuple = ()
    ends: tuple = ()


@dataclass
class Reading:
    """Slices (instants have no length) and counters, by the names of their tracks from the device down."""

    slices: list
    counters: dict
    left_open: int


def read(data):
    names, keys, tracks, open_slices = {}, {}, {}, defaultdict(list)
    found = Reading([], defaultdict(list), 0)
    events = []
    for number, packet in enumerate(Trace.FromString(data).packet):
        assert packet.trusted_packet_sequence_id == 1
        assert packet.sequence_flags == (3 if number == 0 else 2)
        names |= {entry.iid: entry.name for entry in packet.interned_data.event_names}
        keys |= {entry.iid: entry.name for entry in packet.interned_data.debug_annotation_names}
        if packet.HasField("track_descriptor"):
            track = packet.track_descriptor
            above = () if not track.HasField("parent_uuid") else tracks[track.parent_uuid]
            tracks[track.uuid] = (*above, track.name or track.process.process_name)
        else:
            events.append((packet.timestamp, packet.track_event))
    for time, event in sorted(events, key=lambda item: item[0]):
        path, here = tracks[event.track_uuid], open_slices[event.track_uuid]
        assert time % CYCLE == 0
        if event.type == TrackEvent.TYPE_COUNTER:
            found.counters[path].append((time // CYCLE, event.counter_value))
        elif event.type == TrackEvent.TYPE_SLICE_END:
            here.pop().stop = time // CYCLE
        else:
            said = {keys[note.name_iid]: note.string_value or note.int_value for note in event.debug_annotations}
            arrows = tuple(event.flow_ids), tuple(event.terminating_flow_ids)
            item = Slice(path, len(here), names[event.name_iid], time // CYCLE, -1, said, *arrows)
            found.slices.append(item)
            if event.type == TrackEvent.TYPE_SLICE_BEGIN:
                here.append(item)
            else:
                item.stop = item.start
    found.left_open = sum(map(len, open_slices.values()))
    return found


def reading(result):
    file = io.BytesIO()
    perfetto.write(result, file)
    return read(file.getvalue())


def of_slots(found):
    return [item for item in found.slices if item.path[-1].startswith("warp ")]


@pytest.mark.parametrize("name", WARPS)
def test_instructions_and_waits_of_the_warps_add_up_to_the_counters(run, name):
    result = run(name)
    found = reading(result)
    assert found.left_open == 0
    inner = [item for item in of_slots(found) if item.depth == 1]
    issued = [item for item in inner if item.name in result.program.text]
    assert len(issued) == result.counters["instructions"]
    assert sum(item.said["active lanes"] for item in issued) == result.counters["thread_instructions"]
    waited = Counter()
    for item in inner:
        if item.name not in result.program.text:
            waited[item.name] += item.stop - item.start
    for reason in reasons.REASONS[1:]:
        assert waited[reason.name] == result.counters[f"{reason.name}_warp_cycles"]
    blocks = [item for item in of_slots(found) if item.depth == 0]
    assert sum(item.stop - item.start for item in blocks) == result.counters["warp_cycles"]
    assert max(item.stop for item in blocks) <= result.cycles


@pytest.mark.parametrize("name", WARPS)
def test_a_track_lies_below_the_one_that_it_belongs_to(run, name):
    result = run(name)
    schedulers = result.config.core.schedulers
    found = reading(result)
    for item in of_slots(found):
        device, core, scheduler, slot = item.path
        assert device == f"{result.program.name} on {result.config.name}"
        assert core in {f"core {number}" for number in range(result.config.gpu.cores)}
        assert slot.startswith(f"warp {core.split()[-1]}:")
        assert scheduler == f"scheduler {int(slot.partition(':')[2]) % schedulers}"
    issues = Counter(item.path[1] for item in found.slices if item.path[-1].startswith("scheduler"))
    assert sum(issues.values()) == result.counters["instructions"]


def test_an_arrow_leads_from_each_load_over_the_transaction_to_its_fill(run):
    result = run("memory")
    found = reading(result)
    leaves = {flow: item for item in of_slots(found) for flow in item.flows}
    over = {flow: item for item in found.slices if item.path[-1] == "load/store" for flow in item.flows}
    fills = {flow: item for item in found.slices for flow in item.ends}
    assert len(leaves) == result.counters["l1_misses"] > 100
    assert leaves.keys() == over.keys() == fills.keys()
    for flow, load in leaves.items():
        assert load.name == "ld r1.x, t0.x, r0.x"
        assert load.start <= over[flow].start < fills[flow].start
        assert (over[flow].name, fills[flow].name) == ("miss", "fill")
        assert over[flow].said["address"] == fills[flow].said["address"]
        assert over[flow].said["warp"] == load.path[-1]
    # Thread t reads byte 64 t of the buffer at byte 256; a line has 128 bytes, and the lanes of a warp that share one share a transaction.
    lines = Counter(128 * line for warp in range(8) for line in {(256 + 64 * (32 * warp + lane)) // 128 for lane in range(32)})
    assert Counter(int(item.said["address"], 16) for item in over.values()) == lines


def test_accesses_reach_from_their_issue_to_the_last_answer(run):
    result = run("memory")
    accesses = [item for item in reading(result).slices if item.path[-1].startswith("access ")]
    assert len(accesses) == result.counters["accesses"]
    assert all(item.depth == 0 and item.stop - item.start == item.said["cycles"] > 0 for item in accesses)


@pytest.mark.parametrize("name", WARPS)
def test_counters_begin_and_end_at_nothing(run, name):
    result = run(name)
    found = reading(result)
    names = Counter(path[-1] for path in found.counters)
    cores = result.config.gpu.cores
    assert (names["warps in slots"], names["lanes that issue"], names["blocks in cores"]) == (cores, cores, 1)
    assert (names["lines in flight"] > 0) == (result.counters["l1_misses"] > 0)
    lanes = 0
    for path, values in found.counters.items():
        times = [time for time, _ in values]
        assert times == sorted(set(times))
        assert times[0] == 0
        assert min(value for _, value in values) == 0
        assert values[-1][1] == 0
        if path[-1] == "lanes that issue":
            lanes += sum(value * (after - time) for (time, value), (after, _) in pairwise(values))
    assert lanes == result.counters["thread_instructions"]


def test_a_core_of_one_instruction_at_a_time_nests_block_instruction_and_state(run):
    result = run("one instruction at a time")
    found = reading(result)
    assert found.left_open == 0
    cores = [item for item in found.slices if item.path[-1].startswith("core")]
    blocks, instructions, states = ([item for item in cores if item.depth == depth] for depth in range(3))
    assert sorted(item.name for item in blocks) == ["block 0", "block 1"]
    assert len(instructions) == result.counters["instructions"]
    spent = Counter()
    for item in states:
        spent[item.name] += 4 * (item.stop - item.start)
    for name in ("fetch", "decode", "request", "wait", "execute", "update"):
        assert spent[name] == result.counters[f"{name}_thread_cycles"]


def test_the_channels_serve_what_the_counters_say_and_arrows_come_from_the_instructions(run):
    result = run("one instruction at a time")
    found = reading(result)
    requests = [item for item in found.slices if "data channel" in item.path[-1] and item.depth == 0]
    assert len(requests) == result.counters["data_requests"]
    assert sum(item.stop - item.start for item in requests) == result.counters["data_channel_busy_cycles"]
    fetches = [item for item in found.slices if "program channel" in item.path[-1] and item.depth == 0]
    assert len(fetches) == result.counters["program_requests"]
    assert sum(item.stop - item.start for item in fetches) == result.counters["program_channel_busy_cycles"]
    leaves = {flow: item for item in found.slices if item.path[-1].startswith("core") for flow in item.flows}
    # matadd: two loads and a store a thread.
    assert len(requests) == 8 * 3
    for item in requests:
        (flow,) = item.flows
        assert leaves[flow].name.startswith("STR" if item.name.startswith("write") else "LDR")
        assert leaves[flow].path[-1] in item.name
    assert {item.said["value"] for item in requests if item.name.startswith("write")} == set(range(0, 16, 2))


@pytest.mark.parametrize("name", WARPS)
def test_windows_of_any_length_say_the_same(run, monkeypatch, name):
    from warploom.observe.traces import windows

    def told(found):
        # On which of its tracks an access lies is decided by those that are known before it.
        places = [("access",) if "access" in item.path[-1] else item.path for item in found.slices]
        said = [(item.depth, item.start, item.stop, item.name, sorted(item.said.items())) for item in found.slices]
        return sorted(zip(places, said, strict=True)), found.counters, found.left_open

    whole = told(reading(run(name)))
    for rows in (7, 50, 1000):
        monkeypatch.setattr(windows, "WINDOW_ROWS", rows)
        assert told(reading(run(name))) == whole
