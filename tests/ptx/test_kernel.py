"""Control flow, calls, memory spaces, warps: whole kernels, written by hand."""

import struct

import numpy as np
import pytest

from tests.ptx.conftest import HEADER
from warploom.isa import uop as u
from warploom.ptx import DEVICE_WINDOW, read
from warploom.ptx.kernel import default_sources
from warploom.ptx.module import shown_name

LOOP = """
.visible .entry collatz(.param .u64 in, .param .u64 out)
{
    .reg .pred p, q; .reg .b32 x, n, r<3>; .reg .b64 i, o, step;
    ld.param.u64 i, [in]; ld.param.u64 o, [out];
    mov.u32 r0, %tid.x; mul.wide.u32 step, r0, 4; add.u64 i, i, step; add.u64 o, o, step;
    ld.global.u32 x, [i];
    mov.u32 n, 0;
Again:
    setp.le.u32 p, x, 1;
@p  bra Done;
    and.b32 r1, x, 1;
    setp.eq.u32 q, r1, 0;
@q  shr.u32 x, x, 1;
@!q mad.lo.u32 x, x, 3, 1;
    add.u32 n, n, 1;
    bra.uni Again;
Done:
    st.global.u32 [o], n;
    ret;
}"""


def collatz(x):
    count = 0
    while x > 1:
        x = x // 2 if x % 2 == 0 else 3 * x + 1
        count += 1
    return count


def test_a_loop_with_predicates(bench):
    given, out = np.arange(32, dtype=np.uint32), np.zeros(32, np.uint32)
    bench.run(LOOP, "collatz", given, out)
    assert out.tolist() == [collatz(x) for x in range(32)]


CALLS = """
.func (.param .b32 r) twice(.param .b32 x) { .reg .b32 a; ld.param.b32 a, [x]; add.s32 a, a, a; st.param.b32 [r], a; ret; }
.func (.param .b32 r) larger(.param .b32 x, .param .b32 y)
{
    .reg .b32 a, b; .reg .pred p;
    ld.param.b32 a, [x]; ld.param.b32 b, [y];
    setp.gt.s32 p, a, b;
    @p bra First;
    st.param.b32 [r], b;
    ret;
First: { .param .b32 given; .param .b32 got; st.param.b32 [given], a; call (got), twice, (given); ld.param.b32 a, [got]; }
    st.param.b32 [r], a;
    ret;
}
.visible .entry k(.param .u64 out, .param .s32 limit)
{
    .reg .b32 t, l, a; .reg .b64 o, s; .param .b32 one; .param .b32 two; .param .b32 back;
    ld.param.u64 o, [out]; ld.param.s32 l, [limit]; mov.u32 t, %tid.x; mul.wide.u32 s, t, 4; add.u64 o, o, s;
    st.param.b32 [one], t; st.param.b32 [two], l;
    call.uni (back), larger, (one, two);
    ld.param.b32 a, [back];
    st.global.b32 [o], a;
    ret;
}"""


def test_functions_are_written_in_the_place_of_their_calls(bench):
    out = np.zeros(32, np.int32)
    bench.run(CALLS, "k", out, 9)
    assert out.tolist() == [2 * t if t > 9 else 9 for t in range(32)]


BY_VALUE = """
.func (.param .b32 r) pick(.param .align 4 .b8 rows[16], .param .b32 which)
{
    .reg .b32 a; .reg .b64 at, s;
    ld.param.b32 a, [which]; mul.wide.u32 s, a, 4;
    mov.b64 at, rows; add.u64 at, at, s;
    ld.local.b32 a, [at];
    st.param.b32 [r], a; ret;
}
.visible .entry k(.param .u64 out)
{
    .reg .b32 t, n, a; .reg .b64 o, s;
    ld.param.u64 o, [out]; mov.u32 t, %tid.x; mul.wide.u32 s, t, 4; add.u64 o, o, s; and.b32 n, t, 3;
    { .param .align 4 .b8 given[16]; .param .b32 number; .param .b32 back;
      st.param.b32 [given], 10; st.param.v2.b32 [given+4], {t, 30}; st.param.b32 [given+12], 40; st.param.b32 [number], n;
      call (back), pick, (given, number);
      ld.param.b32 a, [back]; }
    st.global.b32 [o], a;
    ret;
}"""


