"""What the rules of translation share: operands as values, registers as what they hold now, where variables lie.

A register of 8 to 64 bits holds a whole number that is *congruent* to its bits: sums, products and logic work on it as it is, and who
looks at more than the low bits (a comparison, a shift to the right, a conversion) first wraps it to the type that its instruction names.
So the arithmetic of 64-bit addresses becomes one word by the demand for high halves that the compiler finds anyway. Registers have no
type: LLVM keeps floats in `.b32`, and the instruction says what they are.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from warploom.compiler import ssa
from warploom.compiler.builder import Builder
from warploom.compiler.interval import whole_limits
from warploom.compiler.ssa import Value
from warploom.ptx.debug.marks import described
from warploom.ptx.inline import Refused, function_address, names_in
from warploom.ptx.module import BYTES, Function, Instruction, Memory, Module, Name, Number, Operand, Vector

# A device pointer: a high word that no other memory of the host's has, and 32 bits that select the byte. The last 32 MiB are two windows,
# of shared and of local memory, for generic addresses.
DEVICE_WINDOW = 0x2000_0000_0000
SHARED_WINDOW = 0xFE00_0000
LOCAL_WINDOW = 0xFF00_0000
PARAMETER_WINDOW = 0xFD00_0000  # of a kernel's parameters, whose addresses nothing but `ld.param` uses
WINDOWS = {"shared": SHARED_WINDOW, "local": LOCAL_WINDOW}
MOST_SCALARS = 90  # words of parameters in scalar registers; further ones are in constant memory
WORD = 0xFFFFFFFF
FLOAT_TYPES = ("f32", "f64")
AXES = {"tid": "thread", "ntid": "block_dim", "ctaid": "block", "nctaid": "grid_dim"}
PLAIN = {"laneid": "lane", "warpid": "warp", "clock": "cycle", "clock64": "cycle", "smid": "core"}
HIDDEN_WORDS = 2  # scalar registers before the parameters: where dynamic shared memory begins, and its bytes


class Translation:
    """A kernel that is being translated. addresses: of the module's variables in the device's memory."""

    def __init__(self, module: Module, kernel: Function, addresses: Mapping[str, int]) -> None:
        self.module, self.kernel, self.addresses = module, kernel, addresses
        self.b = Builder()
        self.env: dict[str, Value] = {}
        self.notes: list[Any] = []
        self.checked = False  # ask whether the lanes are there that a mask names
        self.questions: list[tuple[int, str]] = []
        self.in_constants = False  # parameters are read from constant memory
        self.one = Instruction("", (), ())
        used = {name for one in kernel.instructions() for operand in one.operands for name in names_in(operand)}
        variables = [one for one in (*kernel.variables.values(), *module.variables.values()) if one.name in used]
        self.shared, self.shared_bytes = _laid_out([one for one in variables if one.space == "shared" and not one.dynamic], 16)
        self.dynamic = {one.name for one in variables if one.dynamic}
        addressed = _addressed(kernel)
        self.local, self.local_bytes = _laid_out([one for one in variables if one.space == "local" or one.name in addressed], 8)
        self.passed = {one.name for one in kernel.variables.values() if one.space == "param"} - addressed
        self.parameters = {one.name: one for one in kernel.parameters}
        said = described(kernel).parameters
        self.said = dict(zip(self.parameters, said, strict=True)) if len(said) == len(self.parameters) else {}
        self.words = -(-kernel.parameter_bytes // 4)
        self.generic_shared = any(_makes_generic(one, "shared") for one in kernel.instructions())
        self.generic_local = any(_makes_generic(one, "local") for one in kernel.instructions())

    @property
    def in_scalars(self) -> bool:
        """Whether all parameters are in scalar registers."""
        return self.words <= MOST_SCALARS

    def refuse(self, message: str) -> Refused:
        """The error of the instruction that is being translated."""
        return Refused(self.one, message)

    # ---- values

    def whole(self, number: int) -> Value:
        """A whole constant."""
        return self.b.whole(number)

    def pure(self, op: str, *args: Value, type: str = "i64", imm: Any = 0) -> Value:
        """See `Builder.pure`."""
        return self.b.pure(op, *args, type=type, imm=imm)

    def as_type(self, value: Value, type: str) -> Value:
        """The same bits as a float, a truth value or a whole number (i64)."""
        if type in FLOAT_TYPES:
            if value.type in FLOAT_TYPES:
                if value.type == type:
                    return value
                value = self.pure("bits", value, type="u64")
            return self.pure("float", value, type=type)
        if type == "i1":
            return value if value.type == "i1" else self.pure("ne", value, self.whole(0), type="i1")
        if value.type in FLOAT_TYPES:
            value = self.pure("bits", value, type="u64")
        if value.type == "u64" and value.hi > ssa.I64[1]:
            return self.pure("wrap", value, type="i64", imm=64)
        return value

    def bounded(self, value: Value, kind: str) -> Value:
        """What memory holds in the bits of a type of less than 64 bits lies between its bounds."""
        if value.type not in FLOAT_TYPES and BYTES[kind] < 8:
            value.lo, value.hi = whole_limits("i64" if kind[0] == "s" else "u64", 8 * BYTES[kind])
        return value

    def fit(self, value: Value, kind: str) -> Value:
        """The number that the low bits mean, as a type of PTX has it; those of `b` are unsigned."""
        return self.pure("wrap", value, type="i64" if kind[0] == "s" else "u64", imm=8 * BYTES[kind])

    def use(self, operand: Operand, kind: str) -> Value:
        """An operand as an instruction of a type wants it: a float, a truth value, or a number congruent to the bits."""
        type = kind if kind in FLOAT_TYPES else "i1" if kind == "pred" else "i64"
        return self.as_type(self._value(operand, kind), type)

    def exact(self, operand: Operand, kind: str) -> Value:
        """An operand as the number that a whole type means."""
        return self.fit(self.use(operand, kind), kind)

    def _value(self, operand: Operand, kind: str) -> Value:
        if isinstance(operand, Number):
            return self._immediate(operand, kind)
        if isinstance(operand, Vector):
            return self.packed(operand, BYTES[kind])
        if not isinstance(operand, Name):
            raise self.refuse(f"{operand} is not a value")
        if operand.name in self.kernel.registers or operand.name in self.env:
            value = self.register(operand.name, kind)
        else:
            value = self._named(operand)
        if operand.negated:
            value = self.pure("eq", self.as_type(value, "i1"), self.b.truth(False), type="i1")
        return self.pure("add", value, self.whole(operand.offset)) if operand.offset else value

    def register(self, name: str, kind: str = "b32") -> Value:
        """What a register holds; one that nothing was written to holds zero."""
        found = self.env.get(name)
        if found is None:
            return self.b.truth(False) if self.kernel.registers.get(name, kind) == "pred" else self.whole(0)
        return found

    def _immediate(self, number: Number, kind: str) -> Value:
        if kind == "pred":
            return self.b.truth(bool(number.value))
        if not number.kind:
            return self.whole(number.value)
        bits = self.whole(number.value)
        if number.kind == "f64" and kind == "f32":  # a decimal float
            return self.pure("f2f", self.pure("float", bits, type="f64"), type="f32")
        return self.pure("float", bits, type=number.kind)

    def _named(self, operand: Name) -> Value:
        name = operand.name
        if name.startswith("%"):
            return self._special(name[1:], operand.component)
        if name == "WARP_SZ":
            return self.pure("special", imm="lanes")
        if name in self.module.functions:
            return self.whole(function_address(name))
        return self.address_of(name)

    def address_of(self, name: str) -> Value:
        """Where a variable begins, in its own space."""
        if name in self.dynamic:
            return self.b.param(0, "i64", (0, 1 << 20), "dynamic shared")
        for table in (self.shared, self.local, self.addresses):
            if name in table:
                return self.whole(table[name])
        if name in self.parameters:
            return self.whole(PARAMETER_WINDOW + self.parameters[name].offset)
        raise self.refuse(f"there is no {name} here")

    def _special(self, name: str, axis: str) -> Value:
        b = self.b
        if name in AXES:
            if axis not in ("x", "y", "z"):
                raise self.refuse(f"%{name} has the components x, y and z")
            return b.pure("special", imm=f"{AXES[name]}_{axis}")
        if name in PLAIN:
            return b.effect("special", type="i64", imm="cycle") if PLAIN[name] == "cycle" else b.pure("special", imm=PLAIN[name])
        if name.startswith("lanemask_"):
            return self._lane_mask(name.removeprefix("lanemask_"))
        if name == "dynamic_smem_size":
            return b.param(1, "i64", (0, 1 << 20), "dynamic shared bytes")
        if name == "total_smem_size":
            return b.pure("add", b.param(1, "i64", (0, 1 << 20), "dynamic shared bytes"), self.whole(self.shared_bytes))
        if name == "nwarpid":
            threads = self.pure(
                "mul",
                self.pure("mul", *(b.pure("special", imm=f"block_dim_{axis}") for axis in "xy")),
                b.pure("special", imm="block_dim_z"),
            )
            return self.pure("shr", self.pure("add", threads, self.whole(31)), self.whole(5))
        if name in ("gridid", "clock_hi", "globaltimer_hi"):
            return self.whole(0)
        if name in ("globaltimer", "globaltimer_lo"):
            return b.effect("special", type="i64", imm="cycle")
        raise self.refuse(f"the special register %{name} is not there")

    def _lane_mask(self, which: str) -> Value:
        bit = self.pure("shl", self.whole(1), self.pure("special", imm="lane"))
        below = self.pure("sub", bit, self.whole(1))
        if which == "eq":
            return bit
        if which == "lt":
            return below
        if which == "le":
            return self.pure("or", below, bit)
        if which == "gt":
            return self.pure("xor", self.pure("or", below, bit), self.whole(WORD))
        return self.pure("xor", below, self.whole(WORD))

    # ---- results

    def set(self, value: Value, operand: Operand | None = None) -> None:
        """Write the destination, which is the first operand unless another one is given; under a predicate only where it holds."""
        target = self.one.operands[0] if operand is None else operand
        if not isinstance(target, Name):
            raise self.refuse("the destination is not a register")
        if target.name != "_":
            self.put(target.name, value)

    def put(self, name: str, value: Value) -> None:
        """Write a register."""
        if self.one.guard is not None:
            holds = self.use(self.one.guard, "pred")
            before = self.register(name)
            type = value.type if value.type in (*FLOAT_TYPES, "i1") else "i64"
            value = self.pure("sel", holds, self.as_type(value, type), self.as_type(before, type), type=type)
        self.env[name] = value

    # ---- several registers as one

    def packed(self, operand: Vector, size: int) -> Value:
        """`{a, b}` as one number, a in its low bits."""
        each = size // max(len(operand.items), 1)
        found = self.whole(0)
        for place, item in enumerate(operand.items):
            if isinstance(item, Name) and item.name == "_":
                continue
            part = self.fit(self.use(item, f"b{8 * each}"), f"u{8 * each}")
            found = self.pure("or", found, self.pure("shl", part, self.whole(8 * each * place)), type="i64")
        return found

    def unpacked(self, operand: Vector, value: Value, size: int) -> None:
        """Write the parts of a number into `{a, b}`."""
        each = size // max(len(operand.items), 1)
        value = self.as_type(value, "i64")
        if size == 8:
            value = self.pure("wrap", value, type="u64", imm=64)
        for place, item in enumerate(operand.items):
            part = self.pure("shr", self.fit(value, f"u{8 * size}"), self.whole(8 * each * place), type="u64")
            self.set(self.fit(part, f"u{8 * each}"), item)

    # ---- parameters

    def parameter(self, name: str, offset: int, kind: str) -> Value:
        """Bytes of a kernel's parameter, as an instruction loads them."""
        at, size = self.parameters[name].offset + offset, BYTES[kind]
        if not 0 <= at <= self.kernel.parameter_bytes - size:
            raise self.refuse(f"{size} bytes at {offset} of {name}, which has {self.parameters[name].size}")
        return self.parameter_at(self.whole(at), kind, name)

    def parameter_at(self, where: Value, kind: str, name: str = "") -> Value:
        """Bytes of the parameters from an offset on, in scalar registers where it is known and there are few, else in constant memory."""
        size = BYTES[kind]
        if where.op != "const" or not self.in_scalars:
            self.in_constants = True
            access = ssa.Access("constant", -1, size, kind[0] == "s")
            return self.bounded(self.b.effect("load", where, type=kind if kind in FLOAT_TYPES else "i64", access=access), kind)
        at = int(where.imm)
        if not 0 <= at <= self.kernel.parameter_bytes - size:
            raise self.refuse(f"{size} bytes at {at} of the parameters, which have {self.kernel.parameter_bytes}")
        word, shift, name = HIDDEN_WORDS + at // 4, 8 * (at % 4), self.said.get(name, name)
        if size == 8:
            return self.as_type(self.b.param(word, "i64", ssa.I64, name), kind if kind == "f64" else "i64")
        found = self.b.param(word, "i64", (-(1 << 31), (1 << 31) - 1) if kind[0] == "s" else (0, WORD), name)
        if size < 4:
            found = self.fit(self.pure("shr", self.fit(found, "u32"), self.whole(shift), type="u64"), kind)
        return self.as_type(found, "f32") if kind == "f32" else found


def _laid_out(variables: list[Any], least: int) -> tuple[dict[str, int], int]:
    """Where variables begin, one behind the other, and how many bytes they have."""
    found: dict[str, int] = {}
    used = 0
    for one in variables:
        align = max(one.align, least if one.size >= least else 1)
        found[one.name] = used = -(-used // align) * align
        used += one.size
    return found, used


def _addressed(kernel: Function) -> set[str]:
    """What is passed to functions and whose address one takes: a parameter by value, which lies in the thread's own memory then."""
    passed = {one.name for one in kernel.variables.values() if one.space == "param"}
    taken = (operand for one in kernel.instructions() if one.op != "call" for operand in one.operands)
    return {name for operand in taken if not isinstance(operand, Memory) for name in names_in(operand)} & passed


def _makes_generic(one: Instruction, space: str) -> bool:
    """Whether an instruction makes a generic address of one of a space."""
    return one.op == "cvta" and "to" not in one.modifiers and space in one.modifiers


def base_of(memory: Memory) -> str:
    """The name that an address begins with, "" for a number."""
    return memory.base.name if isinstance(memory.base, Name) else ""
