"""Checks of OpenCL kernels: what a wave reads once, by its scalar unit, is a read by its threads."""

import json

import numpy as np
import pytest
from click.testing import CliRunner

from warploom.cli import main

LOOK = """
kernel void look(global int *p, global int *out, int writer) {
  int v = p[0];
  out[get_global_id(0)] = v;
  if (get_global_id(0) == writer)
    p[0] = 5;
}
"""
LOOK_ELSEWHERE = LOOK.replace("p[0] = 5", "p[1] = 5")


def checked(folder, text, writer):
    pytest.importorskip("ziglang", reason="the package ziglang is not installed")
    (folder / "look.cl").write_text(text)
    np.save(folder / "z.npy", np.zeros(192, np.int32))
    buffers = [f"--buffer={name}={folder / 'z.npy'}" for name in ("p", "out")]
    words = ["check", str(folder / "look.cl"), "--grid", "3", "--block", "64", *buffers, "--arg", f"writer={writer}", "--json"]
    done = CliRunner().invoke(main, words)
    return json.loads(done.stdout)


@pytest.mark.parametrize("writer", [5, 70, 190])
def test_a_word_that_a_wave_reads_once_and_a_thread_writes_is_a_race(writer, tmp_path):
    (found,) = checked(tmp_path, LOOK, writer)["launches"][0]["findings"]
    assert found["kind"] == "race" and "reads it" in found["message"] and "atomic" not in found["message"]


@pytest.mark.parametrize(("text", "writer"), [(LOOK, 500), (LOOK_ELSEWHERE, 70)], ids=["nobody writes", "another word is written"])
def test_nothing_is_said_where_nobody_writes_it(text, writer, tmp_path):
    assert checked(tmp_path, text, writer)["launches"][0]["findings"] == []


# Barriers that order the other memory: no order by OpenCL's rules (OpenCL C 2.0, 6.13.8).
OF_LOCAL = """
kernel void f(global int *p) {
  local int s[128];
  int t = get_local_id(0);
  s[t] = 2 * t;
  barrier(FLAGS);
  p[get_global_id(0)] = s[127 - t];
}
"""
OF_GLOBAL = """
kernel void f(global int *p, global int *out) {
  int i = get_global_id(0);
  p[i] = i;
  barrier(FLAGS);
  if (get_local_id(0) + 1 < get_local_size(0))
    out[i] = p[i + 1];
}
"""


@pytest.mark.parametrize(
    ("text", "flags", "races"),
    [
        (OF_GLOBAL, "CLK_LOCAL_MEM_FENCE", True),
        (OF_GLOBAL, "CLK_GLOBAL_MEM_FENCE", False),
        (OF_LOCAL, "CLK_GLOBAL_MEM_FENCE", True),
        (OF_LOCAL, "CLK_LOCAL_MEM_FENCE", False),
        (OF_LOCAL, "CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE", False),
        (OF_LOCAL, "0", True),
        (OF_LOCAL, "p[0] ? CLK_LOCAL_MEM_FENCE : 0", False),  # nobody knows: taken for an order
    ],
)
def test_a_barrier_orders_the_memory_that_it_names(text, flags, races, tmp_path):
    pytest.importorskip("ziglang", reason="the package ziglang is not installed")
    (tmp_path / "f.cl").write_text(text.replace("FLAGS", flags))
    np.save(tmp_path / "z.npy", np.zeros(256, np.int32))
    buffers = [f"--buffer={name}={tmp_path / 'z.npy'}" for name in (("p", "out") if "out" in text else ("p",))]
    done = CliRunner().invoke(main, ["check", str(tmp_path / "f.cl"), "--grid", "2", "--block", "128", *buffers, "--json"])
    found = json.loads(done.stdout)["launches"][0]["findings"]
    assert {one["kind"] for one in found} == ({"race"} if races else set())
    assert all("CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE" in one["fix"] for one in found)
