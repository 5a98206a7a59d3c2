"""Setup and binning on a machine, against the host's, in every bit."""

import numpy as np
import pytest

from warploom.gpu import GPU
from warploom.graphics import Camera, GraphicsError, Mesh, Scene
from warploom.graphics.machine.calls import set_up_on_host
from warploom.graphics.machine.drawing import draw_on
from warploom.graphics.machine.setup_kernels import MachineSetUp
from warploom.graphics.machine.vertices import Launches


def gpu(**changes):
    return GPU("vortex-2024", engine="python", set=changes)


def triangles(seed, n=12):
    """Random corners with a triangle of no area, one outside of the picture, a huge and a tiny one, and values that do not fit."""
    numbers = np.random.default_rng(seed)
    corners = numbers.uniform(-2, 2, (n, 3, 4))
    corners[..., 3] = numbers.uniform(0.2, 3, (n, 3))
    corners[1, 1] = corners[1, 0]
    corners[2, :, 0] += 30
    corners[3, :, :2] *= 1e4
    corners[4, :, :2] = numbers.uniform(-1e-6, 1e-6, (3, 2))
    return corners, numbers.uniform(0, 1, (n, 3, 4)), numbers.uniform(-200, 200, (n, 3, 2))


@pytest.mark.parametrize(("seed", "log_tile"), [(1, 3), (2, 5)])
def test_the_machine_sets_up_and_bins_as_the_host_does(seed, log_tile):
    given, launches = (*triangles(seed), 40, 24, log_tile), Launches(gpu())
    (one, tiles, headers), (right, right_tiles, right_headers) = MachineSetUp(launches, "mesh")(*given), set_up_on_host(*given)
    for mine, its in zip(one, right, strict=True):
        assert mine.dtype == its.dtype and np.array_equal(mine, its)
    assert np.array_equal(tiles, right_tiles) and headers == right_headers
    assert 3 < len(right.kept) < len(given[0]) and headers > 1
    assert {name for name, _ in launches.results} == {"mesh, setup", "mesh, binning"}


@pytest.mark.parametrize("pick", [slice(0, 0), slice(2, 3)])
def test_nothing_to_draw(pick):
    given = (*(part[pick] for part in triangles(1)), 40, 24, 5)
    one, tiles, headers = MachineSetUp(Launches(gpu()), "mesh")(*given)
    assert len(one.edges) == len(tiles) == headers == 0


def test_the_picture_is_the_same_and_cycles_are_told_apart():
    drawn = Scene([Mesh([[0, 1, 0], [-1, -1, 0], [1, -1, 0]], colors=np.eye(3), name="one")] * 2, Camera((0, 0, 3)))
    host, machine = (draw_on(gpu(), drawn, 4, 4, setup=setup) for setup in ("host", "machine"))
    assert (host.target.color == machine.target.color).all() and (host.target.depth_stencil == machine.target.depth_stencil).all()
    assert list(host.cycles_of()) == ["one", "one 1"]
    assert list(machine.cycles_of()) == ["one, setup", "one, binning", "one", "one 1"]
    assert sum(machine.cycles_of().values()) == machine.cycles > host.cycles
    with pytest.raises(GraphicsError, match="setup is 'gpu'; there are host, machine"):
        draw_on(gpu(), drawn, 8, 8, setup="gpu")
