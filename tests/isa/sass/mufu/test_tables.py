"""A data file of MUFU's functions: here one whose results are all correctly rounded."""

import json
import lzma
import zipfile

import numpy as np
import pytest

from tests.isa.sass.places import GOLDEN
from warploom import GPU
from warploom.isa.frontend import Options
from warploom.isa.frontends import open_source
from warploom.isa.launching import BufferError, read_buffer
from warploom.isa.sass.mufu.recording import main
from warploom.isa.sass.mufu.tables import COUNT, FUNCTIONS, INDEX, MufuError, Recorded, digest, results

NOTHING = lzma.compress(bytes(COUNT), preset=0)
MEMBERS = [one.member for ranges in FUNCTIONS.values() for one in ranges]


@pytest.fixture(scope="module")
def reciprocals(tmp_path_factory):
    (one,) = FUNCTIONS["rcp"]
    path = tmp_path_factory.mktemp("mufu") / "mufu.zip"
    with zipfile.ZipFile(path, "w") as file:
        file.writestr(INDEX, json.dumps(dict.fromkeys(MEMBERS, "") | {one.member: digest(results(one, NOTHING, b""))}))
        file.writestr(one.member, NOTHING)
        file.writestr("ex2.unit", NOTHING)
    return path


def program(path, more):
    cubin = path.parent / "values.cubin"
    cubin.write_bytes(lzma.decompress((GOLDEN / "values_sm_90.cubin.xz").read_bytes()))
    bits = np.random.default_rng(2).integers(0, 1 << 32, 64, dtype=np.uint64).astype(np.uint32)
    bits[:8] = (0, 0x80000000, 0x7F800000, 0x00000001, 0x7F7FFFFF, 0x3F800000, 0xFF800000, 0x7E800001)
    options = Options(
        str(cubin), grid=1, block=64, buffers={"p0": np.zeros(64, np.uint32), "p1": bits}, more={"kernel": "k_rcp_ftz", "mufu": more}
    )
    return bits, open_source(str(cubin), None, options)[0]


def test_a_run_looks_its_functions_up_and_says_so(reciprocals):
    bits, found = program(reciprocals, str(reciprocals))
    result = GPU("sm", engine="python").run(found)
    assert f"from {reciprocals}" in result.remarks[-1]
    with np.errstate(all="ignore"):
        values = np.where(bits & 0x7F800000 == 0, bits & np.uint32(0x80000000), bits).astype(np.uint32).view(np.float32)
        wanted = (1 / values.astype(np.float64)).astype(np.float32)
    flushed = np.where(np.abs(wanted) < 2.0**-126, np.copysign(np.float32(0), wanted), wanted).view(np.uint32)
    flushed = np.where(np.isnan(wanted), np.uint32(0x7FFFFFFF), flushed)
    assert np.array_equal(read_buffer(found, result.memory, "p0").view(np.uint32), flushed)


def test_without_a_file_a_run_says_that_it_is_within_the_published_errors(reciprocals, monkeypatch, tmp_path):
    monkeypatch.setenv("WARPLOOM_CACHE", str(tmp_path))
    _, found = program(reciprocals, None)
    assert "within the published errors" in found.remarks[-1]
    assert len(found.functions) == 0


def test_files_that_give_other_results_are_refused(reciprocals):
    with pytest.raises(MufuError, match=r"its table 'ex2\.unit' does not give the recorded results on this computer"):
        Recorded(reciprocals).read("ex2")
    with pytest.raises(MufuError, match=r"there is no table 'tanh\.e125' in it"):
        Recorded(reciprocals).read("tanh")


def test_files_that_are_none_are_one_sentence(tmp_path, capsys):
    path = tmp_path / "no.zip"
    path.write_bytes(b"PK")
    with pytest.raises(BufferError, match=r"--mufu: .*no\.zip is not a data file of MUFU's functions"):
        program(path, str(path))
    with pytest.raises(BufferError, match=r"--mufu: .*gone: no such file"):
        program(path, str(tmp_path / "gone"))
    assert main([str(path)]) == 1
    assert "is not a recording" in capsys.readouterr().err
