"""Words of other tools, and the command here that does what each of them does there.

What was typed is looked for as a command, in these rows, among the examples, the machines, and the words of the documentation; then each
other word of the line, as in "how do I run a kernel"; then as a slip, so that `trce` leads where `trace` does.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from warploom.cli.welcome import shipped


@dataclass(frozen=True)
class Guess:
    """What people type, and what is here. words: separated by spaces. does: what it is for. command: as it is typed."""

    words: str
    does: str
    command: str


PICTURES = ("roofline", "timeline", "masks", "banks", "overdraw", "quads", "tiles", "pipeline")  # kinds whose names people type alone
# In front of what a question is about: "what is a warp".
SMALL_WORDS = """a an the is are be does do mean means of how what which who whose where when can i my me it its this that to in on for with
and or please"""
SHORT, LONG = 5, 7  # words, in letters
VERBS = "list ls show see view open get set use select print display dump export simulate"  # `list gpus` is about gpus
# The words of a row are those of shells, package managers, debuggers, profilers and simulators.
GUESSES = (
    Guess("exec execute start launch sim simulate simulator emulate play go", "to run a program", "warploom run FILE"),
    Guess("hello-world helloworld quickstart getting-started begin first", "to write a first program", "warploom new kernel.py"),
    Guess("man usage", "what a command does", "warploom help COMMAND"),
    Guess(
        "who wrote writes written writer writers last-writer watchpoint",
        "to see who writes a cell, and when",
        "warploom debug FILE -x 'watch CELL' -x continue",
    ),
    Guess("better best winner fastest quicker", "which kernel is faster", "warploom compare FILE FILE --gpu PRESET"),
    Guess("list ls dir samples sample demo demos cat browse programs kernels", "the programs that ship", "warploom examples"),
    Guess("init create skeleton template scaffold generate make startproject", "to write a first program", "warploom new kernel.py"),
    Guess(
        "open view show see web html visualize visualise gui ui inspect watch replay tui explorer record video gif animate",
        "to walk through a run, cycle by cycle",
        "warploom explore FILE --open",
    ),
    Guess("serve server", "a page that needs no server", "warploom explore FILE --open"),
    Guess(
        "notebook notebooks jupyter jupyterlab lab ipython ipynb colab magic",
        "a notebook runs like a program, and `%load_ext warploom` gives its cells %%warploom",
        "warploom run FILE",
    ),
    Guess(
        "gpus gpu machines machine devices device arch archs hardware nvidia-smi smi rocm-smi targets",
        "the machines",
        "warploom presets",
    ),
    Guess(
        "plot chart graph figure fig image diagram flamegraph heatmap svg png pdf screenshot", "to draw a run", "warploom picture KIND FILE"
    ),
    *(Guess(kind, "to draw this of a run", f"warploom picture {kind} FILE") for kind in PICTURES),
    Guess(
        "render raster rasterize rasterise shader shaders glsl vertex fragment triangle triangles mesh gltf obj opengl vulkan scene",
        "to draw a scene as a GPU does",
        "warploom draw SCENE",
    ),
    Guess("ray rays raytrace raytracing bvh", "the programs that trace rays", "warploom examples rays"),
    Guess(
        "trace traces perfetto vcd waves wave waveform konata gtkwave nsys nsys-ui nsight-systems rocprofv2 rocprofv3 tracy dump",
        "to write a trace for other viewers",
        "warploom run FILE --perfetto OUT",
    ),
    Guess(
        "stats stat statistics counters metrics perf prof gprof nvprof nvvp ncu ncu-ui nsight nsight-compute rocprof omniperf vtune "
        "hotspots analyze analyse why bottleneck slow speed faster stalls stall "
        "optimize optimise",
        "what each line costs, and why",
        "warploom profile FILE",
    ),
    Guess("repl shell interactive console attach memory registers regs", "to stop a run and look at it", "warploom debug FILE"),
    Guess(
        "lint verify sanitize sanitizer compute-sanitizer cuda-memcheck memcheck racecheck synccheck initcheck race races racy "
        "deadlock validate",
        "to find races, bounds faults and wrong barriers",
        "warploom check FILE",
    ),
    Guess("gdb cuda-gdb lldb rocgdb step break breakpoint dbg pdb debugger", "to step through a run", "warploom debug FILE"),
    Guess(
        "disassemble objdump llvm-objdump readelf nm cuobjdump nvdisasm sass ptx cubin cubins fatbin uops ir decode",
        "to see the instructions",
        "warploom disasm FILE",
    ),
    Guess("assemble as ptxas encode", "to see a program's instruction words", "warploom asm FILE"),
    Guess("cuda cu nvc++ cudac cmake ninja", "to compile a CUDA program, as a build tool does", "warploom nvcc FILE"),
    Guess("compile gcc g++ clang clang++ hipcc zig", "to compile a program in C", "warploom cc FILE"),
    Guess("opencl cl clc pocl", "a kernel in OpenCL C is run like any program", "warploom run kernel.cl"),
    Guess(
        "pytorch torch tensorflow jax cupy triton numba hip rocm sycl metal wgpu webgpu cuda-toolkit nvcc-toolkit",
        "kernels are written in the dialect of numba.cuda or in CUDA C++, and need no GPU",
        "warploom new kernel.py",
    ),
    Guess(
        "bench benchmark benchmarks time timing measure microbenchmark latency bandwidth",
        "to measure a machine",
        "warploom probe --gpu PRESET",
    ),
    Guess(
        "sweep sweeps search grid-search tune autotune diff versus vs ablation geomean speedup scaling",
        "to run programs on many machines",
        "warploom compare FILE --over SETTING=A,B",
    ),
    Guess(
        "seed seeds repeat confidence significance variance error-bars errorbars ttest",
        "error bars over other input",
        "warploom compare FILE --over SETTING=A,B --seeds 1..5 --args {seed}",
    ),
    Guess(
        "csv json table tables results data dataframe pandas parquet excel latex dataset",
        "the numbers of runs, in a file",
        "warploom compare FILE --over SETTING=A,B --csv OUT.csv",
    ),
    Guess(
        "set setting settings option options config configs parameter parameters",
        "what can be set, with --set",
        "warploom presets --settings",
    ),
    Guess(
        "calc calculator occupancy-calculator limits limit max-threads regs-per-thread",
        "how full a multiprocessor can be",
        "warploom occupancy --cc 8.6",
    ),
    Guess("experiment experiments paper papers reproduce", "to reproduce a published result", "warploom study"),
    Guess(
        "puzzle puzzles homework assignment autograde autograder judge teach submit submission submissions mark marking rubric score "
        "gradescope classroom nbgrader "
        "hint hints solve solution solutions answer answers student students roster class leaderboard plagiarism "
        "quiz exam feedback deadline late cheating moss",
        "to solve puzzles, or to judge a class",
        "warploom grade --list",
    ),
    Guess("exercise exercises", "to write a unit of your own", "warploom new mine.py --kind scheduler"),
    Guess(
        "test tests selftest diagnose version info about whoami env environment health status "
        "rocminfo clinfo update upgrade install pip uninstall extras",
        "what is installed, and how to get more",
        "warploom doctor",
    ),
    Guess(
        "tutorial tutorials learn doc documentation manual guide course readme faq reference lesson lecture slides syllabus handout",
        "the documentation",
        "warploom docs",
    ),
    Guess("glossary explain define what whatis term", "to look up a word", "warploom docs TERM"),
    Guess("area gates synth synthesize synthesise yosys", "what units cost in gates", "warploom cost"),
    Guess(
        "verilog netlist schematic rtl export bitstream tapeout fpga asic gds ice40 ecp5 silicon openlane sky130 tang icebreaker",
        "to write a machine as hardware",
        "warploom build",
    ),
    Guess("cosim verilator iverilog equivalence formal prove", "to compare the hardware with the model", "warploom lockstep"),
    Guess("precompile jit", "to compile the native engine now", "warploom warmup"),
    Guess("autocomplete completions", "to complete names in the shell", "warploom completion"),
)


def answer(words: Sequence[str], commands: Collection[str]) -> str:
    """What is said for words that begin with no command's name: a sentence that ends with the command that was probably meant."""
    said = f"there is no command {words[0]!r}"
    subjects = [word for word in words if not word.startswith("-")]
    first = words[0].lower().lstrip("-")
    about = [word for word in subjects[1:] if word.lower() not in SMALL_WORDS.split()]
    if first in VERBS.split() and about:
        found = _named(about[0], about[1:], commands) or ("" if is_file(about[0]) else _of_the_documentation(about[0], about[1:]))
        if found:
            return f"{said}{found}"
    found = _known(words[0], subjects[1:], commands) or _of_the_documentation(words[0], subjects[1:])
    found = found or next(filter(None, (_known(word, subjects, commands) for word in _parts(words[0], about))), "")
    if first not in SMALL_WORDS.split():
        found = found or _standing_in_pages(first) or _slip(first, subjects[1:], commands)
    return f"{said}{found or '; `warploom` alone shows where to begin, `warploom --help` all commands'}"


