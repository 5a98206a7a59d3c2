"""What is wrong in a text is said at its place, all of it at once; kernels are declared in both ways."""

import numpy as np
import pytest

from tests.isa.gcn.snippets import run
from warploom import GPU
from warploom.isa.diagnostics import SourceError
from warploom.isa.frontend import Options
from warploom.isa.frontends import load_with_warnings
from warploom.isa.launching import BufferError, read_buffer


def said(text):
    with pytest.raises(SourceError) as found:
        load_with_warnings(text.encode(), "gcn", Options("text.gcn"))
    return [(one.position.line, one.position.column, one.message) for one in found.value.diagnostics]


@pytest.mark.parametrize(
    ("line", "column", "message"),
    [
        ("v_mul_lo_u33 v0, v1, v2", 1, "there is no instruction 'v_mul_lo_u33', did you mean 'v_mul_lo_u32'?"),
        ("v_add_u32 v0, v1", 1, "v_add_u32 takes 3 operands, not 2"),
        ("v_add_u32 v0, s1, s2", 1, "v_add_u32 can read one scalar register or literal, not 2"),
        ("v_add_u32 v0, v256, v1", 15, "there is no register v256: v0 to v255"),
        ("s_add_u32 v0, s1, s2", 11, "'v0' is not a scalar register"),
        ("s_mov_b64 s[1:2], 0", 11, "'s[1:2]': 2 scalar registers begin at a multiple of 2"),
        ("s_mov_b64 s0, 0", 11, "'s0' is 1 register, not 2"),
        ("v_mad_u32_u24 v0, v1, 0x12345, v2", 23, "'0x12345' needs 32 bits of its own, which this form has no room for"),
        ("s_load_dword s0, s[4:5], 0x200000", 26, "'0x200000': an offset is -1048576 to 1048575"),
        ("global_load_dword v0, v1, off", 27, "an address alone is two vector registers"),
        ("global_load_dword v0, v[1:2], s[4:5]", 31, "beside a scalar base the lanes' address is one vector register"),
        ("ds_read_b32 v0, v1 offset:65536", 27, "offset = 65536: it is 0 to 65535"),
        ("s_waitcnt vmcnt(64)", 17, "vmcnt = 64: it is 0 to 63"),
        ("s_waitcnt nocnt(0)", 11, "'nocnt(0)' is not a counter"),
        ("v_add_u32 v0, v1, v2 clump", 22, "v_add_u32 takes no 'clump'"),
        ("s_branch nowhere", 10, "there is no label 'nowhere'"),
        ("s_getreg_b32 s0, hwreg(HW_REG_MODE, 30, 3)", 18,
         "'hwreg(HW_REG_MODE, 30, 3)': 3 bits from bit 30 on are not in a register of 32"),
        ("v_add_u32 v0, -v1, v2", 15, "'-v1': signs are for sources that are floats"),
        (".grid 0", 7, ".grid = 0: it is 1 to 1048576"),
        (".arg x, float", 1, ".arg takes a name, a type, and perhaps a value"),
        (".arg n, int32, many", 16, "'many' is not of type int32"),
        (".arg x, pointer, banana", 18, "x takes a number, 4 to 4194304, not 'banana'"),
        (".arg banana, pointer, 2", 23, "banana = 2: it is 4 to 4194304"),
        (".arg n, int32\n.arg n, int32", 6, "the argument 'n' is there already"),
        (".lang 4", 1, "there is no directive '.lang', did you mean '.long'?"),
        (".long 0x1ffffffff", 7, "'0x1ffffffff' has more than 32 bits"),
    ],
)  # fmt: skip
def test_a_mistake_is_named_at_its_place(line, column, message):
    found = said(f".kernel main\ns_nop 0\n{line}\ns_endpgm")
    assert found == [(3 + line.count("\n"), column, message)]


def test_all_mistakes_are_named():
    assert [place[0] for place in said(".kernel main\nv_nope\ns_endpgm\nv_add_u32 v0\nsame:\nsame:\n")] == [2, 4, 6]
    assert said("; nothing\n") == [(1, 1, "there is no instruction in this file")]
    assert said(".amdhsa_kernel lost\n.end_amdhsa_kernel\ns_endpgm")[0][2].startswith("there is no label 'lost', where this kernel begins")


def test_an_instruction_that_the_machine_does_not_have_is_refused_in_a_text():
    (place,) = said(".kernel main\nexp mrt0 v0, v1, v2, v3 done\ns_endpgm")
    assert place[0] == 2 and "a graphics pipeline, to which exp exports, is something that this machine does not have" in place[2]


