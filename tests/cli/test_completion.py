"""Completion in the shell, as the shell asks for it."""

import os
import subprocess
import sys

import pytest

from warploom.isa.frontends import FRONT_ENDS
from warploom.machine.config.presets import preset_names
from warploom.observe.pictures.picture import KINDS


def completed(*words):
    """What completes the last of the words: (kind, value)."""
    line = " ".join(("warploom", *words))
    environment = {**os.environ, "_WARPLOOM_COMPLETE": "bash_complete", "COMP_WORDS": line, "COMP_CWORD": str(len(words))}
    code = "from warploom.cli import main; main(prog_name='warploom')"
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False)
    assert done.stderr == ""
    return [tuple(row.split(",", 1)) for row in done.stdout.splitlines()]


@pytest.mark.every(3)
@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("run", "--gpu", "tiny"), [("plain", name) for name in preset_names() if name.startswith("tiny")]),
        (("run", "--gpu", "./m"), [("file", "./m")]),
        (("run", "--set", "gpu.co"), [("plain", "gpu.cores=")]),
        (("run", "--set", "gpu.dispatch=sp"), [("plain", "gpu.dispatch=spread"), ("plain", "gpu.dispatch=split")]),
        (("disasm", "--isa", "t"), [("plain", row.name) for row in FRONT_ENDS if row.name.startswith("t")]),
        (("run", "examples/t"), [("file", "examples/t")]),
        (("run", "--csv", "o"), [("file", "o")]),
        (("picture", "ma"), [("plain", kind) for kind in KINDS if kind.startswith("ma")]),
        (("lad",), [("plain", "ladder")]),
        (("run", "--eng"), [("plain", "--engine")]),
    ],
    ids=lambda words: " ".join(map(str, words))[:30],
)
def test_words_are_completed(words, expected):
    assert completed(*words) == expected
