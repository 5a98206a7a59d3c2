"""`warploom ladder`."""

import json
import re

import pytest
from click.testing import CliRunner

from tests.places import EXAMPLES
from warploom.cli import main

TINY = EXAMPLES / "tiny"
MATADD = str(TINY / "matadd.asm")


def run(*arguments, status=0):
    result = CliRunner().invoke(main, ["ladder", *arguments])
    assert result.exit_code == status, result.output
    return result


def body(*arguments):
    return json.loads(run(*arguments, "--json").stdout)


def test_the_table_has_a_row_a_rung_and_fits_into_80_columns():
    title, table = run(MATADD).stdout.split("\n\n")[:2]
    assert title.replace("\n", " ") == "matadd from tiny up: 8 threads in 2 blocks, 2 cores, 4 data channels, 1 program channel"
    lines = table.splitlines()
    assert lines[0].split() == ["rung", "cycles", "gain", "total", "alone", "kept", "held", "up", "by"]
    assert lines[1].split() == ["tiny-gpu", "178", "1.00", "178", "instruction", "fetch,", "48", "%"]
    assert all(len(line) <= 80 for line in run(MATADD).stdout.splitlines())


def test_the_table_and_json_say_the_same():
    rows = {line[:18].strip(): line[18:].split()[:5] for line in run(MATADD).stdout.split("\n\n")[1].splitlines()[2:]}
    for rung in body(MATADD)["rungs"][1:]:
        ratios = [f"{rung[name]:.2f}" for name in ("gain", "speedup", "alone")]
        assert rows[rung["name"]] == [str(rung["cycles"]), *ratios, str(rung["same_channels_cycles"])]


def test_json_has_the_rungs():
    found = body(MATADD)
    assert (found["cores"], found["threads_per_block"], found["data_channels"], found["program_channels"]) == (2, 4, 4, 1)
    first, *others = found["rungs"]
    assert {name: first[name] for name in ("name", "settings", "cycles", "speedup", "bottleneck")} == {
        "name": "tiny-gpu", "settings": {}, "cycles": 178, "speedup": 1.0, "bottleneck": "instruction fetch",
    }  # fmt: skip
    assert len(others) == 13
    assert all(rung["same_memory"] and rung["skipped"] is None for rung in found["rungs"])
    assert all(rung["speedup"] == 178 / rung["cycles"] for rung in found["rungs"])
    assert others[-1]["cycles"] <= 89 and others[-1]["same_channels_cycles"] <= 89


def test_the_settings_of_a_rung_make_its_machine(tmp_path):
    rung = body(MATADD)["rungs"][8]
    arguments = [f"--set={name}={str(value).lower()}" for name, value in rung["settings"].items()]
    result = CliRunner().invoke(main, ["run", MATADD, "--json", *arguments])
    assert json.loads(result.stdout)["cycles"] == rung["cycles"]


def test_rungs_that_are_left_out_have_no_cycles_and_a_reason():
    rungs = body(str(TINY / "diverge.asm"))["rungs"]
    assert [rung["cycles"] is None for rung in rungs] == [True] * 12 + [False] * 2
    assert "the threads of a block disagree on this branch" in rungs[0]["skipped"]
    assert (rungs[0]["speedup"], rungs[0]["bottleneck"], rungs[12]["speedup"]) == (None, None, 1.0)
    text = run(str(TINY / "diverge.asm")).stdout
    assert re.search(r"^tiny-gpu +-  left out$", text, re.MULTILINE)
    assert "Left out, tiny-gpu to better scheduler: " in " ".join(text.split())


def test_another_machine_at_the_foot_and_other_rungs(tmp_path):
    found = body(MATADD, "--set", "gpu.cores=1", "--set", "l1.bytes=128", "--threads", "6")
    assert found["cores"] == 1
    assert "l1.bytes" not in found["rungs"][7]["settings"]
    assert found["rungs"][8]["changes"]["l1.bytes"] == 128
    file = tmp_path / "narrow.toml"
    file.write_text('base = "tiny"\n[memory]\ndata_channels = 1\n')
    assert body(MATADD, "--gpu", str(file))["data_channels"] == 1


