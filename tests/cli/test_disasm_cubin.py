import json

from click.testing import CliRunner

from tests.isa.sass.places import path_of
from warploom.cli.entry import main


def _said(*words):
    result = CliRunner().invoke(main, ["disasm", *map(str, words)])
    return result.exit_code, result.output


def test_a_cubin_is_listed_with_control_words_and_lines():
    status, text = _said(path_of(80), "--kernel", "saxpy")
    assert status == 0
    assert "16 instructions, 10 registers, 0 bytes of shared memory" in text
    assert "x c[0x0][0x168] 8 bytes (float32 *)" in text
    assert "y[i] = a * x[i] + y[i];" in text
    assert "LDG.E R2, [R2.64]" in text


def test_a_cubin_as_json():
    status, text = _said(path_of(90), "--json")
    body = json.loads(text)
    assert status == 0 and body["architecture"] == 90 and len(body["kernels"]) == 10
    assert {"address", "word", "text", "control", "line"} == set(body["kernels"][0]["instructions"][0])


def test_a_kernel_that_is_not_there_is_one_sentence():
    status, text = _said(path_of(80), "--kernel", "saxpi")
    assert status == 2 and "there is no kernel 'saxpi'" in text
