"""Sub-partitions: what one warp and what many get of the pipes of their scheduler, as microbenchmarks find it."""

import random

import numpy as np
import pytest

from tests.machine.programs import FREE, Assembly, issues
from tests.machine.rates import RESULTS, cycles_each, made
from warploom.gpu import GPU
from warploom.isa import uop as u
from warploom.isa.uop import SLOTS
from warploom.machine.accounting import events as e
from warploom.machine.config.pipes import pipe_names
from warploom.machine.config.presets import load_config
from warploom.machine.core.partitions import Partitions, enter, find_full_ports, load_pipe, next_entry, take_slot
from warploom.machine.device.machine import PipelineMachine
from warploom.machine.engine.sizes import ConfigError
from warploom.machine.engine.unit import FOREVER, mirror
from warploom.machine.run.driver import drive


def apart(*names):
    """Sixteen operations none of which needs another, of these names in turn."""
    return [made(names[number % len(names)], register) for number, register in enumerate(RESULTS)]


@pytest.mark.parametrize("engine", ["python", "native"])
def test_integer_and_float_pipes_take_an_instruction_a_cycle_together(engine):
    assert 16 * 16 / cycles_each(apart("fma", "add"), warps=16, engine=engine) == 4.0
    assert 16 * 16 / cycles_each(apart("fma"), warps=16, engine=engine) == 2.0


@pytest.mark.every(3)
@pytest.mark.parametrize(
    ("name", "cycles"),
    [("fma", 2), ("add", 2), ("frsqrt", 8), ("mul", 2), ("popc", 8), ("i2f", 8), ("fmin", 2), ("div", 24), ("fdiv", 16), ("frcp", 8)],
)
def test_one_warp_gets_no_more_than_the_pipe_of_its_scheduler(name, cycles):
    assert cycles_each(apart(name)) == 16 * cycles


@pytest.mark.parametrize(
    ("name", "latency"),
    [
        ("add", 4),
        ("mul", 4),
        ("div", 71),
        ("fadd", 4),
        ("fmul", 4),
        ("fma", 4),
        ("fdiv", 35),
        ("frsqrt", 21),
        ("fsqrt", 44),
        ("frcp", 58),
        ("flt", 4),
        ("i2f", 15),
        ("popc", 15),
        ("dfma", 8),
        ("d2l", 15),
        ("ddiv", 330),
        ("dsqrt", 330),
        ("shuffle_down", 26),
    ],
)
def test_a_latency_is_what_a_chain_of_dependent_instructions_takes(name, latency):
    assert cycles_each([made(name, 8, 8)]) == latency
    assert cycles_each([made(name, 8, 8)], pipes__owner="core") == latency


def test_the_double_pipe_takes_one_in_four_cycles_and_a_divide_is_eight_of_them():
    assert cycles_each([made("dadd", register, 4, 6) for register in RESULTS[::2]]) == 8 * 4
    assert cycles_each([made("ddiv", register, 4, 6) for register in RESULTS[::2]], warps=8) == 2 * 8 * 32


SEQUENCE = {"pipes__float_divide_sequence": "2 special + 5 fma + 1 control"}


@pytest.mark.every(3)
@pytest.mark.parametrize("engine", ["python", "native"])
@pytest.mark.parametrize(
    ("others", "cycles"),
    [(["frsqrt"], 16 + 8), (["fma"] * 2, 16), (["fma"] * 9, 10 + 18), (["add"] * 7, 16), (["mov", "fma"] * 6, 10 + 12), (["mov"] * 15, 30)],
)
def test_a_sequence_takes_cycles_of_its_pipes_and_slots_of_its_scheduler(others, cycles, engine):
    """16 cycles of the special functions, 10 of the float pipe and 8 issue slots; what else there is has the rest of each."""
    body = [made("fdiv", 8), *(made(name, register) for name, register in zip(others, RESULTS[1:], strict=False))]
    assert cycles_each(body, warps=32, engine=engine, **SEQUENCE) == pytest.approx(8 * cycles, rel=0.03)


