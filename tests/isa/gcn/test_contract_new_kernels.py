"""Kernels compiled here for gfx803, some for gfx900, of kinds that the recorded ones are not: memory holds afterwards what NumPy says."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from warploom import GPU
from warploom.isa.frontend import Options
from warploom.isa.frontends import open_source
from warploom.isa.launching import read_buffer

pytest.importorskip("ziglang", reason="C is compiled by the package ziglang: pip install 'warploom[cc]'")

SOURCE = Path(__file__).with_name("kernels.cl")
BLOCKS, THREADS = 2, 64
ITEMS = BLOCKS * THREADS
ZIG = [sys.executable, "-m", "ziglang"]
RANDOM = np.random.default_rng(7)
H, G = (RANDOM.standard_normal(ITEMS).astype("e") * np.float16(3) for _ in range(2))
HH, GG = np.concatenate([H, G]), np.concatenate([G[::-1], H])
D, E = (RANDOM.standard_normal(ITEMS) * 1e3 for _ in range(2))
L, M = (RANDOM.integers(-(1 << 63), (1 << 63) - 1, ITEMS) for _ in range(2))
U, V = (RANDOM.integers(0, 1 << 32, ITEMS, dtype=np.uint64).astype("u4") for _ in range(2))
WORD = (1 << 32) - 1


def by_block(function):
    """What a function of a block's items gives, for both blocks."""
    return lambda values: np.concatenate([function(block) for block in values.reshape(BLOCKS, THREADS)])


def sent(block):
    lanes, every, some = np.arange(THREADS), np.zeros(THREADS, "u4"), np.zeros(THREADS, "u4")
    every[(lanes * 5 + 3) & 63] = block
    some[lanes[1::2] >> 1] = block[1::2]
    return every * np.uint32(3) + np.where(lanes & 1, some, 0).astype("u4")


def bytes_and_limits(x, y):
    x, y = int(x), int(y)
    pairs = list(zip(x.to_bytes(4, "little"), y.to_bytes(4, "little"), strict=True))
    masked = 3 + sum(abs(p - q) for p, q in pairs if q)
    mean = sum((p + q + (1 if n == 0 else 0) >> 1) << 8 * n for n, (p, q) in enumerate(pairs))
    return masked + mean + (max(x - y, 0) >> 5) + (min(x + y, WORD) >> 7) & WORD


def fused(x, y, z):
    return (x.astype("d") * y.astype("d") + z.astype("d")).astype("e")


def generic(block):
    """What lanes find that point to LDS, to themselves and to memory in turn."""
    lanes = np.arange(THREADS)
    held = np.choose(lanes % 3, [lanes * lanes, lanes * 3, block]).astype("u4")
    return held + np.uint32(7) + np.uint32(100000) * (held + np.uint32(12))


def arrays(values, n):
    """Of each item, an array of sixteen words of which some are chosen by what it holds."""
    items, lanes = np.arange(ITEMS), np.arange(ITEMS) % THREADS
    table = values[:, None] * np.arange(1, 17, dtype="u4")
    table[:, n & 15] = 1
    table[items, values & 15] += np.uint32(5)
    return table[items, lanes & 15] + np.uint32(3) * table[:, n + 3 & 15] + table[items, values & 15]


def pairs_of_shorts(x, y):
    """Sums and differences that stay where 16 bits end, in each half."""
    x, y = x.astype("i4"), y.astype("i4")
    other = y.reshape(-1, 2)[:, ::-1].ravel()
    total, difference = (np.clip(value, -0x8000, 0x7FFF) for value in (x + y, other - x))
    return (total - np.minimum(x, y) + (x >> 5) + difference * y).astype("i2")


