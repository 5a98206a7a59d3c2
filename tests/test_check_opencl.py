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
