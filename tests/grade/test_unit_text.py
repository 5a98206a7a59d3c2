"""Texts of units: what is let through, and what a stranger might try."""

import re
from pathlib import Path

import pytest

from tests.places import ROOT
from warploom.grade.submission import Submission
from warploom.grade.unit_text import NotAUnit, check_text

HEAD = "from warploom.units import EMPTY, Replacement, lowest, rest, unit\n"


def checked(text):
    check_text(Submission(Path("mine.py"), text, text.encode()))


@pytest.mark.parametrize("page", ["your-own-unit", "scheduler", "mechanism", "replacement", "prefetcher", "coalescer", "address-hash"])
def test_the_units_of_the_documentation_are_let_through(page):
    text = (ROOT / "docs" / f"{page}.md").read_text(encoding="utf-8")
    found = re.findall(r'^( *)```python title="([\w.]+)"\n(.*?)^ *```', text, re.MULTILINE | re.DOTALL)
    units = [re.sub(rf"^{space}", "", body, flags=re.MULTILINE) for space, name, body in found if "import warploom\n" not in body]
    assert units
    for body in units:
        checked(body)


def test_numbers_of_numpy_and_helpers_are_let_through():
    helper = "import numpy as np\nMOST = 4\n\n@unit\ndef half(mask):\n    return int(mask) // 2\n\n"
    checked(HEAD + helper + "def policy(s, now):\n    return half(np.uint64(MOST))\n")


HOSTILE = {
    "import": "import os\n",
    "import of a part": "import numpy.random\n",
    "other names of ours": "from warploom.units import load_unit\n",
    "from elsewhere": "from warploom.grade import judge\n",
    "open": "def policy(s, now):\n    return open('/etc/passwd')\n",
    "eval": "def policy(s, now):\n    return eval('1')\n",
    "builtins": "def policy(s, now):\n    return __builtins__\n",
    "classes of a number": "def policy(s, now):\n    return (1).__class__\n",
    "classes of a record": "def policy(s, now):\n    return s.__class__\n",
    "hidden fields": "def policy(s, now):\n    return s._memory\n",
    "a file of an array": "def policy(s, now):\n    s.memory.tofile('x')\n    return 0\n",
    "a pointer": "def policy(s, now):\n    return s.memory.ctypes\n",
    "arrays by a helper": "def write(x):\n    return x.tofile\n\ndef policy(s, now):\n    return write(s.memory)\n",
    "format": "def policy(s, now):\n    return '{0.__class__}'.format(s)\n",
    "numpy's files": "import numpy as np\ndef policy(s, now):\n    return np.load('x')\n",
    "numpy itself": "import numpy as np\ndef policy(s, now):\n    return helper(np)\ndef helper(x):\n    return x.loadtxt\n",
    "numpy renamed": "import numpy as np\ndef policy(np, now):\n    return np.load\n",
    "a default": "def policy(s, now=open('x')):\n    return 0\n",
    "a mark": "@print\ndef policy(s, now):\n    return 0\n",
    "a type": "def policy(s: open('x'), now):\n    return 0\n",
    "a result's type": "def policy(s, now) -> open('x'):\n    return 0\n",
    "a class": "class A:\n    pass\n",
    "a lambda": "policy = lambda s, now: 0\n",
    "a comprehension": "def policy(s, now):\n    return [x for x in (1, 2)]\n",
    "a text": "def policy(s, now):\n    return 'x' * 1000000000\n",
    "a power": "X = 9 ** 9 ** 9\n",
    "a call at the head": "def forever(n):\n    while True:\n        n += 1\nX = forever(1)\n",
    "a loop at the head": "while True:\n    pass\n",
    "names of Python's": "def policy(s, now):\n    len = s\n    return 0\n",
    "try": "def policy(s, now):\n    try:\n        return 0\n    except Exception:\n        return 1\n",
    "a call of a result": "def policy(s, now):\n    return lowest(1)(2)\n",
}


@pytest.mark.parametrize("what", HOSTILE)
def test_what_is_more_than_a_unit_is_refused_with_its_line(what):
    with pytest.raises(NotAUnit, match=r"^mine\.py:\d+: .*; a graded unit has functions, numbers"):
        checked(HOSTILE[what] if "import" in HOSTILE[what] else HEAD + HOSTILE[what])
