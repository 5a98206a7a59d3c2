"""Bessel functions of the first and second kind, in the dialect of kernels: 64-bit floats, as those of `libm.py`.

Up to 25 a function is its Taylor series around a zero or an extremum nearby, whose terms Bessel's equation gives one after another: beside
a zero no digits are lost. Beyond, it is Hankel's expansion; near 0, the power series. Orders from two on are found by the recurrence in
the order, upwards where that is stable, downwards (Miller) where the order is above the argument.

Source: NIST Digital Library of Mathematical Functions, 10.2.1 (the equation), 10.2.2 and 10.8 (series), 10.17.3 (Hankel), 10.6.1 and 3.6
(recurrences); edges: NVIDIA, "CUDA C++ Programming Guide", mathematical functions.
"""

# ruff: noqa: D103, PLR0124, PLR1714
from __future__ import annotations

from typing import Any

import numpy as np

from warploom.kernel.mathematics.libm import INFINITY, NAN, PI, cos, invalid, log, sin

TWO_OVER_PI = 0.6366197723675814
EULER_GAMMA = 0.5772156649015329
SERIES_TO = 25.0  # Hankel's expansion is exact to the last bits from here on

# Zeros (of Y0 and Y1 the first extremum beside them): the place, what it lacks, the function's value and slope there.
J0 = np.array(
    [
        [2.404825557695773, -1.176691651530894e-16, 0.0, -0.5191474972894667],
        [5.520078110286311, 8.088597146146722e-17, 0.0, 0.34026480655836816],
        [8.653727912911013, -2.92812607320779e-16, 0.0, -0.27145229992838193],
        [11.791534439014281, 2.812956912778735e-16, 0.0, 0.23245983136472478],
        [14.930917708487787, -7.070514505983074e-16, 0.0, -0.20654643307799603],
        [18.071063967910924, -9.658048089426209e-16, 0.0, 0.18772880304043943],
        [21.21163662987926, 4.947077428784068e-16, 0.0, -0.17326589422922986],
        [24.352471530749302, 9.169067133951066e-16, 0.0, 0.16170155068925002],
    ],
    np.float64,
)  # fmt: skip
J1 = np.array(
    [
        [3.8317059702075125, -1.5269184090088067e-16, 0.0, -0.402759395702553],
        [7.015586669815619, -9.414165653410389e-17, 0.0, 0.30011575252613254],
        [10.173468135062722, 4.482162274768888e-16, 0.0, -0.2497048770578432],
        [13.323691936314223, 2.600408064718813e-16, 0.0, 0.21835940724787295],
        [16.470630050877634, -1.619019544798128e-15, 0.0, -0.1964653714686572],
        [19.615858510468243, -1.004445634526616e-15, 0.0, 0.18006337534431555],
        [22.760084380592772, -4.925749373614922e-16, 0.0, -0.16718460047381806],
        [25.903672087618382, 4.894530726419825e-16, 0.0, 0.15672498625285222],
    ],
    np.float64,
)  # fmt: skip
Y0 = np.array(
    [
        [0.8935769662791675, 2.6596231539720385e-17, 0.0, 0.8794208024971948],
        [2.197141326031017, -4.8259835876454966e-17, 0.5207864124022675, 0.0],
        [3.957678419314858, -1.0764340697562706e-16, 0.0, -0.40254267177502423],
        [7.086051060301773, -8.835285723085408e-17, 0.0, 0.3000976149104752],
        [10.222345043496418, -7.967395050308809e-16, 0.0, -0.2497012375146848],
        [13.361097473872764, -6.626109493712529e-16, 0.0, 0.21835829659767134],
        [16.50092244152809, 1.0187464212445755e-15, 0.0, -0.19646493789501676],
        [19.64130970088794, -1.3738085245174177e-15, 0.0, 0.18006317633754418],
        [22.782028047291558, 1.5905927758681248e-15, 0.0, -0.16718449805101074],
        [25.922957653180923, -2.254067267232836e-16, 0.0, 0.15672492885024078],
    ],
    np.float64,
)  # fmt: skip
Y1 = np.array(
    [
        [2.197141326031017, -4.8259835876454966e-17, 0.0, 0.5207864124022675],
        [3.6830228565851777, 4.278153122786271e-18, 0.4167299281064514, 0.0],
        [5.429681040794135, 4.162514026670377e-16, 0.0, -0.3403180455234406],
        [8.596005868331169, 2.8415838340063664e-16, 0.0, 0.27145987731153354],
        [11.749154830839881, 2.9466381668409186e-17, 0.0, -0.23246176601703875],
        [14.897442128336726, -6.072148995506809e-16, 0.0, 0.2065471103565926],
        [18.043402276727857, -1.4499889213148965e-15, 0.0, -0.1877290919149097],
        [21.188068934142212, 1.0863038864317323e-15, 0.0, 0.17326603526911988],
        [24.33194257135691, 2.940063934282991e-16, 0.0, -0.1617016266586241],
    ],
    np.float64,
)  # fmt: skip


