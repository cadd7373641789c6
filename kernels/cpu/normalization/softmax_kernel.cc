// Kernels of softmax: maximum, sum of exponentials, result. Runs are read along, lines that lie
// side by side a vector of lines at a time; both are one loop over vectors with different steps.
#include "kernels/cpu/normalization/softmax_kernel.h"

#include <cmath>
#include <limits>

#include "kernels/cpu/common/visit_dtype.h"
#include "kernels/cpu/pointwise/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/normalization/softmax_kernel.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "kernels/cpu/pointwise/float_math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace opweave::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

template <class C>
using Vector = hn::Vec<hn::ScalableTag<C>>;

// How the vectors of one line (or of one vector of lines) are visited.
template <class C>
struct Along {  // a run: whole vectors, then a part, whose missing lanes are filled
  const hn::ScalableTag<C> d;
  const int64_t n;

  template <class Body>
  HWY_INLINE void visit(Body&& body) const {
    const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
    int64_t i = 0;
    for (; i + lanes <= n; i += lanes) body(i, lanes);
    if (i < n) body(i, n - i);
  }
  HWY_INLINE Vector<C> load(const C* p, int64_t i, int64_t count, C missing) const {
    if (count == static_cast<int64_t>(hn::Lanes(d))) return hn::LoadU(d, p + i);
    const auto mask = hn::FirstN(d, static_cast<size_t>(count));
    return hn::IfThenElse(mask, load_part(d, p + i, count), hn::Set(d, missing));
  }
  HWY_INLINE void store(C* p, int64_t i, int64_t count, Vector<C> v) const {
    if (count == static_cast<int64_t>(hn::Lanes(d))) {
      hn::StoreU(v, d, p + i);
    } else {
      store_part(d, v, p + i, count);
    }
  }
  HWY_INLINE Vector<C> all_max(Vector<C> v) const { return hn::MaxOfLanes(d, v); }
  HWY_INLINE Vector<C> all_sum(Vector<C> v) const { return hn::SumOfLanes(d, v); }
};

template <class C>
struct Across {  // `lines` lines side by side, one per lane
  const hn::ScalableTag<C> d;
  const int64_t n, stride, lines;

  template <class Body>
  HWY_INLINE void visit(Body&& body) const {
    for (int64_t i = 0; i < n; ++i) body(i, lines);
  }
  HWY_INLINE Vector<C> load(const C* p, int64_t i, int64_t count, C) const {
    if (count == static_cast<int64_t>(hn::Lanes(d))) return hn::LoadU(d, p + i * stride);
    return load_part(d, p + i * stride, count);
  }
  HWY_INLINE void store(C* p, int64_t i, int64_t count, Vector<C> v) const {
    if (count == static_cast<int64_t>(hn::Lanes(d))) {
      hn::StoreU(v, d, p + i * stride);
    } else {
      store_part(d, v, p + i * stride, count);
    }
  }
  HWY_INLINE Vector<C> all_max(Vector<C> v) const { return v; }
  HWY_INLINE Vector<C> all_sum(Vector<C> v) const { return v; }
};

template <class C, bool kLog>
struct SoftmaxOf {
  static constexpr C kLowest = -std::numeric_limits<C>::infinity();

  // NaN reaches the result through the sum of exponentials, not through the maximum. The missing
  // lanes of a part are -inf, whose exponential is zero.
  template <class Lines>
  static HWY_INLINE void forward_line(const Lines& lines, const C* in, C* out) {
    const auto d = lines.d;
    auto largest = hn::Set(d, kLowest);
    lines.visit([&](int64_t i, int64_t count)
                    HWY_ATTR { largest = hn::Max(lines.load(in, i, count, kLowest), largest); });
    largest = lines.all_max(largest);
    auto sum = hn::Zero(d);
    lines.visit([&](int64_t i, int64_t count) HWY_ATTR {
      const auto x = hn::Sub(lines.load(in, i, count, kLowest), largest);
      const auto e = floating::exp(x);
      sum = hn::Add(sum, e);
      if constexpr (!kLog) lines.store(out, i, count, e);
    });
    sum = lines.all_sum(sum);
    if constexpr (kLog) {
      const auto shift = floating::log(sum);
      lines.visit([&](int64_t i, int64_t count) HWY_ATTR {
        const auto x = hn::Sub(lines.load(in, i, count, kLowest), largest);
        lines.store(out, i, count, hn::Sub(x, shift));
      });
    } else {
      const auto scale = hn::Div(hn::Set(d, C(1)), sum);
      lines.visit([&](int64_t i, int64_t count) HWY_ATTR {
        lines.store(out, i, count, hn::Mul(lines.load(out, i, count, C(0)), scale));
      });
    }
  }

  template <class Lines>
  static HWY_INLINE void backward_line(const Lines& lines, const C* grad, const C* result, C* out) {
    const auto d = lines.d;
    auto sum = hn::Zero(d);
    lines.visit([&](int64_t i, int64_t count) HWY_ATTR {
      const auto g = lines.load(grad, i, count, C(0));
      if constexpr (kLog) {
        sum = hn::Add(sum, g);
      } else {
        sum = hn::MulAdd(g, lines.load(result, i, count, C(0)), sum);
      }
    });
    sum = lines.all_sum(sum);
    lines.visit([&](int64_t i, int64_t count) HWY_ATTR {
      const auto g = lines.load(grad, i, count, C(0)), r = lines.load(result, i, count, C(0));
      const auto x = kLog ? hn::NegMulAdd(floating::exp(r), sum, g) : hn::Mul(hn::Sub(g, sum), r);
      lines.store(out, i, count, x);
    });
  }

  // Calls line(lines, offset) for each line, or vector of lines, of a block.
  template <class Line>
  static HWY_INLINE void for_lines(const SoftmaxBlock& b, Line&& line) {
    const hn::ScalableTag<C> d;
    if (b.stride == 1) {
      for (int64_t l = 0; l < b.lines; ++l) line(Along<C>{d, b.n}, l * b.line_stride);
      return;
    }
    const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
    for (int64_t l = 0; l < b.lines; l += lanes) {
      line(Across<C>{d, b.n, b.stride, b.lines - l < lanes ? b.lines - l : lanes}, l);
    }
  }

  static void forward(const void* in, void* out, const SoftmaxBlock& block) {
    for_lines(block, [&](const auto& lines, int64_t offset) HWY_ATTR {
      forward_line(lines, static_cast<const C*>(in) + offset, static_cast<C*>(out) + offset);
    });
  }
  static void backward(const void* grad, const void* result, void* out, const SoftmaxBlock& block) {
    for_lines(block, [&](const auto& lines, int64_t offset) HWY_ATTR {
      backward_line(lines, static_cast<const C*>(grad) + offset,
                    static_cast<const C*>(result) + offset, static_cast<C*>(out) + offset);
    });
  }
};

template <class C, bool kLog>
SoftmaxKernel kernel_of() {
  return {&SoftmaxOf<C, kLog>::forward, &SoftmaxOf<C, kLog>::backward};
}

SoftmaxKernel choose_softmax(ScalarType dtype, bool logarithm) {
  if (dtype == kFloat) return logarithm ? kernel_of<float, true>() : kernel_of<float, false>();
  return logarithm ? kernel_of<double, true>() : kernel_of<double, false>();
}

}  // namespace opweave::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace opweave::cpu {
HWY_EXPORT(choose_softmax);
SoftmaxKernel softmax_kernel(ScalarType dtype, bool logarithm) {
  return HWY_DYNAMIC_DISPATCH(choose_softmax)(dtype, logarithm);
}
}  // namespace opweave::cpu
#endif
