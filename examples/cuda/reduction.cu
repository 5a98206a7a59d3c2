// A sum by shuffles: within warps, over the warps of a block, and over blocks by an atomic.
#include <cooperative_groups.h>
#include <cstdio>
namespace cg = cooperative_groups;

__global__ void sum(const int *x, int n, int *total)
{
    __shared__ int part[32];
    cg::thread_block block = cg::this_thread_block();
    auto warp = cg::tiled_partition<32>(block);
    int mine = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) mine += x[i];
    for (int step = 16; step; step /= 2) mine += __shfl_down_sync(0xffffffff, mine, step);
    if (warp.thread_rank() == 0) part[warp.meta_group_rank()] = mine;
    block.sync();
    if (threadIdx.x < 32) {
        mine = threadIdx.x < blockDim.x / 32 ? part[threadIdx.x] : 0;
        mine = cg::reduce(warp, mine, cg::plus<int>());
        if (threadIdx.x == 0) atomicAdd(total, mine);
    }
}

int main()
{
    const int n = 5000;
    int *x, *total;
    cudaMallocManaged(&x, n * sizeof(int));
    cudaMallocManaged(&total, sizeof(int));
    for (int i = 0; i < n; i++) x[i] = i;
    *total = 0;
    sum<<<4, 128>>>(x, n, total);
    printf("launch: %s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    printf("sum of 0 to %d: %d, right is %d\n", n - 1, *total, n * (n - 1) / 2);
    return *total != n * (n - 1) / 2;
}
