"""What a setting switches on and cannot act: refused by name, one machine for each part that may be left out."""

import pytest

from tests.machine.programs import SMALL
from warploom.machine.config.effective import PARTS, REPLACED, why_without_effect
from warploom.machine.config.presets import load_config, preset_names
from warploom.machine.config.schema import Config, ignored
from warploom.machine.engine.sizes import ConfigError

# Of each part what takes it away, the settings of a machine with it, and what switches something on that is a part of it.
WITHOUT = [
    ({"l1.bytes": 0}, {}, {"lsu.group": 8, "l1.banks": 32, "l1.merges": 2, "l1.allocate": True}),
    ({"l2.bytes": 0}, {}, {"l2.atomic_latency": 9, "l2.atomic_pass": 16, "l2.atomic_sum": 16, "l2.write_buffer": 4, "l2.allocate": True}),
    ({"lsu.stores": 0}, {"lsu.stores": 4}, {"lsu.drain": "sent"}),
    ({"operands.banks": 0}, {"operands.banks": 2}, {"operands.reuse": True, "operands.collectors": 3}),
    ({"dram.banks": 0}, {"dram.banks": 2, "dram.row": 256, "dram.bandwidth": 8, "dram.queue": 2}, {"dram.overtakes": 3}),
    (
        {"dram.banks": 0},
        {"dram.banks": 2, "dram.row": 256, "dram.bandwidth": 8},
        {"dram.refresh_interval": 900, "dram.activate_window": 40},
    ),
    (
        {"dram.refresh_interval": 0},
        {"dram.banks": 2, "dram.row": 256, "dram.bandwidth": 8, "dram.refresh_interval": 900},
        {"dram.refresh_time": 90, "dram.refresh_of": "bank"},
    ),
    ({"crossbar.core": 0}, {"crossbar.core": 8}, {"crossbar.pass_out": 1, "crossbar.pass_back": 2}),
    ({"gpu.clock": 0}, {"gpu.clock": 1000}, {"dram.clock": 800}),
    ({"pipes.owner": "core"}, {"pipes.owner": "scheduler"}, {"latency.to_float": 1, "latency.to_integer": 1}),
    ({"fetch.buffer": 0}, {"fetch.buffer": 2}, {"fetch.sets": 4, "fetch.shared": 8, "fetch.waits": True}),
    ({"fetch.buffer": 0}, {"fetch.buffer": 2, "fetch.sets": 1}, {"fetch.l0_sets": 2}),
    ({"fetch.l0_sets": 0}, {"fetch.buffer": 2, "fetch.sets": 1, "fetch.l0_sets": 1}, {"fetch.l0_ahead": 2, "fetch.stream": 2}),
    ({"fetch.shared": 0}, {"fetch.buffer": 2, "fetch.shared": 8}, {"fetch.ahead": 2}),
    ({"shared.unified": 0}, {"shared.unified": 1024}, {"shared.carveout": 512}),
]


@pytest.mark.parametrize(("absent", "present", "switches"), WITHOUT)
def test_what_cannot_act_is_refused_and_says_what_to_set(absent, present, switches):
    for name, value in switches.items():
        there = load_config(load_config(Config(), SMALL), present)
        without = load_config(there, absent)
        with pytest.raises(ConfigError) as error:
            load_config(without, {name: value})
        assert str(error.value).startswith(f"{name} has no effect here: ") and "; set " in str(error.value)
        assert load_config(there, {name: value})[name] == value
        assert load_config(without, {name: without[name]}) == without  # to say that it is off is not a mistake
        assert load_config(there, {**absent, name: value})[name] == value  # nor to leave the part out, as one of several machines


def test_overtaking_takes_a_queue_to_choose_from():
    banks = {"dram.banks": 2, "dram.row": 256, "dram.bandwidth": 8}
    in_order = load_config(Config(), {**SMALL, **banks, "dram.queue": 1})
    with pytest.raises(ConfigError, match=r"^dram\.overtakes has no effect here: requests of a channel are served in order"):
        load_config(in_order, {"dram.overtakes": 2})


def test_each_row_is_tested():
    assert {name for part in PARTS for name in part.settings} == {name for _, _, switches in WITHOUT for name in switches}


@pytest.mark.parametrize("name", preset_names())
def test_a_preset_switches_nothing_on_that_cannot_act(name):
    config = load_config(name)
    used = config.flat().keys() - ignored(config) if config.core.control == "pipeline" else ()
    assert not {setting: why for setting in used if (why := why_without_effect(config, setting))}


def test_what_a_preset_has_switched_on_is_left_where_its_part_is_taken_away():
    assert load_config("v100", {"l1.bytes": 0, "shared.unified": 0}).lsu.group == load_config("v100").lsu.group
    assert load_config("v100", {"operands.banks": 0}).operands.reuse


BANKS = {"dram.banks": 2, "dram.row": 256, "dram.bandwidth": 8}
# Of each setting what replaces it, what takes that away, and what is set then.
REPLACEMENTS = [
    ("memory.data_channels", {}, {"memory.kind": "channels", "memory.bytes": 256}, 2, "dram.channels"),
    ("memory.channel_bytes", {}, {"memory.kind": "channels", "memory.bytes": 256}, 4, "dram.bandwidth"),
    ("dram.row_miss", BANKS, {"dram.banks": 0}, 9, "those, or dram.banks=0"),
]


@pytest.mark.parametrize(("name", "present", "absent", "value", "instead"), REPLACEMENTS)
def test_what_is_replaced_is_refused_and_says_what_decides_in_its_place(name, present, absent, value, instead):
    there = load_config(load_config(Config(), SMALL), present)
    with pytest.raises(ConfigError) as error:
        load_config(there, {name: value})
    assert str(error.value).startswith(f"{name} has no effect here: with ") and str(error.value).endswith(f"; set {instead}")
    assert load_config(there, {**absent, name: value})[name] == value


def test_to_say_that_a_row_takes_no_longer_is_no_mistake():
    there = load_config(load_config(Config(), SMALL), BANKS)
    assert load_config(there, {"dram.row_miss": 0}) == there


def test_each_replacement_is_tested():
    assert [row.name for row in REPLACED] == [name for name, *_ in REPLACEMENTS]
