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
        ((MATADD, "--gpu", "sm"), "the ladder begins with cores that run one instruction at a time, and 'sm' has warps; "),
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


def test_a_kernel_in_python_is_sent_to_compare(tmp_path):
    path = tmp_path / "kernel.py"
    path.write_text("raise SystemExit('this program must not run')\n")
    for more in ((), ("--gpu", "sm")):
        said = " ".join(run(str(path), *more, status=2).stderr.split())
        assert said == (
            f"error: {path}: a ladder begins with a core that runs one instruction at a time, and a kernel in Python needs warps; "
            f"`warploom compare {path} --over core.divergence=stack,its` and the like compare machines that have them"
        )
