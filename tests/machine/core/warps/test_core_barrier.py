"""Barriers across cores, call by call."""

from tests.machine.core.unit_bench import bench, mask
from warploom.machine.core.warps.core_barrier import arrive_with_core, open_core_barriers
from warploom.machine.engine.unit import FOREVER


def three_cores(latency=0):
    gpu, cores, _ = bench(core__warps=4, gpu__cores=3)
    gpu.grid.barrier_latency = latency
    for core in cores:
        core.blocks.alive[0] = mask(0, 2)
        gpu.wake[core.number] = FOREVER
        core.warps.wake[:4] = FOREVER
    return gpu, cores


def test_a_core_reports_when_all_of_its_warps_have_come():
    gpu, cores = three_cores()
    arrive_with_core(gpu, cores[1], 2, 5, 2)
    assert gpu.core_barriers.cores[5] == 0 and cores[1].warps.at_barrier == cores[1].barriers.at_grid == mask(2)
    arrive_with_core(gpu, cores[1], 0, 5, 2)
    assert gpu.core_barriers.cores[5] == mask(1) and cores[1].warps.at_barrier == mask(0, 2)
    assert gpu.core_barriers.opening == 0


def test_as_many_cores_as_are_expected_go_on_together_and_others_stay():
    gpu, cores = three_cores(latency=6)
    for core, number in ((1, 5), (0, 4), (2, 5)):
        assert gpu.core_barriers.opening == 0
        for warp in (0, 2):
            arrive_with_core(gpu, cores[core], warp, number, 2)
    assert gpu.core_barriers.opening == mask(1, 2)
    assert gpu.core_barriers.cores[5] == 0 and gpu.core_barriers.cores[4] == mask(0)
    open_core_barriers(gpu, cores, 30)
    assert gpu.core_barriers.opening == 0
    for core in cores:
        waits = core.number == 0
        assert core.warps.at_barrier == core.barriers.at_grid == (mask(0, 2) if waits else 0)
        assert core.warps.wake[:4].tolist() == ([FOREVER] * 4 if waits else [37, FOREVER, 37, FOREVER])
        assert gpu.wake[core.number] == (FOREVER if waits else 37)
    assert gpu.progress == 30
    for warp in (0, 2):  # a second time
        arrive_with_core(gpu, cores[1], warp, 5, 1)
    assert gpu.core_barriers.opening == mask(1)
