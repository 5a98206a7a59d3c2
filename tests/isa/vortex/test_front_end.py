"""Programs for Vortex as files: ELF, images, assembly; buffers and arguments; what is refused, and how."""

import struct

import numpy as np
import pytest

from tests.isa.vortex.programs import END, START
from tests.places import EXAMPLES
from warploom.gpu import GPU
from warploom.isa.diagnostics import SourceError
from warploom.isa.frontend import Options
from warploom.isa.frontends import front_end, load, load_with_warnings
from warploom.isa.launching import BufferError, read_buffer
from warploom.isa.vortex.recognise import _generation, is_vortex
from warploom.observe.explorer.data import _regions
from warploom.observe.text.styled import plain
from warploom.observe.text.summary import summary

SAXPY = EXAMPLES / "vortex" / "saxpy.elf"
X, Y = np.arange(37, dtype=np.float32), np.ones(37, np.float32)


def saxpy(**changes):
    given = {"threads": 37, "arguments": {"a": 2.5}, "buffers": {"x": X, "y": Y}} | changes
    return load(SAXPY, options=Options(path=str(SAXPY), **given))


def refused(**changes):
    with pytest.raises(BufferError) as caught:
        saxpy(**changes)
    return str(caught.value).removeprefix(f"{SAXPY}: ")


def refused_text(text, number):
    with pytest.raises(SourceError) as caught:
        load(text, f"vortex-{number}", options=Options(path="a.vx"))
    return str(caught.value)


@pytest.mark.parametrize("mechanism", ["masks", "stack", "minpc", "its"])
def test_the_elf_file_that_is_here_needs_no_compiler(mechanism):
    result = GPU("vortex-2024", set={"core.divergence": mechanism}, engine="python").run(saxpy())
    assert result.status == "done"
    assert np.array_equal(read_buffer(result.program, result.memory, "y").view(np.float32), Y + np.float32(2.5) * X)
    assert result.exit_code == 0


def test_a_buffer_that_no_argument_names_has_a_warning():
    def warned(source=SAXPY, **given):
        return [str(one.message) for one in load_with_warnings(source, options=Options(path=str(source), **given))[1]]

    kernel = {"threads": 4, "arguments": {"a": 1}}
    assert warned(**kernel, buffers={"x": X, "y": Y}) == []
    said = "no argument of the kernel 'saxpy' names the buffer 'z', did you mean 'x'?; its pointers are x, y"
    assert warned(**kernel, buffers={"x": X, "y": Y, "z": X}) == [said.replace(", did you mean 'x'?", "")]
    assert warned(**kernel, buffers={"x": X, "y": Y, "z@0x100000": X}) == []  # the program may know the address
    assert warned(threads=4, arguments={"a": 1, "x": 0x10000, "y": 0x20000}, buffers={"in": X, "y@0x20000": Y}) == []
    shadowed = {"threads": 4, "arguments": {"a": 1, "y": "x"}, "buffers": {"x": X, "y": Y}}
    assert warned(**shadowed) == ["no argument of the kernel 'saxpy' names the buffer 'y': y = 'x'"]
    text = b"main:\n ret\n"
    said = "no argument names the buffer 'x'"
    for isa in ("riscv", "vortex-2024"):
        found = load_with_warnings(text, isa, options=Options(path="a.rv", buffers={"x": X}))[1]
        assert [one.message for one in found] == [said]
        assert not load_with_warnings(text, isa, options=Options(path="a.rv", buffers={"x": X}, arguments={"p": "x"}))[1]


def test_a_buffer_has_the_type_of_its_pointer_or_array():
    def types(**buffers):
        program = saxpy(buffers=buffers)
        return [getattr(program.element_type(name), "name", None) for name in program.view_names]

    whole = np.arange(37)
    assert types(x=whole, y=Y.view(np.uint32), z=whole.astype(np.int32), u=whole.astype(np.uint32), v=whole) == [
        "float32", "float32", "int32", None, None,
    ]  # fmt: skip
    program = saxpy(buffers={"x": X, "y": whole})
    assert read_buffer(program, program.address_space().initial(), "y").tolist() == whole.tolist()


