// Pointwise kernels over one expression: a vectorised one for dense operands of one type, and one
// that converts and strides, for everything else.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <type_traits>
#include <utility>

#include "kernels/cuda/pointwise/run.h"
#include "kernels/cuda/pointwise/vocabulary.cuh"

namespace opweave::cuda {

inline constexpr int kBlock = 256;

// Divides numbers below 2^31 by one that is known before, as a product and a shift (Granlund and
// Montgomery, Division by Invariant Integers using Multiplication, 1994, figure 4.1).
struct Divider {
  uint32_t divisor, factor, shift;

  __device__ __forceinline__ uint32_t divide(uint32_t n) const {
    return (__umulhi(n, factor) + n) >> shift;
  }
};

// A plan in the form that kernels take: small enough for the parameter space. An input that was
// not given has no data.
struct DevicePlan {
  int64_t numel;
  int ndim;
  bool narrow;  // numbers of elements and offsets are below 2^31, which `dividers` are for
  Divider dividers[kMaxDeviceDims];
  int64_t sizes[kMaxDeviceDims];
  char* data[kMaxPointwiseInputs + 1];
  int64_t strides[kMaxPointwiseInputs + 1][kMaxDeviceDims];
  ScalarType dtypes[kMaxPointwiseInputs + 1];
};

DevicePlan device_plan(const PointwisePlan& plan);

// --- elements in memory --------------------------------------------------------------------------
// One element of a type of dtypes.def as a number of type C, and back. Where CUDA has a type of its
// own for the bits, it converts. Complex elements are moved as words, and never come here.
template <class C, class T>
__device__ __forceinline__ C load_element(const char* p) {
  if constexpr (Complex<T>) {
    __trap();
    return C();
  } else if constexpr (std::is_same_v<T, bool>) {
    return static_cast<C>(*reinterpret_cast<const uint8_t*>(p) != 0);
  } else if constexpr (std::is_same_v<T, Half>) {
    return static_cast<C>(__half2float(*reinterpret_cast<const __half*>(p)));
  } else if constexpr (std::is_same_v<T, BFloat16>) {
    return static_cast<C>(__bfloat162float(*reinterpret_cast<const __nv_bfloat16*>(p)));
  } else if constexpr (std::is_same_v<T, Float8_e4m3fn>) {
    return static_cast<C>(static_cast<float>(*reinterpret_cast<const __nv_fp8_e4m3*>(p)));
  } else if constexpr (std::is_same_v<T, Float8_e5m2>) {
    return static_cast<C>(static_cast<float>(*reinterpret_cast<const __nv_fp8_e5m2*>(p)));
  } else {
    return static_cast<C>(*reinterpret_cast<const T*>(p));
  }
}

template <class C, class T>
__device__ __forceinline__ void store_element(char* p, C value) {
  if constexpr (Complex<T>) {
    __trap();
  } else if constexpr (std::is_same_v<T, bool>) {
    *reinterpret_cast<bool*>(p) = value != C(0);
  } else if constexpr (std::is_same_v<T, Half>) {
    *reinterpret_cast<__half*>(p) = __float2half(static_cast<float>(value));
  } else if constexpr (std::is_same_v<T, BFloat16>) {
    *reinterpret_cast<__nv_bfloat16*>(p) = __float2bfloat16(static_cast<float>(value));
  } else if constexpr (std::is_same_v<T, Float8_e4m3fn>) {
    *reinterpret_cast<__nv_fp8_storage_t*>(p) =
        __nv_cvt_float_to_fp8(static_cast<float>(value), __NV_SATFINITE, __NV_E4M3);
  } else if constexpr (std::is_same_v<T, Float8_e5m2>) {
    *reinterpret_cast<__nv_fp8_storage_t*>(p) =
        __nv_cvt_float_to_fp8(static_cast<float>(value), __NV_NOSAT, __NV_E5M2);
  } else if constexpr (std::is_integral_v<T>) {
    *reinterpret_cast<T*>(p) = static_cast<T>(static_cast<int64_t>(value));
  } else {
    *reinterpret_cast<T*>(p) = static_cast<T>(value);
  }
}

// A dtype that the table does not have stops the kernel: it is no double.
template <class C>
__device__ __forceinline__ C load_as(const char* p, ScalarType dtype) {
  switch (dtype) {
#define OW_DTYPE(id, name, cpp, ...) \
  case ScalarType::k##id:            \
    return load_element<C, cpp>(p);
#include "dtypes/dtypes.def"
    default:
      __trap();
      return C();
  }
}

template <class C>
__device__ __forceinline__ void store_as(char* p, ScalarType dtype, C value) {
  switch (dtype) {
#define OW_DTYPE(id, name, cpp, ...) \
  case ScalarType::k##id:            \
    return store_element<C, cpp>(p, value);
#include "dtypes/dtypes.def"
    default:
      __trap();
  }
}

// The parameters of an expression, converted once on the host.
template <class C, int kParams>
struct Params {
  C values[kParams > 0 ? kParams : 1];
};

// Input I as the expression takes it: a mask where only its truth is read.
template <bool kIsBool, class C>
__device__ __forceinline__ auto as_argument(C value) {
  if constexpr (kIsBool) {
    return value != C(0);
  } else {
    return value;
  }
}

template <class Expr, class C, uint32_t kBoolInputs, int... I, int... P>
__device__ __forceinline__ auto evaluate(const C* in, const C* params,
                                         std::integer_sequence<int, I...>,
                                         std::integer_sequence<int, P...>) {
  return Expr::apply(m::Tag<C>(), as_argument<(kBoolInputs >> I & 1) != 0>(in[I])..., params[P]...);
}

// What the expression gives: C, or bool.
template <class Expr, class C, int kInputs, int kParams, uint32_t kBoolInputs>
using ResultOf = decltype(evaluate<Expr, C, kBoolInputs>(
    std::declval<const C*>(), std::declval<const C*>(), std::make_integer_sequence<int, kInputs>(),
    std::make_integer_sequence<int, kParams>()));

// --- kernels -------------------------------------------------------------------------------------
// Where element `i` of each operand lies, in bytes. The first dimension is the innermost one; what
// is left for the last one needs no division.
template <int kOperands>
__device__ __forceinline__ void narrow_offsets(const DevicePlan& plan, uint32_t i,
                                               int64_t (&offsets)[kOperands]) {
  int32_t found[kOperands] = {};
  for (int d = 0; d < plan.ndim; ++d) {
    uint32_t at = i;
    if (d + 1 < plan.ndim) {
      i = plan.dividers[d].divide(at);
      at -= i * plan.dividers[d].divisor;
    }
#pragma unroll
    for (int k = 0; k < kOperands; ++k)
      found[k] += static_cast<int32_t>(at) * static_cast<int32_t>(plan.strides[k][d]);
  }
#pragma unroll
  for (int k = 0; k < kOperands; ++k) offsets[k] = found[k];
}

template <int kOperands>
__device__ __forceinline__ void wide_offsets(const DevicePlan& plan, int64_t i,
                                             int64_t (&offsets)[kOperands]) {
#pragma unroll
  for (int k = 0; k < kOperands; ++k) offsets[k] = 0;
  for (int d = 0; d < plan.ndim; ++d) {
    int64_t at = i;
    if (d + 1 < plan.ndim) {
      i = at / plan.sizes[d];
      at -= i * plan.sizes[d];
    }
#pragma unroll
    for (int k = 0; k < kOperands; ++k) offsets[k] += at * plan.strides[k][d];
  }
}

template <class Expr, class C, int kInputs, int kParams, uint32_t kBoolInputs>
__global__ void strided_kernel(const __grid_constant__ DevicePlan plan, Params<C, kParams> params) {
  const int64_t step = static_cast<int64_t>(gridDim.x) * blockDim.x;
  for (int64_t i = blockIdx.x * static_cast<int64_t>(blockDim.x) + threadIdx.x; i < plan.numel;
       i += step) {
    int64_t offsets[kInputs + 1];
    if (plan.narrow)
      narrow_offsets(plan, static_cast<uint32_t>(i), offsets);
    else
      wide_offsets(plan, i, offsets);
    C in[kInputs > 0 ? kInputs : 1];
#pragma unroll
    for (int k = 0; k < kInputs; ++k) {
      const char* data = plan.data[k + 1];
      in[k] = data == nullptr ? C(0) : load_as<C>(data + offsets[k + 1], plan.dtypes[k + 1]);
    }
    const auto result = evaluate<Expr, C, kBoolInputs>(in, params.values,
                                                       std::make_integer_sequence<int, kInputs>(),
                                                       std::make_integer_sequence<int, kParams>());
    store_as(plan.data[0] + offsets[0], plan.dtypes[0], result);
  }
}

template <class T>
struct alignas(sizeof(T) * kElementsPerThread) Pack {
  T v[kElementsPerThread];
};

template <class T>
__device__ __forceinline__ auto widen(T value) {
  if constexpr (std::is_same_v<T, __half>)
    return __half2float(value);
  else if constexpr (std::is_same_v<T, __nv_bfloat16>)
    return __bfloat162float(value);
  else
    return value;
}
template <class T, class C>
__device__ __forceinline__ T narrow(C value) {
  if constexpr (std::is_same_v<T, __half>)
    return __float2half(value);
  else if constexpr (std::is_same_v<T, __nv_bfloat16>)
    return __float2bfloat16(value);
  else
    return static_cast<T>(value);
}

// Every input dense, aligned and of type T; the result is of type T as well, or bool.
template <class Expr, class T, class C, int kInputs, int kParams>
__global__ void dense_kernel(DevicePlan plan, Params<C, kParams> params) {
  const int64_t first =
      (blockIdx.x * static_cast<int64_t>(blockDim.x) + threadIdx.x) * kElementsPerThread;
  if (first >= plan.numel) return;
  using Result = ResultOf<Expr, C, kInputs, kParams, 0>;
  using Out = std::conditional_t<std::is_same_v<Result, bool>, bool, T>;
  Pack<T> in[kInputs > 0 ? kInputs : 1];
  Pack<Out> out;
  const bool whole = first + kElementsPerThread <= plan.numel;
#pragma unroll
  for (int k = 0; k < kInputs; ++k) {
    const T* p = reinterpret_cast<const T*>(plan.data[k + 1]) + first;
    if (whole) {
      in[k] = *reinterpret_cast<const Pack<T>*>(p);
    } else {
      for (int j = 0; j < kElementsPerThread; ++j) in[k].v[j] = first + j < plan.numel ? p[j] : T();
    }
  }
#pragma unroll
  for (int j = 0; j < kElementsPerThread; ++j) {
    C x[kInputs > 0 ? kInputs : 1];
#pragma unroll
    for (int k = 0; k < kInputs; ++k) x[k] = widen(in[k].v[j]);
    out.v[j] = narrow<Out>(evaluate<Expr, C, 0>(x, params.values,
                                                std::make_integer_sequence<int, kInputs>(),
                                                std::make_integer_sequence<int, kParams>()));
  }
  Out* p = reinterpret_cast<Out*>(plan.data[0]) + first;
  if (whole) {
    *reinterpret_cast<Pack<Out>*>(p) = out;
  } else {
    for (int j = 0; j < kElementsPerThread && first + j < plan.numel; ++j) p[j] = out.v[j];
  }
}

// --- launches ------------------------------------------------------------------------------------
template <class C, int kParams>
Params<C, kParams> convert_params(const Scalar* params) {
  Params<C, kParams> converted{};
  for (int i = 0; i < kParams; ++i) converted.values[i] = params[i].to<C>();
  return converted;
}

inline unsigned blocks_for(int64_t threads) {
  return static_cast<unsigned>(std::min<int64_t>((threads + kBlock - 1) / kBlock, 0x7fffffff));
}

template <class Expr, class C, int kInputs, int kParams, uint32_t kBoolInputs>
void launch_strided(const PointwisePlan& plan, const Scalar* params, cudaStream_t stream) {
  strided_kernel<Expr, C, kInputs, kParams, kBoolInputs>
      <<<blocks_for(plan.numel), kBlock, 0, stream>>>(device_plan(plan),
                                                      convert_params<C, kParams>(params));
}

template <class Expr, class T, class C, int kInputs, int kParams>
void launch_dense(const PointwisePlan& plan, const Scalar* params, cudaStream_t stream) {
  const int64_t threads = (plan.numel + kElementsPerThread - 1) / kElementsPerThread;
  dense_kernel<Expr, T, C, kInputs, kParams><<<blocks_for(threads), kBlock, 0, stream>>>(
      device_plan(plan), convert_params<C, kParams>(params));
}

constexpr bool has_any(DtypeMask dtypes, DtypeMask wanted) { return (dtypes & wanted) != 0; }
inline constexpr DtypeMask kFloatBits = dtypes::kFloating & ~dtype_bit(kDouble);

// The launches of one operator. `kDtypes` are the common types it is defined for; with kIntToFloat
// the integral ones never reach a kernel.
template <class Expr, int kInputs, int kParams, DtypeMask kDtypes, bool kIntToFloat,
          uint32_t kBoolInputs = 0>
PointwiseLoops make_loops() {
  PointwiseLoops loops{};
  if constexpr (has_any(kDtypes, kFloatBits) || kIntToFloat) {
    loops.strided_float = &launch_strided<Expr, float, kInputs, kParams, kBoolInputs>;
  }
  if constexpr (has_any(kDtypes, dtype_bit(kDouble)) || kIntToFloat) {
    loops.strided_double = &launch_strided<Expr, double, kInputs, kParams, kBoolInputs>;
  }
  if constexpr (!kIntToFloat && has_any(kDtypes, dtypes::kIntegral)) {
    loops.strided_integer = &launch_strided<Expr, int64_t, kInputs, kParams, kBoolInputs>;
  }
  if constexpr (!kIntToFloat && has_any(kDtypes, dtype_bit(kUInt64))) {
    loops.strided_unsigned = &launch_strided<Expr, uint64_t, kInputs, kParams, kBoolInputs>;
  }
  if constexpr (!kIntToFloat && has_any(kDtypes, dtype_bit(kBool))) {
    loops.strided_bool = &launch_strided<Expr, bool, kInputs, kParams, kBoolInputs>;
  }
  if constexpr (kBoolInputs == 0 && (has_any(kDtypes, kFloatBits) || kIntToFloat)) {
    loops.dense_float = &launch_dense<Expr, float, float, kInputs, kParams>;
    loops.dense_half = &launch_dense<Expr, __half, float, kInputs, kParams>;
    loops.dense_bfloat16 = &launch_dense<Expr, __nv_bfloat16, float, kInputs, kParams>;
  }
  return loops;
}

}  // namespace opweave::cuda
