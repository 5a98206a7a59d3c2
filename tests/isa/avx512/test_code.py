"""What a comparison into a mask costs: its own latency, where the preset says one, else that of arithmetic."""

import pytest

from warploom import GPU
from warploom.isa.frontends import load
from warploom.machine.config.presets import load_config

USE = "vpaddd zmm0 {k1}, zmm0, zmm1\n"


def chain(compare, **settings):
    """Cycles for each round of a comparison and an addition that depend on each other."""

    def cycles(rounds):
        body = (compare + USE) * rounds
        text = f"vpxord zmm0, zmm0, zmm0\nvpxord zmm1, zmm1, zmm1\n{body}ret\n"
        return GPU("avx512", engine="python", set=settings).run(load(text.encode(), isa="avx512")).cycles

    return (cycles(6) - cycles(2)) / 4


@pytest.mark.parametrize("compare", ["vpcmpltd k1, zmm0, zmm1\n", "vptestmd k1, zmm0, zmm1\n", "vcmpltps k1, zmm0, zmm1\n"])
def test_a_comparison_reaches_its_mask_later_than_a_sum_its_register(compare):
    latency = load_config("avx512").latency
    assert latency.mask > latency.alu
    assert chain(compare) == latency.mask + latency.alu
    assert chain(compare, **{"latency.mask": 7}) == 7 + latency.alu


def test_where_no_latency_is_said_it_is_that_of_arithmetic():
    assert chain("vpcmpltd k1, zmm0, zmm1\n", **{"latency.mask": 0, "latency.alu": 3}) == 3 + 3


def test_signs_of_lanes_are_no_comparison():
    assert chain("vpmovd2m k1, zmm0\n") == 2 * load_config("avx512").latency.alu
