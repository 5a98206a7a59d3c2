/* The helper headers in the style of NVIDIA's samples, but for CUDA's; and comparisons of arrays. */
#pragma once
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <algorithm>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>
#include <exception.h>
#include <helper_image.h>
#include <helper_string.h>
#include <helper_timer.h>

template <class T> inline bool compareData(const T *reference, const T *data, const unsigned int length, const T epsilon, const float threshold)
{
    unsigned int wrong = 0;
    for (unsigned int k = 0; k < length; k++) {
        double difference = (double)reference[k] - (double)data[k];
        if (!(difference <= epsilon && difference >= -(double)epsilon)) wrong++;
    }
    return threshold == 0 ? wrong == 0 : length * threshold > wrong;
}
inline bool sdkCompareL2fe(const float *reference, const float *data, const unsigned int length, const float epsilon)
{
    double error = 0, norm = 0;
    for (unsigned int k = 0; k < length; k++) {
        error += ((double)reference[k] - data[k]) * ((double)reference[k] - data[k]);
        norm += (double)reference[k] * reference[k];
    }
    return sqrt(norm) >= 1e-7 && sqrt(error) / sqrt(norm) < epsilon;
}
