// Tensors of every dtype and layout with known contents, and their elements as doubles.
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <functional>
#include <random>
#include <vector>

#include "doctest/doctest.h"
#include "kernels/cpu/common/visit_dtype.h"
#include "kernels/initialize/initialize.h"
#include "runtime/core/tensor/tensor.h"

namespace opweave::test {

inline constexpr auto kAllTypes = [] {
  std::array<ScalarType, std::popcount(dtypes::kCommon)> types{};
  for (int i = 0, n = 0; i < kNumScalarTypes; ++i) {
    if (contains(dtypes::kCommon, static_cast<ScalarType>(i)))
      types[n++] = static_cast<ScalarType>(i);
  }
  return types;
}();
inline constexpr ScalarType kFloatTypes[] = {kHalf, kBFloat16, kFloat, kDouble};

enum class Order { kContiguous, kReversed, kSpaced, kExpanded };
inline constexpr Order kOrders[] = {Order::kContiguous, Order::kReversed, Order::kSpaced,
                                    Order::kExpanded};

inline const char* name_of(Order order) {
  constexpr const char* names[] = {"contiguous", "reversed", "spaced", "expanded"};
  return names[static_cast<int>(order)];
}

inline void set(const Tensor& t, int64_t offset, double value) {
  cpu::visit_dtype<dtypes::kReal>("test", t.dtype(), [&]<class T>(TypeTag<T>) {
    static_cast<T*>(t.raw_data())[offset] = static_cast<T>(value);
  });
}
inline double get(const Tensor& t, int64_t offset) {
  return cpu::visit_dtype<dtypes::kReal>("test", t.dtype(), [&]<class T>(TypeTag<T>) {
    return static_cast<double>(static_cast<const T*>(t.raw_data())[offset]);
  });
}

// Visits all positions of a shape in row-major order.
inline void for_positions(IntList sizes, const std::function<void(const DimVector&)>& visit) {
  DimVector at(sizes.size());
  for (int64_t n = checked_numel(sizes); n > 0; --n) {
    visit(at);
    for (size_t d = sizes.size(); d-- > 0;) {
      if (++at[d] < sizes[d]) break;
      at[d] = 0;
    }
  }
}
inline int64_t offset_of(const Tensor& t, const DimVector& at) {
  int64_t offset = 0;
  for (size_t d = 0; d < at.size(); ++d) offset += at[d] * t.strides()[d];
  return offset;
}
inline double get(const Tensor& t, const DimVector& at) { return get(t, offset_of(t, at)); }
// `{i}` is a position, not an offset.
inline double get(const Tensor& t, std::initializer_list<int64_t> at) {
  return get(t, DimVector(at));
}

inline std::vector<double> values(const Tensor& t) {
  std::vector<double> result;
  for_positions(t.sizes(), [&](const DimVector& at) { result.push_back(get(t, at)); });
  return result;
}

// A tensor over memory of its own, with the strides of the order.
inline Tensor make_ordered(IntList sizes, ScalarType dtype, Order order) {
  initialize();
  DimVector strides = contiguous_strides(sizes);
  if (order == Order::kReversed) {
    int64_t stride = 1;
    for (size_t d = 0; d < sizes.size(); ++d) {
      strides[d] = stride;
      stride *= std::max<int64_t>(sizes[d], 1);
    }
  } else if (order == Order::kSpaced) {
    for (int64_t& stride : strides) stride *= 2;
  } else if (order == Order::kExpanded && sizes.size() > 1) {
    strides[0] = 0;
  }
  return make_tensor_strided(sizes, strides, dtype, kCPU);
}

// Quarters from -2 to 2 (small integers, truth values), repeatable.
inline Tensor random_tensor(IntList sizes, ScalarType dtype, Order order = Order::kContiguous,
                            unsigned seed = 1) {
  Tensor t = make_ordered(sizes, dtype, order);
  std::mt19937 random(seed);
  for_positions(sizes, [&](const DimVector& at) {
    const double quarter = static_cast<double>(static_cast<int>(random() % 17) - 8) / 4;
    const double value = dtype == kBool       ? static_cast<double>(random() % 2)
                         : dtype == kByte     ? static_cast<double>(random() % 5)
                         : is_floating(dtype) ? quarter
                                              : std::floor(quarter);
    set(t, offset_of(t, at), value);
  });
  return t;
}

// Every dtype in every order.
template <class Test>
void for_all(Test test) {
  for (ScalarType dtype : kAllTypes) {
    for (Order order : kOrders) {
      INFO(str(dtype), " ", std::string(name_of(order)));
      test(dtype, order);
    }
  }
}

inline double tolerance(ScalarType dtype) {
  return dtype == kDouble ? 1e-12 : dtype == kFloat ? 2e-5 : dtype == kHalf ? 2e-3 : 2e-2;
}

inline void check_near(const Tensor& actual, const std::vector<double>& expected,
                       double tolerance) {
  const std::vector<double> got = values(actual);
  REQUIRE(got.size() == expected.size());
  for (size_t i = 0; i < got.size(); ++i) {
    CAPTURE(i);
    if (std::isnan(expected[i])) {
      CHECK(std::isnan(got[i]));
    } else if (std::isinf(expected[i])) {
      CHECK(got[i] == expected[i]);
    } else {
      CHECK(std::abs(got[i] - expected[i]) <= tolerance * (1 + std::abs(expected[i])));
    }
  }
}

}  // namespace opweave::test
