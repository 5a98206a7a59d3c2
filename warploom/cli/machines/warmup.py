"""`warploom warmup`: compiles the native engine into the user's cache, so that no later run has to.

The programs here are never run: they make machines whose every part is in use, so that every part is compiled.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from warploom.cli.common import UserError, json_option, print_json, say

if TYPE_CHECKING:
    from warploom.isa.program import Program

# Every unit of a machine with warps: arithmetic, memory, masks, a texture.
SAMPLES = """
.threads 32
.texture t0 4 4 checkerboard 1
.image u0 4 4
    push_mask END
    lt.u32 r0.x, lane_id, u(8)
    mask_nz r0.x
    utof r0.xy, lane_id
    sample r1.xyzw, t0.xyzw, s0, r0.xy
    st u0.xyzw, r0.xy, r1.xyzw
    pop_mask
END:
    ret
"""

VORTEX = b"""
_start:
    csrr a0, mhartid
    fadd.s fa0, fa0, fa0
    lw a1, 0(sp)
    sw a1, 0(sp)
    vx_tmc x0
"""


class Part(NamedTuple):
    """Something to compile: what it is, on which preset and with which settings, for which program."""

    name: str
    preset: str
    settings: dict[str, Any]
    program: Program


@click.command()
@json_option
def command(as_json: bool) -> None:
    """Compile the native engine now, once for an installation.

    Without it, the first long run compiles what it needs, for 15 to 35 seconds. Short runs never need it. Code that is in the cache is
    loaded and not compiled again. The cache is a directory of the user's, or the one that WARPLOOM_CACHE names. Native code is
    executed, so a directory that belongs to somebody else, or that others may write to, is not used.

    \b
    Examples:
      warploom warmup
      WARPLOOM_CACHE=/scratch/ada/warploom warploom warmup
    """
    from warploom.gpu import GPU
    from warploom.isa.host.user_cache import make_directory
    from warploom.machine.engine.native.cache import cache_directory
    from warploom.machine.engine.native.loader import native

    try:
        make_directory(cache_directory())
    except OSError as error:
        raise UserError(f"{cache_directory()} cannot be written, so nothing would be kept: {error.strerror or error}") from None
    if native().untrusted:
        raise UserError(f"nothing would be kept: {native().untrusted}")
    start, done = time.perf_counter(), []
    for part in parts():
        before = time.perf_counter()
        if not as_json:
            say(f"{part.name:<52}", nl=False)
        GPU(part.preset, set=part.settings).warm_up(part.program)
        seconds = time.perf_counter() - before
        if not as_json:
            say(f"{seconds:6.1f} s")
        done.append({"name": part.name, "preset": part.preset, "settings": part.settings, "seconds": round(seconds, 3)})
    if native().not_kept:
        raise UserError(native().not_kept)
    total, place = time.perf_counter() - start, cache_directory()
    if as_json:
        print_json({"status": "done", "parts": done, "seconds": round(total, 3), "cache": str(place)})
    else:
        say(f"ready after {total:.1f} s; the native code is in {place}")


def parts() -> Iterator[Part]:
    """What there is to compile, the longest first of each kind of machine."""
    from warploom.isa import guppy, load, tiny
    from warploom.isa.frontend import Options
    from warploom.machine.core.scheduling.policies import POLICIES

    ends, samples = tiny.assemble(".threads 4\nRET"), guppy.assemble(SAMPLES, "warmup")
    loads = tiny.assemble(".threads 4\nLDR R0, %threadIdx\nSTR %threadIdx, R0\nRET")
    yield Part("cores that run one instruction at a time", "tiny", {}, ends)
    yield Part("cores with warps, caches and textures", "guppy", {}, samples)
    yield Part("Vortex", "vortex-2024", {}, load(VORTEX, "vortex-2024", options=Options(path="warmup.s")))
    yield Part("cores with warps, programs without textures", "sm", {"core.threads_per_block": 4}, loads)
    yield Part("cores with warps, programs without memory", "sm", {"core.threads_per_block": 4}, ends)
    for policy in POLICIES:
        yield Part(f"scheduler {policy}", "sm", {"core.scheduler": policy, "core.threads_per_block": 4}, ends)
