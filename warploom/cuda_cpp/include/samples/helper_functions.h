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
