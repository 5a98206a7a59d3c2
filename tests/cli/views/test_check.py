"""`warploom check`: findings with their lines, exit statuses, JSON, one launch of many, programs that are not Python."""

import json
import re

import pytest
from click.testing import CliRunner

from tests.places import ROOT
from warploom.cli import main
from warploom.cli.terminal import progress

SCRIPT = """
import numpy as np
from numba import cuda


@cuda.jit
def good(x, out):
    i = cuda.grid(1)
    out[i] = x[i]


@cuda.jit
def racing(x, out):
    i = cuda.grid(1)
    out[0] += x[i]


x = np.arange(64, dtype=np.int32)
good[2, 32](x, np.zeros_like(x))
racing[2, 32](x, np.zeros_like(x))
print("the script has ended")
"""


@pytest.fixture
def script(tmp_path):
    path = tmp_path / "two.py"
    path.write_text(SCRIPT)
    return str(path)


def check(*arguments):
    return CliRunner().invoke(main, ["check", *arguments, "--engine", "python"])


def test_a_finding_has_its_line_its_threads_and_what_to_do(script):
    run = check(script)
    assert run.exit_code == 1, run.stderr
    assert "two.py:15:5: error: thread" in run.stdout and "[lost-update]" in run.stdout
    assert "    out[0] += x[i]\n        ^~~~~" in run.stdout and "fix: " in run.stdout and "order: here" in run.stdout
    assert "the script has ended" in run.stdout
    assert "1 finding in 2 launches" in run.stderr


def test_one_launch_of_many(script):
    clean = check(script, "--launch", "good")
    assert clean.exit_code == 0 and "nothing found in 1 launch" in clean.stderr
    assert check(script, "--launch", "1").exit_code == 1
    missing = check(script, "--launch", "neither")
    assert "there is no launch 'neither'" in missing.stderr and "; there are 0 " in missing.stderr


def test_each_launch_has_its_progress_on_a_terminal(script, monkeypatch):
    told = []

    class Told(progress.Progress):
        def __init__(self, what, total, **options):
            super().__init__(what, total, **options)
            told.append([what, options["quiet"], 0])

        def __call__(self, done):
            told[-1][2] = max(told[-1][2], done)

        def __exit__(self, *given):
            told[-1].append("gone")

    monkeypatch.setattr(progress, "Progress", Told)
    monkeypatch.setattr("warploom.machine.run.driver.SLICE_SECONDS", 1e-9)
    check(script)
    assert [one[:2] for one in told] == [["checking launch 0, good", False], ["checking launch 1, racing", False]]
    assert all(one[2] > 0 and one[3:] == ["gone"] for one in told)
    told.clear()
    check(script, "--launch", "racing", "--json")
    assert [one[:2] for one in told] == [["checking launch 1, racing", True]]


DIVERGING = """
import numpy as np
from numba import cuda


@cuda.jit
def half(x, out):
    i = cuda.grid(1)
    if x[0] == 0:
        out[i] = 0
    if x[i] % 2 == 0:
        for k in range(x[i]):
            out[i] += k


half[1, 32](np.arange(32, dtype=np.int32), np.zeros(32, np.int32))
"""


@pytest.mark.parametrize("mechanism, said", [("uniform", "disagree on this branch: lanes 1, 3, 5"), ("masks", "nothing has split them")])
def test_mechanisms_that_cannot_diverge_refuse_the_first_branch_on_which_lanes_disagree(tmp_path, mechanism, said):
    path = tmp_path / "half.py"
    path.write_text(DIVERGING)
    run = check(str(path), "--set", f"core.divergence={mechanism}")
    assert run.exit_code == 1
    (first, line, caret) = run.stdout.splitlines()[:3]
    assert "half.py:11:8: error: " in first and said in first
    assert line.strip() == "if x[i] % 2 == 0:" and caret.index("^") == line.index("x[i]")
    stack = check(str(path), "--set", "core.divergence=stack")
    assert stack.exit_code == 0 and stack.stdout == ""


