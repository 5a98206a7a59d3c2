"""Settings that are right one by one and do not go together."""

import pytest

from tests.machine.programs import SMALL, config
from warploom.machine.config.presets import load_config
from warploom.machine.config.schema import Config
from warploom.machine.engine.sizes import ConfigError
from warploom.machine.memory.line_table import ENTRIES


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"dram.row": 100}, "dram.row = 100: a row holds whole lines, so it is a multiple of 64"),
        ({"l2.line": 32}, "l2.line = 32: not a multiple of l1.line = 64, the most that a core asks for at once"),
        ({"l1.bytes": 0, "l2.line": 32}, "l2.line = 32: not a multiple of l1.line = 64, the most that a core asks for at once"),
        ({"fetch.sets": 4096, "fetch.ways": 2},
         "fetch.sets = 4096: with fetch.ways = 2 the instruction cache has 8192 lines; there is room for 4096"),
        ({"l2.bytes": 8192, "l2.slices": 64, "l2.mshrs": 1024},
         f"l2.mshrs = 1024: with l2.slices = 64 there are 65536; there is room for {ENTRIES}"),
        ({"texture.bytes": 100}, "texture.bytes = 100: not a multiple of l1.line x texture.ways = 128"),
    ],
)  # fmt: skip
def test_settings_that_do_not_go_together(changes, message):
    with pytest.raises(ConfigError) as error:
        load_config(Config(), {**SMALL, **changes})
    assert str(error.value) == message


# Of each rule the settings nearest to its limit: those that are just too much with the message, and those that just fit.
CARVED = {"shared.unified": 1024, "shared.bytes": 512}
VECTOR = {"pipes.owner": "scheduler", "pipes.vector": True}
ANOTHER_PIPE = "pipes.vector: one pipe takes all arithmetic, so there is no other one to go to; set pipes.float_on_integer=false "
SECTORS = {"l2.line": 128, "l1.line": 128}
LIMITS = [
    ({"l1.line": 48}, "l1.line = 48: a line is a power of two bytes", {"l1.line": 32}),
    ({"l2.line": 192, "l2.bytes": 0}, "l2.line = 192: a line is a power of two bytes", {"l2.line": 256}),
    ({"l1.bytes": 576}, "l1.bytes = 576: not a multiple of line x ways = 128", {"l1.bytes": 640}),
    ({"l1.bytes": 512, "l1.sets": 3}, "l1.bytes = 512: not a multiple of line x sets = 192", {"l1.bytes": 576, "l1.sets": 3, "l1.ways": 3}),
    ({"l2.bytes": 1280, "l2.slices": 4}, "l2.bytes = 1280: not a multiple of line x ways x slices = 512", {"l2.slices": 4}),
    ({**SECTORS, "lsu.sector": 1}, "l1.line = 128: more than 64 sectors of lsu.sector = 1 bytes", {**SECTORS, "lsu.sector": 2}),
    ({**SECTORS, "l1.bytes": 0, "lsu.sector": 1}, "l1.line = 128: more than 64 sectors of lsu.sector = 1 bytes", {"lsu.sector": 1}),
    ({"l2.line": 128, "lsu.sector": 1}, "l2.line = 128: more than 64 sectors of lsu.sector = 1 bytes", {"l2.line": 128, "lsu.sector": 2}),
    ({"lsu.sector": 24}, "lsu.sector = 24: a sector is a power of two bytes, at most l1.line = 64", {"lsu.sector": 32}),
    ({"lsu.sector": 128}, "lsu.sector = 128: a sector is a power of two bytes, at most l1.line = 64", {"lsu.sector": 64}),
    ({"shared.bank_bytes": 6}, "shared.bank_bytes = 6: a bank's word is a power of two bytes", {"shared.bank_bytes": 8}),
    ({**CARVED, "shared.carveout": 1025}, "shared.carveout = 1025: more than shared.unified = 1024", {**CARVED, "shared.carveout": 1024}),
    ({**CARVED, "shared.bytes": 1025}, "shared.bytes = 1025: more than shared.unified = 1024, of which it is a part",
     {**CARVED, "shared.bytes": 1024}),
    ({"dram.banks": 2}, "dram.banks = 2: banks have rows and a bus; set dram.row and dram.bandwidth",
     {"dram.banks": 2, "dram.row": 1024, "dram.bandwidth": 8}),
    ({"dram.banks": 2, "dram.row": 1024}, "dram.banks = 2: banks have rows and a bus; set dram.row and dram.bandwidth", {"dram.row": 1024}),
    ({"dram.row": 192, "l2.line": 128}, "dram.row = 192: a row holds whole lines, so it is a multiple of 128",
     {"dram.row": 192, "l2.line": 128, "l2.bytes": 0}),
    ({"texture.bytes": 192}, "texture.bytes = 192: not a multiple of l1.line x texture.ways = 128", {"texture.bytes": 256}),
    ({"fetch.sets": 1366, "fetch.ways": 3},
     "fetch.sets = 1366: with fetch.ways = 3 the instruction cache has 4098 lines; there is room for 4096",
     {"fetch.buffer": 1, "fetch.sets": 1365, "fetch.ways": 3}),
    ({"fetch.sets": 1, "fetch.l0_sets": 257, "fetch.l0_ways": 2},
     "fetch.l0_sets = 257: with fetch.l0_ways = 2 a scheduler's instruction cache has 514 lines; there is room for 512",
     {"fetch.buffer": 1, "fetch.sets": 1, "fetch.l0_sets": 256, "fetch.l0_ways": 2}),
    ({"fetch.l0_sets": 1},
     "fetch.l0_sets is set, and fetch.sets = 0: a scheduler's instruction cache is filled from the core's; set fetch.sets",
     {"fetch.buffer": 1, "fetch.sets": 1}),
    ({"constant.line": 48}, "constant.line = 48: a line is a power of two bytes", {"constant.line": 32}),
    ({"constant.bytes": 320, "constant.line": 64, "constant.ways": 2}, "constant.bytes = 320: not a multiple of line x ways = 128",
     {"constant.bytes": 384, "constant.line": 64, "constant.ways": 2}),
    ({"constant.next_bytes": 8200, "constant.next_line": 8, "constant.next_ways": 1},
     "constant.next_bytes = 8200: that is 1025 lines; there is room for 1024",
     {"constant.next_bytes": 8192, "constant.next_line": 8, "constant.next_ways": 1}),
    ({"core.schedulers": 5}, "core.schedulers = 5: more than core.warps = 4", {"core.schedulers": 4}),
    ({"core.lock": "lane", "latency.to_float": 1},
     "core.lock = 'lane': such a scoreboard does not know which pipe wrote a register; set latency.to_float=0 latency.to_integer=0",
     {"core.lock": "lane"}),
    ({"core.lock": "lane", "latency.to_integer": 1},
     "core.lock = 'lane': such a scoreboard does not know which pipe wrote a register; set latency.to_float=0 latency.to_integer=0",
     {"pipes.owner": "scheduler", "latency.to_float": 1, "latency.to_integer": 1}),
    ({**VECTOR, "pipes.float_on_integer": True}, ANOTHER_PIPE + "pipes.second_float=false latency.to_float=0 latency.to_integer=0", VECTOR),
    ({**VECTOR, "pipes.second_float": True}, ANOTHER_PIPE + "pipes.second_float=false latency.to_float=0 latency.to_integer=0", VECTOR),
    ({"pipes.owner": "scheduler", "pipes.float_on_integer": True, "pipes.second_float": True},
     "pipes.second_float: the float pipe has another half, the integer pipe; set pipes.float_on_integer=false",
     {"pipes.owner": "scheduler", "pipes.second_float": True}),
    ({**VECTOR, "latency.to_float": 1}, ANOTHER_PIPE + "pipes.second_float=false latency.to_float=0 latency.to_integer=0",
     {"pipes.owner": "scheduler", "pipes.float_on_integer": True}),
    ({**VECTOR, "latency.to_integer": 1}, ANOTHER_PIPE + "pipes.second_float=false latency.to_float=0 latency.to_integer=0",
     {"pipes.owner": "scheduler"}),
    ({"l2.bytes": 8192, "l2.slices": 64, "l2.mshrs": 513},
     f"l2.mshrs = 513: with l2.slices = 64 there are 32832; there is room for {ENTRIES}",
     {"l2.bytes": 8192, "l2.slices": 64, "l2.mshrs": 512}),
]  # fmt: skip


