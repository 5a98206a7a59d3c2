"""The recorded programs: kernels of LLVM and of hands, their launches and memory, and what NumPy says comes out."""

import json

import numpy as np

from tests.places import GOLDEN
from warploom.isa.frontend import Options
from warploom.isa.frontends import open_source
from warploom.isa.launching import read_buffer
from warploom.machine.accounting.reasons import SELECTED

FOLDER = GOLDEN / "gcn"
NAMES = sorted(path.stem for path in FOLDER.glob("*.json") if path.stem != "encodings")


def recording(name):
    return json.loads((FOLDER / f"{name}.json").read_text())


def program_of(recorded):
    """The program with its recorded launch: buffers and arguments lie where they did."""
    buffers = {f"{name}@{held['address']}": np.array(held["words"], np.uint32) for name, held in recorded["buffers"].items()}
    buffers["argument"] = np.frombuffer(bytes.fromhex(recorded["kernarg"]), np.uint8)
    path = FOLDER / recorded["code_object"]
    options = Options(str(path), grid=tuple(recorded["grid_blocks"]), block=tuple(recorded["block"]), buffers=buffers,
                      more={"kernel": recorded["kernel"]})  # fmt: skip
    return open_source(path, None, options).program


def differences(recorded, result):
    """Names of the buffers that do not hold what NumPy says."""
    found = []
    for name, words in recorded["expected"].items():
        expected = np.array(words, np.uint32)
        got = read_buffer(result.program, result.memory, name).view(np.uint32)[: len(expected)]
        if recorded["relative_tolerance"]:
            same = np.allclose(got.view(np.float32), expected.view(np.float32), rtol=recorded["relative_tolerance"], equal_nan=True)
        else:
            same = bool((got == expected).all())
        found += [] if same else [name]
    return found


def issued(result):
    """Instructions issued, by mnemonic, without what starts a wave."""
    program, found = result.program, {}
    for number in range(1, len(program)):
        count = int(result.detail.profile[number, SELECTED])
        if count:
            name = program.text[number].split()[0]
            for ending in ("_e32", "_e64"):
                name = name.removesuffix(ending)
            found[name] = found.get(name, 0) + count
    return found
