// What a fold is computed in: vectors of floats, or plain integers one by one. And the folds.
#if defined(OPWEAVE_KERNELS_CPU_FOLDS_FOLD_LANES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef OPWEAVE_KERNELS_CPU_FOLDS_FOLD_LANES_INL_H_
#undef OPWEAVE_KERNELS_CPU_FOLDS_FOLD_LANES_INL_H_
#else
#define OPWEAVE_KERNELS_CPU_FOLDS_FOLD_LANES_INL_H_
#endif

#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

#include "kernels/cpu/pointwise/lanes-inl.h"
#include "kernels/cpu/pointwise/vocabulary-inl.h"

#undef OW_FOLD
#define OW_FOLD HWY_INLINE
#undef OW_FOLD_LAMBDA
#define OW_FOLD_LAMBDA HWY_ATTR __attribute__((always_inline))

HWY_BEFORE_NAMESPACE();
namespace opweave {
namespace cpu {
namespace HWY_NAMESPACE {

// Float and double.
template <class T>
struct VectorLanes {
  using D = hn::ScalableTag<T>;
  using V = hn::Vec<D>;
  using Wide = double;  // of sums
  static constexpr int64_t kWidth = HWY_LANES(T);

  static OW_FOLD V set(T value) { return hn::Set(D(), value); }
  static OW_FOLD V count() { return hn::Iota(D(), T{0}); }  // 0, 1, 2, ...
  static OW_FOLD V load(const T* from) { return hn::LoadU(D(), from); }
  static OW_FOLD V load_part(const T* from, int64_t n) {
    return opweave::cpu::HWY_NAMESPACE::load_part(D(), from, n);
  }
  static OW_FOLD void store(V value, T* to) { hn::StoreU(value, D(), to); }
  static OW_FOLD void store_part(V value, T* to, int64_t n) {
    opweave::cpu::HWY_NAMESPACE::store_part(D(), value, to, n);
  }
  // The first n lanes, the others as `rest`.
  static OW_FOLD V first(V value, int64_t n, V rest) {
    return hn::IfThenElse(hn::FirstN(D(), static_cast<size_t>(n)), value, rest);
  }
  static OW_FOLD T sum(V value) { return hn::GetLane(hn::SumOfLanes(D(), value)); }
  // NaN wins.
  static OW_FOLD V max(V value) {
    return has_nan(value) ? hn::NaN(D()) : hn::MaxOfLanes(D(), value);
  }
  static OW_FOLD V min(V value) {
    return has_nan(value) ? hn::NaN(D()) : hn::MinOfLanes(D(), value);
  }
  // In all lanes. Each step joins one half with the other, turned.
  static OW_FOLD V product(V value) {
    constexpr D d;
    if constexpr (kWidth > 8) value = hn::Mul(value, hn::Reverse(d, value));
    if constexpr (kWidth >= 8) value = hn::Mul(value, turned8(value));
    if constexpr (kWidth >= 4) value = hn::Mul(value, hn::Reverse4(d, value));
    return hn::Mul(value, hn::Reverse2(d, value));
  }

 private:
  static OW_FOLD bool has_nan(V value) { return !hn::AllFalse(D(), hn::IsNaN(value)); }
  static OW_FOLD V turned8(V value) {
    if constexpr (kWidth == 8)
      return hn::Reverse(D(), value);
    else
      return hn::Reverse8(D(), value);
  }
};

// Integers.
template <class T>
struct PlainLanes {
  using D = m::ScalarTag<T>;
  using V = T;
  using Wide = T;
  static constexpr int64_t kWidth = 1;

