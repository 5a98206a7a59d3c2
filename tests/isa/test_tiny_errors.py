"""What the assembler says about a text that is wrong, sentence by sentence."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from warploom.isa import tiny
from warploom.isa.diagnostics import SourceError


def errors(text):
    with pytest.raises(SourceError) as caught:
        tiny.assemble(text, "kernel.asm")
    return [(f"{item.position.line}:{item.position.column}", item.message, item.fix) for item in caught.value.diagnostics]


def warnings(text):
    return [(f"{item.position.line}:{item.position.column}", item.message) for item in tiny.assemble_with_warnings(text)[1]]


@pytest.mark.parametrize(
    ("line", "column", "message", "fix"),
    [
        ("ADDD R1, R2, R3", 1, "there is no instruction 'ADDD', did you mean 'ADD'?", None),
        ("BRx loop", 1, "there is no instruction 'BRx', did you mean 'BR'?", None),
        ("BRnn 0", 1, "'BRnn' names a condition twice", "name each of n, z and p at most once"),
        ("loop", 1, "there is no instruction 'loop'", "a label ends with a colon: loop:"),
        ("  ADD R1, R2", 3, "ADD takes 3 operands, this one has 2", "write ADD Rd, Rs, Rt"),
        ("RET R1", 1, "RET takes no operands, this one has 1", "RET stands alone"),
        ("BRn", 1, "BRn takes 1 operand, this one has 0", "write BRnzp label"),
        (
            "ADD R1, #2, R3",
            9,
            "'#2' is a number, and the first source of ADD must be a register",
            "put the number into a register first: CONST R0, #2",
        ),
        (
            "ADD R1, R2, x",
            13,
            "'x' is not a register, and the second source of ADD must be one",
            "registers are R0 to R12, %blockIdx, %blockDim, %threadIdx",
        ),
        ("LDR R16, R1", 5, "there is no register 'R16': registers are R0 to R12, and R13 to R15 are %blockIdx, %blockDim, %threadIdx", ""),
        ("LDR R1, %blokIdx", 9, "'%blokIdx' is not a register, did you mean '%blockIdx'?", None),
        ("CONST R1, 5", 11, "a number in an instruction begins with #, '5' does not", "write #5"),
        ("CONST R1, R2", 11, "'R2' is not a number, and CONST takes one: #5, #0x1f, #0b101 or #'A'", None),
        ("CONST R1, #256", 11, "'#256' is outside 0..255, and an immediate is one byte", "write 0 if 256 modulo 256 is meant"),
        ("CONST R1, #-1", 11, "'#-1' is outside 0..255, and an immediate is one byte", "write 255 if -1 modulo 256 is meant"),
        ("BRn lop", 5, "there is no label 'lop', did you mean 'loop'?", ""),
        ("BRn far", 5, "there is no label 'far'", "put `far:` before the instruction that is meant"),
        ("BRn 256", 5, "'256' is outside 0..255, the addresses of program memory", ""),
        ("BRn *", 5, "'*' is no place to branch to: it takes a label, or an instruction's address from 0 to 255", ""),
        ("loop: NOP", 1, "the label 'loop' is already on line 2", "give one of the two a different name"),
        ("1st: NOP", 1, "'1st' is not a name for a label: it takes a letter or _, then letters, digits, _, . and $", ""),
        ("ADD R1 R2, R3", 8, "a comma is missing before 'R2'", "operands are divided by commas: ADD R1, R2, R3"),
        ("ADD R1,, R3", 8, "an operand is missing before this comma", None),
        ("ADD R1, R2,", 11, "an operand is missing after this comma", None),
        (".thread 8", 1, "there is no directive '.thread', did you mean '.threads'?", "there are .threads, .block, .data, .word"),
        (".threads", 1, ".threads takes one number, this one has 0", "write .threads 8"),
        (".threads many", 10, "'many' is not a number of threads", "write .threads 8"),
        (".threads 256", 10, "'256' threads are outside 0..255, what the device control register holds", ""),
        (".threads 4", 1, ".threads is already on line 1", "keep one of the two"),
        (".data", 1, ".data has no values", "write .data 1 2 3, or take the line away"),
        (".data 1 300", 9, "'300' is outside 0..255, and a value of data memory is one byte", "write 44 if 300 modulo 256 is meant"),
        (".data 0..300", 7, "'0..300' is outside 0..255, and a value of data memory is one byte", None),
        (".data 1*999999999999", 7, "'1*999999999999' repeats its value 999999999999 times: 1 to 256 is possible", ""),
        (".data one", 7, "'one' is not a value for data memory", "write 5, 0x1f, 0b101, 'A', a range 0..15, or a value repeated: 7*16"),
        (
            ".data 0..255 7",
            14,
            "more than 256 bytes of data: '7' comes at address 256, and the last one is 255",
            "keep .data to 256 values in all",
        ),
        (".word 0x10000", 7, "'0x10000' is outside 0..0xffff, and an instruction word has 16 bits", ""),
        (".word", 1, ".word has no values", "write .word 0x3012, or take the line away"),
        (".word ADD", 7, "'ADD' is not an instruction word", "write .word 0x3012"),
    ],
)
def test_one_mistake(line, column, message, fix):
    found = errors(f".threads 1\nloop: NOP\n{line}\nRET\n")
    assert len(found) == 1
    assert found[0][:2] == (f"3:{column}", message)
    if fix is not None:
        assert found[0][2] == fix


def test_range_with_an_end_outside_names_the_value_that_is_meant():
    assert errors(".threads 1\n.data 0..300\nRET")[0][2] == "write 44 if 300 modulo 256 is meant"


def test_all_mistakes_of_a_file_come_at_once():
    found = errors(".threads 1\n.data 1 x 300\nADDD R1\nBRn nowhere\nCONST R1, #999\nCONST R20, 7\n")
    assert [place for place, _, _ in found] == ["2:9", "2:11", "3:1", "4:5", "5:11", "6:7", "6:12"]


def test_a_program_that_does_not_say_its_threads():
    message = "the program does not say with how many threads it runs"
    assert errors("; nothing\n  RET") == [("2:3", message, "write a line such as .threads 8")]


@pytest.mark.parametrize("text", ["", "\n\n", "; only a comment\n", ".threads 4\n", "label:\n.data 1\n"])
def test_a_file_without_instructions(text):
    assert errors(text) == [("1:1", "there is no instruction in this file", "the shortest program is .threads 1 and RET")]


def test_too_many_instructions_point_at_the_first_that_does_not_fit():
    found = errors(".threads 1\n" + "NOP\n" * 256 + "RET\n")
    assert found == [("258:1", "257 instructions are too many: program memory holds 256, and this is the first beyond it", "")]
    assert len(tiny.assemble(".threads 1\n" + "NOP\n" * 255 + "RET\n")) == 256


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("CONST R13, #1\nRET", [("2:7", "%blockIdx is read-only: the hardware ignores what CONST writes to it")]),
        ("ADD R1, R1, R1", [("2:1", "after this instruction the program runs past its end, without a RET")]),
        ("CMP R1, R2\nBRz end\nRET\nend: NOP", [("5:6", "after this instruction the program runs past its end, without a RET")]),
        ("CMP R1, R2\nloop: NOP\nBR loop\nRET", [("2:1", "from here on no RET can be reached: the program never ends")]),
        ("loop: NOP\nBRn loop\nRET", [("3:1", "no CMP runs before this branch, so it is never taken")]),
        ("CMP R1, R2\nloop: NOP\nBRn loop\nRET", []),
        ("CMP R1, R2\nBR end\nNOP\nend: RET", []),
        ("CMP R1, R2\nloop: RET\nBR loop", []),
    ],
)
def test_warnings(text, found):
    assert warnings(".threads 1\n" + text) == found


def test_a_branch_behind_the_end_is_allowed_with_a_warning():
    found = warnings(".threads 1\nCMP R1, R2\nBRn 77\nRET")
    assert ("3:5", "'77' is address 77, past the last instruction (2)") in found


@given(st.text(max_size=200))
def test_any_text_gives_a_program_or_a_source_error(text):
    try:
        tiny.assemble(text)
    except SourceError as error:
        assert str(error)


PIECES = st.sampled_from(
    [
        "ADD",
        "BRn",
        "BRzz",
        ".data",
        ".word",
        ".threads",
        "R1",
        "R99",
        "%threadIdx",
        ",",
        "#5",
        "'",
        "#'",
        "a:",
        "a",
        ":",
        "0..9",
        "7*",
        "\n",
        ";",
        " ",
    ]
)


@given(st.lists(PIECES, max_size=60))
def test_any_order_of_words_gives_a_program_or_a_source_error(pieces):
    try:
        tiny.assemble(".threads 1\n" + " ".join(pieces))
    except SourceError as error:
        assert str(error)


@pytest.mark.parametrize(
    ("before", "register"),
    [("", "R1"), ("CONST R1, #1\n", "R2"), ("".join(f"const r{number}, #1\n" for number in range(13)), "Rd")],
)
def test_a_fix_overwrites_no_register_of_the_program(before, register):
    with pytest.raises(SourceError) as caught:
        tiny.assemble(f".threads 1\n{before}ADD R0, R0, 5\nRET")
    fix = caught.value.diagnostics[-1].fix
    assert fix.startswith(f"put the number into a register first: CONST {register}, #5")
    assert fix.endswith("where Rd holds nothing that is read later") == (register == "Rd")
