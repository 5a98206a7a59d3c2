"""Words of other tools, and the command here that does what each of them does there.

A word that stands in no row is compared with the commands' names and with these words, so that `trce` leads where `trace` does.
"""

from __future__ import annotations

import difflib
import re
import shlex
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from warploom.cli.welcome import shipped
from warploom.isa.diagnostics import closest


@dataclass(frozen=True)
class Guess:
    """What people type, and what is here. words: separated by spaces. does: what it is for. command: as it is typed."""

    words: str
    does: str
    command: str


PICTURES = ("roofline", "timeline", "masks", "banks", "overdraw", "quads", "tiles", "pipeline")  # kinds whose names people type alone
ALIKE = 0.8  # of a word of other tools to the one that was typed: `trce` is `trace`, and `slow` is not `show`
A_SLIP = 0.65  # of a command's name with the same first letter: `rnu` is `run`, and `shell` is not `help`
SMALL_WORDS = frozenset(["a", "an", "the", "is", "are", "does", "do", "mean", "means", "of"])  # in front of a term: "what is a warp"
# The words of a row are those of shells, package managers, debuggers, profilers and simulators.
GUESSES = (
    Guess("exec execute start launch sim simulate simulator emulate play go", "to run a program", "warploom run FILE"),
    Guess("hello-world helloworld quickstart getting-started begin first", "to write a first program", "warploom new kernel.py"),
    Guess("man usage", "what a command does", "warploom help COMMAND"),
    Guess("list ls dir samples sample demo demos cat browse programs kernels", "the programs that ship", "warploom examples"),
    Guess("init create skeleton template scaffold generate make startproject", "to write a first program", "warploom new kernel.py"),
    Guess(
        "open view show see web html visualize visualise gui ui inspect watch replay tui explorer",
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
        "gpus gpu machines machine devices device arch archs config configs settings hardware nvidia-smi smi rocm-smi targets",
        "the machines",
        "warploom presets",
    ),
    Guess("plot chart graph figure fig image diagram flamegraph heatmap", "to draw a run", "warploom picture KIND FILE"),
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
        "lint verify sanitize sanitizer compute-sanitizer cuda-memcheck memcheck racecheck synccheck initcheck race races validate",
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
        "sweep sweeps search grid-search tune autotune diff versus vs ablation geomean seeds error-bars speedup scaling",
        "to run programs on many machines",
        "warploom compare FILE --over SETTING=A,B",
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
        "hint hints solve solution solutions answer answers student students roster class leaderboard plagiarism",
        "to solve puzzles, or to judge a class",
        "warploom grade --list",
    ),
    Guess("exercise exercises", "to write a unit of your own", "warploom new mine.py --kind scheduler"),
    Guess(
        "test tests selftest diagnose version info about env environment health status "
        "rocminfo clinfo update upgrade install pip uninstall extras",
        "what is installed, and how to get more",
        "warploom doctor",
    ),
    Guess("tutorial tutorials learn doc documentation manual guide course readme faq reference", "the documentation", "warploom docs"),
    Guess("glossary explain define what whatis term", "to look up a word", "warploom docs TERM"),
    Guess("area gates synth synthesize synthesise yosys", "what units cost in gates", "warploom cost"),
    Guess(
        "verilog rtl export bitstream tapeout fpga asic gds ice40 ecp5 silicon openlane sky130 tang icebreaker",
        "to write a machine as hardware",
        "warploom build",
    ),
    Guess("cosim equivalence formal prove", "to compare the hardware with the model", "warploom lockstep"),
    Guess("precompile jit cache", "to compile the native engine now", "warploom warmup"),
    Guess("autocomplete completions", "to complete names in the shell", "warploom completion"),
)

