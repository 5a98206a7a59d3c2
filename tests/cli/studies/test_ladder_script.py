"""`warploom ladder script.py`: what the program itself sees of the climb, and what its table calls the kernels without room."""

import json
import re

import pytest
from click.testing import CliRunner

from tests.places import EXAMPLES
from warploom.cli import main
from warploom.cli.studies.ladder_script import Climbed, table
from warploom.isa import load
from warploom.study.ladder import climb, last_machine

CATCHES = """
import numpy as np
from warploom import cuda

@cuda.jit
def off(x):
    x[cuda.grid(1) + SHIFT] = 1

def launch():
    off[1, 1](x)

x = np.zeros(4)
try:
    launch()
except CAUGHT:
    print("caught")
    THEN
    launch()
print("went on")
"""
ASKS = """
import numpy as np
from warploom import cuda

@cuda.jit
def add(x):
    part = cuda.shared.array(0, np.float32)
    part[cuda.threadIdx.x] = 1
    if cuda.blockIdx.x == 0:
        x[cuda.threadIdx.x] += part[cuda.threadIdx.x]

print(cuda.get_current_device().MULTIPROCESSOR_COUNT, cuda.get_current_device().name.decode())
add[1, 1, 0, 100_000](np.zeros(1, np.float32))
"""


def run(*arguments, status=0):
    result = CliRunner().invoke(main, ["ladder", *arguments, "--gpu", "sm"])
    assert result.exit_code == status, result.output
    return result


def catching(tmp_path, shift=0, caught="Exception", then="pass"):
    path = tmp_path / "kernels.py"
    path.write_text(CATCHES.replace("SHIFT", str(shift)).replace("CAUGHT", caught).replace("THEN", then))
    return str(path)


@pytest.mark.parametrize("caught", ["Exception", "BaseException"])
def test_a_program_cannot_catch_a_kernels_fault(tmp_path, caught):
    result = run(catching(tmp_path, 9, caught), status=1)
    assert result.stderr.startswith("error: on the rung 'bare': ") and "x[9]: it has 4 elements" in result.stderr
    assert "went on" not in result.stdout
    assert result.stdout == ("caught\n" if caught == "BaseException" else "")


@pytest.mark.parametrize("then", ["raise SystemExit(5)", "raise ValueError"])
def test_a_fault_is_what_is_told_even_of_a_program_that_ends_itself_after_it(tmp_path, then):
    assert run(catching(tmp_path, 9, "BaseException", then), status=1).stderr.startswith("error: on the rung 'bare': ")
    body = json.loads(run(catching(tmp_path, 9, "BaseException", then), "--json", status=1).stdout)
    assert body["error"].startswith("on the rung 'bare': ")


def test_nothing_climbs_after_a_fault(tmp_path, monkeypatch):
    climbed = []

    def counted(program, *args, **options):
        climbed.append(program.name)
        return climb(program, *args, **options)

    monkeypatch.setattr("warploom.study.ladder.climb", counted)
    run(catching(tmp_path, 9, "BaseException"), status=1)
    assert climbed == ["off"]


def test_what_a_program_itself_raises_is_shown_as_python_does(tmp_path):
    path = tmp_path / "kernels.py"
    path.write_text(CATCHES.replace("SHIFT", "0").replace("CAUGHT", "Exception") + "raise ValueError('its own')\n")
    said = run(str(path), status=1)
    assert said.stderr.startswith("Traceback") and said.stderr.endswith("ValueError: its own\n")
    assert said.stdout == "went on\n"


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (("--max-cycles", "20"), 1, "on the rung 'bare' the kernel is still running after 20 cycles"),
        (("--set", "core.blocks=0"), 2, "core.blocks = 0: "),
        (("--unit", "scheduler=mine.py:none_such"), 2, "mine.py has no unit 'none_such'"),
        (("--unit", "scheduler=mine.py:choose"), 2, "mine.py:2: ZeroDivisionError"),
    ],
)
def test_a_program_cannot_catch_what_is_wrong_with_the_climb(tmp_path, monkeypatch, arguments, status, message):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text("def choose(s, now):\n    return 1 // 0\n")
    result = run(catching(tmp_path), *arguments, status=status)
    assert result.stderr.startswith(f"error: {message}")
    assert result.stdout == ""