@pytest.mark.parametrize("engine", ["python", "native"])
def test_the_slots_of_a_sequence_are_missing_to_other_instructions(engine):
    """Twelve slots, and eight of four pipes that would take them in eight cycles."""
    body = [made(name, register) for name, register in zip(["fdiv", *["add", "fma"] * 4], RESULTS, strict=False)]
    slots = {"pipes__float_divide_sequence": "1 special + 11 control"}
    assert cycles_each(body, warps=32, engine=engine, **slots) == pytest.approx(8 * 20, rel=0.03)


def test_a_sequence_of_many_slots_leaves_the_other_warps_not_selected():
    """Whatever the pipes take."""
    slots = {"pipes__float_divide_sequence": "1 special + 20 control"}
    assert cycles_each(apart("fdiv"), **slots) == 16 * 21
    code = Assembly()
    for register in RESULTS:
        code(**made("fdiv", register))
    code("exit")
    settings = {"fetch.buffer": 0, "memory.bytes": 1 << 16, "operands.banks": 0} | {n.replace("__", "."): v for n, v in slots.items()}
    counters = GPU("sm", set=settings).run(code.program(threads=256, block=256)).counters
    assert counters["math_pipe_throttle_warp_cycles"] < 100 and counters["dispatch_stall_warp_cycles"] == 0
    assert counters["not_selected_warp_cycles"] > 8 * 16 * 20
    assert sum(value for name, value in counters.items() if name.endswith("_warp_cycles")) == counters["warp_cycles"]


def test_the_float_part_of_a_sequence_is_dealt_out_to_both_halves_of_a_float_pipe():
    """Ten multiply-adds of 2 cycles, and two integer instructions: 12 cycles of either half."""
    sequence = {"pipes__float_divide_sequence": "10 fma + 2 alu"}
    assert cycles_each(apart("fdiv"), **sequence) == 16 * 20
    assert cycles_each(apart("fdiv"), pipes__float_on_integer=True, **sequence) == 16 * 12


@pytest.mark.every(3)
@pytest.mark.parametrize("engine", ["python", "native"])
@pytest.mark.parametrize(
    ("names", "shared", "light"),
    [(["mul"], 2, 2), (["fma"], 1, 1), (["mul", "fma"], 1, 1), (["mul", "add"], 1, 1), (["mul", "mul", "mul", "fma"], 1.5, 1.5)],
)
def test_integers_are_multiplied_in_the_first_half_of_a_float_pipe(names, shared, light, engine):
    """Cycles an instruction of eight warps, of which each scheduler has two: the other half is the integer pipe, or one of its own."""
    half = {"pipes__multiply": "float", "engine": engine}
    assert cycles_each(apart(*names), warps=8, pipes__float_on_integer=True, **half) / 32 == pytest.approx(shared, rel=0.07)
    assert cycles_each(apart(*names), warps=8, pipes__second_float=True, **half) / 32 == pytest.approx(light, rel=0.07)


def test_integer_multiplies_of_a_sequence_need_the_first_half_of_a_float_pipe():
    """Twelve of them and four floats: 24 cycles of one half and 8 of the other."""
    sequence = {"pipes__float_divide_sequence": "12 multiply + 4 fma", "pipes__multiply": "float"}
    assert cycles_each(apart("fdiv"), **sequence) == 16 * 32
    for half in ("float_on_integer", "second_float"):
        assert cycles_each(apart("fdiv"), **{f"pipes__{half}": True}, **sequence) == 16 * 24


def test_halves_have_a_pipe_of_their_own():
    body = [made("fma", register) if register % 2 else made("fadd", register, latency=u.L_HALF) for register in RESULTS]
    assert cycles_each(body, warps=8, pipes__half="half") == pytest.approx(2 * 16, rel=0.04)
    assert cycles_each(body, warps=8, pipes__half="float") == pytest.approx(4 * 16, rel=0.04)