def _around(order: Any, hi: Any, lo: Any, value: Any, slope: Any, x: Any) -> Any:
    """The Taylor series around hi + lo of the solution of Bessel's equation with that value and slope."""
    t = (x - hi) - lo
    scale = 1.0 / (hi * hi)
    constant = hi * hi - order * order
    second, first, here, following = 0.0, 0.0, value, slope  # coefficients k - 2, k - 1, k and k + 1
    step = t
    total = value + slope * t
    rest = 0.0
    k = 0
    size = 1.0
    while k < 100 and size > 1e-19 * abs(total):
        found = hi * ((k + 1) * (2 * k + 1)) * following + (k * k + constant) * here + 2.0 * hi * first + second
        found = -found * scale / ((k + 2) * (k + 1))
        step = step * t
        term = found * step
        size = abs(term) + abs(following * step)
        above = total + term
        rest = rest + (term - (above - total))
        total = above
        second = first
        first = here
        here = following
        following = found
        k = k + 1
    return total + rest


def _power_series(order: Any, x: Any) -> Any:
    """J0 or J1 near 0."""
    z = -0.25 * x * x
    term, total = 1.0, 0.0
    for k in range(1, 14):
        term = term * z / (k * (k + order))
        total = total + term
    return (1.0 + total) if order == 0 else 0.5 * x + 0.5 * x * total


def _hankel(order: Any, second: Any, x: Any) -> Any:
    """J (second: 0) or Y (1) of order 0 or 1, from 25 on."""
    p, q, term = 1.0, 0.0, 1.0
    for k in range(1, 21):
        odd = 2 * k - 1
        term = term * ((4 * order * order - odd * odd) / (8.0 * k)) / x
        sign = 1.0 if k % 4 < 2 else -1.0
        q = q + sign * term if k % 2 == 1 else q
        p = p + sign * term if k % 2 == 0 else p
    s, c = sin(x), cos(x)
    cosine, sine = (c + s, s - c) if order == 0 else (s - c, -c - s)  # root of 2 times those of x - pi/4 - order pi/2
    found = p * sine + q * cosine if second == 1 else p * cosine - q * sine
    return found * 0.5641895835477563 / np.sqrt(x)


def _row(x: Any, first: Any) -> Any:
    """How many zeros further than `first` the nearest one is: they are about pi apart."""
    return np.int64(np.floor(max(x - first, 0.0) / PI + 0.5))


def j0(x: Any) -> Any:
    a = abs(x)
    if a < 1.2:
        value = _power_series(0, a)
    elif a < SERIES_TO:
        n = _row(a, J0[0, 0])
        value = _around(0, J0[n, 0], J0[n, 1], J0[n, 2], J0[n, 3], a)
    else:
        value = _hankel(0, 0, a) if a < INFINITY else 0.0
    return value if x == x else x


def j1(x: Any) -> Any:
    a = abs(x)
    if a < 2.2:
        value = _power_series(1, a)
    elif a < SERIES_TO:
        n = _row(a, J1[0, 0])
        value = _around(1, J1[n, 0], J1[n, 1], J1[n, 2], J1[n, 3], a)
    else:
        value = _hankel(1, 0, a) if a < INFINITY else 0.0
    value = -value if x.view(np.int64) < 0 else value
    return value if x == x else x