@pytest.mark.parametrize(("too_much", "message", "fits"), LIMITS)
def test_a_limit_refuses_what_is_beyond_it_and_nothing_that_fits(too_much, message, fits):
    with pytest.raises(ConfigError) as error:
        load_config(Config(), {**SMALL, **too_much})
    assert str(error.value) == message
    load_config(Config(), {**SMALL, **fits})


def test_rows_of_dram_do_not_matter_where_there_is_none():
    assert config(dram__row=100, memory__kind="channels").dram.row == 100


def test_an_unknown_scheduler_is_refused_with_the_nearest_name():
    with pytest.raises(ConfigError, match=r"^core\.scheduler = 'round_robbin': it is one of .*round_robin"):
        config(core__scheduler="round_robbin")


def test_a_row_of_dram_may_have_any_number_of_bytes_where_a_line_is_one():
    bytes_alone = {"l1.line": 1, "l1.bytes": 0, "lsu.sector": 1, "l2.bytes": 0, "memory.kind": "dram", "dram.row": 3}
    assert load_config("tiny-simt", bytes_alone).dram.row == 3


def test_ways_beside_sets_that_decide_them_are_refused_and_said():
    with pytest.raises(ConfigError) as error:
        load_config("sm", {"l1.ways": 8})
    assert str(error.value) == "l1.ways has no effect here: with l1.sets = 4 the bytes give 256 ways; set l1.sets=0, and the ways decide"
    assert load_config("sm", {"l1.ways": 8, "l1.sets": 0}).l1.ways == load_config("sm", {"l1.ways": 256}).l1.ways // 32 == 8


def test_a_carveout_is_one_of_the_sizes_that_the_hardware_has():
    with pytest.raises(ConfigError) as error:
        load_config("sm", {"shared.carveout": 5000})
    said = "shared.carveout = 5000: with shared.carveouts = '7.0' it is one of 8192, 16384, 32768, 65536, 98304"
    assert str(error.value) == said
    assert load_config("sm", {"shared.carveout": 8192}).shared.carveout == 8192
    assert load_config("sm", {"shared.carveout": 5000, "shared.carveouts": "any"}).shared.carveout == 5000


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"dram.row_miss": 50}, "dram.row_miss has no effect here: with dram.banks = 16 a bank's row takes dram.rp and dram.rcd to open; "),
        ({"memory.data_channels": 2}, "memory.data_channels has no effect here: with memory.kind = 'dram' .* set dram.channels"),
        ({"memory.channel_bytes": 8}, "memory.channel_bytes has no effect here: with memory.kind = 'dram' .* set dram.bandwidth"),
    ],
)
def test_what_another_kind_of_memory_has_is_refused_and_says_what_to_set(changes, said):
    with pytest.raises(ConfigError, match=f"^{said}"):
        load_config("sm", changes)
    assert load_config("sm", {**changes, "dram.banks": 0, "dram.queue": 1, "memory.kind": "channels"})
