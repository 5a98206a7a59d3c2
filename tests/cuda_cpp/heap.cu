#include <cstdio>
#include <new>
struct Node { int value; Node *next; __device__ Node(int v, Node *n) : value(v), next(n) {} };
__global__ void k(int *out, int rounds)
{
    int sum = 0;
    for (int r = 0; r < rounds; r++) {
        Node *first = nullptr;
        for (int i = 0; i < 3; i++) first = new Node(threadIdx.x + i, first);
        int *more = (int *)malloc(40 * sizeof(int));
        if (!more) { sum = -1; break; }
        for (int i = 0; i < 40; i++) more[i] = i + (int)threadIdx.x;
        for (Node *n = first; n;) { Node *after = n->next; sum += n->value; delete n; n = after; }
        sum += more[39];
        free(more);
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
__global__ void all(int *count) { while (malloc(1 << 20)) atomicAdd(count, 1); }
int main()
{
    int *out, h[64], *count; cudaMalloc(&out, 256); cudaMallocManaged(&count, 4);
    k<<<2, 32>>>(out, 3); cudaMemcpy(h, out, 256, cudaMemcpyDeviceToHost);
    int wrong = 0; for (int i = 0; i < 64; i++) wrong += h[i] != 3 * (4 * (i % 32) + 3 + 39);
    all<<<1, 1>>>(count); cudaDeviceSynchronize();
    printf("%d wrong, %d\n", wrong, *count);
}
