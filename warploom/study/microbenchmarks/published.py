"""What others have measured or documented of real GPUs: one number a quantity, or the range in which the sources lie.

A column is a GPU, as its preset is called. Where no source was found there is nothing, and where a source is of a sister card it says so:
`a100` is the 40 GB card, its chase and streams of gpu-benches are of the 80 GB one. Figures of documents, which nobody measured, stand
beside measured ones; their source tells.
"""

from __future__ import annotations

from typing import NamedTuple

SOURCES: dict[str, str] = {
    "AB": "Abdelkhalik et al., Demystifying the Nvidia Ampere architecture through microbenchmarking (arXiv 2208.11174)",
    "AS": "accel-sim/gpgpu-sim_distribution, configs/tested-cfgs: parameters of a model, partly tuned",
    "ASM": "accel-sim-framework, util/tuner/GPU_Microbenchmark: one recorded run on a TITAN V",
    "FO": "NVIDIA developer forum 108729: the pipes of GV100 as NVIDIA describes them",
    "GA": "anonymous notes on the core of a GA102",
    "GB": "RRZE-HPC/gpu-benches, recorded results (commit 1038c5d; a100: the 80 GB card; h100: te42kyfo's, 1c36d50)",
    "GBs": "worked out of gpu-benches' gpu-stream: one block of 32 threads per multiprocessor, one element per thread",
    "HS": "CUDA Performance Study H100 SXM5: its ILP curve",
    "HU": "Huerta et al., Analyzing modern NVIDIA GPU cores (MICRO 2025, arXiv 2503.20481), on an RTX A6000",
    "JV": "Jia et al., Dissecting the NVIDIA Volta GPU architecture via microbenchmarking (arXiv 1804.06826)",
    "KZ": "kzwrime/gpu_shm_microbench",
    "LU": "Luo et al., Benchmarking and dissecting the Nvidia Hopper GPU architecture (arXiv 2402.13499; h100: on an H800)",
    "MH": "mushihao/cuda, nv_study, on an RTX 3070",
    "MT": "caps-tum/mt4g, sample results (v100: V100-PCIE; h100: H100 SXM)",
    "NK": "Mesa NAK, latency tables of the compiler, from NVIDIA",
    "NM": "NMSU-PEARL/GPUs-ISA-Latencies, recorded on a TITAN V",
    "PG": "NVIDIA, CUDA C++ Programming Guide: results per clock and multiprocessor; technical specifications",
    "PPT": "TheRainstorm/ppt-gpu-subcore",
    "SJ": "sjfeng1999/gpu-arch-microbenchmark, on an RTX 2070 (Turing)",
    "TF": "TapiocaFox/GPU-Project, recorded on a TITAN V and an RTX 4070",
    "WK": "Wikipedia, CUDA: table of architectures (instruction caches)",
    "YK": "YKTian-x2b/AmpereArchViaMicroBenchMark, on an RTX 3060",
}


class Published(NamedTuple):
    """A published number: the range of what the sources say, and the keys of those."""

    low: float
    high: float
    source: str


ALL = ("v100", "a100", "a40", "rtx3070", "h100")

