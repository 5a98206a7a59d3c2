"""The settings of the texture units and their cache."""

# mypy: disable-error-code="valid-type, misc"

from warploom.machine.engine.fields import Section, choice, number
from warploom.machine.memory.cache import SET_HASHES


class Texture(Section):
    """The texture units of a core."""

    count: number("texture units of a core; 0: none", "units", at_most=8) = 0
    latency: number("cycles from the request to the lookup of its texels", "cycles", at_least=1, at_most=4096) = 16
    queue: number("warp samples that it holds; 0: one for each warp slot of the core", "instructions", at_most=64) = 16
    slots: choice(
        "what takes a slot of it. instruction: a warp's sample, until its last lane is served; lane: each lane of a sample, until that lane is served",
        "instruction", "lane",
    ) = "instruction"  # fmt: skip
    hash: choice("which set of the texture cache a line belongs to: values as for `l1.hash`", *SET_HASHES) = "modulo"
    bytes: number("capacity of the texture cache, with lines of l1.line bytes; 0: absent", "bytes", at_most=1 << 23) = 0
    ways: number("ways", "ways", at_least=1, at_most=64) = 2
    mshrs: number("lines of the texture cache that may be outstanding", "lines", at_least=1, at_most=256) = 64
    ports: number("transactions that a texture unit sends to its cache in a cycle", "transactions", at_least=1, at_most=64) = 4
