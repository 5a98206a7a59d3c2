"""The diagnosis: a kernel with one planted cause gets that finding with its line, and a rule is silent below its threshold."""

import re
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

import numpy as np
import pytest

import warploom
from tests.machine.programs import GLOBAL, WARP, Assembly
from tests.machine.programs import run as run_small
from tests.places import EXAMPLES
from warploom import cuda
from warploom.isa import uop as u
from warploom.isa.frontend import Options
from warploom.isa.uop import SHARED_SPACE
from warploom.observe import profile as p
from warploom.observe.diagnosis import diagnosis as d
from warploom.observe.diagnosis import finding as f
from warploom.observe.diagnosis.lanes import divergence, ended_lanes, partial_warps
from warploom.observe.diagnosis.memory import _bytes, atomics, bank_conflicts, scattered
from warploom.observe.diagnosis.results import latency
from warploom.observe.diagnosis.time import barriers, busy_channels, fetch, sequencer, spin, throttle
from warploom.observe.facts.lane_addresses import Access


@lru_cache(maxsize=32)
def profiled(file, preset, changes=(), threads=None):
    gpu = warploom.GPU(preset, set=dict(changes), engine="python")
    return gpu.run(warploom.load(EXAMPLES / file), threads=threads).profile()


CHAIN = "ADD R2, R1, R1\n" + 12 * "ADD R2, R2, R1\n"
STRIDED = ("guppy/load_strided.guppy", "guppy", (("core.warps", 8),))
DIVERGENT = ("guppy/slow_divergence.guppy", "guppy", (("core.warps", 8),))
LATENCY = ("guppy/slow_latency.guppy", "guppy")
ALU = ("guppy/slow_alu.guppy", "guppy", (("core.warps", 8),))
QUEUE = ("guppy/slow_lsu.guppy", "sm", (("l1.mshrs", 16),))
TEXTURE = ("guppy/slow_texture.guppy", "sm")
BANKS = ("tiny/slow_banks.asm", "tiny-simt")
BARRIER = ("tiny/slow_barrier.asm", "tiny-simt", (("core.threads_per_block", 16),))
FETCH = ("tiny/matmul.asm", "tiny-simt", (("fetch.sets", 0), ("fetch.shared", 0)))
SEQUENCER = ("tiny/matmul.asm", "tiny")
FAST = ("guppy/fast.guppy", "guppy", (("core.warps", 8),))

PLANTED = {
    STRIDED: (
        "scattered",
        "46 % of the time warps wait for the loads of t0 at line 10: each moves 32 lines where 2 would do (stride of 16 ",
    ),
    DIVERGENT: (
        "divergence",
        "31 % of the time is lost to lanes that are switched off: they diverge at line 11, and line 12 runs ",
    ),
    LATENCY: ("latency", "87 % of the time warps wait for the loads of t0 at line 10, 49 cycles each time at line 11; a scheduler has 1 "),
    ALU: ("throttle", "49 % of the time warps wait for room in the ALUs, most of which line "),
    QUEUE: ("throttle", ": for room in the load/store unit, "),
    TEXTURE: ("throttle", ": for room in the texture unit, "),
    BANKS: (
        "bank conflicts",
        "41 % of the time warps wait for the accesses to shared memory at lines 24 and 25: each takes 4 passes where 1 ",
    ),
    BARRIER: (
        "barriers",
        "62 % of the time warps wait at barriers, most at line 24: 189 cycles each, for the last warp of their block, ",
    ),
    FETCH: ("fetch", "79 % of the time warps have no instruction, most at line 31: "),
    SEQUENCER: ("fetch", "50 % of the time the cores fetch instructions, most at line 30"),
}


@pytest.mark.parametrize("planted", PLANTED, ids=lambda planted: f"{Path(planted[0]).stem} on {planted[1]}")
def test_a_planted_cause_is_the_only_finding_and_names_its_line(planted):
    rule, what = PLANTED[planted]
    findings = d.diagnose(profiled(*planted))
    assert [finding.rule for finding in findings if finding.rule != "few blocks"] == [rule] == [findings[0].rule]
    if not what.startswith(":"):
        assert findings[0].what.startswith(what)
        return
    # Of several instructions that fill a unit, which one waits longest is the machine's business: it is one of that unit's.
    assert what[2:] in findings[0].what
    found = profiled(*planted)
    unit = u.UNITS[int(found.program.code[findings[0].instructions[0], u.ISSUE_UNIT])]
    assert unit == {QUEUE: "memory", TEXTURE: "texture"}[planted]