def test_a_parameter_by_value_has_an_address(bench):
    """PTX ISA 5.1.6: the address of a function's parameter is one of the thread's own memory."""
    out = np.zeros(32, np.int32)
    bench.run(BY_VALUE, "k", out)
    assert out.tolist() == [(10, t, 30, 40)[t % 4] for t in range(32)]


GENERIC = """
.visible .entry k(.param .u64 in, .param .u64 out, .param .u32 odd)
{
    .shared .align 4 .b8 tile[128];
    .reg .b32 t, v, w, a; .reg .b64 i, o, s, at, mine; .reg .pred p;
    ld.param.u64 i, [in]; ld.param.u64 o, [out]; ld.param.u32 w, [odd];
    mov.u32 t, %tid.x; mul.wide.u32 s, t, 4; add.u64 o, o, s;
    mov.u32 a, tile; cvt.u64.u32 mine, a; add.u64 mine, mine, s;
    mul.lo.u32 v, t, 10; st.shared.u32 [mine], v;
    bar.sync 0;
    mov.u64 at, tile; cvta.shared.u64 at, at;
    add.u32 v, t, w; and.b32 v, v, 1; setp.eq.u32 p, v, 0;
    selp.b64 at, at, i, p;
    add.u64 at, at, s;
    ld.u32 v, [at];
    add.u32 v, v, 1;
    atom.add.u32 v, [at], 5;
    ld.u32 v, [at];
    st.u32 [o], v;
    ret;
}"""


@pytest.mark.parametrize("odd", [0, 1])
def test_a_generic_address_is_looked_at_by_every_thread(bench, odd):
    given, out = np.arange(32, dtype=np.uint32) * 7, np.zeros(32, np.uint32)
    bench.run(GENERIC, "k", given, out, odd)
    assert out.tolist() == [(10 * t if (t + odd) % 2 == 0 else 7 * t) + 5 for t in range(32)]
    assert given.tolist() == [7 * t + (5 if (t + odd) % 2 else 0) for t in range(32)]


WARPS = """
.visible .entry k(.param .u64 out)
{
    .reg .b32 t, a<12>; .reg .b64 o, s; .reg .pred p, q, r;
    ld.param.u64 o, [out]; mov.u32 t, %laneid; mul.wide.u32 s, t, 48; add.u64 o, o, s;
    shfl.sync.down.b32 a0|p, t, 4, 0x181f, -1; selp.b32 a1, 1, 0, p;
    shfl.sync.up.b32 a2|q, t, 1, 0x0, -1; selp.b32 a3, 1, 0, q;
    shfl.sync.bfly.b32 a4, t, 5, 0x1f, -1;
    setp.lt.u32 r, t, 10;
    vote.sync.ballot.b32 a5, r, -1;
    vote.sync.any.pred p, r, 0xff; selp.b32 a6, 1, 0, p;
    vote.sync.all.pred p, r, 0x3ff; selp.b32 a7, 1, 0, p;
    and.b32 a8, t, 3;
    match.any.sync.b32 a8, a8, -1;
    redux.sync.add.s32 a9, t, -1;
    redux.sync.max.u32 a10, t, 0x0f0f;
    mov.u32 a11, %lanemask_lt;
    st.global.v4.u32 [o], {a0, a1, a2, a3}; st.global.v4.u32 [o+16], {a4, a5, a6, a7}; st.global.v4.u32 [o+32], {a8, a9, a10, a11};
    ret;
}"""


def test_what_lanes_tell_each_other(bench):
    out = np.zeros((32, 12), np.uint32)
    bench.run(WARPS, "k", out)
    for t in range(32):
        inside = t % 8 + 4 < 8
        expected = [
            t + 4 if inside else t,
            inside,
            max(t - 1, 0),
            t >= 1,
            t ^ 5,
            0x3FF,
            1,
            1,
            sum(1 << l for l in range(32) if l % 4 == t % 4),
            496,
            11,
            (1 << t) - 1,
        ]
        assert out[t].tolist() == [int(one) for one in expected], t


