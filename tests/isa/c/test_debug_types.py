"""What clang's debugging information says of vectors, arrays, structures and unions that are handed to a kernel."""

import pytest

from warploom.isa.c.compiler import compile_c
from warploom.isa.c.parameters import functions_of

pytest.importorskip("ziglang", reason="C is compiled by the package ziglang: pip install 'warploom[cc]'")

SOURCE = """#include <gcn.h>
typedef float float3 __attribute__((ext_vector_type(3)));
typedef uchar uchar16 __attribute__((ext_vector_type(16)));
typedef struct { char a; float b; } part;
enum color { RED, GREEN };
struct whole { part p[2]; int v[2][2]; float3 w[2]; const global int *next; enum color c; };
struct flags { int low : 3; int high : 5; };
union either { int i; float f; };
struct holds { int kind; union either value; };
struct long_row { int v[300]; };
kernel void look(global int *y, struct whole w, uchar16 u, struct flags f, union either e, struct holds h, struct long_row r, enum color c,
                 _Float16 k) {}
"""


@pytest.fixture(scope="module")
def look(tmp_path_factory):
    source = tmp_path_factory.mktemp("types") / "look.c"
    source.write_text(SOURCE)
    (found,) = {one.name: one for one in functions_of(compile_c([source], "gcn")) if one.members}.values()
    return found


def test_a_structure_is_the_numbers_in_it(look):
    shown = [f"{one.path} {one.offset} {one.dtype}" for one in look.members["w"]]
    assert shown == [
        ".p[0].a 0 int8", ".p[0].b 4 float32", ".p[1].a 8 int8", ".p[1].b 12 float32",
        ".v[0][0] 16 int32", ".v[0][1] 20 int32", ".v[1][0] 24 int32", ".v[1][1] 28 int32",
        ".w[0].x 32 float32", ".w[0].y 36 float32", ".w[0].z 40 float32", ".w[1].x 48 float32", ".w[1].y 52 float32", ".w[1].z 56 float32",
        ".next 64 pointer", ".c 72 uint32",
    ]  # fmt: skip


def test_a_long_vector_counts_in_hexadecimal(look):
    assert [one.path for one in look.members["u"]] == [f".s{index:x}" for index in range(16)]


def test_what_shares_bytes_or_is_long_has_no_list(look):
    assert not {"f", "e", "h", "r"} & set(look.members)


def test_an_enumeration_is_a_whole_number(look):
    assert dict(look.parameters)["c"] == "uint32"
    assert dict(look.parameters)["k"] == "float16"
