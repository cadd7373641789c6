// What the tests of pointwise kernels share: instruction sets, tensors of any type and layout, and
// elements seen as doubles.
#pragma once

#include <hwy/targets.h>

#include <array>
#include <bit>
#include <cstdlib>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "runtime/core/tensor/tensor.h"

namespace opweave::test {

// Runs the body once per instruction set that is compiled in and that this processor has.
inline void for_each_target(const std::function<void(const std::string& name)>& body) {
  constexpr int64_t compiled = HWY_AVX3 | HWY_AVX2 | HWY_SSE4;
  for (int64_t target : hwy::SupportedAndGeneratedTargets()) {
    if ((target & compiled) == 0) continue;
    hwy::SetSupportedTargetsForTest(target);
    body(hwy::TargetName(target));
  }
  hwy::SetSupportedTargetsForTest(0);
}

// Of real numbers.
inline constexpr auto kAllTypes = [] {
  std::array<ScalarType, std::popcount(dtypes::kReal)> types{};
  size_t n = 0;
  for (int i = 0; i < kNumScalarTypes; ++i) {
    if (contains(dtypes::kReal, static_cast<ScalarType>(i)))
      types[n++] = static_cast<ScalarType>(i);
  }
  return types;
}();
// Those that promote among themselves.
inline constexpr auto kCommonTypes = [] {
  std::array<ScalarType, std::popcount(dtypes::kCommon)> types{};
  size_t n = 0;
  for (ScalarType t : kAllTypes) {
    if (contains(dtypes::kCommon, t)) types[n++] = t;
  }
  return types;
}();

template <class F>
auto with_type(ScalarType dtype, F f) {
  return visit_dtypes<dtypes::kReal>(
      dtype, [&]<class T>(TypeTag<T>) { return f(T()); }, [] { std::abort(); });
}

// The element at a position of the logical order.
inline char* address(const Tensor& t, int64_t index) {
  int64_t offset = 0;
  for (int64_t d = t.dim() - 1; d >= 0; --d) {
    offset += index % t.size(d) * t.stride(d);
    index /= t.size(d);
  }
  return static_cast<char*>(t.raw_data()) + offset * static_cast<int64_t>(t.element_size());
}

inline double get(const Tensor& t, int64_t index) {
  return with_type(t.dtype(), [&](auto type) {
    return static_cast<double>(*reinterpret_cast<decltype(type)*>(address(t, index)));
  });
}

inline void set(const Tensor& t, int64_t index, double value) {
  with_type(t.dtype(), [&](auto type) {
    using T = decltype(type);
    *reinterpret_cast<T*>(address(t, index)) = static_cast<T>(value);
  });
}

// How a tensor of given sizes lies in memory.
enum class Layout { kDense, kTransposed, kSliced, kOffset };
inline constexpr Layout kLayouts[] = {Layout::kDense, Layout::kTransposed, Layout::kSliced,
                                      Layout::kOffset};

inline Tensor make(IntList sizes, ScalarType dtype, Layout layout) {
  DimVector strides = contiguous_strides(sizes);
  int64_t offset = 0;
  if (layout == Layout::kTransposed && sizes.size() >= 2) {
    DimVector swapped(sizes);
    std::swap(swapped[0], swapped.back());
    strides = contiguous_strides(swapped);
    std::swap(strides[0], strides.back());
  } else if (layout == Layout::kSliced) {
    for (int64_t& s : strides) s *= 2;
  } else if (layout == Layout::kOffset) {
    offset = 3;
  }
  int64_t last = offset;
  for (size_t d = 0; d < sizes.size(); ++d) last += std::max<int64_t>(sizes[d] - 1, 0) * strides[d];
  const Tensor storage = make_tensor({last + 1}, dtype, kCPU);
  return make_alias(storage, sizes, strides, offset);
}

// Small whole numbers, exact in every type: sums and products of a few stay exact as well.
inline Tensor random(IntList sizes, ScalarType dtype, Layout layout, std::mt19937& generator) {
  Tensor t = make(sizes, dtype, layout);
  for (int64_t i = 0; i < t.numel(); ++i) set(t, i, static_cast<double>(generator() % 8));
  return t;
}

}  // namespace opweave::test
