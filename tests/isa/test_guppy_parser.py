"""guppy's syntax: what is read, what is printed, and what every mistake is told."""

import struct

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from warploom.isa import guppy
from warploom.isa.diagnostics import SourceError, render
from warploom.isa.guppy.operands import Builtin, Immediate, Label, Register, Sampler, View, float_bits
from warploom.isa.guppy.parser import Statement, parse_statement
from warploom.isa.guppy.table import BUILTINS, INSTRUCTIONS, NEVER_FALLS_THROUGH
from warploom.isa.program import Source

swizzles = st.lists(st.integers(0, 3), min_size=1, max_size=4).map(tuple)
finite = st.floats(width=32, allow_nan=False).map(lambda value: int(np.float32(value).view(np.uint32)))
float_words = st.one_of(finite, st.sampled_from([0x7FC00000, 0xFFC00000, 0x7F800000, 0xFF800000, 0x80000000, 1, 0x80000001]))


def immediates():
    unsigned = st.lists(st.integers(0, 0xFFFFFFFF), min_size=1, max_size=4).map(lambda words: Immediate("u", tuple(words)))
    return unsigned | st.lists(float_words, min_size=1, max_size=4).map(lambda words: Immediate("f", tuple(words)))


@st.composite
def statements(draw, registers=128, arithmetic_only=False):
    """Any instruction with any operands that it can have."""
    rows = [row for row in INSTRUCTIONS if set(row.syntax) <= set("ds") and row.syntax] if arithmetic_only else INSTRUCTIONS
    row = draw(st.sampled_from(rows))
    register = st.builds(Register, st.integers(0, registers - 1), swizzles)
    kinds = {
        "d": register,
        "s": register | immediates() | st.sampled_from(list(BUILTINS)).map(Builtin),
        "c": st.builds(Register, st.integers(0, registers - 1), st.integers(0, 3).map(lambda letter: (letter,))),
        "t": st.builds(View, st.integers(0, 40).map("t{}".format), swizzles),
        "u": st.builds(View, st.integers(0, 40).map("u{}".format), swizzles),
        "k": st.integers(0, 40).map("s{}".format).map(Sampler),
        "l": st.from_regex(r"[A-Za-z_][A-Za-z0-9_]*", fullmatch=True).map(Label),
    }
    return Statement(row, tuple(draw(kinds[kind]) for kind in row.syntax))


@given(statements())
def test_a_printed_instruction_reads_back_as_itself(statement):
    assert parse_statement(str(statement)) == statement
    assert str(parse_statement(str(statement))) == str(statement)


@given(st.floats(width=32, allow_nan=False))
def test_a_float_is_read_to_the_nearest_32_bits(value):
    assert float_bits(repr(value)) == struct.unpack("<I", struct.pack("<f", value))[0]


def test_a_decimal_number_is_rounded_once_not_twice():
    """Half way between two floats, plus a little that 64 bits cannot hold."""
    assert float_bits("1.000000059604644775390625") == 0x3F800000
    assert float_bits("1.00000005960464477539062500001") == 0x3F800001
    assert float_bits("-1.00000005960464477539062500001") == 0xBF800001
    assert float_bits("1e-400") == 0
    assert float_bits("-1e400") == 0xFF800000


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("add.f32  r0.x ,r1.y,\tf ( 1.5 )", "add.f32 r0.x, r1.y, f(1.5)"),
        ("mov r0.xy, f2( 5.  .5 )", "mov r0.xy, f2(5.0 0.5)"),
        ("mov r0.xyzw, u4 (1 0xFF 0x10 4294967295)", "mov r0.xyzw, u4(1 255 16 4294967295)"),
        ("mov r0.xyz, f3(1e3 -inf +2)", "mov r0.xyz, f3(1000.0 -inf 2.0)"),
        ("mov r007.x, thread_id", "mov r7.x, thread_id"),
        ("ret", "ret"),
        ("sample r1.xyzw, t0.zyxw, s3, r0.xy", "sample r1.xyzw, t0.zyxw, s3, r0.xy"),
    ],
)
def test_spaces_and_number_forms_are_read_and_printed_in_one_way(text, canonical):
    assert str(parse_statement(text)) == canonical


def errors(text, path="k.guppy"):
    with pytest.raises(SourceError) as caught:
        guppy.assemble(text, path)
    return [
        (item.position.line, item.position.column, item.message, item.fix) for item in caught.value.diagnostics if item.severity == "error"
    ]


