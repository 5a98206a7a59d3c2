"""GPUs that people know by name, and the preset that is nearest: a row per generation.

Generations and compute capabilities are those of NVIDIA's and AMD's own lists of products.
"""

from __future__ import annotations

import re
from typing import NamedTuple


class Generation(NamedTuple):
    """names: a pattern of what its products are called, in lower case without spaces. preset: the nearest one. why: how near it is."""

    names: str
    called: str
    preset: str
    why: str


GENERATIONS = (
    Generation(
        r"50[6789]0(ti|d)?|b[123]00|gb[123]00|blackwell|sm_?1[02][013]a?|cc1[02]\.[01]",
        "NVIDIA's Blackwell",
        "h100",
        "the generation before it",
    ),
    Generation(r"h[128]00|h20|gh200|hopper|sm_?90a?|9\.0", "NVIDIA's Hopper (9.0)", "h100", "the same generation"),
    Generation(
        r"40[56789]0(ti|super|d)?|l4|l40s?|ada|rtx[456]000ada|sm_?89|8\.9",
        "NVIDIA's Ada (8.9)",
        "rtx4090",
        "the same generation",
    ),
    Generation(
        r"30[56789]0(ti)?|rtxa[2456]000|sm_?86|8\.6|geforce|gtx|rtx", "NVIDIA's Ampere for graphics (8.6)", "rtx3070", "the same generation"
    ),
    Generation(r"a10g?|a16|a30|a40", "NVIDIA's Ampere", "a40", "the same generation"),
    Generation(r"a100x?|ampere|sm_?80|8\.0", "NVIDIA's Ampere (8.0)", "a100", "the same generation"),
    Generation(
        r"20[678]0(ti|super)?|t4|16[56]0(ti|super)?|turing|quadrortx\d*|sm_?75|7\.5",
        "NVIDIA's Turing (7.5)",
        "t4",
        "the same generation",
    ),
    Generation(r"v100s?|titanv|volta|sm_?70|7\.0", "NVIDIA's Volta (7.0)", "v100", "the same generation"),
    Generation(
        r"p100|p40|10[5678]0(ti)?|titanx[p]?|pascal|k80|k40|m40|kepler|maxwell|sm_?[3-6]\d|[3-6]\.\d",
        "an NVIDIA generation before Volta",
        "v100",
        "the oldest one that is there",
    ),
    Generation(
        r"mi\d+x?|vega\w*|polaris|fury|rx[45]\d\d|gfx[89]\w*|cdna\d?|instinct\w*",
        "AMD's GCN or CDNA",
        "gcn",
        "GCN of the third to the fifth generation",
    ),
    Generation(
        r"rx[679]\d\d\d(xtx?)?|7900(xtx?)?|6900(xtx?)?|rdna\d?|radeon\w*|gfx1\w*|amd|rocm|navi\w*", "AMD's", "gcn", "GCN, from before RDNA"
    ),
    Generation(
        r"m[1234](pro|max|ultra)?|apple\w*|metal|arc\w*|intel\w*|xe\w*|iris\w*|mali\w*|adreno\w*",
        "a GPU of a make that is not modelled",
        "sm",
        "a common multiprocessor",
    ),
    Generation(r"nvidia|cuda|gpu|default|tesla|quadro", "a word for many GPUs", "sm", "one multiprocessor of a V100"),
    Generation(r"cpu|x86|avx|skylake\w*|xeon", "a CPU", "avx512", "AVX-512 as a warp of 16 lanes"),
    Generation(r"vortex\w*|riscv|rv32|rv64", "Vortex, or RISC-V", "vortex-2024", "Vortex of 2024"),
    Generation(r"tinygpu|tiny-gpu|tiny_gpu", "tiny-gpu", "tiny", "tiny-gpu with its documented behaviour"),
)
SUFFIX = re.compile(r"(-?(sxm\d?|pcie|nvl|\d+gb|mobile|laptop|max-?q))+$")
PREFIX = re.compile(r"^(nvidia|geforce|tesla|amd|rtx|gtx|nv)[\s_-]*(?=.)")


def generation_of(name: str) -> Generation | None:
    """The row of a product's name, as people write it: `4090`, `RTX 4090`, `sm_89`, `mi250x`."""
    lower = SUFFIX.sub("", name.strip().lower())
    plain = re.sub(r"[\s_-]+", "", lower)
    for candidate in (lower, plain, PREFIX.sub("", plain), PREFIX.sub("", PREFIX.sub("", plain))):
        found = next((row for row in GENERATIONS if re.fullmatch(row.names, candidate)), None)
        if found is not None:
            return found
    return None


def answer(name: str) -> str | None:
    """What is said for a product's name that is not a preset's: what it is, and the nearest preset. None for a name that nobody knows."""
    row = generation_of(name)
    if row is None:
        return None
    return f"{name} is {row.called}, and the nearest preset is {row.preset} ({row.why}): --gpu {row.preset}"
