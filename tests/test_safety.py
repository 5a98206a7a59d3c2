"""Nothing in the current folder is executed: not by commands, and not by the processes that they start."""

from __future__ import annotations

import ast
import os
import subprocess
import sys

import pytest

from tests.places import EXAMPLES, ROOT

TRAPS = (
    "json",
    "pickle",
    "random",
    "numpy",
    "numba",
    "struct",
    "hashlib",
    "click",
    "ziglang/__init__",
    "ziglang/__main__",
    "pyosys/__init__",
)
COMMANDS = {
    "run": ("run", "{tiny}"),
    "profile": ("profile", "{tiny}"),
    "check": ("check", "{tiny}"),
    "explore": ("explore", "{tiny}"),
    "cc": ("cc", "{c}", "-o", "out.elf"),
    "run a kernel in C": ("run", "{c}"),
    "cost": ("cost", "alu"),
    "doctor": ("doctor",),
}
NEEDS = {"cc": "ziglang", "run a kernel in C": "ziglang", "cost": "pyosys"}
STARTS = {"module": ("-m", "warploom"), "script": ("-P", "-c", "from warploom.cli.entry import run; run()")}


@pytest.fixture
def folder(tmp_path):
    """A folder of files, each of which leaves a mark when it is imported."""
    for name in TRAPS:
        path = tmp_path / f"{name}.py"
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"open({str(tmp_path / 'mark')!r}, 'a').write({name!r})\nraise ImportError('a trap')\n")
    return tmp_path


def run(folder, *arguments):
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"} | {"WARPLOOM_CACHE": str(folder / "cache")}
    done = subprocess.run([sys.executable, *arguments], cwd=folder, env=environment, capture_output=True, text=True, check=False)
    mark = folder / "mark"
    assert not mark.exists(), mark.read_text()
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("start", STARTS)
@pytest.mark.parametrize("name", COMMANDS)
def test_no_file_of_the_current_folder_is_imported(name, start, folder):
    if name in NEEDS:
        pytest.importorskip(NEEDS[name], reason=f"the package {NEEDS[name]} is not installed")
    places = {"tiny": str(EXAMPLES / "tiny" / "matmul.asm"), "c": str(EXAMPLES / "vortex" / "hello.c")}
    run(folder, *STARTS[start], *(word.format(**places) for word in COMMANDS[name]))


def test_native_code_is_compiled_without_the_current_folder(folder):
    """By the helpers too, which are Python processes of their own."""
    code = "from warploom.isa import tiny; from warploom import GPU; GPU('tiny').warm_up(tiny.assemble('.threads 4\\nRET')); print('done')"
    assert run(folder, "-P", "-c", code) == "done\n"


def test_what_a_script_imports_from_its_own_folder_stays_pythons(tmp_path):
    (tmp_path / "helper.py").write_text("NUMBER = 7\n")
    (tmp_path / "program.py").write_text("import helper\nprint(helper.NUMBER)\n")
    assert run(tmp_path, "-m", "warploom", "run", "program.py", "--quiet") == "7\n"


def test_every_python_process_of_the_package_is_started_without_the_current_folder():
    """`sys.executable` is followed by options that keep it out, wherever a command with -c or -m is put together."""
    wrong = []
    for path in sorted((ROOT / "warploom").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            items = node.elts if isinstance(node, ast.List | ast.Tuple) else node.args if isinstance(node, ast.Call) else []
            texts = [ast.unparse(item) for item in items]
            started = "sys.executable" in texts and {"'-c'", "'-m'"} & set(texts)
            if started and texts[texts.index("sys.executable") + 1] not in ("*ISOLATED", "'-I'", "'-P'"):
                wrong.append(f"{path.relative_to(ROOT)}:{node.lineno}")
    assert wrong == []
