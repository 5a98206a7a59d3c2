"""`warploom asm` and `disasm` of GCN and AVX-512."""

import json
import struct

import pytest
from click.testing import CliRunner

from tests.places import EXAMPLES, GOLDEN
from warploom.cli import main

SAXPY, IF_ELSE = EXAMPLES / "gcn" / "saxpy.gcn", EXAMPLES / "avx512" / "if_else.avx512"


def run(*arguments):
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


@pytest.mark.parametrize("file", [SAXPY, IF_ELSE], ids=["gcn", "avx512"])
@pytest.mark.parametrize("ending", ["hex", "json", "bin"])
def test_words_go_out_and_come_back(file, ending, tmp_path):
    words, back, again = tmp_path / f"k.{ending}", tmp_path / f"back{file.suffix}", tmp_path / f"again.{ending}"
    result = run("asm", file, "-o", words)
    assert result.exit_code == 0
    assert result.stderr.endswith(f"instructions written to {words} ({ending})\n")
    isa = ["--isa", file.suffix[1:]] if ending == "bin" else []  # bytes say nothing of themselves
    assert run("disasm", words, "-o", back, *isa).exit_code == 0
    assert run("asm", back, "-o", again).exit_code == 0
    skipped = 1 if ending == "hex" else 0  # the comment has the file's name
    if ending == "json":
        assert json.loads(words.read_text())["program"] == json.loads(again.read_text())["program"]
    else:
        assert [line.split(b"//")[0] for line in words.read_bytes().splitlines()[skipped:]] == [
            line.split(b"//")[0] for line in again.read_bytes().splitlines()[skipped:]
        ]


@pytest.mark.parametrize(("name", "form"), [("myhex", "hex"), ("k.txt", "hex"), ("k.JSON", "json")])
def test_the_ending_says_how_words_are_written(tmp_path, name, form):
    assert run("asm", SAXPY, "-o", tmp_path / name).stderr.endswith(f"({form})\n")


def test_the_listing_shows_address_words_line_and_text():
    rows = run("asm", SAXPY).stdout.splitlines()
    assert rows[2].split() == ["address", "words", "line", "instruction"]
    assert rows[3].split() == ["saxpy:"]
    assert rows[4].split()[:4] == ["40000000", "c00a0202", "00000000", "8"]
    body = json.loads(run("asm", SAXPY, "--json").stdout)
    assert body["isa"] == "gcn"
    assert body["listing"][0]["words"] == [0xC00A0202, 0]
    assert body["labels"]["saxpy"] == body["listing"][0]["address"]


def test_a_code_object_is_listed_and_taken_apart():
    file = GOLDEN / "gcn" / "saxpy.co"
    assert "v_fma" in run("asm", file).stdout or "v_mac" in run("asm", file).stdout
    text = run("disasm", file).stdout
    assert text.startswith(".kernel saxpy\n")
    assert json.loads(run("disasm", file, "--json").stdout)["source"] == text


@pytest.mark.parametrize("generation", [2022, 2024])
def test_an_image_of_vortex_is_taken_apart_without_its_header(generation, tmp_path):
    tmc, path = {2022: 0x6B, 2024: 0x0B}[generation], tmp_path / "a.vxbin"
    path.write_bytes(struct.pack("<2Q2I", 1 << 31, (1 << 31) + 64, tmc, 0x00C58533))
    done = CliRunner().invoke(main, ["disasm", str(path)])
    assert (done.exit_code, done.stdout.split()[1:]) == (0, ["vx_tmc", "zero", "add", "a0,", "a1,", "a2"])
    path.write_bytes(b"cut off")
    done = CliRunner().invoke(main, ["disasm", str(path)])
    assert done.exit_code == 2 and "this .vxbin is cut off" in done.output


def test_a_machine_of_vortex_says_what_bytes_are_where_their_words_leave_it_open(tmp_path):
    path = tmp_path / "a.bin"
    path.write_bytes(struct.pack("<2I", 0x00C58533, 0xCC302573))  # a control register: the local warp's number, or the active warps
    for gpu, name in (("vortex-2022", "local_warp_id"), ("vortex-2024", "active_warps")):
        done = CliRunner().invoke(main, ["disasm", str(path), "--gpu", gpu])
        assert (done.exit_code, done.stdout.split()[-1]) == (0, name), done.output
    path.write_bytes(struct.pack("<3I", 0xCC302573, 0x0005006B, 0x0000006B))  # words of 2022
    done = CliRunner().invoke(main, ["disasm", str(path), "--gpu", "vortex-2024", "--json"])
    assert json.loads(done.stdout)["isa"] == "vortex-2022"
    for given, said in (
        (("--gpu", "sm"), "--gpu sm is not a machine of Vortex, and does not say of which instruction set"),
        (("--gpu", "vortex-2024", "--isa", "riscv"), "--isa riscv and --gpu vortex-2024 both say what"),
    ):
        done = CliRunner().invoke(main, ["disasm", str(path), *given])
        assert done.exit_code == 2 and said in done.stderr


