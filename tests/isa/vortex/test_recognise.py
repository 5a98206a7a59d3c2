"""Which generation a program is decoded as: --isa, its own words, the machine's setting `vortex.isa`, in this order."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest
from click.testing import CliRunner

import warploom
from tests.places import EXAMPLES
from warploom.cli import main
from warploom.isa.frontend import Options
from warploom.isa.frontends import load_with_warnings
from warploom.isa.machine_code import lines
from warploom.isa.vortex.words import code_of_generation

PLAIN = "nop\nnop\n"
OF = {number: f"li t0, -1\nvx_tmc t0\n{'vx_vote_all a0, t0' if number == 2026 else ''}\nvx_tmc zero\n" for number in (2022, 2024, 2026)}


def image(number: int, text: str) -> bytes:
    code = code_of_generation(number)
    return b"".join(line.data for line in lines(code, code.read(text.encode(), "t.vx")))


def vxbin(number: int, text: str) -> bytes:
    words = image(number, text)
    return struct.pack("<2Q", 0x80000000, 0x80000000 + len(words)) + words


def loaded(data: bytes, path: str, machine: int | None, isa: str = "vortex") -> str:
    config = None if machine is None else warploom.load_config("sm", {"vortex.isa": machine})
    return warploom.load(data, isa, options=Options(path=path, machine=config)).isa


@pytest.mark.parametrize(
    ("made", "machine", "found"),
    [
        (2022, None, 2022),
        (2022, 0, 2022),
        (2022, 2021, 2021),
        (2022, 2024, 2022),
        (2024, 2022, 2024),
        (2024, 2026, 2026),
        (2026, 2024, 2026),
    ],
)
@pytest.mark.parametrize(("ending", "make"), [(".vxbin", vxbin), (".bin", image)])
def test_the_words_of_an_image_say_the_encoding_and_the_machine_what_they_leave_open(made, machine, found, ending, make):
    assert loaded(make(made, OF[made]), f"t{ending}", machine) == f"vortex-{found}"


@pytest.mark.parametrize("machine", [2021, 2022, 2024, 2026])
def test_where_nothing_says_it_the_machine_does(machine):
    assert loaded(image(2024, PLAIN), "t.bin", machine) == f"vortex-{machine}"
    assert loaded(PLAIN.encode(), "t.vx", machine) == f"vortex-{machine}"
    assert warploom.load(PLAIN.encode(), "vortex", options=Options(path="t.vx", machine="vortex-2022")).isa == "vortex-2022"


def test_an_instruction_set_that_is_asked_for_has_to_be_of_the_same_encoding():
    assert loaded(image(2024, OF[2024]), "t.bin", 2022, "vortex-2026") == "vortex-2026"
    with pytest.raises(warploom.SourceError, match="are those of Vortex of 2022, and not of 2024"):
        loaded(image(2022, OF[2022]), "t.bin", 2024, "vortex-2024")


@pytest.mark.parametrize("name", ["saxpy.elf", "diverge.elf", "floor.elf"])
def test_a_program_for_vortex_is_none_for_ordinary_risc_v(name):
    path = EXAMPLES / "vortex" / name
    with pytest.raises(warploom.SourceError) as caught:
        load_with_warnings(path, "riscv")
    assert str(caught.value) == (
        f"{path}: error: it is a program for Vortex: it has instructions of its own, which riscv does not have\n"
        "    fix: leave out --isa riscv"
    )
    assert load_with_warnings(EXAMPLES / "riscv" / "collatz.elf", "riscv")[1] == []


def test_a_machine_that_is_given_a_generation_runs_programs_of_it_alone():
    gpu = warploom.GPU("vortex-2024", set={"vortex.isa": 2026})
    program = warploom.load(OF[2026].encode(), "vortex", options=Options(path="t.vx", machine=gpu.config))
    assert gpu.run(program).status == "done"
    with pytest.raises(warploom.LaunchError, match=r"loaded as a program of vortex-2024, and vortex\.isa = 2026"):
        gpu.run(warploom.load(OF[2024].encode(), "vortex", options=Options(path="t.vx")))


@pytest.mark.parametrize(
    ("made", "machine", "options"),
    [(2022, 2024, "--gpu vortex-2022"), (2024, 2022, "--gpu vortex-2024"), (2026, 2024, "--gpu vortex-2024 --set vortex.isa=2026")],
)
def test_the_warning_names_a_machine_of_the_programs_own_generation(made, machine, options):
    config = warploom.load_config(f"vortex-{machine}")
    _, (warning,) = load_with_warnings(image(made, OF[made]), "vortex", Options(path="t.bin", machine=config))
    assert f"it runs as Vortex of {made}, and takes the time of a machine of {machine}" in warning.message
    assert warning.fix == f"its own machine is {options}"


def test_it_does_not_vary_where_all_runs_have_the_same_program(tmp_path: Path):
    file = tmp_path / "t.vx"
    file.write_text(OF[2024])
    for words in (
        ["compare", "--over", "vortex.isa=2024,2026"],
        ["explore", "--against", "vortex.isa=2026", "-o", str(tmp_path / "t.html")],
    ):
        found = CliRunner().invoke(main, [words[0], str(file), *words[1:]])
        assert found.exit_code == 2 and "vortex.isa" in found.output and "says how" in found.output


@pytest.mark.parametrize("command", ["run", "profile", "check", "picture masks", "debug -x end", "compare --over core.warps=4,8", "ladder"])
def test_commands_take_a_raw_image_by_the_machine(command, tmp_path: Path):
    (tmp_path / "t.bin").write_bytes(image(2022, OF[2022]))
    (tmp_path / "t.vx").write_text(OF[2026])

    def said(*words: str) -> tuple[int, str]:
        name, *more = command.split()
        found = CliRunner().invoke(main, [name, *more[: name == "picture"], *words, *more[name == "picture" :]])
        return found.exit_code, found.output

    file, text = str(tmp_path / "t.bin"), str(tmp_path / "t.vx")
    assert said(file, "--gpu", "vortex-2022")[0] == 0
    assert said(text, "--gpu", "vortex-2024", "--set", "vortex.isa=2026")[0] == 0
    assert command == "ladder" or said(text, "--set", "vortex.isa=2026")[0] == 0  # a ladder begins with tiny where no machine is named
    status, output = said(file, "--gpu", "vortex-2024")
    assert status == 0 and "it runs as Vortex of 2022" in output
    status, output = said(text, "--isa", "vortex-2026", "--set", "vortex.isa=2024")
    assert status == 2 and "say different things" in output
    status, output = said("examples/riscv/squares.rv", "--set", "vortex.isa=2024")
    assert status == 2 and "has no effect here" in output


RASTER = "li t0, -1\nvx_tmc t0\n.word 0x0200050b\nvx_tmc zero\n"


def test_a_read_of_the_raster_unit_is_no_vote(tmp_path: Path):
    (tmp_path / "t.bin").write_bytes(image(2024, RASTER))
    done = CliRunner().invoke(main, ["run", str(tmp_path / "t.bin"), "--gpu", "vortex-2024", "--quiet"])
    assert done.exit_code == 0, done.stderr  # nobody has told the engine what to draw: there is no quad


def test_a_generation_that_is_asked_for_wins_over_what_words_look_like(tmp_path: Path):
    """A word of a vote of 2026 that is data to a program of 2024."""
    file = tmp_path / "t.bin"
    file.write_bytes(image(2026, OF[2026]))
    guessed = CliRunner().invoke(main, ["run", str(file), "--gpu", "vortex-2024", "--quiet"])
    assert guessed.exit_code == 0 and "it runs as Vortex of 2026" in guessed.stderr
    asked = CliRunner().invoke(main, ["run", str(file), "--set", "vortex.isa=2024", "--quiet"])
    assert asked.exit_code == 1 and "is not an instruction of this program's instruction set" in asked.stderr
    other = CliRunner().invoke(main, ["run", str(file), "--set", "vortex.isa=2022", "--quiet"])
    assert other.exit_code == 2 and "are those of Vortex of 2026, and not of 2022, which is asked for" in other.stderr


@pytest.mark.parametrize(
    ("text", "what", "said"),
    [
        ("vx_rast a0", "raster", "vx_rast needs a raster engine, which this machine does not have"),
        ("vx_om a0, a1, a2", "merger", "vx_om needs an output merger, which this machine does not have"),
    ],
)
def test_units_for_graphics_are_named_where_a_machine_lacks_them(text, what, said):
    program = warploom.load(text.encode(), "vortex-2024", options=Options(path="t.vx"))
    with pytest.raises(warploom.LaunchError, match=f"t.vx:1 .*: {said}; use --gpu vortex-2024, or add --set {what}.cores=1"):
        warploom.GPU("vortex-2024", set={f"{what}.cores": 0}).run(program)
