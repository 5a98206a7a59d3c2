from types import SimpleNamespace

import numpy as np
import pytest

import warploom
from tests.machine.device.drawing import draw, triangles_of
from tests.places import EXAMPLES
from warploom.isa.frontend import Options
from warploom.isa.launch import Launch
from warploom.isa.regions import Region
from warploom.machine.engine.users import shown_file
from warploom.observe.profile import profile
from warploom.observe.profile_report.table import ended
from warploom.observe.text.report import report
from warploom.observe.text.styled import plain
from warploom.observe.text.summary import MOST_TABLES, headline, machine, memory_tables, outcome, summary, threads_time, warps_time

ADDS = ".threads 6\nADD R0, R0, R0\nLDR R1, R0\nSTR R0, R1\nRET\n"
ENDLESS = ".threads 4\nagain: CMP R0, R0\nBRz again\nRET\n"


def run(text=ADDS, preset="tiny", max_cycles=10_000, **settings):
    changes = {name.replace("__", "."): value for name, value in settings.items()}
    return warploom.GPU(preset, set=changes, engine="python").run(warploom.tiny.assemble(text, "kernel.asm"), max_cycles=max_cycles)


def lines(result, **options):
    return [plain(line) for line in summary(result, **options)]


def shares(section):
    """Of every row: its name, value and percentage."""
    return {line[:28].strip(): (int(line[28:42].replace(" ", "")), float(line[42:49])) for line in section if line[42:51].endswith("%")}


def test_the_first_lines_name_kernel_machine_and_outcome():
    result = run()
    assert plain(headline(result)) == "kernel: 4 instructions, 6 threads; tiny: 2 cores x 4 threads, 4 data channels"
    assert plain(outcome(result)) == f"done in {result.cycles} cycles, 8 instructions executed, 24 counting each thread"
    assert plain(outcome(run(ENDLESS, max_cycles=1234))).startswith("still running after 1 234 cycles, ")
    assert plain(outcome(run(".threads 4\nNOP\n"))).startswith("stopped by a fault after ")


def idle(s, now):
    return -1


def test_a_run_says_which_units_of_a_user_s_it_had():
    """A setting, as core.scheduler, says nothing of a slot that is filled."""
    kernel = warploom.tiny.assemble(ADDS, "kernel.asm")
    machine_with = warploom.GPU("sm", units={"scheduler": idle, "prefetcher": "next_line"}, engine="python")
    result = machine_with.run(kernel, max_cycles=10)
    place = shown_file(idle.__code__.co_filename)
    assert result.units == {"scheduler": f"{place}:idle", "prefetcher": "next_line"} == report(result)["units"]
    assert machine(result.config, result.units).endswith(f"lanes, with unit.scheduler={place}:idle, unit.prefetcher=next_line")
    assert f"unit.scheduler={place}:idle" in ended(profile(result))
    without = warploom.GPU("sm", units={"scheduler": "oldest"}, engine="python").run(kernel, max_cycles=10)
    assert without.units == report(without)["units"] == {}


def test_a_machine_says_what_differs_from_its_preset():
    assert machine(run(gpu__cores=1).config) == "tiny: 1 core x 4 threads, 4 data channels, with gpu.cores=1"
    many = run(gpu__cores=1, core__skip_wait=True, core__prefetch=True, memory__bytes=128, core__threads_per_block=2).config
    assert machine(many).endswith(", with gpu.cores=1, core.threads_per_block=2, core.skip_wait=true and 2 more")


def test_the_states_add_up_and_the_rest_stood_empty():
    result = run()
    section = [plain(line) for line in threads_time(result, 80, True)]
    found = shares(section)
    states = ("fetch", "decode", "request", "wait", "execute", "update")
    total = int(section[0].split("  ")[1].split()[0].replace(" ", ""))
    assert sum(found[state][0] for state in states) == total
    assert sum(found[state][1] for state in states) == pytest.approx(100, abs=0.4)
    assert found["waiting for data memory"][0] == result.counters["data_wait_thread_cycles"] > 0
    assert section[-1].endswith(f"of {result.cycles * 8} thread-cycles had no thread")


