"""The settings of the load/store unit, of shared memory and of the constant cache."""

# mypy: disable-error-code="valid-type, misc"

from warploom.machine.engine.fields import Section, choice, number, switch
from warploom.machine.engine.sizes import CARVEOUTS, MAX_LANES


class Lsu(Section):
    """The load/store unit of a core."""

    queue: number(
        "memory instructions that the load/store unit holds; with pipes.owner=scheduler each scheduler has an equal part of them, rounded down, "
        "at least one",
        "instructions", at_least=1, at_most=64,
    ) = 16  # fmt: skip
    ports: number(
        "transactions that it sends to the cache, and that the cache looks up, in a cycle", "transactions", at_least=1, at_most=64
    ) = 1
    group: number(
        "lanes, a power of two, that look a line up together: a line counts once for each group that wants it; 0: all of a warp",
        "lanes", at_most=MAX_LANES,
    ) = 0  # fmt: skip
    coalesce: switch("lanes that touch the same line share one transaction") = True
    sector: number("bytes that a transaction moves at least; divides the line", "bytes", at_least=1, at_most=128) = 32
    write_back: number(
        "bytes per cycle that a load writes into registers, so that one of several words per lane takes longer; 0: no limit", "bytes per cycle",
        at_most=4096,
    ) = 0  # fmt: skip
    stores: number(
        "transactions of stores that a core may have in flight until the level that keeps them has answered; 0: no limit and no answer, and "
        "nothing waits for stores, the end of the kernel neither, as in guppy",
        "transactions", at_most=1024,
    ) = 0  # fmt: skip
    drain: choice(
        "what a warp that has ended keeps its slot for: answered: until its stores are answered, too; sent: until the first-level cache "
        "has taken them, and the kernel waits for their answers",
        "answered", "sent",
    ) = "answered"  # fmt: skip


class Shared(Section):
    """Shared memory."""

    bytes: number("shared memory of a core", "bytes", at_most=1 << 18) = 0
    block_bytes: number("shared memory that a block may have at most; 0: all of it", "bytes", at_most=1 << 18) = 0
    reserved: number("bytes of each block's shared memory that the system reserves", "bytes", at_most=1 << 16) = 0
    unit: number("shared memory is allocated to a block in multiples of this", "bytes", at_least=1, at_most=4096) = 256
    banks: number("banks", "banks", at_least=1, at_most=64) = 32
    bank_bytes: number("bytes of a bank's word", "bytes", at_least=1, at_most=8) = 4
    latency: number("cycles of an access without conflicts", "cycles", at_least=1, at_most=1024) = 1
    unified: number("bytes that shared memory and L1 divide between them; 0: each has its own", "bytes", at_most=1 << 18) = 0
    carveout: number(
        "unified: bytes that are shared memory, L1 has the rest; 0: the smallest of shared.carveouts that does not cost a resident block",
        "bytes", at_most=1 << 18,
    ) = 0  # fmt: skip
    carveouts: choice(
        "unified: the sizes that the part for shared memory can have, those of a compute capability; any: all multiples of shared.unit",
        "any", *CARVEOUTS,
    ) = "any"  # fmt: skip


class Constant(Section):
    """The constant cache of a core, in two levels."""

    bank_latency: number(
        "issue by control words: cycles until the first constant of a launch is there, on each core; 0: it always is",
        "cycles",
        at_most=65536,
    ) = 0
    line_latency: number(
        "issue by control words: cycles until a constant of another line is there, after that", "cycles", at_most=65536
    ) = 0
    space: number("constants that a program may have; 0: no limit", "bytes", at_most=(1 << 31) - 1) = 0
    bytes: number("capacity of the first level; 0: absent", "bytes", at_most=1 << 16) = 0
    line: number("bytes of its line, a power of two", "bytes", at_least=4, at_most=1024) = 64
    ways: number("lines that a set of it holds", "ways", at_least=1, at_most=64) = 4
    latency: number("cycles of a load that finds its word in the first level", "cycles", at_least=1, at_most=4096) = 1
    next_bytes: number("capacity of the second level; 0: absent", "bytes", at_most=1 << 20) = 0
    next_line: number("bytes of its line, a power of two", "bytes", at_least=4, at_most=1024) = 256
    next_ways: number("lines that a set of it holds", "ways", at_least=1, at_most=64) = 4
    next_latency: number("cycles of a load that finds its word there", "cycles", at_least=1, at_most=4096) = 1
    memory_latency: number("cycles of a load that finds it in no level", "cycles", at_least=1, at_most=65536) = 1
