"""The texture unit against a slow model of it, `sampler_model.py`."""

import json
import lzma

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.machine.core.texture.sampler_model import (
    BASE,
    F32,
    INF,
    NAN,
    Image,
    model_sample,
)
from tests.places import GOLDEN
from warploom.isa.uop import IMMEDIATE, NONE, REGISTERS, Uop, scalar
from warploom.isa.views import (
    CLAMP,
    FILTERS,
    FORMATS,
    LINEAR,
    MIRROR,
    POINT,
    REPEAT,
    SAMPLER_COLUMNS,
    TRILINEAR,
    VIEW_BYTES,
    VIEW_HEIGHT,
    VIEW_WIDTH,
    WRAPS,
)
from warploom.machine.core.texture.sampler import Texels, locate, sample, store_image
from warploom.machine.datapath.register_file import WarpRegisters
from warploom.machine.engine.native.loader import native
from warploom.machine.engine.pages import contents
from warploom.machine.engine.sizes import MAX_LANES
from warploom.machine.engine.unit import mirror, unit, zeros

COLOURS = tuple(form.name for form in FORMATS if form.name != "word")


@unit
def run_sample(registers, uops, lanes, memory, views, samplers, texels):
    """What both engines execute."""
    return sample(registers[0], uops, 0, lanes, memory, views, samplers, texels[0])


@unit
def run_store(registers, uops, lanes, memory, views):
    """What both engines execute."""
    store_image(registers[0], uops, 0, lanes, memory, views)


# ---------------------------------------------------------------------------------------------------------
# Both engines.


def bits(values):
    return np.asarray(values, F32).view(np.uint32)


def both_samples(image, filtering, wraps, u, v, detail=None, active=None, uop=None):
    """Sample in both engines, which must agree in every byte; returns (rgba bits [lanes, 4], addresses [rows, lanes], lane registers)."""
    lanes = len(u)
    samplers = np.zeros((2, SAMPLER_COLUMNS), np.int32)
    samplers[1, :3] = filtering, *wraps
    views = np.concatenate([np.zeros_like(image.view), image.view])
    uop = uop or Uop("sample", dst=8, a=1, b=2, c=NONE if detail is None else 3, view=1, imm=1)
    start = zeros(1, WarpRegisters)
    start["lane"][:] = 0xABCD0000 + np.arange(MAX_LANES, dtype=np.uint32)
    start["lane"][0, 1, :lanes], start["lane"][0, 2, :lanes] = bits(u), bits(v)
    if detail is not None:
        start["lane"][0, 3, :lanes] = bits(detail)
    start["active"][0, :lanes] = 0xFFFFFFFF if active is None else np.where(active, 0xFFFFFFFF, 0)
    uops = np.array([uop.row()], np.int32)
    results = []
    for engine in ("python", "native"):
        registers = start.copy()
        texels, memory = np.zeros(1, Texels), image.memory.copy()
        arguments = (uops, lanes, memory, views, samplers)
        if engine == "python":
            with np.errstate(all="ignore"):
                rows = run_sample(mirror(registers), *arguments, mirror(texels))
        else:
            rows = native().entry(run_sample, (registers, *arguments, texels))(registers, *arguments, texels)
        assert memory.tobytes() == image.memory.tobytes()
        results.append((rows, registers, texels))
    (rows, registers, texels), (native_rows, native_registers, native_texels) = results
    assert rows == native_rows
    assert contents(registers) == contents(native_registers)
    assert texels.tobytes() == native_texels.tobytes()
    lane = registers["lane"][0]
    return lane[8:12, :lanes].T, texels["address"][0, :rows, :lanes], lane