PARTS = """
.const .align 4 .f32 scale[3] = {0f3F800000, 0f40000000, 0f40400000};
.global .align 8 .u64 table[2] = {scale, generic(scale)+4};
.visible .entry k(.param .u64 out, .param .align 4 .b8 pair[8], .param .f32 f)
{
    .local .align 4 .b8 own[16]; .extern .shared .align 4 .b8 room[];
    .reg .b32 t, a, b, n; .reg .b64 o, s, p, q; .reg .f32 x, y, z;
    ld.param.u64 o, [out]; ld.param.u32 a, [pair]; ld.param.u32 b, [pair+4]; ld.param.f32 x, [f];
    mov.u32 t, %tid.x; mul.wide.u32 s, t, 4; add.u64 o, o, s;
    mov.u64 p, own; and.b32 n, t, 3; mul.wide.u32 q, n, 4; add.u64 p, p, q;
    st.local.u32 [own], a; st.local.u32 [own+4], b; st.local.u32 [own+8], 100; st.local.u32 [own+12], 200;
    ld.local.u32 n, [p];
    ld.global.u64 q, [table+8]; ld.f32 y, [q];
    fma.rn.f32 z, x, y, 0f3F800000;
    cvt.rzi.s32.f32 a, z; add.u32 n, n, a;
    mov.u32 b, %dynamic_smem_size; add.u32 n, n, b;
    st.global.u32 [o], n;
    ret;
}"""


def test_variables_parameters_and_local_memory(bench):
    text = PARTS.replace(".param .align 4 .b8 pair[8], .param .f32 f", ".param .u32 pair, .param .u32 more, .param .u32 f")
    text = text.replace("[pair+4]", "[more]").replace(
        "ld.param.f32 x, [f];", "ld.param.b32 b, [f]; cvt.rn.f32.u32 x, b; ld.param.u32 b, [more];"
    )
    out = np.zeros(32, np.int32)
    bench.run(text, "k", out, 11, 22, 5, shared=64)
    assert out.tolist() == [(11, 22, 100, 200)[t % 4] + 11 + 64 for t in range(32)]


SWITCH = """
.visible .entry k(.param .u64 out)
{
    .reg .b32 t, n, v; .reg .b64 o, s;
    ld.param.u64 o, [out]; mov.u32 t, %tid.x; mul.wide.u32 s, t, 4; add.u64 o, o, s; and.b32 n, t, 3; mov.u32 v, 0;
    rows: .branchtargets A, B, C, D;
    brx.idx n, rows;
A:  add.u32 v, v, 1;
B:  add.u32 v, v, 10;
    bra D;
C:  mov.u32 v, 100;
D:  st.global.u32 [o], v;
    exit;
}"""


VECTORS = """
.visible .entry k(.param .u64 in, .param .u64 out)
{
    .shared .align 16 .b8 tile[512];
    .reg .b32 t, a, b, c, d; .reg .b64 i, o, s, m; .reg .f64 x, y; .reg .b16 h, j, g, f;
    ld.param.u64 i, [in]; ld.param.u64 o, [out]; mov.u32 t, %tid.x; mul.wide.u32 s, t, 16; add.u64 i, i, s; add.u64 o, o, s;
    mov.b64 m, tile; add.u64 m, m, s;
    ld.global.v4.u32 {a, b, c, d}, [i];
    add.u32 a, a, 1; add.u32 d, d, 4;
    st.shared.v4.b32 [m], {d, c, b, a};
    ld.shared.v2.f64 {x, y}, [m];
    st.global.v2.f64 [o], {x, y};
    ret;
}"""


def test_a_vector_is_one_instruction(bench):
    """PTX ISA 9.7.9: 16 bytes a lane; its transactions are those of one access."""
    given = np.arange(128, dtype=np.uint32)
    out = np.zeros(128, np.uint32)
    bench.run(VECTORS, "k", given, out)
    rows = given.reshape(-1, 4) + np.array([1, 0, 0, 4], np.uint32)
    assert out.tolist() == rows[:, ::-1].reshape(-1).tolist()
    bundles = [line for line in bench.built.program.text if "load" in line or "store" in line]
    assert [max(line.count("load"), line.count("store")) for line in bundles] == [4, 4, 2, 2]


PRODUCER = """
.visible .entry k(.param .u64 out, .param .u32 full)
{
    .shared .align 4 .b8 tile[128];
    .reg .b32 t, l, v, w, n; .reg .b64 o, s, m; .reg .pred p, q;
    ld.param.u64 o, [out]; ld.param.u32 n, [full]; mov.u32 t, %tid.x; mul.wide.u32 s, t, 4; add.u64 o, o, s;
    and.b32 l, t, 31; mul.wide.u32 m, l, 4; mov.b64 s, tile; add.u64 m, m, s;
    setp.lt.u32 p, t, 32; setp.lt.u32 q, t, 64;
    mov.u32 w, 0;
    @!p bra Consume;
    mad.lo.u32 v, t, 3, 7; st.shared.u32 [m], v;
    membar.cta;
    bar.arrive 1, 64;
    bra Done;
Consume:
    @!q bra Done;
    barrier.sync n, 64;
    ld.shared.u32 w, [m];
    barrier.cta.sync.aligned 2, 32;
Done:
    setp.lt.u32 p, t, 40;
    barrier.cta.red.popc.aligned.u32 v, 3, p;
    mad.lo.u32 w, v, 1000, w;
    st.global.u32 [o], w;
    ret;
}"""


