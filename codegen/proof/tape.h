// Pointwise trees as lists of operations, each after its operands: read again and again, in numbers
// of one type or another.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "codegen/expr/element.h"
#include "codegen/proof/evaluate.h"

namespace opweave::codegen {

// The numbers that a kernel computes in; `extended` are those of the processor, `precise` those of
// a library.
enum class Arithmetic : uint8_t { float32, float64, extended, precise };

class Tape {
 public:
  explicit Tape(const ElementNode& root);

  struct Step {
    const ElementNode* node;
    std::array<uint32_t, 3> operands;  // their places among the steps
  };
  const std::vector<Step>& steps() const { return steps_; }

  // The value of each step, the last one that of the tree. Arguments are rounded as a kernel reads
  // them, whatever they are computed with; functions of float32 and float64 may be off by a digit.
  std::vector<long double> values(const ElementPoint& point, Arithmetic arithmetic,
                                  Arithmetic rounding_of_arguments) const;

 private:
  std::vector<Step> steps_;
};

// As a kernel for float32 or float64 has it.
long double rounded(long double value, Arithmetic arithmetic);
// What is read by a step without operands.
long double leaf_value(const ElementNode& node, const ElementPoint& point);
// In so many digits that formulas may lose most of them: precise.cc.
std::vector<long double> precise_values(const Tape& tape, const ElementPoint& point,
                                        Arithmetic rounding_of_arguments);

}  // namespace opweave::codegen
