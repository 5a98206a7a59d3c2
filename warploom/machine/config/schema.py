"""What a machine is made of: every setting, with its meaning, unit and range, and the presets that set them.

A `Config` is frozen. A preset is a TOML file beside this one (`presets/*.toml`), or a user's own; it names
the preset that it starts from (`base = "tiny"`) and the settings that differ. The comment after a setting
in a preset says where the number comes from; `sources` reads it.
"""

# mypy: disable-error-code="valid-type, misc"

from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, get_args, get_origin, get_type_hints

from msgspec import Meta, defstruct

from warploom.isa.diagnostics import nearest
from warploom.machine.config.classes import class_latency_settings, class_pipe_settings, interval_of
from warploom.machine.config.features import FEATURES, Features
from warploom.machine.config.fields import Section, choice, number, switch
from warploom.machine.core.divergence import MECHANISMS
from warploom.machine.core.operand_banks import MAX_BANKS, MAX_COLLECTORS
from warploom.machine.core.scheduling.policies import POLICIES
from warploom.machine.engine.sizes import (
    CARVEOUTS,
    MAX_CORES,
    MAX_L0_LINES,
    MAX_LANES,
    MAX_SHARED_FETCH_LINES,
    MAX_SLICES,
    MAX_WARPS,
    ConfigError,
)
from warploom.machine.memory.address_hash import HASHES
from warploom.machine.memory.cache import SET_HASHES

MOST_MEMORY = 1 << 31  # bytes


class Setting(NamedTuple):
    """One setting as `warploom presets` lists it."""

    name: str
    kind: str
    default: Any
    meaning: str
    unit: str
    range: str


class Gpu(Section):
    clock: number("core clock, to which dram.clock is related; 0: one memory clock per cycle", "MHz", at_most=100_000) = 0
    cores: number("cores (NVIDIA: multiprocessors)", "cores", at_least=1, at_most=MAX_CORES) = 2
    grid_y: number("blocks that a grid may have in y; 0: no limit", "blocks", at_most=(1 << 31) - 1) = 0
    grid_z: number("blocks that a grid may have in z; 0: no limit", "blocks", at_most=(1 << 31) - 1) = 0
    launch_latency: number("cycles from the start of a launch until the first block is handed out", "cycles", at_most=100_000) = 0
    dispatch_latency: number(
        "cycles from the end of a block until the next one that takes its slot begins; those that find a slot at the launch begin at once",
        "cycles", at_most=100_000,
    ) = 0  # fmt: skip
    dispatch: choice(
        "spread: one block per core in turn; fill: one core as full as it gets before the next; split: the warps of a block go to any free slots",
        "spread", "fill", "split",
    ) = "spread"  # fmt: skip