def test_barriers_with_a_number(bench):
    """PTX ISA 9.7.13: the first warp writes and arrives, the second waits and reads; the third comes to the last barrier alone."""
    out = np.zeros(96, np.uint32)
    bench.run(PRODUCER, "k", out, 1, block=(96,))
    assert out.tolist() == [40000 + (3 * (t - 32) + 7 if 32 <= t < 64 else 0) for t in range(96)]


def test_a_table_of_branches(bench):
    out = np.zeros(32, np.int32)
    bench.run(SWITCH, "k", out)
    assert out.tolist() == [(11, 10, 100, 0)[t % 4] for t in range(32)]


def test_branches_that_no_language_makes(bench):
    """Two loops that are entered at two places."""
    text = """
.visible .entry k(.param .u64 out)
{
    .reg .b32 t, n, v; .reg .b64 o, s; .reg .pred p, q;
    ld.param.u64 o, [out]; mov.u32 t, %tid.x; mul.wide.u32 s, t, 4; add.u64 o, o, s; mov.u32 v, t; mov.u32 n, 0;
    and.b32 v, t, 1; setp.eq.u32 p, v, 0; mov.u32 v, t;
    @p bra Inside;
Head: add.u32 n, n, 100;
Inside: add.u32 n, n, 1; sub.s32 v, v, 5; setp.gt.s32 q, v, 0; @q bra Head;
    st.global.u32 [o], n; ret;
}"""
    out = np.zeros(32, np.int32)
    bench.run(text, "k", out)

    def expected(t):
        n, v, inside = 0, t, t % 2 == 0
        while True:
            n += 1 if inside else 101
            inside, v = False, v - 5
            if v <= 0:
                return n

    assert out.tolist() == [expected(t) for t in range(32)]


def test_the_device_library(bench):
    text = """
.extern .func (.param .b32 r) __nv_powf(.param .b32 x, .param .b32 y);
.extern .func (.param .b64 r) __nv_sin(.param .b64 x);
.visible .entry k(.param .u64 out)
{
    .reg .b32 t; .reg .f32 x, y; .reg .f64 d; .reg .b64 o, s;
    ld.param.u64 o, [out]; mov.u32 t, %tid.x; mul.wide.u32 s, t, 8; add.u64 o, o, s; cvt.rn.f32.u32 x, t;
    { .param .b32 a; .param .b32 b; .param .b32 c; st.param.f32 [a], x;
    st.param.f32 [b], 0f40000000; call (c), __nv_powf, (a, b); ld.param.f32 y, [c]; }
    cvt.f64.f32 d, y;
    { .param .b64 a; .param .b64 c; st.param.f64 [a], d; call (c), __nv_sin, (a); ld.param.f64 d, [c]; }
    st.global.f64 [o], d;
    ret;
}"""
    out = np.zeros(8, np.float64)
    bench.run(text, "k", out, block=(8,))
    assert np.allclose(out, np.sin(np.arange(8.0) ** 2), rtol=1e-14, atol=1e-15)


def test_printf(bench):
    form = b"%d: %5.2f|%-4s|%c %lld %x%%\n\0"
    text = f"""
.extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 v);
.global .align 1 .b8 form[{len(form)}] = {{{", ".join(map(str, form))}}};
.visible .entry k(.param .u64 out)
{{
    .local .align 8 .b8 depot[48]; .reg .b64 g, l, f; .reg .b32 t, c, r; .reg .f64 d; .reg .pred p;
    mov.u32 t, %tid.x; setp.ne.u32 p, t, 3; @p ret;
    mov.u64 l, depot; cvta.local.u64 g, l;
    mov.f64 d, 0d3FF8000000000000;
    st.local.u32 [depot], t; st.local.f64 [depot+8], d; mov.u64 f, form;
    st.local.u64 [depot+16], f; mov.u32 c, 65; st.local.u32 [depot+24], c;
    mov.u64 f, -5; st.local.u64 [depot+32], f; mov.u32 c, 255; st.local.u32 [depot+40], c;
    mov.u64 f, form; cvta.global.u64 f, f;
    {{ .param .b64 a; .param .b64 b; .param .b32 c2; st.param.b64 [a], f; st.param.b64 [b], g;
    call.uni (c2), vprintf, (a, b); ld.param.b32 r, [c2]; }}
    ret;
}}"""
    bench.run(text, "k", np.zeros(1, np.int32))
    assert bench.built.printed(bench.result, lambda address: "str") == "3:  1.50|str |A -5 ff%\n"


