"""The profile: every warp-cycle is on one line's account, and counts are those that a reader finds with pencil and paper."""

import json
from dataclasses import replace

import numpy as np
import pytest

import warploom
from tests.places import EXAMPLES
from warploom.isa import uop as u
from warploom.isa.frontend import Options
from warploom.isa.program import Source
from warploom.machine.accounting.reasons import REASONS, TRANSACTIONS
from warploom.observe import profile as p
from warploom.observe.profile_report.table import ordered, profile_table


def run(file, preset, **changes):
    changes = {name.replace("__", "."): value for name, value in changes.items()}
    return warploom.GPU(preset, set=changes, engine="python").run(warploom.load(EXAMPLES / file))


def line_of(found, number):
    return next(line for line in found.lines() if line.number == number)


@pytest.mark.parametrize(
    ("file", "preset", "changes"),
    [
        ("guppy/if_else.guppy", "guppy", {}),
        ("guppy/load_strided.guppy", "guppy", {"core__warps": 8}),
        ("tiny/shared_reduction.asm", "tiny-simt", {}),
        ("tiny/slow_barrier.asm", "tiny-simt", {"core__threads_per_block": 16}),
    ],
)
def test_the_lines_add_up_to_the_counters_of_the_run(file, preset, changes):
    result = run(file, preset, **changes)
    found = result.profile()
    for number, reason in enumerate(REASONS):
        assert sum(int(line.spent[number]) for line in found.lines()) == result.counters[f"{reason.name}_warp_cycles"]
    totals = sum(line.counts for line in found.lines())
    assert totals[p.ISSUES] == result.instructions
    assert totals[p.LANES] == result.counters["thread_instructions"]
    assert totals[p.ACCESSES] + totals[p.SHARED_ACCESSES] == result.counters["accesses"]
    assert totals[p.PASSES] == result.counters["shared_passes"]


def test_a_stride_of_a_line_takes_a_transaction_a_lane_where_two_lines_would_do():
    found = run("guppy/load_strided.guppy", "guppy").profile()
    load = line_of(found, 10)  # 8 warps of 32 lanes, 4 bytes each: 128 bytes, two lines of 64
    assert (load.text.split()[0], load.counts[p.ISSUES], load.each(p.LANES, p.ISSUES)) == ("ld", 8, 32.0)
    assert (load.each(p.TRANSACTIONS, p.ACCESSES), load.each(p.TRANSACTIONS_NEEDED, p.ACCESSES)) == (32.0, 2.0)
    assert load.hit_rate == 0.0
    assert line_of(found, 9).each(p.TRANSACTIONS, p.ACCESSES) is None


def test_a_wait_at_a_barrier_is_the_barriers():
    found = run("tiny/slow_barrier.asm", "tiny-simt", core__threads_per_block=16).profile()
    barrier = [activity.name for activity in found.activities].index("barrier")
    assert {line.text.strip() for line in found.lines() if line.spent[barrier]} == {"BAR"}
    assert found.share("barrier") > 0.5


def test_passes_of_shared_memory_are_counted_against_the_banks():
    found = run("tiny/slow_banks.asm", "tiny-simt").profile()
    for number in (24, 25):  # a stride of 4 bytes over 4 banks of one byte
        assert line_of(found, number).each(p.PASSES, p.SHARED_ACCESSES) == 4.0
        assert line_of(found, number).each(p.PASSES_NEEDED, p.SHARED_ACCESSES) == 1.0


def test_an_instruction_of_the_tiny_machine_takes_eleven_cycles_a_turn():
    """Of which six fetch; the published hardware's own traces have it so."""
    result = run("tiny/matmul.asm", "tiny")
    found = result.profile()
    mul = line_of(found, 30)
    spent = {activity.name: int(cycles) for activity, cycles in zip(found.activities, mul.spent, strict=True) if cycles}
    assert (mul.counts[p.ISSUES], mul.counts[p.LANES]) == (2, 8)
    assert spent == {"fetch": 12, "decode": 2, "request": 2, "wait": 2, "execute": 2, "update": 2}
    assert int(found.counts[:, p.ISSUES].sum()) == result.instructions
    for activity, cycles in zip(found.activities, found.spent.sum(axis=0), strict=True):
        if activity.name not in ("idle", "done"):
            assert cycles * 4 == result.counters[f"{activity.name}_thread_cycles"]


