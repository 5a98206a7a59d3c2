"""printf of the run-time: the same text as C's own, on both generations, with and without optimisation."""

import numpy as np
import pytest

from warploom.gpu import GPU
from warploom.isa import load
from warploom.isa.frontend import Options

pytest.importorskip("ziglang", reason="C is compiled by the package ziglang: pip install 'warploom[cc]'")

# (format, the argument in C, the argument in Python)
CASES = (
    ("%lld", "-1234567890123456789LL * one", -1234567890123456789),
    ("%lld", "(-9223372036854775807LL - 1) * one", -(1 << 63)),
    ("%llu", "18446744073709551615ULL * (unsigned)one", (1 << 64) - 1),
    ("%llx", "0xFEDCBA9876543210ULL * (unsigned)one", 0xFEDCBA9876543210),
    ("%d", "-2147483647 - one", -(1 << 31)),
    ("%ld", "42L * one", 42),
    ("%+d", "7 * one", 7),
    ("%05d", "-42 * one", -42),
    ("%-6d|", "31 * one", 31),
    ("%.4d", "31 * one", 31),
    ("%08x", "0xBEEF * one", 0xBEEF),
    ("%X", "0xBEEF * one", 0xBEEF),
    ("%o", "64 * one", 64),
    ("%c", "'a' + one", "b"),
    ("%.3s", '"abcdef"', "abcdef"),
    ("%8s", '"abc"', "abc"),
    ("%8.2f", "1.75f * one", 1.75),
    ("%.3f", "-0.125f * one", -0.125),
    ("%.1f", "-16777215.0f * one", -16777215.0),
    ("%.1f", "16777216.0f * one", 16777216.0),
    ("%.0f", "4294967296.0f * one", float(1 << 32)),
    ("%.0f", "1e12f * one", float(np.float32(1e12))),
    ("%f", "1e19f * one", float(np.float32(1e19))),
    ("%f", "1.0f / (one - 1)", float("inf")),
    ("%.0f", "2.5f * one", 2.5),
    ("%.1f", "0.25f * one", 0.25),
    ("%.12f", "0.1f * one", float(np.float32(0.1))),
    ("%.3f", "16777217.5", 16777217.5),
    ("%f", "3.4e38f * one", float(np.float32(3.4e38))),
    ("%e", "12345.678f * one", float(np.float32(12345.678))),
    ("%.2E", "9.999f * one", 9.999),
    ("%14.3e|", "-1e-30f * one", -1e-30),
    ("%.9e", "1e-40f * one", float(np.float32(1e-40))),
    ("%e", "0.0f * one", 0.0),
    ("%g", "0.1f * one", 0.1),
    ("%g", "1e6f * one", 1e6),
    ("%g", "0.0001f * one", 0.0001),
    ("%-12G|", "1e-10f * one", 1e-10),
    ("%.3g", "999.9f * one", 999.9),
    ("%#g", "1.5f * one", 1.5),
    ("%#x", "255 * one", 255),
    ("%#X", "0xBEEF * one", 0xBEEF),
    ("%08.3f", "-3.5f * one", -3.5),
)
SHORT = (
    ("%hd", "70000 * one", "4464"),
    ("%hhd", "300 * one", "44"),
    ("%hu", "-one", "65535"),
    ("%#o", "8 * one", "010"),
    ("%a %d", "1.0f * one, one", "(hexadecimal) 1"),
)


@pytest.mark.parametrize("number", [2022, 2024])
@pytest.mark.parametrize("level", ["0", "2"])
def test_what_is_printed_is_what_c_prints(number, level, tmp_path):
    path = tmp_path / "kernel.c"
    lines = "\n".join(f'  printf("{form}\\n", {given});' for form, given, _ in (*CASES, *SHORT))
    path.write_text(f"#include <warploom.h>\nkernel void k(const int *ones) {{\n  int one = ones[global_id()];\n{lines}\n}}\n")
    options = Options(path=str(path), threads=2, buffers={"ones": np.ones(2, np.int32)}, more={"optimise": level})
    result = GPU(f"vortex-{number}", engine="native").run(load(path, f"vortex-{number}", options=options))
    assert result.status == "done", result.fault
    wanted = [form.replace("ll", "").replace("l", "") % value for form, _, value in CASES] + [text for _, _, text in SHORT]
    for lane in range(2):
        assert [line.removeprefix(f"#{lane}: ") for line in result.console if line.startswith(f"#{lane}: ")] == wanted
