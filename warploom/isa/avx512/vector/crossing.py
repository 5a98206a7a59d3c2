"""Vector instructions that move elements between lanes, or between lanes and memory or general registers.

A gather or scatter needs a mask and clears it: in hardware bit by bit as lanes are done, so that a fault leaves what is still to do; here
at once. Of several lanes that scatter to one place the highest wins. Source: Intel SDM, volume 2.
"""

from __future__ import annotations

from warploom.isa.avx512.code import Code, Number
from warploom.isa.avx512.instruction import Row
from warploom.isa.avx512.operands import Memory, Register
from warploom.isa.avx512.registers import general, mask
from warploom.isa.uop import L_ALU, NEGATE_PREDICATE, NONE, SPECIAL_NUMBER

LANE = SPECIAL_NUMBER["lane"]


def _lane(code: Code) -> int:
    """Each lane's number."""
    return code.add("special", code.lane_temporary(), imm=LANE)


def _permute(code: Code) -> None:
    """vpermd: v1 = v3 of the lanes that v2 names."""
    index, source = code.vector(1), code.vector(2)
    code.put("shuffle", source, code.lane("and", index, Number(code.lanes - 1)))


def _permute_two(index_is_target: bool) -> object:
    def lower(code: Code) -> None:
        target, middle, last = code.register(0).number, code.vector(1), code.vector(2)
        index, first = (target, middle) if index_is_target else (middle, target)
        inside = code.lane("and", index, Number(code.lanes - 1))
        one, other = code.lane("shuffle", first, inside), code.lane("shuffle", last, inside)
        code.put("sel", other, one, code.lane("and", index, Number(code.lanes)))

    return lower


def _shuffle(code: Code) -> None:
    """vpshufd: within each four lanes, of which two bits of the immediate name one."""
    source, control = code.vector(1), code.immediate(2)
    number = _lane(code)
    by = code.lane("shl", code.lane("and", number, Number(3)), Number(1))
    picked = code.lane("and", code.lane("shr", Number(control), by), Number(3))
    code.put("shuffle", source, code.lane("or", code.lane("and", number, Number(~3)), picked))


def _align(code: Code) -> None:
    """valignd: v3 and, above it, v2, from lane imm8 on."""
    high, low = code.vector(1), code.vector(2)
    index = code.lane("add", _lane(code), Number(code.immediate(3) % code.lanes))
    inside = code.lane("and", index, Number(code.lanes - 1))
    one, other = code.lane("shuffle", low, inside), code.lane("shuffle", high, inside)
    code.put("sel", other, one, code.lane("and", index, Number(code.lanes)))


def _extract(lanes: int) -> object:
    def lower(code: Code) -> None:
        target, source, part = code.operands[0], code.register(1).number, code.immediate(2)
        count = code.lanes // lanes
        index = code.lane("add", _lane(code), Number(lanes * (part % count)))
        found = code.lane("shuffle", source, code.lane("and", index, Number(15)))
        width = code.scalar("mov", Number((1 << lanes) - 1))
        if isinstance(target, Memory):
            address, offset = code.lane_address(target)
            code.add("store", a=address, b=found, imm=offset, predicate=width)
        else:
            assert isinstance(target, Register)
            code.add("mov", target.number, found)
            code.add("mov", target.number, Number(0), predicate=width, flags=NEGATE_PREDICATE)

    return lower