def test_json(script):
    run = check(script, "--json")
    assert run.exit_code == 1
    said = json.loads(run.stdout)
    assert said["clean"] is False and [one["kernel"] for one in said["launches"]] == ["good", "racing"]
    (finding,) = said["launches"][1]["findings"]
    assert (finding["kind"], finding["line"], finding["column"], finding["element"]) == ("lost-update", 15, 5, "out[0]")
    assert finding["lost"] > 0 and len(finding["threads"]) == 2


def test_programs_that_are_not_python():
    good, bad = check("examples/tiny/reduction_shared.asm"), check("examples/tiny/histogram.asm")
    assert good.exit_code == 0 and "nothing found" in good.stderr
    assert bad.exit_code == 1 and "examples/tiny/histogram.asm:22:5: error:" in bad.stdout and "[race]" in bad.stdout


UNITS = """

def last(s, now):
    chosen = -1
    for warp in range(s.warps):
        if s.eligible >> np.uint64(warp) & np.uint64(1):
            chosen = warp
    return chosen


def wrong(s, now):
    return 99
"""


@pytest.mark.parametrize("program", ["two.py", "examples/tiny/histogram.asm"])
def test_a_unit_of_ones_own_is_in_the_machine_that_checks(program, script, tmp_path):
    (tmp_path / "mine.py").write_text("import numpy as np\n" + UNITS)
    file = script if program == "two.py" else program
    scheduler = f"scheduler={tmp_path / 'mine.py'}:"
    fine = check(file, "--unit", scheduler + "last", "--no-schedule")
    assert fine.exit_code == 1 and "finding" in fine.stderr, fine.stderr
    wrong = check(file, "--unit", scheduler + "wrong", "--no-schedule")
    assert wrong.exit_code == 2 and "mine.py:12: wrong returned 99" in wrong.stderr, wrong.stderr


def test_a_machine_without_warps_is_refused():
    run = check("examples/tiny/matadd.asm", "--gpu", "tiny")
    assert "checks are for cores with warps, as --gpu tiny-simt" in run.stderr


def test_a_kernel_that_ends_where_lanes_run_on_their_own_is_a_warning(script):
    run = check("examples/python/spin_lock.py", "--no-schedule")
    assert run.exit_code == 0 and "warning: " in run.stdout and "[forward-progress]" in run.stdout and "1 warning in" in run.stderr


def test_a_kernel_that_does_not_end_is_found(tmp_path):
    waiting = "    while cuda.atomic.add(flag, 0, 0) == 0:\n        pass\n"
    text = f"import numpy as np\nfrom numba import cuda\n@cuda.jit\ndef waits(flag):\n{waiting}waits[1, 4](np.zeros(1, np.int32))\n"
    (tmp_path / "waits.py").write_text(text)
    run = check(str(tmp_path / "waits.py"), "--no-schedule", "--engine", "python")
    assert run.exit_code == 1 and "[deadlock]" in run.stdout and "1 did not end" in run.stderr


def test_profile_and_explorer_mark_the_lines(script, tmp_path):
    found = CliRunner().invoke(main, ["profile", script, "--launch", "racing", "--check", "--engine", "python"])
    assert found.exit_code == 0, found.stderr
    assert " !15" in found.stdout and "! line 15: thread" in found.stdout and "[lost-update]" in found.stdout
    plain = CliRunner().invoke(main, ["profile", script, "--launch", "racing", "--engine", "python"])
    assert "!15" not in plain.stdout and "checks" not in plain.stdout
    page = tmp_path / "racing.html"
    written = CliRunner().invoke(main, ["explore", script, "--launch", "1", "--check", "--engine", "python", "-o", str(page), "--quiet"])
    assert written.exit_code == 0, written.stderr
    assert "line.found" in page.read_text()


def test_a_directory_is_no_program(tmp_path):
    result = CliRunner().invoke(main, ["check", str(tmp_path)])
    assert (result.exit_code, result.stderr) == (2, f"{tmp_path}: error: this is a directory, not a file\n    fix: name a file in it\n")