def test_an_elf_file_says_itself_that_it_is_for_vortex():
    assert is_vortex(SAXPY) and not is_vortex(EXAMPLES / "riscv" / "collatz.elf") and not is_vortex(EXAMPLES / "nothing.elf")
    assert front_end(SAXPY).name == "vortex" and front_end(EXAMPLES / "riscv" / "collatz.elf").name == "riscv"
    assert saxpy().isa == "vortex-2024"


def test_lines_of_source_are_read_once(monkeypatch):
    """To find out whose a file is takes its instructions alone."""
    from warploom.isa.riscv import elf

    read = []
    monkeypatch.setattr(elf, "read_lines", lambda *given: read.append(given) or ((), {}))
    assert is_vortex(SAXPY) and not read
    saxpy()
    assert len(read) == 1


@pytest.mark.parametrize("number", [2021, 2022, 2024, 2026])
def test_the_generation_is_found_in_the_instructions(number, tmp_path):
    words = (
        {
            2021: "li t0, 1\n",
            2022: "li t0, 1\n",
            2024: "vx_tmc t0\n",
            2026: "vx_vote_any t0, t1\n",
        }[number]
        + START[2022 if number < 2023 else 2024]
        + END
    )
    assembled = load(words.encode(), f"vortex-{number}", options=Options(path="a.vx"))
    region = next(region for region in assembled.regions if region.name == "program")
    path = tmp_path / "image.vxbin"
    path.write_bytes(struct.pack("<2Q", region.base, region.end) + region.data.tobytes())
    assert load(path).isa == f"vortex-{2022 if number == 2021 else number}"  # what tells 2021 apart is its texture instruction


@pytest.mark.parametrize("number", [2022, 2024])
def test_numbers_that_look_like_an_instruction_do_not_say_the_generation(number, tmp_path):
    """11 and 107 are a `tmc x0` of either."""
    code = image_of(START[number] + END, number) + struct.pack("<6i", 11, 13, 107, 11, 11, 107)
    path = tmp_path / "image.bin"
    path.write_bytes(code)
    assert load(path, "vortex").isa == f"vortex-{number}"
    words = np.array([19, 11, 107, 11, 5], np.uint32)
    assert _generation(words, bare=False) is None
    assert _generation(words, bare=True).number == 2024


def image_of(text, number=2024):
    program = load(text.encode(), f"vortex-{number}", options=Options(path="a.vx"))
    region = next(region for region in program.regions if region.name == "program")
    return region.data.tobytes()


@pytest.mark.parametrize("ending", [".vxbin", ".bin"])
def test_images_run_from_the_start_address(ending, tmp_path):
    code = image_of(START[2024] + "addi s0, s0, 5\nsw s0, 0(s1)\n" + END)
    path = tmp_path / f"image{ending}"
    path.write_bytes((struct.pack("<2Q", 1 << 31, (1 << 31) + len(code) + 64) if ending == ".vxbin" else b"") + code)
    options = Options(path=str(path), buffers={"out": np.zeros(16, np.uint32)}, arguments={"out": "out"})
    result = GPU("vortex-2024", engine="python").run(load(path, "vortex-2024", options=options))
    assert read_buffer(result.program, result.memory, "out").tolist() == list(range(5, 21))


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "this .vxbin is cut off: it has 0 bytes"),
        (struct.pack("<2Q", 1 << 31, 1 << 31) + b"\x13\0\0\0", "says that its 4 bytes lie from 0x80000000 to 0x80000000"),
        (struct.pack("<2Q", 2, 100) + b"\x13\0\0\0", "it begins at a multiple of 4"),
        (struct.pack("<2Q", 0, 1 << 60) + b"\x13\0\0\0", "takes at most 64 MiB"),
    ],
)
def test_an_image_that_cannot_be(data, said, tmp_path):
    path = tmp_path / "image.vxbin"
    path.write_bytes(data)
    with pytest.raises(SourceError) as caught:
        load(path)
    assert said in str(caught.value)


def test_arguments_are_words_in_the_order_in_which_they_are_given():
    text = "csrr t0, mscratch\nlw t1, 0(t0)\nlw t2, 4(t0)\nlw t3, 8(t0)\nsw t2, 0(t1)\nsw t3, 4(t1)\nvx_tmc zero\n"
    options = Options(path="a.vx", buffers={"out": np.zeros(2, np.uint32)}, arguments={"out": "out", "n": -7, "f": 1.5})
    result = GPU("vortex-2024", engine="python").run(load(text.encode(), "vortex-2024", options=options))
    found = read_buffer(result.program, result.memory, "out")
    assert found.view(np.int32)[0] == -7 and found.view(np.float32)[1] == 1.5


