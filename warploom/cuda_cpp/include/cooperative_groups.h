/* Cooperative groups (CUDA C++ Programming Guide, "Cooperative groups"): thread blocks, tiles of a warp, coalesced threads, the grid. */
#pragma once
#pragma GCC system_header
#include "cuda_runtime.h"

#if defined(__CUDA__)
#define __WARPLOOM_MEMBER __device__ inline __attribute__((always_inline))
/* Arrivals at the barrier of the whole grid; the highest bit turns over when all have come. */
static __device__ unsigned int __warploom_grid_arrivals;

namespace cooperative_groups {
namespace details {
__WARPLOOM_DEVICE unsigned int lane() { return __laneid(); }
__WARPLOOM_DEVICE unsigned int linear_thread() { return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x; }
__WARPLOOM_DEVICE unsigned int linear_block() { return (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x; }
__WARPLOOM_DEVICE unsigned int block_threads() { return blockDim.x * blockDim.y * blockDim.z; }
__WARPLOOM_DEVICE unsigned int grid_blocks() { return gridDim.x * gridDim.y * gridDim.z; }
__WARPLOOM_DEVICE void grid_barrier()
{
    __syncthreads();
    if (linear_thread() == 0) {
        __threadfence();
        unsigned int mine = linear_block() == 0 ? 0x80000000u - (grid_blocks() - 1) : 1u;
        unsigned int before = __nvvm_atom_add_gen_i((int *)&__warploom_grid_arrivals, (int)mine);
        while (((before ^ *(volatile unsigned int *)&__warploom_grid_arrivals) & 0x80000000u) == 0) {}
        __threadfence();
    }
    __syncthreads();
}
}

struct thread_block_arrival {};

class thread_block {
  public:
    __WARPLOOM_MEMBER static void sync() { __syncthreads(); }
    __WARPLOOM_MEMBER static unsigned int thread_rank() { return details::linear_thread(); }
    __WARPLOOM_MEMBER static unsigned int size() { return details::block_threads(); }
    __WARPLOOM_MEMBER static unsigned int num_threads() { return details::block_threads(); }
    __WARPLOOM_MEMBER static dim3 group_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
    __WARPLOOM_MEMBER static dim3 thread_index() { return dim3(threadIdx.x, threadIdx.y, threadIdx.z); }
    __WARPLOOM_MEMBER static dim3 group_dim() { return dim3(blockDim.x, blockDim.y, blockDim.z); }
    __WARPLOOM_MEMBER static dim3 dim_threads() { return group_dim(); }
    __WARPLOOM_MEMBER thread_block_arrival barrier_arrive() const { return {}; }
    __WARPLOOM_MEMBER void barrier_wait(thread_block_arrival &&) const { sync(); }
};
class grid_group {
  public:
    __WARPLOOM_MEMBER static void sync() { details::grid_barrier(); }
    __WARPLOOM_MEMBER static bool is_valid() { return true; }
    __WARPLOOM_MEMBER static unsigned long long thread_rank()
    {
        return (unsigned long long)details::linear_block() * details::block_threads() + details::linear_thread();
    }
    __WARPLOOM_MEMBER static unsigned long long size() { return (unsigned long long)details::grid_blocks() * details::block_threads(); }
    __WARPLOOM_MEMBER static unsigned long long num_threads() { return size(); }
    __WARPLOOM_MEMBER static dim3 group_dim() { return dim3(gridDim.x, gridDim.y, gridDim.z); }
    __WARPLOOM_MEMBER static dim3 dim_blocks() { return group_dim(); }
    __WARPLOOM_MEMBER static unsigned long long num_blocks() { return details::grid_blocks(); }
    __WARPLOOM_MEMBER static unsigned long long block_rank() { return details::linear_block(); }
    __WARPLOOM_MEMBER static dim3 block_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
};

/* Lanes of one warp: those of a mask; their ranks are in the order of lanes. */
class coalesced_group {
  protected:
    unsigned int mask_;
    unsigned int meta_rank_ = 0, meta_size_ = 1;