def test_where_one_pipe_takes_all_a_sequence_keeps_it_for_the_sum():
    vector = {"pipes__vector": True, "latency__to_float": 0, "latency__to_integer": 0}
    assert cycles_each(apart("fdiv"), **vector, **SEQUENCE) == 16 * (2 * 8 + 5 * 2)


def test_schedulers_that_issue_in_turns_have_slots_enough():
    """Sixteen cycles of the special functions, in turns of four."""
    assert cycles_each(apart("fdiv"), core__issues_per_turn=2, **SEQUENCE) == 16 * 16


def test_a_pipe_that_a_sequence_does_not_use_stays_free():
    (partitions,) = mirror(np.zeros(1, Partitions))
    partitions.load[u.L_FLOAT_DIVIDE, u.FLOAT] = 10
    partitions.free[1, u.FLOAT] = 55
    loaded = [int(load_pipe(partitions, 1, u.L_FLOAT_DIVIDE, pipe, np.int64(50))) for pipe in range(SLOTS)]
    assert loaded == [10 * (pipe == u.FLOAT) for pipe in range(SLOTS)]
    assert partitions.free[1, u.FLOAT] == 65 and np.count_nonzero(partitions.free) == 1
    partitions.free[1, u.FLOAT] = 7
    load_pipe(partitions, 1, u.L_FLOAT_DIVIDE, u.FLOAT, np.int64(50))
    assert partitions.free[1, u.FLOAT] == 60


@pytest.mark.parametrize(("before", "after"), [(40, 58), (50, 58), (51, 59), (55, 63)])
def test_eight_slots_from_cycle_50_on_come_after_those_that_are_spoken_for(before, after):
    """The first of them is that of cycle 50."""
    (partitions,) = mirror(np.zeros(1, Partitions))
    partitions.load[u.L_FLOAT_DIVIDE, SLOTS] = 7
    partitions.free[1, SLOTS] = before
    take_slot(partitions, 1, np.int64(50))
    assert partitions.free[1, SLOTS] == before + (before > 50)
    load_pipe(partitions, 1, u.L_FLOAT_DIVIDE, SLOTS, np.int64(50))
    assert partitions.free[1, SLOTS] == after


def test_a_sequence_is_an_event_of_each_of_its_pipes():
    code = Assembly()
    code(**made("fdiv", 8))
    code("exit")
    result = GPU("sm", set={"memory.bytes": 1 << 16}, engine="python").run(code.program(threads=32, block=32), tracing=True)
    rows, names = result.detail.events, pipe_names(load_config("sm"))
    entered = {names[row["pipe"]]: row["until"] - row["time"] for row in e.of_kind(rows, e.PIPE) if row["pc"] == 0}
    assert entered == {"special 0": 16, "float 0": 10}


@pytest.mark.parametrize(("gpu", "latency", "interval"), [("v100", 6, 2), ("a100", 5, 1), ("a40", 5, 2), ("h100", 5, 1)])
def test_halves_are_a_class_of_their_own(gpu, latency, interval):
    """A result for half of what the CUDA Programming Guide says of pairs."""
    halves = [made("fadd", register, latency=u.L_HALF) for register in RESULTS]
    assert cycles_each([made("fadd", 8, 8, latency=u.L_HALF)], gpu=gpu) == latency
    assert cycles_each(halves, gpu=gpu) == 16 * interval


@pytest.mark.parametrize("gpu", ["v100", "a100", "a40", "h100"])
def test_comparisons_of_floats_and_conversions_of_doubles_have_rates_of_their_own(gpu):
    """CUDA Programming Guide, arithmetic throughput: 64 results of a minimum; 16 of a conversion from 64 bits, 2 on 8.6."""
    assert cycles_each(apart("fmin"), gpu=gpu) == 16 * 2
    assert cycles_each([made("d2f", register, 4) for register in RESULTS], gpu=gpu) == 16 * (64 if gpu == "a40" else 8)


