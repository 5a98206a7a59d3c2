"""Arrays of a launch: their names, types and places."""

from types import SimpleNamespace

import numpy as np

from warploom.cuda_cpp.allocations import Allocations
from warploom.cuda_cpp.arrays import arrays_of
from warploom.isa.views import VIEW_BASE, VIEW_BYTES
from warploom.ptx.module import Parameter
from warploom.ptx.translation import DEVICE_WINDOW


def arrays(text, *values, pointers=(True, True, False)):
    allocations = Allocations()
    allocations.add(256, 400, "", False)
    allocations.add(1024, 64, "", False)
    allocations.held[1024].name = "d_out"
    parameters = [Parameter(f"p{number}", 8, 8, 8 * number, pointers[number]) for number in range(len(values))]
    program = SimpleNamespace(sources=[SimpleNamespace(text=text)], name="f")
    found = arrays_of(program, parameters, np.array(values, np.uint64).tobytes(), allocations)
    places = [tuple(row[[VIEW_BASE, VIEW_BYTES]]) for row in found["views"]]
    return dict(zip(found["view_names"], zip(places, found["view_shapes"], strict=True), strict=True))


def test_an_array_reaches_from_its_pointer_to_the_end_of_its_allocation():
    found = arrays("__global__ void f(double *a, float4 *b) {}", DEVICE_WINDOW + 256 + 80, DEVICE_WINDOW + 1024)
    assert found["a"][0] == (336, 320)
    assert (found["a"][1].shape, found["a"][1].dtype) == ((40,), np.float64)
    assert found["b"] == ((1024, 64), None)


def test_without_a_text_an_array_has_the_name_of_its_allocation():
    assert list(arrays("", DEVICE_WINDOW + 1024, DEVICE_WINDOW + 256)) == ["d_out", "argument 2"]


def test_what_points_nowhere_is_left_out():
    assert arrays("__global__ void f(int *a, int *b, long c) {}", 0, DEVICE_WINDOW + 1088, DEVICE_WINDOW + 256) == {}
