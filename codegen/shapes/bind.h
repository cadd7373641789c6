// Arguments of a written call, as values in the order of a schema.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "codegen/shapes/query.h"
#include "codegen/shapes/value.h"
#include "codegen/syntax/schema.h"

namespace opweave::codegen {

// What stands in the way of a call of this schema; empty if `values` has all arguments.
struct Bound {
  Values values;
  // Names for the reader, with the arguments that they stand for.
  std::vector<std::pair<std::string, std::string>> labels;
  std::string refusal;
  Span refusal_span;
};

// What an argument is that a call leaves out; nothing if it may not.
std::optional<Value> default_value(const Argument& argument);

// `evaluate` gives the tensor that a call inside the call returns.
Bound bind_arguments(const QueryNode& call, const Schema& schema,
                     const std::function<Value(const QueryNode&)>& evaluate);

}  // namespace opweave::codegen
