// How an operator comes to a result.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace opweave::codegen {

enum class Implementation : uint8_t {
  expr,       // generated kernels for every target from the expression (elements.h)
  composite,  // the formula `composite` (formulas.h)
  kernels,    // handwritten functions, one per entry of `targets`
  derived,    // an in-place or out form that runs the functional one and copies the result
};

struct Computation {
  Implementation implementation = Implementation::kernels;
  std::vector<std::string> targets;  // of kernels: hardware and kKernelWords, in order
  // Of kernels: they are generated, for every target that has a vocabulary, from an expression that
  // folds (fold.h).
  bool folds = false;

  bool has_target(std::string_view target) const;
  // By what it calls, of whose gradients its own is made.
  bool is_handwritten_composite() const { return has_target("composite"); }
  // On some hardware target, where it reads and writes memory.
  bool has_hardware_kernel() const;
};

}  // namespace opweave::codegen