def _insert(lanes: int) -> object:
    def lower(code: Code) -> None:
        base, operand, part = code.vector(1), code.operands[2], code.immediate(3)
        first = lanes * (part % (code.lanes // lanes))
        inside = code.scalar("mov", Number(((1 << lanes) - 1) << first))
        number = _lane(code)
        if isinstance(operand, Memory):
            address, offset = code.lane_address(operand)
            value = code.add("load", code.lane_temporary(), address, imm=offset - 4 * first, predicate=inside)
        else:
            assert isinstance(operand, Register)
            index = code.lane("and", code.lane("sub", number, Number(first)), Number(15))
            value = code.lane("shuffle", operand.number, index)
        result = code.lane("mov", base)
        code.add("mov", result, value, predicate=inside)
        code.put("mov", result)

    return lower


def _broadcast(code: Code) -> None:
    """From lane 0 of a register, a general register, or memory."""
    source = code.operands[1]
    if isinstance(source, Memory):
        address, offset = code.address(source)
        target = code.register(0).number
        code.add("load", target, address, imm=offset, predicate=code.restriction())
        code.clear_rest(target)
    elif source.kind == "xmm":  # type: ignore[union-attr]
        code.put("shuffle", source.number, Number(0))  # type: ignore[union-attr]
    else:
        code.put("mov", general(source.number))  # type: ignore[union-attr]


def _broadcast_mask(code: Code) -> None:
    code.put("and", mask(code.register(1).number), Number(0xFFFF))


def _mask_to_lanes(code: Code) -> None:
    """vpmovm2d: all ones in the mask's lanes."""
    target, number = code.register(0).number, code.register(1).number
    code.add("mov", target, Number(0))
    code.add("mov", target, Number(0xFFFFFFFF), predicate=mask(number))
    code.clear_rest(target)


def _lanes_to_mask(code: Code) -> None:
    """vpmovd2m: the lanes' signs."""
    code.put_mask(code.lane("and", code.vector(1), Number(0x80000000)), L_ALU)


def _conflicts(code: Code) -> None:
    """vpconflictd: bit j of lane i is set where lane j, below i, holds the same."""
    same = code.lane("match_any", code.vector(1))
    below = code.lane("sub", code.lane("shl", code.lane("mov", Number(1)), _lane(code)), Number(1))
    code.put("and", same, below)


def _ranks(code: Code, number: int) -> int:
    """How many lanes of a mask lie below each lane."""
    below = code.lane("sub", code.lane("shl", code.lane("mov", Number(1)), _lane(code)), Number(1))
    return code.lane("popc", code.lane("and", below, mask(number)))


def _compress(code: Code) -> None:
    """vpcompressd: the lanes of the mask side by side, from lane 0 on."""
    target, source, number = code.operands[0], code.register(1).number, code.one.written.mask
    chosen = mask(number) if number else code.scalar("mov", Number(0xFFFF))
    if code.lanes < 16:
        chosen = code.scalar("and", chosen, Number((1 << code.lanes) - 1))
    if isinstance(target, Memory):
        base, offset = code.address(target)
        place = code.lane("shl", _ranks(code, number) if number else _lane(code), Number(2))
        place = place if base == NONE else code.lane("add", place, base)
        code.add("store", a=place, b=source, imm=offset, predicate=chosen)
        return
    position = code.lane("mov", Number(0))  # of the lane-th bit that is set, found by halving
    left = _lane(code)
    for width in (8, 4, 2, 1):
        bits = code.lane("and", code.lane("shr", chosen, position), Number((1 << width) - 1))
        count = code.lane("popc", bits)
        passes = code.lane("sub", code.lane("sltu", left, count), Number(1))  # all ones where the bit lies further up
        position = code.lane("add", position, code.lane("and", passes, Number(width)))
        left = code.lane("sub", left, code.lane("and", passes, count))
    packed = code.lane("shuffle", source, position)
    filled = code.scalar("sub", code.scalar("shl", code.scalar("mov", Number(1)), code.scalar("popc", chosen)), Number(1))
    code.add("mov", target.number, packed, predicate=filled)  # type: ignore[union-attr]
    if code.one.written.zeroing or code.lanes < 16:
        rest = filled if code.one.written.zeroing else code.scalar("mov", Number((1 << code.lanes) - 1))
        code.add("mov", target.number, Number(0), predicate=rest, flags=NEGATE_PREDICATE)  # type: ignore[union-attr]


def _expand(code: Code) -> None:
    """vpexpandd: lanes from 0 on into the lanes of the mask."""
    source, number = code.operands[1], code.one.written.mask
    ranks = _ranks(code, number) if number else _lane(code)
    if isinstance(source, Memory):
        base, offset = code.address(source)
        place = code.lane("shl", ranks, Number(2))
        place = place if base == NONE else code.lane("add", place, base)
        target = code.register(0).number
        code.add("load", target, place, imm=offset, predicate=code.restriction())
        code.clear_rest(target)
    else:
        code.put("shuffle", source.number, ranks)  # type: ignore[union-attr]


def _gather(code: Code) -> None:
    target, memory = code.register(0).number, code.operands[1]
    assert isinstance(memory, Memory)
    if memory.indexed == target:
        code.refuse("its index is its destination, which no processor takes (#UD)")
    address, offset = code.lane_address(memory)
    code.add("load", target, address, imm=offset, predicate=code.restriction())
    if code.lanes < 16:
        width = code.scalar("mov", Number((1 << code.lanes) - 1))
        code.add("mov", target, Number(0), predicate=width, flags=NEGATE_PREDICATE)
    _clear(code)


def _scatter(code: Code) -> None:
    memory = code.operands[0]
    assert isinstance(memory, Memory)
    address, offset = code.lane_address(memory)
    code.add("store", a=address, b=code.register(1).number, imm=offset, predicate=code.restriction())
    _clear(code)


def _clear(code: Code) -> None:
    for word in range(2):
        code.add("mov", mask(code.one.written.mask, word), Number(0))


def _multiply_even(code: Code) -> None:
    """vpmuludq: products of 64 bits of the even lanes, each in a pair of lanes."""
    one, other = code.vector(1), code.vector(2)
    number = _lane(code)
    even = code.lane("and", number, Number(~1))
    a, b = code.lane("shuffle", one, even), code.lane("shuffle", other, even)
    code.put("sel", code.lane("mulhu", a, b), code.lane("mul", a, b), code.lane("and", number, Number(1)))


def _move_word(code: Code) -> None:
    """vmovd, vmovss: between lane 0 and a general register or memory."""
    target, source = code.operands
    if isinstance(target, Memory):
        address, offset = code.address(target)
        found = code.scalar("mov", source.number)  # type: ignore[union-attr]
        code.add("store_scalar", a=address, b=found, imm=offset)
    elif target.kind != "xmm":  # type: ignore[union-attr]
        code.add("mov", general(target.number), source.number)  # type: ignore[union-attr]
        code.add("mov", general(target.number, 1), Number(0))  # type: ignore[union-attr]
    else:
        number, first = target.number, code.scalar("mov", Number(1))  # type: ignore[union-attr]
        code.add("mov", number, Number(0))
        if isinstance(source, Memory):
            address, offset = code.address(source)
            code.add("load", number, address, imm=offset, predicate=first)
        else:
            code.add("mov", number, general(source.number), predicate=first)  # type: ignore[union-attr]


def _zero_upper(code: Code) -> None:
    """vzeroupper: the first sixteen registers keep their low four lanes alone."""
    low = code.scalar("mov", Number(0xF))
    for number in range(16):
        code.add("mov", number, Number(0), predicate=low, flags=NEGATE_PREDICATE)


_WIDE = "; no mask: its elements have 64 bits"
ROWS: tuple[Row, ...] = tuple(
    Row(name, encoding, operands, lower, meaning, masks, tuple_bytes)  # type: ignore[arg-type]
    for name, encoding, operands, lower, meaning, masks, tuple_bytes in (
        ("vpermd", "EVEX.66.0F38.W0 36", "vr vv vmb", _permute, "v1 = v3 of the lanes that v2 names", "kz", 0),
        ("vpermd", "VEX.L1.66.0F38.W0 36", "vr vv vm", _permute, "v1 = v3 of the lanes that v2 names", "", 0),
        ("vpermps", "EVEX.66.0F38.W0 16", "vr vv vmb", _permute, "v1 = v3 of the lanes that v2 names", "kz", 0),
        (
            "vpermi2d",
            "EVEX.66.0F38.W0 76",
            "vr vv vmb",
            _permute_two(True),
            "v1 = v2 or, from 16 on, v3 of the lanes that v1 names",
            "kz",
            0,
        ),
        (
            "vpermt2d",
            "EVEX.66.0F38.W0 7E",
            "vr vv vmb",
            _permute_two(False),
            "v1 = v1 or, from 16 on, v3 of the lanes that v2 names",
            "kz",
            0,
        ),
        ("vpshufd", "EVEX.66.0F.W0 70", "vr vmb ib", _shuffle, "v1 = v2, each four lanes in the order that imm8 names", "kz", 0),
        ("vpshufd", "VEX.66.0F 70", "vr vm ib", _shuffle, "v1 = v2, each four lanes in the order that imm8 names", "", 0),
        ("valignd", "EVEX.66.0F3A.W0 03", "vr vv vmb ib", _align, "v1 = v3 with v2 above it, from lane imm8 on", "kz", 0),
        ("vextracti64x4", "EVEX.L2.66.0F3A.W1 3B", "ym vr ib", _extract(8), "ymm = half imm8 of v2" + _WIDE, "", 32),
        ("vextractf64x4", "EVEX.L2.66.0F3A.W1 1B", "ym vr ib", _extract(8), "ymm = half imm8 of v2" + _WIDE, "", 32),
        ("vextracti32x4", "EVEX.66.0F3A.W0 39", "xm vr ib", _extract(4), "xmm = quarter imm8 of v2; here without a mask", "", 16),
        ("vextracti128", "VEX.L1.66.0F3A.W0 39", "xm vr ib", _extract(4), "xmm = half imm8 of v2", "", 0),
        ("vextractf128", "VEX.L1.66.0F3A.W0 19", "xm vr ib", _extract(4), "xmm = half imm8 of v2", "", 0),
        ("vinserti64x4", "EVEX.L2.66.0F3A.W1 3A", "vr vv ym ib", _insert(8), "v1 = v2 with ymm as its half imm8" + _WIDE, "", 32),
        ("vinserti128", "VEX.L1.66.0F3A.W0 38", "vr vv xm ib", _insert(4), "v1 = v2 with xmm as its half imm8", "", 0),
        ("vpbroadcastd", "EVEX.66.0F38.W0 58", "vr x32", _broadcast, "v1 = lane 0 of xmm, or memory, in all lanes", "kz", 4),
        ("vpbroadcastd", "VEX.66.0F38.W0 58", "vr x32", _broadcast, "v1 = lane 0 of xmm, or memory, in all lanes", "", 0),
        ("vbroadcastss", "EVEX.66.0F38.W0 18", "vr x32", _broadcast, "v1 = lane 0 of xmm, or memory, in all lanes", "kz", 4),
        ("vbroadcastss", "VEX.66.0F38.W0 18", "vr x32", _broadcast, "v1 = lane 0 of xmm, or memory, in all lanes", "", 0),
        ("vpbroadcastd", "EVEX.66.0F38.W0 7C", "vr g32", _broadcast, "v1 = a general register in all lanes", "kz", 0),
        ("vpbroadcastmw2d", "EVEX.F3.0F38.W0 3A", "vr km", _broadcast_mask, "v1 = a mask of 16 bits in all lanes", "", 0),
        ("vpmovm2d", "EVEX.F3.0F38.W0 38", "vr km", _mask_to_lanes, "v1 = all ones in the lanes of a mask, zero elsewhere", "", 0),
        ("vpmovd2m", "EVEX.F3.0F38.W0 39", "kr vg", _lanes_to_mask, "k1 = the signs of v2", "", 0),
        ("vpconflictd", "EVEX.66.0F38.W0 C4", "vr vmb", _conflicts, "bit j of a lane = 1 where lane j below it holds the same", "kz", 0),
        ("vpcompressd", "EVEX.66.0F38.W0 8B", "vm vr", _compress, "the mask's lanes of v2 side by side, from lane 0 on", "kz", 4),
        ("vpexpandd", "EVEX.66.0F38.W0 89", "vr vm", _expand, "lanes from 0 on into the mask's lanes", "kz", 4),
        ("vpgatherdd", "EVEX.66.0F38.W0 90", "vr gather", _gather, "v1 = memory at the lanes' addresses; the mask becomes 0", "K", 4),
        ("vgatherdps", "EVEX.66.0F38.W0 92", "vr gather", _gather, "v1 = memory at the lanes' addresses; the mask becomes 0", "K", 4),
        ("vpscatterdd", "EVEX.66.0F38.W0 A0", "gather vr", _scatter, "memory at the lanes' addresses = v1; the mask becomes 0", "K", 4),
        ("vscatterdps", "EVEX.66.0F38.W0 A2", "gather vr", _scatter, "memory at the lanes' addresses = v1; the mask becomes 0", "K", 4),
        ("vpmuludq", "EVEX.66.0F.W1 F4", "vr vv vm", _multiply_even, "64-bit products of the even lanes" + _WIDE, "", 0),
        ("vpmuludq", "VEX.66.0F F4", "vr vv vm", _multiply_even, "64-bit products of the even lanes", "", 0),
        ("vmovd", "VEX.L0.66.0F.W0 6E", "xr rm32", _move_word, "xmm = 32 bits, zeros above", "", 0),
        ("vmovd", "VEX.L0.66.0F.W0 7E", "rm32 xr", _move_word, "32 bits = lane 0 of xmm", "", 0),
        ("vmovd", "EVEX.L0.66.0F.W0 6E", "xr rm32", _move_word, "xmm = 32 bits, zeros above", "", 4),
        ("vmovd", "EVEX.L0.66.0F.W0 7E", "rm32 xr", _move_word, "32 bits = lane 0 of xmm", "", 4),
        ("vmovss", "VEX.F3.0F 10", "xr m32", _move_word, "xmm = 32 bits, zeros above", "", 0),
        ("vmovss", "VEX.F3.0F 11", "m32 xr", _move_word, "32 bits = lane 0 of xmm", "", 0),
        ("vmovss", "EVEX.F3.0F.W0 10", "xr m32", _move_word, "xmm = 32 bits, zeros above; here without a mask", "", 4),
        ("vmovss", "EVEX.F3.0F.W0 11", "m32 xr", _move_word, "32 bits = lane 0 of xmm; here without a mask", "", 4),
        ("vzeroupper", "VEX.L0.0F 77", "", _zero_upper, "registers 0 to 15 keep their low 128 bits alone", "", 0),
    )
)