@pytest.mark.parametrize(
    ("line", "column", "message", "fix"),
    [
        ("adf.f32 r0.x, r1.x, r2.x", 1, "there is no instruction 'adf.f32'", "did you mean 'mad.f32'?"),
        ("add r0.x, r1.x, r2.x", 1, "there is no instruction 'add'", "write 'add.f32' or 'add.u32'"),
        ("MOV r0.x, r1.x", 1, "there is no instruction 'MOV'", "write 'mov': instructions are written in small letters"),
        ("add.f32 r0.x, r1.x", 1, "add.f32 takes 3 operands, 2 given", "write add.f32 d, a, b"),
        ("add.f32 r0.x r1.x, r2.x", 1, "add.f32 takes 3 operands, 2 given", "separate the operands by commas: add.f32 d, a, b"),
        ("ret r0.x", 1, "ret takes 0 operands, 1 given", "write ret"),
        ("jmp", 1, "jmp takes 1 operand, 0 given", "write jmp LABEL"),
        ("mov r0.x, ", 10, "an operand is missing here", "write it, or remove the comma"),
        ("mov r0, r1.x", 5, "'r0' names no component", "write r0.x, or r0.xyzw for all four"),
        ("mov r0.xyzwx, r1.x", 12, "'r0.xyzwx' names 5 components, at most four are possible",
         "write r0.xyzw, which is what the original makes of it"),
        ("mov r0.g, r1.x", 8, "'r0.g': there is no component 'g'", "g is written y"),
        ("mov r0.x, r1.q", 14, "'r1.q': there is no component 'q'", "components are x, y, z and w"),
        ("mov r128.x, r1.x", 5, "there is no register r128", "registers are r0 to r127"),
        ("mov r0.x, 3", 11, "'3' is a number without its type", "write u(3)"),
        ("mov r0.x, -1.5", 11, "'-1.5' is a number without its type", "write f(-1.5)"),
        ("mov r0.x, f2(1, 2)", 15, "the numbers of an immediate are separated by spaces", "write f2(1 2)"),
        ("mov r0.x, f2(1)", 11, "f2(...) holds 2 numbers, 1 given", "write f(...)"),
        ("mov r0.x, u()", 11, "u(...) holds 1 number, 0 given", "give 1"),
        ("mov r0.x, f1(1)", 11, "there is no immediate f1(...)", "write f(a), f2(a b), f3(a b c) or f4(a b c d)"),
        ("mov r0.x, u(-1)", 13, "'-1' is not an unsigned number", "write 0xffffffff, the same 32 bits"),
        ("mov r0.x, u(1.5)", 13, "'1.5' is not an unsigned number", "write f(1.5) for a float"),
        ("mov r0.x, u(4294967296)", 13, "4294967296 does not fit in 32 bits", "use at most 4294967295"),
        ("mov r0.x, f(1_0)", 13, "'1_0' is not a floating-point number", "write it as in 1.5, .5, 1e3, -2, inf or nan"),
        ("mov r0.x, f(1", 11, "'f(1': the parentheses do not match", "write an immediate as in f2(0.5 1.0)"),
        ("mov r0.x, thread", 11, "'thread' is not an operand", "did you mean 'thread_id'?"),
        ("mov r0.x, r1.x r2.x", 11, "'r1.x r2.x' is not one operand", "separate operands by commas"),
        ("mov u(3), r1.x", 5, "'u(3)' cannot stand here: this operand is a register that is written, as in r0.xy", ""),
        ("mov r0.x, s0", 11,
         "'s0' cannot stand here: this operand is a register (r0.xy), an immediate (f2(0.5 1.0)) or a built-in (thread_id)", ""),
        ("mask_nz r0.xy", 9, "'r0.xy' names 2 components, a condition has one", "write r0.x"),
        ("ld r0.x, u0.x, r1.x", 10, "'u0.x' can only be written, by st", "bind the memory that is read as tN"),
        ("st t0.x, r0.x, r1.x", 4, "'t0.x' can only be read, by ld or sample", "bind the memory that is written as uN"),
        ("jmp LOOP", 5, "there is no label 'LOOP'", "write `LOOP:` on a line of its own where it goes"),
        ("HEAD: jmp HAED", 11, "there is no label 'HAED'", "did you mean 'HEAD'?"),
        ("jmp r0.x", 5, "'r0.x' cannot stand here: this operand is the name of a label", ""),
        ("9x: jmp 9x", 1,
         "'9x' cannot name a label: a name is made of letters, digits and underscores and does not begin with a digit",
         "choose a different name"),
        ("ld r0.x, t0.x, r0.x", 10, "t0 is not bound to anything", "write a directive, as in .buffer t0 64 iota"),
        ("sample r0.x, t0.x, s0, r0.x", 14, "t0 is not bound to anything", "write a directive, as in .texture t0 64 64 checkerboard 8"),
        (".thread 4", 1, "there is no directive .thread", "did you mean .threads?"),
        (".threads 0", 1, ".threads takes one number from 1 to 2147483647", "write .threads 64"),
        (".buffer t0", 1, "buffer t0 needs its number of words, as in buffer t0 64 iota", "a buffer is bound as in .buffer t0 64 iota"),
    ],
)  # fmt: skip
def test_a_mistake_is_told_with_its_place_and_what_to_do(line, column, message, fix):
    assert (1, column, message, fix) in errors(line + "\nret")


