"""Fences: what waiting for one's own memory accesses costs, with nothing to wait for and after a store."""

from __future__ import annotations

from collections.abc import Mapping

from warploom.isa.uop import FENCE_BLOCK, FENCE_DEVICE
from warploom.machine.config.schema import Config
from warploom.study.kernels import GLOBAL, LANE, Kernel
from warploom.study.microbenchmarks.bench import Bench
from warploom.study.microbenchmarks.memory import pointer_chase
from warploom.study.microbenchmarks.microbenchmark import Finding, Microbenchmark, Reading
from warploom.study.microbenchmarks.timed import BODY, PAGE, WORD, data_base, each

ADDRESS, RESULT = BODY, BODY + 1


def cycles(bench: Bench, scope: int, before: str = "") -> float:
    """Cycles of a fence, and of what one warp does before it. scope: FENCE_DEVICE or FENCE_BLOCK. before: `store`, a row; `add`."""
    lanes = bench.device.lanes
    base = data_base(lanes)

    def prepare(k: Kernel) -> None:
        k.op("mul", ADDRESS, GLOBAL, imm=WORD)
        k.op("add", ADDRESS, ADDRESS, imm=base)

    def body(k: Kernel, count: int) -> None:
        for number in range(count):
            if before == "store":
                k.store(ADDRESS, LANE)
            elif before == "add":
                k.op("add", RESULT + number % 8, LANE, imm=1)  # of those before, none is waited for
            k.fence(scope)

    return each(bench, body, 8, threads=lanes, block=lanes, prepare=prepare, memory_bytes=base + PAGE)


def after_store(bench: Bench, scope: int) -> float:
    """Cycles of a fence that follows a store: without the time in which any instruction in the store's place is issued."""
    return cycles(bench, scope, "store") - (cycles(bench, scope, "add") - cycles(bench, scope))


def measure(bench: Bench) -> Finding:
    """A fence for the device and one for the block, each alone and after a store."""
    return Finding(
        (
            Reading("fence.alone", "device, nothing to wait for, cycles", cycles(bench, FENCE_DEVICE)),
            Reading("fence.store", "device, after a store, cycles", after_store(bench, FENCE_DEVICE)),
            Reading("fence.block", "block, nothing to wait for, cycles", cycles(bench, FENCE_BLOCK)),
            Reading("fence.block-store", "block, after a store, cycles", after_store(bench, FENCE_BLOCK)),
        )
    )


def configured(config: Config) -> Mapping[str, float]:
    """What a fence takes with nothing to wait for, where a setting says it."""
    core = config.core
    promised = {"fence.alone": float(core.fence_device), "fence.block": float(core.fence_block)}
    return {key: cycles for key, cycles in promised.items() if cycles}


MICROBENCHMARK = Microbenchmark(
    "fence",
    "for the device and for the block, each alone and after a store",
    "One warp passes 8 and 16 fences; the difference of the times, divided. Behind a store, less what issuing it takes.",
    measure,
    configured,
    pointer_chase.lacks,
)