def test_a_result_takes_longer_to_another_pipe():
    pair = [made("fma", 8, 8), made("add", 8, 8)]
    assert cycles_each(pair) == 5 + 5
    assert cycles_each(pair, latency__to_integer=3, latency__to_float=0) == 7 + 4
    assert cycles_each([made("mul", 8, 8), made("fma", 8, 8)]) == 4 + 4  # a multiply is of the float pipe


def test_warps_of_other_schedulers_have_pipes_of_their_own():
    assert cycles_each(apart("frcp"), warps=4) == cycles_each(apart("frcp"), warps=1) == 128
    assert cycles_each(apart("frcp"), warps=8) == 256


def test_a_float_pipe_whose_other_half_is_the_integer_pipe():
    """GA10x: floats alone reach one a cycle; with integers both together do."""
    half = {"pipes__float_on_integer": True}
    assert 4 * 16 / cycles_each(apart("fma"), warps=4, **half) == 4.0
    assert 4 * 16 / cycles_each(apart("add"), warps=4, **half) == 2.0
    assert 16 * 16 / cycles_each(apart("add", "fma"), warps=16, **half) == 4.0


@pytest.mark.parametrize(
    ("gpu", "engine"), [("v100", "python"), ("v100", "native"), ("a100", "native"), ("a40", "native"), ("h100", "native")]
)
def test_shuffles_go_the_way_to_shared_memory(gpu, engine):
    """32 results a cycle and multiprocessor: CUDA Programming Guide, arithmetic throughput, 7.0 to 9.0."""
    shuffles = [made("shuffle_down", register, number % 8) for number, register in enumerate(RESULTS)]
    assert cycles_each(shuffles, warps=1, engine=engine, gpu=gpu) == 16 * 4
    assert cycles_each(shuffles, warps=16, engine=engine, gpu=gpu) == 16 * 16
    assert cycles_each(shuffles, gpu=gpu, pipes__shuffle="integer", pipes__shuffle_interval=0) == 16 * 2


def test_shared_memory_takes_one_shuffle_a_cycle_however_fast_they_are_sent():
    shuffles = [made("shuffle_down", register, number % 8) for number, register in enumerate(RESULTS)]
    assert cycles_each(shuffles, warps=16, pipes__shuffle_interval=1) == 16 * 16


def test_a_warp_waits_for_a_shuffle_as_for_shared_memory_and_for_room_as_mio_throttle():
    code = Assembly()
    for register in RESULTS:
        code(**made("shuffle_down", register))
    code(**made("add", RESULTS[0], RESULTS[-1]))
    code("exit")
    counters = GPU("sm", set={"fetch.buffer": 0, "memory.bytes": 1 << 16}).run(code.program(threads=256, block=256)).counters
    assert counters["mio_throttle_warp_cycles"] > 100 and counters["short_scoreboard_warp_cycles"] > 8 * 20
    assert counters["math_pipe_throttle_warp_cycles"] == 0
    assert sum(value for name, value in counters.items() if name.endswith("_warp_cycles")) == counters["warp_cycles"]


def test_an_interval_counts_where_lanes_do_not():
    assert cycles_each(apart("frsqrt"), pipes__special_interval=5) == 16 * 5


def test_the_way_to_the_load_store_unit_takes_a_queue_at_once_and_then_one_in_four_cycles():
    """Five wait; one leaves every four cycles, the first of them in time for the sixth."""
    code = Assembly()
    for register in RESULTS[:9]:
        code.load(register, FREE, space=u.SHARED_SPACE)
    code("exit")
    program = code.program(threads=32, block=32, shared_bytes=256)
    result = GPU("sm", set={"fetch.buffer": 0, "memory.bytes": 1 << 16}, engine="python").run(program, tracing=True)
    times = [time for time, _, _, _ in issues(result)][:9]
    assert np.diff(times).tolist() == [1, 1, 1, 1, 1, 3, 4, 4]