# By quantity and GPU: a number or (low, high), and its sources.
_Figure = tuple[float | tuple[float, float], str]
_FIGURES: dict[str, dict[str, _Figure]] = {
    "latency.alu": {"v100": (4, "NM"), "a100": (4, "NK AB"), "a40": (4, "HU"), "rtx3070": (4, "HU"), "h100": (4, "AS")},
    "latency.multiply": {"v100": ((4, 5), "NM AS"), "a100": (4, "AB"), "h100": (4, "AS")},
    "latency.divide": {"v100": ((71, 145), "NM AS")},
    "latency.float": {"v100": (4, "NM"), "a100": (4, "NK AB"), "a40": (4, "HU"), "rtx3070": (4, "HU"), "h100": (4, "AS")},
    "latency.float_multiply": {"v100": (4, "NM"), "a100": (4, "NK AB"), "a40": (4, "HU"), "rtx3070": (4, "HU"), "h100": (4, "AS")},
    "latency.fma": {"v100": ((4, 4.13), "TF ASM"), "a100": (4, "NK AB"), "a40": (4, "HU"), "rtx3070": (4, "HU"), "h100": (4, "AS")},
    "latency.pair": {"v100": (10, "NK"), "a100": (10, "NK"), "a40": (10, "NK"), "rtx3070": (10, "NK")},
    "latency.half": {"v100": ((6, 6.18), "NM ASM"), "a100": (5, "NK"), "a40": ((4, 5), "GA HU"), "rtx3070": ((4, 5), "GA HU")},
    "latency.float_divide": {"v100": (35, "TF"), "a40": (38, "TF"), "rtx3070": (38, "TF")},
    # HS: 66 and 87 in a loop in which an add takes 29 and not 4; without that 41 and 62.
    "latency.float_root": {"v100": ((44, 60), "TF NM"), "a40": (45, "TF"), "rtx3070": (45, "TF"), "h100": ((41, 66), "HS")},
    "latency.float_reciprocal": {"h100": ((62, 87), "HS")},
    "latency.special": {
        "v100": (21.1, "ASM"),
        "a100": (23, "AS"),
        "a40": ((21, 23), "AS"),
        "rtx3070": ((21, 23), "AS"),
        "h100": (23, "AS"),
    },
    "latency.convert": {"v100": (15, "TF"), "a40": (11.6, "TF"), "rtx3070": (11.6, "TF")},
    "latency.double": {
        "v100": ((8, 8.67), "ASM GB"),
        "a100": (6, "NK AS"),
        "a40": (55, "AS"),
        "rtx3070": ((55, 64), "AS"),
        "h100": (8, "AS"),
    },
    "latency.double_divide": {"v100": (330, "AS")},
    "latency.shuffle": {"a40": (26, "GA"), "rtx3070": (26, "GA")},
    "throughput.shuffle": dict.fromkeys(ALL, (32, "PG")),
    "throughput.fma": {"v100": ((61, 64), "ASM TF"), "a100": (64, "PG"), "a40": (128, "PG"), "rtx3070": (128, "PG"), "h100": (128, "PG")},
    "throughput.add": {"v100": ((63.4, 64), "ASM"), "a100": (64, "PG"), "a40": (64, "PG"), "rtx3070": (64, "PG"), "h100": (64, "PG")},
    "throughput.mul": {"v100": (64, "PG"), "a100": (64, "PG"), "a40": (64, "PG"), "rtx3070": (64, "PG"), "h100": (64, "PG")},
    "throughput.double": {"v100": (32, "ASM"), "a100": (32, "PG"), "a40": (2, "PG"), "rtx3070": (2, "PG"), "h100": (64, "PG")},
    "throughput.special": {"v100": (16, "ASM"), "a100": (16, "PG"), "a40": (16, "PG"), "rtx3070": (16, "PG"), "h100": ((14, 16), "HS PG")},
    "throughput.minimum": dict.fromkeys(ALL, (64, "PG")),
    "throughput.double-convert": {"v100": (16, "PG"), "a100": (16, "PG"), "a40": (2, "PG"), "rtx3070": (2, "PG"), "h100": (16, "PG")},
    "throughput.convert": {"v100": (16, "PG"), "a100": (16, "PG")},
    "throughput.fma-1warp": {"v100": (0.5, "FO"), "a100": (0.5, "AB"), "h100": ((0.83, 0.91), "HS")},
    "throughput.warps-ilp1": {"v100": (12, "TF")},
    "throughput.warps-ilp2": {"v100": (8, "TF")},
    "mixed.pair": {"v100": (4, "FO")},
    "mixed.multiply": {"v100": (4, "FO")},
    "banks.fma-3": {"v100": (3.52, "SJ"), "a40": (3, "HU"), "rtx3070": (3, "HU")},
    "banks.fma-2": {"v100": (2.97, "SJ"), "a40": (2, "HU"), "rtx3070": (2, "HU")},
    "banks.fma-reuse": {"v100": (2.94, "SJ")},
    "banks.fmul-2": {"a40": (2, "HU"), "rtx3070": (2, "HU")},
    "banks.fmul-1": {"a40": (1, "HU"), "rtx3070": (1, "HU")},
    "banks.integer-3": {"v100": (3.03, "SJ")},
    "banks.integer-2": {"v100": (2.06, "SJ")},
    "banks.integer-reuse": {"v100": (2.03, "SJ")},
    "icache.knee": {"v100": (12, "WK"), "a100": (32, "WK"), "a40": ((16, 32), "YK WK"), "rtx3070": ((16, 32), "YK WK"), "h100": (32, "WK")},
    "icache.knee-2": {
        "v100": (128, "WK"),
        "a100": (128, "WK"),
        "a40": ((32, 128), "YK WK"),
        "rtx3070": ((32, 128), "YK WK"),
        "h100": (128, "WK"),
    },
    "shared.latency": {
        "v100": ((19, 23.5), "JV MT"),
        "a100": ((23, 29), "AB LU"),
        "a40": ((23, 24), "YK HU"),
        "rtx3070": ((23, 24), "YK HU"),
        "h100": ((28.6, 30), "HS MT"),
    },
    "shared.stride-2": {"v100": (2.00, "KZ"), "a100": (1.98, "KZ")},
    "shared.stride-4": {"v100": (4.15, "KZ"), "a100": (3.95, "KZ")},
    "shared.stride-8": {"v100": (8.44, "KZ"), "a100": (7.9, "KZ")},
    "shared.stride-16": {"v100": (16.9, "KZ"), "a100": (15.8, "KZ")},
    "constant.hit": {"v100": (40, "MT"), "rtx3070": (14, "MH"), "h100": (17, "MT")},
    "constant.miss": {"v100": (114, "MT"), "rtx3070": (78, "MH"), "h100": (106, "MT")},
    "constant.memory": {"v100": (448, "SJ")},
    "constant.capacity": dict.fromkeys(("v100", "h100"), (2, "MT")),
    "constant.next-capacity": dict.fromkeys(("v100", "h100"), ((64, float("inf")), "MT")),
    "chase.l1": {
        "v100": ((27.9, 28.6), "GB"),
        "a100": ((33.0, 33.9), "GB"),
        "a40": ((33.0, 33.7), "GB"),
        "rtx3070": (33, "YK"),
        "h100": ((34.0, 34.8), "GB"),
    },
    "chase.l2": {"v100": (212, "GB"), "a100": (205.6, "GB"), "a40": (250, "GB"), "rtx3070": ((219, 222), "YK"), "h100": (265.6, "GB")},
    "chase.dram": {
        "v100": ((430, 434), "GB"),
        "a100": ((547, 552), "GB"),
        "a40": ((552, 557), "GB"),
        "rtx3070": ((517, 543), "YK"),
        "h100": ((627, 655), "GB"),
    },
    "chase.l1-capacity": {"v100": (120, "GB"), "a100": ((152, 155), "GB"), "a40": ((89, 104), "GB"), "h100": ((210, 220), "GB")},
    "chase.l2-capacity": {
        "v100": ((6144, 6298), "GB"),
        "a100": (40960, "GB"),
        "a40": ((5324, 6144), "GB"),
        "rtx3070": (4096, "AS"),
        "h100": (51200, "GB"),
    },
    "sectors.sector": dict.fromkeys(ALL, (32, "MT AS")),
    "sectors.line": dict.fromkeys(ALL, (128, "MT AS")),
    "ways.l2": {"v100": (24, "AS"), "a100": (16, "AS"), "a40": (16, "AS"), "rtx3070": (16, "AS"), "h100": (20, "AS")},
    "ways.l1-sets": dict.fromkeys(ALL, (4, "AS")),
    "l1.bandwidth": {"v100": (126, "GB"), "a100": (126, "GB"), "a40": (64, "GB"), "rtx3070": (63.6, "YK"), "h100": (126, "GB")},
    "width.l1-latency-64": {"v100": (33.7, "ASM"), "a40": ((31, 34), "HU"), "rtx3070": ((31, 34), "HU")},
    "width.l1-latency-128": {"a40": ((35, 38), "HU"), "rtx3070": ((35, 38), "HU")},
    "width.l1-bytes-64": {"v100": (123, "ASM"), "a40": (124.7, "YK"), "rtx3070": (124.7, "YK")},
    "width.l1-bytes-128": {"v100": (116, "ASM"), "a100": (107, "LU"), "h100": (124, "LU")},
    "width.shared-latency-64": {"v100": (27, "ASM")},
    "width.shared-latency-128": {"a40": ((25, 26), "HU"), "rtx3070": ((25, 26), "HU")},
    "width.shared-bytes-32": {"v100": ((126.5, 127.9), "ASM"), "a100": (128, "LU"), "a40": (62.8, "YK"), "rtx3070": (62.8, "YK")},
    "width.shared-bytes-64": {"a40": (126, "YK"), "rtx3070": (126, "YK")},
    "l2.bandwidth": {"v100": (1775, "GB"), "a100": (3870, "GB"), "a40": (1434, "GB"), "h100": (4740, "GB")},
    "l2.each-core": {"v100": (22.2, "GB"), "a100": (35.9, "GB"), "a40": (17.1, "GB"), "h100": (41.6, "GB")},
    "dram.read": {"v100": (628, "GB"), "a100": (1064, "GB"), "a40": (391, "GB"), "h100": (1107, "GB")},
    "dram.write": {"v100": (650, "GB"), "a100": (1092, "GB"), "a40": (392, "GB"), "h100": (1150, "GB")},
    "atomics.dependent": {"v100": (244, "ASM"), "a100": (245, "PPT")},
    "fence.alone": {"rtx3070": (327, "MH")},
    "fence.store": {"rtx3070": (327, "MH")},
    "fence.block": {"rtx3070": (7, "MH")},
    "fence.block-store": {"rtx3070": (7, "MH")},
    "barrier.32": dict.fromkeys(ALL[:4], ((64, float("inf")), "PG")),
    "limits.block-threads": dict.fromkeys(ALL, (1024, "PG")),
    "limits.block-z": dict.fromkeys(ALL, (64, "PG")),
    "limits.grid-y": dict.fromkeys(ALL, (65535, "PG")),
    "limits.grid-z": dict.fromkeys(ALL, (65535, "PG")),
    "limits.constants": dict.fromkeys(ALL, (65536, "PG")),
    "limits.registers": dict.fromkeys(ALL, (255, "PG")),
    "limits.shared": {
        "v100": (98304, "PG"),
        "a100": (166912, "PG"),
        "a40": (101376, "PG"),
        "rtx3070": (101376, "PG"),
        "h100": (232448, "PG"),
    },
    "limits.blocks": {"v100": (32, "PG"), "a100": (32, "PG"), "a40": (16, "PG"), "rtx3070": (16, "PG"), "h100": (32, "PG")},
    "limits.warps": {"v100": (64, "PG"), "a100": (64, "PG"), "a40": (48, "PG"), "rtx3070": (48, "PG"), "h100": (64, "PG")},
    "launch.turnover-store": {"v100": (362, "GBs"), "a100": ((364, 368), "GBs"), "a40": (360, "GBs"), "h100": ((437, 450), "GBs")},
    "launch.turnover-load": {"v100": (785, "GBs"), "a100": ((928, 951), "GBs"), "a40": (913, "GBs"), "h100": ((1068, 1079), "GBs")},
}
_STRIDES = {
    1: 1.02,
    2: 2.0,
    3: 1.63,
    4: 4.0,
    5: 2.2,
    7: 2.67,
    8: 8.0,
    9: 3.03,
    16: 16.0,
    17: 5.1,
    31: 8.5,
    32: 32.0,
    33: 8.8,
}  # of the A100
_FIGURES |= {f"l1.stride-{stride}": {"a100": (cycles, "GB"), "a40": (max(cycles, 2.0), "GB")} for stride, cycles in _STRIDES.items()}
_FIGURES |= {f"sectors.stride-{stride}": dict.fromkeys(ALL, (min(32, 4 * stride), "PG")) for stride in (1, 2, 4, 8, 16, 32)}

