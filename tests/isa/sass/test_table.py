import random

import pytest

from tests.isa.sass.places import ARCHITECTURES, GOLDEN, bytes_of
from warploom.isa.sass import cubin
from warploom.isa.sass.instruction import encode
from warploom.isa.sass.table import ROWS, decode, decoded


def _instructions(architecture):
    for name, kernel in cubin.read(bytes_of(architecture), "k.cubin").kernels.items():
        for one in decoded(kernel.code, architecture):
            yield name, one


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_every_line_is_that_of_nvidias_disassembler(architecture):
    """Recorded with nvdisasm 13.5.37, jumps to labels as addresses."""
    wanted, name = {}, ""
    for line in (GOLDEN / f"kernels_sm_{architecture}.txt").read_text().splitlines():
        if line.endswith(":"):
            name = line[:-1]
        else:
            address, _, text = line.partition(" ")
            wanted[name, int(address, 16)] = text
    found = {(name, one.address): one.text() for name, one in _instructions(architecture) if (name, one.address) in wanted}
    assert len(found) == len(wanted) > 700
    assert {place: (found[place], text) for place, text in wanted.items() if found[place] != text} == {}


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_encoding_gives_the_word_back(architecture):
    for _, one in _instructions(architecture):
        assert one.row is not None
        assert encode(one) == one.word


# Words of kernels for several architectures, and what nvdisasm 13.5.37 writes of them.
WRITTEN = (
    (80, 0x3F803F8000087431, 0x000FE20000260804, "HFMA2.BF16_V2 R8, R0.H0_H0, R4.H1_H1, 1, 1"),
    (80, 0x3F803F8000087431, 0x000FE20000360804, "HFMA2.BF16_V2 R8, R0.H0_H0, -R4.H1_H1, 1, 1"),
    (80, 0x3F803F8000087431, 0x000FE200002E0804, "HFMA2.BF16_V2 R8, R0.H0_H0, |R4|.H1_H1, 1, 1"),
    (80, 0x0041000000007B1D, 0x000FEC0000010000, "BAR.SYNC.DEFER_BLOCKING 0x1, 0x40"),
    (80, 0x0000000000FF731C, 0x000EE20000004000, "B2R.RESULT RZ, P0"),
    (80, 0x000000000000731C, 0x000E7600000E4000, "B2R.RESULT R0"),
    (75, 0x000000140000795D, 0x000FE20003A00000, "NANOSLEEP.WARP 0x14"),
    (75, 0x0000000000097984, 0x000E280000001800, "LDS.U R9, [R0]"),
    (75, 0x0000000407027981, 0x0000A200081EEB00, "LDG.E.64.SYS R2, [R7.U32+UR4]"),
    (75, 0x0000000A06FF73A8, 0x00016800041F45FF, "ATOMG.E.EXCH.64.STRONG.GPU PT, RZ, [R6], R10"),
    (75, 0x00000004FFFF79AA, 0x000E24000C000500, "QSPC.E.S P0, RZ, [UR4]"),
    (75, 0x000000020003738D, 0x000E240001800003, "ATOMS.CAST.SPIN R3, [R0], R2, R3"),
    (75, 0x000000020003738D, 0x000E240000000003, "ATOMS.CAS R3, [R0], R2, R3"),
    (80, 0x000000020003738D, 0x000E240000800003, "ATOMS.CAS R3, [R0], R2, R3"),
    (89, 0x000000060707723E, 0x001FCA00000000FF, "F2FP.F16.F32.PACK_AB R7, R7, R6"),
)


@pytest.mark.parametrize(("architecture", "low", "high", "text"), WRITTEN, ids=[text.split()[0] for *_, text in WRITTEN])
def test_words_of_other_architectures_are_written_as_nvidia_does(architecture, low, high, text):
    one = decode(high << 64 | low, 0, architecture)
    assert one.text() == text
    assert encode(one) == one.word


def test_a_field_is_patched_by_its_name():
    (one,) = (one for name, one in _instructions(80) if name == "saxpy" and one.name == "STG")
    patched = one.changed(data=77, stall=9, write=3)
    assert patched.text() == "STG.E [R4.64], R77"
    assert (patched.control.stall, patched.control.write) == (9, 3)
    assert encode(patched.changed(data=one.fields["data"], stall=one.control.stall, write=one.control.write)) == one.word
    with pytest.raises(ValueError, match="does not fit into 8 bits"):
        one.changed(data=256)


