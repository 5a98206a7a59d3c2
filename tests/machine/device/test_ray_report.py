"""What is said of ray units: counters of all of them, and a remark where trees are damaged."""

from warploom.machine.accounting.counters import COUNTER
from warploom.machine.device.device import Gpu
from warploom.machine.device.ray_report import ray_counters, ray_remarks
from warploom.machine.engine.unit import zeros


def test_a_machine_without_the_unit_has_no_counters_of_it():
    assert ray_counters(zeros((), Gpu)) == {}
    assert list(ray_remarks(zeros((), Gpu))) == []


def test_counters_are_sums_over_units_and_idle_is_busy_without_steps():
    gpu = zeros((), Gpu)
    gpu["ray_count"], gpu["now"] = 2, 100
    gpu["rays"]["rays"][:2], gpu["rays"]["steps"][:2], gpu["rays"]["busy"][:2] = (3, 4), (20, 10), (50, 0)
    gpu["rays"]["walking"][1], gpu["rays"]["since"][1] = 1, 70
    gpu["rays"]["walk"]["nodes"][:2] = 5, 6
    found = ray_counters(gpu)
    assert set(found) <= set(COUNTER)
    assert (found["rays"], found["ray_steps"], found["ray_nodes"], found["ray_idle_cycles"]) == (7, 30, 11, 50)


def test_damaged_trees_are_said():
    gpu = zeros((), Gpu)
    gpu["rays"]["faults"][0] = 1
    assert "".join(ray_remarks(gpu)).startswith("1 ray met a damaged tree: the status")
