"""Code objects: what a kernel's waves find, where its arguments lie, and what is refused. The files are of LLVM 14 and 22."""

import struct
import subprocess
import sys

import numpy as np
import pytest

from tests.places import GOLDEN
from warploom import GPU
from warploom.isa.diagnostics import SourceError
from warploom.isa.frontend import Options
from warploom.isa.frontends import open_source
from warploom.isa.gcn.kernels.code_object import chosen, is_code_object, read
from warploom.isa.gcn.kernels.descriptor import Start
from warploom.isa.launching import BufferError, read_buffer

FOLDER = GOLDEN / "gcn"
SAXPY = (FOLDER / "saxpy.co").read_bytes()
OLD = (FOLDER / "doubled_v2.co").read_bytes()
SOURCE = """
#define GLOBAL __attribute__((address_space(1)))
__attribute__((address_space(4))) const int factors[4] = {2, 3, 5, 7};
__attribute__((noinline)) int scaled(int a, int b) { return a * factors[b & 3] + b; }
__attribute__((amdgpu_kernel)) void scale(GLOBAL int *y, float a, int n) {
    unsigned i = __builtin_amdgcn_workitem_id_x();
    y[i] = scaled(n, y[i]) + (int)a;
}
__attribute__((amdgpu_kernel)) void clear(GLOBAL int *y) {
    y[__builtin_amdgcn_workitem_id_y() * __builtin_amdgcn_workgroup_size_x()] = 0;
}
"""


@pytest.fixture(scope="module")
def compiled(tmp_path_factory):
    """By version of the code object (object file, linked file), of stock clang."""
    folder = tmp_path_factory.mktemp("gcn")
    (folder / "scale.c").write_text(SOURCE)
    found = {}
    for version in (4, 6):
        own = folder / f"scale{version}"
        command = [sys.executable, "-m", "ziglang", "clang", "--target=amdgcn-amd-amdhsa", "-mcpu=gfx900", "-O1", "-g", "-nogpulib"]
        command += [f"-mcode-object-version={version}", "-fno-discard-value-names", "-c", str(folder / "scale.c"), "-o", f"{own}.o"]
        subprocess.run(command, check=True, capture_output=True, cwd=folder)
        subprocess.run([sys.executable, "-m", "ziglang", "ld.lld", "-shared", f"{own}.o", "-o", f"{own}.co"], check=True)
        found[version] = own.with_suffix(".o"), own.with_suffix(".co")
    return found


def at(found, address, size):
    segment = next(one for one in found.image.segments if one.address <= address < one.address + len(one.data))
    return segment.data[address - segment.address : address - segment.address + size]


def test_a_linked_file():
    found = read(SAXPY, "saxpy.co", 0x10000)
    kernel = chosen(found, None)
    assert (found.version, found.target, kernel.name) == (6, "gfx900", "saxpy")
    assert kernel.entry == found.image.entry == found.image.symbols["saxpy"]
    assert int.from_bytes(at(found, kernel.entry, 4), "little") == 0xC0020082  # s_load_dword s2, s[4:5], ...
    assert kernel.descriptor.starts == (
        Start("private_segment_buffer", 0, 4), Start("kernarg_segment_ptr", 4, 2), Start("workgroup_id_x", 6, 1),
    )  # fmt: skip
    assert (kernel.descriptor.vgprs, kernel.descriptor.sgprs, kernel.descriptor.work_item_ids) == (8, 16, 1)
    assert kernel.kernarg_bytes == 280
    assert [one[1:4] for one in kernel.arguments[:5]] == [
        (0, 8, "global_buffer"), (8, 8, "global_buffer"), (16, 4, "by_value"), (20, 4, "by_value"), (24, 4, "hidden_block_count_x"),
    ]  # fmt: skip
    assert [one.hidden for one in kernel.arguments[:5]] == [False, False, False, False, True]


def test_assembled_kernels_have_no_metadata():
    found = read((FOLDER / "article.co").read_bytes(), "article.co")
    assert list(found.kernels) == ["article1", "article2", "article3"]
    assert all(kernel.arguments is None and kernel.kernarg_bytes == 8 for kernel in found.kernels.values())
    with pytest.raises(BufferError, match=r"article.co: it has 3 kernels; say which one: --kernel article1, or article2, or article3"):
        chosen(found, None)
    with pytest.raises(BufferError, match="there is no kernel 'article4', did you mean 'article3'"):
        chosen(found, "article4")


