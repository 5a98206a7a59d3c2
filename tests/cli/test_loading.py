"""What a Python program sees of the machine while it runs up to its launch: the one that the command was asked for, in every command."""

import linecache
import pickle

import numpy as np
import pytest
from click.testing import CliRunner

from warploom.cli import main
from warploom.cli.loading import with_its_files
from warploom.cli.running import take_order
from warploom.isa import load
from warploom.isa.frontend import Options
from warploom.isa.launching import read_buffer
from warploom.kernel.checking import check
from warploom.study.compare import plan

ASKS = """
import numpy as np
from warploom import cuda

@cuda.jit
def fill(x, n):
    i = cuda.grid(1)
    x[i] = n

device = cuda.get_current_device()
cores = device.MULTIPROCESSOR_COUNT
print("sees", device.name.decode(), cores, "x", device.WARP_SIZE)
fill[cores, 32](np.zeros(32 * cores, np.int32), cores)
"""
LARGE = 'base = "sm"\n[gpu]\ncores = 5\n'
COMMANDS = {
    "run": ("run", "--quiet"),
    "run, one launch": ("run", "--launch", "0", "--quiet"),
    "profile": ("profile",),
    "picture": ("picture", "timeline", "-o", "out.svg"),
    "explore": ("explore", "-o", "out.html"),
    "check": ("check",),
    "check, one launch": ("check", "--launch", "fill"),
    "debug": ("debug", "-x", "continue"),
    "compare": ("compare", "--over", "core.warps=4,8"),
    "ladder": ("ladder",),
    "ladder, one launch": ("ladder", "--launch", "0"),
}


@pytest.fixture
def script(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "large.toml").write_text(LARGE)
    (tmp_path / "asks.py").write_text(ASKS)
    return "asks.py"


def sees(*arguments):
    """The line in which the program says what it sees; it has one, or one of each run of the file."""
    done = CliRunner().invoke(main, [*arguments])
    assert done.exit_code == 0, done.output
    (said,) = {line.removeprefix("sees ") for line in done.output.splitlines() if line.startswith("sees ")}
    return said


def words(command):
    """Those before the file and those after it."""
    name, *options = COMMANDS[command]
    if name in ("picture", "explore"):
        pytest.importorskip("matplotlib")
    kinds = 1 if name == "picture" else 0
    return [name, *options[:kinds]], options[kinds:]


@pytest.mark.every(3)
@pytest.mark.parametrize("command", COMMANDS)
def test_a_program_sees_the_machine_that_the_command_is_asked_for(script, command):
    first, options = words(command)
    chosen = ("--gpu", "large.toml", "--set", "core.lanes=16")
    assert sees(*first, script, *options, *chosen) == "warploom large 5 x 16"


def test_so_it_does_of_a_preset(script):
    assert sees("profile", script, "--gpu", "v100") == "warploom v100 80 x 32"


def test_so_it_does_where_its_units_are_compared_with_hardware(script):
    pytest.importorskip("amaranth")
    assert sees("lockstep", script, "--unit", "scheduler", "--gpu", "sm", "--set", "gpu.cores=3") == "warploom sm 3 x 32"


@pytest.mark.every(3)
@pytest.mark.parametrize("command", COMMANDS)
def test_without_a_word_about_the_machine_it_sees_the_usual_one(script, command):
    first, options = words(command)
    assert sees(*first, script, *options) == ("warploom v100 80 x 32" if first == ["ladder"] else "warploom sm 1 x 32")


def test_its_launch_has_the_grid_that_the_program_chose(script):
    options = {"gpu": "v100", "changes": ("gpu.cores=6",), "launch": "0", "units": (), "scheduler": None, "isa": None, "compiler": "own"}
    order = take_order(script, {**options, "max_cycles": None, "engine": "python"})
    assert order.program.launch.threads == 6 * 32
    assert order.config.gpu.cores == 6


