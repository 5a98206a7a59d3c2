"""Uses without their wait are named; what compilers write and what waits is not."""

import pytest

from tests.isa.gcn.recorded import FOLDER, NAMES, program_of, recording
from warploom import GPU
from warploom.isa import uop as u
from warploom.isa.frontend import Options
from warploom.isa.frontends import load_with_warnings, open_source
from warploom.machine.accounting import events as e
from warploom.machine.accounting.reasons import LONG_SCOREBOARD, SHORT_SCOREBOARD, WAITCNT

HEAD = ".kernel main\n.arg x, pointer, 256\ns_load_dwordx2 s[8:9], s[4:5], 0x0\n"


def warnings(text):
    return [one.message + "; " + one.fix for one in load_with_warnings((HEAD + text).encode(), "gcn")[1]]


def test_a_scalar_load_that_nobody_waits_for():
    assert warnings("global_store_dword v0, v0, s[8:9]\ns_endpgm") == [
        "global_store_dword v0, v0, s[8:9]: s8 is used, and nothing waits for the load in line 3 that writes it; "
        "write s_waitcnt lgkmcnt(0) before it"
    ]
    assert warnings("s_waitcnt lgkmcnt(0)\nglobal_store_dword v0, v0, s[8:9]\ns_endpgm") == []
    assert warnings("s_load_dword s0, s[4:5], 0x0\ns_waitcnt lgkmcnt(1)\nglobal_store_dword v0, v0, s[8:9]\ns_endpgm") == [
        "global_store_dword v0, v0, s[8:9]: s8 is used, and nothing waits for the load in line 3 that writes it; while loads of the scalar "
        "unit are in flight, which come in any order, only lgkmcnt(0) proves that one is done; write s_waitcnt lgkmcnt(0) before it"
    ]


def test_of_several_loads_the_ones_that_must_be_done():
    loads = "s_waitcnt lgkmcnt(0)\nglobal_load_dword v1, v0, s[8:9]\nglobal_load_dword v2, v0, s[8:9]\n"
    assert warnings(loads + "s_waitcnt vmcnt(1)\nv_add_u32 v3, v1, v1\ns_endpgm") == []
    assert warnings(loads + "s_waitcnt vmcnt(1)\nv_add_u32 v3, v2, v2\ns_endpgm") == [
        "v_add_u32_e32 v3, v2, v2: v2 is used, and nothing waits for the load in line 6 that writes it; write s_waitcnt vmcnt(0) before it"
    ]
    assert "write s_waitcnt vmcnt(1) before it" in warnings(loads + "v_add_u32 v3, v1, v1\ns_endpgm")[0]
    stores = "global_store_dword v0, v0, s[8:9]\n"  # these are counted too
    assert warnings(loads + stores + "s_waitcnt vmcnt(1)\nv_add_u32 v3, v2, v2\ns_endpgm") == []


def test_lds_comes_in_order_but_not_beside_scalar_loads():
    reads = "s_waitcnt lgkmcnt(0)\nds_read_b32 v1, v0\nds_read_b32 v2, v0\n"
    assert warnings(reads + "s_waitcnt lgkmcnt(1)\nv_mov_b32 v3, v1\ns_endpgm") == []
    (said,) = warnings(reads + "s_load_dword s0, s[4:5], 0x0\ns_waitcnt lgkmcnt(2)\nv_mov_b32 v3, v1\ns_endpgm")
    assert said.endswith("only lgkmcnt(0) proves that one is done; write s_waitcnt lgkmcnt(0) before it")


def test_a_register_that_is_overwritten_before_its_load_has_come():
    assert len(warnings("s_mov_b32 s8, 0\ns_endpgm")) == 1


def test_one_of_two_paths_that_meet_is_enough():
    text = "{}s_cbranch_scc0 on\ns_waitcnt lgkmcnt(0)\non:\ns_mov_b32 s0, s8\ns_endpgm"
    assert len(warnings(text.format(""))) == 1
    assert warnings(text.format("s_waitcnt lgkmcnt(0)\n")) == []


def test_a_load_in_a_loop_is_used_in_the_next_iteration():
    text = "s_waitcnt lgkmcnt(0)\nagain:\n{}v_add_u32 v2, v2, v1\nglobal_load_dword v1, v0, s[8:9]\ns_cbranch_scc1 again\ns_endpgm"
    assert len(warnings(text.format(""))) == 1
    assert warnings(text.format("s_waitcnt vmcnt(0)\n")) == []


