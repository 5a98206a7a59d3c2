"""The passes of the compiler, by what they print and by what comes out."""

import re

import pytest

from warploom.compiler import allocate as allocation
from warploom.compiler.allocate import OutOfRegisters, allocate
from warploom.compiler.builder import Builder
from warploom.compiler.compiler import compile_function
from warploom.compiler.interval import interval
from warploom.compiler.liveness import lives
from warploom.compiler.mir import Half, Instr, MachineBlock, Micro, Reg
from warploom.compiler.ranges import _parts, find_ranges
from warploom.compiler.ssa import Access, At, Value, prune
from warploom.compiler.text import printed
from warploom.compiler.uniform import uniform_values

WORD = Access("global", -1, 4, True)
LONG = Access("global", -1, 8, True)


def stored(b, value, access=WORD):
    b.effect("store", b.whole(256), value, access=access)


def text(b):
    return "\n".join(printed(prune(b.blocks)))


def loaded(b):
    value = b.effect("load", b.whole(512), type="i64", access=WORD)
    value.lo, value.hi = -(2**31), 2**31 - 1
    return value


def test_constants_fold_and_float_outwards():
    b = Builder()
    x = loaded(b)
    stored(b, b.pure("mul", b.pure("add", b.pure("add", x, b.whole(3)), b.whole(4)), b.whole(8)))
    b.exit()
    assert re.sub(r"  ;.*", "", text(b)) == (
        "b0:\n    %1 = load global.4 i64 512\n    %4 = shl i64 %1, 3\n    %5 = add i64 %4, 56\n    store global.4 256, %5\n    exit"
    ) or "shl i64 %1, 3" in text(b)
    assert text(b).count("add") == 1


def test_an_equal_value_is_made_once():
    b = Builder()
    x = loaded(b)
    first = b.pure("xor", x, b.whole(5))
    assert b.pure("xor", b.whole(5), x) is first
    assert b.pure("sub", x, x).imm == 0
    assert b.pure("and", x, x) is x


@pytest.mark.parametrize(
    ("op", "x", "y", "expected"),
    [
        ("add", (0, 10), (5, 6), (5, 16)), ("sub", (0, 10), (5, 6), (-6, 5)), ("mul", (-3, 4), (-5, 2), (-20, 15)),
        ("and", (-8, 7), (0, 3), (0, 3)), ("shl", (1, 3), (0, 4), (1, 48)), ("shr", (-16, 15), (2, 2), (-4, 3)),
        ("floordiv", (-7, 7), (2, 3), (-4, 3)), ("floormod", (0, 99), (7, 9), (0, 8)),
        ("min", (0, 9), (5, 20), (0, 9)), ("max", (0, 9), (5, 20), (5, 20)), ("add", (0, 2**63 - 1), (1, 1), (-(2**63), 2**63 - 1)),
    ],
)  # fmt: skip
def test_bounds_follow_operations(op, x, y, expected):
    b = Builder()
    values = [b.effect("unknown", type="i64") for _ in range(2)]
    for value, (lo, hi) in zip(values, (x, y), strict=True):
        value.lo, value.hi = lo, hi
    assert interval(b.pure(op, *values)) == expected


def counted(limit):
    """`for i in range(0, limit): store i`, as a loop that is turned; returns the builder and the counter."""
    b = Builder()
    n = b.param(0, "i64", limit, "n")
    before, head, after = b.new_block(), b.new_block(), b.new_block()
    b.branch(b.pure("lt", b.whole(0), n, type="i1"), before, after)
    b.block = before
    b.jump(head)
    b.block = head
    i = b.phi(head, "i64", [b.whole(0)])
    i.lo, i.hi = -(2**63), 2**63 - 1
    stored(b, i, LONG)
    following = b.pure("add", i, b.whole(1))
    i.args.append(following)
    b.branch(b.pure("lt", following, n, type="i1"), head, after)
    b.place(after)
    b.exit()
    return b, i


def test_a_counter_is_bounded_by_its_limit():
    b, i = counted((0, 1000))
    kept = prune(b.blocks)
    wide = find_ranges(kept)
    assert (i.lo, i.hi) == (0, 999)
    assert i in wide  # all 64 bits are stored, and 32 hold them


def test_a_counter_that_may_pass_32_bits_takes_a_pair():
    b, i = counted((0, 2**62))
    find_ranges(prune(b.blocks))
    assert i.hi > 2**32
    made = compile_function(b.blocks, scalars=2, printing=True)
    assert re.search(r"%\d+L", made.machine)


def test_a_counter_on_which_all_lanes_agree_is_a_scalar():
    b, i = counted((0, 1000))
    kept = prune(b.blocks)
    assert i in uniform_values(kept, find_ranges(kept))


def test_a_counter_that_ends_elsewhere_in_each_lane_is_none():
    b = Builder()
    n = b.pure("special", imm="thread_x")
    head, after = b.new_block(), b.new_block()
    b.jump(head)
    b.block = head
    i = b.phi(head, "i64", [b.whole(0)])
    following = b.pure("add", i, b.whole(1))
    stored(b, i)
    i.args.append(following)
    b.branch(b.pure("lt", following, n, type="i1"), head, after)
    b.block = after
    b.exit()
    kept = prune(b.blocks)
    found = uniform_values(kept, find_ranges(kept))
    assert i not in found and following not in found


