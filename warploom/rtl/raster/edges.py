"""Quad evaluator, as hardware: which of 2 x 2 pixels a triangle covers. The model is `warploom.machine.raster.edges`.

The walk hands over the value of each edge at the quad's upper left pixel. One pixel to the right adds A, one down adds B: three adders of
32 bits an edge, nine in all; their sign bits, the rule for pixels on an edge, and the scissor make the mask, which is registered with the
twelve values that the shader interpolates by.
"""

from typing import Any

from amaranth.hdl import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.data import ArrayLayout
from amaranth.lib.wiring import In, Out

EDGES, PIXELS = 3, 4
WIDTH, PLACE = 32, 16  # bits of an edge's numbers, of a pixel's column or row


class QuadEvaluator(wiring.Component):
    """Values are signed, of 32 bits that wrap, as Vortex of 2024 has them. mask: bit p = pixel (x + p % 2, y + p // 2)."""

    enable: In(1)
    step_right: In(ArrayLayout(WIDTH, EDGES))
    step_down: In(ArrayLayout(WIDTH, EDGES))
    start: In(ArrayLayout(WIDTH, EDGES))  # at the upper left pixel
    x: In(PLACE)
    y: In(PLACE)
    left: In(PLACE)  # the scissor
    top: In(PLACE)
    right: In(PLACE)
    bottom: In(PLACE)
    top_left: In(1)  # the rule for pixels on an edge; 0: they are covered
    mask: Out(PIXELS)
    values: Out(ArrayLayout(WIDTH, EDGES * PIXELS))  # by edge, then pixel

    def elaborate(self, platform: Any) -> Module:
        """The circuit."""
        m = Module()
        covered = [[self._at(m, edge, pixel) for edge in range(EDGES)] for pixel in range(PIXELS)]
        for pixel in range(PIXELS):
            column, row = Signal(PLACE + 1, name=f"column_{pixel}"), Signal(PLACE + 1, name=f"row_{pixel}")
            m.d.comb += [column.eq(self.x + (pixel & 1)), row.eq(self.y + (pixel >> 1))]
            inside = (column >= self.left) & (column < self.right) & (row >= self.top) & (row < self.bottom)
            one, other, third = covered[pixel]
            with m.If(self.enable):
                m.d.sync += self.mask[pixel].eq(inside & one & other & third)
        return m

    def _at(self, m: Module, edge: int, pixel: int) -> Any:
        """Whether a pixel is on the inner side of an edge."""
        value = Signal(WIDTH, name=f"at_{edge}_{pixel}")
        a, b, start = self.step_right[edge], self.step_down[edge], self.start[edge]
        right = Signal(WIDTH, name=f"moved_{edge}_{pixel}")
        m.d.comb += [right.eq(start + a if pixel & 1 else start), value.eq(right + b if pixel >> 1 else right)]
        with m.If(self.enable):
            m.d.sync += self.values[PIXELS * edge + pixel].eq(value)
        negative, zero = value[-1], ~value.any()
        owned = (~a[-1] & a.any()) | (~a.any() & ~b[-1] & b.any())
        return ~negative & (~zero | ~self.top_left | owned)
