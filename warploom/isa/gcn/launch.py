"""How a wave of GCN starts: what its registers hold, and what lies in memory for it.

In hardware: the dispatcher writes the numbers that a kernel's descriptor asks for into the first registers of each wave: addresses of the
arguments, of the packet that started the kernel, the block's number into scalar registers; the work-item's numbers in its block into v0, v1
and v2. EXEC has a bit for each lane with a work-item. Of private memory the descriptor's four registers say only that it is private memory.

Sources: LLVM, "User Guide for AMDGPU Backend", sections "Initial Kernel Execution State" and "Kernel Dispatch"; HSA, "Architected Queuing
Language", section 2.9.6, "Kernel dispatch packet".
"""

from __future__ import annotations

import struct
from collections.abc import Container, Mapping
from dataclasses import dataclass, field

from warploom.isa.gcn.descriptor import Descriptor
from warploom.isa.gcn.registers import CSP, EXEC
from warploom.isa.program import Launch
from warploom.isa.uop import IMMEDIATE, SPECIAL_NUMBER, Uop, scalar

START = 0x2000_0000  # where the instruction lies that starts a wave
PACKET, QUEUE, ARGUMENTS = 0x2000_1000, 0x2000_1100, 0x2000_2000
TABLES_BYTES = 0x200  # of packet and queue
MOST_BLOCK = 1024
_OF_BLOCK = {"workgroup_id_x": "block_x", "workgroup_id_y": "block_y", "workgroup_id_z": "block_z"}
DIMENSIONS = "xyz"


@dataclass(frozen=True)
class Start:
    """numbers: special registers by the scalar register that each goes into. vectors: vector registers a lane. private: the first of the
    four scalar registers that stand for private memory. A kernel that has any may move them, and has no other use for descriptors: all of
    them are private memory's then."""

    launch: Launch
    name: str = ""
    numbers: Mapping[int, str] = field(default_factory=dict)
    vectors: int = 0
    private: Container[int] = ()


def start_of(name: str, descriptor: Descriptor, launch: Launch) -> Start:
    """How the waves of a kernel start."""
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
        shared_bytes=descriptor.group_bytes,
        local_bytes=-(-descriptor.private_bytes // 4) * 4,
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
    """The 64 bytes of the packet that started a kernel."""
    size = [count * threads for count, threads in zip(launch.grid_dims, launch.block_dims, strict=True)]
    if launch.dimensions == 1:
        size[0] = launch.threads
    sizes = (descriptor.private_bytes, descriptor.group_bytes)
    return struct.pack("<HHHHHHIIIIIQQQQ", 0, launch.dimensions, *launch.block_dims, 0, *size, *sizes, 0, ARGUMENTS, 0, 0)


def hidden(kind: str, launch: Launch) -> int:
    """The value of an argument that the source does not name."""
    what, _, letter = kind.removeprefix("hidden_").rpartition("_")
    if what in ("block_count", "group_size", "remainder") and letter in DIMENSIONS:
        place = DIMENSIONS.index(letter)
        block = launch.block_dims[place]
        total = launch.threads if launch.dimensions == 1 and place == 0 else launch.grid_dims[place] * block
        return {"block_count": total // max(block, 1), "group_size": block, "remainder": total % max(block, 1)}[what]
    return launch.dimensions if kind == "hidden_grid_dims" else 0
