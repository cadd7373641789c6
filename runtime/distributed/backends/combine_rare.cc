// Loops that the compiler makes.
#include "runtime/distributed/backends/combine_rare.h"

#include <cmath>
#include <functional>
#include <type_traits>

#include "runtime/core/base/error.h"

namespace opweave::distributed {
namespace {

template <class Visitor>
void visit_rare(ScalarType dtype, Visitor&& visit) {
  visit_dtypes<kRareDtypes>(dtype, std::forward<Visitor>(visit), [&] {
    OW_THROW(ErrorKind::kNotImplemented, "reductions of ", dtype, " are those of operators");
  });
}

// Without the promotion of short integers to signed ones, whose overflow is undefined.
template <class T>
using Wide = std::conditional_t<std::is_integral_v<T>, uint64_t, float>;

template <class T, class Op>
void combine_each(void* out, const void* a, const void* b, int64_t count, Op op) {
  const T *left = static_cast<const T*>(a), *right = static_cast<const T*>(b);
  T* result = static_cast<T*>(out);
  for (int64_t i = 0; i < count; ++i)
    result[i] = static_cast<T>(op(static_cast<Wide<T>>(left[i]), static_cast<Wide<T>>(right[i])));
}

// NaN where either is, as operators have it.
template <class Less>
auto extreme(Less less) {
  return [less](auto a, auto b) {
    if constexpr (std::is_floating_point_v<decltype(a)>) {
      if (std::isnan(a)) return a;
      if (std::isnan(b)) return b;
    }
    return less(b, a) ? b : a;
  };
}

}  // namespace

void combine_rare(ReduceOp op, ScalarType dtype, void* out, const void* a, const void* b,
                  int64_t count) {
  visit_rare(dtype, [&]<class T>(TypeTag<T>) {
    const auto each = [&](auto operation) { combine_each<T>(out, a, b, count, operation); };
    switch (op) {
      case ReduceOp::kSum:
      case ReduceOp::kAvg:
        return each(std::plus());
      case ReduceOp::kProduct:
        return each(std::multiplies());
      case ReduceOp::kMin:
        return each(extreme(std::less()));
      case ReduceOp::kMax:
        return each(extreme(std::greater()));
      default:
        break;
    }
    if constexpr (std::is_integral_v<T>) {
      if (op == ReduceOp::kBand) each(std::bit_and());
      if (op == ReduceOp::kBor) each(std::bit_or());
      if (op == ReduceOp::kBxor) each(std::bit_xor());
    }
  });
}

void finish_rare(ScalarType dtype, void* out, int64_t count, int ranks) {
  visit_rare(dtype, [&]<class T>(TypeTag<T>) {
    if constexpr (!std::is_integral_v<T>) {
      T* const result = static_cast<T*>(out);
      for (int64_t i = 0; i < count; ++i)
        result[i] = static_cast<T>(static_cast<float>(result[i]) / static_cast<float>(ranks));
    }
  });
}

}  // namespace opweave::distributed
