"""How fast GCN's and AVX-512's ALU code is simulated: loops of vector arithmetic on the presets `gcn` and `avx512`, timing on.

    python -m benchmarks.masks [--rounds 3] [--turns 20000]

The ALU loop of `pipeline.py` comes first and last, since all depend on the processor and on what else it does: processor time of this
process is counted, not the clock on the wall. For each loop: warp-instructions and lane-instructions a second.
"""

import argparse

from benchmarks.pipeline import BASE, arithmetic
from benchmarks.vortex import measure
from warploom.isa import load
from warploom.isa.program import Program


def gcn(waves: int, turns: int) -> Program:
    body = "".join(
        f"    v_mad_f32 v{n}, v{n}, v1, v2\n    v_add_u32 v{n + 8}, v{n + 8}, v0\n    v_xor_b32 v{n + 8}, v{n + 8}, v1\n"
        for n in range(3, 9)
    )
    loop = f"again:\n{body}    s_sub_u32 s20, s20, 1\n    s_cmp_lg_u32 s20, 0\n    s_cbranch_scc1 again\n    s_endpgm\n"
    return load(f".kernel loop\n.grid {waves}\n    s_movk_i32 s20, {turns}\n{loop}".encode(), "gcn")


def avx512(warps: int, turns: int) -> Program:
    body = "".join(
        f"    vfmadd231ps zmm{n}, zmm1, zmm2\n    vpaddd zmm{n + 8}, zmm{n + 8}, zmm0\n    vpxord zmm{n + 8}, zmm{n + 8}, zmm1\n"
        for n in range(3, 9)
    )
    return load(
        f".threads {16 * warps}\nmain:\n    mov ecx, {turns}\nagain:\n{body}    dec ecx\n    jnz again\n    ret\n".encode(), "avx512"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3, help="runs of each loop, of which the best is shown")
    parser.add_argument("--turns", type=int, default=20_000, help="turns of the loops; GCN's 32 waves make a quarter each")
    arguments = parser.parse_args()
    turns = arguments.turns

    def show(name: str, program: Program, preset: str, settings: dict[str, object]) -> None:
        [(warps, lanes)] = measure(program, preset, settings, arguments.rounds, fits=False)
        print(f"{name:<36} {warps / 1e6:7.2f} M warp-instr/s {lanes / 1e6:8.1f} M lane-instr/s", flush=True)

    show("ALU loop, 32 warps x 32 lanes", arithmetic(turns), "sm", dict(BASE))
    show("GCN, 32 waves x 64 lanes", gcn(32, -(-turns // 4)), "gcn", {})
    show("AVX-512, one warp x 16 lanes", avx512(1, turns), "avx512", {})
    show("ALU loop, 32 warps x 32 lanes", arithmetic(turns), "sm", dict(BASE))


if __name__ == "__main__":
    main()
