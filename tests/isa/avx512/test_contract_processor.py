"""Snippets made by chance, on this machine's processor and on the simulator. Skipped where the processor has no AVX-512."""

import numpy as np
import pytest

from tests.isa.avx512 import processor
from tests.isa.avx512.hardware import GENERAL, run

pytestmark = pytest.mark.skipif(not processor.available(), reason="this processor has no AVX-512")
MEMORY = 0x10000000
FLOATS = [0.0, -0.0, 1.5, -1.5, 2.5, 1e30, np.inf, -np.inf, 1e-40, 3e9, -3e9, 0.5, -0.5, 7.25, 1.0, -7.75, 4294967040.0, 2147483520.0]
NANS = [0x7FC00000, 0xFFC00000, 0x7FC12345, 0x7F800001, 0xFFBFFFFF]
FREE = [name for name in GENERAL if name != "rsp"]
LOW = {name: "e" + name[1:] if name[1:].isalpha() else name + "d" for name in FREE}


def number(random, edges):
    return int(random.choice(edges)) if random.random() < 0.5 else int(random.integers(0, 1 << 32))


def vectors(random, floats):
    edges = (
        [int(np.float32(x).view(np.uint32)) for x in FLOATS] + NANS if floats else [0, 1, 31, 32, 33, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 5]
    )
    few = random.random() < 0.3
    return [[int(random.integers(0, 6)) if few and not floats else number(random, edges) for _ in range(16)] for _ in range(32)]


def z(random, width="zmm"):
    return f"{width}{random.integers(0, 16)}"


def masked(random):
    return random.choice(["", f" {{k{random.integers(1, 8)}}}", f" {{k{random.integers(1, 8)}}}{{z}}"])


THREE = [
    "vpaddd",
    "vpsubd",
    "vpmulld",
    "vpandd",
    "vpandnd",
    "vpord",
    "vpxord",
    "vpsllvd",
    "vpsrlvd",
    "vpsravd",
    "vpminsd",
    "vpmaxsd",
    "vpminud",
    "vpmaxud",
    "vprolvd",
    "vprorvd",
    "vpermd",
    "vpermi2d",
    "vpermt2d",
    "vpblendmd",
]
FLOAT_THREE = ["vaddps", "vsubps", "vmulps", "vdivps", "vminps", "vmaxps"]
FLOAT_THREE += [f"vf{sign}{name}{order}ps" for sign in ("", "n") for name in ("madd", "msub") for order in ("132", "213", "231")]
TWO = ["vpabsd", "vplzcntd", "vmovdqa32", "vpconflictd", "vpcompressd", "vpexpandd"]
FLOAT_TWO = ["vsqrtps", "vcvtdq2ps", "vcvtudq2ps", "vcvtps2dq", "vcvttps2dq", "vcvttps2udq"]
SHIFTS = ["vpslld", "vpsrld", "vpsrad", "vprold", "vprord", "vpshufd"]
COMPARE = [f"vpcmp{kind}{suffix}" for kind in ("eq", "lt", "le", "neq", "nlt", "nle") for suffix in ("d", "ud")] + [
    "vptestmd",
    "vptestnmd",
    "vpcmpgtd",
]
LOGIC = [f"k{name}{suffix}" for name in ("and", "andn", "or", "xor", "xnor") for suffix in "bwdq"]
SCALAR = ["add", "sub", "and", "or", "xor", "cmp", "test", "imul"]
ONE = ["inc", "dec", "neg", "not"]


