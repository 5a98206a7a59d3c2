"""One kernel in five notations: what is compared is equal, what is counted is what the tables say."""

from collections import defaultdict
from dataclasses import replace
from functools import cache

import msgspec
import numpy as np
import pytest

from warploom.isa.uop import LINE
from warploom.study.experiments import five_ways
from warploom.study.experiments.experiment import Failed
from warploom.study.five_ways.kernel import LANES
from warploom.study.five_ways.notations import KERNELS, KINDS, MASK, NOTATIONS, TEST, WORK, mnemonic
from warploom.study.sweep import Issue, measure

MOVES_AND_SUMS = {
    "mask language": {"mov", "add.u32", "sub.u32"},
    "Python": {"mov", "add"},
    "Vortex": {"mv", "add", "addi"},
    "GCN": {"v_mov_b32", "v_add_u32", "v_subrev_u32"},
    "AVX-512": {"vmovdqa32", "vpaddd", "vpsubd"},
}
PAIRS = [(kernel, notation) for kernel in KERNELS for notation in NOTATIONS]
BY_HAND = [notation for notation in NOTATIONS if notation != "Python"]


@cache
def tasks():
    return five_ways.tasks()


@cache
def outcomes():
    return {pair: measure(replace(task, engine="python")) for pair, task in tasks().items()}


@cache
def rows():
    found = five_ways.measure(lambda planned: list(outcomes().values()))
    return {(row["kernel"], row["notation"]): row for row in found.table}


@cache
def mnemonics(notation):
    """The mnemonics of all bodies by kind."""
    found = defaultdict(set)
    for kernel in KERNELS:
        program = tasks()[kernel, notation].program
        for pc, kind in NOTATIONS[notation].body(KERNELS[kernel], program).items():
            found[kind].add(mnemonic(program.text[pc]))
    return found


@pytest.mark.parametrize(("kernel", "notation"), PAIRS)
def test_every_program_computes_what_the_kernel_means(kernel, notation):
    outcome = outcomes()[kernel, notation]
    assert outcome.done, outcome.message
    assert np.frombuffer(outcome.contents, "<i4")[:LANES].tolist() == [KERNELS[kernel].result(x) for x in range(LANES)]


def test_kernels_mean_what_their_lines_of_c_say():
    def if_else(x):
        return x + 100 if x < 5 else x - 3

    def loop(x):
        r = i = x
        while i < 16:
            r, i = r + i, i + 1
        return r

    def nested(x):
        r = a = x
        while a < 16:
            b = a
            while b < 16:
                r, b = r + b, b + 3
            a += 4
        return r

    meant = {"if": lambda x: x + 100 if x % 2 else x, "if-else": if_else, "loop": loop, "nested loops": nested}
    assert {name: [kernel.result(x) for x in range(LANES)] for name, kernel in KERNELS.items()} == {
        name: [meant[name](x) for x in range(LANES)] for name in KERNELS
    }


def test_a_program_that_computes_something_else_is_not_counted():
    wrong = dict(outcomes())
    wrong["loop", "GCN"] = replace(wrong["loop", "GCN"], contents=bytes(4 * LANES))
    with pytest.raises(Failed, match=r"^loop in GCN gives \[0, 0, .*\], and means \[120, 121, "):
        five_ways.measure(lambda planned: list(wrong.values()))


@pytest.mark.parametrize("notation", NOTATIONS)
def test_every_row_of_the_tables_is_used_and_what_is_in_none_is_arithmetic(notation):
    found, row = mnemonics(notation), NOTATIONS[notation]
    assert found[WORK] == MOVES_AND_SUMS[notation]
    assert found[MASK] == set(row.masks)
    assert found[TEST] == set(row.tests)
    assert found["branch"] == set(row.branches)
    kinds = [*row.masks, *row.tests, *row.branches]
    assert len(kinds) == len(set(kinds)), "an instruction has one kind"


