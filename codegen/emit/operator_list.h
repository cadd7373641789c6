// Where the operators of a library come from.
#pragma once

#include <string>
#include <vector>

#include "codegen/model/model.h"

namespace opweave::codegen {

struct ListedOperator {
  std::string name, schema;
  std::string place;     // "ops.yaml:7", of the entry
  bool derived = false;  // made from the entry: another form, a part of the gradient
};
// Those that are printed, in the order of their entries.
std::vector<ListedOperator> listed_operators(const Model& model);

}  // namespace opweave::codegen