def vector_line(random, floats):
    kind = random.integers(0, 7)
    if kind == 0 and floats:
        return f"vcmpps k{random.integers(1, 8)}{random.choice(['', ' {k2}'])}, {z(random)}, {z(random)}, {random.integers(0, 32)}"
    if kind == 0:
        return f"{random.choice(COMPARE)} k{random.integers(1, 8)}{random.choice(['', ' {k2}'])}, {z(random)}, {z(random)}"
    if kind == 1:
        name = random.choice(FLOAT_TWO if floats else TWO)
        return f"{name} {z(random)}{masked(random)}, {z(random)}"
    if kind == 2 and floats:
        return f"vrndscaleps {z(random)}{masked(random)}, {z(random)}, {random.integers(8, 12)}"
    if kind == 2:
        return f"{random.choice(SHIFTS)} {z(random)}{masked(random)}, {z(random)}, {random.choice([0, 1, 7, 31, 32, 33, 255, 0x1B])}"
    if kind == 3 and not floats:
        return f"vpternlogd {z(random)}{masked(random)}, {z(random)}, {z(random)}, {random.integers(0, 256)}"
    if kind == 4 and not floats:
        a, b, c = (z(random, width) for width in [random.choice(["xmm", "ymm"])] * 3)
        return f"{random.choice(['vpaddd', 'vpsubd', 'vpmulld', 'vpminsd', 'vpsllvd'])} {a}, {b}, {c}"
    if kind == 5 and not floats:
        return random.choice(
            [
                f"vpmuludq {z(random)}, {z(random)}, {z(random)}",
                f"vextracti64x4 {z(random, 'ymm')}, {z(random)}, {random.integers(0, 2)}",
                f"vpbroadcastd {z(random)}{masked(random)}, {random.choice(list(LOW.values()))}",
                f"vpbroadcastmw2d {z(random)}, k3",
                f"vpmovm2d {z(random)}, k4",
                f"vpmovd2m k5, {z(random)}",
                f"valignd {z(random)}, {z(random)}, {z(random)}, {random.integers(0, 16)}",
                f"vinserti64x4 {z(random)}, {z(random)}, {z(random, 'ymm')}, 1",
                f"vmovd {z(random, 'xmm')}, eax",
                f"vmovd ebx, {z(random, 'xmm')}",
                "vzeroupper",
            ]
        )
    return f"{random.choice(FLOAT_THREE if floats else THREE)} {z(random)}{masked(random)}, {z(random)}, {z(random)}"


def scalar_line(random):
    wide = random.random() < 0.5
    name = (lambda: random.choice(FREE)) if wide else (lambda: LOW[random.choice(FREE)])
    kind = random.integers(0, 9)
    condition = random.choice(["e", "ne", "b", "ae", "a", "be", "l", "ge", "g", "le", "s", "ns", "o", "p"])
    if kind == 0:
        return [f"{random.choice(['shl', 'shr', 'sar'])} {name()}, {random.integers(1, 64 if wide else 32)}"]
    if kind == 1:
        return [f"{random.choice(ONE)} {name()}"]
    if kind == 2:
        return [f"cmp {name()}, {random.integers(-128, 128)}", f"set{condition} {random.choice(['al', 'bl', 'ch', 'r9b'])}"]
    if kind == 3:
        return [f"sub {name()}, {name()}", f"cmov{condition} {name()}, {name()}"]
    if kind == 4:
        return [f"lea {name()}, [{random.choice(FREE)} + {random.choice([1, 2, 4, 8])}*{random.choice(FREE)} + {random.integers(-99, 99)}]"]
    if kind == 5:
        return [f"{random.choice(['popcnt', 'tzcnt', 'lzcnt', 'bsf', 'bsr'])} {name()}, {name()}", "xor edx, edx"]
    if kind == 6:
        return [
            f"movzx {LOW[random.choice(FREE)]}, {random.choice(['al', 'sil', 'r10b', 'cx'])}",
            "movsx eax, bh",
            f"movsxd {random.choice(FREE)}, ecx",
        ]
    if kind == 7:
        return [f"add rax, {name() if wide else 'rbx'}", f"adc rdx, {random.choice(FREE)}", f"sbb r8, {random.choice(FREE)}"]
    operation = random.choice(SCALAR)
    if operation == "imul":
        return [f"imul {name()}, {name()}", "xor edi, edi"]
    return [f"{operation} {name()}, {random.choice([name(), str(random.integers(-1000, 1000))])}"]


