// Batching rules: how an operator runs on batched tensors (see batched_tensor.h). The generator
// prints one for every operator that cannot be left to the operators it is made of.
#pragma once

#include <span>
#include <string_view>

#include "runtime/dispatch/operator.h"

namespace opweave {

enum class BatchRule : uint8_t {
  kPointwise,    // broadcasts its tensors: dimensions are lined up behind the examples
  kDims,         // one tensor or list of them, and arguments that count or size its dimensions
  kLeadingDims,  // `kernel`, or the operator itself, allows one more dimension in front
  kRandom,       // as kPointwise in place, else as kLoop
  kLoop,         // one example after the other
  kNone,         // left to the operators that it is made of
};

// What an argument says about the dimensions of the tensor.
enum class ArgRole : uint8_t {
  kPlain,
  kDim,        // int, or a list of ints, that names dimensions
  kDimsOrAll,  // a list of dimensions, of which none means all
  kOrder,      // all dimensions, in an order
  kNewDim,     // a dimension of the result, which has one more than the tensors
  kSize,       // the sizes of the result
};

struct BatchRuleDef {
  std::string_view op;  // full name
  BatchRule rule;
  std::span<const ArgRole> roles = {};  // of kDims: one per argument
  AnyKernel kernel = nullptr;           // of kLeadingDims; null: the operator
  std::span<const int> written = {};    // arguments that are written
  bool random = false;                  // draws numbers, as the vmap's randomness says
  int train = -1, p = -1;               // arguments by which some are certain; see random.cc
};

// Registers the rules under DispatchKey::kBatched. Keeps the spans.
void register_batch_rules(std::span<const BatchRuleDef> rules);

}  // namespace opweave
