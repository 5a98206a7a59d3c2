"""Sections of a text as bytes."""

from warploom.ptx.debug.sections import SYMBOLS, Sections

TEXT = """.target sm_80, debug
$L__begin:
    add.s32 a, a, a;
$L__end:
    .section .debug_loc
    {
$L__list:
.b64 $L__begin
.b64 $L__end
    }
    .section .debug_info {
.b8 1, -1                               // two bytes
.b32 $L__after-$L__inside
$L__inside:
.b64 variable
.b32 .debug_loc
.b32 $L__list+8
$L__after:
    }
"""


def test_labels_of_code_are_lines_and_labels_of_sections_are_places_in_them() -> None:
    found = Sections(TEXT)
    assert bytes(found.bytes[".debug_loc"]) == (2).to_bytes(8, "little") + (4).to_bytes(8, "little")
    info = bytes(found.bytes[".debug_info"])
    assert info[:6] == b"\x01\xff" + (16).to_bytes(4, "little")
    assert int.from_bytes(info[6:14], "little") == SYMBOLS and found.symbols == {SYMBOLS: "variable"}
    assert info[14:] == (0).to_bytes(4, "little") + (8).to_bytes(4, "little")


def test_a_text_without_sections_has_no_bytes() -> None:
    assert Sections(".target sm_80\n").bytes == {}
