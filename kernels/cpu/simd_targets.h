// Which instruction sets kernels are compiled for beside the baseline: SSE4, AVX2 with FMA, AVX-512.
// Includes nothing, so that it can stand before Highway's headers.
#pragma once

#ifndef HWY_DISABLED_TARGETS
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_AVX3_DL)
#endif
