/* Ranges and marks for a profiler (NVTX, "NVIDIA Tools Extension Library"): nobody records them here. */
#pragma once
#include <stddef.h>
#include <stdint.h>
#include <wchar.h>

#define NVTX_VERSION 3
#define NVTX_EVENT_ATTRIB_STRUCT_SIZE ((uint16_t)sizeof(nvtxEventAttributes_t))
typedef uint64_t nvtxRangeId_t;
typedef struct nvtxDomainRegistration *nvtxDomainHandle_t;
typedef struct nvtxStringRegistration *nvtxStringHandle_t;
typedef enum nvtxColorType_t { NVTX_COLOR_UNKNOWN, NVTX_COLOR_ARGB } nvtxColorType_t;
typedef enum nvtxMessageType_t { NVTX_MESSAGE_UNKNOWN, NVTX_MESSAGE_TYPE_ASCII, NVTX_MESSAGE_TYPE_UNICODE, NVTX_MESSAGE_TYPE_REGISTERED } nvtxMessageType_t;
typedef enum nvtxPayloadType_t {
    NVTX_PAYLOAD_UNKNOWN, NVTX_PAYLOAD_TYPE_UNSIGNED_INT64, NVTX_PAYLOAD_TYPE_INT64, NVTX_PAYLOAD_TYPE_DOUBLE,
    NVTX_PAYLOAD_TYPE_UNSIGNED_INT32, NVTX_PAYLOAD_TYPE_INT32, NVTX_PAYLOAD_TYPE_FLOAT
} nvtxPayloadType_t;
typedef union nvtxMessageValue_t {
    const char *ascii;
    const wchar_t *unicode;
    nvtxStringHandle_t registered;
} nvtxMessageValue_t;
typedef struct nvtxEventAttributes_v2 {
    uint16_t version, size;
    uint32_t category;
    int32_t colorType;
    uint32_t color;
    int32_t payloadType, reserved0;
    union {
        uint64_t ullValue;
        int64_t llValue;
        double dValue;
        uint32_t uiValue;
        int32_t iValue;
        float fValue;
    } payload;
    int32_t messageType;
    nvtxMessageValue_t message;
} nvtxEventAttributes_t;

#define __WARPLOOM_NVTX static inline __attribute__((unused))
__WARPLOOM_NVTX void nvtxInitialize(const void *reserved) { (void)reserved; }
__WARPLOOM_NVTX void nvtxMarkA(const char *text) { (void)text; }
__WARPLOOM_NVTX void nvtxMarkW(const wchar_t *text) { (void)text; }
__WARPLOOM_NVTX void nvtxMarkEx(const nvtxEventAttributes_t *attributes) { (void)attributes; }
__WARPLOOM_NVTX int nvtxRangePushA(const char *text) { return (void)text, 0; }
__WARPLOOM_NVTX int nvtxRangePushW(const wchar_t *text) { return (void)text, 0; }
__WARPLOOM_NVTX int nvtxRangePushEx(const nvtxEventAttributes_t *attributes) { return (void)attributes, 0; }
__WARPLOOM_NVTX int nvtxRangePop(void) { return 0; }
__WARPLOOM_NVTX nvtxRangeId_t nvtxRangeStartA(const char *text) { return (void)text, 0; }
__WARPLOOM_NVTX nvtxRangeId_t nvtxRangeStartW(const wchar_t *text) { return (void)text, 0; }
__WARPLOOM_NVTX nvtxRangeId_t nvtxRangeStartEx(const nvtxEventAttributes_t *attributes) { return (void)attributes, 0; }
__WARPLOOM_NVTX void nvtxRangeEnd(nvtxRangeId_t id) { (void)id; }
__WARPLOOM_NVTX void nvtxNameCategoryA(uint32_t category, const char *name) { (void)category, (void)name; }
__WARPLOOM_NVTX void nvtxNameOsThreadA(uint32_t thread, const char *name) { (void)thread, (void)name; }
__WARPLOOM_NVTX nvtxDomainHandle_t nvtxDomainCreateA(const char *name) { return (void)name, (nvtxDomainHandle_t)0; }
__WARPLOOM_NVTX void nvtxDomainDestroy(nvtxDomainHandle_t domain) { (void)domain; }
__WARPLOOM_NVTX nvtxStringHandle_t nvtxDomainRegisterStringA(nvtxDomainHandle_t domain, const char *text) { return (void)domain, (void)text, (nvtxStringHandle_t)0; }
__WARPLOOM_NVTX void nvtxDomainMarkEx(nvtxDomainHandle_t domain, const nvtxEventAttributes_t *attributes) { (void)domain, (void)attributes; }
__WARPLOOM_NVTX int nvtxDomainRangePushEx(nvtxDomainHandle_t domain, const nvtxEventAttributes_t *attributes) { return (void)domain, (void)attributes, 0; }
__WARPLOOM_NVTX int nvtxDomainRangePop(nvtxDomainHandle_t domain) { return (void)domain, 0; }
__WARPLOOM_NVTX nvtxRangeId_t nvtxDomainRangeStartEx(nvtxDomainHandle_t domain, const nvtxEventAttributes_t *attributes) { return (void)domain, (void)attributes, 0; }
__WARPLOOM_NVTX void nvtxDomainRangeEnd(nvtxDomainHandle_t domain, nvtxRangeId_t id) { (void)domain, (void)id; }
#undef __WARPLOOM_NVTX
#define nvtxMark nvtxMarkA
#define nvtxRangePush nvtxRangePushA
#define nvtxRangeStart nvtxRangeStartA
#define nvtxNameCategory nvtxNameCategoryA
#define nvtxNameOsThread nvtxNameOsThreadA
#define nvtxDomainCreate nvtxDomainCreateA
#define nvtxDomainRegisterString nvtxDomainRegisterStringA
