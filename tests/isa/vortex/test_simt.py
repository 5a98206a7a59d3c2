"""Vortex's instructions, in both generations and under every mechanism that can run them."""

import numpy as np
import pytest

from tests.isa.vortex.programs import END, START, run
from warploom.isa.diagnostics import SourceError
from warploom.isa.vortex.generation import GENERATIONS
from warploom.isa.vortex.table import table

BOTH = pytest.mark.parametrize("number", [2022, 2024])
MECHANISMS = pytest.mark.parametrize("mechanism", ["masks", "stack", "minpc", "its"])
ENGINES = pytest.mark.parametrize("engine", ["python", "native"])
SPLIT = {2022: ("vx_split t4", "vx_join"), 2024: ("vx_split t5, t4", "vx_join t5")}


def split(number, condition="t4", height="t5"):
    return f"vx_split {condition}" if number < 2023 else f"vx_split {height}, {condition}"


def join(number, height="t5"):
    return "vx_join" if number < 2023 else f"vx_join {height}"


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (2022, {"vx_tmc a0": 0x0005006B, "vx_pred a0": 0x0015006B, "vx_wspawn a0, a1": 0x00B5106B, "vx_split a0": 0x0005206B,
                "vx_join": 0x0000306B, "vx_bar a0, a1": 0x00B5406B}),
        (2024, {"vx_tmc a0": 0x0005000B, "vx_wspawn a0, a1": 0x00B5100B, "vx_split a5, a0": 0x0005278B, "vx_split_n a5, a0": 0x0015278B,
                "vx_join a5": 0x0007B00B, "vx_bar a0, a1": 0x00B5400B, "vx_pred a0, a1": 0x00B5500B, "vx_pred_n a0, a1": 0x00B5508B}),
    ],
)  # fmt: skip
def test_words_are_those_that_three_assemblers_give(number, words):
    from tests.isa.vortex.programs import program

    built = program("\n".join(words), number)
    assert list(built.text) == list(words)
    assert [int(word) & 0xFFFFFFFF for word in built.code[:, 4]] == list(words.values())


@pytest.mark.parametrize("number", GENERATIONS)
def test_no_two_encodings_overlap(number):
    rows = table(number).rows
    for index, one in enumerate(rows):
        for other in rows[:index]:
            common = one.encoding.mask & other.encoding.mask
            apart = (one.encoding.match ^ other.encoding.match) & common
            assert apart or one.excluded or other.excluded or one.size != other.size, (one.mnemonic, other.mnemonic)


@MECHANISMS
@BOTH
def test_both_sides_of_a_split_run_and_join(number, mechanism):
    out, result = run(
        f"""
        andi t4, s0, 1
        {split(number)}
        beqz t4, even
        addi s0, s0, 100
        j done
    even:
        addi s0, s0, 200
    done:
        {join(number)}
        sw s0, 0(s1)
        """,
        number,
        core__divergence=mechanism,
        gpu__cores=2,
    )
    assert result.status == "done"
    assert out[:32].tolist() == [thread + (100 if thread % 2 else 200) for thread in range(32)]


NESTED = """
    li s4, 0
    andi t4, s2, 1
    {split}
    beqz t4, a
    addi s4, s4, 1
    slti t6, s2, 2
    {inner}
    beqz t6, b
    addi s4, s4, 10
b:  {unnest}
    j c
a:  addi s4, s4, 100
c:  {join}
    sw s4, 0(s1)
"""


@ENGINES
@BOTH
def test_splits_nest(number, engine):
    body = NESTED.format(split=split(number), inner=split(number, "t6", "s5"), unnest=join(number, "s5"), join=join(number))
    out, result = run(body, number, engine=engine)
    assert out[:4].tolist() == [100, 11, 100, 1]
    assert result.counters["stack_peak"] == 4


def test_the_larger_side_runs_first_from_2023_on_and_the_chosen_one_before():
    body = """
        slti t4, s2, 1
        {split}
        beqz t4, others
        csrr s4, minstret
        j done
    others:
        csrr s4, minstret
    done:
        {join}
        sw s4, 0(s1)
    """
    new, _ = run(body.format(split=split(2024), join=join(2024)), 2024)
    old, _ = run(body.format(split=split(2022), join=join(2022)), 2022)
    assert new[0] > new[1]
    assert old[0] < old[1]