class Core(Section):
    control: choice("sequencer: one instruction at a time; pipeline: warps", "sequencer", "pipeline") = "sequencer"
    threads_per_block: number("sequencer: threads that a core runs, all of one block", "threads", at_least=1, at_most=MAX_LANES) = 4
    lanes: number("threads per warp", "lanes", at_least=1, at_most=MAX_LANES) = 32
    warps: number("warps that a core holds at a time", "warps", at_least=1, at_most=MAX_WARPS) = 32
    blocks: number("blocks that a core holds at a time", "blocks", at_least=1, at_most=MAX_WARPS) = 16
    barrier_blocks: number(
        "blocks of several warps that a core holds at a time: each has a barrier; 0: as core.blocks", "blocks", at_most=MAX_WARPS
    ) = 0
    warp_slots: choice(
        "when a warp slot is free for another block. warp: when its own warp has ended; block: when the last warp of its block has", "warp", "block"
    ) = "warp"  # fmt: skip
    threads: number("threads that a core holds at a time; 0: warps x lanes", "threads", at_most=MAX_WARPS * MAX_LANES) = 0
    block_threads: number("threads of the largest block; 0: no limit", "threads", at_most=MAX_WARPS * MAX_LANES) = 0
    block_z: number("threads that a block may have in z; 0: no limit", "threads", at_most=MAX_WARPS * MAX_LANES) = 0
    thread_registers: number("registers that a thread may have at most; 0: no limit", "registers", at_most=1024) = 0
    registers: number("32-bit registers that a core's threads share; 0: no limit", "registers", at_most=1 << 20) = 0
    register_unit: number("registers are allocated to a warp in multiples of this", "registers", at_least=1, at_most=4096) = 256
    register_files: number(
        "parts of the register file, one per sub-partition; all registers of a warp are in one part", "parts", at_least=1, at_most=MAX_WARPS
    ) = 1
    scalars: number("32-bit scalar registers that a core's warps share; 0: no limit", "registers", at_most=1 << 16) = 0
    scalar_unit: number("scalar registers are allocated to a warp in multiples of this", "registers", at_least=1, at_most=256) = 1
    schedulers: number(
        "warp schedulers; scheduler i owns the warps w with w % schedulers == i", "schedulers", at_least=1, at_most=MAX_WARPS
    ) = 1
    scheduler: Annotated[str, Meta(description="which warp issues: a policy's name", extra={"unit": "", "choices": ()})] = "round_robin"
    fetch_group: number("two_level: warps of a fetch group", "warps", at_least=1, at_most=MAX_WARPS) = 8
    divergence: Annotated[
        str, Meta(description="what happens when the lanes of a warp disagree at a branch", extra={"unit": "", "choices": ()})
    ] = "stack"
    stack_depth: number(
        "entries of a warp's mask stack and of its reconvergence stack, on which a path that waits for the whole warp is one, too",
        "entries",
        at_least=1,
        at_most=128,
    ) = 64
    barriers: number("barriers per block; 0: half as many as the core has warps, at least one", "barriers", at_most=16) = 16
    barrier_interval: number(
        "cycles from one warp's arrival at a barrier to the next that the core takes; 0: no limit", "cycles", at_most=1024
    ) = 0
    barrier_latency: number("cycles from the last arrival at a barrier until its warps continue", "cycles", at_most=4096) = 0
    fence_block: number("cycles that a fence takes at least which is for the warp's block", "cycles", at_most=65536) = 0
    fence_device: number("cycles that a fence takes at least which is for the whole device", "cycles", at_most=65536) = 0
    lock: choice("what the scoreboard locks: a register for the whole warp, or for its active lanes", "register", "lane") = "register"
    issue: choice(
        "what decides when a warp's next instruction may issue. scoreboard: the registers that it needs; control: the control words of machine "
        "code, where the program has them", "scoreboard", "control",
    ) = "scoreboard"  # fmt: skip
    roles: choice("issue by control words: whose pipes and latencies each kind of instruction has", "hopper") = "hopper"
    issues_per_turn: number(
        "schedulers issue in turns, one per cycle, each up to so many instructions of different warps and for different units; "
        "0: each issues an instruction in every cycle", "instructions", at_most=8,
    ) = 0  # fmt: skip
    branch_latency: number(
        "cycles from the issue of a control instruction to the next issue of its warp", "cycles", at_least=1, at_most=64
    ) = 1
    skip_wait: switch("sequencer: an instruction without a memory access skips WAIT") = False
    prefetch: switch("sequencer: the next instruction is fetched while this one executes") = False


class Divergence(Section):
    first: choice(
        "stack, its: which side of a branch runs first; smaller: the one with fewer lanes (AMD's fork and join)",
        "fall_through", "taken", "smaller",
    ) = "fall_through"  # fmt: skip
    barriers: number("its: convergence barriers of a warp; 0: lanes meet only where they happen to", "barriers", at_most=MAX_LANES) = 16
    patience: number(
        "its: backward jumps of the running lanes, since a lane last reached a convergence barrier, after which the lanes that wait there continue; "
        "in a loop that itself waits for another thread they continue at once",
        "jumps", at_least=1, at_most=1 << 30,
    ) = 256  # fmt: skip
    heuristic: choice(
        "dwf, in place of core.scheduler: the warp that issues is at the PC of most threads, has waited longest, or has the lowest PC",
        "majority", "time_stamp", "pc",
    ) = "majority"  # fmt: skip


class Alu(Section):
    count: number("ALUs of a core; an instruction takes the first free one", "ALUs", at_least=1, at_most=64) = 1
    width: number("lanes that one ALU takes per cycle; 0: a whole warp", "lanes", at_most=MAX_LANES) = 0
    depth: number(
        "slots of an ALU's pipe; a slow operation in the last slot stops those that follow; 0: never stops", "slots", at_most=32
    ) = 0
    special_count: number("special-function units of a core", "units", at_least=1, at_most=16) = 1
    special_width: number("lanes that a special-function unit takes per cycle; 0: a whole warp", "lanes", at_most=MAX_LANES) = 0


