"""Kernels of one PTX instruction each, against what an H100 gave for them."""

import json
import lzma

import numpy as np
import pytest

from tests.isa.sass.places import GOLDEN
from warploom import GPU
from warploom.isa.frontend import Options
from warploom.isa.frontends import open_source
from warploom.isa.launching import read_buffer

WORDS = {"r": np.uint32, "l": np.uint64, "f": np.uint32, "d": np.uint64, "h": np.uint16}
APPROXIMATE = "MUFU is correct to its published error, not bit by bit"
FUSED = "a fused double that is rounded down among subnormal numbers"
EXCEPTIONS = {  # how many of 1,024 lanes may differ, and why
    **dict.fromkeys(("rcp", "rcp_ftz", "div_full", "x_div_approx"), (70, APPROXIMATE)),
    **dict.fromkeys(("rsqrt", "x_rsq_ftz", "lg2", "x_lg2_ftz"), (290, APPROXIMATE)),
    **dict.fromkeys(("sqrt", "x_sqrt_ftz", "ex2", "x_ex2_ftz"), (180, APPROXIMATE)),
    **dict.fromkeys(("sin", "cos", "x_sin_ftz", "x_cos_ftz", "tanh"), (850, APPROXIMATE)),
    **dict.fromkeys(("rcp64", "rsqrt64", "x_rcp64h"), (40, APPROXIMATE)),
    **dict.fromkeys(("hex2", "x_htanh2", "x_btanh2", "x_bex2"), (170, APPROXIMATE)),
    **dict.fromkeys(("dfma_rz", "dfma_rm"), (1, FUSED)),
}
RECORDED = np.load(GOLDEN / "values.npz")
KINDS = {name.removeprefix("k_"): kinds for name, kinds, _ in json.loads(str(RECORDED["kinds"]))}
QUICK = (  # one of each kind
    "dp2a", "sad", "prmt_b4e", "prmt_rc16", "add_rm", "fma_rm", "dmul_rz", "dfma_rp", "dmin", "hfma2_sat", "hmin2", "bfma2", "hset2",
    "rcp", "tanh", "hex2", "x_fmin_xorsign", "x_cvt_u8", "x_cvt_sat_u8", "x_cvt_d_h", "x_cvt_relu_bf2", "x_hfma2_ftz", "x_hsetp",
    "x_dp2a_hi", "x_cvt_e4m3", "x_cvt_from_e5m2", "x_cvt_bf_rz", "x_cvt_h_rz", "shflp", "match_all", "x_min3",
)  # fmt: skip


@pytest.fixture(scope="module")
def cubin(tmp_path_factory):
    path = tmp_path_factory.mktemp("values") / "values.cubin"
    path.write_bytes(lzma.decompress((GOLDEN / "values_sm_90.cubin.xz").read_bytes()))
    return str(path)


def _agrees(cubin, name):
    kinds = KINDS[name]
    wanted = RECORDED[f"o_{name}"].astype(WORDS[kinds[0]])
    buffers = {"p0": np.zeros(len(wanted), WORDS[kinds[0]])}
    for place, kind in enumerate(kinds[1:], 1):
        buffers[f"p{place}"] = RECORDED[f"in_{kind}{place}"].astype(WORDS[kind])
    program, warnings = open_source(cubin, None, Options(cubin, grid=8, block=128, buffers=buffers, more={"kernel": f"k_{name}"}))
    assert list(warnings) == []
    result = GPU("sm").run(program)
    assert result.status == "done", result.fault
    found = read_buffer(program, result.memory, "p0").view(np.uint8)[: wanted.nbytes].view(wanted.dtype)
    most, _ = EXCEPTIONS.get(name, (0, ""))
    assert np.count_nonzero(found != wanted) <= most


@pytest.mark.every(3)
@pytest.mark.parametrize("name", QUICK)
def test_values_are_those_of_an_h100(cubin, name):
    _agrees(cubin, name)


@pytest.mark.slow
def test_every_recorded_instruction_gives_the_h100s_values(cubin):
    for name in KINDS:
        _agrees(cubin, name)
