// make_loops: the loops over one expression, for every type of computation that it is defined for.
// Floating types run in vectors; integers and bool run the same expression on plain C++ values, in
// blocks of fixed length that the compiler vectorises.
#if defined(OPWEAVE_KERNELS_CPU_POINTWISE_MAKE_LOOPS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef OPWEAVE_KERNELS_CPU_POINTWISE_MAKE_LOOPS_INL_H_
#undef OPWEAVE_KERNELS_CPU_POINTWISE_MAKE_LOOPS_INL_H_
#else
#define OPWEAVE_KERNELS_CPU_POINTWISE_MAKE_LOOPS_INL_H_
#endif

#include <concepts>
#include <type_traits>
#include <utility>

#include "kernels/cpu/pointwise/lanes-inl.h"
#include "kernels/cpu/pointwise/loops.h"
#include "kernels/cpu/pointwise/vocabulary-inl.h"
#include "runtime/pointwise/spec.h"

HWY_BEFORE_NAMESPACE();
namespace opweave {
namespace cpu {
namespace HWY_NAMESPACE {

// An expression and the arguments that its apply() takes: inputs, then parameters. Bit i of
// kBoolInputs says that input i is a mask.
template <class E, int kNumInputs, int kNumParams, uint32_t kBoolInputs>
struct PointwiseShape {
  using Expr = E;
  using Inputs = std::make_integer_sequence<int, kNumInputs>;
  using Params = std::make_integer_sequence<int, kNumParams>;
  static constexpr int kInputs = kNumInputs;
  static constexpr bool is_bool(int input) { return (kBoolInputs >> input & 1) != 0; }
};

// float and double.
template <class Shape, class T>
struct VectorLoop {
  using D = hn::ScalableTag<T>;
  using V = hn::Vec<D>;
  static constexpr int64_t kWidth = HWY_LANES(T);

  template <int I>
  static OW_POINTWISE auto load(const void* input, int64_t i) {
    if constexpr (Shape::is_bool(I)) {
      return load_mask(D(), static_cast<const uint8_t*>(input) + i);
    } else {
      return hn::LoadU(D(), static_cast<const T*>(input) + i);
    }
  }

  // n is a multiple of the width.
  template <int... I, int... P>
  static HWY_NOINLINE void whole(void* out, const void* const* inputs, const Scalar* params,
                                 int64_t n, std::integer_sequence<int, I...>,
                                 std::integer_sequence<int, P...>) {
    // Copies, which no store can alias.
    [[maybe_unused]] const void* const in[] = {inputs[I]..., nullptr};
    [[maybe_unused]] const V p[] = {hn::Set(D(), params[P].template to<T>())..., hn::Zero(D())};
    for (int64_t i = 0; i < n; i += kWidth) {
      store_result(D(), Shape::Expr::apply(D(), load<I>(in[I], i)..., p[P]...), out, i);
    }
  }

  // The last elements take the same code through buffers of one vector.
  template <int... I, int... P>
  static HWY_NOINLINE void rest(void* out, const void* const* inputs, const Scalar* params,
                                int64_t begin, int64_t n, std::integer_sequence<int, I...> in_seq,
                                std::integer_sequence<int, P...> param_seq) {
    using Result =
        decltype(Shape::Expr::apply(D(), load<I>(nullptr, 0)..., ((void)P, std::declval<V>())...));
    HWY_ALIGN T buffers[Shape::kInputs + 1][HWY_LANES(T)];
    (fill<Shape::is_bool(I)>(inputs[I], begin, n, buffers[I]), ...);
    const void* const copies[] = {buffers[I]..., nullptr};
    T* const result = buffers[Shape::kInputs];
    whole(result, copies, params, kWidth, in_seq, param_seq);
    if constexpr (std::same_as<Result, V>) {
      store_part(D(), hn::Load(D(), result), static_cast<T*>(out) + begin, n);
    } else {
      copy_bytes(result, static_cast<uint8_t*>(out) + begin, n);
    }
  }

  template <bool kIsBool>
  static OW_POINTWISE void fill(const void* input, int64_t begin, int64_t n, T* buffer) {
    if constexpr (kIsBool) {
      hn::Store(hn::Zero(D()), D(), buffer);
      copy_bytes(static_cast<const uint8_t*>(input) + begin, buffer, n);
    } else {
      hn::Store(load_part(D(), static_cast<const T*>(input) + begin, n), D(), buffer);
    }
  }

