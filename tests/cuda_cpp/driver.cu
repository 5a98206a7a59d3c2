// The driver API: a module from text, its kernel and its variable, parameters as pointers and as one buffer; the runtime beside it.
#include <cuda.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>

static const char *TEXT = R"(
.version 8.0
.target sm_80
.address_size 64
.visible .global .align 4 .u32 step = 3;
.visible .entry add(.param .u64 p, .param .u32 n)
{
    .reg .b32 t, n, x, s; .reg .b64 a, o; .reg .pred q;
    ld.param.u64 a, [p]; ld.param.u32 n, [n];
    mov.u32 t, %tid.x;
    setp.ge.u32 q, t, n;
@q  bra Done;
    mul.wide.u32 o, t, 4; add.u64 a, a, o;
    ld.global.u32 x, [a]; ld.global.u32 s, [step]; add.u32 x, x, s; st.global.u32 [a], x;
Done:
    ret;
}
)";
#define CHECK(call) \
    if (CUresult r = call) { const char *name; cuGetErrorName(r, &name); printf("line %d: %s\n", __LINE__, name); exit(1); }

int main()
{
    CUdevice device;
    CUcontext context;
    CUmodule module;
    CUfunction add, none;
    printf("%d\n", cuDeviceGet(&device, 0));
    CHECK(cuInit(0));
    CHECK(cuDeviceGet(&device, 0));
    CHECK(cuCtxCreate(&context, 0, device));
    CHECK(cuModuleLoadData(&module, TEXT));
    CHECK(cuModuleGetFunction(&add, module, "add"));
    printf("%d\n", cuModuleGetFunction(&none, module, "none"));
    CUdeviceptr p, step;
    size_t bytes;
    int host[4] = {1, 2, 3, 4}, n = 3, seven = 7;
    CHECK(cuMemAlloc(&p, sizeof host));
    CHECK(cuMemcpyHtoD(p, host, sizeof host));
    void *arguments[] = {&p, &n};
    CHECK(cuLaunchKernel(add, 1, 1, 1, 32, 1, 1, 0, 0, arguments, 0));
    CHECK(cuModuleGetGlobal(&step, &bytes, module, "step"));
    CHECK(cuMemcpyHtoD(step, &seven, bytes));
    struct { CUdeviceptr p; int n; } packed = {p, 1};
    size_t size = sizeof packed;
    void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &packed, CU_LAUNCH_PARAM_BUFFER_SIZE, &size, CU_LAUNCH_PARAM_END};
    CHECK(cuLaunchKernel(add, 1, 1, 1, 32, 1, 1, 0, 0, 0, extra));
    CHECK(cuCtxSynchronize());
    CHECK(cuMemcpyDtoH(host, p, sizeof host));
    printf("%d %d %d %d\n", host[0], host[1], host[2], host[3]);
    printf("%d %d\n", cuModuleLoadData(&module, "\177ELF"), cuLaunchKernel(add, 1, 1, 1, 2048, 1, 1, 0, 0, arguments, 0));
    CHECK(cuMemFree(p));
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    return 0;
}
