"""The runs of a real processor that are recorded, in both engines: every register, flag and byte."""

import json

import pytest

from tests.isa.avx512.hardware import NAMES, run
from tests.places import GOLDEN

RECORDED = {path.stem: json.loads(path.read_text()) for path in sorted((GOLDEN / "avx512").glob("*.json"))}


def agrees(recorded, case, engine):
    body = bytes.fromhex("".join(one["bytes"] for one in recorded["instructions"]))
    before, after = case["before"], case["after"]
    zmm, masks, general, flags, memory = run(body, before, recorded["memory_base"], before["memory"], engine)
    for number in range(32):
        expected = after["zmm"].get(f"zmm{number}", before["zmm"].get(f"zmm{number}", [0xCCCC0000 + number] * 16))
        assert zmm[number].tolist() == expected, f"zmm{number}"
    assert masks == [after["k"][f"k{number}"] for number in range(8)]
    assert {name: general[name] for name in after["gpr"]} == after["gpr"]
    assert {name: flags[letter] for name, letter in NAMES.items()} == after["flags"]
    assert memory[: len(after["memory"])].tolist() == after["memory"]


@pytest.mark.every(3)
@pytest.mark.parametrize("name", RECORDED)
def test_a_recorded_run_comes_out_the_same(name):
    for case in RECORDED[name]["cases"]:
        agrees(RECORDED[name], case, "python")


@pytest.mark.parametrize("name", RECORDED)
def test_the_compiled_machine_agrees_too(name):
    agrees(RECORDED[name], RECORDED[name]["cases"][0], "native")


def test_fifteen_runs_of_108_mnemonics_are_recorded():
    instructions = [one for recorded in RECORDED.values() for one in recorded["instructions"]]
    assert (len(RECORDED), len(instructions)) == (15, 229)
    assert len({one["text"].split()[0] for one in instructions}) == 108
