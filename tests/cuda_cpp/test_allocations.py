"""Allocations and `check`: planted faults are found at their lines, and memory has the names of the host's source."""

import re

import numpy as np
import pytest

from tests.cuda_cpp.conftest import ROOT
from warploom.checks.report.findings import Finding
from warploom.cuda_cpp.allocations import Allocations, name_in
from warploom.isa.uop import GLOBAL_SPACE

FAULTS = ROOT / "tests" / "cuda_cpp" / "faults"
EXPECTED = re.compile(r"// expect: (\d+) ([\w-]+) ?(\w*)")


@pytest.mark.parametrize(
    ("call", "name"),
    [
        ("cudaMalloc(&x, 4);", "x"), ("checkCudaErrors(cudaMalloc((void **)&d_in, n * 4));", "d_in"),
        ("cudaMallocManaged(&p->next, 8);", "p->next"),
        ("CHECK(cudaMalloc<float>(&y, 4));", "y"), ("float *z = get();", ""),
    ],
)  # fmt: skip
def test_the_name_of_an_allocation_is_that_of_its_line(tmp_path, call, name):
    source = tmp_path / "a.cu"
    source.write_text(f"int main() {{\n    {call}\n}}\n")
    assert name_in(f"{source}:2") == name
    assert name_in(f"{source}:99") == name_in("no file:1") == ""


def finding(kind, address):
    message = f"thread 0 of block 0 reads byte {address:#x} of memory, which nobody has written"
    return Finding(kind, message, "", 0, address=address, space=GLOBAL_SPACE)


def test_a_finding_names_the_allocation_and_one_past_its_end_is_of_bounds():
    held = Allocations(checked=True)
    held.add(4096, 400, "a.cu:11", False)
    inside, past = held.named(finding("uninitialised", 4100)), held.named(finding("uninitialised", 4096 + 400))
    assert inside.message == "thread 0 of block 0 reads byte 4 of an allocation (400 bytes, a.cu:11), which nobody has written"
    assert (inside.kind, past.kind) == ("uninitialised", "bounds")
    assert past.message == "thread 0 of block 0 reads byte 400 of an allocation (400 bytes, a.cu:11): that is past its end"
    assert held.named(finding("race", 1)).message.startswith("thread 0 of block 0 reads byte 0x1 of memory")


def test_what_the_host_writes_and_copies_is_written():
    held = Allocations(checked=True)
    for address in (4096, 8192):
        held.add(address, 8, "", False)
    held.written(4096, 4)
    held.copied(8192, 4096, 8)
    assert [np.flatnonzero(one.unwritten[: one.size]).tolist() for one in held.held.values()] == [[4, 5, 6, 7], [4, 5, 6, 7]]
    held.ran(None)
    assert not any(one.unwritten[: one.size].any() for one in held.held.values())
    assert all(one.unwritten[one.size :].all() for one in held.held.values())  # the gap stays nobody's


def test_an_address_that_is_given_once_more_is_another_allocation():
    held = Allocations()
    held.add(4096, 8, "", False)
    first = held.held.pop(4096)
    held.add(4096, 8, "", False)
    assert held.held[4096].number != first.number


@pytest.mark.slow
@pytest.mark.parametrize("path", sorted(FAULTS.glob("*.cu")), ids=lambda path: path.stem)
def test_a_planted_fault_is_found_at_its_line(compiled, path):
    line, kind, name = EXPECTED.match(path.read_text()).groups()
    run = compiled("check", path, "--engine", "python")
    found = [text for text in (run.stdout + run.stderr).splitlines() if f"{path.name}:{line}:" in text and f"[{kind}]" in text]
    assert found, run.stdout + run.stderr
    assert f"`{name}`" in found[0] or f" {name}[" in found[0] or not name, found
