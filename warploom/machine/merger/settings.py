"""The settings of the output mergers."""

# mypy: disable-error-code="valid-type, misc"

from warploom.machine.engine.fields import Section, number


class Merger(Section):
    """An output merger."""

    cores: number("cores that share an output merger; 0: there is none", "cores", at_most=1 << 10) = 0
    queue: number("instructions whose fragments it holds", "instructions", at_least=1, at_most=16) = 4
    latency: number("cycles from an instruction to its fragments' arrival at the merger", "cycles", at_least=1, at_most=4096) = 6
    lookup: number("cycles from a request to the answer of its cache", "cycles", at_least=1, at_most=4096) = 4
    ports: number("words that it asks its cache for, or writes, in a cycle", "words", at_least=1, at_most=64) = 1
    interlock: number(
        "counters of pixels in flight, for which later fragments of them wait; 0: they do not wait", "counters", at_most=64
    ) = 0
    bytes: number("capacity of its cache, with lines of l1.line bytes; 0: absent", "bytes", at_most=1 << 20) = 4096
    ways: number("ways", "ways", at_least=1, at_most=64) = 2
    mshrs: number("sectors that may be outstanding", "sectors", at_least=1, at_most=64) = 16
