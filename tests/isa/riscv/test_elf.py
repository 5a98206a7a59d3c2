"""ELF files of ordinary RISC-V code: what is loaded, where it came from, and what is refused."""

import shutil
import struct

import numpy as np
import pytest

from tests.places import EXAMPLES
from warploom.gpu import GPU
from warploom.isa.analysis.successors import ways
from warploom.isa.diagnostics import SourceError
from warploom.isa.frontend import Options
from warploom.isa.frontends import load, load_with_warnings
from warploom.isa.riscv import elf

FILE = EXAMPLES / "riscv" / "collatz.elf"
DATA = FILE.read_bytes()


def steps(number):
    count = 0
    while number != 1:
        number, count = 3 * number + 1 if number % 2 else number // 2, count + 1
    return count


def memory_of(program, result, words):
    start = program.address_space().place(0x10000)
    return np.asarray(result.memory, np.uint8)[start : start + 4 * words].view(np.uint32).tolist()


@pytest.mark.every(3)
@pytest.mark.parametrize("divergence", ["stack", "minpc", "its", "dwf"])
@pytest.mark.parametrize("threads", [1, 37, 64])
def test_compiled_c_runs_in_every_lane_under_every_mechanism(divergence, threads):
    program = load(FILE, options=Options(path=str(FILE), threads=threads))
    result = GPU("sm", engine="python", set={"core.divergence": divergence}).run(program)
    assert memory_of(program, result, threads) == [steps(thread + 1) for thread in range(threads)]


def test_natively_it_is_the_same():
    program = load(FILE, options=Options(path=str(FILE), threads=40))
    plain, fast = (GPU("sm", engine=engine).run(program) for engine in ("python", "native"))
    assert plain.cycles == fast.cycles
    assert memory_of(program, fast, 40) == memory_of(program, plain, 40) == [steps(thread + 1) for thread in range(40)]


def test_a_far_call_is_a_call_to_the_analysis():
    program = load(FILE, options=Options(path=str(FILE)))
    call = next(number for number, text in enumerate(program.text) if text.startswith("jalr ra, t0"))
    assert (call, program.labels["main"]) in ways(program).calls


def test_more_threads_than_stacks_are_a_fault_and_overwrite_nothing():
    program = load(b"sw a0, -4(sp)\nret\n", "riscv", options=Options(path="stack.rv", threads=2)).with_launch(threads=9)
    assert "stack.rv:1 (sw a0, -4(sp)): threads 2-8" in str(GPU("sm", engine="python").run(program)) or (
        "address 0x7fffdffc, where there is no memory" in str(GPU("sm", engine="python").run(program))
    )


def test_instructions_know_their_lines_of_c():
    program = load(FILE, options=Options(path=str(FILE)))
    source = program.sources[1]
    assert source.path.endswith("examples/riscv/collatz.c")
    assert source.text == (EXAMPLES / "riscv" / "collatz.c").read_text()
    main = program.labels["main"]
    lines = {program.position(number).line for number in range(main, len(program))}
    assert lines == {4, 5, 6, 7, 8, 10, 11}
    assert program.where(main).startswith(f"{source.path}:4 (")


def test_a_source_that_is_not_there_is_blank_lines(tmp_path):
    shutil.copy(FILE, tmp_path / "moved.elf")
    program = load(tmp_path / "moved.elf")
    assert program.sources[1].path == str(tmp_path / "collatz.c")
    assert set(program.sources[1].text) == {"\n"}
    assert program.listing[0] == []  # views show the instructions instead


def test_without_sections_it_runs_all_the_same():
    header = bytearray(DATA)
    struct.pack_into("<I", header, 32, 0)
    struct.pack_into("<HH", header, 48, 0, 0)
    program, warnings = load_with_warnings(bytes(header), "riscv", Options(path="stripped.elf", threads=5))
    assert not warnings
    assert memory_of(program, GPU("sm", engine="python").run(program), 5) == [steps(n) for n in range(1, 6)]