def test_a_buffer_lies_where_its_name_says():
    options = Options(path="a.vx", buffers={"data@0x100000": np.arange(3, dtype=np.uint32), "argument": np.array([9], np.uint32)})
    program = load(b"csrr t0, mscratch\nlw t1, 0(t0)\nlui t2, 0x100\nsw t1, 8(t2)\nvx_tmc zero\n", "vortex-2024", options=options)
    result = GPU("vortex-2024", engine="python").run(program)
    assert read_buffer(result.program, result.memory, "data").tolist() == [0, 1, 9]
    assert result.read(0x100008, 4).tolist() == [9, 0, 0, 0]


def test_an_entry_point_between_two_instructions_is_refused():
    data = bytearray(SAXPY.read_bytes())
    struct.pack_into("<I", data, 24, 0x80000033)
    with pytest.raises(SourceError, match="no instruction begins at its entry point 0x80000033"):
        load(bytes(data), "vortex", options=Options(path="bad.elf", threads=37, arguments={"a": 2.5}, buffers={"x": X, "y": Y}))


def test_what_a_kernel_is_not_given_is_said():
    assert refused(arguments={}) == "the argument 'a' of the kernel 'saxpy' has no value: add --arg a=VALUE"
    assert refused(buffers={"x": X}).endswith("has no value: add --buffer y=FILE")
    assert refused(buffers={"x": X, "Y": Y}).endswith("has no value: add --buffer y=FILE; no argument names the buffer 'Y'")
    everything = "add --arg a=VALUE --buffer x=FILE --buffer y=FILE"
    assert refused(arguments={}, buffers={}) == f"the arguments 'a', 'x', 'y' of the kernel 'saxpy' have no value: {everything}"
    assert "has no parameter 'b'" in refused(arguments={"a": 1, "b": 2})
    assert refused(arguments={"b": 2}) == "the kernel 'saxpy' has no parameter 'b'; it has a, x, y"
    assert "there is no such buffer" in refused(arguments={"a": 1, "x": "z"})
    assert "a = 'x': it is a number, float32" in refused(arguments={"a": "x"})  # a buffer's name
    assert refused(threads=37, block=2) == "37 threads are not a whole number of blocks of 2"
    assert refused(threads=None, block=64) == "nothing says in how many threads it runs, in blocks of 64: add --threads N"
    assert "there is no kernel 'other'; say which one: --launch saxpy" in refused(more={"launch": "other"})
    assert "there is no kernel '1'; say which one: --launch saxpy" in refused(more={"launch": "1"})
    assert "holds" in refused(buffers={"x": np.array(["a"]), "y": Y})


def test_a_kernel_has_a_number():
    assert saxpy(more={"launch": "0"}).launch.name == saxpy(more={"launch": "saxpy"}).launch.name == "saxpy"


@pytest.mark.parametrize("given, warns", [({}, True), ({"threads": 1}, False), ({"grid": 1}, False)])
def test_a_kernel_that_is_not_told_in_how_many_threads_runs_in_one_and_says_so(given, warns):
    options = Options(path=str(SAXPY), arguments={"a": 2}, buffers={"x": X, "y": Y}, **given)
    said = [one.message for one in load_with_warnings(SAXPY, None, options)[1]]
    assert ("the kernel 'saxpy' runs in one thread, since nothing says in how many" in said) == warns


@pytest.mark.parametrize("name, header", [("a.bin", b""), ("a.vxbin", struct.pack("<2Q", 1 << 31, (1 << 31) + 64))])
def test_an_image_may_hold_data_that_look_like_instructions(name, header):
    """Which of its words are code nobody knows: there is no warning, and what is reached stops the run."""
    data = header + struct.pack("<2I", 0x7F0022F3, 0x0000000B)  # csrr t0, 0x7f0; vx_tmc zero
    program, warnings = load_with_warnings(data, "vortex-2024", Options(path=name))
    assert warnings == []
    assert "the word 0x7f0022f3 is not an instruction" in GPU("vortex-2024", engine="python").run(program).fault


