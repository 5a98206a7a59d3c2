"""A profile that prints itself, of a launch that keeps no more than usual, and of one that is asked to keep everything."""

import html
import io
import sys

import numpy as np
import pytest

import warploom
from warploom import cuda


@cuda.jit
def doubled(x):
    i = cuda.grid(1)
    x[i] = 2 * x[i]


def test_a_launch_keeps_what_is_asked_for():
    plain = doubled.on(warploom.GPU("sm", engine="python"))
    x = np.arange(32)
    plain[1, 32](x)
    with pytest.raises(ValueError, match="run it with tracing=True"):
        print(plain.result.picture("timeline").data)
    text = str(plain.result.profile())
    assert "x[i] = 2 * x[i]" in text
    assert "memory" not in str(plain.result)
    seen = plain.on(tracing=True)
    seen[1, 32](x)
    assert x.tolist() == [4 * i for i in range(32)]
    assert seen.result.picture("timeline").data
    assert "bytes changed" in str(seen.result)
    assert "x[i] = 2 * x[i]" in seen.result.profile()._repr_html_()


@pytest.mark.parametrize(("encoding", "marks"), [("ascii", False), ("utf-8", True)])
def test_it_fits_a_terminal_and_what_its_encoding_can_carry(encoding, marks, monkeypatch):
    kernel = doubled.on(warploom.GPU("sm", engine="python"))
    kernel[1, 32](np.arange(32))
    profile = kernel.result.profile()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(io.BytesIO(), encoding=encoding))
    text = str(profile)
    assert max(map(len, text.splitlines())) <= 80
    assert text.isascii() is not marks
    page = html.unescape(profile._repr_html_())
    assert not page.isascii() and max(map(len, page.splitlines())) > 80
