"""Warps that a program starts itself: what a barrier of some of them orders, what a start and an end do, and what nothing orders."""

import re

import pytest

from tests.isa.vortex.programs import program
from warploom.checks.check import run_checked
from warploom.machine.config.presets import load_config

BOTH = pytest.mark.parametrize("number", [2022, 2024])
BASE = {2022: "li t3, 0x7ffff000", 2024: "csrr t3, mscratch"}
WARP = {2022: "local_warp_id", 2024: "warp_id"}
ALL = 0x80000000  # of a barrier across cores

# What a warp does, with one lane. W0, R0: writes, reads word 0 of `out`. B1,2: comes to barrier 1, for two warps. D50: 50 rounds of a loop.
# T0, M0: tells others, meets them, by an atomic on word 0 with a fence before it, or after it; m0: without. L0, l0: meets them by a load,
# with a fence after it, and without. S0, s0: tells others by a store, with a fence before it, and without.
# F0: a fence.
STEPS = {
    "W": "sw s3, {byte}(t2)",
    "R": "lw t5, {byte}(t2)",
    "B": "li t0, {0}\nli t1, {1}\nvx_bar t0, t1",
    "D": "li t4, {0}\n{at}: addi t4, t4, -1\nbnez t4, {at}",
    "T": "addi t5, t2, {byte}\nli t4, 1\namoswap.w.rl t4, t4, (t5)",
    "M": "addi t5, t2, {byte}\n{at}: li t4, 0\namoor.w.aq t4, t4, (t5)\nbeqz t4, {at}",
    "L": "{at}: lw t4, {byte}(t2)\nadd t6, t4, zero\nfence r, rw\nbeqz t6, {at}",
    "S": "fence rw, w\naddi t4, zero, 1\nsw t4, {byte}(t2)",
    "F": "fence rw, rw",
    "s": "addi t4, zero, 1\nsw t4, {byte}(t2)",
    "l": "{at}: lw t4, {byte}(t2)\nbeqz t4, {at}",
    "m": "addi t5, t2, {byte}\n{at}: li t4, 0\namoor.w t4, t4, (t5)\nbeqz t4, {at}",
}


def steps(text, name="step"):
    """Assembly of a row of steps."""
    found = []
    for number, step in enumerate(text.split()):
        given = [int(value) for value in step[1:].split(",")]
        found.append(STEPS[step[0]].format(*given, byte=4 * given[0], at=f"{name}_{number}"))
    return "\n".join(found)


def of_warps(number, *warps):
    """A program in which each warp of each core has steps of its own; by core where they are lists."""
    cores = warps if isinstance(warps[0], (list, tuple)) else [warps]
    core = "csrr s4, core_id" if len(cores) > 1 else "li s4, 0"
    text = [f"li t0, {len(cores[0])}", "la t1, begin", "vx_wspawn t0, t1", "begin:", BASE[number], "lw t2, 0(t3)", core]
    text += [f"csrr s3, {WARP[number]}", "slli s4, s4, 4", "or s3, s3, s4"]
    rows = [(16 * core + warp, row) for core, rows in enumerate(cores) for warp, row in enumerate(rows)]
    text += [f"li t0, {place}\nbeq s3, t0, warp_{place}" for place, _ in rows]
    text += [f"warp_{place}:\n{steps(row, f'step_{place}')}\nvx_tmc zero" for place, row in rows]
    return "\n".join(text)


