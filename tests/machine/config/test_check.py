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


def test_rows_of_dram_do_not_matter_where_there_is_none():
    assert config(dram__row=100, memory__kind="channels").dram.row == 100


def test_an_unknown_scheduler_is_refused_with_the_nearest_name():
    with pytest.raises(ConfigError, match=r"^core\.scheduler = 'round_robbin': it is one of .*round_robin"):
        config(core__scheduler="round_robbin")