def compared(body, random, floats=False):
    snippet = processor.Snippet(body)
    zmm = vectors(random, floats)
    masks = [0xFFFF] + [int(random.choice([0xFFFF, 0, 0x5A5A, int(random.integers(0, 1 << 16))])) for _ in range(7)]
    edges = [0, 1, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF]
    general = {name: number(random, edges) << 32 | number(random, edges) for name in GENERAL}
    expected = snippet.run(zmm, masks, general, None)
    before = {
        "zmm": {f"zmm{n}": words for n, words in enumerate(zmm)},
        "k": {f"k{n}": mask for n, mask in enumerate(masks)},
        "gpr": general,
    }
    found = run(snippet.code, before, MEMORY, [])
    text = "\n".join(body)
    for lane_register in range(32):
        wrong = np.flatnonzero(found[0][lane_register] != expected[0][lane_register])
        assert not len(wrong), (text, f"zmm{lane_register}", wrong, found[0][lane_register], expected[0][lane_register])
    assert found[1] == expected[1], (text, [hex(x) for x in found[1]], [hex(x) for x in expected[1]])
    assert found[2] == expected[2], (
        text,
        {name: (hex(found[2][name]), hex(expected[2][name])) for name in GENERAL if found[2][name] != expected[2][name]},
    )
    assert found[3] == expected[3], text


@pytest.mark.parametrize("seed", range(6))
def test_vector_instructions_on_integers(seed):
    random = np.random.default_rng(seed)
    compared([vector_line(random, False) for _ in range(40)] + ["xor eax, eax"], random)


@pytest.mark.parametrize("seed", range(6))
def test_vector_instructions_on_floats(seed):
    random = np.random.default_rng(100 + seed)
    compared([vector_line(random, True) for _ in range(40)] + ["xor eax, eax"], random, floats=True)


@pytest.mark.parametrize("seed", range(3))
def test_masks(seed):
    random = np.random.default_rng(200 + seed)
    k = lambda: f"k{random.integers(0, 8)}"  # noqa: E731
    body = []
    for _ in range(20):
        body.append(f"{random.choice(LOGIC)} {k()}, {k()}, {k()}")
        body.append(f"kshift{random.choice(['l', 'r'])}{random.choice(['b', 'w'])} {k()}, {k()}, {random.integers(0, 20)}")
        body += [f"knot{random.choice(list('bwdq'))} {k()}, {k()}", f"kmov{random.choice(list('bwd'))} {k()}, eax", f"kmovq rbx, {k()}"]
        body += [f"k{random.choice(['ortest', 'test'])}{random.choice(list('bwdq'))} {k()}, {k()}", "setc al", "sete cl"]
    compared(body, random)


@pytest.mark.parametrize("seed", range(8))
def test_general_registers_and_flags(seed):
    random = np.random.default_rng(300 + seed)
    compared([line for _ in range(25) for line in scalar_line(random)] + ["add eax, ebx"], random)


SINGLE = ["vaddss", "vsubss", "vmulss", "vdivss", "vminss", "vmaxss", "vsqrtss"]
SINGLE += [f"vf{sign}{name}{order}ss" for sign in ("", "n") for name in ("madd", "msub") for order in ("132", "213", "231")]
PARTS = ["ax", "bx", "cx", "si", "r9w"]


@pytest.mark.parametrize("seed", range(4))
def test_single_floats(seed):
    random = np.random.default_rng(400 + seed)
    x = lambda: z(random, "xmm")  # noqa: E731
    body = []
    for _ in range(12):
        body.append(f"{random.choice(SINGLE)} {x()}, {x()}, {x()}")
        body += [f"vcvtsi2ss {x()}, {x()}, {random.choice(list(LOW.values()))}", f"vcvttss2si {random.choice(list(LOW.values()))}, {x()}"]
        body += [f"{random.choice(['vucomiss', 'vcomiss'])} {x()}, {x()}", f"set{random.choice(['a', 'ae', 'b', 'be', 'e', 'p'])} al"]
    compared([*body, "xor eax, eax"], random, floats=True)


@pytest.mark.parametrize("seed", range(2))
def test_words_of_16_bits(seed):
    random = np.random.default_rng(500 + seed)
    part = lambda: random.choice(PARTS)  # noqa: E731
    body = []
    for _ in range(12):
        body += [f"{random.choice(['add', 'sub', 'and', 'or', 'xor', 'cmp', 'test'])} {part()}, {part()}", f"mov {part()}, {part()}"]
        body += [f"add {part()}, {random.integers(-128, 128)}", f"and al, {random.integers(0, 128)}", "setl dil"]
    compared([*body, "add eax, ebx"], random)
