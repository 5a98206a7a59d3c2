"""Addresses that a loader writes into code."""

from dataclasses import replace

import numpy as np
import pytest

from tests.isa.sass.nvidia.compilers import needs_compilers
from warploom.gpu import GPU
from warploom.isa.frontend import Options
from warploom.isa.frontends import open_source
from warploom.isa.launching import read_buffer
from warploom.isa.sass.cubin import Cubin, Kernel, Relocation, Symbol
from warploom.isa.sass.linking import NOWHERE, Addresses, linked
from warploom.machine.config.presets import load_config

VARIABLE, ABSENT = Symbol("table", 7, 0x10, 4, False, False), Symbol("elsewhere", 0, 0, 0, True, False)


def test_a_symbols_address_is_written_where_the_relocation_says():
    relocations = (
        Relocation(0, 56, VARIABLE, 4),
        Relocation(16, 57, VARIABLE, 0),
        Relocation(32, 75, ABSENT, 0),
        Relocation(48, 1, VARIABLE, 0),
    )
    kernel = Kernel("k", 5, bytes(64), 8, relocations=relocations)
    found = Cubin("k.cubin", 80, {"k": kernel}, {}, {}, {}, (), {}, ())
    _, changed = linked(found, kernel, Addresses(found, kernel, {7: 0x1_2345_6000}))
    words = np.frombuffer(changed.code, np.uint32).reshape(-1, 4)
    assert words[:, 1].tolist() == [0x23456014, 1, NOWHERE, 0]
    assert not words[:, [0, 2, 3]].any()
    assert replace(changed, code=kernel.code) == kernel


PTX = """.version 7.0
.target sm_70
.address_size 64
.extern .func (.param .b32 status) vprintf(.param .b64 form, .param .b64 values);
.global .align 1 .b8 form[7] = {37, 100, 33, 33, 33, 10, 0};
.global .align 4 .u32 table[4] = {5, 6, 7, 8};
.visible .entry shows(.param .u64 p)
{
    .local .align 8 .b8 values[8];
    .reg .b64 %rd<9>;
    .reg .b32 %r<5>;
    ld.param.u64 %rd1, [p];
    mov.u64 %rd2, table;
    ld.global.u32 %r1, [%rd2+8];
    st.global.u32 [%rd1], %r1;
    mov.u64 %rd3, values;
    cvta.local.u64 %rd4, %rd3;
    st.local.u32 [%rd3], %r1;
    mov.u64 %rd5, form;
    cvta.global.u64 %rd6, %rd5;
    {
        .param .b64 a;
        .param .b64 b;
        .param .b32 c;
        st.param.b64 [a], %rd6;
        st.param.b64 [b], %rd4;
        call.uni (c), vprintf, (a, b);
        ld.param.b32 %r2, [c];
    }
    ret;
}
"""


@needs_compilers
def test_what_nvjitlink_leaves_open_is_filled_in(tmp_path):
    path = tmp_path / "shows.ptx"
    path.write_text(PTX)
    options = Options(machine="a100", block=1, grid=1, buffers={"p0": np.zeros(1, np.uint32)})
    result = GPU(load_config("a100", {"gpu.cores": 1}), engine="python").run(open_source(path, "sass", options).program)
    assert (result.status, result.console) == ("done", ("7!!!",))


TABLE = """__constant__ int table[4] = {5, 6, 7, 8};
extern "C" __global__ void picks(int n, const int *there, int *out)
{
    const int *from = n > 1 ? table : there;
    out[threadIdx.x] = from[threadIdx.x] + table[n & 3];
}
"""


@needs_compilers
@pytest.mark.parametrize("architecture", [70, 80, 90])
def test_a_pointer_to_constants_leads_to_what_they_hold(tmp_path, architecture):
    path = tmp_path / "picks.cu"
    path.write_text(TABLE)
    found = []
    for n in (0, 2):
        buffers = {"there": np.arange(4, dtype=np.int32), "out": np.zeros(4, np.int32)}
        more = {"words": [f"-arch=sm_{architecture}"]}
        program = open_source(path, "sass", Options(machine="sm", block=4, grid=1, buffers=buffers, arguments={"n": n}, more=more)).program
        found.append(read_buffer(program, GPU(load_config("sm", {"gpu.cores": 1}), engine="python").run(program).memory, "out").tolist())
    assert found == [[5, 6, 7, 8], [12, 13, 14, 15]]
