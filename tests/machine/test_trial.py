"""A unit is a folder and a row: one of a core and one of a device are added to a copy of the package, and nothing else there is touched.

A unit that counts the ones of a word has a queue of its own in the core; one that fills memory works beside the cores. Neither issue, nor
the memory stage, nor the loop over cycles is changed for them.
"""

import json
import os
import shutil
import subprocess
import sys

import pytest

from tests.documentation import ROOT

TRIAL = ROOT / "tests" / "machine" / "trial"
# file of the package, what stands there, what stands there with the trial units
ROWS = (
    ("isa/uop.py", '"rays", "ray_answers")', '"rays", "ray_answers", "population")'),
    ("isa/uop.py", "RAYS, RAY_ANSWERS) = range(len(PORTS))", "RAYS, RAY_ANSWERS, _) = range(len(PORTS))"),
    (
        "isa/uop.py",
        "OPERATIONS: tuple[Operation, ...] = tuple(_rows())",
        "OPERATIONS: tuple[Operation, ...] = (\n"
        '    *_rows(), Operation("count_ones", UNITS.index("population"), NO_DATAPATH, L_BITS, "da", "d = ones in a")\n)',
    ),
    (
        "machine/core/units/table.py",
        ")\nWITH_QUEUE = ",
        '    ExecutionUnit("population", p.execute_population, p.population_accepts, p.next_free_population, has_queue=True,\n'
        '                  step=p.step_population, state={"population": p.Population}, set_up=p.set_up_population),\n)\nWITH_QUEUE = ',
    ),
    (
        "machine/core/units/table.py",
        "import numpy as np\n",
        "import numpy as np\n\nfrom warploom.machine.core.units.trial import count as p\n",
    ),
    (
        "machine/device/units.py",
        '    DeviceUnit("barriers",',
        '    DeviceUnit("fill", f.step_fill, f.next_fill, f.fill_is_done, {"fill": f.Fill}, f.set_up_fill,\n'
        '               (Apart("fill_memory", f.fill_memory, f.no_fill, lambda program: True, "", ("gpu", "cores", "tables", "number")),)),\n'  # noqa: E501
        '    DeviceUnit("barriers",',
    ),
    ("machine/device/units.py", "from warploom.isa.needs", "from warploom.machine.device.trial import fill as f\nfrom warploom.isa.needs"),
)
FOLDERS = {"population_count.py": "machine/core/units/trial/count.py", "fill_memory.py": "machine/device/trial/fill.py"}


@pytest.fixture(scope="module")
def package(tmp_path_factory):
    """The folder of a copy of the package with both units."""
    root = tmp_path_factory.mktemp("trial")
    shutil.copytree(ROOT / "warploom", root / "warploom", ignore=shutil.ignore_patterns("__pycache__", "*.js"))
    for own, place in FOLDERS.items():
        (root / "warploom" / place).parent.mkdir()
        (root / "warploom" / place).parent.joinpath("__init__.py").touch()
        shutil.copy(TRIAL / own, root / "warploom" / place)
    for file, before, after in ROWS:
        path = root / "warploom" / file
        text = path.read_text(encoding="utf-8")
        assert text.count(before) == 1, (file, before)
        path.write_text(text.replace(before, after), encoding="utf-8")
    return root


@pytest.mark.parametrize("engine", ["python", pytest.param("native", marks=pytest.mark.slow)])
def test_a_unit_of_a_core_and_one_of_a_device_are_a_folder_and_a_row_each(package, engine):
    environment = os.environ | {"PYTHONPATH": os.pathsep.join((str(package), str(ROOT))), "WARPLOOM_CACHE": str(package / "cache")}
    done = subprocess.run(
        [sys.executable, TRIAL / "run_trial.py", engine], env=environment, cwd=package, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-3000:]
    found = json.loads(done.stdout)
    assert found["package"].startswith(str(package))
    ones = [0, 1, 1, 2]  # of 0, 4, 8 and 12
    assert found["counts"] == [ones] * 4
    assert found["sums"] == [[100 + count for count in ones]] * 4
    assert found["taken"] == 4
    # One is done every four cycles. Two wait in the queue, which the third and the fourth warp find full.
    assert found["waited"] > 0 and found["results"] > 0
    assert found["filled"] == [0, *[0xF111F111] * 90, 0, 0]
    assert found["cycles"] == 90  # a word a cycle: the kernel is done long before
