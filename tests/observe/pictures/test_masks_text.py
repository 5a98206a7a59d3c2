from tests.observe.pictures.runs import run
from warploom.observe.pictures import picture
from warploom.observe.text.styled import plain


def text(result, width=80, **more):
    return [plain(line) for line in picture(result, "masks", **more).lines(width)]


def test_an_if_in_letters():
    lines = text(run("guppy/if.guppy", "guppy"))
    assert lines[:3] == [
        "if on guppy: execution masks, 11 cycles",
        "guppy: 1 core x 1 warp x 32 lanes",
        "of the warps' lane-cycles: diverged (black area) 18.2 %",
    ]
    assert lines[4:6] == ["warp 0:0     0 #####....##", "             1 ######w####"]
    assert lines[36] == "ALU 0          00 0 000 0"
    assert lines[37:39] == ["               |0        |10", "               cycle"]
    assert "   .  diverged (black area)      18.2 %              64 lane-cycles" in lines


def test_it_is_as_wide_as_the_terminal():
    lines = text(run("guppy/while.guppy", "guppy"), 60)
    assert max(len(line) for line in lines[4:36]) == 15 + 41
    assert "a column stands for 4 cycles" in "\n".join(lines)


def test_two_lanes_share_a_line_of_half_blocks():
    found = picture(run("guppy/if.guppy", "guppy"), "masks").lines(80, colours=True)
    lines = list(found)
    row = lines[4]
    assert plain(row) == "warp 0:0     0 " + "▀" * 11
    assert len([line for line in lines if "▀" in plain(line)]) == 16
    styles = {style for _, style in row[2:]}
    assert "#FFE873 on #FFE873" in styles
    assert "#000000 on #FFE873" in styles


def test_cores_and_blocks():
    lines = text(run("tiny/matadd.asm", "tiny"), 200)
    assert lines[4].startswith("core 0       0 ")
    assert lines[8].startswith("core 1       0 ")
    assert lines[4].split()[3].startswith("ffff")