def test_a_comparison_runs_the_launch_of_the_machine_that_it_starts_from(script):
    found = plan(script, {"gpu.cores": "2,4"}, gpu="sm", set={"core.warps": 8})
    assert found.program.launch.threads == 32
    found = plan(script, {"core.warps": "4,8"}, gpu="large.toml")
    assert found.program.launch.threads == 5 * 32
    assert pickle.loads(pickle.dumps(found.program)).launch.threads == 5 * 32  # other processes run it too


def test_a_launch_is_compiled_for_checks_with_what_the_program_saw(script):
    report = check(load(script, options=Options(machine="large.toml")), gpu="sm")
    assert report.clean and report.complete
    assert report.program.launch.threads == 5 * 32
    assert read_buffer(report.program, report.result.memory, "x").view(np.int32).tolist() == [5] * (
        5 * 32
    )  # n too is the number of its cores


def test_a_machine_that_keeps_no_memory_is_refused_in_one_sentence(script):
    done = CliRunner().invoke(main, ["profile", script, "--gpu", "tiny"])
    assert done.exit_code == 2
    sentence, launch, _ = done.stderr.splitlines()
    expected = "error: 'tiny' has core.control = 'sequencer', which keeps no memory between launches; choose sm"
    assert sentence == f"asks.py:13:1: {expected}"
    assert launch.strip().startswith("fill[cores, 32](")


@pytest.mark.parametrize("command", ["run", "profile"])
def test_a_unit_of_ones_own_is_asked_in_a_whole_program_too(script, tmp_path, command):
    (tmp_path / "mine.py").write_text("def choose(s, now):\n    return 1 // 0\n")
    done = CliRunner().invoke(main, [command, script, "--unit", "scheduler=mine.py:choose"])
    assert done.exit_code == 2
    assert done.stderr.startswith("error: mine.py:2: ZeroDivisionError")


@pytest.mark.parametrize(
    ("line", "said"),
    [("return 1 // 0", "ZeroDivisionError"), ("del now", "choose cannot become native code: `del now`: ")],
    ids=["runs", "not"],
)
def test_the_line_of_a_units_mistake_is_that_of_the_file_as_it_is_now(script, tmp_path, line, said):
    (tmp_path / "mine.py").write_text("import nothing\n")
    linecache.cache.pop("mine.py", None)
    assert linecache.getline("mine.py", 1) == "import nothing\n"  # as whatever shows an error reads it
    (tmp_path / "mine.py").write_text(f"def choose(s, now):\n    {line}\n    return 0\n")
    done = CliRunner().invoke(main, ["run", script, "--engine", "native", "--unit", "scheduler=mine.py:choose"])
    assert done.stderr.startswith(f"error: mine.py:2: {said}"), done.stderr


KINDS = """
struct part { int a; float b; long c[2]; };
kernel void kinds(global float *out, char c, ushort s, int i, ulong l, float f, double d, float2 f2, int3 i3, uchar4 u4, struct part p,
                  constant int *k, local int *t, int last) {
  int n = get_local_id(0);
  t[n] = n;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (n) return;
  float found[] = {c, s, i, l, f, d, f2.x, f2.y, i3.x, i3.z, u4.w, p.a, p.b, p.c[1], k[1], t[63], last};
  for (int j = 0; j < 17; j++)
    out[j] = found[j];
}
kernel void other(global float *out, int n) { out[get_global_id(0)] = n; }
"""
PIECES = ["c=-3", "s=60000", "i=-70000", "l=0xf000000000000000", "f=1.5", "d=-2.5", "f2=32,16.5", "i3=-1,2,3", "u4=1,2,3,255"]
PIECES += ["t=256", "last=7"]
VALUES = [-3, 60000, -70000, float(0xF << 60), 1.5, -2.5, 32, 16.5, -1, 3, 255, 7, 8.5, -10, 41, 63, 7]


