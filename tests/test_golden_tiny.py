"""The tiny machine against recordings of the published hardware, and its two presets against each other."""

import pytest

from tests.tiny_golden import NAMES, TRACED, outcome, program, recorded_outcome, recorded_trace, repeat, settings
from warploom import GPU

# The recorded runs that touch a quirk of the published hardware, and what they meet.
PARTIAL = "its last block is not full: the published hardware never ends it"
QUIRKY = {
    "br_masks__c2_t4_d4": ("compare_flags", "it compares 2 with 1: the published hardware calls that negative"),
    "div_by_zero__c2_t4_d4": ("divide_zero", "it divides by zero: 0 in the recording, 255 here"),
    "matadd1_partial__c2_t4_d4": ("partial_block", PARTIAL),
    "matadd3_partial__c2_t4_d4": ("partial_block", PARTIAL),
    "matadd5_partial__c2_t4_d4": ("partial_block", PARTIAL),
}


def test_all_recordings_are_here():
    assert len(NAMES) == 82
    assert len(TRACED) == 11
    assert QUIRKY.keys() <= set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_a_recorded_run_is_repeated(name):
    assert outcome(repeat(name, "tiny-original")) == recorded_outcome(name)


def test_all_recorded_runs_are_repeated_natively():
    wrong = [name for name in NAMES if outcome(repeat(name, "tiny-original", engine="native")) != recorded_outcome(name)]
    assert wrong == []


@pytest.mark.parametrize("name", TRACED)
def test_a_recorded_trace_is_repeated_in_every_field_of_every_cycle(name):
    for expected, line in zip(recorded_trace(name), repeat(name, "tiny-original").trace(), strict=True):
        assert line == expected


@pytest.mark.parametrize("name", [name for name in NAMES if name not in QUIRKY])
def test_without_a_quirk_both_presets_agree(name):
    assert outcome(repeat(name, "tiny")) == recorded_outcome(name)


@pytest.mark.parametrize("name", QUIRKY)
def test_with_its_quirk_alone_the_default_preset_does_what_was_recorded(name):
    quirk, _reason = QUIRKY[name]
    assert outcome(repeat(name, "tiny")) != recorded_outcome(name)
    assert outcome(repeat(name, "tiny", **{quirk: True})) == recorded_outcome(name)


@pytest.mark.parametrize("threads", [1, 3, 5])
def test_a_partial_block_ends_and_computes_what_full_ones_do(threads):
    name = f"matadd{threads}_partial__c2_t4_d4"
    result = repeat(name, "tiny")
    data = program(name).data
    assert result.status == "done"
    sums = range(2 * threads, 3 * threads)  # behind the two vectors
    assert result.memory[sums.start : sums.stop].tolist() == (data[:threads] + data[threads : 2 * threads]).tolist()
    assert set(result.changed) <= set(sums)


def test_the_reference_kernels_take_the_cycles_that_the_original_reports():
    assert repeat("matadd8_ref__c2_t4_d4", "tiny").cycles == 178
    assert repeat("matmul2x2_ref__c2_t4_d4", "tiny").cycles == 491


def test_a_change_of_one_timing_would_be_noticed():
    name = "matadd8_ref__c2_t4_d4"
    assert GPU("tiny", set=settings(name) | {"core.skip_wait": True}).run(program(name)).cycles < 178