@pytest.mark.parametrize("name", ["doubled_v2.co", "doubled_v2.o"])
def test_version_2_has_its_descriptor_before_the_code(name):
    found = read((FOLDER / name).read_bytes(), name, 0x20000)
    kernel = chosen(found, "doubled")
    assert (found.version, found.target, kernel.entry) == (2, "gfx803", kernel.address + 256)
    assert kernel.descriptor.register("workgroup_id_x") == 8
    assert kernel.descriptor.register("dispatch_id") is None
    assert [tuple(one)[:6] for one in kernel.arguments] == [
        ("data", 0, 8, "global_buffer", "pointer", "uint32"), ("count", 8, 4, "by_value", "uint32", ""),
        ("", 16, 8, "hidden_global_offset_x", "", ""),
    ]  # fmt: skip
    spans = [span for segment in found.image.segments for span in segment.code]
    assert spans == [(kernel.entry, kernel.entry + 84)]  # no instruction is looked for in the descriptor


@pytest.mark.parametrize("name", ["doubled_v3.co", "doubled_v3.o", "doubled_v5.co", "doubled_v5.o"])
def test_later_versions_name_their_descriptors(name):
    """Those of versions 3 and 5; 4 and 6 are compiled here. They differ in the file's flags and in the target that their metadata name."""
    found = read((FOLDER / name).read_bytes(), name, 0x20000)
    kernel = chosen(found, "doubled")
    assert (found.version, found.target, found.warnings) == (int(name[9]), "gfx803", ())
    assert [(one.name, one.offset, one.size) for one in kernel.arguments] == [("data", 0, 8), ("count", 8, 4), ("", 16, 8)]
    assert kernel.entry == found.image.symbols["doubled"] != kernel.address
    assert kernel.descriptor.register("workgroup_id_x") == 8


@pytest.mark.parametrize("ending", ["o", "co"])
@pytest.mark.parametrize("version", [2, 3, 5])
def test_every_version_runs(version, ending):
    path = FOLDER / f"doubled_v{version}.{ending}"
    values = np.arange(128, dtype="u4")
    program = open_source(path, None, Options(str(path), grid=2, block=64, buffers={"data": values}, arguments={"count": 100})).program
    result = GPU("gcn", engine="python").run(program)
    assert result.status == "done"
    assert read_buffer(program, result.memory, "data").view("u4")[:128].tolist() == np.where(values < 100, 2 * values, values).tolist()


@pytest.mark.parametrize("version", [4, 6])
def test_an_object_file_is_relocated_as_a_linker_does(compiled, version):
    """Code and data are the same as in the linked file, but for the distances between sections, which are right for where they lie."""
    unlinked, linked = (read(path.read_bytes(), str(path)) for path in compiled[version])
    assert unlinked.version == linked.version == version
    for found in (unlinked, linked):
        assert sorted(found.kernels) == ["clear", "scale"]
        kernel = found.kernels["scale"]
        named = [(one.name, one.offset, one.dtype) for one in kernel.arguments if not one.hidden]
        assert named == [("y", 0, "pointer"), ("a", 8, "float32"), ("n", 12, "int32")]
        assert kernel.entry == found.image.symbols["scale"]
        assert {found.image.symbols[name] for name in ("scaled", "scale", "clear")} <= found.image.starts
        assert found.kernels["clear"].descriptor.work_item_ids == 2
        targets = set()  # s_getpc_b64, then s_add_u32 with a literal: an address of code or data
        for address in range(found.image.symbols["scaled"], found.image.symbols["clear"], 4):
            word = int.from_bytes(at(found, address, 4), "little")
            if word >> 23 == 0x17D and word >> 8 & 0xFF == 28:
                low = next(n for n in range(address + 4, address + 40, 4) if int.from_bytes(at(found, n, 4), "little") >> 23 == 0x100)
                targets.add((address + 4 + int.from_bytes(at(found, low + 4, 4), "little")) % (1 << 32))
        assert found.image.symbols["factors"] in targets
    assert at(unlinked, unlinked.image.symbols["factors"], 16) == struct.pack("<4i", 2, 3, 5, 7)


@pytest.mark.parametrize("version", [4, 6])
@pytest.mark.parametrize("linked", [False, True])
def test_instructions_know_their_lines(compiled, version, linked):
    path = compiled[version][linked]
    image = read(path.read_bytes(), str(path)).image
    assert image.sources[1].text == SOURCE
    assert image.lines[image.symbols["scale"]].line == 6
    assert image.lines[image.symbols["clear"]].line == 10


