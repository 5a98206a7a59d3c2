"""The judge's side of a CUDA program, without one: what it reads, and what a stranger's requests lead to."""

import socket
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace

import pytest

import warploom
from warploom.cuda_cpp.compiler import HEADER, INCLUDE
from warploom.cuda_cpp.protocol import Kind, Request
from warploom.cuda_cpp.server import Server
from warploom.grade.guard import STARTING
from warploom.grade.host import cuda
from warploom.grade.host.child import Limits
from warploom.grade.host.cuda import CudaProgram, _taken, own_sources
from warploom.grade.host.launches import Launches
from warploom.grade.host.runner import HostRunner
from warploom.grade.host.wire import Ended
from warploom.grade.runs import Stopped
from warploom.grade.submission import Unreadable, read_submission

SECRET = "int secret = 42;"
PTX = """.version 8.0
.target sm_80
.address_size 64
.file 1 "{}"
.visible .entry k() {{
.loc 1 1 1
wmma.load x;
ret;
}}
"""


@pytest.fixture
def program(tmp_path):
    made = CudaProgram.__new__(CudaProgram)
    (tmp_path / "mine").mkdir()
    made.copy, made._folder = tmp_path / "mine" / "a.cu", SimpleNamespace(name=str(tmp_path / "mine"))
    made.copy.write_text("__global__ void k();")
    return made


def served(sources, checked=False):
    return Server(warploom.GPU("sm", engine="python").device(1 << 16), None, lambda place: "", lambda text: None, checked, sources)


def request(kind, text="", **numbers):
    return Request(kind, *(numbers.get(name, 0) for name in "abcd"), bytearray(text.encode()))


def test_the_submission_and_our_headers_are_read_and_nothing_else(program, tmp_path):
    read = own_sources(program.copy)
    (tmp_path / "reference.cu").write_text(SECRET)
    (tmp_path / "mine" / "link.cu").symlink_to(tmp_path / "reference.cu")
    assert read("a.cu") == read(str(program.copy)) == program.copy.read_text()
    assert read(str(INCLUDE / "driver_types.h"))
    for other in (tmp_path / "reference.cu", "../reference.cu", "link.cu", f"{INCLUDE}/../../../pyproject.toml", "/dev/zero", "a\0b", ""):
        assert read(str(other)) is None


def test_a_message_never_quotes_a_file_that_the_kernel_names(program, tmp_path):
    """Names a file as `#line 1 "reference.cu"` does."""
    reference = tmp_path / "reference.cu"
    reference.write_text(SECRET)
    for name, quoted in ((reference, False), (program.copy, True)):
        server = served(own_sources(program.copy))
        program._answer(request(Kind.MODULE, f"{HEADER}{program.copy}\n{PTX.format(name)}"), server)
        with pytest.raises(Stopped) as error:
            program._answer(request(Kind.FUNCTION, "k"), server)
        assert "wmma.load is not there yet" in str(error.value)
        assert SECRET not in str(error.value)
        assert (program.copy.read_text() in str(error.value)) == quoted


def test_a_check_names_no_memory_after_lines_of_other_files(program, tmp_path):
    (tmp_path / "reference.cu").write_text("cudaMalloc(&secret, 4);")
    program.copy.write_text("cudaMalloc(&mine, 4);")
    server = served(own_sources(program.copy), checked=True)
    names = iter([f"{tmp_path}/reference.cu:1", "/dev/zero:1", f"{program.copy}:1"])
    server.line = lambda place: next(names)
    for _ in range(3):
        server.answer(request(Kind.ALLOCATE, a=4, b=256))
    assert [one.name for one in server.allocations.held.values()] == ["", "", "mine"]


@pytest.mark.parametrize("error", [AssertionError(), AttributeError("x"), KeyError(1), RecursionError(), ZeroDivisionError()])
def test_whatever_a_request_leads_to_is_not_the_judges_end(program, error):
    def fails(asked):
        raise error

    with pytest.raises(Stopped, match=f"it asked the device for what the runtime does not ask for: {type(error).__name__}"):
        program._answer(request(Kind.TIME), SimpleNamespace(answer=fails))


def test_half_a_message_is_an_end(monkeypatch):
    monkeypatch.setattr("warploom.grade.host.cuda.WIRE_SECONDS", 0.01)
    ours, theirs = socket.socketpair()
    with ours, theirs:
        theirs.sendall(b"1234")
        with pytest.raises(Ended):
            _taken(ours)


@pytest.mark.parametrize(
    "line",
    ['#include "/srv/reference.cu"', '#  include "/srv/x"', "#include</srv/x>", '#include/**/"../x"', '#include "a/../../x"', '#embed "x"',
     'asm(".incbin x");', '\xff\n#include "/x"', '%:include "/x"'],
)  # fmt: skip
def test_a_text_that_includes_a_file_outside_is_not_compiled(tmp_path, line):
    path = tmp_path / "a.cu"
    path.write_bytes(f"{line}\nint main() {{}}\n".encode("latin-1"))
    with pytest.raises(Unreadable, match="of a file outside is not allowed"):
        HostRunner(SimpleNamespace(program=1), read_submission(path), "python")


def test_our_own_headers_may_be_included(tmp_path, monkeypatch):
    monkeypatch.setattr(CudaProgram, "__init__", lambda self, *given: None)
    Path(tmp_path / "a.cu").write_text('#include <cuda_runtime.h>\n#include "cuda.h"\nconst char *s = "..";\n')
    HostRunner(SimpleNamespace(program=1), read_submission(tmp_path / "a.cu"), "python")


def test_a_process_that_never_begins_is_refused(program, tmp_path, monkeypatch):
    waited = []

    def receive(wire, seconds):
        waited.append(seconds)
        raise Ended

    program.gpu, program.program = warploom.GPU("sm", engine="python"), program.copy
    program.task, program.name = SimpleNamespace(folder=tmp_path), "a.cu"
    monkeypatch.setattr(cuda, "Child", lambda *given: nullcontext(SimpleNamespace(wire=None)))
    monkeypatch.setattr(cuda, "send", lambda *given: None)
    monkeypatch.setattr(cuda, "receive", receive)
    with pytest.raises(Stopped, match="its process ended before the program began"):
        program.run("", [], Limits(1, 1, 1), Launches(1000), checked=False)
    assert waited == [STARTING]
