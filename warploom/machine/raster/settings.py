"""The settings of the raster engines."""

# mypy: disable-error-code="valid-type, misc"

from warploom.machine.engine.fields import Section, choice, number, switch


class Raster(Section):
    """A raster engine."""

    cores: number("cores that share a raster engine; 0: there is none", "cores", at_most=1 << 10) = 0
    rule: choice(
        "which pixels whose centre lies on an edge are covered. inclusive: all; top-left: those on a left or a top edge, so that two triangles share none",
        "inclusive", "top-left",
    ) = "inclusive"  # fmt: skip
    tile: number("width and height of a tile, a power of two", "pixels", at_least=2, at_most=1 << 14) = 32
    queue: number("triangles of tiles that may be ready before anybody takes their quads", "triangles", at_least=1, at_most=1 << 10) = 4
    interlock: number(
        "counters of places of quads: a quad whose place another warp has not drawn yet is not handed out; 0: it does not wait",
        "counters", at_most=64,
    ) = 0  # fmt: skip
    early_depth: switch("depth test before the shader, in the way of the quads, for draws whose host allows it (register 0x34)") = False
    depth_bytes: number(
        "capacity of the early test's cache of depths, with lines of l1.line bytes; 0: absent", "bytes", at_most=1 << 20
    ) = 4096
    quads: number("quads that wait where raster.interlock or raster.early_depth makes them wait", "quads", at_least=1, at_most=64) = 16
    latency: number(
        "cycles from an instruction that takes quads to its result, where they are there", "cycles", at_least=1, at_most=4096
    ) = 9
    lookup: number("cycles from a request to the answer of its cache", "cycles", at_least=1, at_most=4096) = 4
    ports: number("words that it asks its cache for in a cycle", "words", at_least=1, at_most=64) = 1
    bytes: number("capacity of its cache, with lines of l1.line bytes; 0: absent", "bytes", at_most=1 << 20) = 4096
    ways: number("ways", "ways", at_least=1, at_most=64) = 2
    mshrs: number("sectors that may be outstanding", "sectors", at_least=1, at_most=64) = 16