# One of 32 bits is what the probes of the levels find, too.
_FIGURES |= {
    f"width.{key}-32": _FIGURES[same]
    for key, same in {"l1-latency": "chase.l1", "l1-bytes": "l1.bandwidth", "shared-latency": "shared.latency"}.items()
}

# Points of published curves, to be drawn beside ours: x and y, and the source.
_POINTS: dict[str, dict[str, tuple[tuple[tuple[float, float], ...], str]]] = {
    "chase": {
        "v100": (((2, 27.9), (36, 28.1), (95.5, 28.4), (125.4, 76.4), (140.9, 136.9), (164.4, 212.3), (1087, 212.1), (4849, 212.1),
                  (6298, 297.5), (6786, 420.4), (11877, 425.4)), "GB"),
        "a100": (((2, 33.0), (36, 33.2), (130.5, 33.7), (177.4, 126.1), (223, 205.3), (1087, 205.6), (16008, 205.6), (22395, 322.2),
                  (25047, 412.7), (39189, 406.7), (63643, 546.8), (136997, 550.2)), "GB"),
        "a40": (((2, 33.0), (35.4, 33.3), (89.2, 33.6), (121, 138.1), (157.6, 248.7), (989, 250.4), (4401, 250.4), (6157, 362.7),
                 (6886, 544.2), (14520, 546.7), (62187, 550.0)), "GB"),
        "h100": (((1, 34.2), (95, 34.4), (216, 34.8), (264, 205.8), (354, 264.0), (4767, 265.5), (21941, 267.8), (29207, 403.2),
                  (47045, 466.8), (56926, 563.4), (68883, 644.0)), "GB"),
    },
    "l1.strides": {
        "a100": (tuple(_STRIDES.items()), "GB"),
        "a40": (tuple((stride, max(cycles, 2.0)) for stride, cycles in _STRIDES.items()), "GB"),
    },
    "shared": {
        "v100": (((1, 1.0), (2, 2.0), (4, 4.15), (8, 8.44), (16, 16.9)), "KZ"),
        "a100": (((1, 1.0), (2, 1.98), (4, 3.95), (8, 7.9), (16, 15.8)), "KZ"),
    },
    "sectors": dict.fromkeys(ALL, (tuple((s, min(32, 4 * s)) for s in (1, 2, 4, 8, 16, 32)), "PG")),
}  # fmt: skip

# A preset that is a part of a GPU: what is published of one multiprocessor holds for it, what is of the whole device does not; nor does
# that for a preset with another number of multiprocessors.
PART_OF = {"sm": "v100"}
OF_THE_DEVICE = {"chase.l2-capacity", "l2.bandwidth", "l2.each-core", "dram.read", "dram.write"}


def published(gpu: str, key: str, *, whole: bool = True) -> Published | None:
    """What is published for a quantity of a GPU, or None. whole: the machine has all multiprocessors of its preset."""
    if key in OF_THE_DEVICE and (gpu in PART_OF or not whole):
        return None
    found = _FIGURES.get(key, {}).get(PART_OF.get(gpu, gpu))
    if found is None:
        return None
    value, source = found
    low, high = value if isinstance(value, tuple) else (value, value)
    return Published(float(low), float(high), source)


def points(gpu: str, key: str) -> tuple[tuple[tuple[float, float], ...], str]:
    """The published points of a curve and their source; none where there are none."""
    return _POINTS.get(key, {}).get(PART_OF.get(gpu, gpu), ((), ""))