def test_a_bar_is_in_proportion():
    section = [plain(line) for line in threads_time(run(), 80, False)]
    bars = {line[:28].strip(): line.count("#") for line in section}
    values = shares(section)
    assert bars["fetch"] > bars["wait"] > bars["decode"] > 0
    assert bars["fetch"] / bars["decode"] == pytest.approx(values["fetch"][0] / values["decode"][0], rel=0.35)


def test_memory_can_be_left_out():
    assert "data memory: 0 of 256 bytes changed" in lines(run())
    assert not any(line.startswith("data memory") for line in lines(run(), memory=False))


@pytest.mark.parametrize("more", [0, 1, 5])
def test_of_many_regions_the_first_are_shown_and_the_rest_counted(more):
    regions = [Region(f"page {number}", 4096 * (number + 1), 16) for number in range(MOST_TABLES + more + 1)]
    after = np.ones(16 * len(regions), np.uint8)
    after[-16:] = 0  # holds nothing, and is not counted
    space = SimpleNamespace(regions=regions, slice_of=lambda region: slice(region.base // 256 - 16, region.base // 256))
    made = SimpleNamespace(program=SimpleNamespace(regions=regions, launch=Launch()), space=space, initial_memory=0 * after, memory=after)
    said = [plain(line) for line in memory_tables(made)]
    assert sum(line.startswith("page ") for line in said) == MOST_TABLES
    last = 4096 * (MOST_TABLES + more) + 15
    rest = f"... and {more} more region{'s' * (more > 1)}, {4096 * (MOST_TABLES + 1):#x} to {last:#x}: {16 * more} bytes changed"
    assert [line for line in said if line.startswith("...")] == [rest] * (more > 0)


def test_regions_that_a_run_left_alone_are_not_shown():
    """A program for RISC-V has start-up code, stacks, arguments and itself in memory; of stacks a line is enough."""
    result = warploom.GPU("sm", engine="python").run(warploom.load(EXAMPLES / "riscv" / "squares.rv", "riscv"))
    shown = [plain(line) for line in memory_tables(result)]
    assert shown[0] == "memory  63 of 16 384 words changed, marked *"
    assert len(shown) == 1 + 2 * 16
    assert shown[2] == "          after           0           1*          4*          9*"
    text = "main:\n addi sp, sp, -16\n sw sp, 0(sp)\n ret\n"
    result = warploom.GPU("sm", engine="python").run(warploom.load(text.encode(), "riscv"))
    assert [plain(line) for line in memory_tables(result)] == ["stacks  1 of 1 024 words changed"]
    asked = warploom.load(b"main:\n ret\n", "riscv", options=Options(buffers={"memory": [1]}))
    unchanged = warploom.GPU("sm", engine="python").run(asked)
    assert [plain(line) for line in memory_tables(unchanged)] == ["memory  0 of 16 384 words changed"]


def test_a_machine_with_warps_shows_why_its_warps_waited():
    result = run(preset="sm")
    section = [plain(line) for line in warps_time(result, 80, True)]
    found = shares(section)
    assert sum(value for value, _ in found.values()) == result.counters["warp_cycles"]
    assert list(found) == sorted(found, key=lambda name: -found[name][0])
    assert found["selected"][0] == result.instructions
    shown = lines(result)
    assert any(line.startswith("  transactions") for line in shown)
    assert not any(line.startswith("memory channels") for line in shown)


@pytest.mark.parametrize("width", [80, 120])
@pytest.mark.parametrize("preset", ["tiny", "tiny-original", "sm"])
def test_lines_below_the_headline_fit(width, preset):
    text = ADDS.replace("6", "8")
    assert max(len(line) for line in lines(run(text, preset), width=width)[1:]) <= width


def test_a_program_that_draws_shows_its_quads_and_fragments():
    result = draw(triangles_of(np.random.default_rng(5), 1, 8), 8, core__warps=1).result
    shown = lines(result, memory=False)
    assert f"graphics  {result.counters['quads']} quads, {result.counters['fragments']} fragments" in shown
    assert any(line.startswith("  pixels of quads covered") for line in shown)
    assert not any(line.startswith("graphics") for line in lines(run()))