def test_data_takes_the_place_of_the_programs_own(tmp_path):
    file = tmp_path / "data.csv"
    file.write_text("0,1,2,3\n1,1,1,1\n")
    threads = run(MATADD, "--buffer", f"memory={file}", "--threads", "4").stdout.splitlines()[0]
    assert "4 threads in 1 block" in threads


def test_a_variant_with_shared_memory():
    variant = str(TINY / "reduction_shared.asm")
    found = body(str(TINY / "reduction.asm"), "--shared-variant", variant)
    assert found["variant"] == variant
    assert found["rungs"][-1]["same_memory"]
    assert found["rungs"][-1]["cycles"] != found["rungs"][-2]["cycles"]


def test_explain_says_what_every_rung_is_and_costs():
    text = " ".join(run(MATADD, "--explain").stdout.split())
    for rung in body(MATADD)["rungs"]:
        assert f"{rung['name']}: {rung['about']}." in text
    assert "core.control=pipeline" in text


def test_a_page_that_needs_nothing_else(tmp_path):
    page = tmp_path / "ladder.html"
    result = run(MATADD, "-o", str(page))
    assert result.stderr == f"{page} is written\n"
    text = page.read_text(encoding="utf-8")
    assert not re.search(r"""(src|href)=|url\(|@import|<script""", text)
    for rung in body(MATADD)["rungs"]:
        assert f"<td>{rung['name']}</td><td>{rung['cycles']}</td>" in text
        assert f"<dt>{rung['name']}</dt>" in text
    assert text.count("class='bar'") == 2 * 14


@pytest.mark.parametrize(("name", "start"), [("ladder.png", b"\x89PNG\r\n"), ("ladder.SVG", b"<?xml")])
def test_a_plot(tmp_path, name, start):
    pytest.importorskip("matplotlib")
    plot = tmp_path / name
    run(MATADD, "-o", str(plot))
    content = plot.read_bytes()
    assert content.startswith(start)
    if name.endswith("SVG"):
        assert all(rung["name"].encode() in content for rung in body(MATADD)["rungs"])
        run(MATADD, "-o", str(plot))
        assert plot.read_bytes() == content


def test_a_plot_is_a_png_or_an_svg(tmp_path):
    result = run(MATADD, "-o", "ladder.gif", status=2)
    assert result.stderr == "error: -o ladder.gif: a ladder is drawn into a file that ends in .png or .svg, or written as an .html page\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((MATADD, "--gpu", "tiny-original"), "'tiny-original' has quirks that no other rung has ("),
        ((MATADD, "--set", "core.skip_wait=true"), "core.skip_wait is what the ladder itself switches: leave it out, "),
        ((MATADD, "--set", "gpu.core=4"), "there is no setting 'gpu.core'"),
        ((MATADD, "--set", "l1.replacement=lifo"), "l1.replacement = 'lifo': it is one of lru, fifo, plru, random"),
        (
            (MATADD, "--threads", "300"),
            f"the ladder begins with the machine 'tiny', which cannot run this program: {MATADD}: threads = 300: ",
        ),
    ],
)
def test_bad_input_is_one_sentence(arguments, message):
    result = run(*arguments, status=2)
    assert result.stderr.startswith(f"error: {message}")
    assert result.stderr.count("\n") == 1
    assert json.loads(run(*arguments, "--json", status=2).stdout)["status"] == "error"


def test_a_file_that_is_not_there(tmp_path):
    result = run(str(tmp_path / "no.asm"), status=2)
    assert "there is no such file" in result.stderr


def test_a_kernel_that_does_not_end(tmp_path):
    kernel = tmp_path / "endless.asm"
    kernel.write_text(".threads 4\nCMP R0, R0\nagain:\nBRz again\nRET\n")
    result = run(str(kernel), "--max-cycles", "500", status=1)
    assert result.stderr.endswith("error: on the rung 'tiny-gpu' the kernel is still running after 500 cycles\n")


