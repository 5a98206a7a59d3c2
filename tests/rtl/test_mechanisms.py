"""What mechanisms of cores with warps cost, and what of a machine settings choose."""

import pytest

from warploom import GPU, rtl
from warploom.rtl.beside import WATCHERS
from warploom.rtl.mechanisms import CHOICES, KINDS, MECHANISMS, choices_of, part_of_machine
from warploom.rtl.prices import UNIT, cost_of_choices


@pytest.fixture(autouse=True)
def cache(monkeypatch, tmp_path):
    monkeypatch.setenv("WARPLOOM_CACHE", str(tmp_path))


@pytest.mark.slow
def test_flip_flops_are_what_a_mechanism_remembers():
    bits = {"oldest": 4 * 3 // 2, "greedy_oldest": 4 * 3 // 2 + 4, "vortex": 4, "two_level": 2}
    assert {name: rtl.cost(name, warps=4).flip_flops for name in bits} == bits
    bits = {"lru": 4 * 3 // 2, "fifo": 2, "plru": 3, "random": 64}
    assert {name: rtl.cost(name, ways=4).flip_flops for name in bits} == bits
    assert rtl.cost("minpc", lanes=4).flip_flops == 4 * 16
    assert rtl.cost("coalescer", lanes=4).flip_flops == 4  # the lanes that still wait


def test_every_mechanism_that_has_a_price_stands_beside_the_model():
    beside = {*WATCHERS, *WATCHERS["scheduler"].HARDWARE, "lru", "fifo", "plru", "random"}
    assert {row.name for row in MECHANISMS} <= beside
    assert {row.name for row in MECHANISMS} <= set(UNIT)


def test_settings_choose_mechanisms_and_how_many_there_are():
    config = GPU("tiny-simt", set={"core.warps": 8, "core.schedulers": 2, "core.scheduler": "round_robin"}).config
    (scheduler,) = cost_of_choices(config, ["core.scheduler"])
    assert (scheduler.name, scheduler.count) == ("round_robin(4)", 2 * 2)
    assert cost_of_choices(GPU("tiny-simt", set={"core.divergence": "uniform"}).config, ["core.divergence"]) == []
    fifo = GPU("tiny-simt", set={"l1.replacement": "fifo"}).config
    assert [(cost.name, cost.count) for cost in cost_of_choices(fifo, ["l1.replacement"])] == [("fifo(2)", 2 * 8)]


@pytest.mark.parametrize(
    ("changes", "setting", "said"),
    [
        ({"core.divergence": "its"}, "core.divergence", "core.divergence = 'its' has no hardware"),
        ({"core.scheduler": "guppy"}, "core.scheduler", "core.scheduler = 'guppy' has no hardware"),
        ({"shared.banks": 3}, "shared.banks", "shared.banks = 3 has no hardware"),
        ({"l1.bytes": 128, "l1.ways": 32}, "l1.ways", "l1 has 32 ways in a set, and replacement is priced for 16 at most"),
    ],
)
def test_what_has_no_price_is_named(changes, setting, said):
    with pytest.raises(rtl.NoHardware, match=said):
        cost_of_choices(GPU("tiny-simt", set=changes).config, [setting])


def test_settings_that_change_no_mechanism_are_refused_with_those_that_do():
    with pytest.raises(rtl.NoHardware, match=r"none of alu.count changes a mechanism that has a price; these do: core.divergence, "):
        choices_of(["alu.count"])
    assert [choice.name for choice in choices_of(["core.warps"])] == ["scheduler", "divergence"]
    assert len({choice.name for choice in CHOICES}) == len(CHOICES)


def test_a_machine_has_the_kinds_of_its_control():
    tiny, simt = GPU("tiny").config, GPU("tiny-simt").config
    assert {kind for kind in KINDS if part_of_machine(tiny, kind)} == {"sequencer", "fetcher"}
    assert {kind for kind in KINDS if part_of_machine(simt, kind)} == set(KINDS) - {"sequencer", "fetcher"}
