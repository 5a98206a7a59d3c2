import json

import warploom
from warploom.observe.text.report import report


def run(preset, text=".threads 4\nCONST R1, #7\nSTR %threadIdx, R1\nRET\n", **options):
    return warploom.GPU(preset, engine="python").run(warploom.tiny.assemble(text, "kernel.asm"), **options)


def test_it_is_json_and_has_everything():
    result = run("tiny")
    body = json.loads(json.dumps(report(result)))
    assert (body["isa"], body["gpu"], body["status"], body["cycles"], body["instructions"]) == ("tiny", "tiny", "done", result.cycles, 3)
    assert body["memory"] == {"bytes": 256, "data": [7, 7, 7, 7] + [0] * 252}
    assert body["config"] == result.config.flat()
    assert body["counters"] == result.counters


def test_zeros_at_the_end_of_a_large_memory_are_left_out():
    result = run("sm")
    body = report(result)["memory"]
    assert body["bytes"] == len(result.memory) == 1 << 26
    assert len(body["data"]) == 1 << 16
    result.memory[100_000] = 5
    assert report(result)["memory"]["data"][65536:] == [0] * (100_000 - 65536) + [5]


def test_a_timeout_says_where_the_cores_were():
    body = report(run("tiny", ".threads 4\nagain: CMP R0, R0\nBRz again\nRET\n", max_cycles=100))
    assert body["status"] == "timeout"
    assert body["running"][0].startswith("core 0, block 0 (threads 0-3) is in ")


def test_views_say_where_they_lie():
    program = warploom.guppy.assemble(".threads 32\n.buffer u0 8 fill 3\nret\n")
    memory = report(warploom.GPU("guppy", engine="python").run(program))["memory"]
    view = memory["views"]["u0"]
    assert (view["format"], view["bytes"], view["type"]) == ("word", 32, None)
    assert memory["data"][view["address"] : view["address"] + 8] == [3, 0, 0, 0, 3, 0, 0, 0]
