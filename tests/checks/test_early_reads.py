"""Early reads: what the check says of kernels that got the old value on an H100, and that it says nothing of compiled code."""

import csv

import pytest

from tests.h100_words import FOLDER, program
from tests.isa.sass.places import bytes_of
from warploom import GPU
from warploom.checks.check import run_checked
from warploom.checks.early_reads import early_reads
from warploom.isa.launch import Launch
from warploom.isa.program import Program
from warploom.isa.sass.code import EXTRA, SCALARS
from warploom.isa.sass.control.roles import schedule_of
from warploom.isa.sass.cubin import read
from warploom.isa.sass.lowering import lower

FIRST = 231  # the kernel of the first row


def pairs():
    with (FOLDER / "pairs.csv").open() as file:
        return [(FIRST + number, row["writer"], row["reader"], int(row["cycles"])) for number, row in enumerate(csv.DictReader(file))]


def _checked(kernel, writer, reader, cycles):
    """Of stall counts from 1 on, those that are too short are found, and no other."""
    found = early_reads(program(kernel, turns=1))
    assert len({one.reader for one in found}) == cycles - 1, (writer, reader)
    assert [one.cycles for one in found if one.register == found[0].register][: cycles - 1] == sorted(range(1, cycles), reverse=True)


@pytest.mark.parametrize(("kernel", "writer", "reader", "cycles"), pairs()[::24])
def test_reads_that_got_the_old_value_on_the_hardware_are_found(kernel, writer, reader, cycles):
    _checked(kernel, writer, reader, cycles)


@pytest.mark.slow
@pytest.mark.parametrize(("kernel", "writer", "reader", "cycles"), pairs())
def test_all_of_them(kernel, writer, reader, cycles):
    _checked(kernel, writer, reader, cycles)


def _program(cubin, kernel):
    """A kernel's code as a Program that is not launched."""
    lowered = lower(cubin, kernel, dict.fromkeys((0, *cubin.banks, *kernel.own_constants), 1 << 16))
    tables = {"uops": lowered.uops, "code": lowered.code, "text": lowered.text, "schedule": schedule_of(lowered.instructions)}
    sizes = {"registers": kernel.registers + EXTRA, "counted_registers": kernel.registers, "scalars": SCALARS}
    return Program(isa="sass-90", name=kernel.name, register_names=(), launch=Launch(block=32, grid=1), **tables, **sizes)


@pytest.mark.parametrize("architecture", [80, 90])
def test_compiled_code_reads_nothing_early(architecture):
    cubin = read(bytes_of(architecture), "k")
    assert {name: early_reads(_program(cubin, kernel)) for name, kernel in cubin.kernels.items()} == {name: [] for name in cubin.kernels}


def test_a_finding_says_what_is_read_too_early_and_what_to_do():
    report = run_checked(GPU("h100-sxm", set={"gpu.cores": 1}).config, program(FIRST, turns=1), engine="python")
    assert report.findings[0].kind == "early-read"
    assert report.findings[0].message == "the IADD3 at 0x780 reads R24 3 cycles too early: written by the MOV at 0x770, which takes 4"
    assert report.findings[0].fix == "give the MOV at 0x770 3 more in its stall count, or put other instructions between the two"
    assert [one.kind for one in report.findings].count("early-read") == 3
