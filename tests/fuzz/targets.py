"""What is fuzzed: a row for each reader of what a user hands over. A loader that comes later adds one."""

from __future__ import annotations

import json
import random
import struct
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from tests.fuzz import geometry, kernels, machines, policies, scenes
from tests.places import EXAMPLES, GOLDEN
from warploom import GPU
from warploom.cli.data import read_buffer_file
from warploom.isa.frontend import BYTES, Options
from warploom.isa.frontends import FRONT_ENDS, encoding, load_with_warnings, machine_code
from warploom.isa.gcn.kernels import code_object
from warploom.isa.machine_code import from_words as machine_code_words
from warploom.isa.machine_code import source as text_of_machine_code
from warploom.isa.program import Program
from warploom.kernel.notebook import read_cells
from warploom.machine.config.presets import PRESETS, load_config, parse_setting
from warploom.machine.config.schema import settings

CYCLES = 150  # of a program that could be read
CORPUS = Path(__file__).parent / "corpus"


class Target(NamedTuple):
    """A reader. take: does what a command does with an input; path: a file that holds it, whose name ends as `ending` says.

    seeds: the inputs that others are made of. slow: an input takes a second and more. grown: an input is made from a seed alone.
    """

    name: str
    take: Callable[[bytes, Path], object]
    seeds: Callable[[], list[bytes]]
    ending: str = ""
    slow: bool = False
    grown: bool = False


def _files(pattern: str, folder: Path = EXAMPLES) -> Callable[[], list[bytes]]:
    return lambda: [path.read_bytes() for path in sorted(folder.glob(pattern))]


def _texts(*texts: str) -> Callable[[], list[bytes]]:
    return lambda: [text.encode() for text in texts]


def _program(isa: str, presets: tuple[str, ...]) -> Callable[[bytes, Path], None]:
    """Read a program, and run the beginning of it."""

    def take(data: bytes, _path: Path) -> None:
        program, warnings = load_with_warnings(data, isa)
        str(warnings)
        for preset in presets:
            _begin(program, preset)

    return take


def _begin(program: Program, preset: str) -> None:
    result = GPU(preset, engine="python").run(program, max_cycles=CYCLES)
    str(result), result.summary()


def _vortex(ending: str) -> Callable[[bytes, Path], None]:
    """Read an image for Vortex, and run the beginning of it."""

    def take(data: bytes, _path: Path) -> None:
        kernel = (
            {"threads": 3, "arguments": {"a": 1.5}, "buffers": {"x": [1.0, 2.0, 3.0], "y": [0.0, 0.0, 0.0]}} if ending == ".elf" else {}
        )
        program, warnings = load_with_warnings(data, "vortex", Options(path=f"fuzzed{ending}", **kernel))
        str(warnings)
        _begin(program, "vortex-2024")

    return take


def _vortex_images(ending: str) -> Callable[[], list[bytes]]:
    def seeds() -> list[bytes]:
        if ending == ".elf":
            return [(EXAMPLES / "vortex" / "saxpy.elf").read_bytes()]
        program, _ = load_with_warnings(
            b"csrr t0, num_warps\nla t1, on\nvx_wspawn t0, t1\non: li t0, -1\nvx_tmc t0\nvx_tmc zero\n", "vortex-2024"
        )
        data = program.regions[0].data.tobytes()
        return [(struct.pack("<2Q", 1 << 31, (1 << 31) + len(data) + 64) if ending == ".vxbin" else b"") + data]

    return seeds


def _words(isa: str, ending: str) -> Callable[[bytes, Path], object]:
    def take(data: bytes, path: Path) -> object:
        code = encoding(next(row for row in FRONT_ENDS if row.name == isa))
        image = code.read(data.decode("utf-8", "replace"), str(path))
        return code.source(image)

    return take


def _words_of_code(isa: str) -> Callable[[bytes, Path], object]:
    def take(data: bytes, path: Path) -> object:
        code = machine_code(next(row for row in FRONT_ENDS if row.name == isa))
        image = code.raw(machine_code_words(code, data.decode("utf-8", "replace"), str(path)), str(path))
        return text_of_machine_code(code, image)

    return take


def _setting(data: bytes, _path: Path) -> object:
    return load_config("sm", dict([parse_setting(data.decode("utf-8", "replace"))]))


def _buffer(name: str) -> Callable[[bytes, Path], object]:
    return lambda _data, path: read_buffer_file(name, str(path))


def _npy() -> list[bytes]:
    import io

    import numpy as np

    made = []
    for values in (np.arange(9, dtype=np.uint8), np.ones((2, 3), np.float32), np.zeros(4, [("a", "i4")])):
        file = io.BytesIO()
        np.save(file, values)
        made.append(file.getvalue())
    return made


def _png() -> list[bytes]:
    from warploom.isa.pictures import pattern, png

    return [png(pattern("checkerboard", 8, 4, 2)), png(pattern("gradient", 3, 3, None))]


def _some_settings() -> list[bytes]:
    return [f"{setting.name}={setting.default}".encode() for setting in settings()]


def _recorded_code() -> list[bytes]:
    recorded = [json.loads(path.read_text()) for path in sorted((GOLDEN / "avx512").glob("*.json"))]
    return [bytes.fromhex("".join(one["bytes"] for one in run["instructions"])) for run in recorded]


def _gcn_words(data: bytes, _path: Path) -> None:
    """Words as a kernel, and the beginning of its run."""
    words = [int.from_bytes(data[place : place + 4], "little") for place in range(0, len(data), 4)]
    text = "\n".join([".kernel main", "s_nop 0", *(f".long {word:#x}" for word in words)])
    program, warnings = load_with_warnings(text.encode(), "gcn")
    str(warnings)
    _begin(program, "gcn")