def test_a_split_on_which_all_agree_leaves_nothing_on_the_stack_from_2023_on():
    body = "li t4, 1\n{split}\nbeqz t4, done\nsw t4, 0(s1)\ndone: {join}\n"
    assert run(body.format(split=split(2024), join=join(2024)), 2024)[1].counters["stack_peak"] == 0
    assert run(body.format(split=split(2022), join=join(2022)), 2022)[1].counters["stack_peak"] == 1


@MECHANISMS
@BOTH
def test_tmc_switches_lanes_off_and_on(number, mechanism):
    out, _ = run(
        "li t0, -1\nli t4, 5\nvx_tmc t4\nli t5, 7\nsw t5, 0(s1)\nvx_tmc t0\nlw t5, 0(s1)\naddi t5, t5, 1\nsw t5, 0(s1)\n",
        number,
        core__divergence=mechanism,
        core__warps=1,
    )
    assert out[:4].tolist() == [8, 1, 8, 1]


def test_the_leader_is_the_lowest_active_lane_until_2022_and_the_highest_later():
    body = "addi t4, s2, 1\nvx_tmc t4\nli t5, 1\nsw t5, 0(s1)\n"  # lane l asks for the mask l + 1
    assert run(body, 2022, core__warps=1)[0][:4].tolist() == [1, 0, 0, 0]
    assert run(body, 2024, core__warps=1)[0][:4].tolist() == [0, 0, 1, 0]


def test_pred_ends_a_loop():
    loop = "li s4, 0\nli s5, -1\nloop: addi s4, s4, 1\nslt t4, s4, s2\n{pred}\nbnez t4, loop\n"
    out, _ = run(loop.format(pred="vx_pred t4, s5") + "sw s4, 0(s1)\n", 2024, core__warps=1)
    assert out[:4].tolist() == [1, 1, 2, 3]
    kept, _ = run(loop.format(pred="vx_pred t4") + "sw s4, 0(s1)\n", 2022, core__warps=1)
    assert kept[:4].tolist() == [0, 0, 0, 3]  # the last lanes stay alone: nothing restores the mask


@pytest.mark.parametrize("engine", ["python", "native"])
def test_a_pred_after_which_no_lane_is_left_ends_the_warp(engine):
    body = "li t4, 0\nli t5, 7\nsw t5, 0(s1)\nvx_pred t4, t4\nsw s0, 0(s1)\n"
    out, result = run(body, 2024, core__warps=2, engine=engine)
    assert result.status == "done" and out[:8].tolist() == 8 * [7]


@pytest.mark.every(3)
@MECHANISMS
@BOTH
@pytest.mark.parametrize("warps", [2, 4, 7])
def test_warps_wait_for_each_other_at_a_barrier(number, mechanism, warps):
    """Warp w waits for w * 8 turns of a loop, then all read what the last one has written before the barrier."""
    out, _ = run(
        """
        slli t4, s3, 3
    spin:
        beqz t4, over
        addi t4, t4, -1
        j spin
    over:
        sw s0, 0(s1)
        li a0, 0
        csrr a1, num_warps
        vx_bar a0, a1
        csrr t5, num_warps
        csrr t4, num_threads
        mul t5, t5, t4
        sub t5, t5, s0
        addi t5, t5, -1
        slli t5, t5, 2
        add t5, t5, t2
        lw t5, 0(t5)
        sw t5, 512(s1)
        """,
        number,
        core__divergence=mechanism,
        core__warps=warps,
    )
    threads = 4 * warps
    assert out[128 : 128 + threads].tolist() == list(range(threads - 1, -1, -1))


