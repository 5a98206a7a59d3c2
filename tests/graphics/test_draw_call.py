"""Draw calls: order, depth, blending, interpolation, textures, scissor; both engines."""

import random
from fractions import Fraction

import numpy as np
import pytest

from tests.graphics.scenes import checkers, clip, corner_values, random_call
from warploom.graphics import (
    ALPHA_BLENDING,
    Blend,
    BlendPart,
    Depth,
    DrawCall,
    GraphicsError,
    Pipeline,
    Shading,
    StencilFace,
    Target,
    Texture,
)
from warploom.graphics.draw_call import draw_call
from warploom.graphics.setup import Viewport, set_up

SIZE = 20


def drawn(*calls, size=SIZE, engine="python", **more):
    target = Target(size, size, **more)
    for call in calls:
        draw_call(target, call, engine)
    return target


def square(left, top, right, bottom, size=SIZE, depth=0.5, colors=None, uv=None, **more):
    """Two triangles that are a rectangle, in pixels."""
    corners = clip([(left, top), (right, top), (right, bottom), (left, bottom)], size, depth)
    halves = np.array([[0, 1, 2], [0, 2, 3]])
    values = corner_values(count=4, colors=None if colors is None else np.array(colors)[:, None])[:, 0]
    if uv is not None:
        values[:, :2] = uv
    return DrawCall(corners[halves], values[halves], **more)


@pytest.mark.parametrize(
    "state", [{}, {"fill_rule": "inclusive"}, {"depth": None}, {"tile": 8, "early_depth": False}, {"depth": Depth("greater", write=False)}]
)
def test_both_engines_draw_the_same(state):
    numbers = random.Random(str(state))
    call = random_call(numbers, SIZE, **state)
    targets = [drawn(call, engine=engine, srgb=True) for engine in ("python", "native")]
    assert targets[0].counts == targets[1].counts
    for name in ("color", "depth_stencil", "shaded", "occupancy"):
        assert getattr(targets[0], name).tobytes() == getattr(targets[1], name).tobytes()


def test_neither_tiles_nor_the_early_test_change_a_picture():
    numbers = random.Random(4)
    call = random_call(numbers, SIZE)
    first = drawn(call)
    for state in ({"tile": 8}, {"tile": 128}, {"early_depth": False}):
        other = drawn(random_call(random.Random(4), SIZE, **state))
        assert other.color.tobytes() == first.color.tobytes()
        assert other.depth_stencil.tobytes() == first.depth_stencil.tobytes()
    assert first.counts["early"] > 0


def test_translucent_triangles_are_blended_in_the_order_of_submission():
    """Against a serial loop over triangles and pixels: coverage by Fractions, colour by the formula of the merger."""
    numbers = random.Random(9)
    view, triangles = Viewport(SIZE, SIZE, 0, 0, SIZE, SIZE), []
    for _ in range(8):
        points = [(numbers.uniform(0, SIZE), numbers.uniform(0, SIZE)) for _ in range(3)]
        triangles.append((clip(points, SIZE), [numbers.randrange(256) / 255 for _ in range(4)]))
    values = np.concatenate([corner_values(color) for _, color in triangles])
    call = DrawCall(np.array([corners for corners, _ in triangles]), values, Pipeline(depth=None, blend=ALPHA_BLENDING))
    target = drawn(call)
    wanted = [[(0, 0, 0, 255)] * SIZE for _ in range(SIZE)]
    for corners, color in triangles:
        rows = set_up(corners[None], np.zeros((1, 3, 1)), view).edges
        source = [round(part * 255) for part in color]
        for y in range(SIZE):
            for x in range(SIZE):
                if rows.size and all(a * x + b * y + c >= 0 for a, b, c in rows[0].reshape(3, 3).tolist()):
                    old = wanted[y][x]
                    new = [Fraction(s * source[3] + d * (255 - source[3]), 255) for s, d in zip(source[:3], old[:3], strict=True)]
                    new.append(Fraction(source[3] * 255 + old[3] * (255 - source[3]), 255))
                    wanted[y][x] = tuple(min(int(part + Fraction(1, 2)), 255) for part in new)
    assert target.pixels().tolist() == [[list(pixel) for pixel in row] for row in wanted]


def test_depth_keeps_the_nearer_whatever_the_order():
    near = square(2, 2, 12, 12, depth=0.25, colors=[[1, 0, 0, 1]] * 4)
    far = square(6, 6, 18, 18, depth=0.75, colors=[[0, 1, 0, 1]] * 4)
    one, other = drawn(near, far), drawn(far, near)
    assert (one.pixels() == other.pixels()).all()
    assert one.pixels()[8, 8].tolist() == [255, 0, 0, 255]
    assert one.depth()[8, 8] == np.floor(0.25 * (2**24 - 1) + 0.5) / (2**24 - 1)
    assert one.counts["early"] == 36
    assert other.counts["early"] == 0


def test_a_rectangle_of_two_triangles_draws_each_pixel_once_or_its_diagonal_twice():
    counts = {
        rule: drawn(square(0, 0, SIZE, SIZE, pipeline=Pipeline(depth=None, fill_rule=rule))).counts for rule in ("top-left", "inclusive")
    }
    assert counts["top-left"]["fragments"] == SIZE * SIZE
    assert counts["inclusive"]["fragments"] == SIZE * SIZE + SIZE