def test_a_kernel_with_nothing_planted_is_told_what_it_is_full_of():
    (finding,) = d.diagnose(profiled(*FAST))
    assert finding.rule == "issue"
    assert re.match(r"8\d % of the issue slots are used, 1\d % of them by line 14", finding.what)


@pytest.mark.parametrize(
    ("planted", "remedy"),
    [
        (ALU, {"alu.count": 2}),
        (QUEUE, {"l1.mshrs": 32}),
        (TEXTURE, {"texture.queue": 32}),
        (FETCH, {"fetch.sets": 64}),
        (SEQUENCER, {"fetch.sets": 64}),
        (SEQUENCER, {"core.prefetch": True}),
    ],
)
def test_what_it_says_to_try_helps(planted, remedy):
    file, preset, changes = (*planted, ())[:3]
    program = warploom.load(EXAMPLES / file)
    (setting, value), *_ = remedy.items()
    assert f"--set {setting}={str(value).lower()}" in d.diagnose(profiled(*planted))[0].advice
    faster = warploom.GPU(preset, set=dict(changes) | remedy, engine="python").run(program)
    assert faster.cycles < profiled(*planted).cycles


def test_more_warps_hide_the_latency_of_one():
    assert d.diagnose(profiled(*LATENCY))[0].advice.startswith("more warps per core (more threads and --set core.warps)")
    one, eight = profiled(*LATENCY), profiled(*LATENCY, (("core.warps", 8),), 256)
    assert eight.cycles < 3 * one.cycles  # for eight times the work


def test_a_statement_that_waits_for_its_own_load_is_named_once():
    @cuda.jit
    def saxpy(a, x, y):
        i = cuda.grid(1)
        y[i] = a * x[i] + y[i]

    saxpy[1, 32](np.float32(2), np.ones(32, np.float32), np.ones(32, np.float32))
    (said,) = [finding.what for finding in d.diagnose(saxpy.result.profile()) if finding.rule == "latency"]
    assert re.match(r"8\d % of the time warps wait for the loads of x and y at line \d+, \d+ cycles each time; ", said), said


def test_a_program_that_fits_into_the_instruction_cache_is_not_told_to_get_a_larger_one():
    (finding,) = d.diagnose(profiled("tiny/shared_reduction.asm", "tiny-simt"))
    assert finding.rule == "fetch"
    assert finding.advice.startswith("more work with the same instructions")


def test_where_hits_of_the_instruction_cache_take_the_time_it_asks_for_fewer_instructions():
    program = warploom.load(
        EXAMPLES / "vortex" / "diverge.elf",
        options=Options(threads=300, buffers={name: np.arange(300, dtype=np.int32) for name in ("in", "out")}),
    )
    told = [one for one in d.diagnose(warploom.GPU("vortex-2022").run(program).profile()) if one.rule == "fetch"]
    assert [one.advice.partition(":")[0] for one in told] == ["fewer instructions (unrolled loops), or more lanes a warp"]


# ---------------------------------------------------------------------------------------------------------
# Causes that no front end can write yet


def test_atomics_on_one_address():
    assembly = Assembly()
    assembly.mov(5, 64)
    assembly.mov(6, 1)
    for _ in range(3):
        assembly("atomic_add", dst=7, a=5, b=6)
    assembly("exit")
    (finding,) = d.diagnose(run_small(assembly.program(threads=8)).profile())
    assert (finding.rule, finding.instructions) == ("atomics", (2, 3, 4))
    assert finding.what == (
        "87 % of the time warps wait for the atomic operations at instructions 2, 3 and 4 (atomic_add): up to 4 lanes of a warp meet at "
        "one address, and they are served one by one"
    )


def test_what_goes_on_after_the_last_warp_counts_by_its_share_of_the_run():
    @cuda.jit
    def total(x, y):
        i = cuda.grid(1)
        cuda.atomic.add(y, 0, x[i])

    total[16, 128](np.ones(2048, np.float32), np.zeros(1, np.float32))
    first, *_ = d.diagnose(total.result.profile())
    assert first.rule == "atomics" and re.match(r"7\d % of the run waits for the atomic operations at line ", first.what)