@BOTH
@pytest.mark.parametrize("cores", [2, 5])
def test_a_barrier_with_its_highest_bit_is_across_cores(number, cores):
    out, result = run(
        f"""
        csrr t6, core_id
        slli t4, t6, 5
    spin:
        addi t4, t4, -1
        bgez t4, spin
        sw s0, 0(s1)
        li a0, 0x80000001
        csrr a1, num_cores
        vx_bar a0, a1
        li t4, {16 * cores - 1}
        sub t4, t4, s0
        slli t4, t4, 2
        add t4, t4, t2
        lw t4, 0(t4)
        sw t4, 512(s1)
        """,
        number,
        gpu__cores=cores,
        l1__bytes=0,
    )
    assert result.status == "done", result.fault
    assert out[128 : 128 + 16 * cores].tolist() == list(range(16 * cores - 1, -1, -1))


def test_wspawn_of_2023_waits_for_the_warps_before():
    """Two rounds of warps: the second finds what the first has left. Warp 0 goes on when it is alone."""
    text = """
        csrr t0, num_warps
        la t1, first
        vx_wspawn t0, t1
        csrr t0, num_warps
        la t1, second
        vx_wspawn t0, t1
        li t0, 1
        vx_wspawn t0, zero
        csrr t3, mscratch
        lw t2, 0(t3)
        csrr t4, active_warps
        sw t4, 0(t2)
        vx_tmc zero
    first:
        call place
        li t4, 40
    wait:
        addi t4, t4, -1
        bnez t4, wait
        li t4, 7
        sw t4, 0(t2)
        vx_tmc zero
    second:
        call place
        lw t4, 0(t2)
        addi t4, t4, 1
        sw t4, 0(t2)
        vx_tmc zero
    place:
        csrr t3, mscratch
        lw t2, 0(t3)
        csrr t3, warp_id
        slli t3, t3, 2
        add t2, t2, t3
        ret
    """
    out, result = run(text, whole=True)
    assert result.status == "done"
    assert out[:5].tolist() == [1, 8, 8, 8, 0]


def test_a_spawned_warp_is_named_by_its_slot():
    """Warp 2 of three reads a word that is not aligned."""
    text = """
        li t0, 3
        la t1, other
        vx_wspawn t0, t1
        vx_tmc zero
    other:
        csrr t3, warp_id
        addi t3, t3, -2
        bnez t3, end
        lw t2, 2(zero)
    end:
        vx_tmc zero
    """
    _, result = run(text, whole=True)
    assert result.status == "error" and "warp 2, lane 0, core 0" in result.fault


def test_wspawn_until_2022_takes_running_warps_where_it_says():
    text = START[2022] + "sw s0, 0(s1)\nbnez s3, spin\nli t0, 2\nla t1, other\nvx_wspawn t0, t1\n" + END
    text += "spin: j spin\nother: sw zero, 128(s1)\nli t4, 9\nsw t4, 0(s1)\n" + END
    out, result = run(text, 2022, whole=True)
    assert result.status == "done"  # warp 1 leaves its loop; warps 2 and 3 are switched off in it
    assert out[:12].tolist() == [0, 1, 2, 3, 9, 9, 9, 9, 8, 9, 10, 11]


@ENGINES
@pytest.mark.parametrize("mechanism", ["masks", "stack", "minpc", "its"])
@pytest.mark.parametrize(("count", "left"), [(0, []), (1, [0]), (2, [0, 1]), (3, [0, 1, 2]), (9, [0, 1, 2, 3])])
def test_wspawn_until_2022_leaves_the_first_warps_and_nobody_else(count, left, mechanism, engine):
    """Warp 2 says it, while the others count: the mask of active warps becomes the first `count`, and 1 to `count` - 1 begin anew."""
    text = (
        START[2022]
        + f"""
        li t5, 2
        bne s3, t5, others
        li t0, {count}
        la t1, anew
        vx_wspawn t0, t1
        li a1, 102
        sw a1, 0(s1)
        vx_tmc zero
    others:
        li t4, 60
    wait:
        addi t4, t4, -1
        bnez t4, wait
        li a1, 100
        sw a1, 0(s1)
        vx_tmc zero
    anew:
        li t0, -1
        vx_tmc t0
        li a1, 200
        sw a1, 0(s1)
        vx_tmc zero
    """
    )
    out, result = run(text, 2022, whole=True, engine=engine, **{"core.divergence": mechanism})
    assert result.status == "done"
    stored = [number if warp in left else 0 for warp, number in enumerate((100, 200, 200, 200))]
    assert out[:16].reshape(4, 4).T.tolist() == [stored] * 4


