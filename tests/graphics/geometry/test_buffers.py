"""Vertex and index buffers, against the `struct` module, format by format; what reads beyond them is a sentence."""

import struct

import numpy as np
import pytest

from warploom.graphics import draw
from warploom.graphics.geometry import IndexBuffer, VertexBuffer, mesh_of
from warploom.graphics.geometry.formats import format_of, widened
from warploom.graphics.scene import Camera, Scene
from warploom.graphics.state import GraphicsError

LETTERS = {("u", 8): "B", ("i", 8): "b", ("u", 16): "H", ("i", 16): "h", ("u", 32): "I", ("i", 32): "i", ("f", 16): "e", ("f", 32): "f"}
SIGNED = {"unorm": "u", "snorm": "i", "uint": "u", "sint": "i", "float": "f"}


@pytest.mark.parametrize("count", [1, 2, 3, 4])
@pytest.mark.parametrize(
    ("kind", "bits"),
    [*((kind, bits) for kind in ("unorm", "snorm") for bits in (8, 16)), ("float", 16), ("float", 32),
     *((kind, bits) for kind in ("uint", "sint") for bits in (8, 16, 32))],
)  # fmt: skip
def test_each_format_at_an_odd_place(kind, bits, count):
    letter = SIGNED[kind]
    low, high = (0, (1 << bits) - 1) if letter == "u" else (-(1 << bits - 1), (1 << bits - 1) - 1)
    given = [low, high, 1, high // 3, 0, low // 2, high - 1, 2, 3, 5, 7, 11] if letter != "f" else [0, -1.5, 3.25, 0.1, *range(8)]
    size = struct.calcsize(LETTERS[letter, bits])
    rows = [given[count * k : count * k + count] for k in range(3)]
    data = b"\x7f" * 3 + b"".join(struct.pack(f"<{count}{LETTERS[letter, bits]}", *row) + b"\x7f" for row in rows)
    name = f"{kind}{bits}" + (f"x{count}" if count > 1 else "")
    got = VertexBuffer(data, size * count + 1, {"it": (name, 2)}, offset=1).fetched("it", 3)
    if kind == "float":
        wanted = np.array([struct.unpack(f"<{count}{LETTERS[letter, bits]}", struct.pack(f"<{count}{LETTERS[letter, bits]}", *row))
                           for row in rows])  # fmt: skip
    elif kind in ("unorm", "snorm"):
        wanted = np.maximum(np.array(rows) / high, -1).astype(np.float32)
    else:
        wanted = np.array(rows)
    assert (got == wanted).all() and got.shape == (3, count)
    vulkan = "".join(letter + str(bits) for letter in "RGBA"[:count]) + "_" + ("SFLOAT" if kind == "float" else kind.upper())
    assert format_of(vulkan) == format_of(name)


def test_packed_formats_and_blue_first():
    word = struct.pack("<I", 1023 | 1 << 10 | 512 << 20 | 3 << 30)
    for name, wanted in (
        ("unorm10-10-10-2", [1, 1 / 1023, 512 / 1023, 1]),
        ("A2B10G10R10_UINT_PACK32", [1023, 1, 512, 3]),
        ("A2B10G10R10_SINT_PACK32", [-1, 1, -512, -1]),
        ("A2B10G10R10_SNORM_PACK32", [-1 / 511, 1 / 511, -1, -1]),
    ):
        assert VertexBuffer(word, 4, {"it": (name, 0)}).fetched("it", 1)[0].tolist() == np.array(wanted, np.float32).tolist()
    for name in ("unorm8x4-bgra", "B8G8R8A8_UNORM"):
        assert VertexBuffer(bytes([0, 51, 255, 102]), 4, {"it": (name, 0)}).fetched("it", 1)[0].tolist() == pytest.approx([1, 0.2, 0, 0.4])


def test_missing_components_are_0_and_the_fourth_1():
    assert widened(np.array([[5.0, 6.0]]), 4).tolist() == [[5, 6, 0, 1]]
    assert widened(np.array([[5.0, 6.0, 7.0]]), 2).tolist() == [[5, 6]]


@pytest.mark.parametrize("name", ["float8x2", "unorm32x2", "float32x5", "R8G16_UNORM", "GR8", "", "unorm8x2-bgra", "sfloat32"])
def test_formats_that_there_are_not(name):
    with pytest.raises(GraphicsError, match=r"is not a vertex format.*there are formats as float32x3"):
        format_of(name)


@pytest.mark.parametrize(("kind", "restart"), [("uint8", 0xFF), ("uint16", 0xFFFF), ("uint32", 0xFFFFFFFF)])
def test_two_strips_in_one_index_buffer(kind, restart):
    corners = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]], "<f4")
    rows = VertexBuffer(corners, 12, {"positions": ("float32x3", 0)})
    order = IndexBuffer(np.array([9, 0, 1, 2, restart, 2, 1, 3], f"u{int(kind[4:]) // 8}"), kind, offset=int(kind[4:]) // 8)
    assert mesh_of([rows], order, "triangle-strip").triangles.tolist() == [[0, 1, 2], [2, 1, 3]]
    assert order.restart == restart
    with pytest.raises(GraphicsError, match="there are the vertices 0 to 3"):  # a list has no restart
        mesh_of([rows], order)


def test_a_mesh_of_two_buffers_draws():
    places = np.array([[-1, -1], [1, -1], [-1, 1], [1, 1]], "<i2")
    rows = VertexBuffer(places, 4, {"positions": ("sint16x2", 0)})
    colors = VertexBuffer(np.full((4, 4), 255, np.uint8), 4, {"colors": ("unorm8x4", 0)})
    mesh = mesh_of([rows, colors], None, "triangle-strip", name="square")
    target = draw(Scene(mesh, Camera((0, 0, 1), fov=90), background=(0, 0, 0, 0)), 8, 8, engine="python").target
    assert (target.pixels() == 255).all()
    assert mesh.triangles.tolist() == [[0, 1, 2], [1, 3, 2]]


def test_what_does_not_fit_is_a_sentence():
    rows = VertexBuffer(bytes(24), 12, {"positions": ("float32x3", 0)})
    with pytest.raises(GraphicsError, match="attribute 'positions' of vertex 2 ends at byte 36 of a vertex buffer that has 24"):
        rows.fetched("positions", 3)
    with pytest.raises(GraphicsError, match="the stride of a vertex buffer is 0: bytes from a vertex to the next, 1 or more"):
        mesh_of([VertexBuffer(bytes(24), 0, {"positions": ("float32x3", 0)})])
    with pytest.raises(GraphicsError, match="attribute 'positions' begins at byte -4 of its vertex buffer: an offset is 0 or more"):
        VertexBuffer(bytes(24), 12, {"positions": ("float32x3", -4)}).fetched("positions", 1)
    with pytest.raises(GraphicsError, match="the data of a buffer are bytes or an array of NumPy's, and here a list is given"):
        IndexBuffer([0, 1, 2], "uint16").fetched()
    with pytest.raises(GraphicsError, match="there is no attribute 'uv' in the vertex buffer; it has positions"):
        rows.fetched("uv", 1)
    with pytest.raises(GraphicsError, match="4 indices from byte 0 on end at byte 8 of an index buffer that has 6"):
        IndexBuffer(bytes(6), "uint16", count=4).fetched()
    with pytest.raises(GraphicsError, match="index format is 'uint9'"):
        IndexBuffer(bytes(6), "uint9").fetched()
    with pytest.raises(GraphicsError, match="attribute is 'position', did you mean 'positions'"):
        mesh_of([VertexBuffer(bytes(24), 12, {"position": ("float32x3", 0)})])
    with pytest.raises(GraphicsError, match="no vertex buffer has positions; there are uv"):
        mesh_of([VertexBuffer(bytes(24), 8, {"uv": ("float32x2", 0)})])
    with pytest.raises(GraphicsError, match="attribute 'positions' is in two vertex buffers"):
        mesh_of([rows, rows])