LONGS = L.view("u8")
# By kernel: its buffers, what the first one holds afterwards, its arguments.
KERNELS = {
    "half_arithmetic": ({"o": np.zeros(ITEMS, "e"), "a": H, "b": G}, H * G + np.where(H > G, H - G, G + np.float16(1.5)), {}),
    "half_pairs": ({"o": np.zeros(2 * ITEMS, "e"), "a": HH, "b": GG}, HH * GG + HH - GG.reshape(-1, 2)[:, ::-1].ravel(), {}),
    "half_rounding": (
        {"o": np.zeros(ITEMS, "e"), "a": H, "b": G},
        np.maximum(H, G) - np.minimum(H, G) + np.floor(H) + np.trunc(G) + np.rint(H) + np.ceil(G),
        {},
    ),
    "half_fused": ({"o": np.zeros(ITEMS, "e"), "a": H, "b": G}, fused(H, G, H), {}),
    "double_functions": (
        {"o": np.zeros(ITEMS), "a": D, "b": E},
        D / E + np.sqrt(np.abs(D)) + np.floor(D) + np.ceil(E) + np.trunc(D) + np.rint(E),
        {},
    ),
    "long_arithmetic": (
        {"o": np.zeros(ITEMS, "i8"), "a": LONGS, "b": M.view("u8")},
        L * M + (L >> 7) - (M << 3) + np.minimum(L, M) + (LONGS >> np.uint64(9)).view("i8"),
        {},
    ),
    "long_atomics": ({"h": np.zeros(3, "u8"), "a": LONGS}, np.array([LONGS.sum(), (-LONGS).sum(), LONGS.max()]), {}),
    "long_atomics_in_lds": (
        {"o": np.zeros(4, "u8"), "a": LONGS},
        by_block(lambda block: np.array([(-block).sum(), np.bitwise_xor.reduce(block)]))(LONGS),
        {},
    ),
    "lds_of_the_launch": (
        {"o": np.zeros(ITEMS, "u4")},
        np.array([((lane + 3) % THREADS) ** 2 + block for block in range(BLOCKS) for lane in range(THREADS)], "u4"),
        {"n": 3, "t": 4 * THREADS},
    ),
    "sends": ({"o": np.zeros(ITEMS, "u4"), "a": U}, by_block(sent)(U), {}),
    "private_through_a_pointer": ({"o": np.zeros(ITEMS, "u4"), "a": U}, U * np.uint32(2) + np.uint32(1), {}),
    "generic_pointers": ({"o": np.zeros(ITEMS, "u4"), "a": U}, by_block(generic)(U), {}),
    "array_in_registers": ({"o": np.zeros(ITEMS, "u4"), "a": U}, arrays(U, 6), {"n": 6}),
    "short_pairs": ({"o": np.zeros(2 * ITEMS, "i2"), "a": U.view("i2"), "b": V.view("i2")},
                    pairs_of_shorts(U.view("i2"), V.view("i2")), {}),
    "bytes_and_limits": (
        {"o": np.zeros(ITEMS, "u4"), "a": U, "b": V},
        np.array([bytes_and_limits(x, y) for x, y in zip(U, V, strict=True)], "u4"),
        {},
    ),
}  # fmt: skip


@pytest.fixture(scope="module")
def compiled(tmp_path_factory):
    """By version of code objects, level and processor: a code object."""
    folder, found = tmp_path_factory.mktemp("kernels"), {}

    def made(version, level, processor):
        if (version, level, processor) not in found:
            path = folder / f"{processor}{version}{level}.co"
            object_ = path.with_suffix(".o")
            options = ["--target=amdgcn-amd-amdhsa", f"-mcpu={processor}", "-nogpulib", f"-mcode-object-version={version}", f"-O{level}"]
            options += ["-x", "cl", "-cl-std=CL2.0", "-cl-no-stdinc", "-cl-kernel-arg-info", "-fno-discard-value-names", "-w"]
            subprocess.run([*ZIG, "clang", *options, "-c", str(SOURCE), "-o", str(object_)], check=True)
            subprocess.run([*ZIG, "ld.lld", "-shared", str(object_), "-o", str(path)], check=True)
            found[version, level, processor] = path
        return found[version, level, processor]

    return made


@pytest.mark.every(3)
@pytest.mark.parametrize(("version", "level"), [(4, "0"), (5, "2"), (6, "s")])
@pytest.mark.parametrize("name", KERNELS)
def test_a_kernel_leaves_what_numpy_says(compiled, name, version, level):
    leaves_what_numpy_says(compiled(version, level, "gfx803"), name, "python" if level == "2" else "native")


@pytest.mark.parametrize(
    ("name", "instruction"), [("half_pairs", "v_pk_"), ("short_pairs", "v_pk_"), ("array_in_registers", "s_set_gpr_idx_on")]
)
def test_instructions_of_vega_do_the_same(compiled, name, instruction):
    program = leaves_what_numpy_says(compiled(6, "2", "gfx900"), name)
    assert any(text.startswith(instruction) for text in program.text)


def leaves_what_numpy_says(path, name, engine="python"):
    """Runs a kernel of a code object and looks at its first buffer; returns the program."""
    buffers, expected, arguments = KERNELS[name]
    given = {key: values.copy() for key, values in buffers.items()}
    options = Options(str(path), grid=BLOCKS, block=THREADS, buffers=given, arguments=arguments, more={"kernel": name})
    program = open_source(path, None, options).program
    result = GPU("gcn", engine=engine).run(program, max_cycles=1_000_000)
    assert result.status == "done", str(result.fault)
    kind = next(iter(buffers.values())).dtype
    found = read_buffer(program, result.memory, next(iter(buffers))).view(np.uint8)[: expected.nbytes].view(kind)
    if kind == np.float64:
        np.testing.assert_allclose(found, expected, rtol=1e-12)
    else:
        assert found.tolist() == expected.astype(kind).tolist()
    return program