def _known(word: str, rest: Sequence[str], commands: Collection[str]) -> str:
    """The end of the sentence for a word that has a name, or is that of an example; "" for none."""
    if found := _named(word, rest, commands):
        return found
    root = shipped.folder("examples")
    if root is not None and (places := shipped.find(word)):
        return f", but an example has this name: `warploom run {places[0].relative_to(root).as_posix()}`"
    return ""


def _named(word: str, rest: Sequence[str], commands: Collection[str]) -> str:
    """The end of the sentence for a word, or one of its forms, that is a command, another tool's or a machine; "" for none."""
    rows = _rows()
    for plain in forms(word.lower().lstrip("-")):
        if plain in commands:
            return f", did you mean {plain!r}?"
        if plain in rows:
            return f"; {_meant(rows[plain], rest)}"
    return _machine(word, rest)


def _machine(word: str, rest: Sequence[str]) -> str:
    from warploom.machine.config.presets import preset_names
    from warploom.machine.config.products import generation_of

    file = shlex.quote(next(filter(is_file, rest), "FILE"))
    if word.lower() in preset_names():
        return f", but a machine has this name: `warploom run {file} --gpu {word.lower()}`"
    found = generation_of(word)
    return (
        f"; {word} is {found.called}, and {found.preset} is the nearest machine: `warploom run {file} --gpu {found.preset}`"
        if found
        else ""
    )


