"""Constant memory and its cache: values, latencies of each level, passes, and the reason of a warp that waits for it."""

import random
from types import SimpleNamespace

import numpy as np
import pytest

from tests.machine.programs import FREE, GLOBAL, LANE, Assembly, run, words
from warploom.gpu import GPU
from warploom.isa import uop as u
from warploom.isa.program import Program
from warploom.machine.accounting.reasons import IMC_MISS
from warploom.machine.config.presets import load_config
from warploom.machine.core.load_store import constant_cache
from warploom.machine.engine.sizes import ConfigError

A, B, C, D = range(FREE, FREE + 4)
CONSTANTS = np.arange(0, 4096, dtype=np.uint32).view(np.uint8)
LEVELS = {
    "constant__bytes": 256, "constant__line": 64, "constant__ways": 2, "constant__latency": 10, "constant__next_bytes": 1024,
    "constant__next_line": 256, "constant__next_ways": 2, "constant__next_latency": 30, "constant__memory_latency": 100,
}  # fmt: skip


def read(code: Assembly, address: int, **fields) -> None:
    """B = constant memory at register `address`, and an instruction that waits for it."""
    code("load", dst=B, a=address, space=u.CONSTANT_SPACE, **fields)
    code.op("add", C, B, imm=0)


def program(code: Assembly, **fields) -> Program:
    code.op("shl", D, GLOBAL, imm=2)
    code.store(D, C)
    code("exit")
    return code.program(constants=CONSTANTS, **fields)


def waits(code: Assembly, **changes) -> list[int]:
    """Cycles from each constant load to the issue of the instruction that waits for it."""
    result = run(program(code), tracing=True, **LEVELS | changes)
    assert result.status == "done", result.fault
    events = result.detail.events
    issues = {int(row[4]): int(row[0]) for row in events[events[:, 1] == 0]}
    spaces = result.program.uops[:, u.SPACE]
    return [issues[pc + 1] - issues[pc] for pc in sorted(issues) if spaces[pc] == u.CONSTANT_SPACE]


def test_lanes_read_the_programs_constants_and_nothing_else():
    code = Assembly()
    code.op("shl", A, LANE, imm=3)
    read(code, A, imm=0x40)
    made = program(code)
    for engine in ("python", "native"):
        result = run(made, engine=engine, **LEVELS)
        assert words(result)[:4].tolist() == [16, 18, 20, 22]
    assert result.counters["constant_accesses"] == 1
    assert len(result.memory) == 4096


def test_each_level_has_its_latency_and_memory_too():
    code = Assembly()
    for address in (0, 0, 64, 4, 256, 512, 768, 0):
        code.mov(A, address)
        read(code, A)
    # From memory; from the first level; a line of it that the second level's first line holds; the first level. Then three new lines,
    # two of which push the first one out of its set of the first level, and not out of the second.
    assert waits(code) == [100, 10, 30, 10, 100, 100, 100, 30]
    counters = run(program(code), **LEVELS).counters
    assert [counters[f"constant_{name}"] for name in ("hits", "misses", "next_hits", "next_misses")] == [2, 6, 2, 4]


def test_a_line_that_is_on_its_way_is_not_asked_for_again():
    code = Assembly()
    code("load", dst=A, a=A, space=u.CONSTANT_SPACE)
    code("load", dst=B, a=C, space=u.CONSTANT_SPACE)
    code.op("add", C, B, imm=0)
    result = run(program(code), tracing=True, **LEVELS)
    events = result.detail.events
    issues = {int(row[4]): int(row[0]) for row in events[events[:, 1] == 0]}
    assert issues[2] - issues[0] == 100
    assert [result.counters[f"constant_{name}"] for name in ("hits", "misses", "next_misses")] == [0, 2, 1]


def test_a_pass_a_word():
    for shift, passes in ((0, 1), (2, 4), (1, 2)):
        code = Assembly()
        code.op("shl", A, LANE, imm=shift)
        for _ in range(2):
            code("load", dst=B, a=A, imm=0, space=u.CONSTANT_SPACE, size=1)
            code.op("add", C, B, imm=0)
        assert waits(code) == [100 + passes - 1, 10 + passes - 1]


def test_a_miss_is_accounted_to_imc_miss_and_a_hit_is_not():
    code = Assembly()
    read(code, A)
    read(code, A)
    counters = run(program(code), **LEVELS).counters
    assert counters["imc_miss_warp_cycles"] == 99
    assert counters["short_scoreboard_warp_cycles"] == 9
    assert [counters[f"constant_{name}"] for name in ("hits", "misses", "next_hits", "next_misses")] == [1, 1, 0, 1]


def test_the_preset_of_a_v100_has_the_published_latencies():
    code = Assembly()
    for address in (0, 0, 64, 0):
        code.mov(A, address)
        read(code, A)
    result = GPU("sm", set={"fetch.buffer": 0}).run(program(code), tracing=True)
    events = result.detail.events
    issues = {int(row[4]): int(row[0]) for row in events[events[:, 1] == 0]}
    assert [issues[pc + 1] - issues[pc] for pc in (4, 7, 10)] == [40, 114, 40]


def test_constant_memory_has_an_end_and_is_not_written():
    code = Assembly()
    code.mov(A, 4 * 4096)
    read(code, A)
    assert "threads 0" not in run(program(code)).fault
    assert "reads constant address 0x4000, but the program has 0x4000 bytes of constants" in run(program(code)).fault
    code = Assembly()
    code("store", a=A, b=B, space=u.CONSTANT_SPACE)
    with pytest.raises(ValueError, match="store in constant memory, which can only be read"):
        run(program(code))


