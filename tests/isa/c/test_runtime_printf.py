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
    ("%a %d", "1.0f * one, one", "0x1p+0 1"),
    ("%a", "-0.1f * one", "-0x1.99999ap-4"),
    ("%A", "1e30f * one", "0X1.93E594P+99"),
    ("%a", "0.0f * one", "0x0p+0"),
    ("%.2a", "1.99902f * one", "0x2.00p+0"),
    ("%.0a", "2.5f * one", "0x1p+1"),
    ("%.1a", "1.09375f * one", "0x1.2p+0"),
    ("%+#.0a|%16.3a|%-16a|%016a", "1.0f * one, 1.5f, 1.5f, -1.5f", "+0x1.p+0|      0x1.800p+0|0x1.8p+0        |-0x00000001.8p+0"),
    ("%.15a", "1e-42f * one", "0x1.650000000000000p-140"),
    ("%a", "1e200", "0x1.4e718d7d7625ap+664"),
    ("%A %a", "1.0f / (one - 1), -1.0f / (one - 1)", "INF -inf"),
    ("%.40d|%+.34x|%44.40d|%-44.40d|", "-5, 0xAB * one, 5, 5", f"-{5:040}|{0xAB:034x}|    {5:040}|{5:040}    |"),
    ("%d%n %d%hhn", "1000 * one, counts, 20, (signed char *)&counts[1]", "1000 20"),
    ("%d %d", "counts[0], counts[1]", "4 7"),
    ("%5%%d", "one", "%1"),
)
UNKNOWN = (
    ("%d %2$d %d", "7, 8, 9", "7 %2$d %d"),
    ("%'d %d", "7, 8", "%'d %d"),
    ("%Lf %d", "1.0, 8", "%Lf %d"),
    ("a%y%d", "7", "a%y%d"),
    ("100%", "0", "100%"),
    ("%-*.3", "7", "%-*.3"),
)


@pytest.mark.parametrize("number", [2022, 2024])
@pytest.mark.parametrize("level", ["0", "2"])
def test_what_is_printed_is_what_c_prints(number, level, tmp_path):
    path = tmp_path / "kernel.c"
    lines = "\n".join(f'  printf("{form}\\n", {given});' for form, given, _ in (*CASES, *SHORT, *UNKNOWN))
    begin = "  int one = ones[global_id()], counts[2] = {0, 0};"
    path.write_text(f"#include <warploom.h>\nkernel void k(const int *ones) {{\n{begin}\n{lines}\n}}\n")
    options = Options(path=str(path), threads=2, buffers={"ones": np.ones(2, np.int32)}, more={"optimise": level})
    result = GPU(f"vortex-{number}", engine="native").run(load(path, f"vortex-{number}", options=options))
    assert result.status == "done", result.fault
    wanted = [form.replace("ll", "").replace("l", "") % value for form, _, value in CASES] + [text for _, _, text in (*SHORT, *UNKNOWN)]
    for lane in range(2):
        assert [line.removeprefix(f"#{lane}: ") for line in result.console if line.startswith(f"#{lane}: ")] == wanted
