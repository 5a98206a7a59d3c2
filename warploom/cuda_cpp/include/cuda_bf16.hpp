/* Names of bfloat16 without underscores are in cuda_bf16.h. */
#pragma once
#pragma GCC system_header
#include "cuda_bf16.h"