def test_a_program_that_starts_its_threads_itself_takes_none():
    with pytest.raises(BufferError) as caught:
        load(b"vx_tmc zero\n", "vortex-2024", options=Options(path="a.vx", threads=4))
    assert "leave --threads out" in str(caught.value)


def test_a_stray_access_names_the_line_of_c():
    program = saxpy(buffers={"x": X[:5], "y": Y})
    result = GPU("vortex-2024", engine="python").run(program)
    assert result.status == "error"
    assert "saxpy.c:6" in result.fault and "where there is no memory" in result.fault


LANES_WITHOUT_A_FRAME = b"""li t0, -1
vx_tmc t0
csrr t1, thread_id
sw t1, -24(s0)
lw a0, -24(s0)
li t0, 0x88
sw a0, 0(t0)
vx_tmc zero
"""


def test_a_program_has_memory_everywhere_as_on_the_original_and_is_told_so():
    program = load(LANES_WITHOUT_A_FRAME, "vortex-2024", options=Options(path="a.vx"))
    result = GPU("vortex-2024", engine="python").run(program)
    assert (result.status, result.exit_code) == ("done", 3)  # frames at the same address are one: what the last lane has stored
    said = [one for one in result.remarks if "where the program declares nothing" in one]
    assert len(said) == 1 and "a.vx:4" in said[0] and "this accesses address 0xffffffe8" in said[0]
    assert "its own machine" not in said[0] and "has no frame: what follows belongs in a function of its own" in said[0]
    assert not [one for one in GPU("vortex-2024", engine="python").run(saxpy()).remarks if "nothing" in one]


@pytest.mark.parametrize(
    "text, frame",
    [
        ("li t0, 0x10000000; sw t1, 0(t0)", False),
        ("li t0, 0x10000000; sw t1, 0(t0); li t0, 0x20000000; sw t1, 0(t0)", False),
        ("li sp, 0x10000000; lw t1, 0(sp)", True),
        ("li s0, 0x10000000; sw t1, -8(s0)", True),
        ("li t0, 0xfffff040; lw t1, 0(t0)", True),
        ("li t0, 0xffffeffc; lw t1, 0(t0)", False),
    ],
)
def test_what_is_wrong_with_an_access_depends_on_its_base(text, frame):
    lines = text.replace("; ", "\n").encode() + b"\nvx_tmc zero\n"
    result = GPU("vortex-2024", engine="python").run(load(lines, "vortex-2024", options=Options(path="a.vx")))
    (said,) = [one for one in result.remarks if "declares nothing" in one]
    made = "nor at addresses in 1 more page of 1 MiB; pages were made" if text.count("0000000") > 1 else "declares nothing; a page was made"
    assert f"{made}, since the original has memory everywhere, but " in said
    assert ("middle of a function" in said, "a pointer is probably wrong" in said) == (frame, not frame)


TWO_PAGES = b"""li t0, 0x20000000
li t1, 0x1234
sw t1, 8(t0)
li t2, 0x10000ff8
sw t0, 4(t2)
vx_tmc zero
"""


@pytest.mark.parametrize("engine", ["python", "native"])
def test_what_a_program_stores_between_its_regions_can_be_read(engine):
    result = GPU("vortex-2024", engine=engine).run(load(TWO_PAGES, "vortex-2024", options=Options(path="a.vx")), tracing=True)
    assert result.status == "done" and len(result.memory) == len(result.initial_memory) == result.space.bytes
    assert result.read(0x20000008, 4).view("<u4").tolist() == [0x1234]  # the page that came first, and the one below it
    assert result.read(0x10000FF8, 8).view("<u4").tolist() == [0, 0x20000000]
    assert {0x20000008, 0x20000009, 0x10000FFF} == set(result.changed.tolist())
    with pytest.raises(ValueError, match="there is no memory at address 0x30000000"):
        result.read(0x30000000, 4)
    untouched = GPU("vortex-2024", engine=engine).run(saxpy())
    assert len(untouched.memory) == untouched.program.address_space().bytes


