"""Stream-out: what is written is drawn again as a list."""

import numpy as np
import pytest

from warploom.graphics.geometry import VertexBuffer, assembled, mesh_of, streamed_out
from warploom.graphics.state import GraphicsError

ROWS = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0], [0, 2, 5]], "<f4")


def test_a_strip_comes_out_as_a_list():
    triangles = assembled(np.arange(5, dtype=np.int64), "triangle-strip")
    found = streamed_out(ROWS, triangles, 1 << 20)
    assert (found.written, found.needed, len(found.data)) == (3, 3, 3 * 36)
    again = mesh_of([VertexBuffer(found.data, 12, {"positions": ("float32x3", 0)})])
    assert (again.positions[again.triangles] == ROWS[triangles]).all()


@pytest.mark.parametrize(("size", "written"), [(0, 0), (35, 0), (36, 1), (71, 1), (72, 2), (1000, 3)])
def test_a_full_buffer_keeps_whole_triangles(size, written):
    triangles = assembled(np.arange(5, dtype=np.int64), "triangle-fan")
    found = streamed_out(ROWS, triangles, size)
    assert (found.written, found.needed) == (written, 3)
    assert found.data.tobytes() == ROWS[triangles[:written]].tobytes()


def test_what_does_not_fit_is_a_sentence():
    with pytest.raises(GraphicsError, match=r"triangle 1 is \[0, 1, 5\]: there are the vertices 0 to 4"):
        streamed_out(ROWS, [[0, 1, 2], [0, 1, 5]], 100)
    with pytest.raises(GraphicsError, match="has -1 bytes: it has 0 or more"):
        streamed_out(ROWS, [[0, 1, 2]], -1)
    assert streamed_out(ROWS, np.zeros((0, 3), np.int64), 100).written == 0
