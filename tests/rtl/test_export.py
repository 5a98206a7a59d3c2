"""A design that is built: its files, and what other people's simulators make of them."""

import re
import shutil
import subprocess

import pytest

from tests.rtl.mutants import mutate
from tests.rtl.test_mutants import KERNEL
from warploom import GPU, rtl, tiny

SMALL = {"gpu.cores": 2, "core.threads_per_block": 2, "memory.data_channels": 2}
DIVERGE = ".threads 2\nCONST R1, #1\nCMP %threadIdx, R1\nBRz OUT\nNOP\nOUT:\nRET"
needs_icarus = pytest.mark.skipif(not shutil.which("iverilog"), reason="there is no Icarus Verilog")
needs_verilator = pytest.mark.skipif(not shutil.which("verilator"), reason="there is no Verilator")


def write(place, files):
    for name, text in files.items():
        (place / name).write_text(text)


def icarus(place):
    """(what the compiler says, what the bench says)."""
    compiler = subprocess.run(
        ["iverilog", "-g2005", "-Wall", "-o", "bench.vvp", "testbench.v", "gpu.v"], cwd=place, capture_output=True, text=True, check=True
    )
    run = subprocess.run(["vvp", "bench.vvp"], cwd=place, capture_output=True, text=True, check=True)
    return compiler.stdout + compiler.stderr, run.stdout


def test_the_files_are_there_with_what_the_model_gave():
    gpu = GPU("tiny", set=SMALL)
    files = rtl.build(gpu, tiny.assemble(KERNEL, path="kernel.asm"))
    assert set(files) == {"gpu.v", "gpu.il", "testbench.v", "program.hex", "data.hex", "expected.hex", "README.md"}
    result = gpu.run(tiny.assemble(KERNEL))
    assert [int(row, 16) for row in files["expected.hex"].split()] == result.memory.tolist()
    assert f"It ends after {result.cycles} cycles" in files["README.md"]
    assert f"PASS: {result.cycles} cycles and 256 bytes of memory" in files["testbench.v"]
    modules = re.findall(r"^module \\?([\w.]+)", files["gpu.v"], re.MULTILINE)
    assert {"gpu", "gpu.core_1.alu_1", "gpu.dispatcher", "gpu.faults", "gpu.data"} <= set(modules)


def test_every_port_of_the_module_is_in_the_readme():
    files = rtl.build(GPU("tiny-original", set=SMALL))
    assert "testbench.v" not in files
    ports = re.search(r"module gpu\(([^;]*)\);", files["gpu.v"])[1].replace("\n", "").split(",")
    named = re.findall(r"`(\w+)`", files["README.md"].partition("## Ports")[2])
    assert {re.sub(r"__\d+$", "__K", port.strip()) for port in ports} <= set(named)


def test_a_program_that_does_not_end_is_not_replayed(monkeypatch):
    monkeypatch.setattr("warploom.rtl.testbench.MOST_CYCLES", 500)
    with pytest.raises(rtl.NoReplay, match="endless still runs after 500 cycles"):
        rtl.build(GPU("tiny", set=SMALL), tiny.assemble(".threads 1\nCONST R1, #1\nL:\nCMP R1, R1\nBRz L\nRET", path="endless.asm"))


@needs_icarus
@pytest.mark.parametrize(("preset", "changes"), [("tiny-original", {}), ("tiny", {"core.prefetch": True, "core.skip_wait": True})])
def test_icarus_takes_it_without_a_warning_and_gets_what_the_model_got(preset, changes, tmp_path):
    kernel = tiny.assemble(KERNEL.replace(".threads 3", ".threads 4"))
    write(tmp_path, rtl.build(GPU(preset, set=SMALL | changes), kernel))
    warnings, said = icarus(tmp_path)
    assert warnings == ""
    assert said.splitlines()[-1].startswith("PASS: ")


@needs_icarus
def test_icarus_gets_the_models_fault(tmp_path):
    files = rtl.build(GPU("tiny", set=SMALL), tiny.assemble(DIVERGE))
    assert "the threads of a block disagree on this branch" in files["README.md"]
    write(tmp_path, files)
    assert icarus(tmp_path)[1].splitlines()[-1].startswith("PASS: ")
    bench = tmp_path / "testbench.v"
    bench.write_text(bench.read_text().replace("fault_pc == 2", "fault_pc == 3").replace("fault_pc != 2", "fault_pc != 3"))
    assert icarus(tmp_path)[1].splitlines()[-1] == "FAIL"


@needs_icarus
def test_the_bench_notices_wrong_hardware_and_wrong_memory(tmp_path, monkeypatch):
    good = rtl.build(GPU("tiny", set=SMALL), tiny.assemble(KERNEL))
    mutate(monkeypatch, "sequencer.alu.Alu.quotient", "self.rs // self.rt", "self.rt // self.rs")
    write(tmp_path, good | {"gpu.v": rtl.build(GPU("tiny", set=SMALL))["gpu.v"]})
    assert icarus(tmp_path)[1].splitlines()[-1] == "FAIL"
    write(tmp_path, good | {"expected.hex": good["expected.hex"].replace("00", "01", 1)})
    said = icarus(tmp_path)[1].splitlines()
    assert said[0].startswith("data memory[")
    assert said[-1] == "FAIL"


@needs_verilator
def test_verilator_has_nothing_of_consequence_to_say(tmp_path):
    write(tmp_path, rtl.build(GPU("tiny", set=SMALL), tiny.assemble(KERNEL)))
    command = ["verilator", "--lint-only", "--timing", "-Wall", "--top-module", "testbench", "testbench.v", "gpu.v"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    # Constants with fewer bits than what they are compared with, signals that a configuration has no use for, and the bench's style.
    harmless = {"WIDTH", "WIDTHEXPAND", "UNUSEDSIGNAL", "DECLFILENAME", "BLKSEQ"}
    assert set(re.findall(r"%(?:Warning|Error)-?([A-Z]*)", done.stdout + done.stderr)) - {""} <= harmless


@needs_verilator
@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("c++"), reason="there is no C++ compiler")
def test_verilator_gets_what_the_model_got(tmp_path):
    write(tmp_path, rtl.build(GPU("tiny", set=SMALL), tiny.assemble(KERNEL)))
    flags = ["--binary", "--timing", "-Wno-lint", "-Wno-fatal", "--top-module", "testbench"]
    subprocess.run(["verilator", *flags, "testbench.v", "gpu.v"], cwd=tmp_path, capture_output=True, check=True)
    run = subprocess.run([str(tmp_path / "obj_dir" / "Vtestbench")], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert "PASS: " in run.stdout
