"""The reader of old metadata reads what a package for the whole of YAML reads."""

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from warploom.isa.gcn.kernels.plain_yaml import YamlError, read_yaml

TEXT = """---
Version:         [ 1, 0 ]
Kernels:
  - Name:            doubled
    SymbolName:      'doubled@kd'
    Args:
      - Name:            data
        TypeName:        "uint*"
        Size:            8
      - Size:            8
        IsConst:         true
    CodeProps:
      KernargSegmentSize: 24
  - Name:            other
    Attrs:
      ReqdWorkGroupSize: [ 64, 1, 1 ]
Printf:
  - '1:1:4:%d\\n'
...
"""
NO_WORDS = {"true", "false", "on", "yes", "no", "off", "null", "y", "n"}  # these mean something else, unless they are quoted
WORDS = st.text("abcdefghijklmnopqrstuvwxyz", min_size=1, max_size=6).filter(lambda word: word not in NO_WORDS)
SCALARS = st.integers(-(10**6), 10**6) | st.booleans() | WORDS
VALUES = st.recursive(SCALARS, lambda inner: st.dictionaries(WORDS, inner, min_size=1) | st.lists(inner, min_size=1), max_leaves=12)


def test_what_a_compiler_writes():
    assert read_yaml(TEXT) == yaml.safe_load(TEXT)


@given(st.dictionaries(WORDS, VALUES, min_size=1))
def test_what_a_package_writes(value):
    assert read_yaml(yaml.safe_dump(value, default_flow_style=False, width=1000)) == value


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a: 1\n   b: 2\n", "'b: 2' is indented like nothing before it"),
        ("a: [1, 2\n", "'[1, 2' has no end"),
        ("a: 'b\n", '"\'b" has no end'),
        ("a: 1\nb\n", "'b' is not a key with a value"),
        ("".join(f"{' ' * n}a:\n" for n in range(40)), "it is nested more than 16 deep"),
    ],
)
def test_what_is_not_plain_is_one_sentence(text, said):
    with pytest.raises(YamlError) as caught:
        read_yaml(text)
    assert str(caught.value) == said