@pytest.mark.parametrize("isa", ["riscv", "gcn", "avx512"])
def test_an_image_of_vortex_is_no_code_of_another_instruction_set(isa, tmp_path):
    path = tmp_path / "a.vxbin"
    path.write_bytes(struct.pack("<2Q2I", 1 << 31, (1 << 31) + 64, 0x0B, 0x00C58533))
    done = CliRunner().invoke(main, ["disasm", str(path), "--isa", isa])
    assert (done.exit_code, done.stdout) == (2, "")
    assert f"a.vxbin is an image of Vortex, not code of {isa}: leave out --isa, or give --isa vortex" in " ".join(done.stderr.split())


@pytest.mark.parametrize(
    ("name", "content", "arguments", "said"),
    [
        ("k.gcn", b"s_nothing\n", ["asm"], "there is no instruction 's_nothing'"),
        ("k.hex", b"// .isa gcn\nzz\n", ["disasm"], "'zz' is not a word of 8 hexadecimal digits"),
        ("k.bin", b"abc", ["disasm", "--isa", "gcn"], "there are 3 bytes, and instructions of GCN are words of four"),
        ("k.bin", b"", ["disasm", "--isa", "avx512"], "there is no instruction in this file"),
        ("k.bin", b"abcd\0", ["disasm"], "k.bin does not say of which instruction set its bytes are: add --isa NAME, of tiny, "),
        ("k.cl", b"int f() {", ["asm"], "k.cl: error: it does not compile:"),
        ("k.cl", b"int f() {", ["disasm"], "k.cl: error: it does not compile:"),
        ("k.cl", b"", ["disasm", "--isa", "vortex"], "it is OpenCL C, which vortex does not take"),
        ("k.hex", b"// .isa gcn\nbf810000\n", ["disasm", "-D", "N=1"], "-D N=1 is for programs in C, and"),
        ("k.C", b"", ["asm", "--isa", "riscv"], "k.C: error: the compiler knows a file by its ending, and this is none of its own"),
        ("k.C", b"", ["cc", "-o", "k.elf"], "k.C: error: the compiler knows a file by its ending, and this is none of its own"),
        ("k.co", b"\x7fELF", ["disasm"], "ELF"),
        ("k.gcn", b"s_endpgm\n", ["asm", "--format", "octal"], "--format octal: gcn writes hex, json, bin"),
        ("k.gcn", b".kernel k\ns_endpgm\n", ["asm", "--format", "bin"], "--format bin: bytes are for a file; name one with -o"),
        ("k.guppy", b"", ["disasm", "--isa", "guppy"], "is a program of guppy, whose instructions have no words here; these have: "),
    ],
)
def test_a_mistake_is_one_sentence_and_status_2(tmp_path, name, content, arguments, said):
    (tmp_path / name).write_bytes(content)
    result = run(arguments[0], tmp_path / name, *arguments[1:])
    assert result.exit_code == 2
    assert said in result.stderr.replace("\n", " ")
    assert "Traceback" not in result.stderr


@pytest.mark.parametrize(
    ("name", "options", "expected"),
    [
        ("k.cl", [], "48"),
        ("k.c", ["--isa", "riscv"], "0x30"),
        ("k.c", ["--isa", "vortex"], "0x30"),
    ],
)
@pytest.mark.parametrize("command", ["asm", "disasm"])
def test_a_program_in_c_is_compiled_with_macros_and_headers(tmp_path, command, name, options, expected):
    pytest.importorskip("ziglang")
    (tmp_path / "headers").mkdir()
    (tmp_path / "headers" / "tile.h").write_text("static inline int tile(int n) { return n * TILE; }\n")
    store = "y[get_global_id(0)]" if name.endswith(".cl") else "y[global_id()]"
    include = "" if name.endswith(".cl") else "#include <warploom.h>\n"
    parameter = "global int *y" if name.endswith(".cl") else "int *y"
    (tmp_path / name).write_text(f'#include "tile.h"\n{include}kernel void k({parameter}) {{ {store} = tile(N); }}\n')
    told = ["-D", "N=3", "-DTILE=16", "-I", str(tmp_path / "headers")]
    done = run(command, tmp_path / name, *options, *told)
    assert done.exit_code == 0, done.output
    assert f", {expected}\n" in done.stdout and "k:\n" in done.stdout.replace(".kernel k", "k:")
    assert run(command, tmp_path / name, *options, *told[:-2]).exit_code == 2