def check(image, filtering, wraps, u, v, detail=None):
    colours, addresses, _ = both_samples(image, filtering, wraps, u, v, detail)
    assert len(addresses) == {POINT: 1, LINEAR: 4, TRILINEAR: 8}[filtering]
    with np.errstate(all="ignore"):
        for lane in range(len(u)):
            want, touched = model_sample(image, filtering, wraps, u[lane], v[lane], 0.0 if detail is None else detail[lane])
            where = f"{image.name} {FILTERS[filtering]} {[WRAPS[w] for w in wraps]} at {u[lane]!r}, {v[lane]!r}"
            assert colours[lane].tolist() == want, where
            assert [a for a in addresses[:, lane].tolist() if a >= 0] == touched, where


EDGES = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    2.0,
    -2.5,
    1e-9,
    -1e-9,
    1e-42,
    0.99999994,
    1.0000001,
    3e7,
    -3e7,
    2.5e9,
    -2.5e9,
    1e20,
    -1e20,
    3e38,
    -3e38,
    INF,
    -INF,
    NAN,
]


@pytest.mark.every(3)
@pytest.mark.parametrize("wrap", range(len(WRAPS)))
@pytest.mark.parametrize("filtering", range(len(FILTERS)))
@pytest.mark.parametrize("name", COLOURS)
def test_every_format_filter_and_wrap_at_its_edges(name, filtering, wrap):
    """Texel borders and centres on both sides of the image, and every float that has ever made trouble."""
    image = Image(name, 6, 5, levels=3, padding=2, seed=1)
    borders = [k / 12 for k in range(-16, 29)]
    u = [F32(x) for x in EDGES + borders][:MAX_LANES]
    for other in (0.3, -0.5 / 5, NAN):
        check(image, filtering, (wrap, REPEAT), u, [F32(other)] * len(u))
        check(image, filtering, (CLAMP, wrap), [F32(other)] * len(u), u)


coordinates = st.one_of(
    st.sampled_from(EDGES), st.floats(width=32), st.floats(-3, 3, width=32), st.integers(-40, 40).map(lambda k: float(F32(k / 16)))
)


@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_any_texture_any_coordinate(data):
    name = data.draw(st.sampled_from(COLOURS))
    filtering = data.draw(st.integers(0, len(FILTERS) - 1))
    wraps = data.draw(st.tuples(*[st.integers(0, len(WRAPS) - 1)] * 2))
    width, height = data.draw(st.integers(1, 17)), data.draw(st.integers(1, 17))
    levels = data.draw(st.integers(1, max(width, height).bit_length()))
    image = Image(name, width, height, levels, data.draw(st.integers(0, 3)), data.draw(st.integers(0, 99)))
    lanes = data.draw(st.integers(1, 6))
    row = st.lists(coordinates, min_size=lanes, max_size=lanes)
    detail = data.draw(st.one_of(st.none(), st.lists(st.one_of(coordinates, st.floats(0, 6, width=32)), min_size=lanes, max_size=lanes)))
    check(image, filtering, wraps, data.draw(row), data.draw(row), detail)


# ---------------------------------------------------------------------------------------------------------
# What a user would notice.


def colours_of(*arguments, **options):
    return both_samples(*arguments, **options)[0].view(F32)


def test_a_texel_is_itself_at_its_centre_and_the_mean_of_two_between_them():
    image = Image("rgba8", 2, 1)
    image.memory[16:18] = 0x00FF3380, 0xFFFF3380
    got = colours_of(image, LINEAR, (CLAMP, CLAMP), [0.25, 0.5, 0.75, 0.0, 1.0], [0.5] * 5)
    assert got[:, 0].tolist() == [0, 0.5, 1, 0, 1]
    assert (got[:, 1:] == np.array([1, F32(0.2), F32(128) / F32(255)], F32)).all()


def test_repeat_blends_the_last_column_with_the_first():
    """Half a texel left of the image, where guppy's own sampler gives black."""
    image = Image("r32f", 4, 1)
    image.memory[16:20] = bits([1, 2, 3, 8])
    assert colours_of(image, LINEAR, (REPEAT, REPEAT), [-0.5 / 4, 0.0, 1.0], [0.5] * 3)[:, 0].tolist() == [8, 4.5, 4.5]