def test_a_line_of_an_unrolled_loop_is_one_place():
    @cuda.jit
    def rows(image, sums, width):
        row = cuda.grid(1)
        total = np.float32(0)
        for k in range(16):
            total += image[row * width + k * 8]
        sums[row] = total

    rows[2, 64](np.ones(128 * 130, np.float32), np.zeros(128, np.float32), 129)
    first, *_ = d.diagnose(rows.result.profile())
    assert first.rule == "scattered" and len(first.instructions) == 16
    assert re.search(r"for the loads of image at line \d+: each moves 32 lines where 1 would do", first.what)
    access = [Access(np.arange(32), 4096 + 516 * np.arange(32))]  # of a turn of the loop that was looked at; the others are like it
    (one,) = scattered(replace(rows.result.profile(), addresses={first.instructions[0]: access}))
    assert len(one.instructions) == 16 and "(stride of 129 words" in one.what


def test_atomics_in_shared_memory_are_not_called_bank_conflicts():
    assembly = Assembly()
    assembly.mov(5, 64)
    assembly.mov(6, 1)
    for _ in range(3):
        assembly("atomic_add", dst=7, a=5, b=6, space=SHARED_SPACE)
    assembly("exit")
    found = d.diagnose(run_small(assembly.program(threads=8, shared_bytes=128)).profile())
    assert [finding.rule for finding in found] == ["atomics"]


def test_atomics_on_addresses_of_their_own_are_fine():
    assembly = Assembly()
    assembly.op("shl", 5, GLOBAL, imm=2)
    for _ in range(3):
        assembly("atomic_add", dst=7, a=5, b=5)
    assembly("exit")
    assert list(atomics(run_small(assembly.program(threads=16)).profile())) == []


def lock(turns_under_it):
    """Every warp takes one lock, works, and gives it back."""
    assembly = Assembly()
    assembly.mov(5, 64)
    assembly.mov(6, 1)
    assembly.mov(8, 0)
    assembly.label("try")
    assembly("atomic_exchange", dst=7, a=5, b=6)
    assembly.branch(7, "try")
    for _ in range(turns_under_it):
        assembly.op("add", 9, 9, imm=1)
    assembly("fence")
    assembly.store(5, 8)
    assembly("exit")
    return assembly


def test_a_spin_around_a_lock():
    one_lane = {"core__lanes": 1, "core__threads_per_block": 1}
    (finding,) = d.diagnose(run_small(lock(10).program(threads=4, block=1), **one_lane).profile())
    assert (finding.rule, finding.instructions) == ("spin", (3,))
    assert finding.what.endswith("the loop around the atomic_exchange at instruction 3: 4 warps made 19 iterations of it")
    alone = run_small(lock(10).program(threads=1, block=1), **one_lane).profile()
    assert list(spin(alone)) == []


def test_a_warp_whose_lanes_have_no_thread():
    assembly = Assembly()
    for number in range(8):
        assembly.op("add", 5 + number, WARP, imm=number)
    assembly("exit")
    (finding,) = partial_warps(run_small(assembly.program(threads=12, block=5)).profile())
    assert finding.what == "40 % of the lanes have no thread, because a block has 5: 5 warps of 4 lanes hold 12 threads"
    assert list(partial_warps(run_small(assembly.program(threads=12, block=4)).profile())) == []


def test_busy_channels_of_memory():
    channels = (("memory.data_channels", 1), ("core.skip_wait", True), ("fetch.sets", 64), ("gpu.cores", 4))
    found = profiled("tiny/saxpy.asm", "tiny", (*channels, ("memory.data_channels", 1)), 16)
    busy = found.counters["data_channel_busy_cycles"] / found.cycles
    assert [finding.rule for finding in busy_channels(found)] == (["busy channels"] if busy >= f.BUSY else [])
    full = replace(found, counters=found.counters | {"data_channel_busy_cycles": int(np.ceil(f.BUSY * found.cycles))})
    (finding,) = busy_channels(full)
    assert re.fullmatch(r"75 % of the run the 1 channel of data memory is busy: line \d+ waits longest", finding.what)
    assert finding.advice.endswith("--set memory.data_channels=2")
    assert list(busy_channels(replace(full, counters=found.counters | {"data_channel_busy_cycles": int(f.BUSY * found.cycles) - 1}))) == []


