"""tiny-gpu's table, words and micro-ops."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

import warploom
from tests.places import GOLDEN
from warploom.isa import tiny
from warploom.isa import uop as u
from warploom.isa.tiny import table
from warploom.isa.tiny.table import FIELDS, INSTRUCTIONS, condition_suffix

TINY = GOLDEN / "tiny"
WORDS = st.integers(0, 0xFFFF)
REGISTERS = [f"R{number}" for number in range(13)] + ["%blockIdx", "%blockDim", "%threadIdx"]


def one(line):
    """The word of one instruction."""
    return tiny.words(tiny.assemble(f".threads 1\n{line}\nRET\n"))[0]


def micro_op(word):
    program = tiny.program([word], [], 1)
    assert program.uops.shape == (1, u.UOP_COLUMNS)
    return program.uops[0]


def test_no_two_encodings_overlap():
    for word in range(0x10000):
        assert sum(row.matches(word) for row in INSTRUCTIONS) <= 1, f"{word:04x}"


def test_every_row_has_its_own_mnemonic_and_its_fields_do_not_overlap():
    assert len({row.mnemonic for row in INSTRUCTIONS}) == len(INSTRUCTIONS)
    for row in INSTRUCTIONS:
        taken = [bit for letter in row.operands for bit in range(FIELDS[letter].shift, FIELDS[letter].shift + FIELDS[letter].bits)]
        assert len(taken) == len(set(taken)) and max(taken, default=0) < 12


@pytest.mark.parametrize(
    ("line", "word"),
    [
        ("NOP", 0x0000),
        ("BR 3", 0x1E03),
        ("BRnzp 3", 0x1E03),
        ("BRn 0", 0x1800),
        ("BRz 0", 0x1400),
        ("BRp 0", 0x1200),
        ("BRnz 0", 0x1C00),
        ("BRnp 0", 0x1A00),
        ("BRzp 255", 0x16FF),
        ("BRpn 0", 0x1A00),
        ("CMP R9, R2", 0x2092),
        ("ADD R0, R0, %threadIdx", 0x300F),
        ("SUB R7, R0, R7", 0x4707),
        ("MUL R0, %blockIdx, %blockDim", 0x50DE),
        ("DIV R6, R0, R2", 0x6602),
        ("LDR R4, R5", 0x7450),
        ("STR R7, R6", 0x8076),
        ("CONST R2, #0x1f", 0x921F),
        ("LDS R1, R2", 0xA120),
        ("STS R1, R2", 0xB012),
        ("BAR", 0xC000),
        ("RET", 0xF000),
        (".word 0x0fff", 0x0FFF),
    ],
)
def test_words_of_the_reference(line, word):
    assert one(line) == word


@pytest.mark.parametrize(
    "text", ["add r1, R2, r15", "Add R1,R2,%THREADIDX", "\tADD\tR1 , R2 ,\tR15 ; comment", "here: there: ADD R1, R2, %threadidx"]
)
def test_case_blanks_labels_and_comments_do_not_matter(text):
    assert one(text) == 0x312F


@pytest.mark.parametrize(
    ("text", "value"), [("#5", 5), ("#0x1F", 31), ("#0b101", 5), ("#'A'", 65), ("#';'", 59), ("#','", 44), ("#' '", 32), (r"#'\n'", 10)]
)
def test_immediates(text, value):
    assert one(f"CONST R1, {text} ; five") == 0x9100 | value


@pytest.mark.parametrize(
    ("text", "values"),
    [
        (".data 1 2 3", [1, 2, 3]),
        (".data 1, 2,3", [1, 2, 3]),
        (".data 0x10 0b11 'a'", [16, 3, 97]),
        (".data 0..4", [0, 1, 2, 3, 4]),
        (".data 3..1", [3, 2, 1]),
        (".data 7*3 1", [7, 7, 7, 1]),
        (".data 'a'..'c' '*'*2", [97, 98, 99, 42, 42]),
        (".data 1\n.DATA 2 ; two\n.data 3", [1, 2, 3]),
        (".data 0..255", list(range(256))),
    ],
)
def test_data(text, values):
    assert tiny.assemble(f".threads 1\n{text}\nRET").data.tolist() == values


def test_labels_stand_on_their_own_line_or_before_an_instruction():
    program = tiny.assemble(".threads 1\nCMP R0, R1\na:\nb: BRz end\nBRn a\nBRp b\nend: RET")
    assert program.labels == {"a": 1, "b": 1, "end": 4}
    assert tiny.words(program) == [0x2001, 0x1404, 0x1801, 0x1201, 0xF000]
    assert program.text[1:4] == ("BRz end", "BRn a", "BRp a")


@pytest.mark.slow
def test_every_word_disassembles_to_a_line_that_assembles_to_it():
    words = range(0x10000)
    for start in range(0, 0x10000, 256):
        part = list(words[start : start + 256])
        text = "\n".join([".threads 1", *(tiny.disassemble_word(word) for word in part)])
        assert tiny.words(tiny.assemble(text)) == part


@given(st.lists(WORDS, min_size=1, max_size=256), st.integers(0, 255), st.lists(st.integers(0, 255), max_size=256))
def test_a_program_survives_the_way_through_text(words, threads, data):
    program = tiny.assemble(tiny.disassemble(words, threads, data))
    assert tiny.words(program) == words
    assert program.launch.threads == threads
    assert program.data.tolist() == data


@given(st.lists(WORDS, min_size=1, max_size=256), st.integers(0, 255), st.lists(st.integers(0, 255), max_size=256))
def test_a_program_from_words_and_one_from_their_text_are_the_same_to_a_machine(words, threads, data):
    direct, through_text = tiny.program(words, data, threads), tiny.assemble(tiny.disassemble(words, threads, data))
    assert direct.uops.tobytes() == through_text.uops.tobytes()
    assert direct.beyond == tuple(sorted(through_text.extensions + through_text.beyond))
    assert direct.launch == through_text.launch


@given(st.sampled_from(INSTRUCTIONS), st.data())
def test_every_instruction_survives_the_way_through_its_word(row, draw):
    condition = draw.draw(st.integers(1, 7)) if "c" in row.operands else 0
    operands = []
    for letter in row.written:
        kind = FIELDS[letter].kind
        value = draw.draw(st.integers(0, 15 if kind == "register" else 255))
        operands.append(REGISTERS[value] if kind == "register" else f"#{value}" if kind == "immediate" else str(value))
    line = f"{row.mnemonic}{condition_suffix(condition)} {', '.join(operands)}".rstrip()
    assert tiny.disassemble_word(one(line)) == line


@pytest.mark.parametrize("path", sorted(TINY.glob("*.json")), ids=lambda path: path.stem)
def test_recorded_programs_survive_the_way_through_text(path):
    recorded = json.loads(path.read_text())
    text = tiny.disassemble(recorded["program"], recorded["threads"], recorded["data"])
    program = tiny.assemble(text)
    assert tiny.words(program) == recorded["program"]
    assert program.data.tolist() == recorded["data"]
    assert program.launch.threads == recorded["threads"]


@pytest.mark.parametrize(
    ("line", "listing"),
    [
        ("NOP", "nop"),
        ("ADD R1, R2, R3", "add.b8 v1, v2, v3"),
        ("SUB R1, R2, R3", "sub.b8 v1, v2, v3"),
        ("MUL R1, R2, %threadIdx", "mul.b8 v1, v2, v15"),
        ("DIV R1, R2, R3", "divu.b8 v1, v2, v3"),
        ("CMP R1, R2", "compare.b8 v16, v1, v2"),
        ("LDR R1, R2", "load.b8 v1, [v2]"),
        ("STR R1, R2", "store.b8 [v1], v2"),
        ("CONST R1, #200", "mov.b8 v1, #200"),
        ("RET", "exit"),
    ],
)
def test_micro_ops(line, listing):
    assert u.listing(micro_op(one(line))) == listing


def test_a_branch_asks_for_condition_bits_and_leaves_the_meeting_point_open():
    uop = micro_op(one("BRnp 200"))
    assert u.OPERATIONS[uop[u.OP]].name == "branch"
    assert (uop[u.A], uop[u.IMM], uop[u.TARGET], uop[u.RECONVERGE]) == (16, 4 | 1, 200, u.NONE)


@pytest.mark.parametrize("line", ["ADD R13, R1, R2", "CONST %blockDim, #1", "LDR R15, R1", "LDS R15, R1"])
def test_what_is_written_to_a_read_only_register_goes_where_nobody_looks(line):
    assert micro_op(one(line))[u.DST] == u.HIDDEN


@pytest.mark.parametrize("word", [0x0000, 0x0ABC, 0x1FFF, 0x9534, 0xD0EF, 0xE012, 0xF0F0])
def test_the_register_file_is_given_the_raw_fields_of_every_word(word):
    code = tiny.program([word], [], 1).code[0]
    assert (code[u.READ_A], code[u.READ_B]) == (word >> 4 & 15, word & 15)
    assert code[u.WORD] == word


@pytest.mark.parametrize("word", [*(opcode << 12 | 0x123 for opcode in range(16) if opcode not in table.BY_OPCODE), 0x0123])
def test_opcodes_without_meaning_do_nothing(word):
    assert u.listing(micro_op(word)) == "nop"


def test_extensions_are_named_so_that_a_machine_can_refuse_them():
    program = tiny.assemble(".threads 8\nNOP\nLDS R1, R2\nSTS R1, R2\nBAR\nRET")
    assert program.extensions == (1, 2, 3)
    assert program.launch.shared_bytes == 256
    assert [int(row[u.SPACE]) for row in program.uops[1:3]] == [u.SHARED_SPACE] * 2
    assert [int(row[u.UNIT]) for row in program.uops[1:4]] == [u.SHARED, u.SHARED, u.CONTROL]
    assert (program.uops[3][u.A], program.uops[3][u.B], program.uops[3][u.IMM]) == (u.IMMEDIATE, u.NONE, 0)
    assert tiny.assemble(".threads 8\nRET").launch.shared_bytes == 0


def test_extensions_that_are_given_as_words_are_known_as_such():
    program = tiny.assemble(".threads 8\n.word 0xa000\nBAR\nRET")
    assert (program.beyond, program.extensions) == ((0,), (1,))


def test_what_a_machine_reads_of_a_program():
    program = tiny.assemble(".threads 8\n.data 9\nloop:\n  ADD R1, R2, R3\nRET", "dir/sums.asm")
    assert (program.isa, program.name, program.value_bits, program.memory_bytes) == ("tiny", "sums", 8, 256)
    assert program.launch.registers == ((13, "block"), (14, "block_capacity"), (15, "thread"))
    assert program.launch.block == 0
    assert program.register_names[13:] == ("%blockIdx", "%blockDim", "%threadIdx", "nzp")
    assert program.where(0) == "dir/sums.asm:4 (ADD R1, R2, R3)"
    assert program.position(0).column == 3


@pytest.mark.parametrize(
    ("words", "data", "threads", "message"),
    [
        ([], [], 1, "0 instruction words: program memory holds 1 to 256"),
        ([0] * 257, [], 1, "257 instruction words: program memory holds 1 to 256"),
        ([0, 0x10000], [], 1, "instruction word 1 is 65536: it must be 0 to 65535"),
        ([0], [0] * 257, 1, "257 bytes of data: data memory holds at most 256"),
        ([0], [1, -1], 1, "byte of data 1 is -1: it must be 0 to 255"),
        ([0], [], 256, "256 threads: the device control register takes 0 to 255"),
    ],
)
def test_words_out_of_range_are_refused(words, data, threads, message):
    with pytest.raises(ValueError) as caught:
        tiny.program(words, data, threads)
    assert str(caught.value) == message


def test_the_documentation_has_a_line_for_every_instruction():
    table = tiny.markdown_table().splitlines()
    assert len(table) == 2 + len(INSTRUCTIONS)
    assert table[0] == "| instruction | opcode | bits 15..0 | meaning |"
    assert "| `ADD Rd, Rs, Rt` | 3 | `0011 dddd ssss tttt` | Rd = Rs + Rt, modulo 256 |" in table


def test_a_new_arithmetic_instruction_is_one_row_and_runs_on_the_tiny_machine(monkeypatch):
    row = table.Instruction("MIN", 13, "dst", "Rd = the smaller", table._arithmetic("minu"), extension=True)
    monkeypatch.setitem(table.BY_OPCODE, 13, row)
    monkeypatch.setitem(table.BY_MNEMONIC, "MIN", row)
    text = ".threads 4\nCONST R1, #2\nMIN R2, %threadIdx, R1\nSTR %threadIdx, R2\nRET"
    for preset in ("tiny", "sm"):
        assert warploom.GPU(preset).run(tiny.assemble(text)).memory[:4].tolist() == [0, 1, 2, 2]
    with pytest.raises(warploom.LaunchError) as caught:
        warploom.GPU("tiny-original").run(tiny.assemble(text))
    assert "<text>:3 (MIN R2, %threadIdx, R1): the published hardware has no such instruction" in str(caught.value)


@pytest.mark.parametrize("word", [0xA012, 0xB012, 0xC000, 0xD123, 0xEFFF])
def test_words_with_free_opcodes_do_nothing_on_the_published_hardware(word):
    given, nothing = (
        warploom.GPU("tiny-original").run(tiny.assemble(f".threads 4\n.word {one}\nSTR %threadIdx, R1\nRET")) for one in (word, 0x0FFF)
    )
    assert (given.status, given.cycles) == ("done", nothing.cycles)
    assert given.memory.tolist() == nothing.memory.tolist()


def test_a_block_is_as_large_as_the_program_says_and_32_on_sm_where_it_does_not():
    text = "ADD R0, %blockDim, %blockIdx\nSTR %threadIdx, R0\nRET"
    for gpu, block, expected in (("sm", ".block 8\n", 8), ("sm", "", 32), ("tiny", ".block 4\n", 4)):
        program = tiny.assemble(f".threads 4\n{block}{text}", "k.asm")
        assert warploom.GPU(gpu, engine="python").run(program).memory[:4].tolist() == [expected] * 4
    with pytest.raises(warploom.LaunchError, match="the program wants blocks of 8 threads, a core runs blocks of 4"):
        warploom.GPU("tiny").run(tiny.assemble(f".threads 4\n.block 8\n{text}"))


@pytest.mark.parametrize("line", [".block", ".block 0", ".block 256", ".block x", ".block 1 2", ".block 4\n.block 4"])
def test_a_block_that_cannot_be(line):
    with pytest.raises(warploom.SourceError, match=r"\.block|threads of a block"):
        tiny.assemble(f".threads 4\n{line}\nRET")