# Options of other tools: what is here in their place.
OPTIONS = {
    "-g": "lines and names are always kept; to step through a run: `warploom debug FILE`",
    "-G": "lines and names are always kept; to step through a run: `warploom debug FILE`",
    "--debug": "to step through a run: `warploom debug FILE`",
    "--verbose": "for every thread in every cycle: `warploom run FILE --log -`",
    "-v": "for every thread in every cycle: `warploom run FILE --log -`; the version: `warploom --version`",
    "-V": "the version: `warploom --version`",
    "--list": "the commands: `warploom --help`; the machines: `warploom presets`; the examples: `warploom examples`",
    "--list-gpus": "the machines: `warploom presets`",
    "--gpus": "the machines: `warploom presets`",
    "--gpu": "an option of a command: `warploom run FILE --gpu NAME`; the machines: `warploom presets`",
    "--set": "an option of a command: `warploom run FILE --set NAME=VALUE`; the settings: `warploom presets --settings`",
    "--device": "the machine is --gpu NAME; all of them: `warploom presets`",
    "-arch": "the machine is --gpu NAME; all of them: `warploom presets`",
    "--arch": "the machine is --gpu NAME; all of them: `warploom presets`",
    "--metrics": "counters of a run: `warploom profile FILE --json`",
    "--section": "counters of a run: `warploom profile FILE --json`",
    "--trace": "a trace for other viewers: `warploom run FILE --perfetto OUT`, --vcd, --konata",
    "--csv": "the numbers of a run: `warploom profile FILE --json`; of several runs: `warploom compare FILE --over NAME=VALUES --csv OUT`",
    "--race": "races, bounds, barriers: `warploom check FILE`",
    "--stats": "what each line costs: `warploom profile FILE`",
    "--timeline": "`warploom picture timeline FILE`",
    "--plot": "`warploom picture KIND FILE`",
    "--tool": "races, bounds, barriers: `warploom check FILE`",
    "--gui": "`warploom explore FILE --open`",
    "--repeat": "other input for each run: `warploom compare FILE --seeds 1..5 --args {seed}`",
    "--repeats": "other input for each run: `warploom compare FILE --seeds 1..5 --args {seed}`",
    "--runs": "other input for each run: `warploom compare FILE --seeds 1..5 --args {seed}`",
    "--normalize": "a plot relative to its first line: `warploom compare FILE --relative -o OUT`",
    "--normalise": "a plot relative to its first line: `warploom compare FILE --relative -o OUT`",
    "--baseline": "speed-ups are over the first value: `warploom compare FILE --over SETTING=BASELINE,OTHER`",
    "--threads-per-block": "threads per block: --block N",
    "--blocks": "blocks of the launch: --grid N",
    "--cores": "`--set gpu.cores=N`",
    "--verilog": "the machine as hardware: `warploom build`",
}


def answer(words: Sequence[str], commands: Collection[str]) -> str:
    """What is said for words that begin with no command's name: a sentence that ends with the command that was probably meant."""
    word, rest = words[0], words[1:]
    said, plain, rows = f"there is no command {word!r}", word.lower().lstrip("-"), _rows()
    if plain in commands:
        return f"{said}, did you mean {plain!r}?"
    if plain in rows:
        return f"{said}; {_meant(rows[plain], rest)}"
    root = shipped.folder("examples")
    if (places := shipped.find(word)) and root is not None:
        return f"{said}, but an example has this name: `warploom run {places[0].relative_to(root).as_posix()}`"
    if _is_term(plain):
        given = next((one for one in rest if is_program(one)), None)
        of = f"; what each line of {given} costs, and why: `warploom profile {shlex.quote(given)}`" if given else ""
        return f"{said}, but the documentation has the word: `warploom docs {plain}`{of}"
    close = closest(plain, [*commands, *rows])
    if close in rows and _likeness(plain, close) >= ALIKE:
        return f"{said}; {_meant(rows[close], rest)}"
    close = closest(plain, commands)
    if close and (_likeness(plain, close) >= ALIKE or (close[0] == plain[0] and _likeness(plain, close) >= A_SLIP)):
        return f"{said}, did you mean {close!r}?"
    return f"{said}; `warploom` alone shows where to begin, `warploom --help` all commands"


def _likeness(one: str, other: str) -> float:
    return difflib.SequenceMatcher(None, one, other).ratio()


def _is_term(word: str) -> bool:
    """Whether the documentation has a term or a page of this name."""
    from warploom.cli.common import UserError
    from warploom.cli.welcome import pages

    if shipped.folder("docs") is None:
        return False
    try:
        pages.find(word)
    except UserError:
        return False
    return True


def _meant(row: Guess, rest: Sequence[str]) -> str:
    """A row's command, with the file or the term that stood behind the word."""
    given = next((word for word in rest if not word.startswith("-")), None)
    command = row.command
    if given is not None and Path(given).suffix.lower() == ".cu" and command.startswith("warploom cc "):
        command = "warploom nvcc FILE"
    if "TERM" in command:
        words = [word for word in rest if not word.startswith("-")]
        while words and words[0].lower() in SMALL_WORDS:
            del words[0]
        given = " ".join(words) or None
    if given is not None and ("TERM" in command or "COMMAND" in command or is_program(given)):
        command = re.sub(r"\b(FILE|TERM|COMMAND)\b", lambda _: shlex.quote(given), command, count=1)
    return f"{row.does}: `{command}`"


def answer_option(option: str) -> str | None:
    """What is here in the place of another tool's option; None where nobody is known to have it."""
    return OPTIONS.get(option.partition("=")[0])


def is_program(word: str) -> bool:
    """Whether a word is the name of a program's file, so that `run` was meant."""
    from warploom.isa.frontends import FRONT_ENDS

    endings = {ending for row in FRONT_ENDS for ending in row.suffixes} | {".py", ".ipynb", ".cu", ".ptx", ".cubin"}
    return Path(word).suffix.lower() in endings


def _rows() -> dict[str, Guess]:
    return {word: row for row in GUESSES for word in row.words.split()}