def test_labels_data_and_numbers():
    lines = [
        "s_load_dwordx4 s[8:11], s[4:5], 0x0", "s_waitcnt lgkmcnt(0)", "s_load_dwordx4 s[12:15], s[10:11], table-data", "s_mov_b32 s0, 2",
        "1:", "s_sub_u32 s0, s0, 1", "s_cmp_lg_u32 s0, 0", "s_cbranch_scc1 1b", "s_branch 2f", "s_trap 2", "2:", "s_waitcnt lgkmcnt(0)",
        "v_lshlrev_b32 v1, 2, v0", "v_mov_b32 v2, s12", "global_store_dword v1, v2, s[8:9]", "v_mov_b32 v2, s13",
        "global_store_dword v1, v2, s[8:9] offset:4", "v_mov_b32 v2, s14", "global_store_dword v1, v2, s[8:9] offset:8",
        "v_mov_b32 v2, s15", "global_store_dword v1, v2, s[8:9] offset:12", "s_endpgm", ".data", "data:", ".zero 8", ".p2align 3", "table:",
        ".long 7, -1", ".float 1.5", ".byte 1, 2", ".short 0x304",
    ]  # fmt: skip
    out = run(lines, {"out": np.zeros(4, np.uint32)}, threads=1, more=(".arg data, pointer, data",))["out"]
    assert out.tolist() == [7, 0xFFFFFFFF, 0x3FC00000, 0x03040201]


COMPILED = """
	.amdgcn_target "amdgcn-amd-amdhsa--gfx900"
	.text
	.globl	twice
	.p2align	8
	.type	twice,@function
twice:                                  ; @twice
; %bb.0:
	s_load_dwordx2 s[0:1], s[2:3], 0x0
	v_lshl_add_u32 v0, s4, 6, v0
	v_lshlrev_b32_e32 v1, 1, v0
	v_lshlrev_b32_e32 v0, 2, v0
	s_waitcnt lgkmcnt(0)
	global_store_dword v0, v1, s[0:1]
	s_endpgm
	.section	.rodata,"a",@progbits
	.p2align	6, 0x0
	.amdhsa_kernel twice
		.amdhsa_group_segment_fixed_size 0
		.amdhsa_kernarg_size 8
		.amdhsa_user_sgpr_count 4
		.amdhsa_user_sgpr_dispatch_ptr 1
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_system_sgpr_workgroup_id_x 1
		.amdhsa_system_vgpr_workitem_id 0
		.amdhsa_next_free_vgpr 2
	.end_amdhsa_kernel
	.amdgpu_metadata
---
amdhsa.kernels: []
	.end_amdgpu_metadata
"""


def test_a_text_as_compilers_print_it():
    options = Options("twice.gcn", grid=2, buffers={"out": np.zeros(128, np.uint32)}, arguments={"out": "out"})
    program, warnings = load_with_warnings(COMPILED.encode(), "gcn", options)
    result = GPU("gcn", engine="python").run(program)
    assert warnings == [] and read_buffer(program, result.memory, "out").tolist() == list(range(0, 256, 2))


def test_one_of_several_kernels_is_chosen():
    text = ".kernel one\n.arg out, pointer, 4\ns_endpgm\n.kernel two\n.arg n, int32, 5\ns_endpgm\n"
    with pytest.raises(BufferError, match="it has 2 kernels; say which one: --kernel one, or two"):
        load_with_warnings(text.encode(), "gcn", Options("text.gcn"))
    for more in ({"kernel": "two"}, {"kernel": "1"}, {"launch": "two"}, {"launch": "1"}):
        program, _ = load_with_warnings(text.encode(), "gcn", Options("text.gcn", more=more))
        assert program.name == "two" and dict(program.launch.arguments) == {"n": 5}
    with pytest.raises(BufferError, match="there is no kernel '2'"):
        load_with_warnings(text.encode(), "gcn", Options("text.gcn", more={"kernel": "2"}))
    with pytest.raises(BufferError, match="the kernel 'two' has no argument 'm'; it has n"):
        load_with_warnings(text.encode(), "gcn", Options("text.gcn", more={"kernel": "two"}, arguments={"m": 1}))
    with pytest.raises(BufferError, match="a block of 2048 threads: the kernel 'one' takes 1 to 1024"):
        load_with_warnings(text.encode(), "gcn", Options("text.gcn", more={"kernel": "one"}, threads=4096, block=2048))