def test_a_full_pipe_is_math_pipe_throttle_and_every_cycle_has_one_reason():
    code = Assembly()
    for register in RESULTS[:4]:
        code(**made("frsqrt", register))
    code("exit")
    machine = PipelineMachine(load_config("sm", {"memory.bytes": 1 << 16, "fetch.buffer": 0}), code.program(threads=256, block=256))
    drive(machine, engine="python", max_cycles=1000)
    counters = machine.finish(drive(machine, engine="python", max_cycles=1)).counters
    assert counters["math_pipe_throttle_warp_cycles"] > 0
    assert sum(value for name, value in counters.items() if name.endswith("_warp_cycles")) == counters["warp_cycles"]


def test_pipes_have_names_and_events_name_them():
    names = pipe_names(load_config("sm"))
    assert list(names.values())[:5] == ["integer 0", "float 0", "double 0", "special 0", "half 0"]
    assert list(pipe_names(load_config("guppy", {"alu.count": 2})).values()) == ["ALU 0", "ALU 1"]


def test_an_event_names_the_pipe_of_the_warps_own_scheduler_and_its_kind():
    """Sixteen warps of four schedulers, each with an integer and a float operation."""
    code = Assembly()
    code(**made("add", RESULTS[0]))
    code(**made("fma", RESULTS[1]))
    code("exit")
    result = GPU("sm", set={"memory.bytes": 1 << 16}, engine="python").run(code.program(threads=512, block=512), tracing=True)
    rows, names = result.detail.events, pipe_names(load_config("sm"))
    entered = {(warp, pc): names[pipe] for warp, pc, pipe in e.of_kind(rows, e.PIPE)[["warp", "pc", "pipe"]].tolist()}
    assert entered == {(warp, pc): f"{kind} {warp % 4}" for warp in range(16) for pc, kind in enumerate(("integer", "float"))}


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"alu.width": 32}, "alu.width has no effect here: .* set pipes.integer_lanes and pipes.float_lanes, or pipes.owner=core"),
        ({"alu.count": 2}, "alu.count has no effect here: .* set pipes.owner=core"),
        (
            {"pipes.divide_sequence": "3 of everything"},
            "pipes.divide_sequence = '3 of everything': a part is a number from 1 to 1000 and one of",
        ),
        ({"pipes.divide_sequence": "0 fma"}, "a part is a number from 1 to 1000 and one of alu, multiply"),
        ({"pipes.divide_sequence": "2 float_divide"}, "a part is a number .*as in '1 special [+] 4 fma'"),
        ({"pipes.divide_sequence": 7}, "pipes.divide_sequence = 7: it takes count class"),
        ({"pipes.owner": "core", "pipes.float_lanes": 8}, "pipes.float_lanes has no effect here: .* set pipes.owner=scheduler"),
    ],
)
def test_a_setting_of_the_other_kind_is_refused(settings, said):
    with pytest.raises(ConfigError, match=said):
        load_config("sm", settings)


def test_the_shared_pool_is_what_it_was():
    assert load_config("sm", {"pipes.owner": "core", "alu.width": 32})["alu.width"] == 32
    assert 16 / cycles_each(apart("fma"), pipes__owner="core") == 1.0


def test_each_instruction_that_enters_a_pipe_is_counted_once():
    (partitions,) = mirror(np.zeros(1, Partitions))
    for port in (u.ALU, u.ALU, u.MEMORY, u.SHARED, u.FLOAT):
        enter(partitions, 1, port, 2, np.int64(50))
    taken = partitions.taken[1].tolist()
    assert (taken[u.ALU], taken[u.MEMORY], taken[u.FLOAT], sum(taken)) == (2, 2, 1, 5)
    assert partitions.taken.sum() == 5


