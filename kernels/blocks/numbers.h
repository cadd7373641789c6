// Numbers as block programs compute with them and as they lie in memory.
#pragma once

#include "kernels/blocks/vocabulary.h"

#ifndef __OPENCL_CPP_VERSION__
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#endif

namespace opweave::blocks {

template <class A, class B>
inline constexpr bool is_same = false;
template <class A>
inline constexpr bool is_same<A, A> = true;

template <class T>
struct Limits {
  static OW_BLOCK T infinity() { return static_cast<T>(__builtin_inff()); }
};

// What threads and blocks add up in; a thread adds kNear elements before, in the type that it
// computes in.
template <class C>
struct WideOf {
  using type = C;
};
#ifdef OW_HAS_DOUBLE
template <>
struct WideOf<float> {
  using type = double;
};
#endif
template <class C>
using Wide = typename WideOf<C>::type;

inline constexpr int kNear = 64;

// --- in memory -----------------------------------------------------------------------------------
template <class C, class T>
OW_BLOCK C load(OW_GLOBAL const T* from, Index at) {
  return static_cast<C>(from[at]);
}
template <class C, class T>
OW_BLOCK void store(OW_GLOBAL T* to, Index at, C value) {
  to[at] = static_cast<T>(value);
}

#ifdef __OPENCL_CPP_VERSION__

}  // namespace opweave::blocks

// clang's header has these for generic pointers alone, which not every implementation does.
float __attribute__((overloadable, pure)) vload_half(size_t, const __global half*);
void __attribute__((overloadable)) vstore_half_rte(float, size_t, __global half*);

namespace opweave::blocks {

// Bits of 16-bit numbers, which are computed with in float32.
struct Half {
  ushort bits;
};
struct BFloat16 {
  ushort bits;
};

template <class C>
OW_BLOCK C load(OW_GLOBAL const Half* from, Index at) {
  return static_cast<C>(vload_half(at, (OW_GLOBAL const half*)from));
}
template <class C>
OW_BLOCK void store(OW_GLOBAL Half* to, Index at, C value) {
  vstore_half_rte(static_cast<float>(value), at, (OW_GLOBAL half*)to);
}
template <class C>
OW_BLOCK C load(OW_GLOBAL const BFloat16* from, Index at) {
  return static_cast<C>(as_float(static_cast<uint>(from[at].bits) << 16));
}
// To the nearest, ties to even; NaN stays one.
template <class C>
OW_BLOCK void store(OW_GLOBAL BFloat16* to, Index at, C value) {
  const float number = static_cast<float>(value);
  const uint bits = as_uint(number);
  const uint rounded = (bits + 0x7fffu + (bits >> 16 & 1u)) >> 16;
  to[at].bits = static_cast<ushort>(number != number ? 0x7fc0u : rounded);
}

#else

using Half = __half;
using BFloat16 = __nv_bfloat16;

#endif

}  // namespace opweave::blocks
