"""Data files."""

import json

import numpy as np
import pytest

from warploom.cli.common import UserError
from warploom.cli.data import read_data
from warploom.isa.diagnostics import SourceError

FIX = "data memory holds bytes: whole numbers from 0 to 255"


@pytest.mark.parametrize(
    ("name", "text", "values"),
    [
        ("a.txt", "1 2 0x1f\n0b11, 255 ; five 300\n\n+7", [1, 2, 31, 3, 255, 7]),
        ("a.dat", "007,8", [7, 8]),
        ("A.CSV", '1,2,3\r\n4;"5"\t6\n', [1, 2, 3, 4, 5, 6]),
        ("a.json", "[1, [2, 3],\n [[4]]]", [1, 2, 3, 4]),
        ("a.json", '{"threads": 8, "data": [1, 2]}', [1, 2]),
        ("a.json", '{"memory": {"bytes": 2, "data": [3, 4]}, "status": "done"}', [3, 4]),
        ("a.json", '{"x": {"data": [9]}, "data": [1]}', [1]),
    ],
)
def test_numbers_in_text_csv_and_json(tmp_path, name, text, values):
    path = tmp_path / name
    path.write_text(text)
    found = read_data(str(path))
    assert (found.dtype, found.tolist()) == (np.uint8, values)


@pytest.mark.parametrize("array", [np.arange(6), np.arange(6, dtype=np.uint8).reshape(2, 3), np.array([0, 1, 2, 3, 4, 5], ">i4")])
def test_whole_numbers_of_any_type_and_shape_in_npy(tmp_path, array):
    np.save(tmp_path / "a.npy", array)
    assert read_data(str(tmp_path / "a.npy")).tolist() == [0, 1, 2, 3, 4, 5]


def test_every_wrong_number_of_a_text_is_pointed_at(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("1 2\n 300 -1 two 2.5\n")
    with pytest.raises(SourceError) as caught:
        read_data(str(path))
    assert str(caught.value).splitlines()[:4] == [
        f"{path}:2:2: error: 300 is not from 0 to 255",
        "     300 -1 two 2.5",
        "     ^~~",
        f"    fix: {FIX}",
    ]
    found = [(item.position.line, item.position.column, item.message) for item in caught.value.diagnostics]
    assert found == [
        (2, 2, "300 is not from 0 to 255"),
        (2, 6, "-1 is not from 0 to 255"),
        (2, 9, "'two' is not a whole number"),
        (2, 13, "'2.5' is not a whole number"),
    ]


def test_every_wrong_element_of_json_is_pointed_at(tmp_path):
    path = tmp_path / "a.json"
    path.write_text('[1, 256,\n [-1, "x"], 1.5, true, null,\n {"a": 1}]')
    with pytest.raises(SourceError) as caught:
        read_data(str(path))
    assert [(item.position.line, item.position.column, item.message) for item in caught.value.diagnostics] == [
        (1, 5, "256 is not from 0 to 255"),
        (2, 3, "-1 is not from 0 to 255"),
        (2, 7, '"x" is not a whole number'),
        (2, 13, "1.5 is not a whole number"),
        (2, 18, "true is not a whole number"),
        (2, 24, "null is not a whole number"),
        (3, 2, '{"a": 1} is not a whole number'),
    ]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.txt", b"", "there are no numbers in this file"),
        ("a.txt", b" ; nothing\n", "there are no numbers in this file"),
        ("a.json", b"[]", "there are no numbers in this file"),
        ("a.json", b"[1, 2", "this is not JSON: Expecting ',' delimiter"),
        ("a.json", b"5", "5 is not a list"),
        ("a.json", b'{"values": [1]}', "there is no list called data in this object"),
        ("a.json", b"[" * 100_000, "this is not JSON: it is nested too deeply"),
        ("a.csv", b"x,y\n1,2\n", "'x' is not a whole number"),
        ("a.txt", b"1\0", "this is a binary file, not source text: byte 1 is zero"),
        ("a.txt", b"\xff", "this is not text in UTF-8: byte 0 is 0xff"),
        ("a.txt", b"9" * 5000, f"{'9' * 40}... is not from 0 to 255"),
    ],
)
def test_files_without_bytes_in_them(tmp_path, name, content, message):
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(SourceError) as caught:
        read_data(str(path))
    assert caught.value.diagnostics[0].message == message


def test_a_number_too_long_for_json_is_refused(tmp_path):
    (tmp_path / "a.json").write_text("[" + "9" * 5000 + "]")
    with pytest.raises(SourceError):
        read_data(str(tmp_path / "a.json"))


@pytest.mark.parametrize(
    ("array", "message"),
    [
        (np.array([1, -5, 300]), f"element 1 is -5, not from 0 to 255, and 1 more are not; {FIX}"),
        (np.array([[0, 256]]), f"element 1 is 256, not from 0 to 255; {FIX}"),
        (np.zeros(0, np.uint8), "there are no numbers in this file"),
    ],
)
def test_wrong_numbers_in_npy(tmp_path, array, message):
    path = tmp_path / "a.npy"
    np.save(path, array)
    with pytest.raises(UserError) as caught:
        read_data(str(path))
    assert str(caught.value) == f"{path}: {message}"


@pytest.mark.parametrize("array", [np.array([1.5]), np.array(["1"]), np.array([1j])])
def test_npy_of_other_types_is_refused(tmp_path, array):
    path = tmp_path / "a.npy"
    np.save(path, array)
    with pytest.raises(UserError) as caught:
        read_data(str(path))
    assert str(caught.value) == f"{path} holds {array.dtype} numbers: save whole numbers, as numpy.save(path, array.astype('uint8'))"


def test_pickled_objects_are_never_loaded(tmp_path):
    path = tmp_path / "a.npy"
    np.save(path, np.array([{}], dtype=object), allow_pickle=True)
    with pytest.raises(UserError, match="Object arrays cannot be loaded when allow_pickle=False"):
        read_data(str(path))


@pytest.mark.parametrize("kept", [0, 5, 60, 140])
def test_a_npy_file_that_is_cut_off(tmp_path, kept):
    path = tmp_path / "a.npy"
    np.save(path, np.arange(8))
    path.write_bytes(path.read_bytes()[:kept])
    with pytest.raises(UserError, match=r"cannot be read as a \.npy file: "):
        read_data(str(path))


def test_a_npy_file_that_claims_to_be_huge(tmp_path):
    path = tmp_path / "a.npy"
    np.save(path, np.arange(8))
    path.write_bytes(path.read_bytes().replace(b"(8,), }              ", b"(888888888888888,), }"))
    with pytest.raises(UserError, match=r"cannot be read as a \.npy file: "):
        read_data(str(path))


def test_what_is_not_there(tmp_path):
    with pytest.raises(UserError) as caught:
        read_data(str(tmp_path / "a.npy"))
    assert str(caught.value) == f"{tmp_path}/a.npy: there is no such file"
    with pytest.raises(SourceError):
        read_data(str(tmp_path / "a.txt"))
    (tmp_path / "d.npy").mkdir()
    with pytest.raises(UserError, match="is a directory, not a file: name a file in it"):
        read_data(str(tmp_path / "d.npy"))


def test_the_memory_of_one_run_is_the_data_of_the_next(tmp_path):
    path = tmp_path / "run.json"
    path.write_text(json.dumps({"isa": "tiny", "memory": {"data": list(range(256))}}))
    assert read_data(str(path)).tolist() == list(range(256))
