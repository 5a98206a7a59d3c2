"""GPUs by the names that people give them."""

import pytest

from warploom.machine.config.presets import load_config, preset_names
from warploom.machine.config.products import GENERATIONS, generation_of
from warploom.machine.engine.sizes import ConfigError

NEAREST = {
    "4090": "rtx4090",
    "RTX 4090": "rtx4090",
    "L4": "rtx4090",
    "rtx-3080": "rtx3070",
    "GeForce RTX 3060 Ti": "rtx3070",
    "A100-SXM4-80GB": "a100",
    "h200": "h100",
    "sm_90": "h100",
    "5090": "h100",
    "RTX 2080 Ti": "t4",
    "gtx1080": "v100",
    "mi250x": "gcn",
    "7900XTX": "gcn",
    "m1": "sm",
    "cpu": "avx512",
    "8.6": "rtx3070",
}


@pytest.mark.parametrize("name", NEAREST)
def test_a_product_names_the_nearest_preset(name):
    found = generation_of(name)
    assert found is not None and found.preset == NEAREST[name]
    with pytest.raises(ConfigError, match=f"--gpu {NEAREST[name]}; there are a100"):
        load_config(name)


def test_rows_name_presets_and_presets_are_not_taken_for_products():
    assert {row.preset for row in GENERATIONS} <= set(preset_names())
    assert generation_of("smm") is generation_of("warp") is generation_of("") is None
    with pytest.raises(ConfigError, match="there is no preset 'smm', did you mean 'sm'"):
        load_config("smm")