def test_private_memory_belongs_to_a_thread():
    lines = [
        "s_load_dwordx2 s[8:9], s[4:5], 0x0", "s_movk_i32 s32, 0x400", "v_lshlrev_b32 v1, 2, v0", "v_add_u32 v2, 5, v0",
        "v_mov_b32 v3, 4", "buffer_store_dword v0, off, s[0:3], s32", "buffer_store_dword v2, v3, s[0:3], s32 offen",
        "scratch_load_dword v4, off, s40 offset:20",
        "buffer_load_dword v5, off, s[0:3], 0 offset:16", "s_waitcnt vmcnt(0) lgkmcnt(0)", "v_mad_u32_u24 v4, v4, v3, v5",
        "global_store_dword v1, v4, s[8:9]", "s_endpgm",
    ]  # fmt: skip
    out = run(lines, {"out": np.zeros(64, np.uint32)}, more=(".private 32",))["out"]
    assert out.tolist() == [4 * (lane + 5) + lane for lane in range(64)]  # s32 counts the bytes of all lanes: 16 a lane


def test_a_function_is_called_and_comes_back():
    lines = [
        "s_load_dwordx2 s[8:9], s[4:5], 0x0", "v_lshlrev_b32 v1, 2, v0", "s_getpc_b64 s[10:11]", "here:", "s_add_u32 s10, s10, double-here",
        "s_addc_u32 s11, s11, 0", "s_swappc_b64 s[30:31], s[10:11]", "s_call_b64 s[30:31], double", "global_store_dword v1, v0, s[8:9]",
        "s_endpgm", "double:", "s_waitcnt lgkmcnt(0)", "v_lshlrev_b32 v0, 1, v0", "s_setpc_b64 s[30:31]",
    ]  # fmt: skip
    assert run(lines, {"out": np.zeros(64, np.uint32)})["out"].tolist() == [4 * lane for lane in range(64)]


def test_atomic_operations():
    lines = [
        "s_load_dwordx4 s[8:11], s[4:5], 0x0", "v_mov_b32 v1, 0", "v_mov_b32 v2, 1", "v_mov_b32 v3, 2", "s_waitcnt lgkmcnt(0)",
        "global_atomic_add v4, v1, v2, s[8:9] glc", "global_atomic_sub v1, v3, s[8:9] offset:4",
        "global_atomic_umax v1, v0, s[8:9] offset:8",
        "v_mov_b32 v6, 77", "v_mov_b32 v7, 5", "global_atomic_cmpswap v1, v[6:7], s[8:9] offset:12", "ds_write_b32 v1, v1",
        "ds_add_u32 v1, v2", "ds_max_rtn_u32 v8, v1, v0", "s_waitcnt vmcnt(0) lgkmcnt(0)", "ds_read_b32 v9, v1", "v_lshlrev_b32 v5, 3, v0",
        "global_store_dword v5, v4, s[10:11]", "s_waitcnt lgkmcnt(0)", "global_store_dword v5, v9, s[10:11] offset:4", "s_endpgm",
    ]  # fmt: skip
    words = np.array([100, 1000, 3, 5], np.uint32)
    found = run(lines, {"words": words, "old": np.zeros(128, np.uint32)}, more=(".lds 64",))
    assert found["words"].tolist() == [164, 1000 - 128, 63, 77]
    old = found["old"].reshape(64, 2)
    assert sorted(old[:, 0].tolist()) == list(range(100, 164)) and set(old[:, 1].tolist()) == {64}


def test_a_load_of_sixteen_words_is_one_of_the_wave_and_not_of_its_lanes():
    lines = ["s_load_dwordx2 s[12:13], s[4:5], 0x0", "s_waitcnt lgkmcnt(0)", "s_load_dwordx16 s[16:31], s[12:13], 0x0",
             "s_waitcnt lgkmcnt(0)", "v_mov_b32 v1, s31", "v_mov_b32 v2, 0", "global_store_dword v2, v1, s[12:13]", "s_endpgm"]  # fmt: skip
    assert run(lines, {"out": np.arange(16, dtype=np.uint32)}, threads=1)["out"][0] == 15


def test_a_usual_value_needs_no_comma_before_it():
    for line in (".arg n, int32, 5", ".arg n, int32 5"):
        program, _ = load_with_warnings(f".kernel main\n{line}\ns_endpgm\n".encode(), "gcn")
        assert dict(program.launch.arguments) == {"n": 5}
