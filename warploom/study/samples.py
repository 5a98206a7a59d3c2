"""What several runs of the same thing say together: a mean with its interval, and the geometric mean over kernels.

The interval is that of Student's distribution ("The Probable Error of a Mean", Biometrika 6, 1908): with a probability of 95 % the mean
of all possible runs lies in it, if the runs are independent and their values distributed about normally.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

# Student's t for a two-sided interval of 95 %, by degrees of freedom from 1.
STUDENT = (
    12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131,
    2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042,
)  # fmt: skip
NORMAL = 1.960


@dataclass(frozen=True)
class Estimate:
    """A mean. half: the interval of 95 % reaches so far to both sides; None where there is one value alone."""

    mean: float
    half: float | None = None


def estimate(values: Sequence[float]) -> Estimate | None:
    """The mean of values with its interval; None where there are none."""
    if not values:
        return None
    count = len(values)
    mean = math.fsum(values) / count
    if count == 1:
        return Estimate(mean)
    deviation = math.sqrt(math.fsum((value - mean) ** 2 for value in values) / (count - 1))
    return Estimate(mean, student(count - 1) * deviation / math.sqrt(count))


def student(freedom: int) -> float:
    """Student's t for 95 %. After the table the first term of its expansion about the normal distribution, which is within 0.003."""
    return STUDENT[freedom - 1] if freedom <= len(STUDENT) else NORMAL + (NORMAL**3 + NORMAL) / (4 * freedom)


def geometric_mean(values: Sequence[float | None]) -> float | None:
    """The geometric mean; None where a value is missing or not above 0, since there is none then."""
    known = [value for value in values if value is not None and value > 0]
    if not known or len(known) < len(values):
        return None
    return math.exp(math.fsum(map(math.log, known)) / len(known))
