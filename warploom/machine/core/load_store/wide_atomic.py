"""Atomics beyond those of `atomic.py`: on 64 bits, on floats, counters that wrap, and reversed subtraction.

In hardware: the ALUs at the L2 cache's slices and at the banks of shared memory have an adder for floats since Fermi (32 bits) and Pascal
(64 bits); smaller and larger of floats come from the integer comparator, because floats order like integers with a sign.
A warp's lanes on one word take turns as for every atomic. Floats that are added are rounded after each of them, so their sum depends on
the order of the lanes: here lane 0 first.

Sources: CUDA C++ Programming Guide, "Atomic Functions" (atomicInc, atomicDec, atomicAdd of float and double); PTX ISA, `atom`; AMD "Vega"
Instruction Set Architecture, section 12.13 (`ds_rsub_u32`).
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np

from warploom.isa.uop import NUMBER
from warploom.machine.engine.unit import inlined, out_of_line

ADD, MIN, MAX, MINU, MAXU, AND, OR, XOR, EXCHANGE, CAS, INC, DEC, RSUB, FADD, FMIN, FMAX, HADD, BFADD = (
    NUMBER[f"atomic_{name}"]
    for name in (
        "add",
        "min",
        "max",
        "minu",
        "maxu",
        "and",
        "or",
        "xor",
        "exchange",
        "cas",
        "inc",
        "dec",
        "rsub",
        "fadd",
        "fmin",
        "fmax",
        "hadd",
        "bfadd",
    )
)
ZERO, ONE, WORD, HALF = np.uint64(0), np.uint64(1), np.uint64(0xFFFFFFFF), np.uint64(32)
SIGN = np.uint64(1 << 63)
NAN, NAN_BITS = np.float64(np.nan), np.uint64(0x7FF8000000000000)
HALF_WORD, HALF_BITS = np.uint32(0xFFFF), np.uint32(16)
HALF_INFINITY, HALF_NAN = np.int64(0x7C00), np.int64(0x7FFF)
BFLOAT_NAN = np.uint32(0x7FFF0000)
NAN_32, NAN_BITS_32 = np.float32(np.nan), np.uint32(0x7FC00000)


@out_of_line
def atomic_double_word(row, registers, op, destination, lanes, memory, high):
    """Atomic operation `op` on 64 bits at the byte indices in `row`, lane 0 first; the pair `destination` gets the old values.

    The operands are in `registers.wide`, in rows 1 and 2. high: words from the low half of a value to the high one.
    Returns 1 when some value is different than before.
    """
    b = registers.wide[1]
    c = registers.wide[2]
    held = registers.wide[3]
    changed = np.int64(0)
    for lane in range(lanes):
        if registers.active[lane] == 0:
            continue
        index = np.int64(row[lane]) >> 2
        old = (np.uint64(memory[index + high]) << HALF) | np.uint64(memory[index])
        held[lane] = old
        if op >= FADD:
            _float_64(registers.wide[1], registers.wide[3], op, lane)
        else:
            held[lane] = _integer_64(op, old, np.uint64(b[lane]), np.uint64(c[lane]))
        new = np.uint64(held[lane])
        if new != old:
            changed = np.int64(1)
        memory[index] = np.uint32(new & WORD)
        memory[index + high] = np.uint32(new >> HALF)
        if destination >= 0:
            registers.lane[destination, lane] = np.uint32(old & WORD)
            registers.lane[destination + 1, lane] = np.uint32(old >> HALF)
    return changed


@inlined
def _integer_64(op, old, b, c):
    """What memory holds after an integer operation on 64 bits that held `old`."""
    new = np.uint64(old)
    if op == ADD:
        new = np.uint64(old + b)
    elif op == MIN:
        new = b if (b ^ SIGN) < (old ^ SIGN) else old
    elif op == MAX:
        new = b if (b ^ SIGN) > (old ^ SIGN) else old
    elif op == MINU:
        new = b if b < old else old
    elif op == MAXU:
        new = b if b > old else old
    elif op == AND:
        new = old & b
    elif op == OR:
        new = old | b
    elif op == XOR:
        new = old ^ b
    elif op == EXCHANGE:
        new = b
    elif op == CAS:
        new = c if old == b else old
    elif op == INC:
        new = ZERO if old >= b else np.uint64(old + ONE)
    elif op == DEC:
        new = b if old == ZERO or old > b else np.uint64(old - ONE)
    elif op == RSUB:
        new = np.uint64(b - old)
    return np.uint64(new)


@inlined
def _float_64(operand, held, op, lane):
    """`held` of a lane = the float operation on it and the operand. Two equal floats differ only if they are zeros, in the sign."""
    x = held.view(np.float64)[lane]
    y = operand.view(np.float64)[lane]
    if op == FADD:
        total = x + y
        held.view(np.float64)[lane] = total if total == total else NAN
    elif x != x and y != y:
        held[lane] = NAN_BITS
    elif x == y:
        held[lane] = held[lane] | operand[lane] if op == FMIN else held[lane] & operand[lane]
    elif x != x or (op == FMIN and y < x) or (op == FMAX and y > x):
        held[lane] = operand[lane]


@out_of_line
def atomic_word(row, registers, operand, op, destination, lanes, memory):
    """The same on 32 bits: counters that wrap, and floats. operand: uint32, one a lane."""
    held = registers.result
    changed = np.int64(0)
    for lane in range(lanes):
        if registers.active[lane] == 0:
            continue
        index = np.int64(row[lane]) >> 2
        old = np.uint32(memory[index])
        value = np.uint32(operand[lane])
        held[lane] = old
        if op == INC:
            held[lane] = np.uint32(0) if old >= value else np.uint32(old + np.uint32(1))
        elif op == DEC:
            held[lane] = value if old == np.uint32(0) or old > value else np.uint32(old - np.uint32(1))
        elif op == RSUB:
            held[lane] = np.uint32(value - old)
        elif op == HADD:
            low = _half_sum(old & HALF_WORD, value & HALF_WORD)
            held[lane] = np.uint32(low | np.uint32(_half_sum(old >> HALF_BITS, value >> HALF_BITS) << HALF_BITS))
        elif op == BFADD:
            low = _bfloat_sum(held, lane, old << HALF_BITS, value << HALF_BITS)
            high = _bfloat_sum(held, lane, old & ~HALF_WORD, value & ~HALF_WORD)
            held[lane] = np.uint32(low >> HALF_BITS | high)
        else:
            _float_32(operand, held, op, lane)
        if held[lane] != old:
            changed = np.int64(1)
        memory[index] = held[lane]
        if destination >= 0:
            registers.lane[destination, lane] = old
    return changed


@inlined
def _float_32(operand, held, op, lane):
    """`_float_64` of 32 bits."""
    x = held.view(np.float32)[lane]
    y = operand.view(np.float32)[lane]
    if op == FADD:
        total = x + y
        held.view(np.float32)[lane] = total if total == total else NAN_32
    elif x != x and y != y:
        held[lane] = NAN_BITS_32
    elif x == y:
        held[lane] = held[lane] | operand[lane] if op == FMIN else held[lane] & operand[lane]
    elif x != x or (op == FMIN and y < x) or (op == FMAX and y > x):
        held[lane] = operand[lane]


@inlined
def _bfloat_sum(held, lane, x, y):
    """The sum of two bfloat16s in the high halves of words, rounded to nearest, ties to even, in the high half of one.

    A float has more than twice their 8 bits and two more, so a sum that is rounded to a float first gives the same as one that is rounded
    only once. held: scratch.
    """
    held[lane] = x
    left = held.view(np.float32)[lane]
    held[lane] = y
    total = left + held.view(np.float32)[lane]
    held.view(np.float32)[lane] = total
    if total != total:
        return BFLOAT_NAN
    found = np.uint32(held[lane])
    return np.uint32(found + (HALF_WORD >> np.uint32(1)) + (found >> HALF_BITS & np.uint32(1))) & ~HALF_WORD


@inlined
def _half_sum(x, y):
    """The sum of two 16-bit floats, rounded to nearest, ties to even; of NaNs, and of infinities that cancel, NVIDIA's NaN.

    A finite one is a multiple of 2^-24 below 2^16, so sums are exact as whole numbers of those. Below 2^11 the bits are that number.
    """
    total = np.int64(_half_fixed(x) + _half_fixed(y))
    size = np.int64(abs(total))
    shift = np.int64(0)
    while size >> shift >= 2048:
        shift += 1
    rest = size & ((1 << shift) - 1)
    kept = size >> shift
    middle = (np.int64(1) << shift) >> 1
    if shift > 0 and (rest > middle or (rest == middle and kept & 1 != 0)):
        kept += 1
    bits = min((shift << 10) + kept, HALF_INFINITY)
    negative = total < 0 or (total == 0 and np.int64(x) & np.int64(y) & 0x8000 != 0)
    left, right = np.int64(x) & 0x7FFF, np.int64(y) & 0x7FFF
    if left >= HALF_INFINITY or right >= HALF_INFINITY:
        both = left == HALF_INFINITY and right == HALF_INFINITY
        bits = HALF_INFINITY
        negative = (x if left == HALF_INFINITY else y) & np.uint32(0x8000) != 0
        if left > HALF_INFINITY or right > HALF_INFINITY or (both and x != y):
            bits, negative = HALF_NAN, False
    return np.uint32(bits | (0x8000 if negative else 0))


@inlined
def _half_fixed(x):
    """A finite 16-bit float in units of 2^-24; an infinity or a NaN as some number."""
    exponent = (np.int64(x) >> 10) & 31
    mantissa = np.int64(x) & 0x3FF
    size = mantissa if exponent == 0 else (mantissa | 0x400) << (exponent - 1)
    return -size if x & np.uint32(0x8000) != 0 else size