def test_views_of_a_run_show_pages_that_have_appeared():
    result = GPU("vortex-2024", engine="python").run(load(TWO_PAGES, "vortex-2024", options=Options(path="a.vx")), recording=True)
    regions = {one["name"]: one for one in _regions(result)}
    starts = [one["start"] for one in _regions(result)]
    assert starts == sorted(starts) and regions["page 0x20000000"]["base"] == 0x20000000
    word = regions["page 0x20000000"]["start"] // 4 + 2
    assert [row[3:].tolist() for row in result.detail.recording.memory if row[3] == word] == [[word, 0, 0x1234]]
    assert "page 0x10000000" in "".join(plain(line) for line in summary(result))


def test_a_program_that_runs_through_all_of_memory_is_stopped():
    text = b"li t0, 0x10000000\nli t1, 524288\nnext: sw t0, 0(t0)\nadd t0, t0, t1\nj next\n"
    program = load(text, "vortex-2024", options=Options(path="a.vx"))
    fault = GPU("vortex-2024", engine="python").run(program).fault
    assert "a.vx:3" in fault and "address 0x14000000, where there is no memory any more: the program has used 64 MiB" in fault
    assert "all of memory.bytes = 67108864; add --set memory.bytes=134217728" in fault
    more = GPU("vortex-2024", set={"memory.bytes": 1 << 27}, engine="python").run(program).fault
    assert "address 0x18000000" in more
    little = (
        GPU("vortex-2024", set={"memory.bytes": 4096}, engine="python").run(program).fault
    )  # there is a page, of which more is asked for
    assert "has used 1 MiB" in little and "add --set memory.bytes=2097152" in little


@pytest.mark.parametrize("isa", ["vortex-2022", "vortex-2024"])
def test_a_heap_that_nothing_declares_is_there(isa):
    text = b"li t0, 0x10000000\nli t1, 0x12000000\nli t2, 65536\nnext: sw t0, 0(t0)\nadd t0, t0, t2\nbne t0, t1, next\nvx_tmc zero\n"
    result = GPU(isa, engine="python").run(load(text, isa, options=Options(path="a.vx")))
    assert result.status == "done", result.fault
    assert result.read(0x11FF0000, 4).view("<u4").tolist() == [0x11FF0000]


def test_unknown_instructions_stop_where_they_are_reached():
    result = GPU("vortex-2024", engine="python").run(load(b"li t0, 1\n.word 0xffffffff\n", "vortex-2024", options=Options(path="a.vx")))
    assert "a.vx:2" in result.fault and "the word 0xffffffff is not an instruction" in result.fault


def test_unknown_control_registers_are_refused():
    said = refused_text(b"csrr t0, 0x7f0\n", 2024)
    assert "there is no control register 0x7f0; there are fflags, frm" in said and said.rstrip().partition("\n")[0].endswith(" more")
    assert "can only be read" in refused_text(b"csrw mhartid, t0\n", 2024)
    load(b"csrw global_warp_id, t0\n", "vortex-2022")  # until 2022 such a write does nothing


def test_atomics_and_short_instructions_are_not_of_every_generation():
    assert "no instruction 'amoadd.w'" in refused_text(b"amoadd.w t0, t1, (t2)\n", 2022)
    load(b"amoadd.w t0, t1, (t2)\n", "vortex-2024")
    assert "no instruction 'c.nop'" in refused_text(b"c.nop\n", 2024)


def test_a_damaged_elf_file_is_refused_with_one_sentence():
    data = SAXPY.read_bytes()
    for cut in (4, 40, 100, 1500):
        with pytest.raises(SourceError):
            load(data[:cut], "vortex")


def test_deadlocks_and_endless_programs_end():
    gpu = GPU("vortex-2024", engine="python")
    stuck = gpu.run(load(b"li a0, 0\nli a1, 2\nvx_bar a0, a1\nvx_tmc zero\n", "vortex-2024", options=Options(path="a.vx")))
    assert "no warp can ever continue" in stuck.fault and "a.vx:3" in stuck.fault
    endless = gpu.run(load(b"here: j here\n", "vortex-2024", options=Options(path="a.vx")), max_cycles=5000)
    assert endless.status in ("timeout", "error")


def test_a_program_in_c_without_a_beginning_is_refused(tmp_path):
    (tmp_path / "nothing.c").write_text("int twice(int a) { return 2 * a; }\n")
    with pytest.raises(SourceError, match="there is no kernel and no main in this file"):
        load(tmp_path / "nothing.c")
    (tmp_path / "own.c").write_text("int main(void) { return 0; }\n")
    assert len(load(tmp_path / "own.c"))
