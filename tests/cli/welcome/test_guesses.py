"""Words of other tools lead to the command that does it here."""

import re
import shlex

import click
import pytest
from click.testing import CliRunner

from warploom.cli import COMMANDS, main
from warploom.cli.welcome.guesses import GUESSES, distance, forms, slip_of
from warploom.cli.welcome.other_options import OPTIONS

TYPED = {
    "list": "examples", "ls": "examples", "init": "new", "open": "explore", "view": "explore", "gpus": "presets", "machines": "presets",
    "bench": "probe", "plot": "picture", "trace": "run", "tutorial": "docs", "lint": "check", "glossary warp": "docs warp",
    "explain warp": "docs warp", "stats": "profile", "sim": "run", "gdb": "debug", "ncu": "profile", "nsys": "run", "disassemble": "disasm",
    "serve": "explore", "test": "doctor", "-g": "debug", "--verbose": "run", "NCU": "profile", "compute-sanitizer": "check",
    "trce": "run", "hipcc": "cc", "nvidia-smi": "presets", "verilog": "build",
    "clang++ x.cu": "nvcc x.cu", "clang++ x.c": "cc x.c", "roofline saxpy.py": "picture roofline saxpy.py", "readelf": "disasm",
    "geomean": "compare", "seeds": "compare", "ablation": "compare", "submit": "grade", "rubric": "grade", "gradescope": "grade",
    "jupyter": "run", "colab": "run", "update": "doctor", "pip": "doctor", "gprof": "profile", "vtune": "profile",
    "compare x.asm --repeat 5": "compare", "compare x.asm --normalize": "compare",
    "hello-world": "new", "man run": "help run", "explain bank conflict": "docs 'bank conflict'", "what is a warp": "docs warp",
    "warp": "docs warp", "bank-conflicts": "docs bank-conflicts", "slow saxpy.py": "profile saxpy.py", "hint": "grade", "roster": "grade",
    "students": "grade", "solution": "grade", "repl": "debug", "opencl": "run kernel.cl", "triton": "new", "fpga": "build",
    "limits": "occupancy",
    "divergence saxpy.py": "docs divergence`; what each line of saxpy.py costs, and why: `warploom profile saxpy.py",
    "which thread wrote this": "debug FILE -x 'watch CELL'", "is my kernel racy": "check",
    "which is better a.py b.py": "compare a.py b.py", "list gpus": "presets", "get core.warps": "docs core.warps",
    "use a100": "run FILE --gpu a100",
    "sm_80": "run FILE --gpu a100", "show matmul": "explore matmul", "export csv": "compare", "ncu -k saxpy mine.py": "profile mine.py",
    "license": "docs license", "cite": "docs cite", "boards": "docs boards", "contribute": "docs contribute", "whoami": "doctor",
    "seed": "compare FILE --over SETTING=A,B --seeds", "csv": "compare", "simulate verilog": "build", "cache misses": "docs cache",
    "render": "draw", "glsl": "draw", "shader": "draw", "raytrace": "examples rays", "cubin": "disasm", "fatbin": "disasm", "cmake": "nvcc",
}  # fmt: skip


def said(*words):
    done = CliRunner().invoke(main, words)
    assert (done.exit_code, done.stdout) == (2, ""), done.output
    return done.stderr


@pytest.mark.parametrize("typed", TYPED)
def test_the_answer_names_the_command(typed):
    assert f"`warploom {TYPED[typed]}" in said(*typed.split())


def test_a_file_that_stood_behind_the_word_is_in_the_answer():
    assert said("ncu", "saxpy.py") == "Error: there is no command 'ncu'; what each line costs, and why: `warploom profile saxpy.py`\n"
    assert "`warploom debug 'my kernel.py'`" in said("gdb", "my kernel.py")


def test_a_slip_of_a_command_is_corrected():
    assert said("chek") == "Error: there is no command 'chek', did you mean 'check'?\n"
    assert said("Run") == "Error: there is no command 'Run', did you mean 'run'?\n"


def test_a_word_that_is_a_little_like_one_of_another_tool_is_not_taken_for_it():
    for word in ("sumbarine", "studio-x", "cheat", "sudo", "hi", "energy"):
        assert "`warploom` alone shows where to begin" in said(word)
    assert said("rnu") == "Error: there is no command 'rnu', did you mean 'run'?\n"


def test_the_kinds_of_pictures_that_are_commands_words_are_kinds():
    from warploom.cli.welcome.guesses import PICTURES
    from warploom.observe.pictures.picture import KINDS

    assert set(PICTURES) <= set(KINDS)


def test_the_name_of_an_example():
    assert said("matmul") == "Error: there is no command 'matmul', but an example has this name: `warploom run tiny/matmul.asm`\n"


def test_a_word_like_no_other_shows_where_to_begin():
    assert "`warploom` alone shows where to begin" in said("xyzzy")


def test_every_row_names_a_command_and_its_options_and_no_word_is_one_or_stands_twice():
    words = [word for row in GUESSES for word in row.words.split()]
    assert len(words) == len(set(words))
    assert set(words).isdisjoint(COMMANDS)
    for text in [row.command for row in GUESSES] + [found for row in OPTIONS.values() for found in re.findall(r"`(warploom [^`]*)`", row)]:
        first, *rest = shlex.split(text)[1:] or ["--help"]
        if first.startswith("--"):
            continue
        command = main.get_command(click.Context(main), first)
        assert command is not None, text
        known = {name for param in command.params for name in param.opts} | {"--help"}
        assert {word for word in rest if word.startswith("--")} <= known, text


def test_a_question_and_a_word_of_parts_are_about_the_command_in_them():
    assert said("how", "do", "I", "run", "a", "kernel") == "Error: there is no command 'how', did you mean 'run'?\n"
    assert said("grade-all", "work/") == "Error: there is no command 'grade-all', did you mean 'grade'?\n"
    assert said("comparing") == "Error: there is no command 'comparing', did you mean 'compare'?\n"


def test_forms_of_words_and_slips():
    assert {"run", "lesson"} <= {*forms("running"), *forms("lessons")}
    assert [distance("trce", "trace"), distance("rnu", "run"), distance("cat", "chart"), distance("", "ab")] == [1, 1, 2, 2]
    assert slip_of("serach", ["search", "reach"]) == "search"
    assert slip_of("chat", ["cat"]) == slip_of("as", ["at"]) == ""


def test_a_file_alone_is_run(tmp_path):
    path = tmp_path / "k.asm"
    path.write_text(".threads 4\nRET\n")
    done = CliRunner().invoke(main, [str(path), "--quiet"])
    assert (done.exit_code, done.stderr) == (0, "")
    missing = CliRunner().invoke(main, ["nothing.py"])
    assert (missing.exit_code, missing.stderr) == (2, "nothing.py: error: there is no such file\n")


def test_options_of_other_tools_on_a_command(tmp_path):
    done = CliRunner().invoke(main, ["run", "matmul", "-arch=sm_90"])
    assert done.exit_code == 2
    done = CliRunner().invoke(main, ["run", "matmul", "-n", "4"])
    assert "options of the program itself stand after --: `warploom run FILE -- -n`" in done.stderr
    done = CliRunner().invoke(main, ["run", "matmul", "--verbose"])
    assert "there is no option --verbose here; for every thread in every cycle: `warploom run matmul --log -`" in done.stderr
