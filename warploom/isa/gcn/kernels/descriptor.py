"""Kernel descriptors: what the command processor reads before it starts a kernel's first wave.

In hardware: the packet processor copies two of these words (COMPUTE_PGM_RSRC1, RSRC2) into registers of the dispatcher. They say how many
vector and scalar registers a wave gets, which numbers it finds in its first registers, and how floats round. The register of each number
follows from the order in which the numbers are enabled.
Source: LLVM, "User Guide for AMDGPU Backend", sections "Kernel Descriptor", "Initial Kernel Execution State", and of version 2
amd_kernel_code_t.
"""

from __future__ import annotations

import struct
from typing import NamedTuple

DESCRIPTOR_BYTES, OLD_BYTES = 64, 256
USER = (  # what a wave's first scalar registers may hold, by the bit that enables it; and how many registers it takes
    ("private_segment_buffer", 4),
    ("dispatch_ptr", 2),
    ("queue_ptr", 2),
    ("kernarg_segment_ptr", 2),
    ("dispatch_id", 2),
    ("flat_scratch_init", 2),
    ("private_segment_size", 1),
    ("grid_workgroup_count_x", 1),  # these three in code objects of version 2 only
    ("grid_workgroup_count_y", 1),
    ("grid_workgroup_count_z", 1),
)
SYSTEM = (  # what follows, by bit of RSRC2
    ("workgroup_id_x", 7),
    ("workgroup_id_y", 8),
    ("workgroup_id_z", 9),
    ("workgroup_info", 10),
    ("private_segment_wave_offset", 0),
)
MOST_USER, MOST_GROUP_BYTES = 16, 1 << 16
WAVE32, DYNAMIC_STACK = 10, 11  # bits of the properties
_NEW = struct.Struct("<III4xq20xIIIH6x")
_OLD = struct.Struct("<IIHHHHqqQQIIIIIIQIHH")


class Start(NamedTuple):
    """A number that a wave finds in scalar registers: which one, its first register, and how many it takes."""

    name: str
    register: int
    size: int


class Descriptor(NamedTuple):
    """A kernel's descriptor.

    entry: address of the first instruction. group_bytes, private_bytes, kernarg_bytes: of local memory for a group, of private memory
    for a work-item, of the segment of arguments. vgprs, sgprs: registers that a wave is given (sgprs 0: the text does not say). starts:
    what its scalar registers hold, in order of the registers. work_item_ids: 1 to 3 vector registers hold a work-item's x, y and z.
    float_mode: as in MODE[7:0], rounding of 32 and of 16 and 64 bits in two bits each, then denormals likewise (3: kept).
    dynamic_stack: private_bytes may not be enough.
    """

    entry: int
    group_bytes: int
    private_bytes: int
    kernarg_bytes: int
    vgprs: int
    sgprs: int
    starts: tuple[Start, ...]
    work_item_ids: int
    float_mode: int
    dx10_clamp: bool
    ieee_mode: bool
    dynamic_stack: bool

    def register(self, name: str) -> int | None:
        """The first scalar register of a number that waves start with; None where it is not enabled."""
        return next((start.register for start in self.starts if start.name == name), None)


class DescriptorError(ValueError):
    """A descriptor that cannot be. One sentence without a place."""


def read_descriptor(data: bytes, address: int) -> Descriptor:
    """The descriptor in the first 64 bytes of `data`, as code objects have it from version 3 on. Raises DescriptorError."""
    if len(data) < DESCRIPTOR_BYTES:
        raise DescriptorError(f"has {len(data)} bytes of {DESCRIPTOR_BYTES}")
    group, private, kernarg, offset, _, first, second, properties = _NEW.unpack_from(data)
    return _descriptor(address + offset, (group, private, kernarg), first, second, properties, 7)


def read_old_descriptor(data: bytes, address: int) -> Descriptor:
    """The descriptor in the first 256 bytes of `data`, which in version 2 lies before the code. Raises DescriptorError."""
    if len(data) < OLD_BYTES:
        raise DescriptorError(f"has {len(data)} bytes of {OLD_BYTES}")
    row = _OLD.unpack_from(data)
    if row[0] != 1 or row[2] != 1:
        raise DescriptorError(f"says version {row[0]} for machine kind {row[2]}: both are 1")
    offset, first, second, properties, private, group, kernarg = row[6], *row[10:15], row[16]
    return _descriptor(address + offset, (group, private, kernarg), first, second, properties, len(USER))


def _descriptor(entry: int, sizes: tuple[int, int, int], first: int, second: int, properties: int, known: int) -> Descriptor:
    group, private, kernarg = sizes
    if properties >> WAVE32 & 1 and known == 7:
        raise DescriptorError("asks for waves of 32 lanes, which GCN does not have")
    if group > MOST_GROUP_BYTES:
        raise DescriptorError(f"asks for {group} bytes of LDS: a group has at most {MOST_GROUP_BYTES}")
    if max(private, kernarg) > 1 << 20:
        raise DescriptorError(f"asks for {private} bytes of private memory and {kernarg} of arguments")
    starts, register = [], 0
    for bit, (name, size) in enumerate(USER[:known]):
        if properties >> bit & 1:
            starts.append(Start(name, register, size))
            register += size
    user = second >> 1 & 31
    if not register <= user <= MOST_USER:
        raise DescriptorError(f"enables {register} user registers and counts {user}; there are at most {MOST_USER}")
    register = user
    for name, bit in SYSTEM:
        if second >> bit & 1:
            starts.append(Start(name, register, 1))
            register += 1
    return Descriptor(
        entry=entry,
        group_bytes=group,
        private_bytes=private,
        kernarg_bytes=kernarg,
        vgprs=((first & 63) + 1) * 4,
        sgprs=-(-((first >> 6 & 15) + 1) // 2) * 16,
        starts=tuple(starts),
        work_item_ids=min((second >> 11 & 3) + 1, 3),
        float_mode=first >> 12 & 0xFF,
        dx10_clamp=bool(first >> 21 & 1),
        ieee_mode=bool(first >> 23 & 1),
        dynamic_stack=bool(properties >> DYNAMIC_STACK & 1) and known == 7,
    )