def test_level_of_detail_picks_the_nearest_level_or_blends_two():
    image = Image("r32f", 4, 4, levels=3)
    image.memory[16:] = bits([0] * 16 + [10] * 4 + [20])
    detail = [0, 0.49, 0.5, 1.25, 1.5, 7, -3, NAN, INF]
    middle = [0.5] * len(detail)
    for filtering in (POINT, LINEAR):
        assert colours_of(image, filtering, (REPEAT, REPEAT), middle, middle, detail)[:, 0].tolist() == [0, 0, 10, 10, 20, 20, 0, 0, 20]
    blended = colours_of(image, TRILINEAR, (REPEAT, REPEAT), middle, middle, detail)[:, 0]
    assert blended.tolist() == [0, pytest.approx(4.9), 5, 12.5, 15, 20, 0, 0, 20]


def test_inactive_lanes_keep_their_registers_and_touch_no_texel():
    image = Image("rgba8", 4, 4)
    active = [True, False, True, False]
    colours, addresses, lane = both_samples(image, LINEAR, (REPEAT, REPEAT), [0.1] * 4, [0.1] * 4, active=active)
    assert (addresses[:, [1, 3]] == -1).all()
    assert (addresses[:, [0, 2]] >= BASE).all()
    assert colours[1].tolist() == [0xABCD0001] * 4
    assert (lane[12] == 0xABCD0000 + np.arange(MAX_LANES)).all()
    assert (lane[8:12, 4:] == 0xABCD0000 + np.arange(4, MAX_LANES)).all()


def test_the_colour_may_replace_the_coordinates():
    image = Image("rgba8", 5, 3, seed=3)
    u, v = [0.1, 0.7, -0.4], [0.3, 0.9, 5.2]
    apart = both_samples(image, LINEAR, (MIRROR, REPEAT), u, v)[0]
    over = both_samples(image, LINEAR, (MIRROR, REPEAT), u, v, uop=Uop("sample", dst=1, a=1, b=2, view=1, imm=1))[2][1:5, :3].T
    assert over.tolist() == apart.tolist()


@pytest.mark.parametrize("detail", [F32(0), F32(1)])
def test_scalar_coordinates_and_a_scalar_level_have_a_read_port_each(detail):
    """All lanes read one texel of the level; only the three rows of the read ports are written."""
    image = Image("rgba8", 4, 4, levels=2)
    (registers,), (texels,) = mirror(zeros(1, WarpRegisters)), mirror(np.zeros(1, Texels))
    registers.scalar[:3] = bits([0.75, 0.25, detail])
    registers.active[:4] = 0xFFFFFFFF
    uops = np.array([Uop("sample", dst=8, a=scalar(0), b=scalar(1), c=scalar(2), view=0, imm=0).row()], np.int32)
    samplers = np.zeros((1, SAMPLER_COLUMNS), np.int32)
    samplers[0, :3] = POINT, CLAMP, CLAMP
    assert locate(registers, uops, 0, 4, len(image.memory), image.view, samplers, texels) == 1
    expected = image.address[(0, 3, 1) if detail == 0 else (1, 1, 0)]
    assert texels.address[0, :4].tolist() == [expected] * 4
    assert registers.lane[REGISTERS:, :4].tolist() == [[int(word)] * 4 for word in bits([0.75, 0.25, detail])]


def test_texels_outside_of_the_view_or_of_memory_are_zero():
    image = Image("rgba8", 4, 4)
    centres = [0.125, 0.375, 0.625, 0.875]
    image.view[0, VIEW_BYTES] = 3 * 16 + 4
    colours, addresses, _ = both_samples(image, POINT, (CLAMP, CLAMP), centres, [0.9] * 4)
    assert addresses.tolist() == [[BASE + 48, -1, -1, -1]]
    assert colours[1:].tolist() == [[0] * 4] * 3
    image.view[0, VIEW_BYTES] = 1 << 20
    image.memory = image.memory[: 16 + 14].copy()
    assert both_samples(image, POINT, (CLAMP, CLAMP), centres, [0.9] * 4)[1].tolist() == [[BASE + 48, BASE + 52, -1, -1]]


