"""Assembly text: what is accepted, what is refused and how, and what is warned of."""

import numpy as np
import pytest

import warploom
from tests.places import EXAMPLES
from warploom.isa.avx512.front_end import load
from warploom.isa.diagnostics import SourceError
from warploom.isa.frontend import Options
from warploom.isa.launching import BufferError
from warploom.isa.uop import ADDRESS


def memory(result, count=16, name="memory"):
    space = result.program.address_space()
    region = next(one for one in space.regions if one.name == name)
    return np.ascontiguousarray(result.memory[space.slice_of(region)]).view(np.uint32)[:count].tolist()


def ran(text, threads=16, engine="python", gpu="avx512", **options):
    loaded = load(text.encode(), Options(path="x.avx512", threads=threads, **options))
    result = warploom.GPU(gpu, engine=engine).run(loaded.program)
    assert result.status == "done", result.fault
    return result


def refused(text):
    with pytest.raises(SourceError) as caught:
        load(text.encode(), Options(path="x.avx512"))
    return str(caught.value)


def example(name, threads=None, engine="python"):
    program = warploom.load(EXAMPLES / "avx512" / f"{name}.avx512")
    program = program if threads is None else load(EXAMPLES / "avx512" / f"{name}.avx512", Options(threads=threads)).program
    return warploom.GPU("avx512", engine=engine).run(program)


@pytest.mark.parametrize("engine", ["python", "native"])
def test_the_examples_give_what_they_promise(engine):
    numbers = np.arange(48)
    assert memory(example("if", 48, engine), 48) == (numbers + 100 * (numbers & 1)).tolist()
    lanes = [sum(range(lane, 16)) for lane in range(16)]
    assert memory(example("loop", engine=engine)) == lanes
    assert memory(example("if_else", engine=engine)) == [n + 100 if n < 5 else (n - 7) % (1 << 32) for n in range(16)]
    assert memory(example("if_else_slip", engine=engine)) == [n + 100 if n < 5 else n for n in range(16)]
    assert memory(example("histogram", engine=engine), 4) == [4] * 4
    assert memory(example("call", 64, engine), 4) == [sum(range(16 * n, 16 * n + 16)) for n in range(4)]


def test_the_last_warp_has_the_threads_that_are_left():
    assert memory(example("if", 20), 24) == [n + 100 * (n & 1) for n in range(20)] + [0] * 4


def test_a_wider_machine_leaves_the_other_lanes_alone_and_a_narrower_one_stops():
    text = "mov eax, 0x10000000\nvmovdqu32 zmmword ptr [rax], zmm0\nret"
    assert memory(ran(text, gpu="sm"), 17) == [*range(16), 0]
    program = load(text.encode(), Options(path="x.avx512")).program
    assert warploom.GPU("avx512", set={"core.lanes": 8}, engine="python").run(program).status == "error"


def test_the_slip_is_warned_of_with_its_reason_and_the_right_order_is_not():
    path = EXAMPLES / "avx512" / "if_else_slip.avx512"
    (warning,) = load(path, Options()).warnings
    assert warning.message == (
        "andn ebx, eax, ebx is ~eax & ebx, and ebx is a part of eax: the mask is empty whatever the lanes hold, "
        "and what it guards never runs"
    )
    assert warning.position.line == next(n for n, line in enumerate(path.read_text().splitlines(), 1) if line.lstrip().startswith("andn"))
    assert warning.fix.startswith("the complement comes first: andn ebx, ebx, eax")
    for name in ("if", "loop", "if_else", "histogram", "call"):
        assert not load(EXAMPLES / "avx512" / f"{name}.avx512", Options()).warnings


@pytest.mark.parametrize(
    ("lines", "warned"),
    [
        ("vptestmd k2 {k1}, zmm0, zmm1\nkandnw k3, k1, k2", True),
        ("vptestmd k2 {k1}, zmm0, zmm1\nkandnw k3, k2, k1", False),
        ("vptestmd k2, zmm0, zmm1\nkandnw k3, k1, k2", False),
        ("kandw k2, k1, k4\nkandnw k3, k1, k2", True),
        ("kmovw eax, k1\nvptestmd k1 {k1}, zmm0, zmm1\nkmovw eax, k1\nkmovw ebx, k1\nandn ebx, eax, ebx", True),
        ("vptestmd k2 {k1}, zmm0, zmm1\nkortestw k2, k2\nje 1f\nkmovw k2, ecx\n1:\nkandnw k3, k1, k2", False),
        ("1:\nkandnw k3, k1, k2\nvptestmd k2 {k1}, zmm0, zmm1\nkortestw k2, k2\njne 1b", False),
    ],
)
def test_a_mask_is_a_part_of_another_only_where_all_paths_say_so(lines, warned):
    assert bool(load(f"{lines}\nret".encode(), Options(path="x.avx512")).warnings) is warned


