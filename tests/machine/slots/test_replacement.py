"""The replacement slot: a user's policy is a policy like ours, in both engines, and a mistake in it is a sentence."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.machine.programs import FREE, Assembly
from tests.machine.slots.mistakes import AT_RUN_TIME, WHEN_COMPILED
from tests.machine.slots.running import ran, same_in_both
from warploom import GPU, load_config
from warploom.machine.engine.unit import mirror, zeros
from warploom.machine.memory.replacement import POLICIES
from warploom.machine.memory.replacement import Replacement as Replacement_
from warploom.machine.slots.replacement import arrive_users, is_a_way, touch_users, victim_users
from warploom.units import Replacement, UnitError, load_unit, unit

HERE = Path(__file__).parent / "mistakes.py"
ADDRESS, VALUE = FREE, FREE + 1


def used_now(s, set, way, now):
    s.stamp[set * s.ways + way] = now


def untouched(s, set, way, now):
    pass


def oldest(s, set):
    way = 0
    for other in range(1, s.ways):
        if s.stamp[set * s.ways + other] < s.stamp[set * s.ways + way]:
            way = other
    return way


def newest(s, set):
    way = 0
    for other in range(1, s.ways):
        if s.stamp[set * s.ways + other] > s.stamp[set * s.ways + way]:
            way = other
    return way


LRU, FIFO, MRU = Replacement(used_now, used_now, oldest), Replacement(untouched, used_now, oldest), Replacement(used_now, used_now, newest)


@pytest.mark.parametrize(("name", "mine"), [("lru", LRU), ("fifo", FIFO)])
def test_a_user_s_lru_and_fifo_are_ours(name, mine):
    _, ours = ran({"replacement": name})
    machine, theirs = ran({"replacement": mine})
    assert ours.counters == theirs.counters
    assert ours.counters["l1_evictions"] > 0 and ours.counters["l2_evictions"] > 0
    assert machine.stand_ins()["units"].keys() == {"replacement"}


def sweep(first, count):
    """One thread loads from `count` lines of 128 bytes from line `first` on."""
    code = Assembly()
    for line in range(first, first + count):
        code.load(VALUE, ADDRESS, 128 * line)
        code.op("and", ADDRESS, VALUE, imm=0)  # waits for it
    code("exit")
    return code.program(threads=1, block=1)


def hand_moves_on(s, set):
    way = s.stamp[set * s.ways]
    s.stamp[set * s.ways] = (way + 1) % s.ways
    return way


CLOCK = Replacement(untouched, untouched, hand_moves_on)


@pytest.mark.parametrize(("name", "mine"), [("lru", LRU), ("fifo", FIFO), ("fifo", CLOCK)])
def test_what_a_policy_keeps_of_the_second_level_cache_is_there_in_the_next_launch(name, mine):
    """Lines that were used late in a long launch are not older than those of a short one after it."""
    small = {"l1.bytes": 0, "l2.bytes": 1024, "l2.slices": 1, "l2.sets": 1, "l2.line": 128, "memory.bytes": 4096}
    machine, found = load_config("sm", small), []
    for policy in (name, mine):
        device = GPU(machine, units={"replacement": policy}, engine="python").device()
        device.allocate(2048)
        found.append([device.run(sweep(*lines)).counters["l2_hits"] for lines in ((0, 8), (0, 3), (8, 2), (0, 8), (3, 6), (1, 9))])
    assert found[0] == found[1] and len(set(found[0])) > 2


@unit
def way_after(steps, ways):
    for _ in range(steps):
        if steps < 0:
            return -1
    return steps % ways


def after_a_loop_in_a_function(s, set):
    found = 0
    for _ in range(5):
        found = way_after(100_001, s.ways)
    return found


@pytest.mark.slow
def test_what_the_loops_of_its_functions_have_run_counts_for_one_call_alone():
    same_in_both({"replacement": Replacement(untouched, untouched, after_a_loop_in_a_function)})


def hits(policy):
    """Hits of one thread that loads from the lines 0, 1, 0, 2, 0 one after the other, in a set of two ways."""
    code = Assembly()
    for line in (0, 1, 0, 2, 0):
        code.load(VALUE, ADDRESS, 128 * line)
        code.op("and", ADDRESS, VALUE, imm=0)  # waits for it
    code("exit")
    machine = load_config("sm", {"l1.bytes": 256, "l1.sets": 1, "l1.line": 128, "memory.bytes": 4096})
    return GPU(machine, units={"replacement": policy}, engine="python").run(code.program(threads=1, block=1)).counters["l1_hits"]


@pytest.mark.parametrize(("name", "mine", "expected"), [("lru", LRU, 2), ("fifo", FIFO, 1)])
def test_a_line_that_is_used_again_stays_where_the_policy_is_told_of_it(name, mine, expected):
    assert hits(name) == hits(mine) == expected


def test_both_engines_agree_and_two_policies_of_a_process_are_two():
    found = {}
    for name, mine in (("mru", MRU), ("lru", LRU)):
        found[name] = same_in_both({"replacement": mine})[0].state()
    assert found["mru"] != found["lru"]


def with_our_names(s, set):
    ask_0, way_has_a_value, iterations_of_loop_0 = 1, 0, 1
    if s.ways > way_has_a_value:
        way = ask_0
    while iterations_of_loop_0 < s.ways:
        iterations_of_loop_0 += 1
    return (way + iterations_of_loop_0 - s.ways) % s.ways


def the_second(s, set):
    return 1 % s.ways


def test_a_unit_may_use_any_names_of_its_own():
    """What we add to it, to count loops and to ask for values, has others."""
    found = [same_in_both({"replacement": Replacement(untouched, used_now, each)})[0].state() for each in (with_our_names, the_second)]
    assert found[0] == found[1]


def test_a_texture_unit_s_cache_stays_a_fifo():
    machine, _ = ran({"replacement": MRU}, program="guppy/texture.guppy")
    assert machine.cores["texture"]["cache"]["replacement"]["policy"][0] == 1


def test_a_cache_that_keeps_its_policy_is_the_fifo_that_it_was():
    """Of one set of three ways: the oldest arrival goes, whatever is used, and a second set does not matter."""
    state = mirror(zeros(1, Replacement_))[0]
    state.ways, state.policy = 3, POLICIES.index("fifo")
    for way, now in ((0, 5), (1, 3), (2, 4)):
        arrive_users(state, 1, way, now)
        arrive_users(state, 0, 2 - way, now)
    touch_users(state, 1, 1, 9)
    assert (int(victim_users(state, 1)), int(victim_users(state, 0))) == (1, 1)
    arrive_users(state, 1, 1, 10)
    assert int(victim_users(state, 1)) == 2


@pytest.mark.parametrize(("result", "fits"), [(-1, False), (0, True), (3, True), (4, False)])
def test_a_way_is_one_of_the_set(result, fits):
    state = mirror(zeros(1, Replacement_))[0]
    state.ways = 4
    assert is_a_way(result, state, 0) == fits


def test_a_machine_without_a_unit_runs_the_units_as_they_stand():
    machine, _ = ran({})
    assert machine.swaps == ()
    assert all(hook.swaps == () for hook in machine._hooks() if hook is not None)


def sentence(victim, engine):
    with pytest.raises(UnitError) as caught:
        ran({"replacement": Replacement(untouched, untouched, victim)}, engine)
    return str(caught.value)


@pytest.mark.every(3)
@pytest.mark.parametrize("engine", ["python", "native"])
@pytest.mark.parametrize(("function", "line", "said"), AT_RUN_TIME, ids=lambda value: getattr(value, "__name__", None))
def test_a_mistake_is_the_same_sentence_in_both_engines(function, line, said, engine):
    file, number, rest = sentence(function, engine).split(":", 2)
    assert Path(file).resolve() == HERE
    assert int(number) == function.__code__.co_firstlineno + line
    assert rest.strip().startswith(said)


@pytest.mark.parametrize(("function", "line", "said"), WHEN_COMPILED, ids=lambda value: getattr(value, "__name__", None))
def test_what_cannot_be_compiled_names_its_line(function, line, said):
    file, number, rest = sentence(function, "native").split(":", 2)
    assert Path(file).resolve() == HERE
    assert int(number) == function.__code__.co_firstlineno + line
    assert rest.strip().startswith(said)


@pytest.mark.parametrize("given", [oldest, (oldest, oldest, oldest), Replacement])
def test_what_is_no_policy_is_refused(given):
    with pytest.raises(UnitError, match=r"is not a unit for the slot 'replacement', which takes a Replacement: Replacement\(hit\("):
        GPU("sm", units={"replacement": given})


def test_a_verb_that_is_no_function_is_named():
    with pytest.raises(UnitError, match=r"^fill of Replacement is None, and a Replacement takes functions: Replacement\(hit\("):
        GPU("sm", units={"replacement": Replacement(untouched, None, oldest)})


def test_a_policy_comes_from_a_file(tmp_path):
    (tmp_path / "mine.py").write_text(
        "from warploom.units import Replacement\n\ndef use(s, set, way, now):\n    pass\n\n"
        "def first(s, set):\n    return 0\n\nmine = Replacement(use, use, first)\n",
        encoding="utf-8",
    )
    unit = load_unit(f"{tmp_path / 'mine.py'}:mine")
    assert isinstance(unit, Replacement) and unit.victim.__name__ == "first"
    with pytest.raises(UnitError, match=r"mine.py has no unit 'yours'; it has use, first, mine$"):
        load_unit(f"{tmp_path / 'mine.py'}:yours")