@pytest.mark.parametrize(("kernel", "notation"), PAIRS)
def test_a_body_is_the_lines_between_the_frame(kernel, notation):
    way = NOTATIONS[notation]
    lines = way.source(KERNELS[kernel]).split("\n")
    of_body = way.body_lines(KERNELS[kernel])
    assert "\n".join(lines[line - 1] for line in of_body) == KERNELS[kernel].bodies[notation].strip("\n")
    if notation != "Python":  # a line is an instruction or a label
        instructions = [line for line in of_body if not lines[line - 1].endswith(":")]
        program = tasks()[kernel, notation].program
        assert sorted(int(program.code[pc, LINE]) for pc in way.body(KERNELS[kernel], program)) == instructions


def test_the_law_counts_steps_of_lanes_over_steps_of_the_warp():
    assert {name: kernel.law for name, kernel in KERNELS.items()} == {
        "if": 8.0, "loop": sum(range(1, 17)) / 16, "if-else": 16 / 2, "nested loops": 101 / 15,
    }  # fmt: skip


@pytest.mark.parametrize("kernel", KERNELS)
def test_the_choice_of_lanes_changes_neither_the_work_nor_its_lanes(kernel):
    assert len({rows()[kernel, notation][WORK] for notation in BY_HAND}) == 1
    assert len({rows()[kernel, notation]["lanes"] for notation in BY_HAND}) == 1
    for notation in NOTATIONS:
        row = rows()[kernel, notation]
        assert sum(row[kind] for kind in KINDS) == row["issued"] <= row["cycles"]


def test_a_stack_in_hardware_needs_no_mask_instructions_and_all_others_do():
    for kernel in KERNELS:
        assert rows()[kernel, "Python"][MASK] == 0
        assert all(rows()[kernel, notation][MASK] > 0 for notation in BY_HAND)
    assert [rows()["loop", notation][MASK] for notation in NOTATIONS] == [17, 0, 17, 2, 17]


def test_rows_count_what_is_inside_the_body_alone():
    body = {1: WORK, 2: MASK}
    issues = (Issue(0, 0, 0xFF), Issue(5, 1, 0b11), Issue(6, 2, 1), Issue(9, 1, 0b1111), Issue(11, 3, 0xFF))
    assert five_ways.row_of(body, issues) == {"issued": 3, "work": 2, "test": 0, "mask": 1, "branch": 0, "lanes": 3.0, "cycles": 5}


def test_the_machines_differ_in_the_mechanism_alone():
    settings = {task.config.core.divergence for task in tasks().values()}
    assert settings == {"stack", "masks"}
    alike = [replaced(task.config) for task in tasks().values()]
    assert all(config == alike[0] for config in alike)


def replaced(config):
    return msgspec.structs.replace(config, core=msgspec.structs.replace(config.core, divergence=""))


def cost(kernel, notation, change):
    """Instructions and cycles of a body after a change of its text."""
    edited = replace(KERNELS[kernel], bodies={notation: change(KERNELS[kernel].bodies[notation])})
    task = five_ways.task_of(edited, NOTATIONS[notation])
    outcome = measure(replace(task, engine="python"))
    assert np.frombuffer(outcome.contents, "<i4")[:LANES].tolist() == [edited.result(x) for x in range(LANES)]
    row = five_ways.row_of(NOTATIONS[notation].body(edited, task.program), outcome.issues)
    return row["issued"], row["cycles"]


def without(*words):
    return lambda text: "".join(f"{line}\n" for line in text.split("\n") if not any(word in line for word in words))


def with_pred(text):
    for word, instead in (("\n    andi", "    csrr t2, active_threads\n    andi"), ("split t0, t1", "pred t1, t2"), ("join t0", "tmc t2")):
        text = text.replace(word, instead)
    return text


def test_the_answers_of_the_chapter():
    skips = without("execz", "kortest", "je ")
    assert [cost(kernel, "GCN", skips) for kernel in ("if", "if-else")] == [(5, 11), (6, 12)]
    assert [cost(kernel, "AVX-512", skips) for kernel in ("if", "if-else")] == [(2, 5), (4, 10)]
    two = ("v_cmpx_gt_u32 vcc, 16, v2", "v_cmp_le_u32 vcc, 16, v2\n    s_andn2_b64 exec, exec, vcc")
    assert cost("loop", "GCN", lambda text: text.replace(*two)) == (83, 245)
    assert cost("if", "Vortex", with_pred) == (6, 11)
