"""Texel formats: the table is sound, and texels go into words without disturbing their neighbours."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from warploom.isa.views import F_RGBA8, FORMATS
from warploom.machine.core.texture.formats import BYTE_VALUE, inserted


@pytest.mark.parametrize("form", FORMATS, ids=lambda form: form.name)
def test_channels_lie_inside_the_texel_and_apart(form):
    taken = [bit for bits, shift in form.fields for bit in range(shift, shift + bits)]
    assert len(taken) == len(set(taken))
    assert all(bit < 8 * form.bytes for bit in taken)


def test_a_byte_channel_is_its_255th_part_rounded_once():
    assert FORMATS[F_RGBA8].fields[0] == (8, 24)
    assert all(BYTE_VALUE[byte] == np.float32(byte / 255) for byte in range(256))


@given(
    st.integers(0, 2**32 - 1), st.integers(0, 2**32 - 1), st.sampled_from([(1, 0), (1, 1), (1, 2), (1, 3), (2, 0), (2, 2), (4, 0), (16, 0)])
)
def test_a_stored_texel_changes_its_own_bytes_alone(word, packed, place):
    size, at = place
    want = bytearray(word.to_bytes(4, "little"))
    want[at : at + min(size, 4)] = packed.to_bytes(4, "little")[: min(size, 4)]
    assert int(inserted(np.uint32(word), np.uint32(packed), 8 * at, size)) == int.from_bytes(want, "little")