def test_a_kernel_with_a_fault(tmp_path):
    kernel = tmp_path / "off.asm"
    kernel.write_text(".threads 4\nCONST R0, #1\n")
    error = json.loads(run(str(kernel), "--json", status=1).stdout)["error"]
    assert error.startswith("on the rung 'tiny-gpu': ") and "ran off the program" in error


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("-o", "x.svg", "-o", "x.svg"), "-o x.svg: this file is named twice"),
        (("-o", MATADD), f"-o {MATADD}: a ladder is drawn into a file that ends in .png or .svg, or written as an .html page"),
        (("-o", "/nowhere/x.html"), "/nowhere/x.html cannot be written: No such file or directory"),
    ],
)
def test_files_that_cannot_be_written_are_refused_before_the_climb(arguments, message):
    result = run(MATADD, *arguments, status=2)
    assert (result.stdout, result.stderr) == ("", f"error: {message}\n")


TWO = """
import numpy as np
from warploom import cuda

@cuda.jit
def scaled(x, a):
    i = cuda.grid(1)
    if i < x.size:
        x[i] *= a

@cuda.jit
def last_one(x, out):
    waits = 0.0
    for n in range(50 * (cuda.gridDim.x - cuda.blockIdx.x)):
        waits += x[n % 256]
    out[0] = waits

x, out = np.arange(256, dtype=np.float32), np.zeros(1, np.float32)
scaled[2, 128](x, np.float32(2))
scaled[2, 128](x, np.float32(3))
last_one[8, 32](x, out)
print(int(x[255]))
"""
SMALL = ("--gpu", "sm")
RUNGS = [
    "bare", "instruction cache", "coalescing", "data cache", "second-level cache", "shared-memory banks", "several blocks",
    "several schedulers", "better scheduler",
]  # fmt: skip


@pytest.fixture
def script(tmp_path):
    path = tmp_path / "kernels.py"
    path.write_text(TWO)
    return str(path)


def test_all_launches_of_a_python_program_climb_in_one_table(script):
    result = run(script, *SMALL)
    words, table, _, warning = result.stdout.split("\n\n")
    assert words == "1530\n3 launches from a bare sm up"
    head, *rows = [re.split("  +", line) for line in table.splitlines()]
    assert head == ["rung", "cycles", "gain", "total", "scaled", "last_one"]
    assert [row[0] for row in rows] == RUNGS
    launches = body(script, *SMALL)["launches"]
    assert [(one["launch"], one["name"]) for one in launches] == [(0, "scaled"), (1, "scaled"), (2, "last_one")]
    for row, *rungs in zip(rows, *(one["rungs"] for one in launches), strict=True):
        cycles = [rung["cycles"] for rung in rungs]
        assert [int(cell.replace(" ", "")) for cell in (row[1], row[-2], row[-1])] == [sum(cycles), cycles[0] + cycles[1], cycles[2]]
    assert all(rung["same_memory"] for one in launches[:2] for rung in one["rungs"])
    assert not all(rung["same_memory"] for rung in launches[2]["rungs"])
    assert " ".join(warning.split()).startswith("Launch 2, last_one: WARNING: several blocks leaves different values in memory (out[0] is ")
    assert all(len(line) <= 80 for line in result.stdout.splitlines())


def test_of_one_kernel_the_table_has_no_columns_by_kernel(tmp_path):
    path = tmp_path / "kernels.py"
    path.write_text(TWO.replace("last_one[8, 32](x, out)\n", ""))
    assert run(str(path), *SMALL).stdout.split("\n\n")[1].splitlines()[0].split() == ["rung", "cycles", "gain", "total"]


def test_one_launch_of_a_python_program_climbs_in_detail(script, tmp_path):
    page = tmp_path / "ladder.html"
    result = run(script, *SMALL, "--launch", "scaled", "--explain", "-o", str(page))
    title, table = result.stdout.split("\n\n")[:2]
    assert title == "scaled from a bare sm up: 256 threads in 2 blocks"
    assert table.splitlines()[0].split() == ["rung", "cycles", "gain", "total", "alone", "held", "up", "by"]
    found = body(script, *SMALL, "--launch", "scaled")
    assert [rung["name"] for rung in found["rungs"]] == RUNGS
    assert {rung["same_channels_cycles"] for rung in found["rungs"]} == {None}
    top = json.loads(CliRunner().invoke(main, ["run", script, "--json"]).stdout)["launches"][0]
    assert found["rungs"][-1]["cycles"] == top["cycles"]  # the last rung is the preset
    assert page.read_text(encoding="utf-8").count("class='bar'") == len(RUNGS)


