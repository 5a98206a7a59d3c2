"""Every instruction of RV32IMAF on edge values and random ones, against Python's integers and fractions, on both engines."""

import random

import numpy as np
import pytest

from tests.isa.riscv import reference as model
from warploom.gpu import GPU
from warploom.isa import load
from warploom.isa.frontend import Options
from warploom.isa.frontends import load_with_warnings

EDGES = [0, 1, 2, 3, 31, 32, 33, 0x7FF, 0x800, 0x7FFFFFFF, 0x80000000, 0x80000001, 0xFFFFFFFE, 0xFFFFFFFF, 0x12345678, 0xAAAAAAAA]
FLOAT_EDGES = [
    *(0, 1, 2, 0x007FFFFF, 0x00800000, 0x00800001, 0x3F800000, 0x3F800001, 0x3F7FFFFF, 0x40000000, 0x40400000, 0x3F000000, 0x3FC00000),
    *(0x4B000000, 0x4B7FFFFF, 0x4EFFFFFF, 0x4F000000, 0x4F7FFFFF, 0x4F800000, 0x7F7FFFFF, 0x7F800000, 0x7FC00000, 0x7F800001),
    *(0x20000000, 0x1FFFFFFF, 0x3EFFFFFF, 0x33800000, 0x34000000, 0x00400000),
]
FLOAT_EDGES += [word | 1 << 31 for word in FLOAT_EDGES]
A, B, C, OUT = 0x10000, 0x11000, 0x12000, 0x14000
ENGINES = pytest.mark.parametrize("engine", ["python", "native"])


def cases(edges, count, seed):
    """Triples of words: edge values, words near them, and random ones."""
    source = random.Random(seed)

    def word():
        return source.choice([source.choice(edges), source.getrandbits(32), (source.choice(edges) + source.randint(-3, 3)) & model.WORD])

    return [(word(), word(), word()) for _ in range(count)]


def run(body, triples, results, engine):
    """out[k][i]: word k of thread i of a program that finds a, b, c in s2, s3, s4 and in fs2, fs3, fs4."""
    count = len(triples)
    text = f"""
    .threads {count}
    slli s0, a0, 2
    li t0, {A}
    add t0, t0, s0
    lw s2, 0(t0)
    li t1, {B - A}
    add t0, t0, t1
    lw s3, 0(t0)
    add t0, t0, t1
    lw s4, 0(t0)
    fmv.w.x fs2, s2
    fmv.w.x fs3, s3
    fmv.w.x fs4, s4
    li s1, {OUT}
    add s1, s1, s0
    slli s5, a1, 2
    {body}
    ret
    """
    data = np.zeros(1 << 16 >> 2, np.uint32)
    for column, base in enumerate((A, B, C)):
        data[base - A >> 2 :][:count] = [triple[column] for triple in triples]
    assert OUT - A + 4 * count * results <= 1 << 16
    program = load(text.encode(), "riscv", options=Options(path="test.rv", buffers={"memory": data.view(np.uint8)}))
    result = GPU("sm", engine=engine).run(program)
    region = next(region for region in program.regions if region.name == "memory")
    start = program.address_space().place(region.base)
    memory = np.asarray(result.memory, np.uint8)[start : start + region.bytes].view(np.uint32)
    return memory[OUT - A >> 2 :][: results * count].reshape(results, count).tolist()


def put(register="t3"):
    return f"sw {register}, 0(s1)\nadd s1, s1, s5\n"


@ENGINES
def test_integers(engine):
    triples = cases(EDGES, 96, 1)
    body = "".join(f"{name} t3, s2, s3\n{put()}" for name in model.INTEGER)
    found = run(body, triples, len(model.INTEGER), engine)
    for name, row in zip(model.INTEGER, found, strict=True):
        assert row == [int(model.INTEGER[name](a, b)) & model.WORD for a, b, _ in triples], name


def test_immediates():
    triples = cases(EDGES, 32, 2)
    operations = {"addi": "add", "slti": "slt", "sltiu": "sltu", "xori": "xor", "ori": "or", "andi": "and"}
    numbers = [0, 1, -1, 2047, -2048, 1365]
    shifts = {"slli": "sll", "srli": "srl", "srai": "sra"}
    wanted = [(short, name, number) for short, name in operations.items() for number in numbers]
    wanted += [(short, name, number) for short, name in shifts.items() for number in (0, 1, 31)]
    found = run("".join(f"{short} t3, s2, {number}\n{put()}" for short, _, number in wanted), triples, len(wanted), "python")
    for (short, name, number), row in zip(wanted, found, strict=True):
        assert row == [int(model.INTEGER[name](a, number & model.WORD)) & model.WORD for a, _, _ in triples], (short, number)