def test_a_wave_stalls_where_it_waits_and_not_where_it_uses():
    loads = "v_lshlrev_b32 v0, 2, v0\ns_waitcnt lgkmcnt(0)\nglobal_load_dword v1, v0, s[8:9]\nds_read_b32 v2, v0\n"
    text = HEAD + ".lds 256\n" + loads + "{}v_add_u32 v1, v1, v2\ns_endpgm"

    def stalls(wait, mnemonic):
        program = load_with_warnings(text.format(wait).encode(), "gcn", Options(buffers={"x": [0] * 64}))[0]
        result = GPU("gcn", engine="python").run(program)
        assert result.status == "done"
        profile = result.detail.profile
        number = next(n for n, line in enumerate(program.text) if line.startswith(mnemonic) and n > 5)
        return [int(profile[number, reason]) for reason in (WAITCNT, LONG_SCOREBOARD, SHORT_SCOREBOARD)]

    waits, *others = stalls("s_waitcnt lgkmcnt(0)\n", "s_waitcnt")
    assert 0 < waits < 100 and others == [0, 0]
    waits, *others = stalls("s_waitcnt vmcnt(0)\n", "s_waitcnt")
    assert waits > 100 and others == [0, 0]
    assert stalls("s_waitcnt vmcnt(0) lgkmcnt(0)\n", "v_add_u32") == [0, 0, 0]
    waits, *others = stalls("", "v_add_u32")
    assert waits == 0 and sum(others) > 100


def test_of_two_loads_in_flight_vmcnt_1_waits_for_the_first_only():
    """The second load leaves some eighty cycles after the first one."""
    loads = "v_lshlrev_b32 v0, 2, v0\ns_waitcnt lgkmcnt(0)\nglobal_load_dword v1, v0, s[8:9]\n"
    loads += "s_nop 0\n" * 20 + "global_load_dword v2, v0, s[8:9] offset:1024\n"
    text = (
        HEAD.replace("256", "4096") + loads + "s_waitcnt vmcnt(1)\nv_add_u32 v3, 1, v1\ns_waitcnt vmcnt(0)\nv_add_u32 v3, v3, v2\ns_endpgm"
    )
    program = load_with_warnings(text.encode(), "gcn", Options(buffers={"x": [0] * 1024}))[0]
    result = GPU("gcn", engine="python").run(program, tracing=True)
    assert result.status == "done"
    first, second = [n for n, line in enumerate(program.text) if line.startswith("global_load")]
    one, both = [n for n, line in enumerate(program.text) if line.startswith("s_waitcnt vmcnt")]
    issues = {int(row[e.PC]): int(row[e.TIME]) for row in result.detail.events if row[e.KIND] == e.ISSUE}
    done = dict(e.of_kind(result.detail.events, e.COMPLETE)[["pc", "done"]].tolist())
    assert done[first] + 50 < done[second]
    waited = result.detail.profile[:, WAITCNT]
    for wait, load in ((one, first), (both, second)):
        assert 0 <= issues[wait] - (done[load] + 1) < 4  # in its next turn
        assert 0 < waited[wait] <= issues[wait] - issues[wait - 1] - 1
    assert result.detail.profile[:, LONG_SCOREBOARD].sum() == 0


STORE, LOAD = "global_store_dword v0, v0, s[8:9]{}\n", "global_load_dword v1, v0, s[8:9]{}\n"
PAUSE = "s_nop 0\n" * 20


