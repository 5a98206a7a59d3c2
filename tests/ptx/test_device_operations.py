"""One PTX instruction a kernel, with the bits that an H100 gave: equal, or in a table here with the reason.

`tests/golden/h100/ops.npz`: of each instruction its letters and text, and its lanes; arguments are shared (`in_r1`: the first one of 32
bits). Letters: r a word of 32 bits, l of 64, f and d floats, h half a word; the first one is the result's.
"""

import json
import re
import struct

import numpy as np
import pytest

import warploom
from tests.places import ROOT
from warploom.ptx import DEVICE_WINDOW, read

HEADER = ".version 8.3\n.target sm_90\n.address_size 64\n"
REGISTERS = {"r": ("b32", 4), "l": ("b64", 8), "f": ("f32", 4), "d": ("f64", 8), "h": ("b16", 2)}
OF_THE_MACHINE = {"clock", "clock64", "timer", "smid", "dynsmem"}
TOGETHER = 12  # instructions in one kernel

# What PTX leaves open, by arguments: a remainder of 32 bits by zero, places of fields beyond 255, and -2^31 set bits downwards.
OPEN = {
    "x_rem_s": lambda x, y: y == 0, "x_rem_u": lambda x, y: y == 0,
    "x_bfe64": lambda x, at, size: (at > 255) | (size > 255), "x_bfi64": lambda x, y, at, size: (at > 255) | (size > 255),
    "fns": lambda x, at, count: count == 1 << 31,
}  # fmt: skip
# Approximations: how far from the device's result, relative to it and at least, as the manual bounds both; and which arguments count.
APPROXIMATE = {
    **dict.fromkeys(("rcp", "rcp_ftz", "rsqrt", "x_rsq_ftz", "sqrt", "x_sqrt_ftz", "ex2", "x_ex2_ftz", "div_full"),
                    (2**-22, 2**-149, None)),
    **dict.fromkeys(("lg2", "x_lg2_ftz"), (2**-21, 2**-22, None)),
    **dict.fromkeys(("sin", "cos", "x_sin_ftz", "x_cos_ftz"), (0.0, 2**-19, lambda x: np.abs(x) <= np.pi)),
    "tanh": (2**-10, 0.0, None), "x_div_approx": (2**-22, 2**-149, lambda x, y: np.abs(y) <= 2.0**126),
    **dict.fromkeys(("rcp64", "x_rcp64h", "rsqrt64"), (2**-19, 0.0, None)),
    **dict.fromkeys(("hex2", "x_htanh2"), (2**-9, 2**-24, None)),
    **dict.fromkeys(("x_btanh2", "x_bex2"), (2**-7, 2**-133, None)),
}  # fmt: skip
BRAINS = {"x_btanh2", "x_bex2"}  # of floats that a word is the register of


@pytest.fixture(scope="module")
def recorded():
    with np.load(ROOT / "tests/golden/h100/ops.npz") as found:
        return {name: found[name] for name in found.files}


def instructions():
    with np.load(ROOT / "tests/golden/h100/ops.npz") as found:
        kinds = found["kinds"]
    rows = json.loads(str(kinds) if kinds.dtype.kind == "U" else bytes(kinds).decode())
    return [(name.removeprefix("k_"), kinds, text) for name, kinds, text in rows if name.removeprefix("k_") not in OF_THE_MACHINE]


ROWS = instructions()