def _recorded_words() -> list[bytes]:
    recorded = json.loads((GOLDEN / "gcn" / "encodings.json").read_text())["instances"]
    data = [b"".join(int(word, 16).to_bytes(4, "little") for word in one["words"]) for one in recorded]
    return [b"".join(data[start : start + 24]) for start in range(0, len(data), 24)]


OPENCL = "kernel void scale(float a, global float *y, int n) {\n  int i = get_global_id(0);\n  if (i < n)\n    y[i] = a * y[i];\n}\n"


def _compiled(data: bytes, path: Path) -> None:
    """A source in C as a program for Vortex, one in OpenCL C as one for GCN."""
    options = Options(path=str(path), threads=4)
    program, warnings = load_with_warnings(data, "gcn" if path.suffix == ".cl" else "vortex-2024", options)
    str(warnings)
    _begin(program, "gcn" if path.suffix == ".cl" else "vortex-2024")


def _notebooks() -> list[bytes]:
    cells = [{"cell_type": "code", "source": ["x = 1\n", "%time y = x"]}, {"cell_type": "markdown", "source": "text"}]
    metadata = {"kernelspec": {"language": "python"}, "language_info": {"name": "python"}}
    return [json.dumps({"cells": cells, "metadata": metadata, "nbformat": 4}).encode()]


PRESETS_OF = {"tiny": ("tiny", "tiny-original", "tiny-simt"), "guppy": ("guppy", "sm")}
NUMBERS = _texts("1, 2, 3\n0x1f 0b1 ; c\n", "[1, [2, 3], 4]", '{"data": [1, 2]}', '{"memory": {"data": [7]}}', "1.5 2.5\n", "x,y\n1,2\n")


def _targets() -> Iterator[Target]:
    for row in FRONT_ENDS:
        if BYTES in row.takes:
            suffix = row.suffixes[0] if row.suffixes else ".vx"
            yield Target(row.name, _program(row.name, PRESETS_OF.get(row.name, (row.gpu,))), _files(f"*/*{suffix}"), suffix)
        if row.has_words:
            words = _texts("50de 300f // c\n@4 f000\n// threads 4\n// data 1 2", '{"program": [20702, 61440], "threads": 8, "data": [1]}')
            yield Target(f"{row.name} words", _words(row.name, ".hex"), words, ".hex")
            yield Target(f"{row.name} words in JSON", _words(row.name, ".json"), words, ".json")
        if row.has_code:
            words = _texts("bf810000 c00a0202 00000000 // c\n7e000280", "62 f1 7c 48 58 c1 c3", '{"program": [98, 195]}')
            yield Target(f"{row.name} words", _words_of_code(row.name), words, ".hex")
    yield Target("riscv in ELF", _program("riscv", ("sm",)), _files("riscv/*.elf"), ".elf")
    for ending in (".elf", ".vxbin", ".bin"):
        yield Target(f"vortex in {ending}", _vortex(ending), _vortex_images(ending), ending)
    yield Target("code objects", lambda data, _path: code_object.read(data, "fuzzed.co"), _files("*.*o", GOLDEN / "gcn"), ".co")
    yield Target("gcn machine code", _gcn_words, _recorded_words, ".bin")
    yield Target("gcn kernels", _program("gcn", ("gcn",)), _files("article.co", GOLDEN / "gcn"), ".co")
    yield Target("avx512 machine code", _program("avx512", ("avx512",)), _recorded_code, ".bin")
    yield Target("settings", _setting, _some_settings)
    yield Target("machine files", lambda _data, path: load_config(path), _files("*.toml", PRESETS), ".toml")
    for ending in (".txt", ".csv", ".json", ".bin"):
        yield Target(f"bytes in {ending}", _buffer("memory"), NUMBERS, ending)
        yield Target(f"words in {ending}", _buffer("t0"), NUMBERS, ending)
    yield Target("bytes in .npy", _buffer("memory"), _npy, ".npy")
    yield Target("words in .npy", _buffer("t0"), _npy, ".npy")
    yield Target("pictures", _buffer("t0"), _png, ".png")
    yield Target("policies", policies.take, policies.seeds, ".py", grown=True)
    yield Target("kernels", kernels.take, policies.seeds, ".py", grown=True)
    yield Target("notebooks", lambda _data, path: read_cells(path), _notebooks, ".ipynb")
    yield Target("scenes in .gltf", scenes.take, scenes.gltf, ".gltf")
    yield Target("scenes in .glb", scenes.take, scenes.glb, ".glb")
    for ending in scenes.OTHERS:
        yield Target(f"scenes in {ending}", scenes.take, scenes.seeds_of(ending), ending)
    yield Target("values of glTF", scenes.take_values, scenes.gltf, ".gltf", grown=True)
    yield Target("geometry", geometry.take, scenes.gltf, grown=True)
    yield Target("registers of graphics", scenes.take_registers, scenes.gltf, grown=True)
    yield Target("sources in C", _compiled, _files("*/*.c"), ".c", slow=True)
    yield Target("sources in OpenCL C", _compiled, _texts(OPENCL), ".cl", slow=True)
    yield Target("machines", machines.take, machines.seeds, slow=True, grown=True)


TARGETS = {target.name: target for target in _targets()}


def inputs(target: Target) -> list[bytes]:
    """What the inputs of a target are made of: its seeds, and what has been found and mended."""
    kept = CORPUS / target.name.replace(" ", "_")
    return [*target.seeds(), *(path.read_bytes() for path in sorted(kept.glob("*")))]


def chance_of(seed: int, target: Target) -> random.Random:
    """The random numbers of a target: of no other target, and the same each time."""
    return random.Random(f"{seed} {target.name}")