def test_all_mistakes_of_a_file_are_told_at_once_also_two_on_a_line():
    text = "mov r0, u(-1)\n\nfoo\n.buffer x0 4\njmp AWAY"
    assert [(line, column) for line, column, *_ in errors(text)] == [(1, 5), (1, 11), (3, 1), (4, 1), (5, 5)]


def test_a_duplicate_label_names_the_first_one():
    found = errors("L:\nmov r0.x, u(1)\n  L:\njmp L")
    assert found == [(3, 3, "label 'L' is defined twice, first in line 1", "rename one of them")]


def test_an_error_shows_the_line_and_a_caret():
    with pytest.raises(SourceError) as caught:
        guppy.assemble("    mov r0.x, thred_id\n    ret", "kernel.guppy")
    assert str(caught.value) == (
        "kernel.guppy:1:15: error: 'thred_id' is not an operand\n"
        "        mov r0.x, thred_id\n"
        "                  ^~~~~~~~\n"
        "    fix: did you mean 'thread_id'?"
    )


@pytest.mark.parametrize("text", ["", "\n\n", "; nothing but a comment", ".threads 4", "LABEL:"])
def test_a_text_without_instructions_is_an_error(text):
    assert errors(text) == [(0, 1, "there is no instruction in this text", "a program is at least `ret`")]


def warnings(text):
    program, found = guppy.assemble_with_warnings(text, "k.guppy")
    return program, [(item.position.line, item.position.column, item.message) for item in found]


def test_text_behind_a_label_runs_with_a_warning():
    program, found = warnings("L: mov r0.x, u(1)\nM: N:\nret")
    assert program.text == ("mov r0.x, u(1)", "ret")
    assert program.labels == {"L": 0, "M": 1, "N": 1}
    assert found == [(1, 4, "an instruction after a label runs here, but the original assembler drops it silently")]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("mov r0.x, u(1)", "the program runs off its end; a `ret` is added there"),
        ("ret\njmp END\nEND:", "a label after the last instruction is used; a `ret` is added there"),
    ],
)
def test_a_program_that_can_run_off_its_end_gets_a_ret_with_a_warning(text, message):
    program, found = warnings(text)
    assert program.text[-1] == "ret"
    assert [text for _, _, text in found] == [message]


@pytest.mark.parametrize("last", sorted(NEVER_FALLS_THROUGH))
def test_a_program_that_cannot_run_off_its_end_is_left_alone(last):
    program, found = warnings(f"L:\n{last}{' L' if last == 'jmp' else ''}")
    assert len(program) == 1
    assert found == []


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("add.f32 r0.xyzw, r1.xyzw, f(1)", "f(1.0) gives 1 of the 4 components that are needed; the others (3) read as 0"),
        ("mov r0.xy, r1.x", "r1.x gives 1 of the 2 components that are needed; the other (1) read as 0"),
        ("mov r0.xyx, r1.xyz", "r0.xyx writes a component twice; the later value stays"),
        ("st u0.w, r0.x, r1.x", "r1.x gives 1 of the 4 components that are needed; the others (yzw) read as 0"),
        ("ld r0.xy, t0.x, r0.x", "t0.x gives 1 of the 2 components that are needed; the other (1) read as 0"),
    ],
)
def test_a_component_that_nothing_gives_is_warned_of(line, message):
    _, found = warnings(f".buffer t0 4\n.buffer u0 4\n{line}\nret")
    assert [text for _, _, text in found] == [message]


@pytest.mark.parametrize("line", ["len r0.xyzw, r1.xy", "mov r0.xyzw, thread_id", "mov r0.x, r1.xyzw", "st u0.xy, r0.x, r1.xy"])
def test_a_usual_line_is_not_warned_of(line):
    assert warnings(f".buffer u0 4\n{line}\nret")[1] == []


def test_line_ends_tabs_and_comments_of_every_kind_are_read():
    program = guppy.assemble("; a comment\r\n\tmov\tr0.x,\tu(1) ; another\r\nEND :\r\n\t jmp END\r\n")
    assert program.text == ("mov r0.x, u(1)", "jmp END")
    assert program.labels == {"END": 1}
    assert [program.position(number).line for number in range(2)] == [2, 4]
    assert program.position(0).column == 2


def test_a_text_of_any_characters_is_refused_or_read_never_worse():
    @settings(max_examples=200, deadline=None)
    @given(st.text(alphabet=st.sampled_from('rtusf0123.xyzw(),; \n\t:-_movldjp"\x00é'), max_size=60))
    def any_text(text):
        try:
            guppy.assemble(text)
        except SourceError as error:
            assert str(error)
            assert all(render(item, Source(text)) for item in error.diagnostics)

    any_text()