  public:
    __WARPLOOM_MEMBER explicit coalesced_group(unsigned int mask, unsigned int rank = 0, unsigned int count = 1)
        : mask_(mask), meta_rank_(rank), meta_size_(count) {}
    __WARPLOOM_MEMBER void sync() const { __syncwarp(mask_); }
    __WARPLOOM_MEMBER unsigned int size() const { return __popc(mask_); }
    __WARPLOOM_MEMBER unsigned int num_threads() const { return __popc(mask_); }
    __WARPLOOM_MEMBER unsigned int thread_rank() const { return __popc(mask_ & __lanemask_lt()); }
    __WARPLOOM_MEMBER unsigned int meta_group_rank() const { return meta_rank_; }
    __WARPLOOM_MEMBER unsigned int meta_group_size() const { return meta_size_; }
    __WARPLOOM_MEMBER unsigned int mask() const { return mask_; }
    __WARPLOOM_MEMBER unsigned int lane_of(unsigned int rank) const { return __fns(mask_, 0, (int)rank + 1); }
    template <class T> __WARPLOOM_MEMBER T shfl(T value, unsigned int rank) const { return __shfl_sync(mask_, value, (int)lane_of(rank)); }
    template <class T> __WARPLOOM_MEMBER T shfl_down(T value, unsigned int n) const
    {
        unsigned int to = thread_rank() + n;
        return __shfl_sync(mask_, value, (int)(to < size() ? lane_of(to) : details::lane()));
    }
    template <class T> __WARPLOOM_MEMBER T shfl_up(T value, unsigned int n) const
    {
        unsigned int rank = thread_rank();
        return __shfl_sync(mask_, value, (int)(rank >= n ? lane_of(rank - n) : details::lane()));
    }
    __WARPLOOM_MEMBER int any(int p) const { return __any_sync(mask_, p); }
    __WARPLOOM_MEMBER int all(int p) const { return __all_sync(mask_, p); }
    __WARPLOOM_MEMBER unsigned int ballot(int p) const { return packed(__ballot_sync(mask_, p)); }
    template <class T> __WARPLOOM_MEMBER unsigned int match_any(T value) const { return packed(__match_any_sync(mask_, value)); }
    template <class T> __WARPLOOM_MEMBER unsigned int match_all(T value, int &all) const { return packed(__match_all_sync(mask_, value, &all)); }

  private:
    /* Bits of lanes as bits of ranks. */
    __WARPLOOM_MEMBER unsigned int packed(unsigned int bits) const
    {
        if (mask_ == 0xffffffffu) return bits;
        unsigned int found = 0, rank = 0;
        for (unsigned int left = mask_; left; left &= left - 1, rank++) found |= (bits >> (__ffs(left) - 1) & 1) << rank;
        return found;
    }
};

template <unsigned int Size, class Parent = void> class thread_block_tile {
    static_assert(Size > 0 && Size <= 32 && (Size & (Size - 1)) == 0, "a tile has 1, 2, 4, 8, 16 or 32 threads; larger ones are not there yet");

  public:
    thread_block_tile() = default;
    template <class Other> __WARPLOOM_MEMBER thread_block_tile(const thread_block_tile<Size, Other> &) {} /* of whatever it is a part */
    __WARPLOOM_MEMBER unsigned int mask() const
    {
        return Size == 32 ? 0xffffffffu : ((1ull << Size) - 1) << (details::lane() & ~(Size - 1));
    }
    __WARPLOOM_MEMBER void sync() const { __syncwarp(mask()); }
    __WARPLOOM_MEMBER static constexpr unsigned int size() { return Size; }
    __WARPLOOM_MEMBER static constexpr unsigned int num_threads() { return Size; }
    __WARPLOOM_MEMBER unsigned int thread_rank() const { return details::linear_thread() & (Size - 1); }
    __WARPLOOM_MEMBER unsigned int meta_group_rank() const { return details::linear_thread() / Size; }
    __WARPLOOM_MEMBER unsigned int meta_group_size() const { return (details::block_threads() + Size - 1) / Size; }
    template <class T> __WARPLOOM_MEMBER T shfl(T value, int rank) const { return __shfl_sync(mask(), value, rank, Size); }
    template <class T> __WARPLOOM_MEMBER T shfl_down(T value, unsigned int n) const { return __shfl_down_sync(mask(), value, n, Size); }
    template <class T> __WARPLOOM_MEMBER T shfl_up(T value, unsigned int n) const { return __shfl_up_sync(mask(), value, n, Size); }
    template <class T> __WARPLOOM_MEMBER T shfl_xor(T value, unsigned int n) const { return __shfl_xor_sync(mask(), value, (int)n, Size); }
    __WARPLOOM_MEMBER int any(int p) const { return __any_sync(mask(), p); }
    __WARPLOOM_MEMBER int all(int p) const { return __all_sync(mask(), p); }
    __WARPLOOM_MEMBER unsigned int ballot(int p) const { return own(__ballot_sync(mask(), p)); }
    template <class T> __WARPLOOM_MEMBER unsigned int match_any(T value) const { return own(__match_any_sync(mask(), value)); }
    template <class T> __WARPLOOM_MEMBER unsigned int match_all(T value, int &all) const { return own(__match_all_sync(mask(), value, &all)); }

  private:
    __WARPLOOM_MEMBER unsigned int own(unsigned int bits) const { return Size == 32 ? bits : bits >> (details::lane() & ~(Size - 1)) & mask_of_size(); }
    __WARPLOOM_MEMBER static constexpr unsigned int mask_of_size() { return (unsigned int)((1ull << Size) - 1); }
};

/* A group of any kind, for functions that take one. */
class thread_group {
    enum Kind { Block, Grid, Lanes } kind_;
    unsigned int mask_, rank_;