def _parts(word: str, about: Sequence[str]) -> list[str]:
    """The other words of a line, after those that the first one is made of: `grade-all` has grade."""
    made_of = re.split("[-_:]", word.strip("-"))
    return [*(made_of if len(made_of) > 1 else []), *about]


def _of_the_documentation(word: str, rest: Sequence[str]) -> str:
    """The end of the sentence for a term or a page of the documentation."""
    from warploom.cli.common import UserError
    from warploom.cli.welcome import pages

    plain = word.lower().lstrip("-")
    if shipped.folder("docs") is None:
        return ""
    try:
        pages.find(plain)
    except UserError:
        return ""
    given = next(filter(is_file, rest), None)
    of = f"; what each line of {given} costs, and why: `warploom profile {shlex.quote(given)}`" if given else ""
    return f", but the documentation has the word: `warploom docs {shlex.quote(plain)}`{of}"


def _standing_in_pages(word: str) -> str:
    from warploom.cli.welcome import pages

    found = pages.places(word)
    if not found:
        return ""
    return f", but {'a page has' if len(found) == 1 else f'{len(found)} pages have'} the word: `warploom docs {shlex.quote(word)}`"


def _slip(word: str, rest: Sequence[str], commands: Collection[str]) -> str:
    rows = _rows()
    close = slip_of(word, [*commands, *rows])
    if close in rows:
        return f"; {_meant(rows[close], rest)}"
    return f", did you mean {close!r}?" if close else ""


