"""The settings of the ray units."""

# mypy: disable-error-code="valid-type, misc"

from warploom.machine.engine.fields import Section, number


class Rays(Section):
    """A ray unit."""

    cores: number("cores that share a ray unit; 0: there is none", "cores", at_most=1 << 10) = 0
    warps: number("rays of how many warps of a core it may have", "warps", at_least=1, at_most=64) = 4
    stack: number("entries of a ray's short stack", "entries", at_least=1, at_most=32) = 16
    latency: number(
        "cycles from an instruction to its ray's arrival, and from the last ray's end to the answer", "cycles", at_least=1, at_most=4096
    ) = 8
    box: number("cycles from a node to what is visited next: its boxes are tested side by side", "cycles", at_least=1, at_most=4096) = 6
    triangle: number("cycles from a triangle to what is visited next", "cycles", at_least=1, at_most=4096) = 12
    interval: number("cycles between two triangles", "cycles", at_least=1, at_most=256) = 1
    instance: number("cycles to bring a ray into an instance's space", "cycles", at_least=1, at_most=4096) = 8
    lookup: number("cycles from a request to the answer of its cache", "cycles", at_least=1, at_most=4096) = 4
    ports: number("sectors that it asks its cache for in a cycle", "sectors", at_least=1, at_most=64) = 1
    bytes: number("capacity of its cache, with lines of l1.line bytes; 0: absent", "bytes", at_most=1 << 20) = 8192
    ways: number("ways", "ways", at_least=1, at_most=64) = 2
    mshrs: number("sectors that may be outstanding", "sectors", at_least=1, at_most=64) = 16
