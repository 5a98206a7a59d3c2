// Functions that call themselves: by themselves, in a circle, through virtual tables and pointers, with arrays and structures of their own.
#include <cstdio>
struct Node { int left, right, value; };
__device__ int sum(const Node *nodes, int at)
{
    return at < 0 ? 0 : nodes[at].value + sum(nodes, nodes[at].left) + sum(nodes, nodes[at].right);
}
__device__ void sort(int *data, int first, int last)
{
    if (first >= last) return;
    int pivot = data[(first + last) / 2], i = first, j = last;
    while (i <= j) {
        while (data[i] < pivot) i++;
        while (data[j] > pivot) j--;
        if (i <= j) { int t = data[i]; data[i] = data[j]; data[j] = t; i++; j--; }
    }
    sort(data, first, j);
    sort(data, i, last);
}
struct Vec { float x, y, z; };
struct Shape { __device__ virtual Vec at(Vec p, int depth) const = 0; };
struct Leaf : Shape {
    float f;
    __device__ Leaf(float f) : f(f) {}
    __device__ Vec at(Vec p, int depth) const override { return Vec{p.x * f, p.y + f, p.z + depth}; }
};
struct Pair : Shape {
    Shape *a, *b;
    __device__ Pair(Shape *a, Shape *b) : a(a), b(b) {}
    __device__ Vec at(Vec p, int depth) const override
    {
        Vec u = a->at(p, depth + 1), v = b->at(Vec{p.y, p.z, p.x}, depth + 1);
        return Vec{u.x + v.x, u.y - v.y, u.z * v.z};
    }
};
__device__ int permutations(int *used, int *row, int place, int n)
{
    if (place == n) { int h = 0; for (int k = 0; k < n; k++) h = h * 7 + row[k]; return h & 0xff; }
    int count = 0;
    int copy[5];
    for (int k = 0; k < n; k++) copy[k] = used[k];
    for (int k = 0; k < n; k++)
        if (!copy[k]) { copy[k] = 1; row[place] = k; count += permutations(copy, row, place + 1, n); copy[k] = 0; }
    return count;
}
typedef double (*Function)(double, int);
__device__ double power(double x, int n);
__device__ double half(double x, int n) { return n <= 0 ? 1.0 : x / 2 * power(x, n - 1); }
__device__ double power(double x, int n) { Function f = n % 2 ? half : power; return n <= 0 ? x : x + f(x, n - 2); }
__device__ Function table[2] = {half, power};
__device__ int deep(int n) { volatile int here[8]; here[n & 7] = n; return n ? deep(n - 1) + here[n & 7] : 0; }

__global__ void trees(const Node *nodes, int *out) { out[threadIdx.x] = sum(nodes, threadIdx.x % 7); }
__global__ void sorts(int *data) { sort(data + 16 * threadIdx.x, 0, 15); }
__global__ void shapes(Vec *out)
{
    Leaf a(2.0f), b(0.5f + threadIdx.x);
    Pair p(&a, &b), q(&p, threadIdx.x % 2 ? (Shape *)&b : (Shape *)&p), r(&q, &p);
    Shape *s = threadIdx.x % 3 ? (Shape *)&r : (Shape *)&q;
    out[threadIdx.x] = s->at(Vec{1, 2, 3}, 0);
}
__global__ void arranged(int *out)
{
    int used[5] = {}, row[5];
    out[threadIdx.x] = permutations(used, row, 0, 2 + threadIdx.x % 4);
}
__global__ void pointed(double *out) { out[threadIdx.x] = table[threadIdx.x % 2](1.5, threadIdx.x % 9); }
__global__ void deeper(int *out, int n) { *out = deep(n); }

int main(int argc, char **argv)
{
    Node nodes[7] = {{1, 2, 1}, {3, 4, 2}, {5, 6, 4}, {-1, -1, 8}, {-1, -1, 16}, {-1, -1, 32}, {-1, -1, 64}}, *d;
    int *out, *data; Vec *vectors; double *numbers;
    cudaMallocManaged(&d, sizeof nodes); memcpy(d, nodes, sizeof nodes);
    cudaMallocManaged(&out, 32 * 4); cudaMallocManaged(&data, 16 * 32 * 4); cudaMallocManaged(&vectors, 32 * 12); cudaMallocManaged(&numbers, 32 * 8);
    trees<<<1, 32>>>(d, out); cudaDeviceSynchronize();
    for (int k = 0; k < 7; k++) printf("%d ", out[k]);
    for (int k = 0; k < 512; k++) data[k] = (k * 7919 + 13) % 1009;
    sorts<<<1, 32>>>(data); cudaDeviceSynchronize();
    int wrong = 0;
    for (int k = 0; k < 512; k++) wrong += k % 16 && data[k - 1] > data[k];
    printf("\n%d\n", wrong);
    shapes<<<1, 32>>>(vectors); cudaDeviceSynchronize();
    for (int k = 0; k < 6; k++) printf("%g %g %g, ", vectors[k].x, vectors[k].y, vectors[k].z);
    arranged<<<1, 32>>>(out); cudaDeviceSynchronize();
    for (int k = 0; k < 4; k++) printf("%d ", out[k]);
    pointed<<<1, 32>>>(numbers); cudaDeviceSynchronize();
    for (int k = 0; k < 9; k++) printf("%g ", numbers[k]);
    deeper<<<1, 1>>>(out, 20); cudaDeviceSynchronize();
    printf("\n%d\n", *out);
    if (argc > 1) { deeper<<<1, 1>>>(out, 1000); printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize())); }
}