def _lanes(pipe: str) -> Any:
    return number(f"lanes that a scheduler's {pipe} takes per cycle; 0: a whole warp", "lanes", at_most=MAX_LANES)


class PipeSettings(Section):
    """The pipes that a scheduler has for itself, in the place of the ALUs that all schedulers of a core share. The settings that speak of a latency
    class follow from `classes.py`."""

    owner: choice(
        "core: all schedulers share the ALUs of section alu; scheduler: each has the pipes of this section", "core", "scheduler"
    ) = "core"
    vector: switch(
        "one pipe, the integer pipe, takes all arithmetic of lanes, each kind for as long as its own pipe would (AMD: a SIMD)"
    ) = False
    scalar: switch(
        "a scalar unit beside the pipes takes arithmetic of scalar registers alone, an instruction per cycle; schedulers that issue in turns "
        "(core.issues_per_turn) share one"
    ) = False
    integer_lanes: _lanes("integer pipe") = 0
    integer_interval: interval_of("the integer pipe") = 0
    float_lanes: _lanes("float pipe") = 0
    float_interval: interval_of("the float pipe") = 0
    float_on_integer: switch(
        "the integer pipe is the other half of the float pipe: it takes float operations when the float pipe is busy"
    ) = False
    second_float: switch(
        "a second float pipe of as many lanes takes float operations when the first is busy; it multiplies no integers (NVIDIA: FMA-lite)"
    ) = False
    double_lanes: _lanes("double pipe") = 0
    double_interval: interval_of("the double pipe") = 0
    special_lanes: _lanes("special-function pipe") = 0
    special_interval: interval_of("the special-function pipe") = 0
    load_store_lanes: _lanes("way to the load/store unit and to shared memory") = 0
    load_store_interval: interval_of("the way to the load/store unit") = 0
    load_store_queue: number("instructions that the way to the load/store unit holds", "instructions", at_least=1, at_most=64) = 1
    texture_lanes: _lanes("way to the texture unit") = 0
    texture_interval: interval_of("the way to the texture unit") = 0


if TYPE_CHECKING:

    class Pipes(PipeSettings):
        """What `defstruct` makes below, as far as a type checker can know it."""

        def __getattr__(self, name: str) -> Any: ...

else:
    Pipes = defstruct("Pipes", class_pipe_settings(), bases=(PipeSettings,), module=__name__)


class Operands(Section):
    """How the registers that an instruction reads come out of the register file of a sub-partition."""

    banks: number(
        "register banks of a scheduler, register r in bank r % banks; 0: all registers are read at once", "banks", at_most=MAX_BANKS
    ) = 0
    reads: number("registers that a bank reads per cycle", "registers", at_least=1, at_most=4) = 1
    reuse: switch(
        "a register of each bank and operand place that the warp's next instruction needs there, too, is kept for it: what a compiler marks in "
        "straight code"
    ) = False
    window: number("cycles from the issue in which an instruction reads its registers without delay", "cycles", at_least=1, at_most=16) = 3
    collectors: number(
        "operand collectors of a scheduler: instructions that gather registers at the same time; 0: a late one stops those that follow",
        "collectors", at_most=MAX_COLLECTORS,
    ) = 0  # fmt: skip


if TYPE_CHECKING:

    class ClassLatency(Section):
        """What `defstruct` makes below, as far as a type checker can know it."""

        def __getattr__(self, name: str) -> int: ...

else:
    ClassLatency = defstruct("ClassLatency", class_latency_settings(), bases=(Section,), module=__name__)


class Latency(ClassLatency):
    """Cycles from issue to the first cycle in which a dependent instruction may issue. Those of a latency class follow from `classes.py`."""

    to_float: number(
        "further cycles until the float pipe can use a result of the integer pipe, where these are apart", "cycles", at_most=4096
    ) = 0
    to_integer: number(
        "further cycles until the integer pipe can use a result of the float pipe, where these are apart", "cycles", at_most=4096
    ) = 0