  static OW_FOLD V set(T value) { return value; }
  static OW_FOLD V count() { return 0; }
  static OW_FOLD V load(const T* from) { return *from; }
  static OW_FOLD V load_part(const T* from, int64_t) { return *from; }
  static OW_FOLD void store(V value, T* to) { *to = value; }
  static OW_FOLD void store_part(V value, T* to, int64_t) { *to = value; }
  static OW_FOLD V first(V value, int64_t, V) { return value; }
  static OW_FOLD T sum(V value) { return value; }
  static OW_FOLD V product(V value) { return value; }
  static OW_FOLD V max(V value) { return value; }
  static OW_FOLD V min(V value) { return value; }
};

template <class T>
using FoldLanes = std::conditional_t<std::floating_point<T>, VectorLanes<T>, PlainLanes<T>>;

// --- the folds of expressions (codegen/expr/folds.def) ------------------------------------------
namespace fold {

struct Sum {
  static constexpr bool kSum = true;
  template <class T>
  static constexpr T start() {
    return 0;
  }
  template <class V>
  static OW_FOLD V join(V a, V b) {
    return m::add(a, b);
  }
};
struct Product {
  static constexpr bool kSum = false;
  template <class T>
  static constexpr T start() {
    return 1;
  }
  template <class V>
  static OW_FOLD V join(V a, V b) {
    return m::mul(a, b);
  }
  template <class Lanes>
  static OW_FOLD auto across(typename Lanes::V lanes) {
    return Lanes::product(lanes);
  }
};
// NaN wins.
struct Max {
  static constexpr bool kSum = false;
  template <class T>
  static constexpr T start() {
    using Limits = std::numeric_limits<T>;
    return Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
  }
  template <class V>
  static OW_FOLD V join(V a, V b) {
    return m::max(a, b);
  }
  template <class Lanes>
  static OW_FOLD auto across(typename Lanes::V lanes) {
    return Lanes::max(lanes);
  }
};
struct Min {
  static constexpr bool kSum = false;
  template <class T>
  static constexpr T start() {
    using Limits = std::numeric_limits<T>;
    return Limits::has_infinity ? Limits::infinity() : Limits::max();
  }
  template <class V>
  static OW_FOLD V join(V a, V b) {
    return m::min(a, b);
  }
  template <class Lanes>
  static OW_FOLD auto across(typename Lanes::V lanes) {
    return Lanes::min(lanes);
  }
};

}  // namespace fold

// Copies so that compilers see each element as a variable of its own; of loops they make copies of
// memory.
template <class To, class From, size_t... K>
OW_FOLD void copy_each([[maybe_unused]] To* to, [[maybe_unused]] const From* from,
                       std::index_sequence<K...>) {
  ((to[K] = (To)from[K]), ...);  // NOLINT: pointers to bytes as pointers to elements
}
template <int kCount, class To, class From>
OW_FOLD void copy_each(To* to, const From* from) {
  copy_each(to, from, std::make_index_sequence<kCount>());
}

// The terms of folds that one walk computes.
template <class V, int kCount>
struct FoldTerms {
  V of[kCount];
};

// What programs see of a vector of elements; at the end of a row or tile it is not whole.
template <class Shape, class T, bool kWhole>
struct FoldElement {
  using Lanes = FoldLanes<T>;
  using V = typename Lanes::V;

  T* const* operands;  // where each begins; of constant index, so that these are registers
  int64_t place, count;

  OW_FOLD V load(const T* from) const {
    if constexpr (kWhole) return Lanes::load(from + place);
    return Lanes::load_part(from + place, count);
  }
  OW_FOLD void store(V value, T* to) const {
    if constexpr (kWhole) return Lanes::store(value, to + place);
    Lanes::store_part(value, to + place, count);
  }
  template <int K>
  OW_FOLD T* result() const {
    return operands[Shape::kInputs + Shape::kRows + K];
  }
  template <class... Terms>
  OW_FOLD auto terms(Terms... terms) const {
    return FoldTerms<V, static_cast<int>(sizeof...(Terms))>{{terms...}};
  }
  template <int K>
  OW_FOLD void put(V value) const {
    store(value, result<K>());
  }
  // What a later walk reads again.
  template <int K>
  OW_FOLD void keep(V value) const {
    put<K>(value);
  }
  template <int K, class Again>
  OW_FOLD V kept(const Again&) const {
    return load(result<K>());
  }
};

}  // namespace HWY_NAMESPACE
}  // namespace cpu
}  // namespace opweave
HWY_AFTER_NAMESPACE();

#endif