  static void run(void* out, const void* const* inputs, const Scalar* params, int64_t n) {
    using Inputs = typename Shape::Inputs;
    using Params = typename Shape::Params;
    const int64_t end = n & -kWidth;
    if (end != 0) whole(out, inputs, params, end, Inputs(), Params());
    if (end != n) rest(out, inputs, params, end, n - end, Inputs(), Params());
  }
};

// Integers and bool.
template <class Shape, class T>
struct ScalarLoop {
  using D = m::ScalarTag<T>;
  static constexpr int64_t kBlock = 64;

  template <int I>
  static OW_POINTWISE auto load(const void* input, int64_t i) {
    if constexpr (Shape::is_bool(I) || std::same_as<T, bool>) {
      return static_cast<const uint8_t*>(input)[i] != 0;
    } else {
      return static_cast<const T*>(input)[i];
    }
  }
  static OW_POINTWISE void store(bool value, void* out, int64_t i) {
    static_cast<uint8_t*>(out)[i] = value;
  }
  template <class V>
  static OW_POINTWISE void store(V value, void* out, int64_t i) {
    static_cast<T*>(out)[i] = value;
  }

  template <int... I, int... P>
  static void loop(void* out, const void* const* inputs, const Scalar* params, int64_t n,
                   std::integer_sequence<int, I...>, std::integer_sequence<int, P...>) {
    [[maybe_unused]] const void* const in[] = {inputs[I]..., nullptr};
    [[maybe_unused]] const T p[] = {params[P].template to<T>()..., T()};
    int64_t i = 0;
    for (; i + kBlock <= n; i += kBlock) {
      // `out` is an input or apart from it: no iteration depends on another.
#pragma GCC ivdep
      for (int64_t j = i; j < i + kBlock; ++j) {
        store(Shape::Expr::apply(D(), load<I>(in[I], j)..., p[P]...), out, j);
      }
    }
    for (; i < n; ++i) store(Shape::Expr::apply(D(), load<I>(in[I], i)..., p[P]...), out, i);
  }

  static void run(void* out, const void* const* inputs, const Scalar* params, int64_t n) {
    loop(out, inputs, params, n, typename Shape::Inputs(), typename Shape::Params());
  }
};

// The types of computation of an operator whose operands may promote to `dtypes`.
constexpr DtypeMask compute_types(DtypeMask dtypes, bool int_to_float) {
  if (!int_to_float) return dtypes;
  return (dtypes & ~dtypes::kFloating) != 0 ? dtypes::kCommonFloating : dtypes;
}

// Whether some of `dtypes` are computed in `type`.
constexpr bool computed_in(DtypeMask dtypes, ScalarType type) {
  for (int i = 0; i < kNumScalarTypes; ++i) {
    const auto t = static_cast<ScalarType>(i);
    if (contains(dtypes, t) && compute_dtype(t) == type) return true;
  }
  return false;
}

template <class Shape, class T>
using LoopOf =
    std::conditional_t<std::floating_point<T>, VectorLoop<Shape, T>, ScalarLoop<Shape, T>>;

// `dtypes` are the types that operands may promote to; with `int_to_float` integers and bool then
// become a floating type.
template <class Expr, int kInputs, int kParams, DtypeMask kDtypes, bool kIntToFloat,
          uint32_t kBoolInputs = 0>
constexpr PointwiseLoops make_loops() {
  using Shape = PointwiseShape<Expr, kInputs, kParams, kBoolInputs>;
  constexpr DtypeMask kComputed = compute_types(kDtypes, kIntToFloat);
  PointwiseLoops loops{};
#define OW_DTYPE(id, name, cpp, ...)                                   \
  if constexpr (computed_in(kComputed, k##id)) {                       \
    loops.by_type[static_cast<int>(k##id)] = &LoopOf<Shape, cpp>::run; \
  }
#include "dtypes/dtypes.def"
  return loops;
}

}  // namespace HWY_NAMESPACE
}  // namespace cpu
}  // namespace opweave
HWY_AFTER_NAMESPACE();

#endif