def _beside_zero(x: Any) -> Any:
    """The rest of Y0's series: what is added to (log(x/2) + gamma) J0."""
    z = -0.25 * x * x
    term, harmonic, total = 1.0, 0.0, 0.0
    for k in range(1, 12):
        term = term * z / (k * k)
        harmonic = harmonic + 1.0 / k
        total = total - harmonic * term
    return total


def _beside_zero_1(x: Any) -> Any:
    """The rest of Y1's series: what is added to (log(x/2) + gamma) J1 - 1/x."""
    z = -0.25 * x * x
    term, harmonic, total = 0.5 * x, 0.0, 0.0
    for k in range(14):
        total = total - term * (harmonic + 0.5 / (k + 1))
        harmonic = harmonic + 1.0 / (k + 1)
        term = term * z / ((k + 1) * (k + 2))
    return total


def y0(x: Any) -> Any:
    if not x > 0.0:
        return -INFINITY if x == 0.0 else invalid(x)
    if x < 0.6:
        value = TWO_OVER_PI * ((log(0.5 * x) + EULER_GAMMA) * _power_series(0, x) + _beside_zero(x))
        value = TWO_OVER_PI * (log(x) - 0.11593151565841245) if x < 1e-150 else value
    elif x < SERIES_TO:
        n = 0 if x < 1.3 else 1 if x < 3.0 else 2 + _row(x, Y0[2, 0])
        value = _around(0, Y0[n, 0], Y0[n, 1], Y0[n, 2], Y0[n, 3], x)
    else:
        value = _hankel(0, 1, x) if x < INFINITY else 0.0
    return value


def y1(x: Any) -> Any:
    if not x > 0.0:
        return -INFINITY if x == 0.0 else invalid(x)
    if x < 1.2:
        value = TWO_OVER_PI * ((log(0.5 * x) + EULER_GAMMA) * _power_series(1, x) + _beside_zero_1(x) - 1.0 / x)
        value = -TWO_OVER_PI / x if x < 1e-150 else value
    elif x < SERIES_TO:
        n = 0 if x < 2.95 else 1 if x < 4.5 else 2 + _row(x, Y1[2, 0])
        value = _around(1, Y1[n, 0], Y1[n, 1], Y1[n, 2], Y1[n, 3], x)
    else:
        value = _hankel(1, 1, x) if x < INFINITY else 0.0
    return value


def jn(n: Any, x: Any) -> Any:
    a = abs(x)
    if n < 0 or x != x:
        return x if x != x else NAN
    if n < 2:
        return j0(x) if n == 0 else j1(x)
    if a == 0.0 or a == INFINITY:
        return 0.0
    if a > n:
        before, value = j0(a), j1(a)
        for k in range(1, n):
            following = (2 * k) * (value / a) - before
            before = value
            value = following
    else:
        value = _downwards(n, a)
    return -value if x < 0.0 and n & 1 else value


def _downwards(n: Any, x: Any) -> Any:
    """J of order n above x, by Miller: down from an order whose value does not count; 1 = J0 + 2 (J2 + J4 + ...) gives the scale."""
    if n * (log(0.5 * x / n) + 1.0) < -760.0:
        return 0.0
    k = n + np.int64(np.sqrt(160.0 * n)) + 10
    k = k + (k & 1)
    above, here, total, value = 0.0, 1e-200, 0.0, 0.0
    while k > 0:
        value = here if k == n else value
        total = total + (2.0 * here if k & 1 == 0 else 0.0)
        below = (2 * k) * (here / x) - above
        above = here
        here = below
        k = k - 1
        if abs(here) > 1e200:
            above = above * 1e-200
            here = here * 1e-200
            total = total * 1e-200
            value = value * 1e-200
    return value / (total + here)


def yn(n: Any, x: Any) -> Any:
    if n < 0 or x != x:
        return x if x != x else NAN
    if n < 2:
        return y0(x) if n == 0 else y1(x)
    if x <= 0.0:
        return -INFINITY if x == 0.0 else NAN
    if x == INFINITY:
        return 0.0
    before, value = y0(x), y1(x)
    k = 1
    while k < n and value > -INFINITY:
        following = (2 * k) * (value / x) - before
        before = value
        value = following
        k = k + 1
    return value
