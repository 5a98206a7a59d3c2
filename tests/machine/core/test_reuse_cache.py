"""Reuse cache: what an instruction need not read, as Huerta et al. (MICRO 2025) describe it, and against a naive one."""

import random

import numpy as np
import pytest

from tests.machine.rates import cycles_each, made
from tests.machine.two_engines import both
from warploom.machine.config.presets import load_config
from warploom.machine.core.reuse_cache import KEEPS, MARK_BITS, READS, ReuseCache, reads_without_reused
from warploom.machine.engine.sizes import ConfigError
from warploom.machine.engine.unit import unit

RESULTS = range(16, 24)
NO_REUSE = {"operands__reuse": False}


def mark(place, register, keeps):
    return (register | READS | (KEEPS if keeps else 0)) << MARK_BITS * place


@unit
def drive(caches, steps, left):
    """Rows of `steps`: scheduler, warp, reads and marks of each instruction. `left`: what it still reads."""
    for k in range(steps.shape[0]):
        left[k] = reads_without_reused(caches[0], steps[k, 0], steps[k, 1], steps[k, 2], steps[k, 3])


def reads(*steps, banks=2):
    """What each of these still reads of each bank: (warp, ((place, register, keeps), ...)) of scheduler 0, or with a scheduler before."""
    caches = np.zeros(1, ReuseCache)
    caches["banks"] = banks
    rows = []
    for step in steps:
        scheduler, warp, operands = step if len(step) == 3 else (0, *step)
        counts = sum(1 << 4 * (register % banks) for _, register, _ in operands)
        rows.append((scheduler, warp, counts, sum(mark(*operand) for operand in operands)))
    found = both(drive, caches, np.array(rows, np.int64), np.zeros(len(rows), np.int64))[1][2]
    return [tuple(int(word) >> 4 * bank & 15 for bank in range(banks)) for word in found]


def test_an_operand_that_is_marked_is_found_once_unless_it_is_marked_again():
    assert reads((5, ((0, 2, 1),)), (5, ((0, 2, 0),)), (5, ((0, 2, 0),))) == [(1, 0), (0, 0), (1, 0)]
    assert reads((5, ((0, 2, 1),)), (5, ((0, 2, 1),)), (5, ((0, 2, 0),))) == [(1, 0), (0, 0), (0, 0)]


def test_a_different_place_finds_nothing_and_disturbs_nothing():
    assert reads((5, ((0, 2, 1),)), (5, ((1, 2, 0),)), (5, ((0, 2, 0),))) == [(1, 0), (1, 0), (0, 0)]


def test_a_different_register_of_the_bank_in_that_place_ends_it_and_one_of_the_other_bank_does_not():
    assert reads((5, ((0, 2, 1),)), (5, ((0, 4, 0),)), (5, ((0, 2, 0),)))[2] == (1, 0)
    assert reads((5, ((0, 2, 1),)), (5, ((0, 3, 0),)), (5, ((0, 2, 0),)))[2] == (0, 0)


def test_a_different_warp_finds_nothing_and_a_different_scheduler_disturbs_nothing():
    assert reads((5, ((0, 2, 1),)), (9, ((0, 2, 0),)), (5, ((0, 2, 0),)))[1:] == [(1, 0), (1, 0)]
    assert reads((0, 5, ((0, 2, 1),)), (1, 5, ((0, 2, 0),)), (0, 5, ((0, 2, 0),)))[1:] == [(1, 0), (0, 0)]


@pytest.mark.parametrize("banks", [1, 2, 4, 8])
def test_it_finds_what_a_dictionary_finds(banks):
    source = random.Random(banks)
    steps, expected, kept = [], [], {}
    for _ in range(300):
        scheduler, warp = source.randrange(2), source.randrange(2)
        operands = tuple((place, source.choice((0, 1, 2, 9, 255)), source.random() < 0.6) for place in range(3) if source.random() < 0.7)
        left = [0] * banks
        for place, register, keeps in operands:
            key = (scheduler, place, register % banks)
            left[register % banks] += kept.get(key) != (warp, register)
            kept[key] = (warp, register) if keeps else None
        steps.append((scheduler, warp, operands))
        expected.append(tuple(left))
    assert reads(*steps, banks=banks) == expected


@pytest.mark.parametrize("gpu", ["a40", "rtx3070", "h100"])
def test_a_multiply_add_a_cycle_takes_operands_of_both_banks_or_reuse(gpu):
    """Published: a conflict of three costs 2 cycles, of two 1 (Huerta et al.); 128 results a cycle (CUDA Programming Guide)."""

    def each(*triples, **settings):
        body = [made("fma", register, *triples[number % len(triples)]) for number, register in enumerate(RESULTS)]
        return cycles_each(body, gpu=gpu, **settings) / len(body)

    assert each((8, 10, 12), (10, 12, 14), (12, 14, 8), (14, 8, 10)) == 3
    assert each((8, 10, 9), (10, 12, 11), (12, 14, 13), (14, 8, 15)) == 2
    tile = [made("fma", register, 8 + number // 4, 12 + number % 4, register) for number, register in enumerate(RESULTS)]
    assert cycles_each(tile, gpu=gpu) / 8 == 1  # of a matrix product: one factor is the same four times
    assert cycles_each(tile, gpu=gpu, **NO_REUSE) / 8 > 1.5


@pytest.mark.parametrize("gpu", ["v100", "a100"])
def test_in_two_cycles_only_three_operands_of_one_bank_conflict(gpu):
    """Jia et al. 2018. On Turing 3.03 and 2.06 cycles, and 2.03 with reuse (sjfeng1999/gpu-arch-microbenchmark, IADD3)."""
    for triple, cycles, without in (((8, 10, 12), 2, 3), ((8, 10, 9), 2, 2), ((8, 9, 11), 2, 2)):
        body = [made("fma", register, *triple) for register in RESULTS]
        assert cycles_each(body, gpu=gpu) / 8 == cycles
        assert cycles_each(body, gpu=gpu, **NO_REUSE) / 8 == without


def test_both_engines_agree():
    tile = [made("fma", register, 8 + number // 4, 12 + number % 4, register) for number, register in enumerate(RESULTS)]
    assert cycles_each(tile, gpu="a40", engine="native", warps=8) == cycles_each(tile, gpu="a40", engine="python", warps=8)


@pytest.mark.parametrize("banks", [3, 6])
def test_it_has_an_entry_for_each_bank(banks):
    with pytest.raises(
        ConfigError, match=f"^operands.reuse: an entry for each of operands.banks = {banks}, which has to be a power of two$"
    ):
        load_config("a40", {"operands.banks": banks})


def test_without_banks_there_is_nothing_to_reuse():
    assert cycles_each([made("fma", register, 8, 10, 12) for register in RESULTS], gpu="a40", operands__banks=0) / 8 == 1