def forms(word: str) -> Iterator[str]:
    """A word, and what it is a form of: running is of run, compared of compare, lessons of lesson."""
    yield word
    for ending in ("s", "es", "ing", "ed", "er", "ers"):
        if word.endswith(ending) and len(stem := word.removesuffix(ending)) >= 3:
            yield stem
            if ending[0] in "ei":
                yield f"{stem}e"
                yield stem[:-1] if stem[-1] == stem[-2] else stem


def slip_of(word: str, known: Iterable[str]) -> str:
    """The known word that was probably meant: one letter is wrong, missing, too many, or two changed places; two such in long words."""
    short = len(word) < SHORT  # too short to differ from all others in one letter: `chat` is no slip of cat
    allowed = 0 if len(word) < 3 else 1 if len(word) < LONG else 2
    ranked = [(distance(word, one), one[0] != word[0], one) for one in known if one and word]
    ranked = [row for row in ranked if row[0] <= allowed and not (short and set(word) - set(row[2]))]
    return min(ranked, default=(0, False, ""))[2]


def distance(one: str, other: str) -> int:
    """How many letters are to be changed, taken away, added or exchanged with the next to make one word of the other."""
    before, last = list[int](), list(range(len(other) + 1))
    for row, letter in enumerate(one):
        line = [row + 1]
        for column, beside in enumerate(other):
            cost = min(last[column] + (letter != beside), last[column + 1] + 1, line[column] + 1)
            if row and column and letter == other[column - 1] and one[row - 1] == beside:
                cost = min(cost, before[column - 1] + 1)
            line.append(cost)
        before, last = last, line
    return last[-1]


def meant(word: str, rest: Sequence[str]) -> str | None:
    """What a row says of a word, with the file that stands in the line; None for a word in no row."""
    row = _rows().get(word)
    return _meant(row, rest) if row is not None else None


def _meant(row: Guess, rest: Sequence[str]) -> str:
    """A row's command, with the files or the term that stood in the line."""
    command, files = row.command, list(filter(_is_there, rest)) or list(filter(is_file, rest))
    if files and Path(files[0]).suffix.lower() == ".cu" and command.startswith("warploom cc "):
        command = "warploom nvcc FILE"
    words = [word for word in rest if not word.startswith("-")]
    while words and words[0].lower() in SMALL_WORDS.split():
        del words[0]
    if words and re.search(r"\b(TERM|COMMAND)\b", command):
        command = re.sub(r"\b(TERM|COMMAND)\b", lambda _: shlex.quote(" ".join(words)), command)
    command = re.sub(r"\bFILE\b", lambda _: shlex.quote(files.pop(0)) if files else "FILE", command)
    return f"{row.does}: `{command}`"


def is_program(word: str) -> bool:
    """Whether a word is the name of a program's file, so that `run` was meant."""
    from warploom.isa.frontends import FRONT_ENDS

    endings = {ending for row in FRONT_ENDS for ending in row.suffixes} | {".py", ".ipynb", ".cu", ".ptx", ".cubin"}
    return Path(word).suffix.lower() in endings


def is_file(word: str) -> bool:
    """Whether a word behind the first one is a program: by its ending, as a file that is there, or as an example's name."""
    return _is_there(word) or bool(shipped.find(word))


def _is_there(word: str) -> bool:
    return is_program(word) or Path(word).is_file()


def _rows() -> dict[str, Guess]:
    return {word: row for row in GUESSES for word in row.words.split()}