def test_a_buffer_has_no_texels():
    image = Image("rgba8", 4, 4)
    image.view[0, [VIEW_WIDTH, VIEW_HEIGHT]] = 0
    colours, addresses, _ = both_samples(image, LINEAR, (REPEAT, REPEAT), [0.5], [0.5])
    assert colours.tolist() == [[0] * 4]
    assert (addresses == -1).all()


def test_the_recorded_run_of_guppy():
    """Every sample of the original's texture program, from its final registers."""
    path = GOLDEN / "guppy" / "p10_texture.json.xz"
    golden = json.loads(lzma.decompress(path.read_bytes()))
    image = Image("rgba8", 16, 16)
    image.memory = np.array(golden["memory_init_words"], np.uint32)
    for wave in golden["result"]["registers_final"]:
        first, colour, second, swizzled = (np.array(wave["regs"][name], np.uint32) for name in ("r0", "r1", "r2", "r3"))
        got = both_samples(image, LINEAR, (REPEAT, REPEAT), first[:, 0].view(F32), first[:, 1].view(F32))[0]
        assert got.tolist() == colour.tolist()
        got = both_samples(image, LINEAR, (REPEAT, REPEAT), second[:, 0].view(F32), second[:, 1].view(F32))[0]
        assert got[:, [2, 1, 0]].tolist() == swizzled[:, :3].tolist()


# ---------------------------------------------------------------------------------------------------------
# store_image


def both_stores(image, x, y, packed, active=None, uop=None):
    """Store in both engines; returns memory."""
    lanes = len(x)
    registers = zeros(1, WarpRegisters)
    for row, values in enumerate((x, y, packed), 1):
        registers["lane"][0, row, :lanes] = np.array([value % (1 << 32) for value in values], np.uint32)
    registers["active"][0, :lanes] = 0xFFFFFFFF if active is None else np.where(active, 0xFFFFFFFF, 0)
    uops = np.array([(uop or Uop("store_image", a=1, b=2, c=3, view=0)).row()], np.int32)
    plain, fast = image.memory.copy(), image.memory.copy()
    with np.errstate(all="ignore"):
        run_store(mirror(registers), uops, lanes, plain, image.view)
    native().entry(run_store, (registers, uops, lanes, fast, image.view))(registers, uops, lanes, fast, image.view)
    assert plain.tobytes() == fast.tobytes()
    return plain


@settings(max_examples=60, deadline=None)
@given(
    name=st.sampled_from(COLOURS),
    padding=st.integers(0, 3),
    stores=st.lists(
        st.tuples(
            st.integers(-2, 8) | st.just(1 << 31),
            st.integers(-2, 6) | st.just((1 << 32) - 1),
            st.integers(0, (1 << 32) - 1),
            st.booleans(),
        ),
        min_size=1,
        max_size=MAX_LANES,
    ),
)
def test_store_image_writes_the_texels_that_exist_in_the_order_of_the_lanes(name, padding, stores):
    image = Image(name, 7, 5, padding=padding)
    want = bytearray(image.memory.tobytes())
    for x, y, packed, active in stores:
        if active and (0, x, y) in image.address:
            at, size = image.address[0, x, y], min(4, image.size)
            want[at : at + size] = packed.to_bytes(4, "little")[:size]
    x, y, packed, active = zip(*stores, strict=True)
    assert both_stores(image, x, y, packed, active).tobytes() == bytes(want)


def test_store_image_takes_an_immediate_and_stays_inside_the_view():
    image = Image("rgba8", 4, 2)
    image.view[0, VIEW_BYTES] = 12
    memory = both_stores(image, [0, 1, 2, 3], [0] * 4, [0] * 4, uop=Uop("store_image", a=1, b=2, c=IMMEDIATE, imm=0x11223344, view=0))
    assert memory[16:20].tolist() == [0x11223344] * 3 + [int(image.memory[19])]
    assert memory[20:].tolist() == image.memory[20:].tolist()
