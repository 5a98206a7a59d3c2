"""Several texts as one program, and calls through addresses."""

import struct

import numpy as np
import pytest

from tests.ptx.conftest import HEADER
from warploom import SourceError
from warploom.ptx import DEVICE_WINDOW, read

FIRST = """
.extern .func (.param .b32 r) plus_own(.param .b32 x);
.extern .global .align 4 .u32 calls;
.global .align 4 .u32 own = 1;
.visible .entry k(.param .u64 out)
{
    .reg .b32 a, b; .reg .b64 o;
    ld.param.u64 o, [out];
    mov.b32 a, 5;
    { .param .b32 given; .param .b32 got; st.param.b32 [given], a; call (got), plus_own, (given); ld.param.b32 a, [got]; }
    ld.global.u32 b, [own]; add.s32 a, a, b;
    st.global.u32 [o], a;
    ld.global.u32 b, [calls];
    st.global.u32 [o+4], b;
    ret;
}"""
SECOND = """
.visible .global .align 4 .u32 calls = 40;
.global .align 4 .u32 own = 100;
.func (.param .b32 r) add_calls(.param .b32 x)
{
    .reg .b32 a, b; ld.param.b32 a, [x]; ld.global.u32 b, [calls]; add.s32 b, b, 1; st.global.u32 [calls], b; st.param.b32 [r], a; ret;
}
.visible .func (.param .b32 r) plus_own(.param .b32 x)
{
    .reg .b32 a, b; ld.param.b32 a, [x]; ld.global.u32 b, [own]; add.s32 a, a, b;
    { .param .b32 given; .param .b32 got; st.param.b32 [given], a; call (got), add_calls, (given); ld.param.b32 a, [got]; }
    st.param.b32 [r], a; ret;
}"""


def test_a_function_and_a_variable_of_another_text(bench):
    texts = [read(HEADER + FIRST, "a.cu"), read(HEADER + SECOND, "b.cu")]
    places = []
    for text in texts:
        where = {name: bench.device.allocate(one.size) for name, one in text.variables.items()}
        for name, address in where.items():
            bench.device.write(address, np.frombuffer(text.initial(name, where), np.uint8))
        places.append(where)
    assert list(places[0]) == ["own"]  # what is declared has no memory of its own
    linked, elsewhere = texts[0].linked(texts, 0)
    built = linked.compile("k", places[0] | {name: places[owner][there] for name, (owner, there) in elsewhere.items()})
    out = bench.device.allocate(8)
    assert bench.device.run(built.launch((1,), (1,), struct.pack("<Q", DEVICE_WINDOW + out))).status == "done"
    assert bench.device.read(out, 8).view(np.uint32).tolist() == [106, 41]  # both texts' own variables are apart


def test_what_nothing_defines_is_named():
    with pytest.raises(SourceError, match="the function plus_own is not in this text"):
        read(HEADER + FIRST, "a.cu").compile("k", {"own": 0, "calls": 4})


POINTERS = """
.func (.param .b32 r) twice(.param .b32 x) { .reg .b32 a; ld.param.b32 a, [x]; add.s32 a, a, a; st.param.b32 [r], a; ret; }
.func (.param .b32 r) minus(.param .b32 x) { .reg .b32 a; ld.param.b32 a, [x]; neg.s32 a, a; st.param.b32 [r], a; ret; }
.func other(.param .b64 x) { ret; }
.global .align 8 .u64 table[3] = {twice, minus, other};
.visible .entry k(.param .u64 out)
{
    .reg .b32 a, t; .reg .b64 o, f, at; .reg .pred p;
    ld.param.u64 o, [out];
    mov.u32 t, %tid.x;
    and.b32 a, t, 1; mul.wide.u32 at, a, 8; mov.u64 f, table; add.u64 at, at, f;
    ld.global.u64 f, [at];
    setp.eq.u32 p, t, 4;
@p  mov.u64 f, minus;
    { .param .b32 given; .param .b32 got; st.param.b32 [given], t; call (got), f, (given), kind; ld.param.b32 a, [got]; }
kind: .callprototype (.param .b32 _) _ (.param .b32 _);
    mul.wide.u32 at, t, 4; add.u64 o, o, at;
    st.global.u32 [o], a;
    ret;
}"""


def test_lanes_call_different_functions_by_their_addresses(bench):
    out = np.zeros(32, np.int32)
    bench.run(POINTERS, "k", out)
    assert out.tolist() == [-t if t % 2 or t == 4 else 2 * t for t in range(32)]


def test_an_address_that_no_function_fits_is_refused():
    text = POINTERS.replace(".b32 r) twice(.param .b32 x)", ".b32 r) twice(.param .b64 x)").replace(
        ".b32 r) minus(.param .b32 x)", ".b32 r) minus(.param .b64 x)"
    )
    with pytest.raises(SourceError, match="no function of this program whose address is taken has such parameters"):
        read(HEADER + text, "a.cu").compile("k", {"table": 0})
