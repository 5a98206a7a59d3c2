"""Parameters of a kernel as the text of CUDA C++ declares them."""

import pytest

from warploom.isa.c.kernel_head import Declared, declared_in


@pytest.mark.parametrize(
    "text, found",
    [
        ("__global__ void f(const float *a, int n) {}", [("a", "float", 1), ("n", "int", 0)]),
        ("__global__ void f(float *__restrict__ a, unsigned long long* const b) {}", [("a", "float", 1), ("b", "unsigned long long", 1)]),
        ("template <typename T, int N>\n__global__ void f(T *a, double b[]) {}", [("a", "T", 1), ("b", "double", 1)]),
        ("__global__ void __launch_bounds__(256, 2) f(std::pair<int, int> *a, /* how many, */ int n = g(1, 2)) {}",
         [("a", "pair<int, int>", 1), ("n", "int", 0)]),
        ("__global__ void f(float **a, void *b) {}", [("a", "float", 2), ("b", "void", 1)]),
        ("void f(int a, int b);\n__global__ void g() { f(1, 2); }\nextern \"C\" __global__ void f(int *x, // here\n int *y) {}",
         [("x", "int", 1), ("y", "int", 1)]),
        ("__global__ void f(int *, int *y) {}", [("", "int", 1), ("y", "int", 1)]),
    ],
)  # fmt: skip
def test_parameters_are_as_the_text_declares_them(text, found):
    assert declared_in(text, "f", 2) == [Declared(*one) for one in found]


@pytest.mark.parametrize("text", ["", "void f(int *a, int *b) {}", "__global__ void f(int *a) {}", "__global__ void f(int *a, int *b"])
def test_a_text_that_does_not_declare_it_says_nothing(text):
    assert declared_in(text, "f", 2) is None