@pytest.mark.parametrize(
    ("body", "awaited"),
    [
        ("global_atomic_add v0, v0, s[8:9]\n" + PAUSE + LOAD.format(" offset:1024") + "s_waitcnt vmcnt(1)\n", {0: [0]}),
        (STORE.format("") + "s_waitcnt vmcnt(0)\n", {0: [0]}),
        (STORE.format("") + PAUSE + STORE.format(" offset:1024") + "s_waitcnt vmcnt(1)\ns_waitcnt vmcnt(0)\n", {0: [0], 1: [1]}),
        (STORE.format("") + PAUSE + LOAD.format(" offset:1024") + "s_waitcnt vmcnt(1)\ns_waitcnt vmcnt(0)\n", {0: [0], 1: [1]}),
        (LOAD.format("") + PAUSE + STORE.format(" offset:1024") + "s_waitcnt vmcnt(1)\ns_waitcnt vmcnt(0)\n", {0: [0], 1: [1]}),
        (STORE.format("") + "s_waitcnt vmcnt(1)\n", {0: []}),
        (STORE.format("") + "s_waitcnt lgkmcnt(0)\n", {0: []}),
        (STORE.format("") + "s_cbranch_scc1 on\n" + LOAD.format(" offset:1024") + "on:\ns_waitcnt vmcnt(0)\n", {0: [0, 1]}),
        # A function that no path of the kernel is known to reach.
        ("s_getpc_b64 s[10:11]\ns_add_u32 s10, s10, 24\ns_addc_u32 s11, s11, 0\n" + STORE.format("") + "s_swappc_b64 s[12:13], s[10:11]\n"
         "s_endpgm\ns_waitcnt vmcnt(0)\ns_setpc_b64 s[12:13]\n", {0: [0]}),
    ],
)  # fmt: skip
def test_vmcnt_counts_stores_until_memory_has_them(body, awaited):
    """awaited: by wait, the accesses that are done just before it goes on; a wait for none takes no time."""
    text = HEAD.replace("256", "4096") + "v_lshlrev_b32 v0, 2, v0\ns_waitcnt lgkmcnt(0)\n" + body + "s_endpgm"
    program = load_with_warnings(text.encode(), "gcn", Options(buffers={"x": [0] * 1024}))[0]
    result = GPU("gcn", engine="python").run(program, tracing=True)
    assert result.status == "done"
    first = next(n for n, line in enumerate(program.text) if line.startswith("s_waitcnt")) + 1
    waits = [n for n, line in enumerate(program.text) if n >= first and line.startswith("s_waitcnt")]
    accesses = [n for n, line in enumerate(program.text) if line.startswith("global")]
    issues = {int(row[e.PC]): int(row[e.TIME]) for row in result.detail.events if row[e.KIND] == e.ISSUE}
    done = dict(e.of_kind(result.detail.events, e.COMPLETE)[["pc", "done"]].tolist())
    for number, which in awaited.items():
        if which:
            assert 0 <= issues[waits[number]] - (max(done[accesses[one]] for one in which) + 1) < 4  # in its next turn
            assert result.detail.profile[waits[number], WAITCNT] > 0
        else:
            assert result.detail.profile[waits[number], WAITCNT] == 0
    assert result.detail.profile[:, WAITCNT].sum() == result.detail.profile[[first - 1, *waits], WAITCNT].sum()


def test_stores_that_nobody_answers_are_waited_for_until_they_have_left():
    text = HEAD + "v_lshlrev_b32 v0, 2, v0\ns_waitcnt lgkmcnt(0)\n" + STORE.format("") + "{}s_endpgm"

    def cycles(wait, stores):
        program = load_with_warnings(text.format(wait).encode(), "gcn", Options(buffers={"x": [0] * 64}))[0]
        return GPU("gcn", set={"lsu.stores": stores}, engine="python").run(program).cycles

    wait = "s_waitcnt vmcnt(0)\n"
    assert cycles("", 0) < cycles(wait, 0) < cycles(wait, 1024)


def test_what_flat_does_proves_nothing_of_lds():
    """FLAT is in lgkmcnt too, and its part in LDS may be done first."""
    text = "s_waitcnt lgkmcnt(0)\nds_read_b32 v1, v0\nflat_load_dword v2, v[4:5]\n"
    text += "s_waitcnt vmcnt(0) lgkmcnt({})\nv_add_u32 v3, v1, v2\ns_endpgm"
    assert len(warnings(text.format(1))) == 1
    assert warnings(text.format(0)) == []


@pytest.mark.parametrize("name", NAMES)
def test_what_compilers_write_waits_for_everything(name):
    recorded = recording(name)
    path = FOLDER / recorded["code_object"]
    assert len(program_of(recorded)) > 1
    buffers = {"argument": [0, 0, 0, 0]}
    loaded = open_source(path, None, Options(str(path), buffers=buffers, more={"kernel": recorded["kernel"]}))
    assert [one.message for one in loaded.warnings] == []


def timed(body, words=1 << 14):
    """By instruction: when it issued, and when it was done; the program."""
    text = HEAD.replace("256", str(4 * words)) + "s_waitcnt lgkmcnt(0)\n" + body + "s_endpgm"
    program = load_with_warnings(text.encode(), "gcn", Options(buffers={"x": [0] * words}))[0]
    result = GPU("gcn", engine="python").run(program, tracing=True)
    assert result.status == "done"
    rows = result.detail.events
    issues = {int(row[e.PC]): int(row[e.TIME]) for row in rows if row[e.KIND] == e.ISSUE}
    return issues, dict(e.of_kind(rows, e.COMPLETE)[["pc", "done"]].tolist()), program