  public:
    __WARPLOOM_MEMBER thread_group(const thread_block &) : kind_(Block), mask_(0), rank_(0) {}
    __WARPLOOM_MEMBER thread_group(const grid_group &) : kind_(Grid), mask_(0), rank_(0) {}
    __WARPLOOM_MEMBER thread_group(const coalesced_group &g) : kind_(Lanes), mask_(g.mask()), rank_(g.thread_rank()) {}
    template <unsigned int Size, class Parent> __WARPLOOM_MEMBER thread_group(const thread_block_tile<Size, Parent> &g)
        : kind_(Lanes), mask_(g.mask()), rank_(g.thread_rank()) {}
    __WARPLOOM_MEMBER thread_group(unsigned int mask, unsigned int rank) : kind_(Lanes), mask_(mask), rank_(rank) {}
    __WARPLOOM_MEMBER void sync() const
    {
        if (kind_ == Block) __syncthreads();
        else if (kind_ == Grid) details::grid_barrier();
        else __syncwarp(mask_);
    }
    __WARPLOOM_MEMBER unsigned long long size() const
    {
        return kind_ == Block ? details::block_threads() : kind_ == Grid ? grid_group::size() : (unsigned long long)__popc(mask_);
    }
    __WARPLOOM_MEMBER unsigned long long num_threads() const { return size(); }
    __WARPLOOM_MEMBER unsigned long long thread_rank() const
    {
        return kind_ == Block ? details::linear_thread() : kind_ == Grid ? grid_group::thread_rank() : rank_;
    }
    template <class T> __WARPLOOM_MEMBER T shfl(T v, unsigned int r) const { return coalesced_group(mask_).shfl(v, r); }
    template <class T> __WARPLOOM_MEMBER T shfl_down(T v, unsigned int n) const { return coalesced_group(mask_).shfl_down(v, n); }
    template <class T> __WARPLOOM_MEMBER T shfl_up(T v, unsigned int n) const { return coalesced_group(mask_).shfl_up(v, n); }
};

__WARPLOOM_DEVICE thread_block this_thread_block() { return {}; }
__WARPLOOM_DEVICE grid_group this_grid() { return {}; }
__WARPLOOM_DEVICE coalesced_group coalesced_threads() { return coalesced_group(__activemask()); }
template <unsigned int Size, class Parent> __WARPLOOM_DEVICE thread_block_tile<Size, Parent> tiled_partition(const Parent &) { return {}; }
template <class Parent> __WARPLOOM_DEVICE thread_group tiled_partition(const Parent &, unsigned int size)
{
    unsigned int first = details::lane() & ~(size - 1);
    return thread_group((unsigned int)(((1ull << size) - 1) << first), details::lane() - first);
}
__WARPLOOM_DEVICE coalesced_group tiled_partition(const coalesced_group &parent, unsigned int size)
{
    unsigned int part = parent.thread_rank() / size, found = 0, rank = 0;
    for (unsigned int left = parent.mask(); left; left &= left - 1, rank++)
        if (rank / size == part) found |= left & -left;
    return coalesced_group(found, part, (parent.size() + size - 1) / size);
}
template <class Parent> __WARPLOOM_DEVICE coalesced_group binary_partition(const Parent &parent, bool p)
{
    unsigned int mask = parent.mask(), yes = __ballot_sync(mask, p);
    return coalesced_group(p ? yes : mask & ~yes, p, 2);
}
template <class Parent, class Label> __WARPLOOM_DEVICE coalesced_group labeled_partition(const Parent &parent, Label label)
{
    return coalesced_group(__match_any_sync(parent.mask(), label));
}
template <class Group> __WARPLOOM_DEVICE void sync(const Group &group) { group.sync(); }
template <class Group> __WARPLOOM_DEVICE auto thread_rank(const Group &group) { return group.thread_rank(); }
template <class Group> __WARPLOOM_DEVICE auto group_size(const Group &group) { return group.size(); }

/* ---- operations (cooperative_groups/reduce.h, scan.h) */
template <class T = void> struct plus { __WARPLOOM_MEMBER T operator()(T x, T y) const { return x + y; } };
template <class T = void> struct less { __WARPLOOM_MEMBER T operator()(T x, T y) const { return y < x ? y : x; } };
template <class T = void> struct greater { __WARPLOOM_MEMBER T operator()(T x, T y) const { return x < y ? y : x; } };
template <class T = void> struct bit_and { __WARPLOOM_MEMBER T operator()(T x, T y) const { return x & y; } };
template <class T = void> struct bit_or { __WARPLOOM_MEMBER T operator()(T x, T y) const { return x | y; } };
template <class T = void> struct bit_xor { __WARPLOOM_MEMBER T operator()(T x, T y) const { return x ^ y; } };
template <unsigned int Size, class Parent, class T, class Operation>
__WARPLOOM_DEVICE T reduce(const thread_block_tile<Size, Parent> &group, T value, Operation operation)
{
    for (unsigned int n = Size / 2; n; n /= 2) value = operation(value, group.shfl_xor(value, n));
    return value;
}
template <class T, class Operation> __WARPLOOM_DEVICE T reduce(const coalesced_group &group, T value, Operation operation)
{
    unsigned int size = group.size(), rank = group.thread_rank();
    for (unsigned int n = 1; n < size; n *= 2) {
        T other = group.shfl_down(value, n);
        if (rank + n < size && rank % (2 * n) == 0) value = operation(value, other);
    }
    return group.shfl(value, 0);
}
template <class Group, class T, class Operation> __WARPLOOM_DEVICE T inclusive_scan(const Group &group, T value, Operation operation)
{
    unsigned int size = group.size(), rank = group.thread_rank();
    for (unsigned int n = 1; n < size; n *= 2) {
        T other = group.shfl_up(value, n);
        if (rank >= n) value = operation(other, value);
    }
    return value;
}
template <class Group, class T> __WARPLOOM_DEVICE T inclusive_scan(const Group &group, T value) { return inclusive_scan(group, value, plus<T>()); }
template <class Group, class T, class Operation> __WARPLOOM_DEVICE T exclusive_scan(const Group &group, T value, Operation operation)
{
    T found = group.shfl_up(inclusive_scan(group, value, operation), 1);
    return group.thread_rank() ? found : T();
}
template <class Group, class T> __WARPLOOM_DEVICE T exclusive_scan(const Group &group, T value) { return exclusive_scan(group, value, plus<T>()); }
template <class Group, class Function> __WARPLOOM_DEVICE void invoke_one(const Group &group, Function function)
{
    if (group.thread_rank() == 0) function();
}

/* ---- copies into shared memory (cooperative_groups/memcpy_async.h): done at the call; wait is a barrier of the group */
template <class Group, class T, class S> __WARPLOOM_DEVICE void memcpy_async(const Group &group, T *to, const T *from, S bytes)
{
    for (size_t k = group.thread_rank(); k < (size_t)bytes / sizeof(T); k += group.size()) to[k] = from[k];
}
template <class Group> __WARPLOOM_DEVICE void wait(const Group &group) { group.sync(); }
template <unsigned int Stages, class Group> __WARPLOOM_DEVICE void wait_prior(const Group &group) { group.sync(); }
}
#undef __WARPLOOM_MEMBER
#else
namespace cooperative_groups {}
#endif