def test_no_two_rows_have_the_same_word():
    taken = [(form, row.code) for row in ROWS for form in row.forms]
    assert len(taken) == len(set(taken))


def test_words_with_random_bits_never_raise():
    chosen = random.Random(7)
    words = [one.word for _, one in _instructions(90)]
    known = 0
    for _ in range(3000):
        word = chosen.choice(words)
        for _ in range(chosen.choice((1, 3, 40))):
            word ^= 1 << chosen.randrange(128)
        one = decode(word, 16 * chosen.randrange(100), chosen.choice((75, 80, 90)))
        assert isinstance(one.text(), str)
        assert encode(one) == word
        known += one.row is not None
    for row in ROWS:
        for form in row.forms:
            for rest in (0, (1 << 128) - 1, chosen.getrandbits(128)):
                one = decode(rest >> 12 << 12 | form << 9 | row.code, 0, 90)
                assert one.text() and encode(one) == one.word
    assert 0 < known < 3000


def test_control_words_are_read():
    (load,) = (one for name, one in _instructions(80) if name == "saxpy" and one.text() == "LDG.E R2, [R2.64]")
    assert (load.control.write, load.control.read, load.control.runs_on) == (2, 7, False) or load.control.write < 6
    assert str(load.control).split()[0] == str(load.control.stall)


@pytest.mark.parametrize(
    ("architecture", "word", "text"),
    [
        (80, 0x3E4000B901C4800200000040F7FAE, "LDGSTS.E.BYPASS.128 [R15+0x200], [R4.64]"),
        (80, 0xFC60003801000000068001B0E7A0A, "FSET.BF.LT.AND R14, R27, c[0x0][0x1a0], PT"),
        (80, 0x2E64000180040A000000080D0A738D, "ATOMS.CAST.SPIN.64 R10, [R13], R8, R10"),
        (80, 0xFCE0000000000000080020000791A, "DEPBAR.LE SB0, 0x0, {1}"),
        (80, 0x100FE4000000410020000003FF0E7230, "HADD2.F32 R14, -RZ, R3.reuse.H0_H0"),
        (80, 0x114200019E01FF50005E0602027B60, "TEX.SCR.LL RZ, R2, R2, R6, 0x0, 0x5e, 3D, 0x1"),
        (80, 0xFEA0003C000000000000C00007348, "WARPSYNC.EXCLUSIVE R12"),
        (90, 0xFEA0003C00000000000000F087348, "WARPSYNC.COLLECTIVE R15, 0x30"),
        (90, 0xFEA00038000000000000000007948, "WARPSYNC.ALL"),
        (90, 0xFEA0003800000000000000E007348, "WARPSYNC R14"),
        (90, 0xFE2000780090EB9600000110E7446, "VIADDMNMX R14, R17, -R14, 0xb9600000, !PT"),
        (90, 0x2FC60003FE11000000000A1F1F7248, "VIMNMX.RELU R31, R31, R10, PT"),
        (90, 0xFE200000002008000000003087236, "VIADD.16x2 R8, R3, -R0"),
        (90, 0xFC400048070FF00000004FF04723E, "F2FP.SATFINITE.E4M3.F32.PACK_AB_MERGE_C R4, RZ, R4, RZ"),
        (90, 0xFC400020006FF0000000CFF0C723E, "F2FP.F16.E4M3.UNPACK_B R12, R12"),
        (90, 0xFD00000100000000000000B0512CA, "@P1 R2UR.OR P0, UR5, R11"),
        (90, 0xE22000000880000000000000689C3, "@!UP0 S2UR UR6, SR_CgaCtaId"),
        (90, 0x116200099E01FF4000040304007F60, "TEX.LL RZ, R0, R4, R3, UR4, 0x0, 3D, 0x1"),
        (90, 0xE24000800017F00000007180075A7, "SYNCS.PHASECHK.TRANS64.TRYWAIT P0, [R24+URZ], R7"),
        (90, 0x3070000800010000000804073F75B2, "SYNCS.EXCH.64 URZ, [UR7+0x8], UR4"),
        (90, 0x1E2000810003F000008FF18FF79A7, "SYNCS.ARRIVE.TRANS64.A1T0 RZ, [R24+URZ+0x8], RZ"),
        (90, 0xFCE0000000000000000001014794E, "LEPC R20, 0x20"),
    ],
)
def test_rare_words_are_written_as_nvidias_disassembler_does(architecture, word, text):
    """Recorded with nvdisasm 13.5.37."""
    one = decode(word, 0, architecture)
    assert one.text() == text
    assert encode(one) == word