# A line for each lane, all in one slice of the second-level cache; then one line.
SLOW = "v_lshlrev_b32 v0, 10, v0\nv_mov_b32 v2, 0x100\nglobal_store_dword v0, v1, s[8:9]\n"
FAST = "s_mov_b64 exec, 1\nglobal_store_dword v2, v1, s[8:9]\n"


def test_vmcnt_counts_in_order_what_is_done_out_of_order():
    """The second access is done before the first one: a wait for all but one still waits for the first."""
    body = SLOW + FAST + "s_waitcnt vmcnt(1)\ns_nop 0\ns_waitcnt vmcnt(0)\n"
    issues, done, program = timed(body)
    first, second = (n for n, line in enumerate(program.text) if line.startswith("global_"))
    one = program.text.index("s_waitcnt vmcnt(1)")
    assert done[second] < done[first]
    assert done[first] < issues[one] <= done[first] + 4  # in its next turn
    assert issues[one + 2] - issues[one] == 2 * 4  # for all of them it need not wait any more


def test_where_paths_meet_what_one_of_them_may_have_left_is_waited_for():
    text = """v_mov_b32 v0, 0
s_waitcnt lgkmcnt(0)
s_cmp_eq_u32 s8, 0
s_cbranch_scc1 other
global_store_dword v0, v0, s[8:9]
global_load_dword v1, v0, s[8:9]
global_load_dword v2, v0, s[8:9]
s_branch meet
other:
global_load_dword v1, v0, s[8:9]
global_load_dword v2, v0, s[8:9]
meet:
s_waitcnt vmcnt({})
s_endpgm"""
    for most, beyond in ((1, 1 + 1), (2, 2 + 1), (3, 0)):  # the store is the third from the end, on one path
        program = load_with_warnings((HEAD + text.format(most)).encode(), "gcn", Options(buffers={"x": [0] * 64}))[0]
        assert int(program.uops[program.code[program.text.index(f"s_waitcnt vmcnt({most})"), u.FIRST_UOP], u.IMM]) == beyond


@pytest.mark.parametrize("width", [1, 4])
def test_a_wait_for_more_registers_than_an_instruction_can_use_waits_for_the_first_load_too(width):
    """The first load misses, the others hit: their registers are there before those of the first."""
    name, count = ("dword", 20) if width == 1 else ("dwordx4", 5)
    vectors = [f"v{n}" if width == 1 else f"v[{n}:{n + 3}]" for n in range(8, 8 + (count + 1) * width, width)]
    loads = "".join(f"global_load_{name} {one}, v0, s[8:9]\n" for one in vectors[1:])
    body = "v_mov_b32 v0, 0\nglobal_load_dword v1, v0, s[8:9]\ns_waitcnt vmcnt(0)\n"  # so the line is there
    body += f"global_load_{name} {vectors[0]}, v0, s[8:9] offset:1024\n{loads}s_waitcnt vmcnt(0)\n"
    issues, done, program = timed(body)
    first, *others = [n for n, line in enumerate(program.text) if line.startswith(f"global_load_{name} ")][-count - 1 :]
    assert max(done[one] for one in others) < done[first] < issues[others[-1] + 1] <= done[first] + 4  # in its next turn


def test_a_wait_for_many_scalar_loads_has_room_for_one_register_of_each():
    loads = "".join(f"s_load_dwordx16 s[{n}:{n + 15}], s[4:5], 0x0\n" for n in (16, 32, 48))
    program = load_with_warnings((HEAD + loads + "s_waitcnt lgkmcnt(0)\ns_endpgm").encode(), "gcn", Options(buffers={"x": [0] * 64}))[0]
    row = program.code[program.text.index("s_waitcnt lgkmcnt(0)")]
    used = {int(one) - u.SCALAR_GROUP for one in row[u.USE : u.USE + row[u.USES]]}
    assert all(used & set(range(n, n + 16)) for n in (16, 32, 48)) and used & {8, 9}


def test_a_store_is_waited_for_however_many_accesses_have_left_since():
    loads = "".join(f"global_load_dword v{n}, v0, s[8:9]\n" for n in range(1, 71))
    text = HEAD + "s_waitcnt lgkmcnt(0)\n" + STORE.format("") + loads + "s_waitcnt vmcnt(62)\ns_endpgm"
    program = load_with_warnings(text.encode(), "gcn", Options(buffers={"x": [0] * 64}))[0]
    assert int(program.uops[program.code[program.text.index("s_waitcnt vmcnt(62)"), u.FIRST_UOP], u.IMM]) == 62 + 1