def test_a_memory_that_moves_all_the_bytes_that_it_can():
    found = profiled("guppy/load_strided.guppy", "guppy", (("core.warps", 8), ("dram.bandwidth", 8)))
    moved = found.counters["dram_bytes"]
    assert 256 * 64 < moved <= (256 + 16) * 64  # the lines that are loaded, and up to all that are stored
    (finding,) = busy_channels(found)
    share = moved / found.cycles / 8
    assert finding.what.endswith(f"bytes per cycle, {int(100 * share)} % of what its 1 channel can")
    assert finding.advice.endswith("--set dram.bandwidth=16")
    assert list(busy_channels(replace(found, cycles=int(moved / 8 / f.BUSY) + 1))) == []
    assert list(busy_channels(profiled(*STRIDED))) == []  # no limit


# ---------------------------------------------------------------------------------------------------------
# Thresholds: the numbers of a profile are moved to just below them


def with_share(found, reason, share):
    """The profile with this share of all warp-cycles on one reason, at the instruction that has most of it; the rest is issuing."""
    number = [activity.name for activity in found.activities].index(reason)
    spent = np.zeros_like(found.spent)
    spent[int(found.spent[:, number].argmax()), number] = round(10_000 * share)
    other = [activity.name for activity in found.activities].index("selected" if found.has_warps else "execute")
    spent[0, other] = 10_000 - round(10_000 * share)
    return replace(found, spent=spent)


@pytest.mark.parametrize(
    ("rule", "planted", "reason", "threshold"),
    [
        (scattered, STRIDED, "long_scoreboard", f.MEMORY),
        (bank_conflicts, BANKS, "short_scoreboard", f.MEMORY),
        (barriers, BARRIER, "barrier", f.STALLED),
        (fetch, FETCH, "no_instruction", f.STALLED),
        (throttle, ALU, "math_pipe_throttle", f.STALLED),
        (throttle, QUEUE, "lg_throttle", f.STALLED),
        (throttle, TEXTURE, "tex_throttle", f.STALLED),
        (latency, LATENCY, "long_scoreboard", f.LATENCY),
        (sequencer, SEQUENCER, "fetch", f.FETCHING),
        (sequencer, SEQUENCER, "wait", f.DATA_WAIT),
    ],
)
def test_a_rule_speaks_from_its_threshold_on(rule, planted, reason, threshold):
    found = profiled(*planted)
    assert len(list(rule(with_share(found, reason, threshold)))) == 1
    assert list(rule(with_share(found, reason, threshold - 0.001))) == []


def test_scattered_means_twice_the_transactions_that_would_do():
    found = profiled(*STRIDED)
    for needed, expected in ((16, 1), (17, 0)):
        counts = found.counts.copy()
        counts[1, [p.TRANSACTIONS, p.TRANSACTIONS_NEEDED]] = 32, needed
        assert len(list(scattered(replace(found, counts=counts)))) == expected


