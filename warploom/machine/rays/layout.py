"""A tree of boxes as it lies in memory: bytes that the ray unit reads, and the host writes.

    scene          root, kind, nodes, leaves                                       16 bytes; places are bytes from here
    node           kind | children << 8, corner x y z, exponents x y z (a byte each), children [n], lows [n][3], highs [n][3]
    leaf           kind | count << 8, geometry, flags, first primitive             16 bytes; after it, `count` of these:
      triangle       corners 0, 1, 2 (x y z each), flags                           40 bytes
      instance       rows 0, 1, 2 of a 3 x 4 matrix, root of its tree, custom number, number, mask | flags << 8      64 bytes
      procedural     low x y z, high x y z                                         24 bytes: what is in the box a program says

A node of 2 or 4 children is 64 bytes, one of 6 is 96. A child is a place, with bit 31 for a leaf; 0: there is none. Its box is quantised:
corner + q * 2^exponent, q a byte, lows rounded down and highs up, so that it never becomes smaller.
Source: Vortex of 2026 (github.com/vortexgpgpu/vortex 00ea949, sw/common/rtu_cfg.h), its CW-BVH4 and CW-BVH6; compressed wide trees are of
Ylitalo, Lehtinen and Karras, HPG 2017. Ours: kind 4, two children; the width of a scene with instances, in bits 15:8 of its kind; the
matrix of an instance leads from the world to its own space; the count of nodes and leaves is the most that a ray may visit.
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np

from warploom.machine.engine.unit import unit

SCENE_BYTES, LEAF_BYTES, TRIANGLE_BYTES, INSTANCE_BYTES, BOX_BYTES = 16, 16, 40, 64, 24
S_ROOT, S_KIND, S_NODES, S_LEAVES = range(4)  # words
TRIANGLES, INSTANCES, WIDTH_4, WIDTH_6, WIDTH_2 = range(5)  # kinds of scenes; TRIANGLES: a single leaf
WIDTHS = {2: WIDTH_2, 4: WIDTH_4, 6: WIDTH_6}
MOST_WIDTH = 6
WIDTH_SHIFT = 8

NODE, TRIANGLE_LEAF, INSTANCE_LEAF, PROCEDURAL_LEAF = range(4)
COUNT_SHIFT = 8
CORNER, EXPONENTS, CHILDREN = 1, 4, 5  # words of a node
LEAF_FLAG, PLACE = 1 << 31, (1 << 31) - 1
L_KIND, L_GEOMETRY, L_FLAGS, L_FIRST = range(4)  # words of a leaf
PRIMITIVE_BYTES = np.array([0, TRIANGLE_BYTES, INSTANCE_BYTES, BOX_BYTES], np.int64)  # by kind of leaf
I_ROOT, I_CUSTOM, I_NUMBER, I_MASK = range(12, 16)  # words of an instance
SCALES = np.array([2.0 ** (byte - 256 if byte >= 128 else byte) for byte in range(256)], np.float32)  # by exponent's byte
OPAQUE = 1  # flag of a triangle, and of a leaf


@unit
def width_of(kind):
    """Children of a node of a scene; 0 for a kind that does not exist."""
    which = kind & 255
    if which == WIDTH_2:
        return 2
    if which == WIDTH_4:
        return 4
    if which == WIDTH_6:
        return 6
    if which == INSTANCES or which == TRIANGLES:
        width = (kind >> WIDTH_SHIFT) & 255
        return width if width in (2, 4, 6) else 4 if width == 0 else 0
    return 0


@unit
def node_bytes(width):
    """Bytes of a node."""
    return 96 if width == MOST_WIDTH else 64


@unit
def exponent_of(word, place):
    """The byte `place` of a word as an index into SCALES."""
    return (word >> (8 * place)) & 255
