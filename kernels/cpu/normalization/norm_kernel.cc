// Loops of normalisation, vectorised.
#include "kernels/cpu/normalization/norm_kernel.h"

#include <algorithm>

#include "kernels/cpu/pointwise/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/normalization/norm_kernel.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace opweave::cpu::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

template <class C>
struct Norm {
  using D = hn::ScalableTag<C>;
  using V = hn::Vec<D>;
  static constexpr int64_t kBlock = 2048;  // lanes add up a block, double the blocks

  static const C* in(const void* p) { return static_cast<const C*>(p); }
  static C* out(void* p) { return static_cast<C*>(p); }

  // Adds two sums over the elements: term(i) gives both terms of a vector, rest(i) of an element.
  template <class Terms, class Rest>
  static HWY_INLINE RunSums sum_up(int64_t n, Terms&& terms, Rest&& rest) {
    const D d;
    const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
    RunSums total;
    int64_t i = 0;
    while (i + lanes <= n) {
      const int64_t end = std::min(n, i + kBlock);
      V a0 = hn::Zero(d), a1 = a0, b0 = a0, b1 = a0;
      for (; i + 2 * lanes <= end; i += 2 * lanes) {
        terms(i, a0, a1);
        terms(i + lanes, b0, b1);
      }
      for (; i + lanes <= end; i += lanes) terms(i, a0, a1);
      total.first += hn::GetLane(hn::SumOfLanes(d, hn::Add(a0, b0)));
      total.second += hn::GetLane(hn::SumOfLanes(d, hn::Add(a1, b1)));
    }
    for (; i < n; ++i) rest(i, total.first, total.second);
    return total;
  }

  static RunSums sums(const void* g, const void* x, int64_t n) {
    const D d;
    const C *gs = in(g), *xs = in(x);
    return sum_up(
        n,
        [&](int64_t i, V& a, V& b) HWY_ATTR {
          const V v = hn::LoadU(d, gs + i);
          a = hn::Add(a, v);
          b = hn::MulAdd(v, hn::LoadU(d, xs + i), b);
        },
        [&](int64_t i, double& a, double& b) HWY_ATTR {
          a += gs[i];
          b += static_cast<double>(gs[i]) * xs[i];
        });
  }

  // Two passes: the second measures distances from the rounded mean and corrects for the rounding.
  static RunSums moments(const void* x, int64_t n) {
    const D d;
    const C* xs = in(x);
    const double count = static_cast<double>(n);
    const double mean =
        sum_up(
            n, [&](int64_t i, V& a, V&) HWY_ATTR { a = hn::Add(a, hn::LoadU(d, xs + i)); },
            [&](int64_t i, double& a, double&) HWY_ATTR { a += xs[i]; })
            .first /
        count;
    const C center = static_cast<C>(mean);
    const V c = hn::Set(d, center);
    const RunSums distances = sum_up(
        n,
        [&](int64_t i, V& a, V& b) HWY_ATTR {
          const V v = hn::Sub(hn::LoadU(d, xs + i), c);
          a = hn::Add(a, v);
          b = hn::MulAdd(v, v, b);
        },
        [&](int64_t i, double& a, double& b) HWY_ATTR {
          const double v = static_cast<double>(xs[i]) - center;
          a += v;
          b += v * v;
        });
    const double squares = distances.second - distances.first * distances.first / count;
    return {mean, squares < 0 ? 0 : squares};
  }

  // Writes every element: body(i) for a vector, rest(i) for an element.
  template <class Body, class Rest>
  static HWY_INLINE void for_each(int64_t n, Body&& body, Rest&& rest) {
    const int64_t lanes = static_cast<int64_t>(hn::Lanes(D()));
    int64_t i = 0;
    for (; i + lanes <= n; i += lanes) body(i);
    for (; i < n; ++i) rest(i);
  }

  static void affine(const void* x, void* to, int64_t n, double a, double b) {
    const D d;
    const C scale = static_cast<C>(a), shift = static_cast<C>(b);
    const V va = hn::Set(d, scale), vb = hn::Set(d, shift);
    for_each(
        n,
        [&](int64_t i)
            HWY_ATTR { hn::StoreU(hn::MulAdd(hn::LoadU(d, in(x) + i), va, vb), d, out(to) + i); },
        [&](int64_t i) HWY_ATTR { out(to)[i] = in(x)[i] * scale + shift; });
  }

  static void affine2(const void* g, const void* x, void* to, int64_t n, double a, double b,
                      double c) {
    const D d;
    const C ca = static_cast<C>(a), cb = static_cast<C>(b), cc = static_cast<C>(c);
    const V va = hn::Set(d, ca), vb = hn::Set(d, cb), vc = hn::Set(d, cc);
    for_each(
        n,
        [&](int64_t i) HWY_ATTR {
          const V v = hn::Mul(hn::LoadU(d, in(g) + i), va);
          hn::StoreU(hn::Add(v, hn::MulAdd(hn::LoadU(d, in(x) + i), vb, vc)), d, out(to) + i);
        },
        [&](int64_t i) HWY_ATTR { out(to)[i] = in(g)[i] * ca + (in(x)[i] * cb + cc); });
  }

  static void affine_each(const void* x, void* to, int64_t n, const void* a, const void* b) {
    for (int64_t i = 0; i < n; ++i) out(to)[i] = in(x)[i] * in(a)[i] + in(b)[i];
  }
  static void affine2_each(const void* g, const void* x, void* to, int64_t n, const void* a,
                           const void* b, const void* c) {
    for (int64_t i = 0; i < n; ++i) {
      out(to)[i] = in(g)[i] * in(a)[i] + (in(x)[i] * in(b)[i] + in(c)[i]);
    }
  }

  static NormKernel kernel() {
    return {&moments, &sums, &affine, &affine2, &affine_each, &affine2_each};
  }
};

NormKernel choose_norm(ScalarType dtype) {
  return dtype == kDouble ? Norm<double>::kernel() : Norm<float>::kernel();
}

}  // namespace opweave::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace opweave::cpu {
HWY_EXPORT(choose_norm);
NormKernel norm_kernel(ScalarType dtype) { return HWY_DYNAMIC_DISPATCH(choose_norm)(dtype); }
}  // namespace opweave::cpu
#endif
