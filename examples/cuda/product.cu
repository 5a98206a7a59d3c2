// The product of two matrices, tile by tile in shared memory; a template over the type and the size of a tile.
#include <cstdio>
#include <vector>

template <typename T, int TILE> __global__ void product(const T *A, const T *B, T *C, int n)
{
    __shared__ T a[TILE][TILE], b[TILE][TILE];
    int row = blockIdx.y * TILE + threadIdx.y, column = blockIdx.x * TILE + threadIdx.x;
    T sum = 0;
    for (int t = 0; t < n; t += TILE) {
        a[threadIdx.y][threadIdx.x] = A[row * n + t + threadIdx.x];
        b[threadIdx.y][threadIdx.x] = B[(t + threadIdx.y) * n + column];
        __syncthreads();
        for (int k = 0; k < TILE; k++) sum += a[threadIdx.y][k] * b[k][threadIdx.x];
        __syncthreads();
    }
    C[row * n + column] = sum;
}

int main()
{
    const int n = 32;
    std::vector<float> A(n * n), B(n * n), C(n * n);
    for (int i = 0; i < n * n; i++) {
        A[i] = i % 7;
        B[i] = i % 5;
    }
    float *a, *b, *c;
    cudaMalloc(&a, n * n * sizeof(float));
    cudaMalloc(&b, n * n * sizeof(float));
    cudaMalloc(&c, n * n * sizeof(float));
    cudaMemcpy(a, A.data(), n * n * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(b, B.data(), n * n * sizeof(float), cudaMemcpyHostToDevice);
    product<float, 16><<<dim3(n / 16, n / 16), dim3(16, 16)>>>(a, b, c, n);
    cudaMemcpy(C.data(), c, n * n * sizeof(float), cudaMemcpyDeviceToHost);
    int wrong = 0;
    for (int r = 0; r < n; r++)
        for (int s = 0; s < n; s++) {
            float sum = 0;
            for (int k = 0; k < n; k++) sum += A[r * n + k] * B[k * n + s];
            wrong += C[r * n + s] != sum;
        }
    printf("%d x %d: %d wrong\n", n, n, wrong);
    return wrong != 0;
}