@pytest.mark.parametrize("bytes_", [16, 512])
def test_a_parameter_that_is_read_by_its_address(bench, bytes_):
    """Of a few bytes in scalar registers, of many in constant memory; where the thread computes the address always there."""
    text = f"""
.visible .entry k(.param .u64 out, .param .align 4 .b8 table[{bytes_}])
{{
    .reg .b32 t, v, w; .reg .b64 o, s, p, q;
    ld.param.u64 o, [out]; mov.u32 t, %tid.x; mul.wide.u32 s, t, 4; add.u64 o, o, s; mov.b64 p, table;
    ld.param.b32 v, [p+4]; and.b32 w, t, 3; mul.wide.u32 q, w, 4; add.u64 q, q, p; ld.param.b32 w, [q]; add.u32 v, v, w;
    st.global.u32 [o], v; ret;
}}"""
    module = read(HEADER + text, "test.ptx")
    built = module.compile("k", {})
    address = bench.device.allocate(128)
    table = np.arange(bytes_ // 4, dtype=np.uint32) * 11
    result = bench.device.run(built.launch((1,), (32,), struct.pack("<Q", DEVICE_WINDOW + address) + table.tobytes()))
    assert result.status == "done"
    assert bench.device.read(address, 128).view(np.uint32).tolist() == [11 + 11 * (t % 4) for t in range(32)]


@pytest.mark.parametrize(
    ("mangled", "shown"),
    [
        ("_Z5saxpyifPKfPf", "saxpy"),
        ("_Z7structs1PPS_i", "structs"),
        ("_ZN2ns5innerEv", "inner"),
        ("plain", "plain"),
        ("_ZL4mineIfEvT_", "mine"),
    ],
)
def test_a_name_is_shown_without_its_types(mangled, shown):
    assert shown_name(mangled) == shown


PLACED = """
.file 1 "{first}"
.file 2 "{second}"
.visible .entry k(.param .u64 out, .param .u32 n)
{{
    .reg .b32 t, k, n, s; .reg .b64 o; .reg .pred p;
    ld.param.u64 o, [out]; ld.param.u32 n, [n];
    mov.u32 k, 0; mov.u32 s, 1;
    .loc 1 2 1
    mov.u32 t, %tid.x; add.u32 s, s, t;
On:
    .loc 2 3 1
    add.u32 k, k, 1; add.u32 s, s, k; setp.lt.u32 p, k, n;
    @p bra On;
    .loc 1 4 1
    st.global.u32 [o], s;
    ret;
}}"""


def test_every_instruction_has_a_line_of_the_one_file_under_any_of_its_names(bench, tmp_path, monkeypatch):
    """What stands before the first line, and the copies and jumps of a loop, stand in a line beside them."""
    (tmp_path / "k.cu").write_text("one\ntwo\nthree\nfour\n")
    monkeypatch.chdir(tmp_path)
    bench.run(
        PLACED.format(first="k.cu", second=tmp_path / "k.cu"), "k", np.zeros(1, np.uint32), 5, block=(1,), path=str(tmp_path / "k.cu")
    )
    program = bench.built.program
    assert len(program.sources) == 1
    assert set(program.code[:, u.FILE]) == {0}
    assert set(program.code[:, u.LINE]) == {2, 3, 4}


def test_files_that_a_text_names_are_read_where_they_are_regular_and_small(tmp_path, monkeypatch):
    (tmp_path / "a.cu").write_text("int a;")
    read = default_sources(tmp_path)
    assert read("a.cu") == read(str(tmp_path / "a.cu")) == "int a;"
    assert [read(name) for name in ("/dev/zero", str(tmp_path), "a\0b", "absent.cu", "x" * 5000)] == [None] * 5
    monkeypatch.setattr("warploom.isa.reading.MOST_BYTES", 5)
    assert read("a.cu") is None
