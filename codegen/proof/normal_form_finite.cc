// Where the operations of trees are finite, by the column `finite` of the table of functions.
#include <cmath>
#include <limits>

#include "codegen/expr/intrinsics.h"
#include "codegen/proof/normal_form.h"

namespace opweave::codegen {

using State = NormalValue::State;

State NormalForm::by_sign(const Rational& x, State zero, State negative) {
  const auto found = zero == State::finite ? sign(x, {kNotNegative, kNegative})
                                           : sign(x, {kPositive, kNegative, kZero});
  if (!found) return State::unread;
  return *found == kNegative ? negative : *found == kZero ? zero : State::finite;
}

State NormalForm::off_poles(const Rational& x) {
  const auto found = sign(x, {kPositive, kNotPositive});
  if (!found || *found == kPositive) return found ? State::finite : State::unread;
  const auto pole = decisions_.truth("whole " + x.key());
  return !pole ? State::unread : *pole ? State::infinite : State::finite;
}

State NormalForm::finiteness(const ElementNode& node, const Rational& x, const Rational& y) {
  const Rational one = Rational::number(1);
  const auto not_zero = [&](const Rational& value) {
    const auto found = sign(value, {kZero, kNonzero});
    return !found ? State::unread : *found == kZero ? State::infinite : State::finite;
  };
  const Intrinsic* intrinsic = find_intrinsic(node.op);
  switch (intrinsic != nullptr ? intrinsic->finite : IntrinsicFinite::everywhere) {
    case IntrinsicFinite::everywhere:
      return State::finite;
    case IntrinsicFinite::positive:
      return by_sign(x, State::infinite, State::nan);
    case IntrinsicFinite::not_negative:
      return by_sign(x, State::finite, State::nan);
    case IntrinsicFinite::above_minus_one:
      return by_sign(one.plus(x), State::infinite, State::nan);
    case IntrinsicFinite::nonzero:
      return not_zero(y);
    case IntrinsicFinite::within_one:
      return by_sign(one.plus(x.times(x), -1), State::infinite, State::nan);
    case IntrinsicFinite::up_to_one:
      return by_sign(one.plus(x.times(x), -1), State::finite, State::nan);
    case IntrinsicFinite::from_one:
      return by_sign(x.plus(one, -1), State::finite, State::nan);
    case IntrinsicFinite::cosine:
      return not_zero(cosine(x));
    case IntrinsicFinite::no_pole:
      return off_poles(x);
    case IntrinsicFinite::last_no_pole:
      return off_poles(y);
    case IntrinsicFinite::power:
      return finiteness_of_power(x, y);
  }
  return State::unread;
}

State NormalForm::finiteness_of_power(const Rational& x, const Rational& y) {
  const auto number = y.as_number();
  const bool whole = number && *number == std::round(*number);
  if (whole && *number >= 0) return State::finite;
  if (number && !whole)
    return by_sign(x, *number > 0 ? State::finite : State::infinite, State::nan);
  const auto of_base =
      sign(x, whole ? Classes{kZero, kNonzero} : Classes{kPositive, kNegative, kZero});
  if (!of_base) return State::unread;
  if (*of_base == kZero) {
    const auto of_exponent = sign(y, {kNotNegative, kNegative});
    if (!of_exponent) return State::unread;
    return *of_exponent == kNegative ? State::infinite : State::finite;
  }
  if (whole || *of_base == kPositive) return State::finite;
  // Whole or not, it is the same for y and y + 1.
  const auto constant = y.above().terms().find(Monomial());
  const bool shifts = y.below().as_number() && constant != y.above().terms().end();
  const Rational shifted = shifts ? y.plus(Rational::number(std::floor(constant->second)), -1) : y;
  const auto is_whole = decisions_.truth("whole " + shifted.key());
  return !is_whole ? State::unread : *is_whole ? State::finite : State::nan;
}

}  // namespace opweave::codegen
