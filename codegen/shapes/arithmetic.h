// The numbers of rules in the generator: sizes that may be unknown.
#pragma once

#include <fmt/format.h>

#include "codegen/shapes/functions.h"
#include "rules/sizes.h"

namespace opweave::codegen {

// While it lives, what two sizes need to broadcast is required here.
class ArithmeticConditions {
 public:
  explicit ArithmeticConditions(Conditions& conditions) : outer_(current_) {
    current_ = &conditions;
  }
  ~ArithmeticConditions() { current_ = outer_; }
  ArithmeticConditions(const ArithmeticConditions&) = delete;
  static Conditions& current() { return *current_; }

 private:
  static inline Conditions* current_ = nullptr;
  Conditions* outer_;
};

}  // namespace opweave::codegen

namespace opweave::rule::generic {

template <>
struct Arithmetic<rule::Size> {
  using Size = rule::Size;
  using Condition = rule::Condition;

  static Size floor_div(const Size& a, const Size& b) { return Size::floor_div(a, b); }
  static Size stride_product(const Size& stride, const Size& size) { return stride * size; }

  static Condition at_least(const Size& a, const Size& b) { return rule::less_or_equal(b, a); }
  static Size select(const Condition& condition, const Size& a, const Size& b) {
    return rule::select(condition, a, b);
  }

  // Names stand for sizes of at least 2, so that a size is 1 only where it is written so.
  static Size common_size(const Size& a, const Size& b, size_t dim) {
    if (a == Size(1)) return b;
    if (b == Size(1)) return a;
    codegen::ArithmeticConditions::current().require(
        rule::equal(a, b), fmt::format("the size {} does not broadcast with {} at dimension {}",
                                       a.text(), b.text(), dim));
    return a.number() ? a : b.number() ? b : a;
  }
};

}  // namespace opweave::rule::generic
