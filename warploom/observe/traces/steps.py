"""What cores that run one instruction at a time did, as spans that are told as they end: such a run is never held as a whole."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from warploom.machine.run.result import RunResult
from warploom.machine.sequencer.controller import IDLE, READ_RELAY, WRITE_RELAY, WRITE_WAIT
from warploom.observe.facts.state_spans import State, changed, ended


class Request(NamedTuple):
    """A channel served one request from cycle `start` to `stop` (not included); from `answer` on the answer lay at the consumer.

    controller: "data" or "program". core, thread: the consumer; thread is -1 for a fetcher. value: what was read or written.
    """

    controller: str
    channel: int
    start: int
    answer: int
    stop: int
    writes: int
    core: int
    thread: int
    address: int
    value: int


class Step(NamedTuple):
    """One cycle: the line of the trace, what has ended before it, and the states that begin with it. The last step has no line."""

    cycle: int
    line: dict[str, Any] | None
    states: list[State]
    begun: list[State]
    requests: list[Request]


def steps(result: RunResult) -> Iterator[Step]:
    """The steps of a run. The run is repeated for it."""
    states: dict[int, State] = {}
    requests: dict[tuple[str, int], Request] = {}
    for cycle, line in enumerate(result.trace()):
        before = dict(states)
        cores = [(core["core_state"], core["current_pc"], core["block_id"], core["thread_count"]) for core in line["cores"]]
        over = list(changed(states, cores, cycle))
        begun = [state for core, state in states.items() if before.get(core) is not state]
        served = list(_requests(requests, line, cycle, result.config.core.threads_per_block))
        yield Step(cycle, line, over, begun, served)
    left = [request._replace(stop=result.cycles) for request in requests.values()]
    yield Step(result.cycles, None, ended(states, result.cycles), [], left)


def _requests(known: dict[tuple[str, int], Request], line: dict[str, Any], cycle: int, threads: int) -> Iterator[Request]:
    for name in ("data", "program"):
        for number, channel in enumerate(line["data_ctrl" if name == "data" else "prog_ctrl"]["channels"]):
            state, before = channel["state"], known.get((name, number))
            if before is not None and state == IDLE:
                yield known.pop((name, number))._replace(stop=cycle)
            elif before is None and state != IDLE:
                known[name, number] = _taken(name, number, channel, cycle, threads)
            elif before is not None and state in (READ_RELAY, WRITE_RELAY) and before.answer < 0:
                value = before.value if before.writes else channel["rd"]
                known[name, number] = before._replace(answer=cycle, value=value)


def _taken(name: str, number: int, channel: dict[str, Any], cycle: int, threads: int) -> Request:
    writes = int(channel["state"] == WRITE_WAIT)
    core, thread = divmod(channel["consumer"], threads) if name == "data" else (channel["consumer"], -1)
    address = channel["wa"] if writes else channel["ra"]
    return Request(name, number, cycle, -1, cycle, writes, core, thread, address, channel["wd"] if writes else -1)