def test_branches_jumps_and_addresses():
    signed = model.signed
    conditions = {
        "beq": lambda a, b: a == b,
        "bne": lambda a, b: a != b,
        "bltu": lambda a, b: a < b,
        "bgeu": lambda a, b: a >= b,
        "blt": lambda a, b: signed(a) < signed(b),
        "bge": lambda a, b: signed(a) >= signed(b),
    }
    triples = cases(EDGES, 64, 3)
    body = "".join(f"li t3, 1\n{name} s2, s3, x{name}\nli t3, 0\nx{name}:\n{put()}" for name in conditions)
    body += f"mv s11, ra\ncall f\nmv ra, s11\n{put()}j over\nf: auipc t3, 0\nsub t3, ra, t3\nret\nover:\n"
    body += f"la t4, g\njalr t3, 4(t4)\ng: ebreak\nsub t3, t3, t4\n{put()}"
    found = run(body, triples, len(conditions) + 2, "python")
    for name, row in zip(conditions, found, strict=False):
        assert row == [int(conditions[name](a, b)) for a, b, _ in triples], name
    assert set(found[-2]) == {(-16) & model.WORD}  # four instructions lie between the call and f
    assert set(found[-1]) == {0}


def test_narrow_accesses():
    triples = cases(EDGES, 16, 4)
    body = "li t5, 0x1f000\nadd t5, t5, s0\nsw s2, 0(t5)\n"
    wanted = []
    for name, size, signed in (("lb", 1, 1), ("lbu", 1, 0), ("lh", 2, 1), ("lhu", 2, 0)):
        for place in range(0, 4, size):
            body += f"{name} t3, {place}(t5)\n{put()}"
            wanted.append((place, size, signed))
    body += f"sb s3, 1(t5)\nsh s3, 2(t5)\nlw t3, 0(t5)\n{put()}"
    found = run(body, triples, len(wanted) + 1, "python")
    for (place, size, signed), row in zip(wanted, found, strict=False):
        for (a, _, _), value in zip(triples, row, strict=True):
            part = a.to_bytes(4, "little")[place : place + size]
            assert value == int.from_bytes(part, "little", signed=bool(signed)) & model.WORD
    assert found[-1] == [a & 0xFF | (b & 0xFF) << 8 | (b & 0xFFFF) << 16 for a, b, _ in triples]


@ENGINES
def test_atomics(engine):
    triples = cases(EDGES, 64, 5)
    body = ""
    for name in model.ATOMIC:
        body += f"li t5, 0x1f000\nadd t5, t5, s0\nsw s2, 0(t5)\n{name} t3, s3, (t5)\n{put()}lw t3, 0(t5)\n{put()}"
    found = run(body, triples, 2 * len(model.ATOMIC), engine)
    for number, name in enumerate(model.ATOMIC):
        assert found[2 * number] == [a for a, _, _ in triples], name
        assert found[2 * number + 1] == [model.ATOMIC[name](a, b) & model.WORD for a, b, _ in triples], name


@ENGINES
def test_reservations(engine):
    """Of all lanes that try at once one succeeds; a second store-conditional, and one elsewhere, fail."""
    body = f"""
    li t5, 0x1f000
    again: lr.w t0, (t5)
    addi t0, t0, 1
    sc.w t1, t0, (t5)
    bnez t1, again
    sc.w t3, t0, (t5)
    {put()}
    add t4, t5, s0
    lr.w t0, (t4)
    sc.w t3, t0, (t5)
    {put()}
    """
    triples = cases(EDGES, 40, 6)
    found = run(body, triples, 2, engine)
    assert found == [[1] * 40, [1] * 40]
    count = run(body + f"fence\nlw t3, 0(t5)\n{put()}", triples[:7], 3, engine)
    assert set(count[2]) == {7}


