"""PTX programs in which each warp of a block has steps of its own, and some of them meet: what tests of barriers and of readers share."""

import re

import numpy as np

import warploom
from warploom.checks.check import run_checked
from warploom.ptx import DEVICE_WINDOW, read

# What a warp does. W0, R0: its lane 0 writes, reads word 0 of `out`. B1,2: comes to barrier 1, for two warps; A1,2: only arrives there.
# E1: comes to barrier 1, for all warps. D50: 50 rounds of a loop. T0, M0: tells others, meets them, by an atomic on word 0 with a fence
# before it, or after it; m0: without. X: ends.
STEPS = {
    "W": "@p st.global.b32 [o+{byte}], w;",
    "R": "@p ld.global.b32 v, [o+{byte}]; add.u32 s, s, v;",
    "B": "bar.sync {0}, {threads};",
    "A": "bar.arrive {0}, {threads};",
    "E": "bar.sync {0};",
    "D": "mov.u32 c, {0};\n{at}: sub.u32 c, c, 1; setp.ne.u32 q, c, 0; @q bra {at};",
    "T": "membar.gl; @p atom.global.exch.b32 v, [o+{byte}], 1;",
    "M": "{at}: mov.u32 v, 1; @p atom.global.or.b32 v, [o+{byte}], 0; setp.eq.u32 q, v, 0; @q bra {at}; membar.gl;",
    "m": "{at}: mov.u32 v, 1; @p atom.global.or.b32 v, [o+{byte}], 0; setp.eq.u32 q, v, 0; @q bra {at};",
    "X": "ret;",
}
BEGIN = """.version 8.0\n.target sm_80\n.address_size 64
.visible .entry k(.param .u64 out) {
.reg .b32 t, w, l, v, c, s; .reg .b64 o, m; .reg .pred p, q;
ld.param.u64 o, [out]; mov.u32 t, %tid.x; shr.u32 w, t, 5; and.b32 l, t, 31; setp.eq.u32 p, l, 0;
mov.u32 s, 0; mov.u32 v, 0; mul.wide.u32 m, t, 4; add.u64 m, m, o;
"""


def text_of(warps):
    """PTX of the steps of each warp."""
    text = [BEGIN, *(f"setp.eq.u32 q, w, {warp}; @q bra warp_{warp};" for warp in range(len(warps)))]
    for warp, row in enumerate(warps):
        text.append(f"warp_{warp}:")
        for number, step in enumerate(row.split()):
            given = [int(value) for value in step[1:].split(",") if value] + [0, 0]
            text.append(STEPS[step[0]].format(*given, byte=4 * given[0], threads=32 * given[1], at=f"step_{warp}_{number}"))
        text.append("st.global.b32 [m+256], s;\nret;")
    return "\n".join([*text, "}"])


def races(warps, engine="python", short=0, **settings):
    """The pairs of warps that are in a race. short: threads that the last warp lacks."""
    device = warploom.GPU("sm", engine=engine, set={key.replace("__", "."): value for key, value in settings.items()}).device(1 << 20)
    address = device.allocate(4096)
    device.write(address, np.zeros(1024, np.int32))
    built = read(text_of(warps), "test.ptx").compile("k", {}, checked=True)
    program = built.launch((1,), (32 * len(warps) - short,), (DEVICE_WINDOW + address).to_bytes(8, "little"))
    report = run_checked(device.config, program, engine=engine, held=device.held, schedule=False)
    assert report.complete, report.result.fault
    assert {one.kind for one in report.findings} <= {"race"}, str(report)
    return sorted(tuple(sorted(int(re.findall(r"\d+", thread)[0]) // 32 for thread in one.threads)) for one in report.findings)
