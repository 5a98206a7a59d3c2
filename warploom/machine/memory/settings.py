"""The settings of the memory system: caches, the network between cores and slices, and memory itself."""

# mypy: disable-error-code="valid-type, misc"

from warploom.machine.engine.fields import Section, choice, number, switch
from warploom.machine.engine.sizes import MAX_LANES, MAX_SLICES
from warploom.machine.memory.address_hash import HASHES
from warploom.machine.memory.cache import SET_HASHES

MOST_MEMORY = 1 << 31  # bytes


class Cache(Section):
    """The settings that all data caches share."""

    bytes: number("capacity; 0: absent", "bytes", at_most=1 << 27) = 0
    line: number("bytes of a line, a power of two", "bytes", at_least=1, at_most=256) = 128
    ways: number("lines that a set holds, where sets is 0", "ways", at_least=1, at_most=256) = 4
    sets: number("sets (of a slice), as many ways as the bytes then give; 0: the ways decide", "sets", at_most=1 << 16) = 0
    replacement: choice("which line of a full set is evicted", "lru", "fifo", "plru", "random") = "lru"
    write: choice("through: a store goes to the next level at once; back: it stays until its line is evicted", "through", "back") = (
        "through"
    )
    allocate: switch(
        "a store that misses takes a line, which keeps the bytes that were written; the others are fetched when they are read"
    ) = False
    hash: choice(
        "which set (of a slice) a line belongs to: values as for `memory.hash`; siphash: SipHash-1-3 of the line's address, as guppy has it",
        *SET_HASHES,
    ) = "modulo"  # fmt: skip
    mshrs: number("misses that may be outstanding (in a slice)", "lines", at_least=1, at_most=1024) = 16
    latency: number("cycles of a lookup", "cycles", at_least=1, at_most=4096) = 20

    def shape(self, slices: int = 1) -> tuple[int, int]:
        """(sets, ways) of the cache, or of each of its slices."""
        lines = self.bytes // (self.line * slices)
        return (self.sets, lines // self.sets) if self.sets else (lines // self.ways, self.ways)


class L1(Cache):
    """A core's own cache."""

    merges: number("transactions that may wait for one outstanding line; 0: no limit", "transactions", at_most=1024) = 0
    banks: number(
        "banks of 4 bytes in which its data lie: lanes that want different words of one are served one after the other; 0: all at once",
        "banks", at_most=64,
    ) = 0  # fmt: skip


class L2(Cache):
    """The cache that all cores share, in slices."""

    slices: number("slices; each has its own sets and MSHRs", "slices", at_least=1, at_most=MAX_SLICES) = 1
    ports: number("lookups that a slice does in a cycle: 1, or 0 for any number", "lookups", at_most=1) = 1
    write_buffer: number(
        "lines of a slice that may wait for memory to take them before it accepts no more requests; 0: no limit", "lines", at_most=1024
    ) = 0
    atomic_latency: number("cycles that an atomic operation takes longer than a load that hits", "cycles", at_most=4096) = 0
    atomic_pass: number(
        "sixteenths of a cycle for which a pass of an atomic keeps a slice; it does one lane on each word of a sector; 0: a cycle for all "
        "sectors of a line",
        "sixteenths of a cycle",
        at_most=4096,
    ) = 0
    atomic_sum: number("sixteenths of a cycle from a sum of floats to the next on the same word", "sixteenths of a cycle", at_most=4096) = 0
    atomic_lanes: number("lanes of a warp on one word that an atomic serves in one operation", "lanes", at_least=1, at_most=MAX_LANES) = 1


class Crossbar(Section):
    """The network between cores and slices. It has a port for each, and in each port a path for either direction."""

    core: number("bytes per cycle that a core sends, and that it receives; 0: no limit", "bytes per cycle", at_most=1024) = 0
    slice: number("bytes per cycle that a slice takes, and that it sends; 0: no limit", "bytes per cycle", at_most=1024) = 0
    pass_out: number("cycles for which a pass of an atomic keeps a core's port; 0: as its sectors do", "cycles", at_most=64) = 0
    pass_back: number("cycles for which the result of a pass keeps a core's port; 0: as its sectors do", "cycles", at_most=64) = 0


class Memory(Section):
    """Data and program memory."""

    kind: choice("channels: tiny-gpu's controllers; dram: channels with rows and bandwidth", "channels", "dram") = "channels"
    bytes: number(
        "size of data memory; of a program that declares regions, of what appears between them", "bytes", at_least=1, at_most=MOST_MEMORY
    ) = 256
    data_channels: number("requests that data memory serves at a time", "channels", at_least=1, at_most=64) = 4
    program_channels: number("requests that program memory serves at a time", "channels", at_least=1, at_most=64) = 1
    channel_bytes: number("bytes that one request of a data channel moves", "bytes", at_least=1, at_most=256) = 1
    hash: choice(
        "which slice and which DRAM channel a line belongs to. modulo: lines in turn; xor, ipoly: in turn, in an order that the higher bits change",
        *HASHES,
    ) = "modulo"  # fmt: skip
    lookup: choice("a cache looks for a line when its latency begins, or when it ends", "begin", "end") = "begin"
    program_words: number("instructions that program memory holds", "instructions", at_least=1, at_most=1 << 20) = 256


class Dram(Section):
    """The channels of DRAM, their banks and their controllers."""

    channels: number("channels, chosen by the line number", "channels", at_least=1, at_most=64) = 4
    latency: number(
        "cycles of an access to an open row; with banks: those that are spent outside of the devices", "cycles", at_least=1, at_most=65536
    ) = 100
    bandwidth: number("bytes per channel and memory clock; 0: no limit", "bytes per clock", at_most=65536) = 32
    clock: number("memory clock, related to gpu.clock; 0: as fast as the core clock", "MHz", at_most=100_000) = 0
    row: number("bytes of a row; 0: no row buffers", "bytes", at_most=1 << 20) = 0
    row_miss: number("further cycles when the row is not open; without banks", "cycles", at_most=65536) = 0
    banks: number("banks of a channel; 0: a channel is one queue without them", "banks", at_most=64) = 0
    queue: number(
        "banks: requests that the controller chooses from, row hits first (FR-FCFS); 1: in order", "requests", at_least=1, at_most=256
    ) = 1
    overtakes: number(
        "banks: younger requests that the controller may serve before the oldest of a queue; 0: no limit", "requests", at_most=1024
    ) = 0
    write_queue: number(
        "banks: writes that a channel takes, which wait while there are reads; when the queue is full, half of them are written at once",
        "requests",
        at_least=1,
        at_most=256,
    ) = 32
    rcd: number("banks: from opening a row to its first access (tRCD)", "memory clocks", at_most=1024) = 0
    rp: number("banks: closing a row (tRP)", "memory clocks", at_most=1024) = 0
    ras: number("banks: least time that a row stays open (tRAS)", "memory clocks", at_most=1024) = 0
    rrd: number("banks: between opening rows in two banks (tRRD)", "memory clocks", at_most=1024) = 0
    cl: number("banks: from a read to its first data (CL)", "memory clocks", at_most=1024) = 0
    wl: number("banks: from a write to its first data (WL)", "memory clocks", at_most=1024) = 0
    wtr: number("banks: from the last data of a write to the next read (tWTR)", "memory clocks", at_most=1024) = 0
    wr: number("banks: from the last data of a write to closing its row (tWR)", "memory clocks", at_most=1024) = 0
    activate_window: number("banks: in which a channel opens four rows at most (tFAW); 0: no limit", "memory clocks", at_most=1024) = 0
    refresh_interval: number("banks: from a refresh of a channel to the next (tREFI); 0: no refresh", "memory clocks", at_most=1 << 20) = 0
    refresh_time: number("banks: that a refresh takes (tRFC), less than its interval", "memory clocks", at_most=65536) = 0
    refresh_of: choice(
        "what a refresh closes: channel: all banks; bank: one, and the next one the next time, with dram.refresh_interval in between",
        "channel", "bank",
    ) = "channel"  # fmt: skip