def float_body(names, operands, destination, mode=""):
    """Each operation, and the flags that it alone has raised."""
    body = ""
    for name in names:
        body += f"fsflags zero\n{name} {destination}, {operands}{mode}\n"
        body += "fmv.x.w t3, fs7\n" if destination == "fs7" else ""
        body += put() + "frflags t3\n" + put()
    return body


KINDS = {
    "arithmetic": (model.FLOAT, "fs2, fs3", "fs7", lambda f, a, b, c, mode: f(a, b, mode)),
    "root": (model.ROOT, "fs2", "fs7", lambda f, a, b, c, mode: f(a, mode)),
    "fused": (model.FUSED, "fs2, fs3, fs4", "fs7", lambda f, a, b, c, mode: f(a, b, c, mode)),
    "to integers": (model.TO_INTEGER, "fs2", "t3", lambda f, a, b, c, mode: f(a, mode)),
    "from integers": (model.FROM_INTEGER, "s2", "fs7", lambda f, a, b, c, mode: f(a, mode)),
}


@pytest.mark.every(2)
@pytest.mark.parametrize("kind", KINDS)
def test_floats_round_in_five_modes_and_raise_flags(kind):
    table, operands, destination, call = KINDS[kind]
    edges = EDGES if kind == "from integers" else FLOAT_EDGES
    triples = cases(edges, 192, len(kind))
    for mode, name in enumerate(("rne", "rtz", "rdn", "rup", "rmm")):
        for body in (
            f"li t0, {mode}\nfsrm t0\n" + float_body(table, operands, destination, ", dyn"),
            float_body(table, operands, destination, f", {name}"),
        ):
            found = run(body, triples, 2 * len(table), "python")
            for number, (mnemonic, function) in enumerate(table.items()):
                for triple, value, flags in zip(triples, found[2 * number], found[2 * number + 1], strict=True):
                    said = call(function, *triple, mode)
                    assert (value, flags) == said, (mnemonic, name, [hex(word) for word in triple], hex(value), flags, said)


@pytest.mark.parametrize("kind", KINDS)
def test_floats_that_nobody_asks_for_flags_are_the_same(kind):
    table, operands, destination, call = KINDS[kind]
    triples = cases(EDGES if kind == "from integers" else FLOAT_EDGES, 192, 7)
    body = "".join(f"{name} {destination}, {operands}\n" + ("fmv.x.w t3, fs7\n" if destination == "fs7" else "") + put() for name in table)
    found = run(body, triples, len(table), "python")
    for (mnemonic, function), row in zip(table.items(), found, strict=True):
        assert row == [call(function, *triple, 0)[0] for triple in triples], mnemonic


def test_comparisons_choices_and_signs():
    triples = cases(FLOAT_EDGES, 256, 8)
    for table, destination in ((model.COMPARED, "t3"), (model.CHOSEN, "fs7")):
        found = run(float_body(table, "fs2, fs3", destination), triples, 2 * len(table), "python")
        for number, (mnemonic, function) in enumerate(table.items()):
            for (a, b, _), value, flags in zip(triples, found[2 * number], found[2 * number + 1], strict=True):
                assert (value, flags) == function(a, b), (mnemonic, hex(a), hex(b))
    found = run("".join(f"{name} fs7, fs2, fs3\nfmv.x.w t3, fs7\n{put()}" for name in model.SIGNS), triples, 3, "python")
    for (mnemonic, function), row in zip(model.SIGNS.items(), found, strict=True):
        assert row == [function(a, b) & model.WORD for a, b, _ in triples], mnemonic


def test_both_engines_agree_on_rounding():
    triples = cases(FLOAT_EDGES, 256, 9)
    body = "li t0, 3\nfsrm t0\n"
    for table, operands, destination, _ in KINDS.values():
        body += float_body(table, operands, destination, ", dyn")
    results = 2 * sum(len(table) for table, *_ in KINDS.values())
    assert run(body, triples, results, "native") == run(body, triples, results, "python")


def test_control_registers():
    body = f"""
    fsflags zero
    csrwi frm, 2
    fdiv.s fs7, fs2, fs3
    frcsr t3
    {put()}
    csrrci t3, fflags, 1
    {put()}
    frflags t3
    {put()}
    li t0, 0x61
    fscsr t4, t0
    frrm t3
    {put()}
    csrr t3, mhartid
    {put()}
    """
    found = run(body, [(0x3F800000, 0x40400000, 0)] * 3, 5, "python")
    assert found == [[0x41] * 3, [1] * 3, [0] * 3, [3] * 3, [0, 1, 2]]


