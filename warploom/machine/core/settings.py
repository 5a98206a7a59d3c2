"""The settings of a core: its warps, schedulers and pipes, and what happens where lanes disagree."""

# mypy: disable-error-code="valid-type, misc"

from typing import TYPE_CHECKING, Annotated, Any

from msgspec import Meta, defstruct

from warploom.machine.core.latency_classes import class_latency_settings, class_pipe_settings, interval_of
from warploom.machine.core.operand_banks import MAX_BANKS, MAX_COLLECTORS
from warploom.machine.engine.fields import Section, choice, number, switch
from warploom.machine.engine.sizes import MAX_LANES, MAX_WARPS


class Core(Section):
    """A core: what it holds, and how it issues."""

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
    """Parameters of the divergence mechanisms."""

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
    """The ALUs and special-function units that all schedulers of a core share."""

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
    """The pipes that a scheduler has for itself, instead of the ALUs that all schedulers of a core share. The settings that concern a
    latency class follow from `latency_classes.py`."""

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
    """Cycles from issue to the first cycle in which a dependent instruction may issue. Those of a latency class follow from `latency_classes.py`."""

    to_float: number(
        "further cycles until the float pipe can use a result of the integer pipe, where these are apart", "cycles", at_most=4096
    ) = 0
    to_integer: number(
        "further cycles until the integer pipe can use a result of the float pipe, where these are apart", "cycles", at_most=4096
    ) = 0
