"""Blend stage of the output merger, as hardware. The model is `warploom.machine.merger.blend`, and the write mask of `fragment.py`.

Three stages with a register after each: the factors are chosen; two products a channel; their sum is rounded, or the smaller, the larger
or a function of the bits is taken, and the bytes that may not be written keep what is there. A fragment enters in every cycle, and its
colour comes out three cycles later.
"""

from typing import Any

from amaranth.hdl import Array, Cat, Const, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from warploom.rtl.model import merger

BYTE, CHANNELS, ALPHA = 8, 4, 3
ONE, HALF, MOST_SUM = 255, 0x80, 0xFF00
STAGES = 3


class BlendStage(wiring.Component):
    """Colours are words, alpha in the highest byte. Of a mode and of factors the first is of red, green and blue, the second of alpha.

    Settings stay while fragments are on their way.
    """

    source: In(32)
    destination: In(32)
    constant: In(32)
    mode_color: In(3)
    mode_alpha: In(3)
    source_color: In(4)
    source_alpha: In(4)
    destination_color: In(4)
    destination_alpha: In(4)
    logic: In(4)
    write: In(4)
    out: Out(32)

    def elaborate(self, platform: Any) -> Module:
        """The circuit."""
        m = Module()
        factors, colors = self._choose(m)
        products, colors = self._multiply(m, factors, colors)
        m.d.sync += self.out.eq(Cat(self._finish(m, channel, products[channel], colors) for channel in range(CHANNELS)))
        return m

    def _choose(self, m: Module) -> tuple[list[tuple[Signal, Signal]], tuple[Signal, Signal]]:
        """Stage 1: by channel the two factors; and the colours."""
        found = []
        for channel in range(CHANNELS):
            functions = (self.source_alpha, self.destination_alpha) if channel == ALPHA else (self.source_color, self.destination_color)
            pair = (Signal(BYTE, name=f"s_{channel}"), Signal(BYTE, name=f"d_{channel}"))
            table = Array(self._factors(channel))
            m.d.sync += [one.eq(table[function]) for one, function in zip(pair, functions, strict=True)]
            found.append(pair)
        return found, self._later(m, 1, self.source, self.destination)

    def _factors(self, channel: int) -> list[Any]:
        """All factors of a channel, by their numbers; of a number that is none, 0."""
        source, destination, constant = (word.word_select(channel, BYTE) for word in (self.source, self.destination, self.constant))
        alphas = [word.word_select(ALPHA, BYTE) for word in (self.source, self.destination, self.constant)]
        room = (~alphas[1])[:BYTE]
        saturated = Const(ONE, BYTE) if channel == ALPHA else Mux(alphas[0] < room, alphas[0], room)
        pairs = [source, destination, alphas[0], alphas[1], constant, alphas[2]]
        both = [one for value in pairs for one in (value, (~value)[:BYTE])]
        return [Const(0, BYTE), Const(ONE, BYTE), *both, saturated, Const(0, BYTE)]

    def _multiply(self, m: Module, factors: list[tuple[Signal, Signal]], colors: tuple[Signal, Signal]) -> Any:
        """Stage 2: by channel the two products; and the colours."""
        found = []
        for channel, pair in enumerate(factors):
            products = (Signal(2 * BYTE, name=f"ps_{channel}"), Signal(2 * BYTE, name=f"pd_{channel}"))
            for product, color, one in zip(products, colors, pair, strict=True):
                m.d.sync += product.eq(color.word_select(channel, BYTE) * one)
            found.append(products)
        return found, self._later(m, 2, *colors)

    def _finish(self, m: Module, channel: int, products: tuple[Signal, Signal], colors: tuple[Signal, Signal]) -> Any:
        """Stage 3: the byte of a channel."""
        (first, second), mode = products, self.mode_alpha if channel == ALPHA else self.mode_color
        source, destination = (color.word_select(channel, BYTE) for color in colors)
        total, less, more = first + second + HALF, first - second + HALF, second - first + HALF
        result = Signal(BYTE, name=f"result_{channel}")
        with m.Switch(mode):
            with m.Case(merger.ADD):
                m.d.comb += result.eq(_rounded(Mux(total > MOST_SUM, MOST_SUM, total)))
            with m.Case(merger.MIN):
                m.d.comb += result.eq(Mux(source < destination, source, destination))
            with m.Case(merger.MAX):
                m.d.comb += result.eq(Mux(source < destination, destination, source))
            with m.Case(merger.LOGIC):
                bits = (source & destination, source & ~destination, ~source & destination, ~source & ~destination)
                m.d.comb += result.eq(_any(Mux(self.logic[place], value, 0) for place, value in enumerate(bits)))
            with m.Case(merger.SUBTRACT):
                m.d.comb += result.eq(_rounded(Mux(less < 0, 0, less)))
            with m.Default():
                m.d.comb += result.eq(_rounded(Mux(more < 0, 0, more)))
        return Mux(self.write[channel], result, destination)

    def _later(self, m: Module, stage: int, source: Any, destination: Any) -> tuple[Signal, Signal]:
        """The colours a cycle later."""
        found = (Signal(32, name=f"source_{stage}"), Signal(32, name=f"destination_{stage}"))
        m.d.sync += [found[0].eq(source), found[1].eq(destination)]
        return found


def _rounded(total: Any) -> Any:
    """A sum that is not negative, divided by 255."""
    return ((total + (total >> BYTE)) >> BYTE)[:BYTE]


def _any(values: Any) -> Any:
    found: Any = Const(0, BYTE)
    for value in values:
        found = found | value[:BYTE]
    return found