@pytest.mark.parametrize(
    ("line", "said", "fix"),
    [
        ("vpcmpltud k1 {k1}, zmm0, 16", "vpcmpltud takes no number here: a constant lies in a register", "constant: .long 16"),
        ("vpadddd zmm0, zmm1, zmm2", "there is no instruction 'vpadddd', did you mean 'vpaddd'?", ""),
        ("vpaddd zmm0 {k0}, zmm1, zmm2", "k0 cannot be a mask", "use k1 to k7"),
        ("vpaddd zmm0 {z}, zmm1, zmm2", "{z} needs a mask", "write {k1}{z}"),
        ("vpaddd zmm0, ymm1, zmm2", "the operands are not those of vpaddd", "write vpaddd v1"),
        ("vpmuludq zmm0 {k1}, zmm1, zmm2", "vpmuludq takes no mask", ""),
        ("vpgatherdd zmm0, dword ptr [rax + 4*zmm1]", "vpgatherdd needs a mask, which it clears", ""),
        ("mov eax, [rbx + 3*rcx]", "an index is a register, times 1, 2, 4 or 8", "write [rsi + 4*rcx]"),
        ("mov eax, [ebx]", "ebx cannot be in an address: it has not 64 bits", ""),
        ("mov eax, qwerty ptr [rbx]", "'qwerty' is not a size of memory", ""),
        ("mov r8d, ah", "the operands are not those of mov", ""),
        ("movzx r8d, ah", "the operands are not those of movzx", ""),
        ("jne nowhere", "there is no label 'nowhere'", ""),
        ("vpgatherdd zmm0 {k1}, dword ptr [rax + 4*zmm0]", "its index is its destination", ""),
        ("vaddps zmm0, zmm1, zmm2, {rz-sae}", "it asks for the rounding rz-sae", ""),
        (".lung 4", "there is no directive '.lung', did you mean '.long'?", ""),
        (".long 99999999999", "'99999999999' is not a number of 32 bits", ""),
        (".threads many", ".threads takes one number", "write .threads 16"),
    ],
)
def test_a_mistake_is_named_with_its_place(line, said, fix):
    text = refused(f"main:\n    {line}\n    ret\n")
    assert text.startswith("x.avx512:2:") and said in text and fix in text
    assert "^" in text


def test_all_mistakes_are_told_at_once_and_nothing_is_no_program():
    assert refused("vpadd zmm0\nmovv eax\nret").count("error:") == 2
    assert "there is no instruction in this file" in refused("# nothing\n")
    assert "is there already" in refused("a:\na:\nret")


def test_jumps_are_as_short_as_they_can_be():
    near = load(b"jmp 1f\n1:\nret", Options(path="x.avx512")).program
    far = load(b"jmp 1f\n" + b"vpaddd zmm0, zmm0, zmm0\n" * 40 + b"1:\nret", Options(path="x.avx512")).program
    steps = [int(np.diff(program.code[9:11, ADDRESS])[0]) for program in (near, far)]
    assert steps == [2, 5]


def test_data_labels_sizes_and_the_stack():
    text = """
    main:
        mov rbp, rsp
        push 7
        pop rcx
        mov rdx, qword ptr [rip + pair]
        vpbroadcastd zmm1, dword ptr [rip + pair + 4]
        mov eax, 0x10000000
        vmovd dword ptr [rax], xmm1
        mov dword ptr [rax + 4], ecx
        mov qword ptr [rax + 8], rdx
        sub rbp, rsp
        mov dword ptr [rax + 16], ebp
        movzx ecx, byte ptr [rip + small]
        mov byte ptr [rax + 21], cl
        vaddps zmm2, zmm1, dword ptr [rip + half]{1to16}
        ret
    .section .rodata
    pair: .long 3, 0x12345678
    small: .byte 0x80, 1
    .p2align 2
    half: .float 0.5
    """
    assert memory(ran(text), 6) == [0x12345678, 7, 3, 0x12345678, 0, 0x8000]


def test_calls_through_registers_and_memory_return():
    text = """
    main:
        lea rcx, [rip + add]
        call rcx
        mov edx, 0x10000000
        mov dword ptr [rdx + 8], ecx
        call qword ptr [rdx + 8]
        call add
        mov dword ptr [rdx], eax
        ret
    add:
        add eax, 5
        ret
    """
    assert memory(ran("xor eax, eax\n" + text.replace("main:", "")), 1) == [15]


def test_what_a_launch_cannot_be_is_refused():
    for options, said in (({"block": 32}, "a block of 32 threads"), ({"threads": 1 << 20}, "a program of AVX-512 has 0 to 65536")):
        with pytest.raises(BufferError, match=said):
            load(b"ret", Options(path="x.avx512", **options))


def test_the_arguments_of_a_warp():
    text = "mov eax, 0x10000000\nmov dword ptr [rax + 8*rsi], esi\nmov dword ptr [rax + 8*rsi + 4], edx\nret"
    assert memory(ran(text, threads=40), 6) == [0, 3, 1, 3, 2, 3]


def test_machine_code_alone_is_a_program():
    code = bytes.fromhex("b80000001062f17e487f00c3")  # mov eax, 0x10000000; vmovdqu32 zmmword ptr [rax], zmm0; ret
    program = warploom.load(code, "avx512")
    assert program.text[-2:] == ("ret", "ret")
    assert memory(warploom.GPU("avx512", engine="python").run(program)) == list(range(16))
