"""The table of a device's units. What adding a row does is in tests/machine/test_trial.py."""

from types import SimpleNamespace

from warploom.machine.device.device import Gpu
from warploom.machine.device.units import DEVICE_UNITS, is_done, next_event, step_units
from warploom.machine.engine.unit import FOREVER


def test_the_order_is_that_of_a_cycle():
    assert [row.name for row in DEVICE_UNITS] == ["dispatcher", "cores", "barriers", "memory", "raster", "merger", "rays"]


def test_the_devices_record_has_the_state_of_each_unit():
    fields = [name for row in DEVICE_UNITS for name in row.state]
    assert len(set(fields)) == len(fields) and set(fields) <= set(Gpu.names)
    assert len({apart.name for row in DEVICE_UNITS for apart in row.apart}) == 4


def test_each_function_of_the_table_is_said_in_its_units_words():
    for function in (step_units, next_event, is_done):
        assert function.__doc__ and function.__module__ == "warploom.machine.device.units"


def test_nothing_is_left_when_every_unit_says_so():
    grid = SimpleNamespace(low=4, high=4)
    merger = SimpleNamespace(count=0, wake=FOREVER)
    gpu = SimpleNamespace(grid=grid, live=0, has_dram=1, unfinished=0, merger_count=1, mergers=[merger])
    assert is_done(gpu)
    merger.count = 1
    assert not is_done(gpu)
    merger.count = 0
    for name, value in (("live", 1), ("unfinished", 2)):
        assert not is_done(SimpleNamespace(**vars(gpu) | {name: value}))
    grid.low = 3
    assert not is_done(gpu)


def test_without_a_unit_that_has_something_to_do_nothing_ever_happens(monkeypatch):
    monkeypatch.setattr("warploom.machine.device.memory_system.next_time", lambda wheel, now: FOREVER)
    gpu = SimpleNamespace(grid=SimpleNamespace(low=4, high=4), cores=2, wake=[FOREVER, FOREVER], wheel=None)
    gpu.raster_count, gpu.rasters, gpu.merger_count = 1, [SimpleNamespace(wake=FOREVER)], 0
    gpu.ray_count = 0
    assert next_event(gpu, 3) == FOREVER
    gpu.wake[1] = 9
    assert next_event(gpu, 3) == 9
    gpu.rasters[0].wake = 7
    assert next_event(gpu, 3) == 7
