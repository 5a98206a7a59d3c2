"""`warploom lockstep`."""

import json
import subprocess
import sys

import pytest
from click.testing import CliRunner

from tests.places import EXAMPLES, ROOT
from tests.rtl.mutants import mutate
from tests.rtl.test_mutants import MUTANTS
from warploom.cli import main

MATADD = str(EXAMPLES / "tiny" / "matadd.asm")
SMALL = ("--set", "gpu.cores=1", "--set", "core.threads_per_block=2", "--set", "memory.data_channels=1")


def run(*arguments):
    return CliRunner().invoke(main, ["lockstep", *arguments])


def test_it_says_that_all_agrees():
    result = run(MATADD, *SMALL)
    assert result.exit_code == 0
    assert result.stdout.splitlines()[1] == "tiny-original: 1 core x 2 threads, 1 data and 1 program channel"
    assert result.stdout.splitlines()[2].startswith("model and hardware agree: ")


def test_it_runs_over_the_data_that_is_given(monkeypatch, tmp_path):
    from warploom import rtl

    data = tmp_path / "x.csv"
    data.write_text("9,8,7\n", encoding="utf-8")
    compared = []

    def lockstep(program, *arguments, **options):
        compared.append(program)
        return original(program, *arguments, **options)

    original = rtl.lockstep
    monkeypatch.setattr(rtl, "lockstep", lockstep)
    assert run(MATADD, *SMALL, "--buffer", f"memory={data}", "--threads", "2").exit_code == 0
    assert compared[0].launch.buffers["memory"].tolist() == [9, 8, 7]
    assert compared[0].launch.threads == 2


def test_an_old_name_is_refused_with_the_new_one():
    result = run(MATADD, "--data", "x.csv")
    assert (result.exit_code, result.stderr) == (2, "error: --data is called --buffer memory=FILE\n")


def test_a_difference_is_exit_status_1_with_cycle_field_and_values(monkeypatch):
    mutate(monkeypatch, *MUTANTS["two instructions at a time"][:3])
    result = run(MATADD, *SMALL)
    assert result.exit_code == 1
    assert "cycle 12: cores[0].threads[0].next_pc is 2 in the hardware, the model says 1" in result.stdout
    body = json.loads(run(MATADD, *SMALL, "--json").stdout)
    assert (body["agrees"], body["status"]) == (False, "stopped")
    assert (body["difference"]["field"], body["difference"]["cycle"]) == ("cores[0].threads[0].next_pc", 12)
    assert [row["cycle"] for row in body["difference"]["around"]] == list(range(8, 15))


def test_json_has_what_was_compared():
    body = json.loads(run(MATADD, *SMALL, "--max-cycles", "40", "--json").stdout)
    assert (body["agrees"], body["status"], body["cycles"], body["difference"]) == (True, "timeout", 40, None)
    assert body["hardware"]["cores"] == 1


def test_waveforms_have_the_names_of_the_units(tmp_path):
    out = tmp_path / "matadd.vcd"
    assert run(MATADD, *SMALL, "--max-cycles", "40", "--vcd", str(out)).exit_code == 0
    text = out.read_text()
    assert all(f"$scope module {unit} $end" in text for unit in ("core_0", "sequencer", "alu_1", "dispatcher"))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--set", "fetch.sets=4"), "fetch.sets = 4: the instruction cache has no hardware"),
        (("--simulator", "verilator", "--vcd", "x.vcd"), "--vcd writes what pysim simulates"),
        (("--vcd", MATADD), "this file is an input"),
    ],
)
def test_what_cannot_be_done_is_exit_status_2(arguments, message):
    result = run(MATADD, *arguments)
    assert result.exit_code == 2
    assert message in result.stderr


def test_without_the_extra_it_says_what_to_install():
    code = "import sys; sys.modules['amaranth'] = None; from warploom.cli import main; main()"
    done = subprocess.run([sys.executable, "-c", code, "lockstep", MATADD], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr == "error: the hardware needs the package amaranth, which is not installed: pip install 'warploom[rtl]'\n"


def test_the_core_package_loads_no_amaranth():
    code = "import sys, warploom; warploom.GPU('tiny').run(warploom.load(sys.argv[1])); print('amaranth' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code, MATADD], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


def test_a_machine_with_warps_is_compared_unit_by_unit():
    found = run(MATADD, "--gpu", "tiny-simt", "--unit", "scheduler", "--unit", "coalescer")
    assert found.exit_code == 0, found.output
    lines = found.stdout.splitlines()
    assert lines[1] == "tiny-simt: 2 units beside the model"
    assert lines[2].startswith("  scheduler: agrees in ")
    assert "    takes longer: a transaction leaves per cycle" in lines
    body = json.loads(run(MATADD, "--gpu", "tiny-simt", "--unit", "tags", "--json").stdout)
    assert (body["agrees"], body["units"][0]["unit"], body["units"][0]["difference"]) == (True, "tags", None)


def test_a_unit_that_differs_is_shown_and_the_status_says_so(monkeypatch):
    mutate(monkeypatch, "core.load_store.coalescer.Coalescer.elaborate", "pending & same", "leader")
    found = run(MATADD, "--gpu", "tiny-simt", "--unit", "coalescer")
    assert found.exit_code == 1
    assert "  coalescer: cycle " in found.stdout


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--unit", "stack"], "--unit is for machines with warps; tiny-original runs one instruction at a time, and is compared whole"),
        (["--gpu", "tiny-simt", "--vcd", "x.vcd"], "--vcd is for machines that are compared whole; of tiny-simt the units are, one by one"),
        (["--gpu", "tiny-simt", "--unit", "minpc"], "tiny-simt has no minpc that hardware can stand beside"),
    ],
)
def test_options_that_do_not_fit_are_refused(arguments, said):
    found = run(MATADD, *arguments)
    assert found.exit_code == 2
    assert said in found.stderr
