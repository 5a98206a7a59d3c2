"""Instructions that jump. Nothing is asked of the lanes: a warp of AVX-512 is one thread, and its masks are data.

A call puts the address of the next instruction on the stack, and a return takes it off. Each needs memory and control, and issues in two
halves. What a program returns to at its end is `EXIT`, where the warp ends. Source: Intel SDM, volume 2.
"""

from __future__ import annotations

from collections.abc import Callable

from warploom.isa.avx512.code import Code, Number
from warploom.isa.avx512.instruction import Row
from warploom.isa.avx512.operands import Immediate, Memory
from warploom.isa.avx512.registers import FLAGS, KEPT, RSP, general
from warploom.isa.avx512.scalar.scalars import push
from warploom.isa.avx512.scalar.values import CONDITIONS, condition, condition_flags, read
from warploom.isa.uop import NEGATE

ALIASES = {
    "jz": "je",
    "jnz": "jne",
    "jc": "jb",
    "jnc": "jae",
    "jnb": "jae",
    "jnae": "jb",
    "jna": "jbe",
    "jnbe": "ja",
    "jnge": "jl",
    "jnl": "jge",
    "jng": "jle",
    "jnle": "jg",
}


def _target(code: Code) -> int:
    """The number of the instruction that a jump goes to; the one after the last where there is none."""
    operand = code.operands[0]
    assert isinstance(operand, Immediate)
    return code.number_of.get(operand.value, code.end)


def _jump(code: Code) -> None:
    code.add("jump", target=_target(code))


def _branch(number: int) -> Callable[[Code], None]:
    def lower(code: Code) -> None:
        asked = condition(code, number)
        code.add("branch_scalar", a=asked, imm=0xFFFFFFFF, target=_target(code), flags=NEGATE if number & 1 else 0)

    return lower


def _call(code: Code) -> None:
    target = code.operands[0]
    if not isinstance(target, Immediate):
        _keep(code)
        if isinstance(target, Memory):
            code.second_half()
    push(code, [Number(code.following), Number(0)])
    code.second_half()
    if isinstance(target, Immediate):
        code.add("call", target=_target(code))
    else:
        code.add("jump_register", a=KEPT)


def _keep(code: Code) -> None:
    """Where an indirect jump goes."""
    code.add("mov", KEPT, read(code, code.operands[0], 64)[0])


def _jump_indirect(code: Code) -> None:
    _keep(code)
    code.second_half()
    code.add("jump_register", a=KEPT)


def _return(code: Code) -> None:
    code.add("load_scalar", KEPT, general(RSP))
    code.add("add", general(RSP), general(RSP), Number(8))
    code.second_half()
    code.add("jump_register", a=KEPT)


def _trap(code: Code) -> None:
    code.add("trap", imm=code.one.data[-1])


ROWS: tuple[Row, ...] = (
    Row("jmp", "EB", "rel8", _jump, "goes to the target"),
    Row("jmp", "E9", "rel32", _jump, "goes to the target"),
    Row("jmp", "FF /4", "rm64", _jump_indirect, "goes to an address", reads=FLAGS),
    Row("call", "E8", "rel32", _call, "puts the address of the next instruction on the stack, goes to the target", reads=FLAGS),
    Row("call", "FF /2", "rm64", _call, "as above, to an address", reads=FLAGS),
    Row("ret", "C3", "", _return, "goes to the address on the stack; ends the warp where that is its first", reads=FLAGS),
    Row("int3", "CC", "", _trap, "stops the run"),
    Row("ud2", "0F 0B", "", _trap, "stops the run"),
    *(
        Row("j" + name, f"{0x70 + number:02X}", "rel8", _branch(number), f"goes to the target where {name}", reads=condition_flags(number))
        for number, name in enumerate(CONDITIONS)
    ),
    *(
        Row(
            "j" + name,
            f"0F {0x80 + number:02X}",
            "rel32",
            _branch(number),
            f"goes to the target where {name}",
            reads=condition_flags(number),
        )
        for number, name in enumerate(CONDITIONS)
    ),
)
JUMPS = frozenset(row.mnemonic for row in ROWS)