def test_a_program_cannot_catch_that_several_launches_are_drawn(tmp_path):
    path = tmp_path / "kernels.py"
    path.write_text(CATCHES.replace("SHIFT", "0").replace("    launch()\nexcept CAUGHT", "    launch(); launch()\nexcept Exception"))
    page = tmp_path / "ladder.html"
    assert "-o: one launch is drawn, and " in run(str(path), "-o", str(page), status=2).stderr
    assert not page.exists()


@pytest.mark.parametrize("launch", [(), ("--launch", "0")])
def test_the_program_sees_the_machine_of_the_last_rung(tmp_path, launch):
    path = tmp_path / "kernels.py"
    path.write_text(ASKS)
    said = run(str(path), "--set", "gpu.cores=3", "--set", "shared.bytes=131072", "--set", "core.warps=8", *launch, "--json")
    # with --json the program's own words are beside the object
    assert "3 warploom sm" in said.output.splitlines()
    found = json.loads(said.stdout.splitlines()[-1])
    last = (found if launch else found["launches"][0])["rungs"][-1]
    assert last["name"] == "more cores" and last["settings"]["gpu.cores"] == 3


@pytest.mark.parametrize(("kernel", "start"), [("tiny/matadd.asm", "tiny"), ("guppy/saxpy.guppy", "sm")])
def test_the_last_machine_is_that_of_the_last_rung(kernel, start):
    def choose(s, now):
        return -1

    choices = {"gpu.cores": 3}
    ladder = climb(load(EXAMPLES / kernel), start, choices)
    assert last_machine(start, choices).config == ladder.top
    assert ladder.top.gpu.cores == 3
    assert last_machine(start, choices, units={"scheduler": choose}).units == {"scheduler": choose}


def test_a_price_is_refused_by_what_the_ladder_is():
    said = run(str(EXAMPLES / "guppy" / "saxpy.guppy"), "--cost", status=2).stderr
    assert said == "error: --cost: the hardware beside the model is priced for tiny's rungs only; leave it out for the ladder up to sm\n"


WAITING = """
import numpy as np
from warploom import cuda

@cuda.jit
def add(x):
    x[cuda.grid(1)] += 1

@cuda.jit
def steps(x):
    x[cuda.grid(1)] += 1
    cuda.cg.this_grid().sync()

x = cuda.to_device(np.zeros(64, np.float32))
add[2, 32](x)
steps[2, 32](x)
steps[2, 32](x)
"""


def test_a_rung_without_room_for_blocks_that_wait_for_each_other_has_a_dash_and_one_sentence(tmp_path):
    path = tmp_path / "waiting.py"
    path.write_text(WAITING)
    said = run(str(path), "--set", "gpu.cores=2").stdout
    for rung, number in (("bare", r"-"), ("shared-memory banks", r"-"), ("several blocks", r"\d[\d ]*")):
        assert re.search(rf"^{rung} +{number} .*\d +{number}$", said, re.MULTILINE), rung
    said = " ".join(said.split())
    assert said.count("steps: Left out, bare to shared-memory banks: ") == 1 and "add: " not in said


def test_a_variant_with_shared_memory_is_for_tinys_ladder():
    kernel = str(EXAMPLES / "tiny" / "matadd.asm")
    said = run(kernel, "--gpu", "sm", "--shared-variant", kernel, status=2).stderr
    assert said.startswith("error: --shared-variant: a rung of tiny's ladder runs it")


def test_a_kernel_named_others_keeps_its_column():
    ladder = climb(load(EXAMPLES / "tiny" / "matadd.asm"))
    rungs = len(ladder.steps)
    kernels = {"others": 1000, "second_of_them": 500, "third_of_them": 20, "fourth_of_them": 3}
    lines = table(Climbed(ladder, list(kernels), [[cycles] * rungs for cycles in kernels.values()]), lambda text: [text])
    assert lines[2].split() == ["rung", "cycles", "gain", "total", "others", "second_of_them", "(others)"]
    assert lines[3].split()[-3:] == ["000", "500", "23"]
    assert lines[3].split()[:3] == ["tiny-gpu", "1", "523"]