@ENGINES
def test_a_load_of_a_warp_that_was_stopped_says_nothing_to_the_one_that_is_spawned_in_its_slot(engine):
    """Warp 1 loads, is switched off, and begins again: its fence waits for a load of its own, and counts no other."""
    text = """
        li t0, 2
        la t1, first
        vx_wspawn t0, t1
        li t4, 30
    wait:
        addi t4, t4, -1
        bnez t4, wait
        li t0, 1
        vx_wspawn t0, zero
        li t0, 2
        la t1, second
        vx_wspawn t0, t1
        vx_tmc zero
    first:
        li t3, 0x7ffff000
        lw t5, 0(t3)
    spin:
        j spin
    second:
        li t4, 0x7ffff000
        lw t5, 0(t4)
        addi s1, t5, 0
        csrr t3, mcycle
        lw t5, 0(t4)
        fence
        csrr t4, mcycle
        sub t4, t4, t3
        sw t4, 0(s1)
        vx_tmc zero
    """
    for drain in ("answered", "sent"):
        out, result = run(text, 2022, whole=True, engine=engine, lsu__drain=drain, l1__bytes=0, l2__bytes=0, dram__latency=3000)
        assert result.status == "done", result.fault
        assert out[0] > 3000, drain


def test_ecall_stops_the_device_until_2022_and_does_nothing_later():
    body = "bnez s3, other\nsw s0, 0(s1)\nli t4, 60\nw: addi t4, t4, -1\nbnez t4, w\necall\nli t4, 1\nsw t4, 128(s1)\nother:\n"
    old, result = run(body + "spin: j spin\n", 2022)
    assert result.status == "done"
    assert old[:4].tolist() == [0, 1, 2, 3] and old[32] == 0
    assert run(body, 2024)[0][32] == 1


def test_votes_and_shuffles_of_2026():
    results = ("all", "any", "uni", "ballot")
    body = "slti t4, s2, 3\n" + "".join(f"vx_vote_{name} t5, t4\nsw t5, {64 * index}(s1)\n" for index, name in enumerate(results))
    new = START[2024].replace("zzz", "") + body
    shuffles = {"up": 1 | 0 << 6, "down": 1 | 63 << 6, "bfly": 1 | 63 << 6, "idx": 2 | 63 << 6}
    for index, (name, operand) in enumerate(shuffles.items(), 4):
        new += f"addi t4, s2, 10\nli t6, {operand}\nvx_shfl_{name} t5, t4, t6\nsw t5, {64 * index}(s1)\n"
    out, _ = run(new + END, 2026, whole=True, core__warps=1, core__lanes=4)
    rows = out[: 16 * 8].reshape(8, 16)[:, :4].tolist()
    assert rows[:4] == [[0] * 4, [1] * 4, [0] * 4, [7] * 4]
    assert rows[4:] == [[10, 10, 11, 12], [11, 12, 13, 13], [11, 10, 13, 12], [12] * 4]


def test_a_branch_on_which_lanes_disagree_is_an_error_on_2024_and_the_lowest_lane_decides_on_2022():
    body = "addi t4, s2, -1\nbgez t4, away\nli t5, 5\nsw t5, 0(s1)\naway:\n"
    _, result = run(body, 2024, core__warps=1)
    assert result.status == "error"
    assert "bgez t4, away" in result.fault and "lanes 1-3 take it, lane 0 does not" in result.fault
    out, result = run(body, 2022, core__warps=1)
    assert result.status == "done"
    assert out[:4].tolist() == [5] * 4
    (remark,) = result.remarks
    assert "lanes 1-3" in remark and "bgez t4, away" in remark and "once" in remark


@pytest.mark.parametrize("mechanism", ["stack", "minpc", "its"])
def test_with_a_mechanism_the_same_branch_needs_no_split(mechanism):
    body = "addi t4, s2, -1\nbgez t4, away\nli t5, 5\nsw t5, 0(s1)\naway:\n"
    out, result = run(body, 2024, core__divergence=mechanism)
    assert result.status == "done"
    assert out[:4].tolist() == [5, 0, 0, 0]