@pytest.mark.parametrize("part", [["p=7,8.5,9,-10"], ["p.a=7", "p.b=8.5", "p.c[0]=9", "p.c[1]=-10"]], ids=["as a whole", "by member"])
@pytest.mark.parametrize("chosen", [["--kernel", "kinds"], ["--launch", "0"], ["--launch", "kinds"]], ids=" ".join)
def test_a_kernel_in_opencl_gets_every_kind_of_argument(tmp_path, monkeypatch, chosen, part):
    pytest.importorskip("ziglang")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "kinds.cl").write_text(KINDS)
    np.save("out.npy", np.zeros(17, np.float32))
    np.save("k.npy", np.arange(40, 45, dtype=np.int32))
    arguments = [word for piece in [*PIECES, *part] for word in ("--arg", piece)]
    buffers = ["--buffer", "out=out.npy", "--buffer", "k=k.npy", "--save", "out=after.npy", "--quiet"]
    done = CliRunner().invoke(main, ["run", "kinds.cl", *chosen, *arguments, *buffers])
    assert done.exit_code == 0, done.output
    assert np.load("after.npy").tolist() == VALUES


def test_of_a_pointer_to_lds_the_value_is_how_many_bytes_there_are(tmp_path, monkeypatch):
    pytest.importorskip("ziglang")
    monkeypatch.chdir(tmp_path)
    source = "kernel void rev(global int *y, local int *t, int n) { int l = get_local_id(0), i = get_global_id(0); t[l] = y[i]; "
    source += "barrier(CLK_LOCAL_MEM_FENCE); y[i] = t[get_local_size(0) - 1 - l] + n; }"
    (tmp_path / "rev.cl").write_text(source)
    np.save("y.npy", np.arange(128, dtype=np.int32))
    size = ["--grid", "2", "--block", "64", "--buffer", "y=y.npy", "--arg", "n=0", "--save", "y=after.npy", "--quiet"]
    done = CliRunner().invoke(main, ["run", "rev.cl", *size, "--arg", "t=256"])
    assert done.exit_code == 0, done.output
    assert np.load("after.npy").tolist() == [*range(63, -1, -1), *range(127, 63, -1)]
    short = CliRunner().invoke(main, ["run", "rev.cl", *size, "--arg", "t=252"])
    assert short.exit_code == 1 and "accesses shared address 0xfc, but the block has 0xfc bytes" in short.output


@pytest.mark.parametrize(
    ("file", "source", "said"),
    [
        ("add.asm", ".threads 8\nRET", "error: add.asm: there is no argument 'n'; it takes none"),
        ("add.x86", "ret", "error: add.x86: there is no argument 'n'; it takes none"),
        ("add.guppy", "ret", "error: add.guppy: there is no argument 'n'; it takes none"),
    ],
)
def test_a_program_without_arguments_takes_none(tmp_path, monkeypatch, file, source, said):
    monkeypatch.chdir(tmp_path)
    (tmp_path / file).write_text(source)
    isa = ["--isa", "avx512"] if file.endswith("x86") else []
    done = CliRunner().invoke(main, ["run", file, *isa, "--arg", "n=1,2"])
    assert (done.exit_code, done.output.strip()) == (2, said)


def test_a_cuda_program_of_several_files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("main.cpp", "kernels.cu", "more.cu", "data.txt"):
        (tmp_path / name).write_text("")
    given = {"program_arguments": ("kernels.cu", "more.cu", "64", "more.cu"), "nvcc_words": "-O3"}
    made = {"program_arguments": ("64", "more.cu"), "nvcc_words": "-O3 main.cpp more.cu"}
    assert with_its_files("main.cpp", given) == ("kernels.cu", made)
    for alone in ({"program_arguments": ("data.txt",)}, {"program_arguments": ("absent.cu",)}, {}):
        assert with_its_files("kernels.cu", alone) == ("kernels.cu", alone)
    assert with_its_files("main.cpp", {"program_arguments": ("data.txt", "kernels.cu")})[0] == "main.cpp"
