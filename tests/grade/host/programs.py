"""Programs with their own host code, right ones and hostile ones, and the task that they are for."""

TASK = """
title = "Twice"
text = "Read n and n numbers, and print each times two; a kernel multiplies."
takes = [".py", ".cu"]
cases = 1
reference = "reference.py"

[inputs]
n = "int(rng.integers(33, 60))"
x = "rng.integers(1, 100, n).astype('int32')"

[program]
input = ["n", "x"]

[outputs.out]
expected = "2 * x"

[sandbox]
seconds = 3
output = 8

[points]
outputs = 2
findings = 1
cycles = 1

[limits]
cycles = 1.5
"""
HEAD = """import os, sys
import numpy as np
from numba import cuda
"""
KERNEL = """
@cuda.jit
def twice(x, factor):
    i = cuda.grid(1)
    if i < x.size:
        x[i] *= factor
"""
MAIN = """
n = int(input())
x = np.array(input().split(), dtype=np.int32)
d = cuda.to_device(x)
twice[(n + 31) // 32, 32](d, 2)
print(*d.copy_to_host())
"""
GOOD = HEAD + KERNEL + MAIN
CUDA = """#include <cstdio>
#include <vector>
__global__ void twice(int *x, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] *= 2; }
int main() {
    int n; scanf("%d", &n);
    std::vector<int> x(n);
    for (int &one : x) scanf("%d", &one);
    int *d; cudaMalloc(&d, n * 4);
    cudaMemcpy(d, x.data(), n * 4, cudaMemcpyHostToDevice);
    twice<<<(n + 31) / 32, 32>>>(d, n);
    cudaMemcpy(x.data(), d, n * 4, cudaMemcpyDeviceToHost);
    for (int one : x) printf("%d ", one);
}
"""
HOSTILE_CUDA = """#include <cstdio>
#include <cerrno>
#include <unistd.h>
#include <sys/socket.h>
#include <signal.h>
__global__ void one(int *x) { *x = 1; }
int main() {
    fprintf(stderr, "read %d ", fopen("/etc/hostname", "r") != nullptr);
    fprintf(stderr, "write %d ", fopen("results.json", "w") != nullptr);
    fprintf(stderr, "fork %d ", fork() >= 0);
    fprintf(stderr, "socket %d ", socket(AF_INET, SOCK_STREAM, 0) >= 0);
    fprintf(stderr, "kill %d ", kill(getppid(), SIGKILL) == 0);
    char *words[] = {(char *)"sh", nullptr};
    fprintf(stderr, "run %d\\n", execv("/bin/sh", words) == 0);
    int *d; cudaMalloc(&d, 4); one<<<1, 1>>>(d); cudaDeviceSynchronize();
    printf("1");
}
"""