def test_damaged_line_tables_are_a_warning():
    offset = DATA.index(b".debug_line\0")  # its name in the string table stays; its contents are found by the section's header
    assert offset
    sections, count = struct.unpack_from("<I", DATA, 32)[0], struct.unpack_from("<H", DATA, 48)[0]
    data = bytearray(DATA)
    for number in range(count):
        kind, _, _, place, size = struct.unpack_from("<5I", DATA, sections + 40 * number + 4)
        if kind == 1 and DATA[place : place + size].find(b"collatz.c") >= 0:
            data[place : place + min(size, 64)] = b"\xff" * min(size, 64)
    program, warnings = load_with_warnings(bytes(data), "riscv", Options(path="damaged.elf", threads=2))
    assert len(program) > 20
    assert all("its symbols or line tables cannot be read" in warning.message for warning in warnings)


def test_lines_below_the_first_one_are_none():
    back = b"\x06\x03\x7a\x4a"  # six lines back, in the line program
    assert DATA.count(back) == 1
    program = load(DATA.replace(back, b"\x06\x03\x40\x4a"), "riscv", options=Options(path="damaged.elf", threads=5))
    assert min(program.position(number).line for number in range(len(program))) == 0
    assert memory_of(program, GPU("sm", engine="python").run(program), 5) == [steps(n) for n in range(1, 6)]


def changed(offset, form, value):
    data = bytearray(DATA)
    struct.pack_into(form, data, offset, value)
    return bytes(data)


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (DATA[:20], "this ELF file is cut off: it has 20 bytes, its header alone 52"),
        (
            DATA[: struct.unpack_from("<I", DATA, 32)[0] - 1],
            f"this ELF file is cut off: its section headers are at byte {struct.unpack_from('<I', DATA, 32)[0]}, the file has",
        ),
        (DATA[:60], "this ELF file is cut off or damaged: 6 program headers at byte 52 of 60"),
        (
            changed(4, "<B", 2),
            "this ELF file is for machine 243 with 64 bits, little-endian; RISC-V is machine 243, 32 bits",
        ),
        (changed(5, "<B", 2), "this ELF file is for machine 243 with 32 bits, big-endian; RISC-V is machine 243, 32 bits"),
        (
            changed(18, "<H", 62),
            "this ELF file is for machine 62 with 32 bits, little-endian; RISC-V is machine 243, 32 bits",
        ),
        (changed(16, "<H", 1), "this is an object file that is not linked yet, not a program"),
        (changed(24, "<I", 0x80000000), "its entry point 0x80000000 lies in no code"),
        (changed(44, "<H", 0), "this ELF file is cut off or damaged: 0 program headers"),
    ],
)
def test_what_is_no_program_for_the_machine_is_one_sentence(data, said):
    with pytest.raises(SourceError) as caught:
        elf.read(data, "bad.elf")
    assert str(caught.value).startswith(f"bad.elf: error: {said}")


def segment(offset, value):
    """The file with a changed word in the header of its first loaded segment."""
    first = next(place for place in range(52, 52 + 6 * 32, 32) if struct.unpack_from("<I", DATA, place)[0] == 1)
    return changed(first + offset, "<I", value)


def test_segments_that_cannot_be():
    for data, said in (
        (segment(16, 1 << 20), "this ELF file is cut off: segment"),
        (segment(20, 0xFFFFFFFF), "a program has at most 256 MiB, below 2^32"),
        (segment(8, 0x80001140), "two segments of this ELF file lie at 0x80001148"),
    ):
        with pytest.raises(SourceError, match=said.replace("^", "\\^")):
            elf.read(data, "bad.elf")


def test_a_program_over_the_start_up_is_refused():
    with pytest.raises(SourceError, match=r"the program lies at 0x1f00, over the arguments \(0x2000 to 0x2fff\)"):
        load_with_warnings(segment(8, 0x1F00), "riscv", Options(path="low.elf"))


@pytest.mark.parametrize("isa", ["riscv", "vortex"])
@pytest.mark.parametrize(("data", "said"), [(b"", "empty"), (b"ret\n", "text")])
def test_a_name_that_says_elf_of_what_is_none(isa, data, said):
    with pytest.raises(SourceError, match=f"^a.elf: error: this is not an ELF file: it is {said}\n"):
        load(data, isa, options=Options(path="a.elf"))
