// c = a + b, with the host's side of it: memory, copies, a launch, a check of every call.
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                                                                      \
    do {                                                                                                 \
        cudaError_t error = (call);                                                                      \
        if (error != cudaSuccess) {                                                                      \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(error));               \
            exit(1);                                                                                     \
        }                                                                                                \
    } while (0)

__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 1000;
    std::vector<float> a(n), b(n), c(n);
    for (int i = 0; i < n; i++) {
        a[i] = i;
        b[i] = 2 * i;
    }
    float *x, *y, *z;
    size_t bytes = n * sizeof(float);
    CHECK(cudaMalloc(&x, bytes));
    CHECK(cudaMalloc(&y, bytes));
    CHECK(cudaMalloc(&z, bytes));
    CHECK(cudaMemcpy(x, a.data(), bytes, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(y, b.data(), bytes, cudaMemcpyHostToDevice));
    add<<<(n + 255) / 256, 256>>>(x, y, z, n);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(c.data(), z, bytes, cudaMemcpyDeviceToHost));
    int wrong = 0;
    for (int i = 0; i < n; i++) wrong += c[i] != 3.0f * i;
    printf("%d sums, %d wrong\n", n, wrong);
    CHECK(cudaFree(x));
    CHECK(cudaFree(y));
    CHECK(cudaFree(z));
    return wrong != 0;
}