def refused(text):
    with pytest.raises(ValueError) as caught:
        load_with_warnings(text.encode(), "riscv", Options(path="test.rv"))
    return str(caught.value)


def test_what_the_machine_does_not_have_is_refused_by_name():
    assert "csrr t0, 0x300: there is no control register 0x300; there are fflags, frm" in refused("csrr t0, 0x300\nret\n")
    assert "csrw cycle, t0: the control register cycle can only be read" in refused("csrw cycle, t0\nret\n")
    assert "test.rv: 70000 threads: a RISC-V program has 0 to 65536" in refused(".threads 70000\nret\n")


def test_a_word_that_is_no_instruction_stops_the_run():
    program = load(b"nop\n.word 0xffffffff\nret\n", "riscv", options=Options(path="test.rv"))
    result = GPU("sm", engine="python").run(program)
    assert "test.rv:2 (.word 0xffffffff)" in str(result)
    assert "the word 0xffffffff is not an instruction of this program's instruction set" in str(result)


@pytest.mark.parametrize("divergence", ["stack", "minpc", "its", "dwf"])
def test_short_instructions_and_calls_under_every_mechanism(divergence):
    """Half of the lanes call a function; instructions of 2 and 4 bytes are mixed."""
    text = """
    .threads 16
    main:
        c.mv s0, ra
        andi a3, a0, 1
        c.li a4, 5
        beqz a3, even
        call odd
    even:
        slli t0, a0, 2
        lui t1, 0x10
        add t0, t0, t1
        sw a4, 0(t0)
        c.mv ra, s0
        c.jr ra
    odd:
        c.addi a4, 2
        add a4, a4, a0
        c.jr ra
    """
    program = load(text.encode(), "riscv", options=Options(path="test.rv"))
    result = GPU("sm", engine="python", set={"core.divergence": divergence}).run(program)
    start = program.address_space().place(0x10000)
    memory = np.asarray(result.memory, np.uint8)[start : start + 64].view(np.uint32)
    assert memory.tolist() == [7 + n if n % 2 else 5 for n in range(16)]


REGISTERS = ("s2", "s3", "s4", "a3", "a4", "a5", "t3", "t4")
CONDITIONS = {
    "beq": lambda a, b: a == b,
    "bne": lambda a, b: a != b,
    "bltu": lambda a, b: a < b,
    "bge": lambda a, b: model.signed(a) >= model.signed(b),
}


def random_program(source, size):
    """Instructions as (name, destination, source, source), and forward branches as (condition, target, source, source)."""
    found = []
    for number in range(size):
        name = source.choice([*model.INTEGER, *CONDITIONS, *CONDITIONS, *CONDITIONS])
        where = source.randint(number + 1, size) if name in CONDITIONS else source.choice(REGISTERS)
        found.append((name, where, source.choice(REGISTERS), source.choice(REGISTERS)))
    return found


def interpreted(program, triple):
    """The registers of one thread after a program."""
    registers = dict.fromkeys(REGISTERS, 0) | dict(zip(REGISTERS, triple, strict=False))
    place = 0
    while place < len(program):
        name, where, a, b = program[place]
        place += 1
        if name not in CONDITIONS:
            registers[where] = int(model.INTEGER[name](registers[a], registers[b])) & model.WORD
        elif CONDITIONS[name](registers[a], registers[b]):
            place = where
    return [registers[name] for name in REGISTERS]


@pytest.mark.parametrize("engine", ["python", "native"])
@pytest.mark.parametrize("seed", range(6))
def test_random_branching_programs_are_each_lanes_own(engine, seed):
    source = random.Random(seed)
    program = random_program(source, 60)
    body = "".join(f"li {name}, 0\n" for name in REGISTERS[3:])
    for number, (name, where, a, b) in enumerate(program):
        body += f"x{number}: " + (f"{name} {a}, {b}, x{where}\n" if name in CONDITIONS else f"{name} {where}, {a}, {b}\n")
    body += f"x{len(program)}:\n" + "".join(put(name) for name in REGISTERS)
    triples = cases(EDGES, 64, seed)
    found = run(body, triples, len(REGISTERS), engine)
    assert [list(row) for row in zip(*found, strict=True)] == [interpreted(program, triple) for triple in triples]
