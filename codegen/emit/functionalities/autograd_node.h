// The backward node of an operator, as the emitters of its struct and of its autograd kernel see
// it.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "codegen/emit/text/printer.h"
#include "codegen/emit/text/signature.h"
#include "codegen/model/model.h"

namespace opweave::codegen {

// "MulBackward0": camel-cased base name, and the overload's place among the family's differentiable
// ones.
class NodeNames {
 public:
  explicit NodeNames(const Model& model);
  std::string of(const Operator& functional) const;

 private:
  std::unordered_map<const Operator*, int> indices_;
};

// The node's members, apply() and release_saved(). `op` is the functional (or manual) form.
void print_node(Printer& printer, const Operator& op, const std::string& name,
                const Mutants& mutants);

}  // namespace opweave::codegen