def block_of(*instrs):
    block = MachineBlock(0, At())
    block.code = list(instrs)
    return block


def test_a_register_is_free_again_after_its_last_use():
    a, c, d = Reg(1), Reg(2), Reg(3)
    block = block_of(
        Instr([Micro("mov", a, 1)]), Instr([Micro("add", c, a, 1)]), Instr([Micro("add", d, c, c)]), Instr([Micro("store", None, d, d)])
    )
    assert lives([block])[a] == [(1, 3)]
    found = allocate([block], 8, 0)
    assert found.registers == 1 and set(found.numbers.values()) == {0}


def test_pairs_begin_at_even_numbers():
    single, pair = Reg(1), Reg(2, 2)
    block = block_of(
        Instr([Micro("mov", single, 1)]), Instr([Micro("mov", Half(pair, 0), 1), Micro("mov", Half(pair, 1), 2)]),
        Instr([Micro("store", None, single, pair, size=8)]),
    )  # fmt: skip
    assert allocate([block], 8, 0).numbers[pair] % 2 == 0


def test_a_kernel_that_does_not_fit_after_all_rounds_of_spilling_says_so(monkeypatch):
    monkeypatch.setattr(allocation, "MOST_ROUNDS", 1)
    regs = [Reg(number) for number in range(1, 9)]
    code = [Instr([Micro("mov", reg, number)]) for number, reg in enumerate(regs)]
    with pytest.raises(OutOfRegisters, match="the kernel does not fit 3 registers"):
        allocate([block_of(*code, *(Instr([Micro("store", None, reg, reg)]) for reg in regs))], 3, 0)


def test_what_an_instruction_has_written_itself_was_not_alive_before_it():
    x, y, total = Reg(1, 2), Reg(2, 2), Reg(3, 2)
    carry = Micro("sltu", Half(total, 1), Half(total, 0), Half(x, 0))
    add = Instr([Micro("add", Half(total, 0), Half(x, 0), Half(y, 0)), carry], early=True)
    code = [Instr([Micro("mov", Half(reg, part), part)]) for reg in (x, y) for part in (0, 1)]
    found = lives([block_of(*code, add, Instr([Micro("store", None, x, total, size=8)]))])
    assert add.read() == [x, y] and found[total][0][0] == add.place
    assert Instr([Micro("add", Half(total, 0), Half(x, 0), 1), Micro("mov", Half(x, 1), Half(total, 1))]).read() == [x, total]


def test_registers_that_find_no_room_go_there_together(monkeypatch):
    monkeypatch.setattr(allocation, "MOST_ROUNDS", 4)
    regs = [Reg(number) for number in range(1, 101)]
    code = [Instr([Micro("mov", reg, number)]) for number, reg in enumerate(regs)]
    found = allocate([block_of(*code, *(Instr([Micro("store", None, reg, reg)]) for reg in regs))], 10, 0)
    assert found.registers <= 10 and 90 <= found.spilled <= 100


def test_registers_that_find_no_room_go_to_local_memory():
    regs = [Reg(number) for number in range(1, 7)]
    code = [Instr([Micro("mov", reg, number)]) for number, reg in enumerate(regs)]
    code += [Instr([Micro("store", None, reg, reg)]) for reg in regs]
    block = block_of(*code)
    found = allocate([block], 3, 0)
    assert found.registers <= 3 and found.spilled >= 3 and found.local_bytes >= 4 * found.spilled
    assert any(uop.space == 2 and uop.op == "load" for instr in block.code for uop in instr.uops)
    with pytest.raises(OutOfRegisters):
        allocate([block_of(Instr([Micro("mad", Reg(9), *(Reg(n) for n in (10, 11, 12)))]))], 2, 0)


@pytest.mark.parametrize("number", [0, 1])
@pytest.mark.parametrize("holds", [False, True])
def test_a_comparison_with_a_truth_says_what_is_true_then(number, holds):
    """`(x < y) == 0` holds where y <= x."""
    b = Builder()
    x, y = loaded(b), loaded(b)
    less = b.pure("lt", x, y, type="i1")
    assert _parts(Value("eq", [less, b.truth(bool(number))], "i1"), holds) == [(less, holds == bool(number))]


@pytest.mark.parametrize("type_", ["u64", "i64"])
def test_a_cast_that_changes_no_bit_takes_no_instruction(type_):
    """Also where what is cast is used after it."""
    b = Builder()
    x = loaded(b)
    cast = b.pure("wrap", x, type=type_, imm=32)
    stored(b, b.pure("add", cast, b.whole(3)))
    stored(b, b.pure("mul", x, b.whole(5)))
    b.exit()
    lines = compile_function(b.blocks, scalars=0).builder.text
    assert [line.split()[0] for line in lines] == ["load", "add", "store", "mul", "store", "exit"]
