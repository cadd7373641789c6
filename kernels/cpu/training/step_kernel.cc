// The loops of the optimizers' formulas: plain ones, which the compiler turns into vector code for
// each instruction set.
#include "kernels/cpu/training/step_kernel.h"

#include <utility>

#include "kernels/cpu/pointwise/targets.h"
#include "kernels/plans/optimizer_formulas.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/training/step_kernel.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace opweave::cpu::HWY_NAMESPACE {

// formula(p, g, states...) changes the parameter and its first sizeof...(kStates) states.
template <class E, size_t... kStates, class Formula>
HWY_INLINE void each(const plans::Before& rule, const StepArrays& arrays, int64_t begin,
                     int64_t end, std::index_sequence<kStates...>, const Formula& formula) {
  using T = plans::StepNumber<E>;
  E* const parameter = static_cast<E*>(arrays.parameter);
  const E* const gradient = static_cast<const E*>(arrays.gradient);
  const plans::BeforeStep<T> before(rule);
#pragma omp simd
  for (int64_t i = begin; i < end; ++i) {
    const T whole = T(parameter[i]), g = before.gradient(T(gradient[i]), whole);
    T p = before.parameter(whole);
    T s[sizeof...(kStates) + 1] = {T(static_cast<const E*>(arrays.states[kStates])[i])...};
    formula(p, g, s[kStates]...);
    ((static_cast<E*>(arrays.states[kStates])[i] = E(s[kStates])), ...);
    parameter[i] = E(p);
  }
}

template <class E, class Formula, class Rule>
void loop(const Rule& rule, const StepArrays& arrays, int64_t begin, int64_t end) {
  each<E>(rule.before, arrays, begin, end, std::make_index_sequence<Formula::kStates>(),
          Formula(rule));
}

// A formula for each case that a rule decides for all elements.
template <class E>
struct Steps {
  static void sgd(const plans::SgdRule& r, const StepArrays& a, int64_t begin, int64_t end) {
    (r.momentum == 0 ? loop<E, plans::PlainSgd<E>, plans::SgdRule>
                     : loop<E, plans::MomentumSgd<E>, plans::SgdRule>)(r, a, begin, end);
  }
  static void adam(const plans::AdamRule& r, const StepArrays& a, int64_t begin, int64_t end) {
    (r.amsgrad ? loop<E, plans::Adam<E, true>, plans::AdamRule>
               : loop<E, plans::Adam<E, false>, plans::AdamRule>)(r, a, begin, end);
  }
  static void moments(const plans::MomentsRule& r, const StepArrays& a, int64_t begin,
                      int64_t end) {
    (r.gradient_rate != 0 ? loop<E, plans::Moments<E, true, true>, plans::MomentsRule>
     : r.divides          ? loop<E, plans::Moments<E, true, false>, plans::MomentsRule>
                 : loop<E, plans::Moments<E, false, false>, plans::MomentsRule>)(r, a, begin, end);
  }
  template <bool kCentered>
  static void rmsprop_of(const plans::RmspropRule& r, const StepArrays& a, int64_t begin,
                         int64_t end) {
    (r.momentum > 0
         ? loop<E, plans::Rmsprop<E, kCentered, true>, plans::RmspropRule>
         : loop<E, plans::Rmsprop<E, kCentered, false>, plans::RmspropRule>)(r, a, begin, end);
  }
  static void rmsprop(const plans::RmspropRule& r, const StepArrays& a, int64_t begin,
                      int64_t end) {
    (r.centered ? rmsprop_of<true> : rmsprop_of<false>)(r, a, begin, end);
  }

  static StepKernel kernel() {
    return {&sgd,
            &adam,
            &loop<E, plans::Adagrad<E>, plans::AdagradRule>,
            &loop<E, plans::Adadelta<E>, plans::AdadeltaRule>,
            &loop<E, plans::Adamax<E>, plans::AdamaxRule>,
            &moments,
            &rmsprop,
            &loop<E, plans::Rprop<E>, plans::RpropRule>,
            &loop<E, plans::Asgd<E>, plans::AsgdRule>};
  }
};

StepKernel choose_steps(ScalarType dtype) {
  if (!contains(dtypes::kCommonFloating, dtype)) return {};
  return visit_dtypes<dtypes::kCommonFloating>(
      dtype, []<class E>(TypeTag<E>) { return Steps<E>::kernel(); }, [] {});
}

}  // namespace opweave::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace opweave::cpu {
HWY_EXPORT(choose_steps);
StepKernel step_kernel(ScalarType dtype) { return HWY_DYNAMIC_DISPATCH(choose_steps)(dtype); }
}  // namespace opweave::cpu
#endif
