// Whether a tree, computed in float32 or float64, has the digits that its value has at a point.
#pragma once

#include <optional>

#include "codegen/proof/tape.h"

namespace opweave::codegen {

struct LostDigits {
  Arithmetic arithmetic = Arithmetic::float32;
  ElementPoint point;
  long double computed = 0, exact = 0;
  const ElementNode* at =
      nullptr;  // the operation whose operands have their digits and whose result has not
};

class DigitCheck {
 public:
  // `arguments` are those by which the tree is compared with itself beside a point: what a change
  // of the last digits of an argument explains is no loss.
  DigitCheck(const ElementNode& root, std::vector<uint16_t> arguments)
      : tape_(root), arguments_(std::move(arguments)) {}

  // `unit` is what counts as one: digits beyond it are nothing.
  std::optional<LostDigits> at(const ElementPoint& point, Arithmetic arithmetic,
                               long double unit) const;
  const Tape& tape() const { return tape_; }

 private:
  // Evaluated `by` an arithmetic of more digits.
  long double allowed(const ElementPoint& point, Arithmetic arithmetic, long double exact,
                      long double unit, Arithmetic by) const;
  const ElementNode* culprit(const std::vector<long double>& computed,
                             const std::vector<long double>& exact, Arithmetic arithmetic) const;

  Tape tape_;
  std::vector<uint16_t> arguments_;
};

}  // namespace opweave::codegen
