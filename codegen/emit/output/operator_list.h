// Where the operators of a library come from.
#pragma once

#include <string>
#include <vector>

#include "codegen/model/model.h"

namespace opweave::codegen {

struct ListedOperator {
  std::string name, schema;
  std::string function;  // as Python calls it
  std::string place;     // "ops.yaml:7", of the entry
  std::string entry;     // that line
  bool derived = false;  // made from the entry: another form, a part of the gradient
};
// `ops.yaml:35`, of an entry; empty where there is none.
std::string place_of(const Span& span);
// Those that are printed, in the order of their entries.
std::vector<ListedOperator> listed_operators(const Model& model);
// As JSON, one on each line; `with_entries` where the YAML file may be elsewhere when it is read.
std::string operator_list(const Model& model, bool with_entries);

}  // namespace opweave::codegen
