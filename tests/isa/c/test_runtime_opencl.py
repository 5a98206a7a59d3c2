"""OpenCL C's own functions on GCN: of vectors, of whole numbers, of floats, against NumPy."""

import numpy as np
import pytest
from click.testing import CliRunner

from warploom.cli import main

pytest.importorskip("ziglang", reason="C is compiled by the package ziglang: pip install 'warploom[cc]'")

VECTORS = """
kernel void vectors(global float4 *x, global int4 *n, global uchar4 *c, global float *r, local float *tmp, float3 dir) {
  int i = get_global_id(0);
  float4 v = x[i];
  v = clamp(v, 0.25f, 0.75f) + floor(v * 4) + mix(v, v.wzyx, 0.5f) + step(0.5f, v) + rint(v * 3) + fabs(-v) + sign(v - 0.5f);
  int4 m = max(n[i], (int4)(3)) + min(n[i], 7) + add_sat(n[i], (int4)(2147483640)) % 1000 + convert_int4(v) + (n[i] > 2);
  c[i] = convert_uchar4(m & 255);
  n[i] = m;
  tmp[get_local_id(0)] = dot(v, (float4)(1, 2, 3, 4)) + length(dir) + distance(v.xy, v.zw) + cross(dir, v.xyz).z;
  work_group_barrier(CLK_LOCAL_MEM_FENCE);
  float4 w = vload4(0, tmp + (get_local_id(0) & ~3));
  r[i] = w.x + w.y * 2 + w.z * 3 + w.w * 4 + as_float(as_int(v.x)) + select(1.0f, 2.0f, i & 1) + native_powr(2.0f, v.y)
    + exp(v.z) + log(v.w + 2) + isnan(v.x) + smoothstep(0.0f, 2.0f, v.x) + native_divide(v.x, 2.0f) + native_sin(v.y);
  vstore4(v, i, (global float *)x);
}
"""
WHOLE = """
kernel void whole(global int *a, global uint *u) {
  int i = get_global_id(0);
  u[9 * i] = rotate((uint)a[i], 3u);
  u[9 * i + 1] = popcount((uint)a[i]) + 100 * clz((uint)a[i]) + 10000 * ctz(a[i] | 64);
  u[9 * i + 2] = mul_hi((uint)a[i], 77777u);
  u[9 * i + 3] = abs_diff(a[i], 5) + abs((short)a[i]);
  u[9 * i + 4] = (uint)hadd(a[i], 3) + (uint)rhadd(a[i], 4);
  u[9 * i + 5] = upsample((ushort)a[i], (ushort)7);
  u[9 * i + 6] = convert_uchar_sat(a[i]) + 1000 * convert_char_sat_rte(a[i] * 0.5f);
  u[9 * i + 7] = mad24(a[i], 3, 2) + (int)sub_sat(a[i], 5);
  int seen = atomic_cmpxchg((volatile global int *)&u[9 * i + 8], 0, a[i]);
  mem_fence(CLK_GLOBAL_MEM_FENCE);
  if (seen) u[9 * i + 8] = seen;
}
"""


def run(folder, text, block, arrays, *words):
    (folder / "k.cl").write_text(text)
    command = ["run", str(folder / "k.cl"), "--grid", "1", "--block", str(block), "--quiet", "--engine", "python"]
    for name, one in arrays.items():
        np.save(folder / f"{name}.npy", one)
        command += ["--buffer", f"{name}={folder / name}.npy", "--save", f"{name}={folder / name}.out.npy"]
    done = CliRunner().invoke(main, [*command, *words])
    assert done.exit_code == 0 and "warning" not in done.output, done.output
    return {name: np.load(folder / f"{name}.out.npy") for name in arrays}


def test_vectors(tmp_path):
    random = np.random.default_rng(1)
    x, n = random.random((16, 4)).astype(np.float32), random.integers(-10, 20, (16, 4))
    given = {"x": x.ravel(), "n": n.astype(np.int32).ravel(), "c": np.zeros(64, np.uint8), "r": np.zeros(16, np.float32)}
    found = run(tmp_path, VECTORS, 16, given, "--arg", "tmp=64", "--arg", "dir=1,2,2")
    half = np.float32(0.5)
    v = np.clip(x, 0.25, 0.75) + np.floor(x * 4) + (x + (x[:, ::-1] - x) * half) + (x >= half) + np.rint(x * 3) + x + np.sign(x - half)
    v = v.astype(np.float32).astype(np.float64)
    m = np.maximum(n, 3) + np.minimum(n, 7) + np.minimum(n + 2147483640, 2**31 - 1) % 1000 + v.astype(np.int64) - (n > 2)
    assert np.array_equal(found["x"].reshape(16, 4), v.astype(np.float32))
    assert np.array_equal(found["n"].reshape(16, 4), m) and np.array_equal(found["c"].reshape(16, 4), m & 255)
    t = v @ np.array([1.0, 2, 3, 4]) + 3 + np.hypot(v[:, 0] - v[:, 2], v[:, 1] - v[:, 3]) + v[:, 1] - 2 * v[:, 0]
    rows = np.repeat(t.reshape(4, 4) @ np.array([1.0, 2, 3, 4]), 4)
    s, odd = np.clip(v[:, 0] / 2, 0, 1), np.arange(16, dtype=np.int64) & 1
    more = np.exp2(v[:, 1]) + np.exp(v[:, 2]) + np.log(v[:, 3] + 2) + np.sin(v[:, 1])
    assert np.allclose(found["r"], rows + v[:, 0] * 1.5 + np.where(odd, 2, 1) + s * s * (3 - 2 * s) + more, rtol=1e-6)


def of_whole(x):
    """What a thread of `whole` leaves, as Python's numbers."""
    u = x & 0xFFFFFFFF
    short, low = (x + (1 << 15)) % (1 << 16) - (1 << 15), (u & 0xFFFFFF) - (u & 0x800000) * 2
    ends = ((u | 64) & -(u | 64)).bit_length() - 1
    near = round(float(np.float32(x) * np.float32(0.5)))
    return [
        u << 3 | u >> 29, u.bit_count() + 100 * (32 - u.bit_length()) + 10000 * ends, u * 77777 >> 32, abs(x - 5) + abs(short),
        (x + 3 >> 1) + (x + 5 >> 1), (u & 0xFFFF) << 16 | 7, min(max(x, 0), 255) + 1000 * min(max(near, -128), 127),
        low * 3 + 2 + max(x - 5, -(1 << 31)), u,
    ]  # fmt: skip


def test_whole_numbers(tmp_path):
    a = [0, 1, -1, 100, -(1 << 31), (1 << 31) - 1, 7, -51]
    found = run(tmp_path, WHOLE, 8, {"a": np.array(a, np.int32), "u": np.zeros(72, np.uint32)})["u"].reshape(8, 9)
    assert found.tolist() == [[one & 0xFFFFFFFF for one in of_whole(x)] for x in a]


def test_what_needs_amds_library_is_refused_by_its_name(tmp_path):
    (tmp_path / "k.cl").write_text("kernel void k(global float *x) { x[0] = sin(x[0]); }\n")
    done = CliRunner().invoke(main, ["run", str(tmp_path / "k.cl"), "--grid", "1", "--block", "1"])
    assert done.exit_code == 2 and "'sin' is unavailable: AMD's library has sin, which is not here: native_sin is" in done.output
