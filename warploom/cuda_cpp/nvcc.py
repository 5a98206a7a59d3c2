"""What nvcc does for a Makefile: object files, PTX, libraries and executables, by nvcc's own words.

Device code is kept as PTX in each object file, and linked when a kernel is first launched, so `-rdc`, `-dc` and `-dlink` need nothing more.
An executable that is made here starts itself through `warploom run`.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from warploom.cuda_cpp.build import command_object, compile_one, embed, first_link, home_folder, runtime_object
from warploom.cuda_cpp.compiler import INCLUDE, RUNTIME, Compiler, check_there
from warploom.cuda_cpp.words import BY_OUTPUT, BadWord, Words
from warploom.isa.reading import read_bytes

USUAL_OUTPUT = "a.out"  # nvcc's and every Unix compiler's
ENDINGS = {"compile": ".o", "ptx": ".ptx", "fatbin": ".fatbin"}


def make(words: Words, told: Callable[[str], None]) -> str:
    """Do what words say, and give what the compiler has said. Raises SourceError, BadWord."""
    first = (words.sources or words.objects or [""])[0]
    if not first:
        raise BadWord("there is nothing to compile: name a .cu file")
    if words.output and words.stage in ENDINGS and len(words.sources) > 1:
        raise BadWord(f"-o {words.output} names one file, and {len(words.sources)} are made: leave it out, or compile one after the other")
    check_there(first)
    for source in words.sources:
        read_bytes(source)  # says which file is not there
    home = home_folder()
    with tempfile.TemporaryDirectory(prefix="warploom-nvcc-") as folder:
        part = Path(folder)
        compiler = Compiler(words, part, home)
        if words.stage == "preprocess":
            return _preprocessed(compiler, words, part)
        if words.stage in ENDINGS:
            return "".join(_one(compiler, words, Path(source), part) for source in words.sources)
        return _whole(compiler, words, part, home, told)


def _one(compiler: Compiler, words: Words, source: Path, part: Path) -> str:
    """One source, up to an object file or PTX."""
    to = Path(words.output or source.with_suffix(ENDINGS[words.stage]).name)
    made = part / "made.o"
    if words.stage == "compile":
        said, depends = compile_one(compiler, source.resolve(), made)
        if words.depends:
            write_rule(words, to, [source, *depends])
    else:
        said = compiler.device(source.resolve(), part / "made.ptx")
        made = embed(source.resolve(), part / "made.ptx", part / "made.embedded") if words.stage == "fatbin" else part / "made.ptx"
    shutil.copyfile(made, to)
    return said


def write_rule(words: Words, to: Path, depends: Sequence[Path]) -> None:
    """What an object file is made from, as make reads it."""
    file = to.with_suffix(".d") if words.depends == BY_OUTPUT else Path(words.depends)
    names = [str(one).replace(" ", "\\ ") for one in dict.fromkeys(depends)]
    file.write_text(f"{words.target or to}: " + " \\\n  ".join(names) + "\n", encoding="utf-8")


def told_to_cmake(words: Words, to: Path, objects: Sequence[str]) -> str:
    """What nvcc says with -v, as CMake reads it: where things are, and how the host's linker is called, which is this command itself."""
    command = shutil.which("warploom-nvcc") or str(Path(sys.executable).with_name("warploom-nvcc"))
    libraries = f'"-L{RUNTIME}"'
    rows = [f"TOP={INCLUDE.parent}", f"PATH={Path(command).parent}", f"LIBRARIES=  {libraries}", f'INCLUDES="-I{INCLUDE}"',
            "cicc -arch compute_80", f'"{command}" -o "{to}" {" ".join(objects)} {libraries}']  # fmt: skip
    return "".join(f"#$ {row}\n" for row in rows)


def _preprocessed(compiler: Compiler, words: Words, part: Path) -> str:
    for source in map(Path, words.sources):
        text = part / "text"
        compiler.preprocessed(source.resolve(), text)
        if words.output:
            shutil.copyfile(text, words.output)
        else:
            print(text.read_text(encoding="utf-8", errors="replace"), end="")
    return ""


def _whole(compiler: Compiler, words: Words, part: Path, home: Path, told: Callable[[str], None]) -> str:
    """An executable, a library, or the object file of device code that was linked, which is empty here."""
    said, objects = "", []
    for number, source in enumerate(map(Path, words.sources)):
        made = part / f"{number}.o"
        said += compile_one(compiler, source.resolve(), made)[0]
        objects.append(made)
    if words.stage == "device link":
        empty = part / "empty.c"
        empty.write_text("", encoding="utf-8")
        compiler.plain(empty, part / "empty.o")
        shutil.copyfile(part / "empty.o", words.output or "a_dlink.o")
        return said
    if words.stage == "library":
        compiler.archive([*objects, *words.objects], Path(words.output or "a.a"))
        return said
    runtime = runtime_object(compiler, home, told)
    command = part / "command.o"
    command_object(compiler, part, command)
    first_link(home, told)
    compiler.link([*objects, *words.objects, runtime, command], part / "program", Path((words.sources or words.objects)[0]))
    to = Path(words.output or USUAL_OUTPUT)
    shutil.copyfile(part / "program", to)
    to.chmod(0o755)
    return said + (told_to_cmake(words, to, [*words.sources, *words.objects]) if words.verbose else "")
