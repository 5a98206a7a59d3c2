"""A kernel as assembly text declares it: what its waves find in their registers, how much memory it has, and its arguments.

In hardware: a descriptor of 64 bytes beside the code says which of these numbers the dispatcher writes into a wave's first scalar and
vector registers, and how many registers and bytes of LDS it must find free before the wave can begin. `.kernel NAME` asks for the usual
ones; between `.amdhsa_kernel NAME` and `.end_amdhsa_kernel` a compiler asks for each.

Source: LLVM, "User Guide for AMDGPU Backend", sections "Kernel Descriptor", "Initial Kernel Execution State" and ".amdhsa_kernel".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from warploom.isa.diagnostics import Diagnostics, Position
from warploom.isa.gcn.kernels.code_object import Kernel
from warploom.isa.gcn.kernels.descriptor import SYSTEM, USER, Descriptor
from warploom.isa.gcn.kernels.descriptor import Start as Number
from warploom.isa.gcn.kernels.metadata import GLOBAL, VALUE, Argument
from warploom.isa.gcn.text.parser import Mistake, Piece, whole
from warploom.isa.launching import POINTER

MOST_BYTES = 1 << 22  # of a program, and of a buffer that it asks for
SPECIAL_SCALARS = 6  # VCC, FLAT_SCRATCH and XNACK_MASK, behind a kernel's own (LLVM, getNumExtraSGPRs, gfx8 and 9)
TYPES = {"pointer": 8, "int32": 4, "uint32": 4, "float32": 4, "int64": 8, "uint64": 8, "float64": 8}
END = ".end_amdhsa_kernel"
_SIZES = {"group_segment_fixed_size": "group", "private_segment_fixed_size": "private", "kernarg_size": "kernarg",
          "next_free_vgpr": "vgprs", "next_free_sgpr": "sgprs"}  # fmt: skip


@dataclass
class Declared:
    """user, system: numbers that its waves start with, by name. sizes: registers, and bytes of its kinds of memory. usual: an argument's
    value, or the size of its buffer, unless one is given; and the line that says so."""

    name: str
    position: Position
    user: dict[str, int] = field(default_factory=dict)
    system: dict[str, int] = field(default_factory=dict)
    sizes: dict[str, int] = field(default_factory=dict)
    arguments: list[Argument] = field(default_factory=list)
    usual: dict[str, tuple[Piece, int]] = field(default_factory=dict)
    user_count: int | None = None

    @classmethod
    def of_text(cls, name: str, position: Position) -> Declared:
        """A kernel of `.kernel`, which starts as compilers usually have it."""
        user = {"private_segment_buffer": 1, "kernarg_segment_ptr": 1}
        system = {"workgroup_id_x": 1, "workgroup_id_y": 1, "workgroup_id_z": 1, "work_item_ids": 3}
        return cls(name, position, user, system)

    def memory(self, directive: str, words: Sequence[str]) -> None:
        """`.lds` or `.private`: bytes of a block or of a lane."""
        self.sizes["group" if directive == ".lds" else "private"] = whole(words[0] if words else "", directive, 0, 1 << 16)

    def argument(self, words: Sequence[Piece], line: int) -> None:
        """`.arg NAME, TYPE, VALUE`: one more argument, behind the others at a multiple of its size."""
        if not 2 <= len(words) <= 3 or words[1].text not in TYPES:
            raise Mistake(".arg takes a name, a type, and perhaps a value", "", f"write .arg n, int32, 100; types are {', '.join(TYPES)}")
        name, dtype = words[0].text, words[1].text
        if any(one.name == name for one in self.arguments):
            raise Mistake(f"the argument {name!r} is there already", name, "give it another name")
        if len(words) == 3:
            if dtype != POINTER:
                _value(words[2].text, dtype)  # raises where the line is known
            self.usual[name] = words[2], line
        size = TYPES[dtype]
        kind = GLOBAL if dtype == POINTER else VALUE
        self.arguments.append(Argument(name, -(-self.argument_bytes // size) * size, size, kind, dtype))

    @property
    def argument_bytes(self) -> int:
        """How many bytes the arguments have that are there so far."""
        return max((one.offset + one.size for one in self.arguments), default=0)

    def usual_values(self, labels: Mapping[str, int], diagnostics: Diagnostics) -> tuple[dict[str, int | float], dict[str, int]]:
        """Usual values of arguments, and usual sizes of buffers. labels: their addresses; a pointer with a label points there.
        diagnostics: takes what is neither a label nor a size, which is known only after the last line."""
        values: dict[str, int | float] = {}
        buffers: dict[str, int] = {}
        for argument in self.arguments:
            if argument.name not in self.usual:
                continue
            piece, line = self.usual[argument.name]
            if argument.dtype != POINTER:
                values[argument.name] = _value(piece.text, argument.dtype)
            elif piece.text in labels:
                values[argument.name] = labels[piece.text]
            else:
                try:
                    buffers[argument.name] = whole(piece.text, argument.name, 4, MOST_BYTES)
                except Mistake as mistake:
                    fix = "write the bytes of its buffer, or a label to which it points"
                    diagnostics.error(Position(line, piece.column), mistake.message, max(len(piece.text), 1), fix)
        return values, buffers

    def descriptor_line(self, directive: str, words: Sequence[str]) -> None:
        """A line between `.amdhsa_kernel` and its end. What says nothing to a simulator is passed over."""
        if not directive.startswith(".amdhsa_"):
            raise Mistake(f"{directive} is not a line of a kernel's descriptor", directive, f"write {END} before it")
        what, value = directive.removeprefix(".amdhsa_"), words[0] if words else ""
        user, system = what.removeprefix("user_sgpr_"), what.removeprefix("system_sgpr_")
        if what == "user_sgpr_count":
            self.user_count = whole(value, directive, 0, 16)
        elif user != what and user in dict(USER):
            self.user[user] = whole(value, directive, 0, 1)
        elif system != what and system in dict(SYSTEM):
            self.system[system] = whole(value, directive, 0, 1)
        elif what == "system_vgpr_workitem_id":
            self.system["work_item_ids"] = whole(value, directive, 0, 2) + 1
        elif what in _SIZES:
            number = value if value[:1].isdigit() else "0"  # else an expression of other functions' registers
            self.sizes[_SIZES[what]] = whole(number, directive, 0, 1 << 20)

    def kernel(self, entry: int) -> Kernel:
        """The kernel with its descriptor. Registers are numbered as the dispatcher fills them: user numbers, then those of the system."""
        starts, register = [], 0
        for name, size in USER:
            if self.user.get(name):
                starts.append(Number(name, register, size))
                register += size
        register = max(register, self.user_count or 0)
        for name, _ in SYSTEM:
            if self.system.get(name, 1 if name == "workgroup_id_x" else 0):
                starts.append(Number(name, register, 1))
                register += 1
        sizes = self.sizes
        descriptor = Descriptor(
            entry=entry, group_bytes=sizes.get("group", 0), private_bytes=sizes.get("private", 0), kernarg_bytes=sizes.get("kernarg", 0),
            vgprs=-(-max(sizes.get("vgprs", 0), 1) // 4) * 4, sgprs=sizes["sgprs"] + SPECIAL_SCALARS if "sgprs" in sizes else 0,
            starts=tuple(starts), work_item_ids=self.system.get("work_item_ids", 1), float_mode=0xF0,
            dx10_clamp=True, ieee_mode=True, dynamic_stack=False,
        )  # fmt: skip
        return Kernel(self.name, entry, descriptor, tuple(self.arguments) or None, max(self.argument_bytes, descriptor.kernarg_bytes))


def _value(text: str, dtype: str) -> int | float:
    try:
        return float(text) if dtype.startswith("float") else int(text, 0)
    except ValueError:
        raise Mistake(f"{text!r} is not of type {dtype}", text) from None