def test_a_barrier_that_is_not_there():
    _, result = run("li a0, 4\nli a1, 2\nvx_bar a0, a1\n", 2024)
    assert "barrier 4 does not exist" in result.fault


def test_a_stack_that_is_full_says_what_to_change():
    body = "".join(
        f"andi t4, s2, {1 << index}\nsnez t4, t4\nvx_split s{index + 4}, t4\nbeqz t4, l{index}\nl{index}:\n" for index in range(2)
    )
    _, result = run(body, 2024, core__stack_depth=2)
    assert "the mask stack is full (2 entries)" in result.fault


def test_the_console_gathers_a_line_a_thread():
    body = "li t4, 0x40\nadd t4, t4, s0\naddi t5, s2, 65\nsb t5, 0(t4)\nsb t5, 0(t4)\nli t5, 10\nbnez s3, rest\nsb t5, 0(t4)\nrest:\n"
    _, result = run(body, 2024, core__warps=2)
    assert sorted(result.console) == [f"#{thread}: {chr(65 + thread % 4) * 2}" for thread in range(8)]
    assert [line[:2] for line in result.console[:4]] == ["#0", "#1", "#2", "#3"]


def test_each_core_has_its_own_mscratch_and_local_memory():
    body = """
        csrr t6, core_id
        csrr t4, local_mem_base
        slli t5, s2, 2
        add t4, t4, t5
        bnez s3, done
        addi t5, t6, 50
        sw t5, 0(t4)
        csrw mscratch, t5
        lw t3, 0(t4)
        sw t3, 0(s1)
        csrr t3, mscratch
        sw t3, 512(s1)
    done:
    """
    out, _ = run(body, 2024, gpu__cores=3)
    first = np.arange(0, 48, 16)
    assert out[first].tolist() == [50, 51, 52] == out[first + 128].tolist()


@ENGINES
@pytest.mark.parametrize(("mnemonic", "combine"), [
    ("csrrw", lambda old, lane: lane * 9), ("csrrs", lambda old, lane: old | lane * 9), ("csrrc", lambda old, lane: old & ~(lane * 9)),
])  # fmt: skip
def test_lanes_change_mscratch_one_after_the_other(engine, mnemonic, combine):
    body = f"""
        csrwi mscratch, 21
        li t4, 9
        mul t4, t4, s2
        {mnemonic} t5, mscratch, t4
        sw t5, 0(s1)
        csrr t3, mscratch
        sw t3, 256(s1)
    """
    out, result = run(body, 2024, engine=engine, core__lanes=16, core__warps=1)
    assert result.status == "done", result.fault
    now = 21
    for lane in range(16):
        assert out[lane] == now
        now = combine(now, lane)
    assert out[64:80].tolist() == [now] * 16


def test_an_unknown_control_register_can_be_written_in_2022_alone():
    body = "csrwi 0x7f0, 5\ncsrw 0x7f1, s2\nsw s2, 0(s1)\n"
    assert run(body, 2022)[0][:4].tolist() == [0, 1, 2, 3]
    for text, number in ((body, 2024), ("csrrw t0, 0x7f0, t1\n", 2022), ("csrrs zero, 0x7f0, t1\n", 2022)):
        with pytest.raises(SourceError, match="there is no control register 0x7f0"):
            run(text, number)


@pytest.mark.parametrize("rs2", [1, 3, 17, 31])
def test_pred_of_2022_is_told_by_the_lowest_bit_of_its_second_operand(rs2):
    word = 0x0000006B | rs2 << 20 | 10 << 15
    assert table(2022).row_of(word).mnemonic == "vx_pred"
    assert table(2022).row_of(word & ~(1 << 20)).mnemonic == "vx_tmc"


@ENGINES
def test_thread_instructions_and_active_warps(engine):
    out, result = run("csrr t4, active_warps\nsw t4, 0(s1)\n", 2024, engine=engine, core__warps=1)
    assert out[0] == 1
    assert result.counters["thread_instructions"] > result.instructions
    out, _ = run("csrr t4, minstret\ncsrr t5, minstret\nsub t5, t5, t4\nsw t5, 0(s1)\n", 2024, engine=engine, core__warps=1)
    assert out[:4].tolist() == [4] * 4
