"""Integer unit of a lane: add, multiply, divide, logic, shifts, comparisons, bit counting.

In hardware: an adder and a barrel shifter (one cycle each), a multiplier (two to five) and, on the smaller machines, an
iterative divider (about a cycle a bit). Large GPUs have no divider: the compiler multiplies by a reciprocal. So does this
model: a quotient of two 32-bit integers, computed as a 64-bit float and truncated, is exact, because where it is not whole it
is at least 2^-32 of itself away from the next whole number. A vector unit divides floats, not integers.

Division by zero and overflow follow RISC-V (unprivileged specification, M): no trap, defined results.
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np

from warploom.isa.uop import NUMBER
from warploom.machine.engine.unit import inlined, lanewise, unit

ONES = 0xFFFFFFFF
MOV, ADD, SUB, MUL, MAD = NUMBER["mov"], NUMBER["add"], NUMBER["sub"], NUMBER["mul"], NUMBER["mad"]
MULH, MULHU, MULHSU = NUMBER["mulh"], NUMBER["mulhu"], NUMBER["mulhsu"]
DIV, DIVU, REM, REMU = NUMBER["div"], NUMBER["divu"], NUMBER["rem"], NUMBER["remu"]
AND, OR, XOR, SHL, SHR, SRA = NUMBER["and"], NUMBER["or"], NUMBER["xor"], NUMBER["shl"], NUMBER["shr"], NUMBER["sra"]
MIN, MAX, MINU, MAXU = NUMBER["min"], NUMBER["max"], NUMBER["minu"], NUMBER["maxu"]
SEQ, SNE, SLT, SLTU, COMPARE = NUMBER["seq"], NUMBER["sne"], NUMBER["slt"], NUMBER["sltu"], NUMBER["compare"]
CARRY, BORROW, SHRD = NUMBER["carry"], NUMBER["borrow"], NUMBER["shrd"]
SEL, CLZ, CTZ, POPC, BREV = NUMBER["sel"], NUMBER["clz"], NUMBER["ctz"], NUMBER["popc"], NUMBER["brev"]


@lanewise
def integer(d, p, q, r, op, wide):
    """Row d = integer operation `op` of the rows p, q and r, in the first `wide` lanes.

    Here sums, logic, shifts and the choice between two. Each of these functions hands on the operations that it has no case for.
    """
    if op == MOV:
        for l in range(wide):
            d[l] = p[l]
    elif op == ADD:
        for l in range(wide):
            d[l] = p[l] + q[l]
    elif op == SUB:
        for l in range(wide):
            d[l] = p[l] - q[l]
    elif op == AND:
        for l in range(wide):
            d[l] = p[l] & q[l]
    elif op == OR:
        for l in range(wide):
            d[l] = p[l] | q[l]
    elif op == XOR:
        for l in range(wide):
            d[l] = p[l] ^ q[l]
    elif op == SHL:
        for l in range(wide):
            d[l] = p[l] << np.uint32(q[l] & np.uint32(31))
    elif op == SHR:
        for l in range(wide):
            d[l] = p[l] >> np.uint32(q[l] & np.uint32(31))
    elif op == SRA:
        s = p.view(np.int32)
        for l in range(wide):
            d[l] = s[l] >> np.int32(q[l] & np.uint32(31))
    elif op == SEL:
        for l in range(wide):
            x = p[l]
            y = q[l]
            d[l] = x if r[l] != 0 else y
    elif op < CARRY or op > SHRD:
        multiply_divide(d, p, q, r, op, wide)
    else:
        double_width(d, p, q, r, op, wide)


@lanewise
def multiply_divide(d, p, q, r, op, wide):
    """Products, their high halves, quotients and remainders."""
    s = p.view(np.int32)
    t = q.view(np.int32)
    if op == MUL:
        for l in range(wide):
            d[l] = p[l] * q[l]
    elif op == MAD:
        for l in range(wide):
            d[l] = np.uint32(p[l] * q[l]) + r[l]
    elif op == MULH:
        for l in range(wide):
            d[l] = (np.int64(s[l]) * np.int64(t[l])) >> 32
    elif op == MULHU:
        for l in range(wide):
            d[l] = (np.uint64(p[l]) * np.uint64(q[l])) >> np.uint64(32)
    elif op == MULHSU:
        for l in range(wide):
            d[l] = (np.int64(s[l]) * np.int64(q[l])) >> 32
    elif op == DIV:
        for l in range(wide):
            d[l] = np.int64(np.float64(s[l]) / np.float64(t[l])) if q[l] != 0 else np.int64(ONES)
    elif op == DIVU:
        for l in range(wide):
            d[l] = np.int64(np.float64(p[l]) / np.float64(q[l])) if q[l] != 0 else np.int64(ONES)
    elif op == REM:
        for l in range(wide):
            quotient = np.int64(np.float64(s[l]) / np.float64(t[l])) if q[l] != 0 else np.int64(0)
            d[l] = np.int64(s[l]) - quotient * np.int64(t[l])
    elif op == REMU:
        for l in range(wide):
            quotient = np.int64(np.float64(p[l]) / np.float64(q[l])) if q[l] != 0 else np.int64(0)
            d[l] = np.int64(p[l]) - quotient * np.int64(q[l])
    else:
        compare(d, p, q, op, wide)


@lanewise
def double_width(d, p, q, r, op, wide):
    """What arithmetic on more than 32 bits is made of: a carry, a borrow, and a shift that takes bits of two words."""
    if op == CARRY:
        for l in range(wide):
            d[l] = (np.uint64(p[l]) + np.uint64(q[l]) + np.uint64(r[l])) >> np.uint64(32)
    elif op == BORROW:
        for l in range(wide):
            d[l] = 1 if np.uint64(p[l]) < np.uint64(q[l]) + np.uint64(r[l]) else 0
    else:
        for l in range(wide):
            both = (np.uint64(p[l]) << np.uint64(32)) | np.uint64(q[l])
            d[l] = (both >> np.uint64(r[l] & np.uint32(31))) & np.uint64(ONES)


@lanewise
def compare(d, p, q, op, wide):
    """Smaller, larger, and comparisons that give a number."""
    s = p.view(np.int32)
    t = q.view(np.int32)
    if op == MIN:
        for l in range(wide):
            d[l] = min(s[l], t[l])
    elif op == MAX:
        for l in range(wide):
            d[l] = max(s[l], t[l])
    elif op == MINU:
        for l in range(wide):
            d[l] = min(p[l], q[l])
    elif op == MAXU:
        for l in range(wide):
            d[l] = max(p[l], q[l])
    elif op == SEQ:
        for l in range(wide):
            d[l] = 1 if p[l] == q[l] else 0
    elif op == SNE:
        for l in range(wide):
            d[l] = 1 if p[l] != q[l] else 0
    elif op == SLT:
        for l in range(wide):
            d[l] = 1 if s[l] < t[l] else 0
    elif op == SLTU:
        for l in range(wide):
            d[l] = 1 if p[l] < q[l] else 0
    elif op == COMPARE:
        for l in range(wide):
            x = p[l]
            y = q[l]
            d[l] = 4 if x < y else 2 if x == y else 1
    else:
        count_bits(d, p, op, wide)


@lanewise
def count_bits(d, p, op, wide):
    """Leading zeros, trailing zeros, ones, and the bits in reverse."""
    if op == CLZ:
        for l in range(wide):
            d[l] = ones_of(~smear(p[l]))
    elif op == CTZ:
        for l in range(wide):
            d[l] = ones_of(~p[l] & np.uint32(p[l] - np.uint32(1)))
    elif op == POPC:
        for l in range(wide):
            d[l] = ones_of(p[l])
    elif op == BREV:
        for l in range(wide):
            d[l] = reversed_bits(p[l])


@unit
def smear(x):
    """Every bit below the highest one set."""
    x = np.uint32(x | (x >> np.uint32(1)))
    x = np.uint32(x | (x >> np.uint32(2)))
    x = np.uint32(x | (x >> np.uint32(4)))
    x = np.uint32(x | (x >> np.uint32(8)))
    return np.uint32(x | (x >> np.uint32(16)))


@unit
def ones_of(x):
    """Number of ones in 32 bits, summed in fields of 2, 4 and 8 bits."""
    x = np.uint32(x - ((x >> np.uint32(1)) & np.uint32(0x55555555)))
    x = np.uint32((x & np.uint32(0x33333333)) + ((x >> np.uint32(2)) & np.uint32(0x33333333)))
    x = np.uint32((x + (x >> np.uint32(4))) & np.uint32(0x0F0F0F0F))
    return np.uint32(np.uint32(x * np.uint32(0x01010101)) >> np.uint32(24))


@inlined
def reversed_bits(x):
    """Neighbours swapped: bits, pairs, nibbles, bytes, halves."""
    x = np.uint32(((x >> np.uint32(1)) & np.uint32(0x55555555)) | ((x & np.uint32(0x55555555)) << np.uint32(1)))
    x = np.uint32(((x >> np.uint32(2)) & np.uint32(0x33333333)) | ((x & np.uint32(0x33333333)) << np.uint32(2)))
    x = np.uint32(((x >> np.uint32(4)) & np.uint32(0x0F0F0F0F)) | ((x & np.uint32(0x0F0F0F0F)) << np.uint32(4)))
    x = np.uint32(((x >> np.uint32(8)) & np.uint32(0x00FF00FF)) | ((x & np.uint32(0x00FF00FF)) << np.uint32(8)))
    return np.uint32((x >> np.uint32(16)) | (x << np.uint32(16)))
