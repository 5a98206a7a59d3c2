import re

import pytest

import warploom
from warploom.observe.text.log import Selection, log

KERNEL = """.threads 6
.data 5 6 7
CONST R2, #1
LDR R1, %threadIdx
ADD R1, R1, R2
STR %threadIdx, R1
CMP R1, R2
RET
"""


@pytest.fixture(scope="module")
def result():
    return warploom.GPU("tiny", engine="python").run(warploom.tiny.assemble(KERNEL, "kernel.asm"))


def pieces(result, **options):
    return dict(log(result, Selection(**options)))


def thread_rows(text):
    return [line for line in text.splitlines() if re.match(r" {7}\d ", line)]


def test_it_begins_with_memory_before_and_ends_with_memory_after(result):
    shown = pieces(result)
    assert list(shown) == [-1, *range(result.cycles), result.cycles]
    assert "before the first cycle\ndata memory\n" in shown[-1]
    assert "    0          5   6   7   0" in shown[-1]
    assert f"done in {result.cycles} cycles" in shown[result.cycles]
    assert "      after    6*  7*  8*  1*" in shown[result.cycles]


def test_every_cycle_has_every_core_thread_and_register(result):
    shown, names = pieces(result), ["thread", "R1", "R2", "nzp", "RS", "RT", "ALU", "LSU"]
    for line in result.trace():
        text = shown[line["cycle"]]
        cores = [core for core in line["cores"] if core["core_state"] not in (0, 7)]
        assert sum(row.split() == names for row in text.splitlines()) == len(cores)
        found = [row.replace("*", " ").split() for row in thread_rows(text)]
        expected = [
            [str(number), str(thread["regs"][1]), str(thread["regs"][2])]
            for core in cores
            for number, thread in enumerate(core["threads"][: core["thread_count"]])
        ]
        assert [row[:3] for row in found] == expected
        states = [thread for core in cores for thread in core["threads"][: core["thread_count"]]]
        assert [row[4:7] for row in found] == [[str(state[name]) for name in ("rs", "rt", "alu_out")] for state in states]


def test_a_core_says_state_counter_and_instruction(result):
    shown = pieces(result)
    assert "core 0  block 0, 4 threads  DECODE  PC 0    CONST R2, #1               line 3\n" in shown[8]
    assert "core 1  block 1, 2 threads  DECODE" in "".join(shown.values())
    assert "core 0  has no block\n" in shown[0]


def test_numbers_line_up_with_their_headings(result):
    text = next(text for text in pieces(result).values() if "CMP R1, R2" in text and "EXECUTE" in text)
    lines = text.splitlines()
    heading = next(line for line in lines if line.startswith("  thread"))
    for row in thread_rows(text):
        for name in ("thread", "R1", "R2", "RS", "RT", "ALU"):
            end = heading.index(name) + len(name)
            assert row[end - 1].isdigit() and not row[end : end + 1].isdigit()


def test_a_star_marks_what_an_edge_has_changed(result):
    before = {}
    for cycle, text in pieces(result).items():
        if not 0 <= cycle < result.cycles:
            continue
        line = next(result.trace(cycle, cycle))
        core = line["cores"][0]
        if core["core_state"] in (0, 7):
            continue
        row = thread_rows(text)[0]
        numbers = (core["threads"][0]["regs"][1], core["threads"][0]["regs"][2])
        assert row.count("*", 0, 18) == (sum(new != old for new, old in zip(numbers, before["last"], strict=True)) if before else 0)
        before["last"] = numbers


def test_loads_and_stores_are_told_with_address_and_value(result):
    whole = "".join(pieces(result).values())
    for words in ("asks", "loads [2]", "has loaded 7", "stores 8 in [2]", "has stored"):
        assert f"  {words}\n" in whole
    assert "data memory, channel 2: reads [2] for core 0, thread 2\n" in whole
    assert "data memory, channel 2: writes 8 to [2] for core 0, thread 2\n" in whole
    assert "program memory, channel 0: reads [0] for core 0\n" in whole


def test_the_condition_is_written_in_letters(result):
    whole = "".join(pieces(result, cores=(0,), threads=(0,)).values())
    assert re.search(r"   p\* ", whole)


def test_a_selection_of_cores_threads_and_cycles(result):
    shown = pieces(result, cores=(1,), threads=(1,), first=20, last=40)
    assert list(shown) == [-1, *range(20, 41), result.cycles]
    whole = "".join(text for cycle, text in shown.items() if 0 <= cycle < result.cycles)
    assert "core 0" not in whole
    assert {row.split()[0] for row in thread_rows(whole)} == {"1"}


def test_a_span_behind_the_end_is_empty(result):
    assert list(pieces(result, first=10_000)) == [-1, result.cycles]


def test_an_endless_run_ends_with_where_it_was():
    program = warploom.tiny.assemble(".threads 4\nagain: CMP R0, R0\nBRz again\nRET\n", "kernel.asm")
    shown = pieces(warploom.GPU("tiny", engine="python").run(program, max_cycles=50))
    assert "still running after 50 cycles" in shown[50]
    assert "core 0, block 0 (threads 0-3) is in " in shown[50]


def test_a_machine_with_warps_has_another_kind_of_log():
    result = warploom.GPU("sm", engine="python").run(warploom.tiny.assemble(".threads 4\nRET\n"))
    with pytest.raises(ValueError, match=r"trace\(\) shows cores that run one instruction at a time"):
        list(log(result))


def test_a_narrow_log_has_the_units_in_a_table_of_their_own():
    result = warploom.GPU("tiny", engine="python").run(warploom.load("examples/tiny/matmul.asm"))
    wide, narrow = (dict(log(result, width=width)) for width in (120, 80))
    assert max(len(line) for text in narrow.values() for line in text.splitlines()) <= 80
    assert max(len(line) for text in wide.values() for line in text.splitlines()) > 80
    for cycle in range(0, result.cycles, 7):
        joined = [row.split() for row in thread_rows(wide[cycle])]
        apart = [row.split() for row in thread_rows(narrow[cycle])]
        named = wide[cycle].count("  nzp ")
        found = []
        while apart:
            count = next(at for at in range(1, len(apart)) if apart[at][0] == "0")  # a core's registers, then its units
            found += [registers + units[1:] for registers, units in zip(apart[:count], apart[count : 2 * count], strict=True)]
            apart = apart[2 * count :]
        assert (found, narrow[cycle].count("  nzp ")) == (joined, named)