class Fetch(Section):
    buffer: number("instructions that a warp's buffer holds; 0: instructions are always there", "instructions", at_most=16) = 0
    per_cycle: number("warps for which a core fetches in one cycle", "fetches", at_least=1, at_most=8) = 1
    waits: switch("a warp fetches nothing after a control instruction until that is executed") = False
    line: number("instructions in a line of the instruction cache", "instructions", at_least=1, at_most=64) = 4
    sets: number("sets of the instruction cache; 0: no cache, every fetch goes to program memory", "sets", at_most=4096) = 0
    ways: number("ways of the instruction cache", "ways", at_least=1, at_most=64) = 1
    latency: number("cycles of a hit", "cycles", at_least=1, at_most=1024) = 1
    miss_latency: number("cycles of a miss where program memory has no channels of its own", "cycles", at_least=1, at_most=4096) = 20
    l0_sets: number(
        "sets of an instruction cache that each scheduler has for itself, before that of the core; 0: none", "sets", at_most=MAX_L0_LINES
    ) = 0
    l0_ways: number("ways of a scheduler's instruction cache", "ways", at_least=1, at_most=16) = 1
    l0_latency: number("cycles of a hit in a scheduler's instruction cache", "cycles", at_least=1, at_most=64) = 1
    stream: number("lines in flight ahead of one that is read in a scheduler's cache", "lines", at_most=16) = 0
    l0_ahead: number("lines that a miss in a scheduler's instruction cache prefetches", "lines", at_most=16) = 0
    shared: number(
        "pipeline: lines of an instruction cache that all cores share, after their own; 0: none", "lines", at_most=MAX_SHARED_FETCH_LINES
    ) = 0
    ahead: number("lines that the shared instruction cache prefetches after one that is wanted", "lines", at_most=16) = 0


class Lsu(Section):
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


class Cache(Section):
    """The settings that all data caches share."""

    bytes: number("capacity; 0: absent", "bytes", at_most=1 << 26) = 0
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


class Shared(Section):
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


class Memory(Section):
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


class Texture(Section):
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


class Raster(Section):
    cores: number("cores that share a raster engine; 0: there is none", "cores", at_most=1 << 10) = 0
    rule: choice(
        "which pixels whose centre lies on an edge are covered. inclusive: all; top-left: those on a left or a top edge, so that two triangles share none",
        "inclusive", "top-left",
    ) = "inclusive"  # fmt: skip
    tile: number("width and height of a tile, a power of two", "pixels", at_least=2, at_most=1 << 14) = 32
    queue: number("triangles of tiles that may be ready before anybody takes their quads", "triangles", at_least=1, at_most=1 << 10) = 4
    latency: number(
        "cycles from an instruction that takes quads to its result, where they are there", "cycles", at_least=1, at_most=4096
    ) = 9
    lookup: number("cycles from a request to the answer of its cache", "cycles", at_least=1, at_most=4096) = 4
    ports: number("words that it asks its cache for in a cycle", "words", at_least=1, at_most=64) = 1
    bytes: number("capacity of its cache, with lines of l1.line bytes; 0: absent", "bytes", at_most=1 << 20) = 4096
    ways: number("ways", "ways", at_least=1, at_most=64) = 2
    mshrs: number("sectors that may be outstanding", "sectors", at_least=1, at_most=64) = 16


class Merger(Section):
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


class Rays(Section):
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


class Quirks(Section):
    """Behaviour of tiny-gpu's published hardware that its documentation does not promise."""

    partial_block: switch("the last lane's next PC decides, so a block that is not full never ends") = False
    last_lane_decides: switch("a branch on which threads disagree follows the last lane, without a message") = False
    compare_flags: switch("compare gives 4 where unequal, 2 where equal, never 1") = False
    divide_zero: switch("division by zero gives 0 (one simulator's choice; the hardware defines nothing)") = False
    free_opcodes: switch("instruction words that tiny-gpu gives no meaning do nothing, and extensions are refused") = False
    wrap_pc: switch("the program counter wraps and runs NOPs past the program; otherwise that is a fault") = False


class Vortex(Section):
    isa: Annotated[
        int,
        Meta(
            description="the generation of Vortex whose instructions a program has that does not say it itself; 0: no machine of Vortex's",
            extra={"unit": "", "choices": ("0", "2021", "2022", "2024", "2026")},
        ),
    ] = 0