def test_a_bundle_asks_the_constant_cache_or_memory_and_not_both():
    code = Assembly()
    code.bundle({"name": "load", "dst": A, "a": D, "space": u.CONSTANT_SPACE}, {"name": "load", "dst": B, "a": D})
    with pytest.raises(ValueError, match="issue unit 2"):
        run(program(code))


@pytest.mark.parametrize(("setting", "value"), [("constant.line", 48), ("constant.bytes", 100), ("constant.bytes", 65536)])
def test_a_constant_cache_that_cannot_be_is_refused(setting, value):
    with pytest.raises(ConfigError, match=setting):
        load_config("sm", {setting: value, "constant.next_bytes": 0} | ({"constant.line": 32} if value == 65536 else {}))


@pytest.mark.parametrize("words", [1, 2])
@pytest.mark.parametrize("seed", range(8))
def test_each_word_that_an_active_lane_wants_is_a_pass_once(monkeypatch, seed, words):
    """The lookups come in the order of lanes, and a word is there when its own pass has been made."""
    source, asked = random.Random(seed), []
    address = np.array([source.choice((0, 1, 3, 4, 8, 60, 64)) for _ in range(8)], np.uint32)
    active = np.array([source.choice((0, 0xFFFFFFFF)) for _ in range(8)], np.uint32)
    takes = {0: 10, 1: 10, 2: 30, 15: 12, 16: 50}  # cycles, by word
    monkeypatch.setattr(constant_cache, "_look_up", lambda constants, at, now: asked.append(at // 4) or now + takes[at // 4])
    core = SimpleNamespace(constants=SimpleNamespace(ready=seed * 15), access=SimpleNamespace(address=address))
    constant_cache.access_constants(core, SimpleNamespace(active=active), 8, words, 40)
    wanted = list(dict.fromkeys(int(at) // 4 for at, runs in zip(address, active, strict=True) if runs))
    assert asked == wanted
    there = [40 + takes[word] + words * number - 1 for number, word in enumerate(wanted, 1)]
    assert core.constants.ready == max([seed * 15, 41, *there])


@pytest.mark.parametrize(
    ("active", "words", "ready"),
    [
        ([1, 1, 1, 1], 1, 36),  # three passes: the last two lanes want the same word
        ([1, 1, 1, 1], 2, 39),
        ([1, 0, 0, 1], 1, 36),
        ([0, 1, 0, 0], 1, 33),
        ([1, 0, 0, 0], 1, 31),  # a word that is there at once: in the next cycle, as what reads no constant
        ([0, 0, 0, 0], 1, 31),
    ],
)
@pytest.mark.parametrize("before", [0, 31, 50])
def test_a_bundle_waits_for_the_last_pass_of_its_lanes(monkeypatch, active, words, ready, before):
    """Each lane's word takes a pass, and is there 0, 3, 4 and 5 cycles after the pass before it."""
    monkeypatch.setattr(constant_cache, "_look_up", lambda constants, address, now: now + {0: 0, 8: 3, 16: 4, 18: 5}[address])
    core = SimpleNamespace(constants=SimpleNamespace(ready=before), access=SimpleNamespace(address=np.array([0, 8, 16, 18], np.uint32)))
    constant_cache.access_constants(core, SimpleNamespace(active=np.array(active, np.uint32)), 4, words, 30)
    assert core.constants.ready == max(before, ready)


# Where a word is found, by the cycle in which its line has come there, None where it has no line; the cycle in which it can be used, and
# what is counted: hits and misses of the first level, and of the second. Latencies of 4 and 20 cycles, 90 of memory; it is cycle 30.
LOOK_UPS = [
    (30, None, 34, (1, 0, 0, 0)),
    (12, 12, 34, (1, 0, 0, 0)),
    (31, None, 34, (0, 1, 0, 0)),  # its line is on its way
    (50, None, 50, (0, 1, 0, 0)),
    (None, 0, 50, (0, 1, 1, 0)),
    (None, 51, 51, (0, 1, 1, 0)),
    (None, None, 120, (0, 1, 0, 1)),
]


@pytest.mark.parametrize(("first", "second", "ready", "counted"), LOOK_UPS)
def test_a_word_comes_from_the_first_level_that_has_it_and_who_waits_is_said_to(monkeypatch, first, second, ready, counted):
    levels = [SimpleNamespace(hits=0, misses=0, latency=cycles, here=[7, came]) for cycles, came in ((4, first), (20, second))]
    brought = []
    monkeypatch.setattr(constant_cache, "_find", lambda level, address: -1 if level.here[1] is None else 1)
    monkeypatch.setattr(constant_cache, "_bring", lambda level, address, done: brought.append((levels.index(level), address, done)))
    constants = SimpleNamespace(first=levels[0], second=levels[1], memory_latency=90, reason=-1)
    assert constant_cache._look_up(constants, 64, 30) == ready
    assert (levels[0].hits, levels[0].misses, levels[1].hits, levels[1].misses) == counted
    assert constants.reason == (-1 if counted[0] else IMC_MISS)
    missed = ([1] if first is None and second is None else []) + ([0] if first is None else [])
    assert brought == [(level, 64, ready) for level in missed]
