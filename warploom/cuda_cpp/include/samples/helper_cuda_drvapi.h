/* The driver API in the style of NVIDIA's samples: a check of each call, the device, and a module's file beside the program. */
#pragma once
#include <stdio.h>
#include <stdlib.h>
#include <fstream>
#include <sstream>
#include <string>
#include <cuda.h>
#include <helper_string.h>

#ifndef checkCudaErrors
#define checkCudaErrors(call) __checkCudaErrors((call), __FILE__, __LINE__)
#endif
inline void __checkCudaErrors(CUresult error, const char *file, const int line)
{
    if (error == CUDA_SUCCESS) return;
    const char *text = NULL;
    cuGetErrorString(error, &text);
    fprintf(stderr, "%s:%d: driver API error %04d \"%s\"\n", file, line, (int)error, text ? text : "unknown");
    exit(EXIT_FAILURE);
}
template <class T> inline void getCudaAttribute(T *attribute, CUdevice_attribute which, int device)
{
    int found = 0;
    __checkCudaErrors(cuDeviceGetAttribute(&found, which, device), __FILE__, __LINE__);
    *attribute = (T)found;
}
inline int gpuGetMaxGflopsDeviceIdDRV() { return 0; }
inline int gpuDeviceInitDRV(int, const char **) { return 0; }
inline CUdevice findCudaDeviceDRV(int, const char **)
{
    CUdevice device;
    char name[100];
    __checkCudaErrors(cuInit(0), __FILE__, __LINE__);
    __checkCudaErrors(cuDeviceGet(&device, 0), __FILE__, __LINE__);
    __checkCudaErrors(cuDeviceGetName(name, sizeof name, device), __FILE__, __LINE__);
    printf("> Using CUDA Device [0]: %s\n", name);
    return device;
}
inline bool checkCudaCapabilitiesDRV(int major, int minor, int device)
{
    int of[2];
    getCudaAttribute(&of[0], CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device);
    getCudaAttribute(&of[1], CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device);
    return of[0] > major || (of[0] == major && of[1] >= minor);
}
/* A module's file in the folder of the program, or of its data; and its bytes. */
inline bool findFatbinPath(const char *name, std::string &path, char **arguments, std::ostringstream &bytes)
{
    char *found = sdkFindFilePath(name, arguments ? arguments[0] : NULL);
    path = found ? found : "";
    if (path.empty()) {
        printf("> findFatbinPath could not find file: <%s>\n", name);
        return false;
    }
    std::ifstream file(path, std::ios::binary);
    bytes << file.rdbuf();
    return (bool)file;
}