class Config(Section):
    """A whole machine. Settings are named `section.setting`, as in `--set gpu.cores=4`."""

    name: str = "custom"
    gpu: Gpu = Gpu()
    core: Core = Core()
    divergence: Divergence = Divergence()
    alu: Alu = Alu()
    pipes: Pipes = Pipes()
    operands: Operands = Operands()
    latency: Latency = Latency()
    fetch: Fetch = Fetch()
    lsu: Lsu = Lsu()
    l1: L1 = L1()
    l2: L2 = L2()
    crossbar: Crossbar = Crossbar()
    shared: Shared = Shared()
    constant: Constant = Constant()
    memory: Memory = Memory()
    dram: Dram = Dram()
    texture: Texture = Texture()
    raster: Raster = Raster()
    merger: Merger = Merger()
    rays: Rays = Rays()
    quirks: Quirks = Quirks()
    vortex: Vortex = Vortex()

    @property
    def has(self) -> Features:
        """What the machine has, for views and commands."""
        return FEATURES[self.core.control]

    def __getitem__(self, setting: str) -> Any:
        """The value of `section.setting`."""
        section, _, name = setting.partition(".")
        check_name(setting)
        return getattr(getattr(self, section), name)

    def flat(self) -> dict[str, Any]:
        """Every setting by its full name."""
        return {setting.name: self[setting.name] for setting in settings()}


@lru_cache(maxsize=1)
def settings() -> tuple[Setting, ...]:
    """Every setting there is, in order."""
    return tuple(_settings())


def _settings() -> Iterator[Setting]:
    defaults = Config()
    for section, kind in get_type_hints(Config).items():
        if not (isinstance(kind, type) and issubclass(kind, Section)):
            continue
        for name, hint in get_type_hints(kind, include_extras=True).items():
            base, meta = (get_args(hint)[0], get_args(hint)[1]) if get_origin(hint) is Annotated else (hint, Meta())
            extra = meta.extra or {}
            choices = extra.get("choices") or choices_of(f"{section}.{name}")
            if choices:
                limits = " | ".join(choices)
            elif base is bool:
                limits = "true | false"
            elif base is str:
                limits = extra["shape"]
            else:
                limits = f"{meta.ge} .. {meta.le}"
            default = getattr(getattr(defaults, section), name)
            yield Setting(f"{section}.{name}", base.__name__, default, meta.description or "", extra.get("unit", ""), limits)


def choices_of(setting: str) -> tuple[str, ...]:
    """Names that a setting may have where another file defines them (schedulers, divergence mechanisms)."""
    if setting == "core.divergence":
        return tuple(MECHANISMS)
    if setting == "core.scheduler":
        return tuple(POLICIES)
    return ()


# What cores that run one instruction at a time have; and of it what cores with warps do without. A name with a dot at its end: all of it.
_OF_STEPS = (
    *("gpu.cores", "core.control", "core.threads_per_block", "core.skip_wait", "core.prefetch", "quirks."),
    *("fetch.sets", "fetch.ways", "fetch.line", "fetch.latency"),
    *("memory.kind", "memory.bytes", "memory.data_channels", "memory.program_channels", "memory.program_words"),
)
_STEPS_ALONE = ("core.skip_wait", "core.prefetch", "quirks.")


def ignored(config: Config) -> frozenset[str]:
    """The settings, by full name, that the kind of machine of a configuration has no use for, whatever their values."""
    if config.core.control == "sequencer":
        return frozenset(name for name in _names() if not name.startswith(_OF_STEPS))
    return frozenset(name for name in _names() if name.startswith(_STEPS_ALONE))


@lru_cache(maxsize=1)
def _names() -> dict[str, None]:
    return dict.fromkeys(setting.name for setting in settings())


FOR_LOADING = ("vortex.isa",)  # say how a program is read, before a machine runs it: a program that is loaded does not change with them

SLOT_NAMES = ("scheduler", "divergence", "coalescer", "replacement", "prefetcher", "set_hash", "channel_hash")  # of units, not of settings


def check_name(name: str) -> None:
    """Raises ConfigError, with the nearest name, when there is no such setting."""
    if name not in _names():
        slot = name.removeprefix("unit.")
        if slot != name and slot in SLOT_NAMES:
            raise ConfigError(f"there is no setting {name!r}; a unit of your own is `--unit {slot}=...`, in Python units={{{slot!r}: ...}}")
        near = nearest(name, [*_names(), *(f"unit.{each}" for each in SLOT_NAMES)])
        raise ConfigError(f"there is no setting {name!r}{near}; `warploom presets --settings` lists them all")