@pytest.mark.parametrize("shared_pipe", [0, 1])
def test_the_next_entry_is_when_the_first_full_port_has_room(shared_pipe):
    """Port p is full until 100 + 10 p, for 3 cycles less where a queue holds as many; a float goes into the integer pipe too, if it may."""
    (partitions,) = mirror(np.zeros(1, Partitions))
    partitions.other_half = np.uint64(shared_pipe << u.ALU)
    partitions.free[1, :SLOTS] = [100 + 10 * port for port in range(SLOTS)]
    partitions.free[0] = 1
    partitions.room[u.MEMORY] = 3
    entry = {port: 100 + 10 * port for port in range(SLOTS)}
    entry[u.MEMORY] -= 3
    entry[u.SHARED] = entry[u.MEMORY]
    entry[u.HEAVY] = entry[u.FLOAT]
    if shared_pipe:
        entry[u.FLOAT] = min(entry[u.FLOAT], entry[u.ALU])
    for full in (
        (),
        (u.ALU,),
        (u.FLOAT,),
        (u.HEAVY,),
        (u.SPECIAL,),
        (u.MEMORY,),
        (u.SHARED,),
        (u.SPECIAL, u.MEMORY),
        tuple(range(SLOTS)),
    ):
        assert next_entry(partitions, 1, np.uint64(sum(1 << port for port in full))) == min((entry[port] for port in full), default=FOREVER)


@pytest.mark.parametrize("before", [49, 50, 51, 60])
@pytest.mark.parametrize("half", [None, u.ALU, u.LIGHT], ids=["one", "integer", "light"])
@pytest.mark.parametrize("port", range(SLOTS))
def test_an_instruction_keeps_the_entry_of_its_pipe_once_that_is_free(port, half, before):
    """In cycle 50. A float goes into the other half of its pipe where there is one, and the first is not free. A multiply does not."""
    if port == u.HEAVY and half is None:
        pytest.skip("nothing is issued there")
    (partitions,) = mirror(np.zeros(1, Partitions))
    partitions.other_half = np.uint64(0 if half is None else 1 << half)
    for kind in range(SLOTS):
        partitions.free[1, kind] = before + (kind != port)
    if port == u.HEAVY:
        partitions.free[1, u.FLOAT] = before
    pipe = {u.SHARED: u.MEMORY, u.HEAVY: u.FLOAT}.get(port, port)
    if port == u.FLOAT and half is not None and before > 50:
        pipe = half
    expected = partitions.free.tolist()
    expected[1][pipe] = max(expected[1][pipe], 50) + 4
    assert enter(partitions, 1, port, 4, np.int64(50)) == pipe
    assert partitions.free.tolist() == expected
    assert partitions.taken[1, pipe] == partitions.taken.sum() == 1


@pytest.mark.parametrize("half", [None, u.ALU, u.LIGHT], ids=["one", "integer", "light"])
@pytest.mark.parametrize("seed", range(6))
def test_a_port_is_full_until_its_queue_has_room(seed, half):
    """Against the times themselves."""
    source = random.Random(seed)
    (partitions,) = mirror(np.zeros(1, Partitions))
    partitions.other_half = np.uint64(0 if half is None else 1 << half)
    partitions.room[u.MEMORY], partitions.room[u.SPECIAL] = 3, source.randint(0, 5)
    free = [0] * SLOTS

    def full_ports(now):
        entries = {port for port, at in enumerate(free) if at - int(partitions.room[port]) > now}
        full = entries | ({u.SHARED} if u.MEMORY in entries else set())
        if half is not None:
            full |= {u.HEAVY} if u.FLOAT in entries else set()
            full -= {u.FLOAT} if half not in entries else set()
        return sum(1 << port for port in full)

    for now in range(1, 120):
        find_full_ports(partitions, 1, np.int64(now))
        assert partitions.full[1] == full_ports(now), now
        for _ in range(source.choice((0, 0, 0, 1, 1, 2))):
            port = source.choice([u.ALU, u.FLOAT, u.SPECIAL, u.MEMORY, u.SHARED, *([] if half is None else [u.HEAVY])])
            cycles = source.choice((1, 2, 4, 9))
            pipe = int(enter(partitions, 1, port, cycles, np.int64(now)))
            free[pipe] = max(free[pipe], now) + cycles
    assert not partitions.full[0]
