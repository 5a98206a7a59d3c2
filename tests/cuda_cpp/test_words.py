"""nvcc's command line."""

import pytest

from warploom.cuda_cpp.words import BY_OUTPUT, BadWord, parse

CMAKE = (
    "-forward-unknown-to-host-compiler -DN=3 -I/x/include -isystem=/y --generate-code=arch=compute_80,code=[compute_80,sm_80] -O3 -DNDEBUG "
    "-std=c++17 -Xcompiler=-fPIC -x cu -rdc=false -c a.cu -o a.o"
)


def test_a_line_of_cmake_is_taken():
    found = parse(CMAKE.split())
    assert (found.sources, found.output, found.stage, found.level) == (["a.cu"], "a.o", "compile", "3")
    assert found.both == ["-DN=3", "-I/x/include", "-isystem", "/y", "-DNDEBUG"]


def test_what_an_object_file_is_made_from_is_asked_for():
    found = parse(["-MD", "-MT", "dir/a.cu.o", "-MF", "dir/a.cu.o.d", "-x", "cu", "-c", "a.cpp", "-o", "dir/a.cu.o"])
    assert (found.depends, found.target, found.sources, found.language) == ("dir/a.cu.o.d", "dir/a.cu.o", ["a.cpp"], "cu")
    assert parse(["-MMD", "-c", "a.cu"]).depends == BY_OUTPUT


def test_denormal_numbers_are_flushed_where_it_is_said():
    assert parse(["-ftz=true"]).device == ["-fgpu-flush-denormals-to-zero"]
    assert parse(["--ftz=false"]).device == []


def test_options_with_and_without_a_blank_are_the_same():
    assert parse(["-O", "1", "-D", "N=2", "-I", "d", "a.cu"]) == parse(["-O1", "-DN=2", "-Id", "a.cu"])


def test_headers_need_cxx17_at_least():
    assert parse(["-std=c++11"]).standard == "c++17"
    assert parse(["-std=c++20"]).standard == "c++20"


@pytest.mark.parametrize(
    "words, said",
    [
        (["-lcublas"], "-lcublas: cuBLAS is not there yet"),
        (["-cubin"], "-cubin: a cubin is not made here; executables, object files (-c), libraries (-lib) and PTX (-ptx, -fatbin) are"),
        (["--nonsense"], "--nonsense is not an option of nvcc that is known here"),
        (["-o"], "-o needs a value"),
        (["a.txt"], "a.txt: its ending is not one of"),
    ],
)
def test_what_cannot_be_followed_is_named(words, said):
    with pytest.raises(BadWord) as refused:
        parse(words)
    assert str(refused.value).startswith(said)


def test_words_in_a_file_and_libraries_by_path(tmp_path):
    words = tmp_path / "includes.rsp"
    words.write_text('-isystem "/a folder" -DN=3\n')
    found = parse(["a.cu", "--options-file", str(words), f"@{words}", "/usr/local/cuda/lib/libcudart.so", "/usr/lib/librt.a", "own.a"])
    assert found.both == ["-isystem", "/a folder", "-DN=3"] * 2 and found.objects == ["own.a"]
    with pytest.raises(BadWord, match=r"--options-file nowhere\.rsp: it cannot be read: No such file or directory"):
        parse(["--options-file", "nowhere.rsp"])
    with pytest.raises(BadWord, match="cuBLAS is not there yet"):
        parse(["a.cu", "/usr/local/cuda/lib/libcublas.so"])