def kernel(rows):
    """The names of the arguments, and a kernel that does every row for its own lane."""
    given = sorted({f"{letter}{place}" for _, kinds, _ in rows for place, letter in enumerate(kinds) if place})
    lines = [f".reg .b64 %p{one}; ld.param.u64 %p{one}, [p{one}];" for one in given]
    for number, (_, kinds, text) in enumerate(rows):
        text = text.replace("{{", "{").replace("}}", "}").replace("%%", "\0")
        text = re.sub(r"%(\d)", lambda found, number=number: f"%v{number}_{found[1]}", text).replace("\0", "%")
        for place, letter in enumerate(kinds):
            kind, size = REGISTERS[letter]
            lines.append(f".reg .{kind} %v{number}_{place};")
            if place:
                lines.append(f"mul.wide.u32 %o, %t, {size}; add.s64 %a, %p{letter}{place}, %o;")
                lines.append(f"ld.global.{kind} %v{number}_{place}, [%a];")
        kind, size = REGISTERS[kinds[0]]
        lines.append(f"{{ {text} }}")
        lines.append(f".reg .b64 %q{number}; ld.param.u64 %q{number}, [q{number}]; mul.wide.u32 %o, %t, {size};")
        lines.append(f"add.s64 %a, %q{number}, %o; st.global.{kind} [%a], %v{number}_0;")
    parameters = ", ".join(f".param .u64 {one}" for one in [*(f"p{one}" for one in given), *(f"q{n}" for n in range(len(rows)))])
    begin = (
        ".reg .b64 %o, %a; .reg .b32 %t, %b, %w; mov.u32 %b, %ctaid.x; mov.u32 %w, %ntid.x; mov.u32 %t, %tid.x; mad.lo.u32 %t, %b, %w, %t;"
    )
    return given, f".visible .entry k({parameters}) {{\n{begin}\n" + "\n".join(lines) + "\nret; }\n"


def results(rows, recorded):
    given, text = kernel(rows)
    built = read(HEADER + text, "operations.ptx").compile("k", {})
    device = warploom.GPU("sm").device(1 << 22)
    arrays = [*(recorded[f"in_{one}"] for one in given), *(np.zeros_like(recorded[f"o_{name}"]) for name, _, _ in rows)]
    places = [device.allocate(one.nbytes) for one in arrays]
    for place, one in zip(places, arrays, strict=True):
        device.write(place, one)
    parameters = b"".join(struct.pack("<Q", DEVICE_WINDOW + place) for place in places)
    result = device.run(built.launch((arrays[0].size // 128,), (128,), parameters, 0))
    assert result.status == "done", result.fault
    outputs = list(zip(places, arrays, strict=True))[len(given) :]
    return [device.read(place, one.nbytes).view(one.dtype) for place, one in outputs]


def floats(name, letter, bits):
    """Bits as the floats that they are; of two halves in a word, one after the other."""
    if letter in "fd":
        return bits.view(np.float64 if letter == "d" else np.float32).astype(np.float64)
    if name in BRAINS:
        return (bits.view(np.uint16).astype(np.uint32) << np.uint32(16)).view(np.float32).astype(np.float64)
    return bits.view(np.float16).astype(np.float64)


def differs(name, kinds, found, wanted, arguments):
    """The lanes whose results are neither the same bits nor what a table allows."""
    same = found == wanted
    if name in OPEN:
        same |= OPEN[name](*arguments)
    if name not in APPROXIMATE:
        return np.flatnonzero(~same)
    ours, theirs = (floats(name, kinds[0], one) for one in (found, wanted))
    relative, least, counts = APPROXIMATE[name]
    with np.errstate(all="ignore"):
        near = np.abs(ours - theirs) <= np.maximum(relative * np.abs(theirs), least)
        alike = near | (ours == theirs) | (np.isnan(ours) & np.isnan(theirs))
        if counts is not None:
            alike |= ~counts(*(floats(name, letter, one) for letter, one in zip(kinds[1:], arguments, strict=True)))
    return np.flatnonzero(~(same | alike.reshape(len(same), -1).all(axis=1)))


@pytest.mark.parametrize("first", range(0, len(ROWS), 4 * TOGETHER))
def test_results_have_the_bits_of_an_h100(first, recorded):
    for begin in range(first, min(first + 4 * TOGETHER, len(ROWS)), TOGETHER):
        rows = ROWS[begin : begin + TOGETHER]
        for (name, kinds, text), found in zip(rows, results(rows, recorded), strict=True):
            arguments = [recorded[f"in_{letter}{place}"] for place, letter in enumerate(kinds) if place]
            wanted = recorded[f"o_{name}"]
            lanes = differs(name, kinds, found, wanted, arguments)[:1]
            shown = [[hex(int(one[lane])) for one in (*arguments, found, wanted)] for lane in lanes]
            assert not shown, f"{text}: arguments, ours and the device's: {shown}"
