"""What host programs ask of rooms above: scenes for rays, and names that nobody has."""

import numpy as np
import pytest

from tests.cuda_cpp.conftest import ROOT
from warploom.cuda_cpp.libraries import library
from warploom.cuda_cpp.protocol import Kind, Request, Status
from warploom.graphics.rays import RayScene
from warploom.machine.rays.leaf import CULL_BACK

CORNERS = np.arange(18, dtype=np.float32).reshape(2, 3, 3) ** 2


def test_a_scene_lies_in_memory_of_the_device_as_a_ray_unit_reads_it(server):
    reply = server.answer(Request(Kind.LIBRARY, 2, 4, 1, 0, bytearray(b"ray-tree\0" + CORNERS.tobytes())))
    words = RayScene(CORNERS, 4).words
    assert reply.status == 0
    assert np.array_equal(server.device.read(reply.value, words.nbytes).view(np.uint32), words)
    assert server.answer(Request(Kind.FREE, reply.value, 0, 0, 0, bytearray())).status == 0


@pytest.mark.parametrize(
    ("width", "data", "said"),
    [
        (5, CORNERS.tobytes(), "a node of 5 children: there are 2, 4 and 6"),
        (4, b"", "mesh 0 has no triangles"),
        (4, np.full(9, np.nan, np.float32).tobytes(), "triangle 0 has a coordinate that is not a number"),
    ],
)
def test_what_cannot_be_built_is_told_with_its_line(server, width, data, said):
    assert (
        server.answer(Request(Kind.LIBRARY, len(data) // 36, width, 1, 0, bytearray(b"ray-tree\0" + data))).status == Status.INVALID_VALUE
    )
    assert server.heard[0].startswith("a.cu:7: error: ") and said in server.heard[0]


def test_a_library_that_is_not_there_is_not_supported(server):
    assert library("nothing") is None
    assert server.answer(Request(Kind.LIBRARY, 0, 0, 0, 0, bytearray(b"nothing\0"))).status == Status.NOT_SUPPORTED


@pytest.mark.slow
@pytest.mark.parametrize("width", [2, 4, 6])
def test_a_program_finds_the_hits_of_the_host_by_the_unit_and_by_itself(compiled, width):
    run = compiled("run", "--set", "rays.cores=1", ROOT / "tests" / "cuda_cpp" / "rays.cu", width)
    assert run.returncode == 0, run.stderr
    refused, *lines = run.stdout.splitlines()
    assert refused == "invalid argument" and "rays.cu:32: error: mesh 0: triangle 0 has a coordinate" in run.stderr
    state, numbers = 1, []
    for _ in range(9 * 60 + 4 * 48):
        state = (state * 1664525 + 1013904223) % (1 << 32)
        numbers.append((state >> 8) / (1 << 24))
    scene = RayScene(np.array(numbers[:540], np.float32).reshape(-1, 3, 3), width)
    drawn = np.array(numbers[540:], np.float32).reshape(-1, 4)
    origins = np.column_stack([drawn[:, :2], np.full(48, -1, np.float32)])
    towards = np.column_stack([drawn[:, 2:] - np.float32(0.5), (np.arange(48, dtype=np.int64) % 9 > 0).astype(np.float32)])
    wanted = []
    for flags in (0, CULL_BACK):
        hits = scene.trace(origins, towards, 0.0, 1e9, flags=flags)
        for i in range(48):
            hit = hits.hit[i]
            row = [
                i,
                int(hit),
                *(float(f"{one[i]:.9g}") if hit else 0.0 for one in (hits.t, hits.u, hits.v)),
                int(hits.triangle[i]) if hit else 0,
            ]
            wanted += [row, row]
    assert sum(row[1] for row in wanted) > 40
    assert [[float(word) for word in line.split()] for line in lines] == wanted