def test_the_report_is_plain_data():
    found = run("guppy/load_strided.guppy", "guppy").profile()
    body = json.loads(json.dumps(p.profile_report(found, found.lines())))
    assert sum(line["cycles"] for line in body["lines"]) == body["warp_cycles"] == found.warp_cycles
    load = body["lines"][1]
    assert (load["line"], load["text"], load["transactions"], load["transactions_needed"]) == (10, "ld r1.x, t0.x, r0.x", 256, 16)
    assert sum(load["spent"].values()) == load["cycles"]


def test_a_program_without_a_source_has_a_line_an_instruction():
    from tests.machine.programs import Assembly
    from tests.machine.programs import run as run_small

    assembly = Assembly()
    assembly.mov(5, 1)
    assembly.mov(6, 2)
    assembly("exit")
    found = run_small(assembly.program()).profile()
    assert [(line.number, line.instructions) for line in found.lines()] == [(0, (0,)), (0, (1,)), (0, (2,))]
    assert found.line_of(1) == "instruction 1"


def test_it_is_the_same_with_a_policy_of_ones_own():
    from warploom.machine.core.scheduling.policies import POLICIES

    policy = POLICIES["round_robin"].choose
    program = warploom.load(EXAMPLES / "guppy/load_strided.guppy")
    result = warploom.GPU("guppy", set={"core.warps": 8}, engine="python", scheduler=policy).run(program)
    found = p.profile(result)
    assert np.array_equal(found.counts[:, p.TRANSACTIONS], result.detail.profile[:, TRANSACTIONS])
    assert len(found.addresses[1]) == 8


def kernel_in_c():
    """A kernel that a compiler has linked with a run-time whose sources are not here."""
    path = EXAMPLES / "vortex" / "saxpy.elf"
    options = Options(path=str(path), threads=4, arguments={"a": 2}, buffers={"x": np.ones(4), "y": np.ones(4)})
    return warploom.GPU("vortex-2024", engine="python").run(warploom.load(path, options=options)).profile()


def test_lines_of_a_file_that_is_not_here_say_which_file_and_what_was_executed():
    texts = {line.text for line in kernel_in_c().lines() if line.cycles}
    assert "" not in texts and any(text.startswith("start.S: ") for text in texts) and any(text.startswith("spawn.c: ") for text in texts)
    assert any("y[i] += a * x[i]" in text for text in texts)


def test_a_line_of_the_run_time_is_that_of_its_caller_where_there_is_one():
    found = kernel_in_c()
    code, called = found.program.code.copy(), next(number for number in range(len(found.program)) if found.program.in_runtime(number))
    assert found.line_of(called).endswith("warploom/start.S:27 of the run-time")
    code[:, u.FILE] = [1] + [2] * (len(code) - 1)  # as if its first instruction were the user's
    program = replace(found.program, code=code, labels={"begin": 0, "start": 1})
    uops = program.uops.copy()
    uops[0, [u.OP, u.UNIT, u.TARGET]] = u.NUMBER["jump"], u.CONTROL, 1
    found = replace(found, program=replace(program, uops=uops))
    assert found.line_of(1).endswith(f"saxpy.c:{code[0, u.LINE]}, in start of the run-time")


def test_lines_of_a_run_time_that_never_ran_are_left_out():
    found = kernel_in_c()
    assert not [line for line in found.lines() if line.text.startswith(("start.S: ", "spawn.c: ", "library.c: ")) and not line.cycles]
    assert sum(line.cycles for line in found.lines()) == found.warp_cycles
    shown = {number for line in found.lines() for number in line.instructions}
    assert {number for number in range(len(found.program)) if not found.program.in_runtime(number)} <= shown


def test_lines_of_several_files_stay_apart_and_have_their_names():
    found = p.profile(run("tiny/dot.asm", "tiny"))
    first, second, third, *_ = found.lines()
    program = replace(found.program, sources=(Source("a\nb\nc", "one.c"), Source("x\ny\nz", "other.c")))
    several = replace(found, program=program)
    lines = [replace(first, file=1, number=2), replace(second, file=1, number=3), replace(third, file=0, number=1)]
    assert ordered(lines) == lines and ordered(lines, top=3) == lines
    text = "\n".join("".join(piece for piece, _ in line) for line in profile_table(several, lines, []))
    assert text.index("other.c:2") < text.index("other.c:3") < text.index("one.c:1")
