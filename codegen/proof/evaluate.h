// Pointwise trees in numbers: their value, how far rounding may have moved it, and which way they
// went at every condition and step.
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "codegen/expr/element.h"

namespace opweave::codegen {

// What the leaves of a tree are.
struct ElementPoint {
  std::vector<long double> arguments;
  std::vector<bool> given;              // of optional arguments
  std::vector<std::string_view> texts;  // of strings
  long double grad = 1;
  long double result = 0;
};

struct Evaluated {
  long double value = 0;
  long double error = 0;  // a bound, with room to spare
};

// Whether bounds of errors are wanted: they cost several times what values do.
enum class ErrorBounds { no, yes };
// Of float64 are what is infinite, what is zero and what follows from it.
enum class Precision { extended, float64 };

class Evaluator {
 public:
  explicit Evaluator(const ElementPoint& point, ErrorBounds bounds = ErrorBounds::yes,
                     Precision precision = Precision::extended)
      : point_(point), bounds_(bounds), precision_(precision) {}

  Evaluated evaluate(const ElementNode& node);
  // The same at two points if nothing jumps or bends in between that the tree looks at.
  uint64_t way() const { return way_; }

 private:
  Evaluated compute(const ElementNode& node);
  Evaluated leaf(const ElementNode& node) const;
  Evaluated select(const ElementNode& node);
  void note(int64_t what);

  const ElementPoint& point_;
  ErrorBounds bounds_;
  Precision precision_;
  std::unordered_map<const ElementNode*, Evaluated> done_;
  uint64_t way_ = 1469598103934665603U;
};

}  // namespace opweave::codegen