def test_attributes_are_perspective_correct():
    """A floor that runs away: u along it is that of the plane itself, not a straight line on the screen."""
    near, far, size = 1.0, 9.0, 32
    points = [(0, size, 0.5, near), (size, size, 0.5, near), (size, 0, 0.5, far), (0, 0, 0.5, far)]
    corners = clip(points, size)
    halves = np.array([[0, 1, 2], [0, 2, 3]])
    red = np.array([0.0, 0.0, 1.0, 1.0])
    values = corner_values(count=4, colors=np.stack([red, red, red, np.ones(4)], axis=1)[:, None])[:, 0]
    target = drawn(DrawCall(corners[halves], values[halves], Pipeline(depth=None)), size=size)
    for y in range(size):
        share = (size - (y + 0.5)) / size  # from near to far on the screen
        wanted = share / far / (share / far + (1 - share) / near)
        assert abs(int(target.pixels()[y, 5, 0]) - wanted * 255) <= 0.51


def test_a_texture_that_is_drawn_texel_for_pixel_is_itself():
    numbers = np.random.RandomState(2)
    pixels = numbers.randint(0, 256, (16, 16, 4), dtype=np.uint8)
    uv = [[0, 0], [1, 0], [1, 1], [0, 1]]
    for mode in ("nearest", "linear"):
        texture = Texture(pixels, mag_filter=mode)
        for srgb in (False, True):
            target = drawn(
                square(0, 0, 16, 16, 16, uv=uv, shading=Shading(texture=texture), pipeline=Pipeline(depth=None)), size=16, srgb=srgb
            )
            assert (target.pixels() == pixels).all()


def test_a_distant_texture_is_taken_from_a_smaller_level():
    """Sixteen texels of a checkerboard in a pixel: the levels above make it an even grey, nearest texels would flicker."""
    uv = [[0, 0], [8, 0], [8, 8], [0, 8]]
    call = square(0, 0, 16, 16, 16, uv=uv, shading=Shading(texture=checkers(32)), pipeline=Pipeline(depth=None))
    assert set(drawn(call, size=16).pixels()[..., 0].ravel().tolist()) == {128}
    flat = Texture(checkers(32).pixels, mipmaps=False, mag_filter="nearest")
    call = square(0, 0, 16, 16, 16, uv=uv, shading=Shading(texture=flat), pipeline=Pipeline(depth=None))
    assert set(drawn(call, size=16).pixels()[..., 0].ravel().tolist()) <= {0, 255}


def test_scissor_write_mask_and_cutoff():
    call = square(0, 0, SIZE, SIZE, colors=[[1, 1, 1, 0.5]] * 4, scissor=(3, 4, 9, 6), pipeline=Pipeline(depth=None, write_mask="g"))
    pixels = drawn(call).pixels()
    assert {(x, y) for y, x in np.argwhere(pixels[..., 1])} == {(x, y) for x in range(3, 9) for y in range(4, 6)}
    assert not pixels[..., [0, 2]].any()
    cut = drawn(square(0, 0, SIZE, SIZE, colors=[[1, 1, 1, 0.5]] * 4, shading=Shading(cutoff=0.6)))
    assert (cut.counts["cut"], cut.counts["written"], int(cut.depth().min())) == (SIZE * SIZE, 0, 1)


def test_a_stencil_counts_what_is_drawn_and_lets_through_what_it_says():
    mark = StencilFace("always", "increment-clamp", "keep", "keep")
    only = StencilFace("equal", reference=2)
    first = Pipeline(depth=None, stencil_front=mark, stencil_back=mark, write_mask="")
    then = Pipeline(depth=None, stencil_front=only, stencil_back=only)
    target = drawn(square(0, 0, 12, 12, pipeline=first), square(6, 6, 18, 18, pipeline=first), square(0, 0, SIZE, SIZE, pipeline=then))
    assert target.stencil().max() == 2
    assert (target.pixels()[..., 0] == 255).sum() == 36


def test_helper_lanes_fill_quads():
    target = drawn(square(1, 1, 2, 2, pipeline=Pipeline(depth=None)))
    counts = target.counts
    assert (counts["fragments"], counts["quads"], counts["helpers"]) == (1, 1, 3)
    assert target.occupancy.reshape(10, 10, 2)[0, 0].tolist() == [1, 1]


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: Pipeline(cull_mode="bakc"), "cull_mode is 'bakc', did you mean 'back'?; there are none, front, back"),
        (lambda: Pipeline(tile=10), "tile is 10: a tile is 8, 16, 32, 64 or 128 pixels wide"),
        (lambda: Pipeline(depth=Depth("les")), "depth compare is 'les'"),
        (lambda: Pipeline(blend=Blend(BlendPart("plus"))), "blend operation is 'plus'"),
        (lambda: Pipeline(stencil_front=StencilFace(reference=256)), "stencil reference is 256: a stencil value has 8 bits, 0 to 255"),
        (lambda: Target(0, 5), "a target of 0 x 5 pixels: each side is 1 to 8192"),
        (lambda: Target(5, 5).clear((0, 0, 300, 0)), "the clear colour is (0, 0, 300, 0)"),
        (lambda: Texture(np.zeros((4, 4, 3), np.uint8)), "texture: pixels are uint8[height, width, 4], and these are uint8[4, 4, 3]"),
    ],
)
def test_a_state_that_cannot_be_is_a_sentence(make, said):
    with pytest.raises(GraphicsError) as found:
        make()
    assert str(found.value).startswith(said)