def test_the_ladder_of_warps_ends_with_the_machine_that_is_asked_for(script):
    whole = [rung["name"] for rung in body(script, "--launch", "1", "--set", "gpu.cores=4")["rungs"]]
    assert whole == [*RUNGS, "more cores"]
    less = body(script, *SMALL, "--launch", "1", "--set", "core.blocks=1", "--set", "core.scheduler=round_robin")
    assert [rung["name"] for rung in less["rungs"]] == [name for name in RUNGS if name not in ("several blocks", "better scheduler")]
    assert [rung["name"] for rung in body(MATADD, *SMALL)["rungs"]] == RUNGS


def test_a_program_of_a_machine_with_warps_climbs_to_its_own(tmp_path):
    (tmp_path / "x.csv").write_text("1, 2, 3, 4\n")
    buffers = [f"--buffer={name}={tmp_path / 'x.csv'}" for name in ("x", "y")]
    for program in ((str(EXAMPLES / "vortex" / "saxpy.elf"), "--threads=4", "--arg=a=2", *buffers), (str(EXAMPLES / "gcn" / "loop.gcn"),)):
        top = json.loads(CliRunner().invoke(main, ["run", *program, "--json"]).stdout)
        assert body(*program)["rungs"][-1]["cycles"] == top["cycles"]


def test_the_title_counts_no_threads_of_a_program_that_starts_them_itself(tmp_path):
    (tmp_path / "x.csv").write_text("1, 2, 3, 4\n")
    buffers = [f"--buffer={name}={tmp_path / 'x.csv'}" for name in ("x", "y")]
    shown = run(str(EXAMPLES / "vortex" / "saxpy.elf"), "--threads=4", "--arg=a=2", *buffers).stdout
    assert shown.startswith("saxpy from a bare vortex-2024 up: it starts its threads itself\n")


def test_the_generation_of_vortex_that_is_asked_for_needs_no_machine(tmp_path):
    path = tmp_path / "a.vx"
    path.write_text("csrr t0, 0xcc3\nvx_tmc zero\n")  # a control register of both, with different names
    assert body(str(path), "--set", "vortex.isa=2022")["rungs"][0]["name"] == "bare"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--launch", "scale"), "{path}: there is no launch 'scale', did you mean 'scaled'?; there are 0 scaled, 1 scaled, 2 last_one"),
        (("--threads", "64"), "--threads: a Python program says this itself; choose one of its launches with --launch"),
        (("--shared-variant", MATADD), "--shared-variant: {path} launches its variants itself; climb one of its launches with --launch "),
        (("--cost",), "--cost: the hardware beside the model is priced for tiny's rungs only; leave it out for the ladder up to v100"),
        (("--gpu", "tiny"), "the ladder begins with the machine 'tiny', which cannot run this program: "),
        (("--gpu", "sm", "-o", "x.svg"), "-o: one launch is drawn, and {path} has several: choose one with --launch N or NAME"),
    ],
)
def test_what_a_ladder_of_a_python_program_refuses(script, arguments, message, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    said = run(script, *arguments, status=2).stderr
    assert said.startswith(f"error: {message.format(path=script)}"), said
    assert said.count("\n") == 1


def test_a_python_program_that_launches_nothing_or_fails(tmp_path):
    path = tmp_path / "kernel.py"
    path.write_text("print('hello')\n")
    assert run(str(path), status=2).stderr == f"error: {path}: the program launches no kernel; write kernel[blocks, threads](...)\n"
    path.write_text("raise SystemExit(3)\n")
    assert run(str(path), status=3).stdout == ""
    path.write_text("from warploom import cuda\nimport numpy as np\n@cuda.jit\ndef off(x):\n    x[9] = 1\noff[1, 1](np.zeros(4))\n")
    assert run(str(path), *SMALL, status=1).stderr.startswith("error: on the rung 'bare': ")
