"""The inverse error functions and their like within NVIDIA's bounds: 4 to 8 units in the last place.

Recorded: what mpmath 1.4 gives with 120 digits for the float64 of that text. Bounds: NVIDIA, "CUDA C++ Programming Guide", 13.1.
"""

# fmt: off
import math

import numpy as np
import pytest

from warploom.kernel.mathematics import error_functions

BOUNDS = {"erfcx": 4, "erfinv": 5, "erfcinv": 6, "normcdf": 5, "normcdfinv": 8}
VALUES = {
    "erfcx": {
        -26.5: 1.924553162418569e+305, -3.3: 107274.43593281436, -0.4: 1.676233956688859, 1e-20: 1.0, 0.3: 0.7345993345676551, 1.7:
        0.2916632970753435, 9.9: 0.05670245693883227, 40.0: 0.014100335983377814,
    },
    "erfinv": {
        -0.99999: -3.123413274341571, -0.3: -0.2724627147267543, 1e-300: 8.86226925452758e-301, 0.02: 0.01772639502667802, 0.49:
        0.46586860023505733, 0.51: 0.4881220505159588, 0.9: 1.1630871536766743, 0.9999999999999999: 5.8635847487551676,
    },
    "erfcinv": {
        5e-324: 27.21329321081295, 1e-300: 26.209469960516124, 1e-20: 6.601580622355143, 0.3: 0.7328690779592169, 0.7: 0.2724627147267544,
        1.0000000000000002: -1.9678190753608283e-16, 1.4: -0.37080715859355784, 1.9999999: -3.7665625814958155,
    },
    "normcdf": {
        -37.5: 4.605353009581955e-308, -20.0: 2.7536241186062337e-89, -3.0: 0.0013498980316300946, -0.1: 0.460172162722971, 0.7:
        0.758036347776927, 5.0: 0.9999997133484281,
    },
    "normcdfinv": {
        1e-310: -37.663060331949524, 1e-30: -11.464024688443615, 0.025: -1.9599639845400543, 0.4999999: -2.5066282747031063e-07, 0.6:
        0.2533471031357997, 0.999999: 4.753424308817087,
    },
}
# fmt: on


@pytest.mark.parametrize("name", VALUES)
def test_values(name):
    for x, wanted in VALUES[name].items():
        assert abs(getattr(error_functions, name)(np.float64(x)) - wanted) <= BOUNDS[name] * np.spacing(abs(wanted)), x


@pytest.mark.parametrize(
    ("name", "edges"),
    [
        ("erfcx", {math.inf: 0.0, -math.inf: math.inf, -30.0: math.inf, 0.0: 1.0, 1e300: 1e-300 / math.sqrt(math.pi)}),
        ("erfinv", {1.0: math.inf, -1.0: -math.inf, 1.5: math.nan, -math.inf: math.nan, 0.0: 0.0}),
        ("erfcinv", {0.0: math.inf, 2.0: -math.inf, 1.0: 0.0, -0.1: math.nan, 2.1: math.nan, math.inf: math.nan}),
        ("normcdf", {math.inf: 1.0, -math.inf: 0.0, 0.0: 0.5, math.nan: math.nan}),
        ("normcdfinv", {0.0: -math.inf, 1.0: math.inf, 0.5: 0.0, -1e-9: math.nan, 1.1: math.nan}),
    ],
)
def test_edges(name, edges):
    with np.errstate(all="ignore"):
        for x, wanted in edges.items():
            np.testing.assert_allclose(getattr(error_functions, name)(np.float64(x)), wanted, rtol=4e-16, err_msg=f"{x}")
