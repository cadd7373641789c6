// Reductions as plain loops over a fold operation, which the compiler vectorises where it can:
// integer sums, products, integer extremes.

// NOLINTNEXTLINE: included once for each instruction set
#if defined(OPWEAVE_REDUCE_FOLD_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef OPWEAVE_REDUCE_FOLD_INL_H_
#undef OPWEAVE_REDUCE_FOLD_INL_H_
#else
#define OPWEAVE_REDUCE_FOLD_INL_H_
#endif

#include <limits>

#include "hwy/highway.h"
#include "kernels/cpu/reduction/reduce_kernel.h"

HWY_BEFORE_NAMESPACE();
namespace opweave::cpu::HWY_NAMESPACE {

// Op: `State` kept, `Lane` used within kBlock elements; identity(), fold(Lane, T), merge(State,
// State).
template <class T, class Op>
struct PlainFold {
  using State = typename Op::State;
  using Lane = typename Op::Lane;
  static constexpr int kLanes = 16;

  static void init(void* states, int64_t n) {
    for (int64_t i = 0; i < n; ++i) static_cast<State*>(states)[i] = Op::identity();
  }
  static void merge(void* into, const void* from, int64_t n) {
    auto* a = static_cast<State*>(into);
    for (int64_t i = 0; i < n; ++i) a[i] = Op::merge(a[i], static_cast<const State*>(from)[i]);
  }

  static HWY_INLINE State run(const T* in, int64_t n, int64_t stride) {
    State total = Op::identity();
    for (int64_t from = 0; from < n; from += Op::kBlock) {
      const int64_t m = n - from < Op::kBlock ? n - from : Op::kBlock;
      const T* p = in + from * stride;
      Lane lanes[kLanes];
      for (Lane& lane : lanes) lane = static_cast<Lane>(Op::identity());
      int64_t i = 0;
      if (stride == 1) {
        for (; i + kLanes <= m; i += kLanes) {
          for (int j = 0; j < kLanes; ++j) lanes[j] = Op::fold(lanes[j], p[i + j]);
        }
      }
      for (; i < m; ++i) lanes[0] = Op::fold(lanes[0], p[i * stride]);
      for (const Lane lane : lanes) total = Op::merge(total, static_cast<State>(lane));
    }
    return total;
  }

  static void rows(void* states, const void* in, int64_t count, int64_t row_stride, int64_t n,
                   int64_t stride, int64_t) {
    auto* state = static_cast<State*>(states);
    for (int64_t i = 0; i < count; ++i) {
      state[i] = Op::merge(state[i], run(static_cast<const T*>(in) + i * row_stride, n, stride));
    }
  }

  static void columns(void* states, const void* in, int64_t rows, int64_t row_stride,
                      int64_t columns, int64_t column_stride, int64_t) {
    auto* state = static_cast<State*>(states);
    for (int64_t r = 0; r < rows; ++r) {
      const T* p = static_cast<const T*>(in) + r * row_stride;
      if (column_stride == 1) {
        for (int64_t c = 0; c < columns; ++c) state[c] = Op::fold(state[c], p[c]);
      } else {
        for (int64_t c = 0; c < columns; ++c) state[c] = Op::fold(state[c], p[c * column_stride]);
      }
    }
  }

  static ReduceKernel kernel() {
    return {sizeof(State), sizeof(T), false, &init, &rows, &columns, &merge};
  }
};

}  // namespace opweave::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