def races(text, number=2024, engine="python", **settings):
    """The pairs of threads that are in a race, by the warps of their core."""
    config = load_config(
        f"vortex-{number}",
        {"core.warps": 4, "core.lanes": 4, "core.barriers": 4} | {key.replace("__", "."): value for key, value in settings.items()},
    )
    report = run_checked(config, program(text, number), engine=engine, schedule=False)
    assert report.complete, report.result.fault
    assert {one.kind for one in report.findings} <= {"race"}
    return sorted(tuple(sorted(int(re.sub(r"\D", "", thread)) // 4 for thread in one.threads)) for one in report.findings)


CASES = {
    "a barrier": (["W0 B1,2", "B1,2 R0", "", ""], []),
    "a barrier, from the last to the first": (["B1,2 R0", "D50 W0 B1,2", "", ""], []),
    "a barrier of all": (["W0 B1,4 R1", "W1 B1,4 R2", "W2 B1,4 R3", "W3 B1,4 R0"], []),
    "one arrival": (["W0 B1,2", "D200 B1,2", "D50 R0", ""], [(0, 2)]),
    "one arrival, of the one who reads": (["D50 W0", "", "B1,2 R0", "B1,2"], [(0, 2)]),
    "a barrier of others": (["W0 B1,2", "B1,2", "D100 R0", ""], [(0, 2)]),
    "two groups": (["W0 B1,2", "B1,2 R0", "W1 B2,2 D100 R0", "B2,2 R1"], [(0, 2)]),
    "two groups, each with a barrier of its own before": (["W0 B1,2", "B1,2", "B2,2", "D100 B2,2 R0"], [(0, 3)]),
    "over a third": (["W0 B1,2", "B1,2 B2,2", "D100 B2,2 R0", ""], []),
    "over a third and a fourth": (["W0 B1,2", "B1,2 B2,2", "B2,2 B3,2", "D200 B3,2 R0"], []),
    "over a third, in the wrong order": (["W0 B1,2", "B2,2 B1,2", "B2,2 D200 R0", ""], [(0, 2)]),
    "what comes after the barrier": (["B1,2 W0", "B1,2 D100 R0", "", ""], [(0, 1)]),
    "twice the same barrier": (["W0 B1,2 B1,2 R1", "B1,2 R0 W1 B1,2", "", ""], []),
    "one number, others each time": (["W0 B1,2", "B1,2 D100 B1,2", "D200 B1,2 R0", ""], []),
    "nobody is waited for": (["W0 B1,1", "D100 B1,1 R0", "B0,0", "B0,0"], [(0, 1)]),
    "an end": (["D100 R0", "W0", "", ""], [(0, 1)]),
    "readers, one in order and one not": (["D100 B1,2 W0", "R0 B1,2", "R0", ""], [(0, 2)]),
}  # fmt: skip
TOLD = {
    "told": (["W0 T1", "M1 R0", "", ""], []),
    "met without a fence": (["W0 T1", "m1 R0", "", ""], [(0, 1)]),
    "met by a load": (["W0 T1", "L1 R0", "", ""], []),
    "met by a load, whoever comes first": (["W0 T1 L2", "T2 L1 R0", "", ""], []),
    "met by a load that acquires nothing": (["W0 T1", "l1", "", ""], [(0, 1)]),
    "told by a store": (["W0 S1", "L1 R0", "", ""], []),
    "told by a store, and met by an atomic": (["W0 S1", "M1 R0", "", ""], []),
    "told by a store that releases nothing": (["W0 s1", "L1", "", ""], [(0, 1)]),
    "what comes after the store": (["S1 W0", "L1 D20 R0", "", ""], [(0, 1)]),
    "a store meets nothing": (["W0 T1", "D100 S1 F0 R0", "D9 M1", ""], [(0, 1)]),
    "a load tells nothing": (["T1", "W0 L1 L1", "D200 M1 R0", ""], [(1, 2)]),
    "told what a barrier has told": (["W0 B1,2", "B1,2 T1", "M1 R0", ""], []),
    "told before the barrier": (["D20 W0 B1,2", "T1 B1,2", "M1 D100 R0", ""], [(0, 2)]),
    "a barrier tells what was met": (["W0 T1", "M1 B1,2", "B1,2 R0", ""], []),
    "a barrier is a fence": (["W0 T1", "m1 B1,2", "B1,2 R0", ""], []),
    "a barrier of others tells nothing": (["W0 T1", "M1 B1,1", "D200 B2,2 R0", "B2,2"], [(0, 2)]),
    "told once, and then often by one who knows less": (["W0 B1,2", "B1,2 T1 T1", "D90 T1 D9 T1 T1 T1 T1 T1", "D200 M1 R0"], []),
}  # fmt: skip
ACROSS = f"B{ALL},2"
OF_CORES = {
    "across cores": ([["W0 " + ACROSS, ACROSS + " R1"], ["W1 " + ACROSS, ACROSS + " R0"]], []),
    "one core has come": ([["W0 " + ACROSS, "D50 R0 D200 " + ACROSS], [ACROSS, ACROSS]], [(0, 1)]),
    "one warp of the other has come": ([["W0 " + ACROSS, ACROSS], ["D50 R0 D200 " + ACROSS, ACROSS]], [(0, 4)]),
}
TOLD_ACROSS = {
    "told across cores by the barriers of each": ([["W0 B1,2", "B1,2 T1"], ["M1 B1,2", "B1,2 R0"]], []),
    "told across cores before the barrier": ([["D50 W0 B1,2", "T1 B1,2"], ["M1 D200 B1,2", "B1,2 R0"]], [(0, 5)]),
}


@pytest.mark.every(3)
@BOTH
@pytest.mark.parametrize("case", CASES)
def test_barriers(case, number):
    warps, wanted = CASES[case]
    assert races(of_warps(number, *warps), number) == wanted


@pytest.mark.parametrize("case", TOLD_ACROSS)
def test_atomics_across_cores(case):
    cores, wanted = TOLD_ACROSS[case]
    assert races(of_warps(2024, *cores), gpu__cores=2) == wanted


@pytest.mark.parametrize("case", TOLD)
def test_barriers_beside_atomics(case):
    warps, wanted = TOLD[case]
    assert races(of_warps(2024, *warps)) == wanted


@BOTH
@pytest.mark.parametrize("case", OF_CORES)
def test_barriers_across_cores(case, number):
    cores, wanted = OF_CORES[case]
    assert races(of_warps(number, *cores), number, gpu__cores=2) == wanted


def test_both_engines_find_the_same():
    for warps, _ in (CASES | TOLD).values():
        text = of_warps(2024, *warps)
        assert races(text, engine="native") == races(text)
    for cores, _ in (OF_CORES | TOLD_ACROSS).values():
        text = of_warps(2024, *cores)
        assert races(text, engine="native", gpu__cores=2) == races(text, gpu__cores=2)


# Warp 0 writes word 0 and starts the others, each of which reads that and writes a word of its own.
ROUNDS = """
    BASE
    lw t2, 0(t3)
    csrr s3, WARP
    WRITE
    li t0, 4
    la t1, others
    vx_wspawn t0, t1
    UNTIL
    READ
    li t0, 4
    la t1, again
    vx_wspawn t0, t1
    vx_tmc zero
others:
    BASE
    lw t2, 0(t3)
    csrr s3, WARP
    slli s5, s3, 2
    add s5, s5, t2
    lw t5, 0(t2)
    DELAY
    sw s3, 0(s5)
    vx_tmc zero
again:
    BASE
    lw t2, 0(t3)
    AGAIN
    vx_tmc zero
"""
ALONE = {2022: steps("D300", "wait") + "\nli t0, 1\nvx_wspawn t0, zero", 2024: "li t0, 1\nvx_wspawn t0, zero"}
POLL = "li t4, 1\npoll: csrr t0, active_warps\nbne t0, t4, poll"


def rounds(number, **parts):
    text = ROUNDS.replace("DELAY", steps("D40", "delay"))
    for name, part in {"UNTIL": "", "READ": "", "AGAIN": "", "BASE": BASE[number], "WARP": WARP[number], **parts}.items():
        text = text.replace(name, part)
    return text


@BOTH
def test_a_start_tells_and_learns(number):
    """Who is started knows what the one did that starts it; that one knows what those did that have ended, and so does the next round."""
    text = rounds(number, WRITE=steps("W0"), UNTIL=ALONE[number], READ=steps("R1 R2 R3"), AGAIN=steps("R0 R1 R2 R3"))
    assert races(text, number) == []


@BOTH
def test_the_next_round_knows_the_one_before(number):
    text = rounds(number, WRITE="", UNTIL=steps("D300", "wait"), AGAIN=steps("R1 R2 R3"))
    assert races(text, number) == []


@BOTH
def test_a_start_orders_nothing_after_it(number):
    """Warp 0 writes what the others read, and reads what they have written, without knowing that they have ended."""
    text = rounds(number, WRITE="", UNTIL=steps("D300", "wait"), READ=steps("R1 W0"))
    assert races(text, number) == [(0, 1), (0, 3)]


def test_who_reads_that_warps_have_ended_knows_what_they_did():
    text = rounds(2024, WRITE=steps("W0"), UNTIL=POLL, READ=steps("R1 R2 R3"))
    assert races(text) == []
    asks = "poll: csrr t0, active_warps\n" + steps("D300", "wait")
    assert races(rounds(2024, WRITE=steps("W0"), UNTIL=asks, READ=steps("R1"))) == [(0, 1)]


# Two warps of all lanes: s2 the lane, s3 the warp, s5 the lane's word.
BEGIN = """
    li t0, 2
    la t1, begin
    vx_wspawn t0, t1
begin:
    li t0, -1
    vx_tmc t0
    csrr t3, mscratch
    lw t2, 0(t3)
    csrr s2, thread_id
    csrr s3, warp_id
    slli s5, s2, 2
    add s5, s5, t2
"""

# Lanes of the first warp come to the barrier one half after the other, and each writes before.
APART = (
    BEGIN
    + """    li t0, 1
    li t1, 2
    bnez s3, second
    andi t4, s2, 1
    beqz t4, meet
    DELAY
meet:
    sw s3, 0(s5)
    vx_bar t0, t1
    vx_tmc zero
second:
    vx_bar t0, t1
    lw t5, 0(s5)
    vx_tmc zero
"""
)


@pytest.mark.parametrize("mechanism", ["stack", "minpc", "its"])
def test_lanes_that_come_one_after_the_other(mechanism):
    text = APART.replace("DELAY", steps("D60", "delay"))
    assert races(text, core__divergence=mechanism) == []


IN_STEP = (
    BEGIN
    + """    li t6, 1
    bnez s3, second
    sw s2, 0(s5)
    vx_tmc t6
    TELL
    vx_tmc zero
second:
    vx_tmc t6
    MEET
    li t0, -1
    vx_tmc t0
    lw t5, 0(s5)
    vx_tmc zero
"""
)


@pytest.mark.parametrize(("meet", "wanted"), [("M8", []), ("m8", [(0, 1)])])
def test_one_lane_tells_and_acquires_for_its_warp(meet, wanted):
    text = IN_STEP.replace("TELL", steps("T8", "tell")).replace("MEET", steps(meet, "meet"))
    assert races(text) == wanted