ENDS_WITH_A_TEST = """import numpy as np
from numba import cuda, float32


@cuda.jit
def largest(x, out):
    tile = cuda.shared.array((4, 8), float32)
    t = cuda.threadIdx.x
    cuda.atomic.max(out, 0, x[t])
    tile[t // 8, t % 8] = x[t]
    out[1 + t % 2] = tile[t // 8, t % 8 + 1] if t < 31 else 0


x = np.arange(32, dtype=np.float32)
out = np.zeros(3, np.float32)
largest[1, 32](x, out)
assert out[0] == 0, "the first is not 0"
"""


def test_a_program_that_raises_after_its_launches_keeps_what_was_found(tmp_path):
    path = tmp_path / "tested.py"
    path.write_text(ENDS_WITH_A_TEST)
    found = check(str(path), "--json", "--no-schedule")
    told = json.loads(found.stdout)
    assert found.exit_code == 1 and told["error"] == "AssertionError: the first is not 0" and not told["clean"]
    assert {one["kind"] for one in told["launches"][0]["findings"]} >= {"bounds"}
    assert found.stderr.rstrip().endswith("AssertionError: the first is not 0") and found.stderr.startswith("Traceback")
    text = check(str(path), "--no-schedule")
    assert text.exit_code == 1 and text.stderr.rstrip().endswith("in 1 launch") and "AssertionError: the first is not 0" in text.stderr


def test_a_profile_with_checks_says_what_the_checks_say(tmp_path):
    path = tmp_path / "tested.py"
    path.write_text(ENDS_WITH_A_TEST)
    told = json.loads(check(str(path), "--json", "--no-schedule").stdout)["launches"][0]["findings"]
    shown = CliRunner().invoke(main, ["profile", str(path), "--check", "--engine", "python"]).stdout
    said = " ".join(shown[shown.index("\nchecks\n") : shown.index("\ndiagnosis")].split())
    assert len(told) == said.count("! line") > 0
    assert all(f"line {one['line']}: {one['message']} [{one['kind']}]" in said for one in told), said


def test_a_program_that_is_not_there_is_named():
    assert check("nowhere.py").stderr.startswith("nowhere.py: error: there is no such file")


def test_sarif_has_the_finding_at_its_place(script):
    run = check(script, "--no-schedule", "--sarif")
    assert run.exit_code == 1
    log = json.loads(run.stdout)
    (found,) = log["runs"][0]["results"]
    place = found["locations"][0]["physicalLocation"]
    assert (log["version"], found["ruleId"], found["level"]) == ("2.1.0", "lost-update", "error")
    assert place["artifactLocation"]["uri"].endswith("two.py")
    line = SCRIPT.splitlines()[place["region"]["startLine"] - 1]
    assert line[place["region"]["startColumn"] - 1 : place["region"]["endColumn"] - 1] == "out[0] += x[i]"
    rules = {rule["id"] for rule in log["runs"][0]["tool"]["driver"]["rules"]}
    assert {one["kind"] for one in json.loads(check(script, "--no-schedule", "--json").stdout)["launches"][1]["findings"]} <= rules


def test_two_forms_of_a_report_are_refused(script):
    both = check(script, "--sarif", "--json")
    assert both.exit_code == 2 and "ask for one of them" in json.loads(both.stdout)["error"]


def test_a_problem_matcher_of_the_documentation_reads_what_is_printed(script):
    page = (ROOT / "docs" / "checks.md").read_text(encoding="utf-8")
    task = json.loads(page.split("```json\n", 1)[1].split("```", 1)[0])["tasks"][0]
    pattern = task["problemMatcher"]["pattern"]
    shown = check(script, "--no-schedule", "--quiet").stdout.splitlines()
    (match,) = filter(None, (re.match(pattern["regexp"], line) for line in shown))
    assert match[pattern["file"]].endswith("two.py") and match[pattern["severity"]] == "error"
    assert (match[pattern["line"]], match[pattern["column"]]) == ("15", "5")


def test_every_kind_has_a_meaning_in_sarif():
    from warploom.checks.report.findings import KINDS
    from warploom.checks.report.sarif import MEANINGS

    assert set(MEANINGS) == set(KINDS)