def test_latency_matters_only_where_issue_slots_are_free():
    found = profiled(*LATENCY)
    assert f.issue_slots_used(found) < f.QUIET_ISSUE
    assert list(latency(replace(found, cycles=found.cycles // 5))) == []


def test_divergence_needs_a_branch_and_a_quarter_of_the_lanes():
    found = profiled(*DIVERGENT)
    assert len(list(divergence(found))) == 1
    counts = found.counts.copy()
    counts[:, p.LANES] = counts[:, p.ISSUES] * 32
    counts[:, p.LANES_DIVERGED] = 0
    counts[4, p.LANES] = counts[4, p.LANES_DIVERGED] = 16 * counts[4, p.ISSUES]
    assert list(divergence(replace(found, counts=counts))) == []


def test_lanes_that_have_ended_or_never_had_a_thread_are_no_divergence(tmp_path):
    """Three of four threads return at once, the last one has a lot to do. One thread alone has nobody that could end before it."""
    kernel = tmp_path / "ends.asm"
    kernel.write_text(f".threads 4\nCONST R1, #3\nCMP %threadIdx, R1\nBRz LAST\nRET\nLAST:\n{CHAIN}RET\n")
    found = warploom.GPU("tiny-simt", engine="python").run(warploom.load(kernel)).profile()
    shares = found.lane_shares()
    assert shares["ended"] > f.IDLE_LANES
    assert list(divergence(found)) == []
    (finding,) = ended_lanes(found)
    assert "of the lanes have ended while others of their warp continue, longest at line 7" in finding.what
    alone = warploom.GPU("tiny-simt", engine="python").run(warploom.load(EXAMPLES / "tiny/saxpy.asm"), threads=1).profile()
    assert alone.lane_shares()["no thread"] == 0.75
    assert list(divergence(alone)) == list(ended_lanes(alone)) == []


def test_a_stride_that_is_not_known_is_not_said():
    (finding,) = scattered(replace(profiled(*STRIDED), addresses={}))
    assert finding.what.endswith("the loads of t0 at line 10: each moves 32 lines where 2 would do")


def test_without_coalescing_the_switch_is_named():
    found = profiled("guppy/load_coalesced.guppy", "guppy", (("core.warps", 8), ("lsu.coalesce", False)))
    advice = {finding.advice for finding in scattered(found)}
    assert advice == {"--set lsu.coalesce=true, so that lanes that touch a line share a transaction"}


def test_neighbouring_words_that_begin_inside_of_a_line_are_told_to_move():
    found = profiled("guppy/slow_texture.guppy", "sm", (("texture.queue", 64),))
    store = len(found.program) - 2
    counts, accesses = found.counts.copy(), found.counts[store, p.ACCESSES]
    counts[:, [p.TRANSACTIONS, p.TRANSACTIONS_NEEDED]] = 0
    counts[store, [p.TRANSACTIONS, p.MISSES, p.TRANSACTIONS_NEEDED]] = 2 * accesses, 2 * accesses, accesses
    size = _bytes(found, store)
    (finding,) = scattered(replace(found, counts=counts, addresses={store: [Access(np.arange(32), 64 + size * np.arange(32))]}))
    assert "each moves 2 lines where 1 would do" in finding.what
    assert finding.advice.startswith("let the data of a warp begin at a multiple of 128 bytes")


def test_neighbouring_words_read_as_perfect():
    """Buffers begin with a line of every cache: 32 words side by side are one transaction of 128 bytes."""
    found = profiled("guppy/load_coalesced.guppy", "sm")
    accesses = found.counts[:, p.ACCESSES]
    assert accesses.sum() > 0
    assert (found.counts[:, p.TRANSACTIONS] == accesses).all()
    assert (found.counts[:, p.TRANSACTIONS_NEEDED] == accesses).all()


def test_a_stride_whose_lines_are_used_up_later_is_not_blamed():
    """histogram_private: every lane walks through a table of its own, whose line the cache keeps; side by side would be no faster."""
    found = profiled("tiny/histogram_private.asm", "tiny-simt")
    assert (found.counts[:, p.TRANSACTIONS] > 2 * found.counts[:, p.TRANSACTIONS_NEEDED]).any()
    assert [finding.rule for finding in d.diagnose(found) if finding.rule == "scattered"] == []


def on_gcn(lines, waves, directives=""):
    """The profile of waves that execute these lines on the preset gcn."""
    text = f".kernel main\n.grid {waves}\n{directives}{lines}s_endpgm\n"
    run = warploom.GPU("gcn", engine="python").run(warploom.load(text.encode(), isa="gcn"))
    assert run.status == "done"
    return run.profile()


def test_in_turns_a_scheduler_is_to_issue_in_every_turn():
    """A wave that waits 20 cycles for each instruction needs four others to fill its SIMD, which has a turn in each fourth cycle."""
    found = on_gcn("s_load_dword s8, s[4:5], 0x0\ns_waitcnt lgkmcnt(0)\n" * 4, 4)
    (finding,) = latency(found)
    issues = int(found.counts[:, p.ISSUES].sum())
    needed = (found.warp_cycles - int(found.of("not_selected").sum())) / issues / 4
    assert f"1 warp on average, and would need {f.number(needed)} to issue in every turn" in finding.what


@pytest.mark.parametrize(("line", "advice"), [("v_exp_f32 v1, v2\n", "--set pipes.special_lanes=8"), ("v_mul_lo_u32 v1, v2, v3\n", "")])
def test_of_a_full_pipe_for_all_arithmetic_the_setting_that_counts_is_named(line, advice):
    """A multiplication has an interval of its own on gcn, which more lanes do not change."""
    (finding,) = throttle(on_gcn(line * 12, 24))
    assert "for room in the vector pipe, " in finding.what
    assert finding.advice.endswith(advice) and ("--set" in finding.advice) == bool(advice)


@pytest.mark.parametrize(("waves", "rule"), [(4, "slow operation"), (24, "throttle")])
def test_a_slow_operation_that_fills_its_pipe_is_a_full_pipe(waves, rule):
    """Few waves wait for its result, which more of them would hide; many wait for room, which more of them would not."""
    (finding,) = d.diagnose(on_gcn("v_mul_lo_u32 v1, v2, v3\n" * 12, waves))
    assert finding.rule == rule
    assert ("more warps" in finding.advice) == (rule == "slow operation")


CONFLICTS = "ds_write_b32 v1, v0\n"  # all lanes in one bank
ADDRESSES = "s_load_dwordx2 s[8:9], s[4:5], 0x0\nv_lshlrev_b32 v1, 7, v0\nv_lshlrev_b32 v4, 2, v0\ns_waitcnt lgkmcnt(0)\n"
FROM_MEMORY, FROM_SHARED = "global_load_dword v2, v4, s[8:9]\ns_waitcnt vmcnt(0)\n", "ds_read_b32 v2, v1\ns_waitcnt lgkmcnt(0)\n"
FROM_BOTH = "ds_read_b32 v3, v4\nglobal_load_dword v2, v4, s[8:9]\ns_waitcnt vmcnt(0) lgkmcnt(0)\n"
STORE, TO_MEMORY = "global_store_dword v4, v4, s[8:9]\n", "s_waitcnt vmcnt(0) lgkmcnt(0)\n"


@pytest.mark.parametrize(
    ("loads", "named"),
    [(FROM_MEMORY, False), (FROM_SHARED, True), (FROM_BOTH, False), ("ds_read_b32 v2, v1\n" + STORE + TO_MEMORY, False)],
)
def test_a_wait_of_the_program_belongs_to_the_memory_whose_loads_it_waits_for(loads, named):
    found = on_gcn(ADDRESSES + CONFLICTS + loads * 8, 1, ".lds 8192\n.arg out, pointer, 4096\n")
    assert bool(list(bank_conflicts(found))) == named
    ends = [number for number, text in enumerate(found.program.text) if text.startswith("s_waitcnt")]
    assert (f.shared_waits(found)[ends[1:]] > 0).all() == named
    assert (f.memory_waits(found) + f.shared_waits(found)).sum() >= found.of("waitcnt").sum()


@pytest.mark.parametrize(
    ("before", "said"),
    [
        ("", "warps wait until memory has their stores, "),
        ("ds_read_b32 v2, v4\n", "warps wait for the loads at line 11, and until memory has their stores, "),
    ],
)
def test_a_wait_for_stores_is_not_said_to_be_for_loads(before, said):
    again = f"s_mov_b32 s0, 20\nagain:\n{before}{STORE}{TO_MEMORY}s_sub_u32 s0, s0, 1\ns_cmp_lg_u32 s0, 0\ns_cbranch_scc1 again\n"
    (finding,) = latency(on_gcn(ADDRESSES + again, 1, ".lds 8192\n.arg out, pointer, 4096\n"))
    assert said in finding.what


def test_a_slow_division_is_named_and_not_more_warps():
    found = profiled("tiny/diverge.asm", "tiny-simt", (("latency.divide", 200),))
    (finding,) = (one for one in d.diagnose(found) if one.rule == "slow operation")
    assert "for the integer division at line 15: it takes " in finding.what
    assert "latency" not in {one.rule for one in d.diagnose(found)}
    divisions = [number for number in range(len(found.program)) if found.program.text[number].startswith("DIV")]
    assert list(finding.instructions) == divisions


def test_the_share_that_a_finding_names_is_that_of_all_waits_for_results():
    found = profiled(*LATENCY)
    (finding,) = d.diagnose(found)
    anywhere = found.share("long_scoreboard", "short_scoreboard", "wait")
    assert finding.what.startswith(f"{f.percent(anywhere)} of the time warps wait for ")
    (told,) = d.findings_report(found, [finding])
    assert told["cycles_here"] == found.spent[finding.instructions[0]].sum() < told["cycles"]
    assert told["share"] == pytest.approx(anywhere)
    assert told["places"] == [{"file": found.program.source.path, "line": 11, "column": found.program.position(2).column}]


def test_what_takes_most_cycles_comes_first():
    findings = d.diagnose(profiled(*DIVERGENT[:2], (("core.warps", 8), ("fetch.buffer", 1), ("fetch.miss_latency", 400))))
    assert {finding.rule for finding in findings} == {"divergence", "fetch"}
    assert [finding.cycles for finding in findings] == sorted((finding.cycles for finding in findings), reverse=True)


def test_a_machine_cannot_be_told_to_have_more_than_it_can():
    assert f.twice(profiled(*QUEUE), "l1.mshrs") == "--set l1.mshrs=32"
    assert f.twice(profiled("guppy/load_strided.guppy", "guppy", (("core.warps", 64),)), "core.warps") == ""
