"""Functions that call themselves: values, and what is kept across a call."""

import numpy as np
import pytest

from tests.ptx.conftest import HEADER
from warploom.ptx import read
from warploom.ptx.recursion import live_after

FIBONACCI = """
.func (.param .b32 r) fib(.param .b32 n)
{
    .reg .b32 x, y, z; .reg .pred p;
    ld.param.u32 x, [n]; setp.ge.u32 p, x, 2; @p bra More; st.param.b32 [r], x; ret;
More:
    sub.u32 y, x, 1;
    { .param .b32 given; .param .b32 got; st.param.b32 [given], y; call (got), fib, (given); ld.param.b32 z, [got]; }
    sub.u32 y, x, 2;
    { .param .b32 given; .param .b32 got; st.param.b32 [given], y; call (got), fib, (given); ld.param.b32 y, [got]; }
    add.u32 z, z, y; st.param.b32 [r], z; ret;
}
.visible .entry k(.param .u64 out)
{
    .reg .b32 t, a; .reg .b64 o, s;
    ld.param.u64 o, [out]; mov.u32 t, %tid.x; mul.wide.u32 s, t, 4; add.u64 o, o, s; rem.u32 a, t, 9;
    { .param .b32 given; .param .b32 got; st.param.b32 [given], a; call (got), fib, (given); ld.param.b32 a, [got]; }
    st.global.b32 [o], a;
    ret;
}"""
# Two that call each other, one through an address; a predicate, an array and an argument are wanted after the call.
CIRCLE = """
.func (.param .b32 r) odd(.param .b32 n, .param .b32 deep);
.func (.param .b32 r) even(.param .b32 n, .param .b32 deep)
{
    .reg .b32 x, y, z, w; .reg .pred p; .local .align 8 .b8 room[16]; .reg .b64 at;
    ld.param.u32 x, [n]; ld.param.u32 w, [deep]; setp.eq.u32 p, x, 0;
    @!p bra More; add.u32 w, w, 1000; st.param.b32 [r], w; ret;
More:
    mov.b64 at, room; st.local.u32 [at+4], x; st.local.u32 [room+8], w;
    sub.u32 y, x, 1; add.u32 w, w, 1;
    { .param .b32 given; .param .b32 d; .param .b32 got; st.param.b32 [given], y;  st.param.b32 [d], w;
      call (got), odd, (given, d); ld.param.b32 z, [got]; }
    ld.local.u32 y, [at+4]; ld.local.u32 x, [room+8]; add.u32 z, z, y;  selp.b32 x, 0, 0, p; add.u32 z, z, x;
    st.param.b32 [r], z; ret;
}
.func (.param .b32 r) odd(.param .b32 n, .param .b32 deep)
{
    .reg .b32 x, y, z, w; .reg .pred p, q; .reg .b64 f;
    ld.param.u32 x, [n]; ld.param.u32 w, [deep]; setp.eq.u32 p, x, 0; @!p bra More; st.param.b32 [r], w; ret;
More:
    sub.u32 y, x, 1; setp.gt.u32 q, x, 4; mov.u64 f, even;
    { .param .b32 given; .param .b32 d; .param .b32 got; st.param.b32 [given], y; st.param.b32 [d], w;
      call (got), f, (given, d), proto; ld.param.b32 z, [got]; }
    @q add.u32 z, z, 100;
    st.param.b32 [r], z; ret;
}
.visible .entry k(.param .u64 out)
{
    .reg .b32 t, a, b, c; .reg .b64 o, s;
    ld.param.u64 o, [out]; mov.u32 t, %tid.x; mul.wide.u32 s, t, 4; add.u64 o, o, s;
    { .param .b32 given; .param .b32 d; .param .b32 got; st.param.b32 [given], t; st.param.b32 [d], 5;
      call (got), even, (given, d); ld.param.b32 a, [got]; }
    { .param .b32 given; .param .b32 d; .param .b32 got; st.param.b32 [given], t; st.param.b32 [d], 7;
      call (got), odd, (given, d); ld.param.b32 b, [got]; }
    mul.lo.u32 b, b, 3; add.u32 a, a, b;
    st.global.b32 [o], a;
    ret;
}"""


def test_a_function_that_calls_itself_twice(bench):
    out = np.zeros(32, np.int32)
    bench.run(FIBONACCI, "k", out)
    assert out.tolist() == [(0, 1, 1, 2, 3, 5, 8, 13, 21)[t % 9] for t in range(32)]


def even(n, deep):
    return deep + 1000 if n == 0 else odd(n - 1, deep + 1) + n


def odd(n, deep):
    return deep if n == 0 else even(n - 1, deep) + (100 if n > 4 else 0)


def test_a_circle_of_two_entered_from_two_places(bench):
    out = np.zeros(32, np.int32)
    bench.run(CIRCLE, "k", out)
    assert out.tolist() == [even(t, 5) + 3 * odd(t, 7) for t in range(32)]


def test_a_full_stack_ends_the_run_with_a_sentence(bench):
    text = FIBONACCI.replace("sub.u32 y, x, 1", "add.u32 y, x, 1")
    with pytest.raises(AssertionError, match="the program stopped itself"):
        bench.run(text, "k", np.zeros(32, np.int32))
    said = bench.built.printed(bench.result)
    assert (
        "a thread's stack of 8192 bytes is full (cudaDeviceSetLimit with cudaLimitStackSize gives more): block [0, 0, 0], thread [" in said
    )


# frames that divide the stack, whose last one ends where local memory does; one frame that is larger than the stack
@pytest.mark.parametrize("room", [16, 16384])
def test_a_full_stack_is_seen_before_arguments_are_stored(bench, room):
    text = FIBONACCI.replace("sub.u32 y, x, 1", "add.u32 y, x, 1").replace(".reg .pred p;", f".reg .pred p; .local .b8 room[{room}];", 1)
    with pytest.raises(AssertionError, match="the program stopped itself"):
        bench.run(text, "k", np.zeros(32, np.int32))
    assert "a thread's stack of 8192 bytes is full" in str(bench.built.printed(bench.result))


def test_the_stack_is_as_large_as_the_program_asks(bench):
    module = read(HEADER + FIBONACCI, "test.ptx")
    small, large = (module.compile("k", {}, stack_bytes=bytes) for bytes in (1024, 4096))
    assert large.local_bytes - small.local_bytes == 3072


def test_only_what_is_read_after_a_call_is_kept():
    function = read(HEADER + FIBONACCI, "test.ptx").module.functions["fib"]
    assert [sorted(live) for _, live in live_after(function)] == [["x"], ["z"]]
