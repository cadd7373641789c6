// The instruction sets that kernels are compiled for: AVX-512, AVX2 with FMA, and SSE4.2 as the
// least that is required. Included before any header of Highway.
#pragma once

#define HWY_WANT_SSE4 1