def test_the_size_of_a_group_is_in_the_packet_or_in_a_hidden_argument(compiled):
    old, new = (read(compiled[version][1].read_bytes(), "x").kernels["clear"] for version in (4, 6))
    assert old.descriptor.register("dispatch_ptr") == 4 and new.descriptor.register("dispatch_ptr") is None
    assert "hidden_group_size_x" in {one.kind for one in new.arguments} - {one.kind for one in old.arguments}


def changed(data, offset, form, value):
    made = bytearray(data)
    struct.pack_into(form, made, offset, value)
    return bytes(made)


def descriptor(data, offset, form, value):
    """A file whose first kernel's descriptor has a changed field."""
    found = read(data, "x")
    return changed(data, data.index(at(found, next(iter(found.kernels.values())).address, 64)) + offset, form, value)


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (SAXPY[:40], "this ELF file is cut off: it has 40 bytes, its header alone 64"),
        (b"text", "this is not an ELF file"),
        (changed(SAXPY, 18, "<H", 62), "this ELF file is for machine 62 with 64 bits, little-endian; AMD GCN is machine 224, 64 bits"),
        (changed(SAXPY, 16, "<H", 2), "this is an ELF file of type 2, not a program"),
        (
            changed(SAXPY, 7, "<B", 0),
            "this ELF file is for operating system 0, ABI version 4; code objects of HSA are 64 with versions 0 to 4",
        ),
        (changed(SAXPY, 8, "<B", 5), "this ELF file is for operating system 64, ABI version 5"),
        (changed(SAXPY, 48, "<I", 0x136), "it is for processor 0x36; there are gfx801, gfx802"),
        (changed(SAXPY, 60, "<H", 0), "this code object has no kernel"),
        (
            descriptor(SAXPY, 0, "<I", 1 << 20),
            "the descriptor of the kernel 'saxpy' asks for 1048576 bytes of LDS: a group has at most 65536",
        ),
        (descriptor(SAXPY, 16, "<q", 0), "the descriptor of the kernel 'saxpy' says that it begins at 0x40000780, where no code is"),
        (descriptor(SAXPY, 56, "<H", 0x409), "the descriptor of the kernel 'saxpy' asks for waves of 32 lanes, which GCN does not have"),
        (
            descriptor(SAXPY, 52, "<I", 2),
            "the descriptor of the kernel 'saxpy' enables 6 user registers and counts 1; there are at most 16",
        ),
        (descriptor(OLD, 8, "<H", 7), "the descriptor of the kernel 'doubled' says version 1 for machine kind 7: both are 1"),
    ],
)
def test_what_cannot_be_run_is_one_sentence(data, said):
    with pytest.raises(SourceError) as caught:
        read(data, "bad.co")
    assert str(caught.value).startswith(f"bad.co: error: {said}")


@pytest.mark.parametrize("features", [1, 2, 3])
def test_flags_of_version_2_may_be_features_and_a_note_says_the_processor(features):
    assert read(changed(OLD, 48, "<I", features), "old.co").target == read(OLD, "old.co").target == "gfx803"
    unknown = changed(changed(OLD, 48, "<I", features), OLD.index(b"AMD\0AMDGPU\0") - 4, "<I", 9)
    with pytest.raises(SourceError, match="it is for gfx809; there are gfx801"):
        read(unknown, "old.co")


def test_damaged_metadata_are_a_warning():
    place = SAXPY.index(b"amdhsa.kernels") - 1
    found = read(changed(SAXPY, place, "<B", 0xC1), "bad.co")
    assert [str(one.message).split(" (")[0] for one in found.warnings] == ["its metadata cannot be read"]
    assert found.kernels["saxpy"].arguments is None
    old = read(OLD.replace(b"KernargSegmentSize: 24", b"KernargSegmentSize: xy"), "bad.co")
    assert "KernargSegmentSize is 'xy', no number" in str(old.warnings[0].message)


def test_arguments_outside_their_segment_are_none():
    assert SAXPY.count(b"\xa7.offset\x14\xa5.size\x04") == 1  # of n
    found = read(SAXPY.replace(b"\xa7.offset\x14\xa5.size\x04", b"\xa7.offset\x14\xa5.size\xff"), "bad.co")
    assert found.kernels["saxpy"].arguments is None


def test_which_files_are_code_objects(tmp_path):
    assert is_code_object(FOLDER / "saxpy.co")
    assert not is_code_object(FOLDER / "doubled_v2.s")
    assert not is_code_object(tmp_path / "missing")
