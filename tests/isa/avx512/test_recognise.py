"""Files whose ending others have too: x86's are known by what is in them."""

import struct

from warploom.isa.avx512.recognise import is_x86
from warploom.isa.frontends import front_end


def test_compilers_text_and_x86_files_are_taken_and_others_are_left(tmp_path):
    header = bytearray(b"\x7fELF" + bytes(60))
    struct.pack_into("<H", header, 18, 62)
    files = {
        "a.s": b".intel_syntax noprefix\nret\n",
        "b.elf": bytes(header),
        "c.s": b"mov r0.x, 1\nret\n",
        "d.elf": b"\x7fELF" + bytes(60),
        "e.elf": b"",
    }
    for name, data in files.items():
        (tmp_path / name).write_bytes(data)
    assert [front_end(tmp_path / name).name for name in files] == ["avx512", "avx512", "guppy", "riscv", "riscv"]
    assert not is_x86(tmp_path / "nothing.elf")
