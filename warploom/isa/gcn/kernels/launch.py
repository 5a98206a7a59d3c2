"""How a wave of GCN starts: what its registers hold, and what lies in memory for it.

In hardware: the dispatcher writes the numbers that a kernel's descriptor asks for into the first registers of each wave: addresses of the
arguments, of the packet that started the kernel, the block's number into scalar registers; the work-item's numbers in its block into v0, v1
and v2. EXEC has a bit for each lane with a work-item. Of private memory the descriptor's four registers say only that it is private memory.

Sources: LLVM, "User Guide for AMDGPU Backend", sections "Initial Kernel Execution State" and "Kernel Dispatch"; HSA, "Architected Queuing
Language", section 2.9.6, "Kernel dispatch packet".
"""

from __future__ import annotations

import struct
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field

from warploom.isa.gcn.kernels.descriptor import Descriptor
from warploom.isa.gcn.kernels.metadata import Argument
from warploom.isa.gcn.registers import APERTURES, CSP, EXEC, PRIVATE_BASE, SHARED_BASE
from warploom.isa.program import Launch
from warploom.isa.uop import IMMEDIATE, SPECIAL_NUMBER, Uop, scalar

START = 0x2000_0000  # where the instruction lies that starts a wave
PACKET, QUEUE, ARGUMENTS = 0x2000_1000, 0x2000_1100, 0x2000_2000
TABLES_BYTES = 0x200  # of packet and queue
MOST_BLOCK = 1024
STACK_BYTES = 1024  # of a thread, where a kernel does not say how much its calls need; HIP hands out as much
APERTURES_IN_QUEUE = 0x40  # where the high words of the addresses of LDS and of private memory lie (HSA runtime, amd_queue_t)
_OF_BLOCK = {"workgroup_id_x": "block_x", "workgroup_id_y": "block_y", "workgroup_id_z": "block_z"}
_APERTURES = {"hidden_private_base": PRIVATE_BASE, "hidden_shared_base": SHARED_BASE}
DIMENSIONS = "xyz"


@dataclass(frozen=True)
class Start:
    """numbers: special registers by the scalar register that each goes into. vectors: vector registers a lane. private: the first of the
    four scalar registers that stand for private memory. A kernel that has any may move them, and has no other use for descriptors: all of
    them are private memory's then. base_offsets: at which the program can load the high words of the addresses of LDS and of private
    memory, from its arguments or its queue. vega: the processor is one of gfx9, GCN's fifth generation."""

    launch: Launch
    name: str = ""
    numbers: Mapping[int, str] = field(default_factory=dict)
    vectors: int = 0
    private: Container[int] = ()
    base_offsets: Mapping[int, int] = field(default_factory=dict)
    vega: bool = True


def start_of(name: str, descriptor: Descriptor, launch: Launch, shared: int = 0) -> Start:
    """How the waves of a kernel start. shared: LDS of a block, in bytes, if it has more than the descriptor says."""
    words = [0] * max((start.register + start.size for start in descriptor.starts), default=0)
    blocks = launch.grid_dims
    known = {
        "dispatch_ptr": PACKET,
        "queue_ptr": QUEUE,
        "kernarg_segment_ptr": ARGUMENTS,
        "private_segment_size": descriptor.private_bytes,
        **{f"grid_workgroup_count_{letter}": count for letter, count in zip(DIMENSIONS, blocks, strict=True)},
    }
    for start in descriptor.starts:
        words[start.register] = known.get(start.name, 0)
    numbers = {start.register: _OF_BLOCK[start.name] for start in descriptor.starts if start.name in _OF_BLOCK}
    items = tuple((number, f"thread_{DIMENSIONS[number]}") for number in range(descriptor.work_item_ids))
    launch = launch.changed(
        registers=items,
        scalars=tuple(words),
        warp_scalars=descriptor.sgprs,
        shared_bytes=max(descriptor.group_bytes, shared),
        local_bytes=-(-descriptor.private_bytes // 4) * 4 + (STACK_BYTES if descriptor.dynamic_stack else 0),
    )
    buffer = descriptor.register("private_segment_buffer")
    private: Container[int] = () if buffer is None else range(104) if descriptor.private_bytes or descriptor.dynamic_stack else (buffer,)
    return Start(launch, name, numbers, descriptor.vgprs, private)


def start_up(start: Start, entry: int) -> list[Uop]:
    """What is executed before a wave's first instruction, whose number is `entry`."""
    found = [Uop("special", scalar(EXEC + part), imm=SPECIAL_NUMBER[name]) for part, name in enumerate(("mask_low", "mask_high"))]
    found += [Uop("special", scalar(register), imm=SPECIAL_NUMBER[name]) for register, name in start.numbers.items()]
    return [*found, Uop("mov", CSP, IMMEDIATE), Uop("jump", target=entry)]


def packet(launch: Launch, descriptor: Descriptor) -> bytes:
    """The packet that started a kernel, 64 bytes, and the queue it came from: the high words of two apertures are read."""
    size = [count * threads for count, threads in zip(launch.grid_dims, launch.block_dims, strict=True)]
    if launch.dimensions == 1:
        size[0] = launch.threads
    sizes = (descriptor.private_bytes, descriptor.group_bytes)
    found = struct.pack("<HHHHHHIIIIIQQQQ", 0, launch.dimensions, *launch.block_dims, 0, *size, *sizes, 0, ARGUMENTS, 0, 0)
    return found.ljust(QUEUE - PACKET + APERTURES_IN_QUEUE, b"\0") + struct.pack(
        "<II", *(APERTURES[base][1] for base in (SHARED_BASE, PRIVATE_BASE))
    )


def hidden(kind: str, launch: Launch) -> int:
    """The value of an argument that the source does not name."""
    if kind in _APERTURES:
        return APERTURES[_APERTURES[kind]][1]
    if kind == "hidden_queue_ptr":
        return QUEUE
    what, _, letter = kind.removeprefix("hidden_").rpartition("_")
    if what in ("block_count", "group_size", "remainder") and letter in DIMENSIONS:
        place = DIMENSIONS.index(letter)
        block = launch.block_dims[place]
        total = launch.threads if launch.dimensions == 1 and place == 0 else launch.grid_dims[place] * block
        return {"block_count": total // max(block, 1), "group_size": block, "remainder": total % max(block, 1)}[what]
    return launch.dimensions if kind == "hidden_grid_dims" else 0


def base_offsets_of(descriptor: Descriptor, arguments: Sequence[Argument] | None) -> dict[int, int]:
    """Where a program finds the high words of the apertures: processors before gfx9 have no registers for them. Functions that it calls
    count from the first argument that the source does not name."""
    known = arguments or ()
    first = min((argument.offset for argument in known if argument.hidden), default=0)
    found = {
        argument.offset - start: _APERTURES[argument.kind] for argument in known if argument.kind in _APERTURES for start in (0, first)
    }
    if descriptor.register("queue_ptr") is not None or any(argument.kind == "hidden_queue_ptr" for argument in known):
        found |= {APERTURES_IN_QUEUE: SHARED_BASE, APERTURES_IN_QUEUE + 4: PRIVATE_BASE}
    return found
